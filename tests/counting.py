"""Count the work of a call, so that growth is tested without a clock."""

import itertools
import sys


def python_events(call):
    """Return how many times Python entered or left a function during `call()`."""
    events = itertools.count()
    sys.setprofile(lambda *event: next(events))
    try:
        call()
    finally:
        sys.setprofile(None)
    return next(events)

"""Let an error reach the user's frame that NumPy would replace on the way.

In `a[0] = x` on an array of floats, NumPy asks the tracer for a float and replaces any
error by "setting an array element with a sequence", which is misleading. A trace
function, installed for this one instruction of the caller, puts the error back. If a
debugger or a coverage tool is tracing, it only puts the text back, in order not to
switch the tool off: an error in a trace function does that.

Public names: `arrives`.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

__all__ = ["arrives"]


def arrives(error: Exception, depth: int) -> Exception:
    """Return `error`, to be raised; it will arrive in the frame `depth` callers up."""
    frame = sys._getframe(depth + 1)
    outer, inner = sys.gettrace(), frame.f_trace

    def restore(_: FrameType, event: str, arg: Any) -> None:
        sys.settrace(outer)
        frame.f_trace = inner
        if event == "exception" and arg[1] is not error:
            if outer is None:
                raise error from None
            arg[1].args = error.args

    frame.f_trace = restore
    sys.settrace(outer or (lambda *_: None))
    return error

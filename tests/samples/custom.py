"""Samples of calls to functions with custom rules, as the decorators build them."""

from typing import Any

import numpy as np

from fad.control.custom_call import Call
from fad.control.custom_jvp import JvpRule
from fad.control.custom_site import Site
from fad.control.custom_vjp import VjpRule

from ._sample import Sample


def f(x: Any, y: Any) -> Any:
    return x * x * y, y * 2.0


def rule(primals: Any, tangents: Any) -> Any:
    (x, y), (t, s) = primals, tangents
    return f(x, y), (2.0 * x * y * t + x * x * s, 2.0 * s)


def fwd(x: Any, y: Any) -> Any:
    return f(x, y), (x, y)


def bwd(residuals: Any, cts: Any) -> Any:
    (x, y), (a, b) = residuals, cts
    return 2.0 * x * y * a, x * x * a + 2.0 * b


def call(args: Any, forward: bool) -> Call:
    site = Site("f", f, args, ())
    if forward:
        return Call("f", site.run, JvpRule(rule, False).flat(site), None, None)
    rules = VjpRule(fwd, bwd, False)
    return Call("f", site.run, None, rules.flat_fwd(site), rules.flat_bwd(site))


ARGS = [
    (np.array([0.5, -1.5]), np.array([2.0, 0.7])),
    (np.float64(0.5), np.float64(-2.0)),
    (np.array([0.5 + 1j, -1.5]), np.array([2.0 - 1j, 0.7j])),
]

SAMPLES = {
    name: [Sample(args, {"call": call(args, forward)}) for args in ARGS]
    for name, forward in [("custom_jvp_call", True), ("custom_vjp_call", False)]
}

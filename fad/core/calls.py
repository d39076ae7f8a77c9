"""Which function a frame is calling: tells an asked-for `float(x)` from a silent one.

`math.sqrt(x)`, `array.fill(x)` and `np.fromiter(xs, float)` ask a tracer for a float,
as `float(x)` does, and go on with a number that knows no derivatives. The call stack
does not show C functions, but the caller's bytecode does: from the call instruction
back to the depth that the stack had before, the instructions push the function and its
arguments. Where that cannot be read, by jumps among the arguments, nothing is told.

Public names: `silent_caller`.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
from types import BuiltinFunctionType, CodeType
from typing import Any

__all__ = ["silent_caller"]


def silent_caller(depth: int) -> str | None:
    """Return the name of the C function that the frame `depth` above the caller calls.

    None if it is Python's own (`float`, `map`), or its result is piecewise constant, or
    it is not known, or nothing is called.
    """
    frame = sys._getframe(depth + 1)
    found = _callee(frame.f_code, frame.f_lasti)
    if found is None:
        return None
    kind, name = found
    if name in _CONSTANT:
        return None
    if "ATTR" in kind or "METHOD" in kind:
        return name
    for scope in (frame.f_locals, frame.f_globals):
        if name in scope:
            return name if _is_silent(scope[name]) else None
    return None


_CONSTANT = frozenset("ceil floor trunc isclose isfinite isinf isnan".split())
"""Functions of the module math whose derivative is zero."""


def _is_silent(function: Any) -> bool:
    if isinstance(function, BuiltinFunctionType):
        return function.__module__ != "builtins"
    return type(function).__module__ == "numpy" and not isinstance(function, type)


@functools.lru_cache(maxsize=1024)
def _callee(code: CodeType, offset: int) -> tuple[str, str] | None:
    """Return the opcode and the name that load what the call at an offset calls."""
    before = []
    for call in dis.get_instructions(code):
        if call.offset >= offset:
            break
        before.append(call)
    if not call.opname.startswith(("CALL", "PRECALL")) or "INTRINSIC" in call.opname:
        return None
    while before and before[-1].opname in ("PRECALL", "KW_NAMES"):
        before.pop()
    pushed: list[dis.Instruction] = []
    total, wanted = 0, _stack_of(call)
    while before and total < wanted:
        step = before.pop()
        if "JUMP" in step.opname or "FOR_ITER" in step.opname:
            return None
        total += _effect(step)
        pushed.insert(0, step)
    return _loader(pushed) if total == wanted else None


def _stack_of(call: dis.Instruction) -> int:
    """Return how many values a call takes off the stack."""
    n = call.arg or 0
    if call.opname == "CALL_FUNCTION_EX":
        return 4 if sys.version_info >= (3, 14) else 3 + (n & 1)
    return n + (3 if call.opname == "CALL_KW" else 2)


def _effect(step: dis.Instruction) -> int:
    return dis.stack_effect(step.opcode, step.arg, jump=False)


def _loader(pushed: list[dis.Instruction]) -> tuple[str, str] | None:
    """Return what loads the function: the last load that is below all arguments."""
    depths = itertools.accumulate(_effect(step) for step in pushed)
    loads = [
        (step.opname, str(step.argval))
        for step, depth in zip(pushed, depths, strict=True)
        if depth <= 2 and step.opname.startswith("LOAD")
    ]
    return loads[-1] if loads else None

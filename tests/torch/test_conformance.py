"""What PyTorch 2.13 prints or raises for a snippet, the facade prints or raises.

`conformance/*.jsonl` hold one case a line, those that draw random numbers in a file
of their own: the code, its standard output, its error and the warnings it must give,
all recorded by running the code on PyTorch.
"""

import contextlib
import io
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import fad.torch as torch

FOLDER = Path(__file__).parent / "conformance"
LAST_BIT = {"complex/div_gradients", "complex/log_gradient", "rng/sgd_minibatch"}
"""Cases that show the sign of a zero, or the rounding of PyTorch's BLAS."""
CASES = [
    case
    for name in ("cases.jsonl", "rng_cases.jsonl", "more_cases.jsonl")
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["id"] not in LAST_BIT
]


@pytest.fixture(autouse=True)
def fresh_state():
    """Undo whatever global state a snippet leaves behind."""
    yield
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.autograd.set_detect_anomaly(False)
    torch.set_printoptions(profile="default")
    torch.manual_seed(0)


def run(code):
    """Return what a snippet prints, its error if any, and its warnings."""
    names = {"__name__": "case", "torch": torch, "F": torch.nn.functional, "np": np}
    error = None
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(io.StringIO()) as printed,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        try:
            exec(compile(code, "<case>", "exec"), names)
        except Exception as raised:
            error = type(raised).__name__.lstrip("_"), str(raised)
    return printed.getvalue(), error, caught


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_snippet_does_what_it_does_on_pytorch(case):
    printed, error, caught = run(case["code"])
    assert printed == case["stdout"]
    if case["error"] is None:
        assert error is None
    else:
        assert error is not None
        kind, message = case["error"]["type"].lstrip("_"), case["error"]["message"]
        assert error[0] == kind
        part = case.get("match") == "contains"
        assert message in error[1] if part else message == error[1]
    for wanted in case.get("warns") or ():
        assert any(
            w.category.__name__ == wanted["category"]
            and wanted["message"] in str(w.message)
            for w in caught
        )

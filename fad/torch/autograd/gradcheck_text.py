"""What gradcheck says: its error, and the texts.

Public names: `GradcheckError`, `mismatch`.
"""

from __future__ import annotations

from ..tensor import Tensor

__all__ = ["UNDEFINED", "GradcheckError", "mismatch"]


class GradcheckError(RuntimeError):
    """A gradient differs from what differences give."""


UNDEFINED = (
    "Expected backward function to handle undefined output grads. Please look at "
    '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
)


def mismatch(
    exact: Tensor,
    numeric: Tensor,
    output: int,
    input: int,
    part: str = "",
    forward: bool = False,
) -> str:
    """Say which Jacobian is wrong, and show it.

    Args:
        exact, numeric: the Jacobians by the graph and by differences.
        output, input: which ones.
        part: of complex outputs, "real" or "imag"; "" if there are none.
        forward: it is about forward mode.
    """
    start = ""
    if part:
        word = "imaginary" if part == "imag" else "real"
        element = "inputs" if forward else "outputs"
        start = f"While considering the {word} part of complex {element} only, "
    mode = "computed with forward mode " if forward else ""
    return (
        f"{start}Jacobian {mode}mismatch for output {output} with respect to input "
        f"{input},\nnumerical:{numeric!r}\nanalytical:{exact!r}\n"
    )

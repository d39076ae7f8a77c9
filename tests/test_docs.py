"""The code on every page of the documentation runs and prints what the page says.

A page is one script: its ```python blocks run in order, in one namespace. What a block
prints must equal the ```text block that follows it, if one does. Two more words may
follow ```python: `no-run` leaves the block out, and `raises` says that it must fail;
its "output" is then `TypeError: the message`.
"""

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(
    r"^```python(?P<words>[^\n]*)\n(?P<code>.*?)^```\n"
    r"(?:\s*^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """One ```python block; `output` is what it must print, None if not said."""

    line: int
    words: list[str]
    code: str
    output: str | None


def blocks_of(page: str) -> list[Block]:
    return [
        Block(
            line=page.count("\n", 0, match.start("code")),
            words=match["words"].split(),
            code=match["code"],
            output=match["output"],
        )
        for match in BLOCK.finditer(page)
    ]


def run_block(block: Block, filename: str, namespace: dict[str, object]) -> str:
    """Run a block and return what it printed, or the error it had to raise."""
    # Blank lines in front give tracebacks, and fad's own messages, the page's lines.
    code = compile("\n" * block.line + block.code, filename, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if "raises" not in block.words:
            exec(code, namespace)
            return printed.getvalue()
        try:
            exec(code, namespace)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    raise AssertionError(f"{filename}:{block.line}: nothing was raised")


def run_page(page: str, filename: str = "page.md") -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if "no-run" in block.words:
            continue
        printed = run_block(block, filename, namespace)
        if block.output is not None:
            assert lines_of(printed) == lines_of(block.output), (
                f"{filename}:{block.line} prints something else"
            )


def lines_of(text: str) -> list[str]:
    """Split into lines, without blanks at their ends: no reader can see those."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_code_of_page_runs_and_prints_what_it_says(path):
    run_page(path.read_text(), str(path))


def test_blocks_of_a_page_share_one_namespace():
    first, second = "```python\nx = 1\n```\n", "```python\nprint(x)\n```\n"
    run_page(f"{first}\nwords\n\n{second}\n```text\n1\n```\n")


def test_wrong_output_fails():
    with pytest.raises(AssertionError, match="prints something else"):
        run_page("```python\nprint(1)\n```\n```text\n2\n```\n")


def test_block_marked_no_run_is_left_out():
    run_page("```python no-run\n1 / 0\n```\n")


def test_error_of_a_block_marked_raises_is_its_output():
    error = "```text\nZeroDivisionError: division by zero\n```\n"
    run_page(f"```python raises\n1 / 0\n```\n\n{error}")


def test_block_marked_raises_has_to_raise():
    with pytest.raises(AssertionError, match="nothing was raised"):
        run_page("```python raises\npass\n```\n")

"""Max pooling that returns the places of the maxima, under names of its own.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

from typing import Any

from . import functional_adaptive, functional_pool

__all__: list[str] = []


def _declare(source: Any, name: str) -> None:
    run = getattr(source, name)

    def with_indices(input: Any, *args: Any, **options: Any) -> Any:
        options.pop("return_indices", None)
        return run(input, *args, **options, return_indices=True)

    full = f"{name}_with_indices"
    with_indices.__name__ = with_indices.__qualname__ = full
    with_indices.__doc__ = f"Return what `{name}` does, and the places of the maxima."
    globals()[full] = with_indices
    __all__.append(full)


for _rank in (1, 2, 3):
    _declare(functional_pool, f"max_pool{_rank}d")
    _declare(functional_adaptive, f"adaptive_max_pool{_rank}d")

"""Calls of modules with other parameters: `functional_call`, `stack_module_state`.

Public names: `functional_call`, `stack_module_state`,
`replace_all_batch_norm_modules_`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .declare import functions
from .nn.modules_running_norm import _BatchNorm
from .tensor import Tensor

__all__ = [
    "functional_call",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with tensors in the places of its parameters and buffers.

    Args:
        parameter_and_buffer_dicts: a dictionary from names to tensors, or several.
        args: the arguments; a single one need not be in a tuple.
        tie_weights: a tensor replaces every name of a shared parameter.
        strict: raise if names are missing or unknown.
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        given = _joined(parameter_and_buffer_dicts)
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of "
            f"dicts, but got {type(parameter_and_buffer_dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    for value in given.values():
        if not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
    with _replaced(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _joined(dicts: Sequence[Any]) -> dict[str, Tensor]:
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError(
            "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
        )
    names = [name for d in dicts for name in d]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional "
            "call is ambiguous"
        )
    return {k: v for d in dicts for k, v in d.items()}


def _places(module: Any) -> dict[str, tuple[dict[str, Any], str]]:
    """Return where each parameter and buffer is kept, by its full name."""
    found = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        for table in (part._parameters, part._buffers):
            for name in table:
                found[f"{prefix}.{name}" if prefix else name] = (table, name)
    return found


@contextlib.contextmanager
def _replaced(
    module: Any, given: dict[str, Any], tie_weights: bool, strict: bool
) -> Iterator[None]:
    places = _places(module)
    if strict:
        _check_names(module, given, places)
    values = {k: v for k, v in given.items() if k in places}
    if tie_weights:
        owners = {id(places[k][0][places[k][1]]): v for k, v in values.items()}
        for name, (table, key) in places.items():
            if (
                name not in values
                and table[key] is not None
                and id(table[key]) in owners
            ):
                values[name] = owners[id(table[key])]
    old = [(*places[name], places[name][0][places[name][1]]) for name in values]
    try:
        for name, value in values.items():
            table, key = places[name]
            table[key] = value
        yield
    finally:
        for table, key, value in old:
            table[key] = value


def _check_names(module: Any, given: dict[str, Any], places: dict[str, Any]) -> None:
    unexpected = [n for n in given if n not in places]
    missing = [n for n in places if n not in given]
    texts = []
    if unexpected:
        texts.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        texts.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
    if texts:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
            + "\n\t".join(texts)
        )


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the buffers of like modules, stacked, for `vmap`."""
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval "
            "mode."
        )
    if len({type(m) for m in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to be of the same class."
        )
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return (
        {k: _stacked(k, [p[k] for p in parameters]) for k in parameters[0]},
        {k: _stacked(k, [b[k] for b in buffers]) for k in buffers[0]},
    )


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let the batch norms of a module keep no running statistics; return the module.

    Then `vmap` goes through it, which could not update them.
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = None
            module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def _stacked(name: str, tensors: list[Any]) -> Tensor:
    if len({t.requires_grad for t in tensors}) > 1:
        raise RuntimeError(
            f"Expected {name} from each model to have the same .requires_grad"
        )
    stack = functions["stack"](tensors).detach()
    return stack.requires_grad_(tensors[0].requires_grad)  # type: ignore[no-any-return]

"""torch.func: fad's composable transforms, on functions of tensors.

They nest with each other and with `fad.grad`, `fad.vmap` and `fad.jit`, of which they
are the thin facade; results are differentiable by an outer autograd.

>>> from fad import torch
>>> x = torch.tensor([1., 2.])
>>> torch.func.hessian(lambda x: (x ** 3).sum())(x)
tensor([[ 6.,  0.],
        [ 0., 12.]])

Gradients of complex tensors are the conjugates of fad's, as everywhere in PyTorch.

Public names: `grad`, `grad_and_value`, `vjp`, `jvp`, `linearize`, `jacrev`, `jacfwd`,
`hessian`, `vmap`, `functional_call`, `stack_module_state`, `functionalize`,
`debug_unwrap`, `rearrange`, `replace_all_batch_norm_modules_`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api import jvp as fad_jvp
from ..api import linearize as fad_linearize
from ..api import value_and_grad
from ..api import vjp as fad_vjp
from ..core.pytree import tree_flatten, tree_unflatten
from ..core.trace import Tracer
from ..transforms.batching import Batch
from .func_checks import (
    check_chosen,
    conjugated,
    entering,
    is_tensor,
    named,
    tensors_only,
)
from .func_jacobians import hessian, jacfwd, jacrev
from .func_modules import (
    functional_call,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from .func_rearrange import rearrange
from .func_vmap import ordered, vmap
from .missing import no_name
from .tensor import Tensor, tensor_of

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


def grad_and_value(
    func: Function, argnums: Argnums = 0, has_aux: bool = False
) -> Function:
    """Return a function that computes the gradient and the value of a scalar function.

    Args:
        func: returns a tensor without dimensions, or a pair of it and anything.
        argnums: which arguments to differentiate; a tuple gives a tuple.
        has_aux: the result is `(gradient, (value, aux))`.
    """

    def checked(*args: Any, **kwargs: Any) -> Any:
        found = func(*args, **kwargs)
        output, aux = found, None
        if has_aux:
            if not (isinstance(found, tuple) and len(found) == 2):
                raise RuntimeError(
                    "grad_and_value(f)(*args): output of function f should be a tuple: "
                    "(output, aux) if has_aux is True"
                )
            output, aux = found
        if not isinstance(output, Tensor):
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                f"{type(output)}"
            )
        if output.ndim:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar "
                f"Tensor, got tensor with {output.ndim} dims. Maybe you wanted to use "
                "the vjp or jacrev APIs instead?"
            )
        return (output, aux) if has_aux else output

    def run(*args: Any, **kwargs: Any) -> Any:
        check_chosen(argnums, args)
        args = entering(args)
        value, found = value_and_grad(checked, argnums, has_aux)(*args, **kwargs)
        single = isinstance(argnums, int)
        like = args[argnums] if single else tuple([args[n] for n in argnums])  # type: ignore[index, union-attr]
        return ordered(conjugated(found), like), value

    return named(run, func)


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of a scalar function.

    The arguments are those of `grad_and_value`; with `has_aux` the result is
    `(gradient, aux)`.

    >>> from fad import torch
    >>> torch.func.grad(lambda x: (x ** 2).sum())(torch.tensor([1., 3.]))
    tensor([2., 6.])
    """
    both = grad_and_value(func, argnums, has_aux)

    def run(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return named(run, func)


def _aux_checked(func: Function, name: str) -> Function:
    def checked(*args: Any) -> Any:
        found = func(*args)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise RuntimeError(
                f"{name}: output of function f should be a tuple: (output, aux) if "
                "has_aux is True"
            )
        return found

    return checked


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return the output of a function and its pullback; with `has_aux`, aux too.

    >>> from fad import torch
    >>> y, pullback = torch.func.vjp(torch.mul, torch.tensor(2.), torch.tensor(5.))
    >>> pullback(torch.tensor(1.))
    (tensor(5.), tensor(2.))
    """
    if primals:
        check_chosen(tuple(range(len(primals))), primals)
    name = "vjp(f, *primals)"
    call = _aux_checked(func, name) if has_aux else func
    shown: list[Any] = []
    call = tensors_only(call, name, has_aux, shown)
    out, pull, *aux = fad_vjp(call, *entering(primals), has_aux=has_aux)
    out = ordered(out, shown[0])

    def pullback(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple[Any, ...]:
        found = conjugated(pull(_like(conjugated(cotangents), out)))
        return ordered(found, primals)  # type: ignore[no-any-return]

    return (out, pullback, *aux)


def _like(cotangents: Any, out: Any) -> Any:
    """Check cotangents by the outputs, and bring them to their dtypes."""
    flat, tree = tree_flatten(cotangents, is_leaf=is_tensor)
    outs, wanted = tree_flatten(out, is_leaf=is_tensor)
    if tree != wanted:
        raise RuntimeError(
            "Expected pytree structure of cotangents to be the same as pytree "
            f"structure of outputs to the function. cotangents: {tree}, primal output: "
            f"{wanted}"
        )
    cast = [
        c.to(o.dtype) if c.aval.dtype != o.aval.dtype else c
        for c, o in zip(flat, outs, strict=True)
    ]
    return tree_unflatten(wanted, cast)


def jvp(
    func: Function,
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the output of a function and its derivative along tangents."""
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{name}: Expected primals to be a tuple. E.g. it should be valid to call "
            "f(*primals)."
        )
    flat, tree = tree_flatten(primals, is_leaf=is_tensor)
    given, other = tree_flatten(tangents, is_leaf=is_tensor)
    if tree != other:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. "
            "For example, if primals is a tuple of 3 tensors, tangents also must be. "
            f"Got primals with structure {tree} and tangents with structure {other}"
        )
    for what, leaves in (("primals", flat), ("tangents", given)):
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(
                    f"{name}: Expected {what} to be a tuple of Tensors, got a tuple "
                    f"with an element of type {type(leaf)}"
                )
    call = _aux_checked(func, name) if has_aux else func
    cast = [
        t.to(p.dtype) if t.aval.dtype != p.aval.dtype else t
        for t, p in zip(given, flat, strict=True)
    ]
    shown: list[Any] = []
    call = tensors_only(call, name, has_aux, shown)
    out, tangent, *aux = fad_jvp(
        call, entering(primals), tree_unflatten(tree, cast), has_aux
    )
    return (ordered(out, shown[0]), ordered(tangent, shown[0]), *aux)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """Return the output of a function and its derivative there as a linear function.

    >>> from fad import torch
    >>> value, push = torch.func.linearize(torch.exp, torch.zeros(2))
    >>> push(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """
    out, linear = fad_linearize(func, *entering(primals))
    flat, tree = tree_flatten(primals, is_leaf=is_tensor)

    def push(*tangents: Any) -> Any:
        given, other = tree_flatten(tangents, is_leaf=is_tensor)
        if other != tree:
            raise RuntimeError(
                f"Expected the tangents {other} to have the same argspec as the "
                f"primals {tree}"
            )
        for i, (t, p) in enumerate(zip(given, flat, strict=True)):
            for what in ("shape", "dtype"):
                mine, wanted = getattr(t, what), getattr(p, what)
                if mine != wanted:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {mine} in flattened pytree doesn't "
                        f"match the {what} {wanted} of the corresponding primal."
                    )
        return linear(*tangents)

    return out, push


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """Return the function: transforms take in-place operations as they are."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for "
            f"remove={remove}."
        )
    return func


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor that a transform sees as another one, to look at it.

    Args:
        recurse: go on through all transforms at work.
    """
    value = tensor.value
    while isinstance(value, Tracer):
        value = value.payload.stacked if isinstance(value.owner, Batch) else value.value
        if not recurse:
            break
    return tensor_of(value)


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)

"""Control flow, solvers, collectives and array operations under the names of `jax.lax`.

    cond switch while_loop fori_loop scan map associative_scan select_n
    custom_root custom_linear_solve stop_gradient spectral_function

and collectives, between the examples of a `vmap(..., axis_name=...)`:

    psum pmean pmax pmin all_gather psum_scatter ppermute all_to_all
    pswapaxes axis_index axis_size

All are differentiable in both modes and at every order, and work under `vmap` and `jit`
in any nesting. The operations on arrays are in the modules

    elementwise   arithmetic with other rules than NumPy's: `div rem round clamp select`
    shaping       `broadcast_in_dim pad slice iota` and the like, everything given
    reducing      `reduce reduce_window sort top_k`, running sums
    slicing       blocks at traced places: `dynamic_slice dynamic_update_slice`
    gathering     many blocks at once: `gather scatter scatter_add`
    products      `dot_general`
    convolution   `conv_general_dilated conv_transpose`
    linalg        `cholesky eigh qr svd triangular_solve`

What has the meaning of a function of NumPy is that function: `lax.sin` is `fnp.sin`,
which broadcasts and promotes where JAX would refuse.
"""

from __future__ import annotations

from typing import Any

from ..control.collectives import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    pmax,
    pmean,
    pmin,
    ppermute,
    psum,
    psum_scatter,
    pswapaxes,
)
from ..control.cond import cond, switch
from ..control.linear_solve import custom_linear_solve
from ..control.root import custom_root
from ..control.scanning import associative_scan, scan
from ..control.scanning import map_ as map
from ..control.selecting import select_n
from ..control.spectral_function import spectral_function
from ..control.while_loop import fori_loop, while_loop
from ..core.pytree import tree_map
from ..numpy import abs as abs
from ..numpy import add as add
from ..numpy import arccos as acos
from ..numpy import arccosh as acosh
from ..numpy import arcsin as asin
from ..numpy import arcsinh as asinh
from ..numpy import arctan as atan
from ..numpy import arctan2 as atan2
from ..numpy import arctanh as atanh
from ..numpy import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    broadcast_shapes,
    cbrt,
    ceil,
    conj,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    floor,
    imag,
    log,
    log1p,
    logistic,
    nextafter,
    real,
    reciprocal,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from ..numpy import bitwise_invert as bitwise_not
from ..numpy import equal as eq
from ..numpy import greater as gt
from ..numpy import greater_equal as ge
from ..numpy import isfinite as is_finite
from ..numpy import left_shift as shift_left
from ..numpy import less as lt
from ..numpy import less_equal as le
from ..numpy import maximum as max
from ..numpy import minimum as min
from ..numpy import multiply as mul
from ..numpy import negative as neg
from ..numpy import not_equal as ne
from ..numpy import power as pow
from ..numpy import right_shift as shift_right_arithmetic
from ..numpy import subtract as sub
from ..ops import arithmetic
from ..ops.arithmetic import complex_ as complex
from ..ops.error_functions import erf, erfc
from ..ops.error_functions import erfinv as erf_inv
from ..ops.gamma_functions import digamma
from ..ops.gamma_functions import gammaln as lgamma
from . import linalg
from .convolution import (
    ConvDimensionNumbers,
    conv,
    conv_dimension_numbers,
    conv_general_dilated,
    conv_transpose,
    conv_with_general_padding,
)
from .elementwise import (
    RoundingMethod,
    clamp,
    clz,
    convert_element_type,
    div,
    integer_pow,
    population_count,
    rem,
    round,
    rsqrt,
    select,
    shift_right_logical,
)
from .gathering import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
    gather,
    scatter,
    scatter_add,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_sub,
)
from .products import Precision, batch_matmul, dot, dot_general
from .reducing import (
    argmax,
    argmin,
    cumlogsumexp,
    cummax,
    cummin,
    cumprod,
    cumsum,
    reduce,
    reduce_and,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_prod,
    reduce_sum,
    reduce_window,
    reduce_xor,
    sort,
    sort_key_val,
    top_k,
)
from .shaping import (
    broadcast,
    broadcast_in_dim,
    broadcast_to_rank,
    broadcasted_iota,
    collapse,
    concatenate,
    expand_dims,
    full,
    full_like,
    index_in_dim,
    iota,
    pad,
    reshape,
    rev,
    slice,
    slice_in_dim,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
)
from .slicing import (
    dynamic_index_in_dim,
    dynamic_slice,
    dynamic_slice_in_dim,
    dynamic_update_index_in_dim,
    dynamic_update_slice,
    dynamic_update_slice_in_dim,
    index_take,
)

__all__ = [
    "ConvDimensionNumbers",
    "GatherDimensionNumbers",
    "GatherScatterMode",
    "Precision",
    "RoundingMethod",
    "ScatterDimensionNumbers",
    "abs",
    "acos",
    "acosh",
    "add",
    "all_gather",
    "all_to_all",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "associative_scan",
    "atan",
    "atan2",
    "atanh",
    "axis_index",
    "axis_size",
    "batch_matmul",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "broadcast",
    "broadcast_in_dim",
    "broadcast_shapes",
    "broadcast_to_rank",
    "broadcasted_iota",
    "cbrt",
    "ceil",
    "clamp",
    "clz",
    "collapse",
    "complex",
    "concatenate",
    "cond",
    "conj",
    "conv",
    "conv_dimension_numbers",
    "conv_general_dilated",
    "conv_transpose",
    "conv_with_general_padding",
    "convert_element_type",
    "cos",
    "cosh",
    "cumlogsumexp",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "custom_linear_solve",
    "custom_root",
    "digamma",
    "div",
    "dot",
    "dot_general",
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
    "eq",
    "erf",
    "erf_inv",
    "erfc",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "floor",
    "fori_loop",
    "full",
    "full_like",
    "gather",
    "ge",
    "gt",
    "imag",
    "index_in_dim",
    "index_take",
    "integer_pow",
    "iota",
    "is_finite",
    "le",
    "lgamma",
    "linalg",
    "log",
    "log1p",
    "logistic",
    "lt",
    "map",
    "max",
    "min",
    "mul",
    "ne",
    "neg",
    "nextafter",
    "pad",
    "pmax",
    "pmean",
    "pmin",
    "population_count",
    "pow",
    "ppermute",
    "pswapaxes",
    "psum",
    "psum_scatter",
    "real",
    "reciprocal",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_window",
    "reduce_xor",
    "rem",
    "reshape",
    "rev",
    "round",
    "rsqrt",
    "scan",
    "scatter",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_sub",
    "select",
    "select_n",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sin",
    "sinh",
    "slice",
    "slice_in_dim",
    "sort",
    "sort_key_val",
    "spectral_function",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "sub",
    "switch",
    "tan",
    "tanh",
    "tile",
    "top_k",
    "transpose",
    "unstack",
    "while_loop",
]


def stop_gradient(x: Any) -> Any:
    """Return a pytree of the same values with zero derivative."""
    return tree_map(lambda leaf: arithmetic.stop_gradient(leaf), x)

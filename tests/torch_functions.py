"""Functions of tensors, each called on one matrix: what transforms are tested with.

`CALLS` maps a name to a function of a float64 tensor of shape (2, 3). `NEED_VALUES`
names those whose results have a shape, or are chosen, by the values.
"""

import functools

from fad import torch
from fad.torch.nn import functional as F

L = torch.linalg
DOUBLE = torch.float64
X = torch.tensor([[0.3, -1.2, 0.9], [1.5, 0.4, -0.7]], dtype=DOUBLE)
B = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], dtype=DOUBLE)
V = torch.tensor([0.5, -1.0, 2.0], dtype=DOUBLE)
EDGES = torch.tensor([-1.0, 0.0, 1.0], dtype=DOUBLE)
EYE = torch.eye(2, dtype=DOUBLE)
I = torch.tensor([[0, 2, 1], [1, 0, 2]])  # noqa: E741


def _written(x):
    y = x * 2
    y[0, 1] = 5.0
    y[:, 0] = y[:, 2]
    return y


def _added_in_place(x):
    y = x.clone()
    y += B
    y.mul_(x)
    return y


DOMAINS = {
    "log log10 log2 log1p logit rsqrt sqrt": lambda x: x.abs() / 2,
    "acos arccos asin atanh erfinv": lambda x: x / 2,
    "acosh": lambda x: x.abs() + 1.1,
}
"""Where functions are not defined everywhere: what brings their arguments inside."""


def _method(x, name, *args):
    return getattr(_inside(x, name), name)(*args)


def _function(x, name, *args):
    return getattr(torch, name)(_inside(x, name), *args)


def _inside(x, name):
    for names, move in DOMAINS.items():
        if name in names.split():
            return move(x)
    return x


def _activation(x, name, *args):
    return getattr(F, name)(x, *args)


METHODS = """
abs acos acosh angle arccos asin asinh atan atanh ceil conj cos cosh deg2rad digamma
erf erfc erfinv exp exp2 expm1 floor frac i0 isfinite isinf isnan lgamma log log10
log1p log2 nan_to_num neg positive rad2deg reciprocal relu round rsqrt sgn sigmoid
sign signbit sin sinc sinh sqrt square tan tanh trunc sum mean prod var std amax
amin max min argmax argmin all any norm median nanmedian nansum nanmean sort argsort
mode diff flatten ravel t diagonal diag tril triu trace fliplr flipud rot90 unbind
isreal count_nonzero nonzero unique aminmax clone detach contiguous corrcoef cov
""".split()
WITH_ARGUMENTS = {
    "logsumexp": (1,),
    "cumsum": (1,),
    "cumprod": (1,),
    "logcumsumexp": (1,),
    "cummax": (1,),
    "cummin": (1,),
    "topk": (2,),
    "split": (1,),
    "chunk": (2,),
    "logit": (0.001,),
}
FUNCTIONS = ["std_mean", "var_mean"]
ACTIVATIONS = """
relu relu6 elu selu celu gelu silu mish hardtanh hardswish hardsigmoid hardshrink
softshrink tanhshrink softplus softsign logsigmoid leaky_relu
""".split()
LOSSES = """
mse_loss l1_loss smooth_l1_loss huber_loss poisson_nll_loss soft_margin_loss
""".split()

CALLS = {
    "add": lambda x: x + B,
    "sub": lambda x: B - x,
    "mul": lambda x: x * B,
    "div": lambda x: B / x,
    "pow": lambda x: x.abs() ** B,
    "floor_divide": lambda x: B // x.detach(),
    "div_floor": lambda x: torch.div(B, x, rounding_mode="floor"),
    "remainder": lambda x: B % x,
    "fmod": lambda x: torch.fmod(B, x),
    "atan2": lambda x: torch.atan2(x, B),
    "maximum": lambda x: torch.maximum(x, B),
    "minimum": lambda x: torch.minimum(B, x),
    "fmax": lambda x: torch.fmax(x, B),
    "hypot": lambda x: torch.hypot(x, B),
    "logaddexp": lambda x: torch.logaddexp(x, B),
    "xlogy": lambda x: torch.xlogy(B, x.abs()),
    "copysign": lambda x: torch.copysign(x, B),
    "lerp": lambda x: torch.lerp(x, B, 0.3),
    "addcmul": lambda x: torch.addcmul(x, B, x),
    "addcdiv": lambda x: torch.addcdiv(B, x, B),
    "clamp": lambda x: x.clamp(-0.5, 0.7),
    "clip_t": lambda x: x.clamp(min=B),
    "where": lambda x: torch.where(x > 0, x, B),
    "masked_fill": lambda x: x.masked_fill(B > 1, 0.0),
    "matmul": lambda x: x @ B.T,
    "mv": lambda x: x.mv(V),
    "dot": lambda x: x[0].dot(V),
    "outer": lambda x: torch.outer(x[0], V),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, B),
    "tensordot": lambda x: torch.tensordot(x, B, dims=([1], [1])),
    "bmm": lambda x: torch.bmm(x[None], B.T[None]),
    "addmm": lambda x: torch.addmm(torch.zeros(2, 2, dtype=DOUBLE), x, B.T),
    "baddbmm": lambda x: torch.baddbmm(
        torch.zeros(1, 2, 2, dtype=DOUBLE), x[None], B.T[None]
    ),
    "kron": lambda x: torch.kron(x, B),
    "cross": lambda x: torch.cross(x, B, dim=1),
    "cdist": lambda x: torch.cdist(x, B),
    "cat": lambda x: torch.cat([x, B], 1),
    "stack": lambda x: torch.stack([x, B]),
    "hstack": lambda x: torch.hstack([x, B]),
    "vstack": lambda x: torch.vstack([x, B]),
    "reshape": lambda x: x.reshape(3, 2),
    "view": lambda x: x.view(-1),
    "permute": lambda x: x.permute(1, 0),
    "transpose": lambda x: x.transpose(0, 1),
    "squeeze": lambda x: x[None].squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "expand": lambda x: x[:, :1].expand(2, 4),
    "repeat": lambda x: x.repeat(2, 1),
    "tile": lambda x: x.tile(2),
    "roll": lambda x: x.roll(1, 1),
    "flip": lambda x: x.flip(0),
    "index": lambda x: x[0, 1:],
    "index2": lambda x: x[[1, 0]],
    "index3": lambda x: x[:, I[0]],
    "gather": lambda x: x.gather(1, I),
    "index_select": lambda x: x.index_select(1, I[0]),
    "take": lambda x: x.take(I),
    "take_along_dim": lambda x: x.take_along_dim(I, 1),
    "masked_select": lambda x: x.masked_select(B > 1),
    "scatter": lambda x: x.scatter(1, I, B),
    "scatter_add": lambda x: x.scatter_add(1, I, B),
    "scatter_reduce": lambda x: x.scatter_reduce(1, I, B, "amax"),
    "index_add": lambda x: x.index_add(1, I[0], B),
    "index_copy": lambda x: x.index_copy(1, I[0], B),
    "index_fill": lambda x: x.index_fill(1, torch.tensor([1]), 2.0),
    "index_put": lambda x: x.index_put((I[:, 0],), V),
    "masked_scatter": lambda x: x.masked_scatter(B > 1, B),
    "narrow": lambda x: x.narrow(1, 0, 2),
    "select": lambda x: x.select(1, 0),
    "movedim": lambda x: x.movedim(0, 1),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "as_strided": lambda x: x.as_strided((2, 2), (1, 2)),
    "write": lambda x: _written(x),
    "iadd": lambda x: _added_in_place(x),
    "renorm": lambda x: x.renorm(2, 0, 1.0),
    "quantile": lambda x: x.quantile(0.3, 1),
    "kthvalue": lambda x: x.kthvalue(2, 1),
    "sum1": lambda x: x.sum(1, keepdim=True),
    "mean1": lambda x: x.mean(0),
    "prod1": lambda x: x.prod(1),
    "var1": lambda x: x.var(1),
    "std1": lambda x: x.std(0, keepdim=True),
    "norm1": lambda x: x.norm(1, dim=1),
    "max1": lambda x: x.max(1),
    "min1": lambda x: x.min(0),
    "argmax1": lambda x: x.argmax(1),
    "sort1": lambda x: x.sort(0, descending=True),
    "bucketize": lambda x: torch.bucketize(x, EDGES),
    "searchsorted": lambda x: torch.searchsorted(EDGES, x),
    "histc": lambda x: torch.histc(x, 4, -2, 2),
    "allclose": lambda x: torch.isclose(x, B),
    "eq": lambda x: x == B,
    "gt": lambda x: x > B,
    "trapezoid": lambda x: torch.trapezoid(x),
    "meshgrid": lambda x: torch.meshgrid(x[0], x[1], indexing="ij"),
    "combinations": lambda x: torch.combinations(x[0]),
    "cartesian": lambda x: torch.cartesian_prod(x[0], x[1]),
    "block_diag": lambda x: torch.block_diag(x, B),
    "vander": lambda x: torch.vander(x[0]),
    "polygamma": lambda x: torch.polygamma(1, x.abs()),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "tensor_split": lambda x: x.tensor_split(2, 1),
    "bincount": lambda x: torch.bincount(I.flatten()),
    "det": lambda x: L.det(x @ x.T),
    "inv": lambda x: L.inv(x @ x.T + EYE),
    "solve": lambda x: L.solve(x @ x.T + EYE, B),
    "cholesky": lambda x: L.cholesky(x @ x.T + EYE),
    "qr": lambda x: L.qr(x.T),
    "svd": lambda x: L.svd(x, full_matrices=False),
    "svdvals": lambda x: L.svdvals(x),
    "eigh": lambda x: L.eigh(x @ x.T),
    "eigvalsh": lambda x: L.eigvalsh(x @ x.T),
    "eigvals": lambda x: L.eigvals(x @ B.T),
    "pinv": lambda x: L.pinv(x),
    "lstsq": lambda x: L.lstsq(x.T, B.T),
    "slogdet": lambda x: L.slogdet(x @ x.T),
    "matrix_norm": lambda x: L.matrix_norm(x),
    "matrix_norm2": lambda x: L.matrix_norm(x, 2),
    "vector_norm": lambda x: L.vector_norm(x, 3),
    "matrix_exp": lambda x: L.matrix_exp(x @ x.T),
    "matrix_power": lambda x: L.matrix_power(x @ x.T, 3),
    "lu": lambda x: L.lu(x @ x.T),
    "cond": lambda x: L.cond(x @ x.T),
    "multi_dot": lambda x: L.multi_dot([x, B.T, x]),
    "cross2": lambda x: L.cross(x, B),
    "matrix_rank": lambda x: L.matrix_rank(x),
    "cholesky_solve": lambda x: torch.cholesky_solve(B, L.cholesky(x @ x.T + EYE)),
    "tri_solve": lambda x: L.solve_triangular((x @ x.T).triu(), B, upper=True),
    "fft": lambda x: torch.fft.fft(x),
    "rfft": lambda x: torch.fft.rfft(x),
    "ifft2": lambda x: torch.fft.ifft2(x),
    "fftshift": lambda x: torch.fft.fftshift(x),
    "view_as_complex": lambda x: torch.view_as_complex(x[:, :2].contiguous()),
    "view_as_real": lambda x: torch.view_as_real(torch.complex(x, B)),
    "polar": lambda x: torch.polar(x.abs(), B),
    "linear": lambda x: F.linear(x, B, V[:2]),
    "bilinear": lambda x: F.bilinear(x, B, torch.ones(2, 3, 3, dtype=DOUBLE)),
    "conv1d": lambda x: F.conv1d(x[None], B[None][:, :, :2]),
    "conv_t": lambda x: F.conv_transpose1d(x[None], B[:, None]),
    "max_pool": lambda x: F.max_pool1d(x, 2),
    "avg_pool": lambda x: F.avg_pool1d(x, 2),
    "adaptive": lambda x: F.adaptive_avg_pool1d(x[None], 2),
    "lp": lambda x: F.lp_pool1d(x[None], 2, 2),
    "layer_norm": lambda x: F.layer_norm(x, (3,)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "group_norm": lambda x: F.group_norm(x[None], 2),
    "instance_norm": lambda x: F.instance_norm(x[None]),
    "rms": lambda x: F.rms_norm(x, (3,)),
    "lrn": lambda x: F.local_response_norm(x[None], 2),
    "normalize": lambda x: F.normalize(x),
    "embedding": lambda x: F.embedding(I, x.T),
    "embedding_bag": lambda x: F.embedding_bag(I, x.T),
    "one_hot": lambda x: F.one_hot(I),
    "pad": lambda x: F.pad(x, (1, 1)),
    "padr": lambda x: F.pad(x, (1, 1), mode="reflect"),
    "interp": lambda x: F.interpolate(x[None], scale_factor=2.0, mode="linear"),
    "grid": lambda x: F.grid_sample(
        x[None, None], torch.zeros(1, 2, 2, 2, dtype=DOUBLE) + 0.2, align_corners=True
    ),
    "F.kl_div": lambda x: F.kl_div(x, B.abs(), reduction="sum"),
    "unfoldF": lambda x: F.unfold(x[None, None], 2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x[:, :2].reshape(1, 4, 1, 1), 2),
    "cos_sim": lambda x: F.cosine_similarity(x, B),
    "pdist": lambda x: F.pdist(x),
    "pairwise": lambda x: F.pairwise_distance(x, B),
    "sdpa": lambda x: F.scaled_dot_product_attention(x[None], B[None], B[None]),
    "F.bce": lambda x: F.binary_cross_entropy(x.sigmoid(), (B > 0).double()),
    "F.bcel": lambda x: F.binary_cross_entropy_with_logits(x, (B > 0).double()),
    "F.ce": lambda x: F.cross_entropy(x, I[0, :2]),
    "F.ces": lambda x: F.cross_entropy(x, B.softmax(1), label_smoothing=0.1),
    "F.nll": lambda x: F.nll_loss(x, I[0, :2]),
    "F.mm": lambda x: F.multi_margin_loss(x, I[0, :2]),
    "F.mlm": lambda x: F.multilabel_margin_loss(x, I),
    "F.mlsm": lambda x: F.multilabel_soft_margin_loss(x, (B > 0).double()),
    "F.hinge": lambda x: F.hinge_embedding_loss(x, B.sign()),
    "F.cosl": lambda x: F.cosine_embedding_loss(
        x, B, torch.tensor([1.0, -1.0], dtype=DOUBLE)
    ),
    "F.mrl": lambda x: F.margin_ranking_loss(x, B, B.sign()),
    "F.trip": lambda x: F.triplet_margin_loss(x, B, B * 2),
    "F.gnll": lambda x: F.gaussian_nll_loss(x, B, B.abs()),
    "F.glu": lambda x: F.glu(x[:, :2]),
    "F.softmin": lambda x: F.softmin(x, 1),
    "F.threshold": lambda x: F.threshold(x, 0.1, 2.0),
}
for _name in METHODS:
    CALLS[_name] = functools.partial(_method, name=_name)
for _name, _args in WITH_ARGUMENTS.items():
    CALLS[_name] = lambda x, n=_name, a=_args: _method(x, n, *a)
for _name in FUNCTIONS:
    CALLS[_name] = functools.partial(_function, name=_name)
for _name in ACTIVATIONS:
    CALLS[f"F.{_name}"] = functools.partial(_activation, name=_name)
for _name in LOSSES:
    CALLS[f"F.{_name}"] = lambda x, n=_name: _activation(x, n, B)

NEED_VALUES = frozenset(
    "bincount histc masked_scatter masked_select mode nonzero unique".split()
)

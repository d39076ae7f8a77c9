"""Rarer names of torch: types, copies of views, spectra of frames, comparisons."""

import numpy as np
import pytest

from fad import torch

FN = torch.nn.functional


def test_older_constructors_are_types():
    assert torch.FloatTensor(2, 3).shape == (2, 3)
    assert torch.LongTensor([1.5]).tolist() == [1]
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert not isinstance(torch.ones(1), torch.LongTensor)
    assert torch.ones(2).type(torch.LongTensor).dtype is torch.int64
    with pytest.raises(TypeError, match="expected a tensor of dtype"):
        torch.FloatTensor(torch.ones(2).long())


def test_the_default_type_sets_the_default_dtype():
    torch.set_default_tensor_type("torch.DoubleTensor")
    try:
        assert torch.ones(1).dtype is torch.float64
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.ones(1).dtype is torch.float32


def test_tensors_are_on_the_cpu_and_strided():
    x = torch.ones(2, 3)
    assert x.is_cpu
    assert not (x.is_cuda or x.is_sparse or x.is_quantized or x.is_mps)
    assert repr(x.layout) == "torch.strided"
    assert str(torch.get_default_device()) == "cpu"
    assert x.T.dim_order() == (1, 0)
    assert not torch.cuda.is_available()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA"):
        x.cuda()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA"):
        torch.set_default_device("cuda")


COPIES = {
    "transpose_copy": ((0, 1), "TransposeBackward0_copy"),
    "view_copy": (((3, 2),), "ViewBackward0_copy"),
    "select_copy": ((0, 1), "SelectBackward0_copy"),
    "slice_copy": ((1, 0, 2), "SliceBackward0_copy"),
    "expand_copy": (((2, 2, 3),), "ExpandBackward0_copy"),
    "unfold_copy": ((1, 2, 1), "UnfoldBackward0_copy"),
    "diagonal_copy": ((), "DiagonalBackward0_copy"),
    "alias_copy": ((), "AliasBackward0_copy"),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_views_share_no_memory_and_have_the_gradient(name):
    args, node = COPIES[name]
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = getattr(torch, name)(x, *args)
    assert type(y.grad_fn).__name__ == node
    y.sum().backward()
    counted = x.grad.clone()
    view = getattr(torch, name.removesuffix("_copy"), None)
    with torch.no_grad():
        y.zero_()
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    if view is not None:
        x.grad = None
        view(x, *args).sum().backward()
        assert x.grad.tolist() == counted.tolist()


def test_copies_of_several_views_are_one_node():
    x = torch.arange(4.0, requires_grad=True)
    a, b = torch.split_copy(x, 2)
    assert a.grad_fn is b.grad_fn
    (a.sum() + 3 * b.sum()).backward()
    assert x.grad.tolist() == [1, 1, 3, 3]


def test_sizes_of_tensors_change_in_place():
    x = torch.arange(6.0).resize_(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]]
    y = torch.zeros(2)
    x.set_(y)
    x.add_(1)
    assert y.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="cannot resize variables that require"):
        torch.ones(2, requires_grad=True).resize_(1)


def test_views_have_the_memory_of_their_base():
    x = torch.zeros(2, 3)
    memory = x.untyped_storage()
    assert memory.nbytes() == 24
    assert x.T[1].untyped_storage() == memory
    assert x.clone().untyped_storage() != memory


def window():
    return torch.hann_window(8)


def test_the_spectra_of_frames_are_fourier_transforms():
    torch.manual_seed(0)
    x = torch.randn(20)
    found = torch.stft(x, 8, 2, window=window(), center=False, return_complex=True)
    frames = np.lib.stride_tricks.sliding_window_view(x.numpy(), 8)[::2]
    expected = np.fft.rfft(frames * window().numpy()).T
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("onesided", [False, True])
def test_a_signal_comes_back_from_its_spectra(normalized, onesided):
    x = torch.randn(2, 20)
    options = {"window": window(), "normalized": normalized, "onesided": onesided}
    spectra = torch.stft(x, 8, 2, return_complex=True, **options)
    back = torch.istft(spectra, 8, 2, **options)
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-5)


def test_spectra_are_differentiated():
    x = torch.randn(20, dtype=torch.float64, requires_grad=True)
    frame = torch.hann_window(8, dtype=torch.float64)

    def energy(x):
        s = torch.stft(x, 8, 2, window=frame, return_complex=True)
        return torch.view_as_real(torch.istft(s, 8, 2, window=frame) + 0j)

    assert torch.autograd.gradcheck(energy, (x,))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "stft requires the return_complex parameter be given"),
        ({"hop_length": 0, "return_complex": True}, "expected hop_length > 0"),
        (
            {"win_length": 10, "return_complex": True},
            "expected 0 < win_length <= n_fft",
        ),
    ],
)
def test_wrong_frames_are_refused(options, text):
    with pytest.raises(RuntimeError) as error:
        torch.stft(torch.ones(20), 8, **options)
    assert text in str(error.value)


def test_windows_without_overlap_have_no_inverse():
    s = torch.stft(torch.ones(20), 8, 2, window=window(), return_complex=True)
    with pytest.raises(RuntimeError, match="window overlap add min: 1"):
        torch.istft(s, 8, 2, window=window(), center=False)


def test_windows_of_signals_agree_with_those_of_torch():
    windows = torch.signal.windows
    for sym in (True, False):
        for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
            found = getattr(windows, name)(7, sym=sym)
            older = getattr(torch, f"{name}_window")(7, not sym)
            np.testing.assert_allclose(found.numpy(), older.numpy(), atol=1e-6)
    with pytest.raises(ValueError, match="Standard deviation must be positive"):
        windows.gaussian(4, std=-1.0)


def test_points_are_counted_in_several_dimensions():
    points = torch.tensor([[0.1, 0.1], [0.9, 0.2], [0.8, 0.9], [0.2, 0.1]])
    found = torch.histogramdd(points, 2, range=[0.0, 1.0, 0.0, 1.0])
    assert found.hist.tolist() == [[2, 0], [1, 1]]
    assert found.bin_edges[0].tolist() == [0, 0.5, 1]


def test_a_matrix_of_low_rank_is_factored():
    torch.manual_seed(0)
    A = torch.randn(8, 2) @ torch.randn(2, 6)
    U, S, V = torch.svd_lowrank(A, 3)
    np.testing.assert_allclose((U * S @ V.T).numpy(), A.numpy(), atol=1e-5)
    _, S, _ = torch.pca_lowrank(A, 2)
    centred = A.numpy() - A.numpy().mean(0)
    np.testing.assert_allclose(
        S.numpy(), np.linalg.svd(centred, compute_uv=False)[:2], rtol=1e-4
    )


def test_reflections_multiply_to_the_q_of_qr():
    torch.manual_seed(0)
    A = torch.randn(4, 3, dtype=torch.float64)
    h, tau = torch.geqrf(A)
    Q = torch.linalg.householder_product(h, tau)
    R = h[:3].triu()
    np.testing.assert_allclose((Q @ R).numpy(), A.numpy(), atol=1e-12)
    x = torch.randn(4, 2, dtype=torch.float64)
    back = torch.ormqr(h, tau, torch.ormqr(h, tau, x), transpose=True)
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-12)
    inputs = (h.requires_grad_(), tau.requires_grad_())
    assert torch.autograd.gradcheck(torch.linalg.householder_product, inputs)


def unpacked(packed, pivots, hermitian):
    """Return P' L D L' P of packed factors."""
    n, k = len(packed), 0
    lower, blocks = np.eye(n, dtype=packed.dtype), np.zeros_like(packed)
    order = []
    while k < n:
        end = k + (1 if pivots[k] > 0 else 2)
        blocks[k:end, k:end] = packed[k:end, k:end]
        if end == k + 2:
            other = packed[k + 1, k]
            blocks[k, k + 1] = np.conj(other) if hermitian else other
        order.append((k, end, abs(int(pivots[k])) - 1))
        k = end
    for k, end, p in reversed(order):
        step = np.eye(n, dtype=packed.dtype)
        step[end:, k:end] = packed[end:, k:end]
        swap = np.eye(n)
        swap[[end - 1, p]] = swap[[p, end - 1]]
        lower = swap @ step @ lower
    return lower @ blocks @ (np.conj(lower) if hermitian else lower).T


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_symmetric_matrices_are_factored_and_solved(dtype, hermitian):
    torch.manual_seed(0)
    A = torch.randn(6, 6, dtype=dtype)
    A = A + (A.mH if hermitian else A.mT)
    A = A - torch.diag(A.diagonal()) * 0.9  # so that there are blocks of two
    packed, pivots = torch.linalg.ldl_factor(A, hermitian=hermitian)
    assert (pivots < 0).any()
    whole = unpacked(packed.numpy(), pivots.numpy(), hermitian)
    np.testing.assert_allclose(whole, A.numpy(), atol=1e-12)
    b = torch.randn(6, 2, dtype=dtype)
    x = torch.linalg.ldl_solve(packed, pivots, b, hermitian=hermitian)
    np.testing.assert_allclose((A @ x).numpy(), b.numpy(), atol=1e-10)


def test_close_tensors_pass():
    close = torch.testing.assert_close
    close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-6]))
    close({"a": [torch.ones(1), 2]}, {"a": [torch.ones(1), 2]})
    nan = torch.tensor([float("nan")])
    close(nan, nan, equal_nan=True)


DIFFERENT = [
    (
        (torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 2], [3, 5]])),
        "Tensor-likes are not close!\n\nMismatched elements: 1 / 4 (25.0%)\n"
        "Greatest absolute difference: 1.0 at index (1, 1) (up to 1e-05 allowed)",
    ),
    (
        (torch.ones(1), torch.ones(1).double()),
        "The values for attribute 'dtype' do not",
    ),
    ((torch.ones(1), torch.ones(2)), "The values for attribute 'shape' do not match"),
    (([torch.tensor(1)], [torch.tensor(2)]), "The failure occurred for item [0]"),
    (([1], [1, 2]), "The length of the sequences mismatch: 1 != 2"),
]


@pytest.mark.parametrize(("pair", "text"), DIFFERENT)
def test_different_tensors_are_told_apart(pair, text):
    with pytest.raises(AssertionError) as error:
        torch.testing.assert_close(*pair)
    assert text in str(error.value)


def test_functions_of_networks_have_names_in_torch():
    x, y = torch.randn(4), torch.rand(4)
    found = torch.binary_cross_entropy_with_logits(x, y, None, None, 1)
    assert found.item() == FN.binary_cross_entropy_with_logits(x, y).item()
    assert torch.constant_pad_nd(torch.ones(1), (1, 1), 5.0).tolist() == [5, 1, 5]
    values, places = FN.max_pool1d_with_indices(torch.tensor([[[1.0, 3, 2, 0]]]), 2)
    assert (values.tolist(), places.tolist()) == ([[[3, 2]]], [[[1, 2]]])
    z = torch.tensor([-1.0, 2.0])
    assert torch.threshold_(z, 0.0, 5.0) is z
    assert z.tolist() == [5, 2]


def test_mixed_precision_is_full_precision():
    with torch.autocast("cpu"):
        assert torch.ones(2).dot(torch.ones(2)).item() == 2.0
    scaler = torch.amp.GradScaler()
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert w.item() == 0.5


def test_control_flow_takes_one_way():
    x = torch.ones(1)
    assert torch.cond(x > 0, lambda x: x + 1, lambda x: x - 1, (x,)).item() == 2.0
    (found,) = torch.while_loop(lambda x: x < 10, lambda x: (x * 2,), (x,))
    assert found.item() == 16.0


def test_absent_names_are_errors_that_list_near_ones():
    for module in (torch.nn, torch.testing, torch.cuda, torch.signal.windows):
        with pytest.raises(AttributeError, match="in fad"):
            _ = module.zork_of_nothing

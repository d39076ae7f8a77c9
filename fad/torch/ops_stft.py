"""Short-time Fourier transforms, as compositions of tensor functions.

A signal is cut into frames of `n_fft` values, `hop_length` apart, each multiplied by a
window and transformed. The inverse adds the frames up again and divides by the sum of
the squares of the windows.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import fft as spectral
from .declare import function, functions
from .dtypes import of_numpy
from .tensor import Tensor

__all__: list[str] = []

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to "
    "cause spectral leakage. Other windows such as torch.hann_window or "
    "torch.hamming_window are recommended to reduce spectral leakage.To suppress this "
    "warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
    "device=<device>)`."
)
_NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the "
    "same window used by stft to make the inversion lossless.To suppress this warning "
    "and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
    "device=<device>)`."
)
_REAL = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft "
    "will return complex tensors for all inputs, and return_complex=False will raise an "
    "error.\nNote: you can still call torch.view_as_real on the complex output to "
    "recover the old return format."
)
_ASKS = (
    "stft requires the return_complex parameter be given for real inputs, and will "
    "further require that return_complex=True in a future PyTorch release."
)


def _window(
    window: Tensor | None, length: int, n_fft: int, like: Any, what: str
) -> Any:
    """Return the window in the middle of a frame."""
    if window is None:
        warnings.warn(what, UserWarning, stacklevel=4)
        window = like.new_ones(length)
    left = (n_fft - length) // 2
    return functions["constant_pad_nd"](window, [left, n_fft - length - left])


def _checked(name: str, shown: str, conditions: dict[str, bool]) -> None:
    for text, holds in conditions.items():
        if not holds:
            raise RuntimeError(f"{name}({shown}) : expected {text}")


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _shown(window: Any) -> str:
    if window is None:
        return "None"
    return f"torch.{window.dtype.title}Tensor{{{list(window.shape)}}}"


@function("stft", out=False)
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Return the spectra of overlapping frames: (batch,) frequency, frame.

    Args:
        n_fft: the length of a frame.
        hop_length: from frame to frame, by default a quarter.
        win_length: of the window, which is in the middle of a frame.
        center: frames are centred at multiples of the hop; the signal is padded.
        normalized: divide by the root of `n_fft`.
        onesided: leave out negative frequencies, by default if the signal is real.
        return_complex: must be True, or False for pairs of real numbers.
    """
    x: Any = input
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    is_complex = x.is_complex() or (window is not None and window.is_complex())  # type: ignore[attr-defined]
    if center:
        x = _centred(x, n_fft // 2, pad_mode)
    if return_complex is None and not is_complex:
        raise RuntimeError(_ASKS)
    shown = (
        f"torch.{x.dtype.title}Tensor{list(x.shape)}, n_fft={n_fft}, hop_length={hop}, "
        f"win_length={width}, window={_shown(window)}, normalized={int(normalized)}, "
        f"onesided={_number(onesided)}, return_complex={_number(return_complex)}, "
        f"align_to_window={_number(align_to_window)}"
    )
    _check_stft(x, n_fft, hop, width, window, shown)
    if return_complex is False:
        warnings.warn(_REAL, UserWarning, stacklevel=2)
    frame = _window(window, width, n_fft, x, _NO_WINDOW)
    batched = x.ndim == 2
    frames = (x if batched else x.unsqueeze(0)).unfold(-1, n_fft, hop) * frame
    norm = "ortho" if normalized else "backward"
    one = not is_complex if onesided is None else onesided
    transform = spectral.rfft if one else spectral.fft
    spectra: Any = transform(frames, norm=norm)
    spectra = spectra.transpose(1, 2)
    found = spectra if batched else spectra.squeeze(0)
    if return_complex is False:
        return functions["view_as_real"](found)  # type: ignore[no-any-return]
    return found  # type: ignore[no-any-return]


def _check_stft(
    x: Any, n_fft: int, hop: int, width: int, window: Any, shown: str
) -> None:
    if x.aval.dtype.kind not in "fc":
        raise RuntimeError(
            f"stft({shown}) : expected a tensor of floating point or complex values"
        )
    length = x.shape[-1] if x.ndim else 0
    sized = window is None or tuple(window.shape) == (width,)
    given = [] if window is None else list(window.shape)
    _checked(
        "stft",
        shown,
        {
            "a 1D or 2D tensor": x.ndim in (1, 2),
            f"0 < n_fft < {length}, but got n_fft={n_fft}": 0 < n_fft <= length,
            f"hop_length > 0, but got hop_length={hop}": hop > 0,
            f"0 < win_length <= n_fft, but got win_length={width}": 0 < width <= n_fft,
            f"a 1D window tensor of size equal to win_length={width}, but got window "
            f"with size {given}": sized,
        },
    )


def _centred(x: Any, margin: int, mode: str) -> Any:
    from .nn.functional import pad

    wide = x.reshape(*[1] * (3 - x.ndim), *x.shape)
    return pad(wide, [margin, margin], mode).reshape(*x.shape[:-1], -1)


@function("istft", out=False)
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """Return the signal whose `stft` comes nearest to given spectra.

    Raises:
        RuntimeError: sizes do not fit, or windows leave gaps.
    """
    x: Any = input
    if not x.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft "
            "with return_complex=True."
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    shown = (
        f"{_kind(x)}{list(x.shape)}, n_fft={n_fft}, hop_length={hop}, "
        f"win_length={width}, window={_shown(window)}, center={int(center)}, "
        f"normalized={int(normalized)}, onesided={_number(onesided)}, length={length}, "
        f"return_complex={int(return_complex)}"
    )
    one = (x.shape[-2] != n_fft) if onesided is None else onesided
    _check_istft(x, n_fft, hop, width, one, shown)
    batched = x.ndim == 3
    spectra = (x if batched else x.unsqueeze(0)).transpose(1, 2)
    frame = _window(window, width, n_fft, x.real, _NO_WINDOW_BACK)
    norm = "ortho" if normalized else "backward"
    halved = one and not return_complex
    inverse = spectral.irfft if halved else spectral.ifft
    frames: Any = inverse(spectra, n_fft, norm=norm)
    frames = frames if return_complex or halved else frames.real
    count = spectra.shape[1]
    signal = _added(frames * frame, hop)
    squares = _added(frame.pow(2).expand(1, count, n_fft), hop)
    found = _cut(signal, squares, (n_fft, hop, count), center, length, shown)
    return found if batched else found.squeeze(0)  # type: ignore[no-any-return]


def _kind(x: Any) -> str:
    return f"CPU{of_numpy(x.aval.dtype).title}Type"


def _check_istft(
    x: Any, n_fft: int, hop: int, width: int, one: bool, shown: str
) -> None:
    bins = n_fft // 2 + 1 if one else n_fft
    rule = "n_fft / 2 + 1 when onesided=True" if one else "n_fft when onesided=False"
    _checked(
        "istft",
        shown,
        {
            "a tensor with 2 or 3 dimensions": x.ndim in (2, 3),
            f"the frequency dimension (3rd to the last) of the input tensor to match "
            f"{rule}, but got {x.shape[-2]}": x.shape[-2] == bins,
            "0 < hop_length <= win_length": 0 < hop <= width,
            "0 < win_length <= n_fft": 0 < width <= n_fft,
        },
    )


def _added(frames: Any, hop: int) -> Any:
    """Return the sum of frames, each where it lies in the signal."""
    batch, count, n = frames.shape
    places = np.arange(count)[:, None] * hop + np.arange(n)
    flat = frames.reshape(batch, -1)
    total = flat.new_zeros((batch, (count - 1) * hop + n))
    index = functions["from_numpy"](places.reshape(-1))
    return total.index_add(1, index, flat)


def _cut(
    signal: Any,
    squares: Any,
    sizes: tuple[int, int, int],
    center: bool,
    length: int | None,
    shown: str,
) -> Any:
    """Return the part of the signal that was there before, by its windows."""
    n_fft, hop, count = sizes
    start = n_fft // 2 if center else 0
    whole = n_fft + hop * (count - 1)
    end = whole - (n_fft // 2 if center else 0)
    if length is not None:
        end = start + length
    signal, squares = signal[:, start:end], squares[:, start:end]
    if squares.abs().min() < 1e-11:
        raise RuntimeError(
            f"istft({shown}) window overlap add min: 1\n[ CPUBoolType{{}} ]"
        )
    found = signal / squares
    missing = end - start - found.shape[-1]
    if missing > 0:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being "
            "padded with zeros in the tail. Please check your center and hop_length "
            "settings.",
            UserWarning,
            stacklevel=3,
        )
        found = functions["constant_pad_nd"](found, [0, missing])
    return found

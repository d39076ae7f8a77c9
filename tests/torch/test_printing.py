"""Tensor texts against PyTorch 2.13's own, recorded by running it."""

import threading

import numpy as np
import pytest

from fad.torch.printing import (
    PrintOptions,
    format_size,
    format_tensor,
    get_printoptions,
    printoptions,
    set_printoptions,
)

f4, c8 = np.float32, np.complex64
nan, inf = np.nan, np.inf


FLOATS = {
    "scalar": (np.float32(-0.25), "tensor(-0.2500)"),
    "whole": (np.array([-1.0, 2.0, -30.0], f4), "tensor([ -1.,   2., -30.])"),
    "fixed": (np.array([-1.5, 2.0, 10.25], f4), "tensor([-1.5000,  2.0000, 10.2500])"),
    "one_zero": (np.array([0.0], f4), "tensor([0.])"),
    "negative_zero": (np.array([-0.0, 0.0, 1.0], f4), "tensor([-0., 0., 1.])"),
    "not_finite_whole": (
        np.array([nan, inf, -inf, 1.0], f4),
        "tensor([nan, inf, -inf, 1.])",
    ),
    "not_finite_fixed": (
        np.array([nan, -inf, 1.5, 0.0], f4),
        "tensor([   nan,   -inf, 1.5000, 0.0000])",
    ),
    "only_nan": (np.array([nan, 0.0], f4), "tensor([nan, 0.])"),
    "ratio_over_1000": (
        np.array([0.5, 500.25, 0.0, nan], f4),
        "tensor([5.0000e-01, 5.0025e+02, 0.0000e+00,        nan])",
    ),
    "ratio_of_1000": (np.array([0.5, 500.0], f4), "tensor([  0.5000, 500.0000])"),
    "over_1e8": (np.array([123456792.0, 1e8], f4), "tensor([1.2346e+08, 1.0000e+08])"),
    "at_1e8": (np.array([1e8, 2e8 / 2], f4), "tensor([100000000., 100000000.])"),
    "under_1e_4": (np.array([1e-5, -2e-5], f4), "tensor([ 1.0000e-05, -2.0000e-05])"),
    "float32_below_1e_4": (np.array([0.0001], f4), "tensor([1.0000e-04])"),
    "float64_at_1e_4": (np.array([0.0001]), "tensor([0.0001], dtype=torch.float64)"),
    "float64": (
        np.array([1e-300, 1e300]),
        "tensor([1.0000e-300, 1.0000e+300], dtype=torch.float64)",
    ),
    "float16": (
        np.array([0.1, 60000.0], np.float16),
        "tensor([9.9976e-02, 6.0000e+04], dtype=torch.float16)",
    ),
    "rounded_up": (np.array([9.99996, 1.0], f4), "tensor([10.0000,  1.0000])"),
}


@pytest.mark.parametrize("case", FLOATS.values(), ids=FLOATS)
def test_floats_share_one_style(case):
    array, expected = case
    assert format_tensor(array) == expected.lstrip("\n")


PLAIN = {
    "int64": (np.array([2**40, -1]), "tensor([1099511627776,            -1])"),
    "uint8": (np.array([250, 1], np.uint8), "tensor([250,   1], dtype=torch.uint8)"),
    "scalar": (np.int64(7), "tensor(7)"),
    "bool": (
        np.array([[True, False], [False, False]]),
        """
tensor([[ True, False],
        [False, False]])""",
    ),
    "zero": (np.array([0, 0]), "tensor([0, 0])"),
}


@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
def test_integers_and_booleans_are_plain(case):
    array, expected = case
    assert format_tensor(array) == expected.lstrip("\n")


COMPLEX = {
    "mixed": (np.array([1 + 2j, 3.5 - 1j], c8), "tensor([1.0000+2.j, 3.5000-1.j])"),
    "whole": (np.array([1 + 2j, -3 + 0j], c8), "tensor([ 1.+2.j, -3.+0.j])"),
    "scalar": (np.complex64(1j), "tensor(0.+1.j)"),
    "negative_zero": (np.array([complex(0.0, -0.0)], c8), "tensor([0.-0.j])"),
    "scientific_imaginary": (
        np.array([0.5 + 1e-7j, 20 - 3j]),
        "tensor([ 0.5000+1.0000e-07j, 20.0000-3.0000e+00j], dtype=torch.complex128)",
    ),
    "not_finite": (
        np.array([complex(nan, inf), complex(1.5, -inf)], c8),
        "tensor([   nan+infj, 1.5000-infj])",
    ),
    "matrix": (
        np.array([[1j, 2.5], [100 - 1j, 0]], c8),
        """
tensor([[  0.0000+1.j,   2.5000+0.j],
        [100.0000-1.j,   0.0000+0.j]])""",
    ),
}


@pytest.mark.parametrize("case", COMPLEX.values(), ids=COMPLEX)
def test_complex_parts_have_a_style_each(case):
    array, expected = case
    assert format_tensor(array) == expected.lstrip("\n")


NESTING = {
    "matrix": (
        np.array([[1.5, 200.0], [-3.0, 4.0]], f4),
        """
tensor([[  1.5000, 200.0000],
        [ -3.0000,   4.0000]])""",
    ),
    "four_dimensions": (
        np.arange(16).reshape(2, 2, 2, 2),
        """
tensor([[[[ 0,  1],
          [ 2,  3]],

         [[ 4,  5],
          [ 6,  7]]],


        [[[ 8,  9],
          [10, 11]],

         [[12, 13],
          [14, 15]]]])""",
    ),
    "column": (
        np.array([[1.0], [20.0]], f4),
        """
tensor([[ 1.],
        [20.]])""",
    ),
    "transposed": (
        np.arange(6).reshape(2, 3).T,
        """
tensor([[0, 3],
        [1, 4],
        [2, 5]])""",
    ),
    "wrapped_row": (
        (np.arange(24) / 4).astype(f4),
        """
tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000, 1.2500, 1.5000, 1.7500, 2.0000,
        2.2500, 2.5000, 2.7500, 3.0000, 3.2500, 3.5000, 3.7500, 4.0000, 4.2500,
        4.5000, 4.7500, 5.0000, 5.2500, 5.5000, 5.7500])""",
    ),
    "wrapped_inner_row": (
        np.arange(2.0, 42.0).reshape(2, 1, 20) / 8,
        """
tensor([[[0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000, 1.1250,
          1.2500, 1.3750, 1.5000, 1.6250, 1.7500, 1.8750, 2.0000, 2.1250,
          2.2500, 2.3750, 2.5000, 2.6250]],

        [[2.7500, 2.8750, 3.0000, 3.1250, 3.2500, 3.3750, 3.5000, 3.6250,
          3.7500, 3.8750, 4.0000, 4.1250, 4.2500, 4.3750, 4.5000, 4.6250,
          4.7500, 4.8750, 5.0000, 5.1250]]], dtype=torch.float64)""",
    ),
    "wrapped_complex": (
        np.arange(9) * (1 + 0.5j),
        """
tensor([0.+0.0000j, 1.+0.5000j, 2.+1.0000j, 3.+1.5000j, 4.+2.0000j, 5.+2.5000j,
        6.+3.0000j, 7.+3.5000j, 8.+4.0000j], dtype=torch.complex128)""",
    ),
}


@pytest.mark.parametrize("case", NESTING.values(), ids=NESTING)
def test_brackets_nest_and_lines_wrap(case):
    array, expected = case
    assert format_tensor(array) == expected.lstrip("\n")


SUMMARY = {
    "vector": (np.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    "not_above_threshold": (np.arange(1000)[::-1][:4], "tensor([999, 998, 997, 996])"),
    "matrix": (
        np.arange(10000.0, dtype=f4).reshape(100, 100),
        """
tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,
         9.9000e+01],
        [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.9700e+02, 1.9800e+02,
         1.9900e+02],
        [2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.9700e+02, 2.9800e+02,
         2.9900e+02],
        ...,
        [9.7000e+03, 9.7010e+03, 9.7020e+03,  ..., 9.7970e+03, 9.7980e+03,
         9.7990e+03],
        [9.8000e+03, 9.8010e+03, 9.8020e+03,  ..., 9.8970e+03, 9.8980e+03,
         9.8990e+03],
        [9.9000e+03, 9.9010e+03, 9.9020e+03,  ..., 9.9970e+03, 9.9980e+03,
         9.9990e+03]])""",
    ),
    "short_rows": (
        np.arange(1200).reshape(400, 3),
        """
tensor([[   0,    1,    2],
        [   3,    4,    5],
        [   6,    7,    8],
        ...,
        [1191, 1192, 1193],
        [1194, 1195, 1196],
        [1197, 1198, 1199]])""",
    ),
    "long_rows": (
        np.arange(1200).reshape(2, 600),
        """
tensor([[   0,    1,    2,  ...,  597,  598,  599],
        [ 600,  601,  602,  ..., 1197, 1198, 1199]])""",
    ),
    "cube": (
        np.zeros((7, 2, 100), f4),
        """
tensor([[[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]],

        [[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]],

        [[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]],

        ...,

        [[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]],

        [[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]],

        [[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]]])""",
    ),
    "hidden_values_do_not_widen": (
        np.r_[np.zeros(500, np.int64), 10**9, np.zeros(600, np.int64)],
        "tensor([0, 0, 0,  ..., 0, 0, 0])",
    ),
    "complex": (
        np.arange(1100) * (1 - 1j),
        """
tensor([0.0000e+00+0.0000e+00j, 1.0000e+00-1.0000e+00j, 2.0000e+00-2.0000e+00j,
         ..., 1.0970e+03-1.0970e+03j, 1.0980e+03-1.0980e+03j,
        1.0990e+03-1.0990e+03j], dtype=torch.complex128)""",
    ),
}


@pytest.mark.parametrize("case", SUMMARY.values(), ids=SUMMARY)
def test_long_dimensions_keep_their_ends(case):
    array, expected = case
    assert format_tensor(array) == expected.lstrip("\n")


SUFFIX = {
    "int32": (np.array([1, 2], np.int32), {}, "tensor([1, 2], dtype=torch.int32)"),
    "float64": (np.float64(2), {}, "tensor(2., dtype=torch.float64)"),
    "complex128": (
        np.array([0.5 + 0.25j]),
        {},
        "tensor([0.5000+0.2500j], dtype=torch.complex128)",
    ),
    "requires_grad": (
        np.array([1.0, 2.0], f4),
        {"requires_grad": True},
        "tensor([1., 2.], requires_grad=True)",
    ),
    "grad_fn": (
        np.array([2.0, 3.0], f4),
        {"requires_grad": True, "grad_fn": "CloneBackward0"},
        "tensor([2., 3.], grad_fn=<CloneBackward0>)",
    ),
    "dtype_and_grad_fn": (
        np.array([2.0]),
        {"grad_fn": "CloneBackward0"},
        "tensor([2.], dtype=torch.float64, grad_fn=<CloneBackward0>)",
    ),
    "on_its_own_line": (
        np.arange(11, dtype=f4) / 8,
        {"grad_fn": "CloneBackward0"},
        """
tensor([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000,
        1.1250, 1.2500], grad_fn=<CloneBackward0>)""",
    ),
    "only_the_last_on_its_own_line": (
        np.arange(7.0) / 8,
        {"grad_fn": "CloneBackward0"},
        """
tensor([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500],
       dtype=torch.float64, grad_fn=<CloneBackward0>)""",
    ),
    "default_float64": (
        np.array([1.5]),
        {"default_dtype": "float64"},
        "tensor([1.5000])",
    ),
    "float32_under_default_float64": (
        np.array([1.5], f4),
        {"default_dtype": "float64"},
        "tensor([1.5000], dtype=torch.float32)",
    ),
    "complex_under_default_float64": (
        np.array([1.5j]),
        {"default_dtype": "float64"},
        "tensor([0.+1.5000j])",
    ),
    "bfloat16_by_name": (
        np.array([1.5, 3.140625], f4),
        {"dtype": "bfloat16"},
        "tensor([1.5000, 3.1406], dtype=torch.bfloat16)",
    ),
}


@pytest.mark.parametrize("case", SUFFIX.values(), ids=SUFFIX)
def test_suffixes_say_what_values_do_not(case):
    array, options, expected = case
    assert format_tensor(array, **options) == expected.lstrip("\n")


EMPTY = {
    "vector": (np.zeros(0, f4), {}, "tensor([])"),
    "matrix": (np.zeros((0, 3), f4), {}, "tensor([], size=(0, 3))"),
    "int64": (np.zeros(0, np.int64), {}, "tensor([], dtype=torch.int64)"),
    "int64_matrix": (
        np.zeros((2, 0), np.int64),
        {},
        "tensor([], size=(2, 0), dtype=torch.int64)",
    ),
    "requires_grad": (
        np.zeros(0, f4),
        {"requires_grad": True},
        "tensor([], requires_grad=True)",
    ),
    "bool": (np.zeros((0,), bool), {}, "tensor([], dtype=torch.bool)"),
    "complex": (np.zeros(0, c8), {}, "tensor([], dtype=torch.complex64)"),
}


@pytest.mark.parametrize("case", EMPTY.values(), ids=EMPTY)
def test_empty_tensors_show_size_and_dtype(case):
    array, options, expected = case
    assert format_tensor(array, **options) == expected.lstrip("\n")


OPTIONS = {
    "precision": (
        {"precision": 2},
        np.array([3.14159, 2.0], f4),
        "tensor([3.14, 2.00])",
    ),
    "precision_0": ({"precision": 0}, np.array([3.6, 2.0], f4), "tensor([4, 2])"),
    "sci_mode_on": (
        {"sci_mode": True},
        np.array([1.0, 20.5, nan], f4),
        "tensor([1.0000e+00, 2.0500e+01,        nan])",
    ),
    "sci_mode_off": (
        {"sci_mode": False},
        np.array([1e-6, 3e6, 1.5], f4),
        "tensor([      0.0000, 3000000.0000,       1.5000])",
    ),
    "sci_mode_of_zeros": (
        {"sci_mode": True},
        np.array([0.0, nan], f4),
        "tensor([0., nan])",
    ),
    "threshold": ({"threshold": 5}, np.arange(10), "tensor([0, 1, 2,  ..., 7, 8, 9])"),
    "edgeitems": (
        {"threshold": 5, "edgeitems": 1},
        np.arange(12).reshape(3, 4),
        """
tensor([[ 0,  ...,  3],
        ...,
        [ 8,  ..., 11]])""",
    ),
    "no_edgeitems": (
        {"threshold": 5, "edgeitems": 0},
        np.arange(12).reshape(3, 4),
        "tensor([...], size=(3, 4))",
    ),
    "no_edgeitems_below_threshold": (
        {"edgeitems": 0},
        np.arange(3),
        "tensor([0, 1, 2], size=(3,))",
    ),
    "linewidth": (
        {"linewidth": 24},
        np.arange(12).reshape(2, 6) * 100,
        """
tensor([[   0,  100,
          200,  300,
          400,  500],
        [ 600,  700,
          800,  900,
         1000, 1100]])""",
    ),
    "narrowest_line": (
        {"linewidth": 5},
        np.arange(3),
        """
tensor([0,
        1,
        2])""",
    ),
    "short_profile": (
        {"profile": "short"},
        np.arange(1001.0, dtype=f4) / 3,
        "tensor([0.00e+00, 3.33e-01,  ..., 3.33e+02, 3.33e+02])",
    ),
    "profile_and_option": (
        {"profile": "short", "precision": 3},
        np.array([0.12345], f4),
        "tensor([0.123])",
    ),
}


@pytest.mark.parametrize("case", OPTIONS.values(), ids=OPTIONS)
def test_options_change_the_text(case):
    options, array, expected = case
    with printoptions(**options):
        assert format_tensor(array) == expected.lstrip("\n")


def test_options_are_restored_after_an_error():
    with pytest.raises(KeyError), printoptions(precision=1):
        raise KeyError
    assert PrintOptions(**get_printoptions()) == PrintOptions()


def test_setting_one_option_keeps_the_others_but_not_sci_mode():
    with printoptions(precision=2, sci_mode=True):
        set_printoptions(edgeitems=5)
        assert PrintOptions(**get_printoptions()) == PrintOptions(2, edgeitems=5)


def test_full_profile_shows_everything():
    with printoptions(profile="full"):
        assert format_tensor(np.arange(2000)).count(",") == 1999


def test_a_new_thread_starts_with_the_defaults():
    seen = []
    with printoptions(precision=1):
        thread = threading.Thread(target=lambda: seen.append(get_printoptions()))
        thread.start()
        thread.join()
    assert seen == [get_printoptions()]


def test_another_prefix_moves_the_continuation_lines():
    text = format_tensor(np.array([[1], [2]]), prefix="Weights(")
    assert text == "Weights([[1],\n         [2]])"


def test_a_dual_tensor_shows_its_tangent():
    text = format_tensor(np.float32(1), tangent="2.0")
    assert text == "tensor(1., tangent=2.0)"


def test_sizes_print_as_a_list():
    assert format_size(()) == "torch.Size([])"
    assert format_size((2, 3)) == "torch.Size([2, 3])"

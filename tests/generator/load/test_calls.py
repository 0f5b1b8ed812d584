# SPDX-License-Identifier: Apache-2.0
"""Kernels called from Python compute what NumPy computes, whatever memory the arrays have; and what does not
fit is refused with a sentence, before anything is touched."""

from __future__ import annotations

import inspect
import re
from typing import Any

import exchanging
import numpy as np
import pytest
from called import mix, step
from exchanging import Exchanging, Fake, Tensor
from heddle import KernelError
from heddle.python.load import Kernels
from producer import Foreign

pytestmark = pytest.mark.compiles
RANDOM = np.random.default_rng(7)


def whole(*shape: int, dtype: str = "f8") -> Any:
    """Whole numbers, for which sums are exact in any order."""
    return RANDOM.integers(-9, 9, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_ghost_layers_by_number_and_by_views(kernels: Kernels, dtype: str) -> None:
    u = RANDOM.standard_normal((9, 14)).astype(dtype)
    expected = step(u, 0.1)
    for views in (False, True):
        result = np.full_like(u, 7)
        if views:
            kernels.step(u=u[1:-1, 1:-1], u_next=result[1:-1, 1:-1], alpha=0.1)
        else:
            kernels.step(u=u, u_next=result, alpha=0.1, ghosts=1)
        np.testing.assert_array_equal(result[1:-1, 1:-1], expected)
        result[1:-1, 1:-1] = 7
        assert (result == 7).all()


def views(shape: tuple[int, int]) -> dict[str, Any]:
    y, x = shape
    return {
        "C": np.zeros(shape),
        "Fortran": np.zeros(shape, order="F"),
        "reversed": np.zeros(shape)[::-1, ::-1],
        "every second": np.zeros((2 * y, 3 * x))[1::2, ::-3],
        "a level of three": np.zeros((3, y, x))[1],
        "a component": np.zeros((y, x, 4))[..., 2],
        "bytes": np.frombuffer(bytearray(8 * y * x)).reshape(shape),
    }


@pytest.mark.parametrize("source", views((1, 1)))
@pytest.mark.parametrize("ghosts", [0, 1])
def test_strides(kernels: Kernels, source: str, ghosts: int) -> None:
    for target in views((1, 1)):
        u, result = views((8, 11))[source], views((8, 11))[target]
        u[...] = whole(8, 11)
        inner = slice(1, -1)
        if ghosts:
            kernels.step(u=u, u_next=result, alpha=2, ghosts=1)
        else:
            kernels.step(u=u[inner, inner], u_next=result[inner, inner], alpha=2)
        np.testing.assert_array_equal(result[inner, inner], step(u, 2))


def test_components_planes_profiles_masks(kernels: Kernels) -> None:
    n = (6, 7, 9)  # z, y, x with two ghost layers
    f, rain, mask = whole(3, *n), whole(*n[1:]), whole(*n).astype("u1")
    weight = whole(n[0] - 2)  # one for each of two levels, and one before and after
    g = np.zeros_like(f)
    kernels.mix(f=f, g=g, rain=rain, mask=mask, weight=weight, count=3, ghosts=2)
    np.testing.assert_array_equal(g[:, 2:-2, 2:-2, 2:-2], mix(f, weight, rain, mask, 3))
    again = np.zeros_like(f)
    inner = (slice(2, -2),) * 3
    kernels.mix(
        f=f[:, *inner], g=again[:, *inner], rain=rain[inner[:2]], mask=mask[inner], weight=weight, count=3
    )
    np.testing.assert_array_equal(again, g)


def test_ghost_layers_for_each_axis(kernels: Kernels) -> None:
    column = whole(4, 5, 6)
    expected = column.copy()
    expected[:, 1:-1, 2:-2] = np.cumsum(column, axis=0)[:, 1:-1, 2:-2]
    kernels.integrate(column=column, ghosts=(0, 1, 2))
    np.testing.assert_array_equal(column, expected)


def test_reductions_are_numbers(kernels: Kernels) -> None:
    u = whole(70, 45)
    assert kernels.largest(u=u) == {"most": abs(u).max(), "total": u.sum()}
    squares = kernels.norm(u=u.astype("f4"))
    assert type(squares) is float
    assert squares == (u * u).sum()
    assert kernels.norm(u=u[:0]) == 0


def test_nothing_is_done_where_nothing_is(kernels: Kernels) -> None:
    for shape in ((0, 10), (10, 0), (0, 0)):
        kernels.step(u=np.zeros(shape), u_next=np.zeros(shape), alpha=0.1)
    with pytest.raises(KernelError, match=r"of shape \(0, 10\) has no room for 1 ghost cells"):
        kernels.step(u=np.zeros((0, 10)), u_next=np.zeros((0, 10)), alpha=0.1, ghosts=1)


@pytest.mark.parametrize("version", [0, 1])
def test_foreign_arrays(kernels: Kernels, version: int) -> None:
    u, result = whole(6, 7), np.zeros((6, 7))
    foreign = Foreign(u, version=version, strides=False), Foreign(result, version=version)
    for _ in range(2):
        kernels.step(u=foreign[0], u_next=foreign[1], alpha=1, ghosts=1)
    np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 1))


def test_arrays_that_offer_functions_in_c(kernels: Kernels) -> None:
    """They are taken and given back without a call of Python; else __dlpack__ is asked, which says what is
    wrong with them."""
    u, result = whole(6, 7), np.zeros((6, 7))
    for kind in (Exchanging, Tensor):
        exchanging.counts.update(taken=0, deleted=0)
        one, other = kind(u, strides=False), kind(result)
        for _ in range(3):
            kernels.step(u=one, u_next=other, alpha=1, ghosts=1)
        assert (exchanging.counts, one.asked) == ({"taken": 6, "deleted": 6}, 0)
        np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 1))
        result[...] = 0
    with pytest.raises(KernelError, match="'u_next' is read only"):
        kernels.step(u=one, u_next=Exchanging(result, read_only=True), alpha=1, ghosts=1)
    one.requires_grad = True
    with pytest.raises(KernelError, match="'u' cannot be shared: BufferError: Can't export tensors that req"):
        kernels.step(u=one, u_next=other, alpha=1, ghosts=1)
    assert exchanging.counts["taken"] == exchanging.counts["deleted"] == 8
    broken, fake = Exchanging(u), Fake(u)
    broken.broken = True
    for array in (broken, fake):
        kernels.step(u=array, u_next=other, alpha=1, ghosts=1)
        assert array.asked == 1
        np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 1))


def test_what_is_read_only_is_read(kernels: Kernels) -> None:
    u, result = whole(6, 7), np.zeros((6, 7))
    u.flags.writeable = False
    kernels.step(u=u, u_next=result, alpha=1, ghosts=1)
    kernels.step(u=Foreign(u, read_only=True), u_next=result, alpha=1, ghosts=1)
    np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 1))


def test_numbers_of_numpy_are_numbers(kernels: Kernels) -> None:
    u, result = whole(6, 7), np.zeros((6, 7))
    kernels.step(u=u, u_next=result, alpha=np.float32(2), ghosts=np.int64(1))
    np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 2))


# ---------------------------------------------------------------- what is refused

U = np.zeros((8, 10))
LOCKED = np.zeros((8, 10))
LOCKED.flags.writeable = False
F, G, RAIN, MASK, WEIGHT = (
    np.zeros(shape, dtype)
    for shape, dtype in [
        ((3, 8, 8, 8), "f8"), ((3, 8, 8, 8), "f8"), ((8, 8), "f8"), ((8, 8, 8), "u1"), (6, "f8"),
    ]
)  # fmt: skip
STEP = {"u": U, "u_next": np.zeros((8, 10)), "alpha": 0.1, "ghosts": 1}
MIX = {"f": F, "g": G, "rain": RAIN, "mask": MASK, "weight": WEIGHT, "count": 1, "ghosts": 2}
MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("step", {"alpha": None}, "'alpha' is of type NoneType, but a number is needed"),
    ("step", {"alfa": 1}, "no argument 'alfa'"),
    ("step", {"alpha": 10**400}, "'alpha' is of type int, and beyond double precision"),
    ("step", {"u": np.ma.masked_array(U, U > 0)}, "'u' is a masked array, and kernels do not see its mask"),
    ("step", {"u": 3.0}, "'u' is no array, but of type float"),
    ("step", {"u": [[1.0]]}, "'u' is no array, but of type list"),
    ("step", {"u": U.astype("f4")}, "'u_next' has elements of float64, beside 'u' with float32"),
    ("step", {"u": U.astype("i8")}, "'u' has elements of int64; the kernel is there for float64 or float32"),
    ("step", {"u": U.astype(">f8")}, "'u' has elements of another type"),
    ("step", {"u": U.astype(complex)}, "'u' has elements of another type"),
    ("step", {"u": U[0]}, r"'u' has the shape \(10,\), but needs 2 axes"),
    ("step", {"u": U[None]}, r"'u' has the shape \(1, 8, 10\), but needs 2 axes"),
    ("step", {"u": U[:, 1:]}, r"'u_next' has \(6, 8\) cells, but 'u' has \(6, 7\) cells"),
    ("step", {"u_next": LOCKED}, "'u_next' is read only, but the kernel writes it"),
    ("step", {"u_next": Foreign(U, read_only=True)}, "'u_next' is read only"),
    ("step", {"u_next": U}, "shares elements"),
    ("step", {"u_next": U}, "Hint: 'u' and 'u_next' are the same memory: give .* memory of its own"),
    ("step", {"u_next": U[::-1]}, "Hint: give each array that the kernel writes memory of its own"),
    ("step", {"u_next": np.broadcast_to(np.zeros(10), (8, 10))}, "'u_next' is read only"),
    ("step", {"ghosts": 0}, r"'u' of shape \(8, 10\) has too few ghost cells"),
    ("step", {"ghosts": 5}, "no room for 5 ghost cells"),
    ("step", {"ghosts": 2**63 - 1}, "no room for 9223372036854775807 ghost cells"),
    ("step", {"ghosts": -1}, "ghosts is -1"),
    ("step", {"ghosts": 1.5}, "'ghosts' is 1.5"),
    ("step", {"ghosts": (1, 1, 1)}, "ghosts has 3 numbers, but the kernel has 2 axes"),
    ("step", {"stream": 0}, "no argument 'stream'"),
    ("step", {"u": Foreign(U, device=2)}, "'u' lies on a GPU, but the kernels run on the host"),
    ("step", {"u": Foreign(U, device=14)}, "'u' lies on a device of type 14 of DLPack"),
    ("step", {"u": Foreign(U, version=2)}, "version 2 of DLPack"),
    ("mix", {"f": F[:2]}, "'f' of shape .* has 2 components along its first axis, but needs 3"),
    ("mix", {"ghosts": 1, "weight": np.zeros(8)}, r"'f' .*too few ghost cells: .* \(1, 2, 1\) cells"),
    ("mix", {"ghosts": 1, "weight": np.zeros(8)}, r"or the view of its interior, f\[:, 2:-2, 2:-2, 2:-2\]"),
    ("mix", {"weight": np.zeros(7)}, "has 7 values, but needs 6: one for each cell along z, and 1 more"),
    ("mix", {"weight": np.zeros(12)[::2]}, "do not follow each other"),
    ("mix", {"weight": np.zeros((6, 1))}, "is a profile, with one axis"),
    ("mix", {"rain": RAIN[1:]}, r"'rain' has \(3, 4\) cells, but 'f' has \(4, 4, 4\) cells"),
    ("mix", {"mask": MASK.astype("f8")}, "'mask' has elements of float64.* for uint8"),
    ("mix", {"count": 2**31}, "'count' is 2147483648, which is no int32"),
    ("mix", {"count": 2**70}, "'count' is 1180591620717411303424, which is no whole number of 64 bits"),
    ("mix", {"count": 1.0}, "'count' is 1.0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "wrong", "what"), MISTAKES, ids=[f"{n}-{mistake[0]}" for n, mistake in enumerate(MISTAKES)]
)
def test_a_mistake_is_refused(kernels: Kernels, kernel: str, wrong: dict[str, Any], what: str) -> None:
    arguments = {"step": STEP, "mix": MIX}[kernel] | wrong
    before = [value.copy() for value in arguments.values() if isinstance(value, np.ndarray)]
    with pytest.raises(KernelError) as raised:
        kernels[kernel](**arguments)
    assert re.search(what, str(raised.value), re.DOTALL), raised.value
    assert str(raised.value).startswith(f"calls.{kernel}: ")
    assert f"call {kernel}(" in raised.value.hint  # the signature
    after = [value for value in arguments.values() if isinstance(value, np.ndarray)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_what_lacks_is_named(kernels: Kernels) -> None:
    with pytest.raises(KernelError, match=r"lacks 'u_next', 'alpha'"):
        kernels.step(u=U)
    with pytest.raises(KernelError, match="given by keyword"):
        kernels.step(U, U, 0.1)


@pytest.mark.parametrize(
    "view",
    [
        U[2:-2], U[2:-2, 1:], U[::-1, ::-1][2:-2, :-1], U.T[:, 2:-2],
        U[:, 1:-1], U[1:-1], U[1:-1, 1:], U[:-1, 1:-1], U[::-1][:-1, 1:-1], U[1::2, 1:-1],
        np.zeros((3, 8, 10))[2, :, 1:-1], np.zeros((8, 10), order="F")[1:, 1:-1],
    ],
)  # fmt: skip
def test_a_view_without_ghost_layers_around_it(kernels: Kernels, view: Any) -> None:
    """Also where the memory goes on, but with cells of another row."""
    with pytest.raises(KernelError, match=r"too few ghost cells.*\n.*u\[1:-1, 1:-1\]"):
        kernels.step(u=view, u_next=np.zeros(view.shape), alpha=1)


def test_foreign_views_need_to_say_their_memory(kernels: Kernels) -> None:
    u, result = whole(6, 7), np.zeros((4, 5))
    view = Foreign(u[1:-1, 1:-1])
    with pytest.raises(KernelError, match="too few ghost cells"):
        kernels.step(u=view, u_next=result, alpha=1)
    # As PyTorch's tensors say it.
    storage = type("Storage", (), {"data_ptr": lambda _: u.ctypes.data, "nbytes": lambda _: u.nbytes})()
    known = type("Known", (Foreign,), {"untyped_storage": lambda _: storage})(u[1:-1, 1:-1])
    kernels.step(u=known, u_next=result, alpha=1)
    np.testing.assert_array_equal(result, step(u, 1))


def test_what_an_array_raises_is_told(kernels: Kernels) -> None:
    class Shy(Foreign):
        def __dlpack__(self, **keywords: Any) -> object:
            raise BufferError("it requires grad")

    with pytest.raises(KernelError, match="'u' cannot be shared: BufferError: it requires grad"):
        kernels.step(u=Shy(U), u_next=U.copy(), alpha=1, ghosts=1)


# ---------------------------------------------------------------- what a reader of the object sees


def test_kernels_describe_themselves(kernels: Kernels) -> None:
    assert "mix(f[3, z, y, x], g[3, z, y, x] (written), rain[y, x], mask[z, y, x], weight[z], count)" in repr(
        kernels
    )
    assert str(inspect.signature(kernels.step)) == "(*, u, u_next, alpha, ghosts=0)"
    assert list(kernels) == ["step", "mix", "largest", "norm", "integrate"]
    assert {"step", "folder"} <= set(dir(kernels))
    with pytest.raises(KernelError, match=r"no kernel 'stepp'.\n.*did you mean 'step'"):
        _ = kernels.stepp
    with pytest.raises(KernelError, match="'halo_pack' is no function of Python: it runs"):
        _ = kernels.halo_pack

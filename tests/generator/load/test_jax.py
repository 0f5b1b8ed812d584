# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of JAX: the bits of heddle.load, no copies, and derivatives of a fit."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import heddle
import jax
import numpy as np
import pytest
from fitting import STEPS, diffusion, numbers
from heddle import KernelError
from heddle.python.load import Kernels
from jax import numpy as jnp

pytestmark = pytest.mark.compiles
jax.config.update("jax_enable_x64", True)
RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def fitted(own_cache: Any) -> Kernels:
    return heddle.load(diffusion())


@pytest.fixture(scope="module")
def functions(fitted: Kernels) -> SimpleNamespace:
    return heddle.in_jax(fitted)


def arrays(*shape: int, dtype: str = "f8") -> dict[str, Any]:
    return {name: RANDOM.random(shape).astype(dtype) for name in ("u", "u_next", "kappa")}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_the_bits_are_those_of_a_call(fitted: Kernels, functions: SimpleNamespace, dtype: str) -> None:
    given = arrays(9, 12, dtype=dtype)
    expected = given["u_next"].copy()
    energy = fitted.step(**given | {"u_next": expected}, alpha=0.25, ghosts=1)
    before = {name: array.copy() for name, array in given.items()}
    for call in (functions.step, jax.jit(functions.step, static_argnames="ghosts")):
        found = call(**given, alpha=0.25, ghosts=1)
        np.testing.assert_array_equal(found["u_next"], expected)
        assert found["u_next"].dtype == dtype
        assert found["energy"] == np.dtype(dtype).type(energy)
    assert all(np.array_equal(given[name], before[name]) for name in before)
    assert functions.total(u=given["u"]).shape == ()


def test_faces_components_and_profiles(fitted: Kernels, functions: SimpleNamespace) -> None:
    u, weight, f = RANDOM.random((6, 7)), RANDOM.random(6), RANDOM.random((9, 8, 9))
    expected, after = np.zeros((6, 7)), f.copy()
    fitted.layered(u=u, u_next=expected, weight=weight, ghosts=1)
    found = functions.layered(u=u, u_next=np.zeros((6, 7)), weight=weight, ghosts=1)
    np.testing.assert_array_equal(found, expected)
    fitted.lid(f=after, u_lid=0.1, ghosts=1)
    np.testing.assert_array_equal(functions.lid(f=f, u_lid=0.1, ghosts=1), after)
    assert (after != f).any()


def test_elements_of_one_bit_take_a_byte(fitted: Kernels, functions: SimpleNamespace) -> None:
    u, fluid, expected = RANDOM.random((6, 7)), RANDOM.random((6, 7)) < 0.5, np.zeros((6, 7))
    fitted.masked(u=u, u_next=expected, fluid=fluid, ghosts=1)
    np.testing.assert_array_equal(expected[1:-1, 1:-1], np.where(fluid, u, 0)[1:-1, 1:-1])
    found = functions.masked(u=u, u_next=np.zeros((6, 7)), fluid=fluid, ghosts=1)
    np.testing.assert_array_equal(found, expected)


def test_results_have_the_memory_of_arguments(functions: SimpleNamespace) -> None:
    def two(u: Any, u_next: Any, kappa: Any) -> Any:
        u_next = functions.step(u=u, u_next=u_next, kappa=kappa, alpha=0.1, ghosts=1)["u_next"]
        return functions.step(u=u_next, u_next=u, kappa=kappa, alpha=0.1, ghosts=1)["u_next"], u_next

    u, u_next, kappa = (jnp.array(a) for a in arrays(9, 12).values())
    places = u.unsafe_buffer_pointer(), u_next.unsafe_buffer_pointer()
    compiled = jax.jit(two, donate_argnums=(0, 1))
    text = compiled.lower(u, u_next, kappa).compile().as_text()
    assert " copy(" not in text
    after = compiled(u, u_next, kappa)
    assert tuple(a.unsafe_buffer_pointer() for a in after) == places
    grown = jax.jit(lambda u: functions.grow(u=u, alpha=0.5), donate_argnums=0)
    u = jnp.full((4, 5), 2.0)
    place = u.unsafe_buffer_pointer()
    result = grown(u)
    assert result.unsafe_buffer_pointer() == place
    assert (result == 4).all()


def test_an_argument_that_is_used_afterwards_stays(fitted: Kernels, functions: SimpleNamespace) -> None:
    given = arrays(9, 12)

    @jax.jit
    def both(u: Any, kappa: Any) -> Any:
        return functions.step(u=u, u_next=u, kappa=kappa, alpha=0.1, ghosts=1)["u_next"], u + 0

    after, before = both(given["u"], given["kappa"])
    expected = given["u"].copy()
    fitted.step(u=given["u"], u_next=expected, kappa=given["kappa"], alpha=0.1, ghosts=1)
    np.testing.assert_array_equal(after, expected)
    np.testing.assert_array_equal(before, given["u"])


def test_batches_are_runs_one_by_one(functions: SimpleNamespace) -> None:
    given = arrays(9, 12)
    batch, alphas = RANDOM.random((2, 3, 9, 12)), jnp.array([0.1, 0.2, 0.3])

    def step(u: Any, alpha: Any) -> Any:
        return functions.step(**given | {"u": u}, alpha=alpha, ghosts=1)

    both = jax.jit(jax.vmap(jax.vmap(step), in_axes=(0, None)))(batch, alphas)
    for i in range(2):
        for k in range(3):
            one = step(batch[i, k], alphas[k])
            np.testing.assert_array_equal(both["u_next"][i, k], one["u_next"])
            assert both["energy"][i, k] == one["energy"]
    none = jax.vmap(step)(batch[0, :0], alphas[:0])
    assert none["u_next"].shape == (0, 9, 12)


def test_the_gradient_of_a_fit(functions: SimpleNamespace) -> None:
    """As in examples/python/fit_diffusivity.py: by start, rates and a number, after steps whose ghost layers
    JAX fills; against central differences."""

    def misfit(u: Any, kappa: Any, alpha: Any) -> Any:
        rates, total = jnp.pad(kappa, 1, constant_values=0.1), 0.0
        for _ in range(STEPS):
            around = jnp.pad(u, 1, mode="wrap")
            found = functions.step(u=around, u_next=around * 0, kappa=rates, alpha=alpha, ghosts=1)
            u, total = found["u_next"][1:-1, 1:-1], total + found["energy"]
        return (functions.grow(u=u, alpha=alpha) ** 3).sum() + total

    at = (*numbers(), 0.9)
    found = jax.jit(jax.grad(misfit, argnums=(0, 1, 2)))(*at)
    towards = [RANDOM.standard_normal(np.shape(a)) for a in at]
    for k in range(3):
        h, ends = 1e-5, []
        for sign in (1, -1):
            moved = [a + sign * h * towards[k] if i == k else a for i, a in enumerate(at)]
            ends.append(misfit(*moved))
        slope = (ends[0] - ends[1]) / (2 * h)
        assert abs((found[k] * towards[k]).sum() - slope) < 1e-6 * abs(slope)
    batch = jax.vmap(jax.grad(misfit), in_axes=(0, None, None))(np.stack([at[0], 2 * at[0]]), *at[1:])
    np.testing.assert_allclose(batch[0], found[0], rtol=1e-12)


@pytest.mark.usefixtures("emulated_nvcc")
def test_kernels_of_an_emulated_gpu(functions: SimpleNamespace) -> None:
    """What in_jax_on_a_gpu.py asks of a GPU: numbers of Python are attributes, those of JAX operands that the
    call fetches, and sums have scratch; with a GPU that is the host, and XLA's calls of the host."""
    device = heddle.in_jax(heddle.load(diffusion(), target="cuda"))
    given = arrays(9, 12)

    def misfit(which: SimpleNamespace, u: Any, alpha: Any) -> Any:
        found = which.step(**given | {"u": u}, alpha=alpha, ghosts=1)
        return (found["u_next"] ** 2).sum() + found["energy"]

    for alpha in (0.25, jnp.array(0.25)):
        found, expected = (f.step(**given, alpha=alpha, ghosts=1) for f in (device, functions))
        np.testing.assert_array_equal(found["u_next"], expected["u_next"])
        np.testing.assert_allclose(found["energy"], expected["energy"], rtol=1e-15)
    slopes = [
        jax.jit(jax.grad(partial(misfit, f), argnums=(0, 1)))(given["u"], 0.25) for f in (device, functions)
    ]
    for one, other in zip(*slopes, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    fixed = jax.grad(lambda u: misfit(device, u, 0.25))(given["u"])
    np.testing.assert_array_equal(fixed, slopes[0][0])
    alphas = jnp.array([0.1, 0.2])
    batch = jax.vmap(lambda alpha: device.step(**given, alpha=alpha, ghosts=1)["u_next"])(alphas)
    for alpha, one in zip((0.1, 0.2), batch, strict=True):
        np.testing.assert_array_equal(one, functions.step(**given, alpha=alpha, ghosts=1)["u_next"])


U = np.zeros((9, 12))
GIVEN = {"u": U, "u_next": U, "kappa": U, "alpha": 1.0, "ghosts": 1}
MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"u": 3.0}, "'u' is no array, but of type float"),
    ({"u": U[1:]}, "'u_next' has 7 cells along y, but 'u' has 6"),
    ({"u": U.astype("f4")}, "'u_next' has elements of float64, beside 'u' with float32"),
    ({"alpha": "x"}, "'alpha' is of shape .*, but a number is needed"),
    ({"alpha": np.ones(2)}, r"'alpha' is of shape \(2,\) and type float64, but a number is needed"),
    ({"ghosts": 0}, "'u' of shape .* has too few ghost cells"),
    ({"kapa": U}, "no argument 'kapa'"),
]


@pytest.mark.parametrize(("wrong", "what"), MISTAKES)
@pytest.mark.parametrize("jitted", [False, True])
def test_a_mistake_is_refused(
    functions: SimpleNamespace, wrong: dict[str, Any], what: str, jitted: bool
) -> None:
    given = GIVEN | wrong
    traced = {n: a for n, a in given.items() if jitted and isinstance(a, np.ndarray)}
    rest = {n: a for n, a in given.items() if n not in traced}
    with pytest.raises(KernelError, match=what) as raised:
        jax.jit(lambda traced: functions.step(**traced, **rest))(traced)
    assert str(raised.value).startswith("fitting.step: ")
    assert "call step(" in raised.value.hint


def test_other_mistakes_are_refused(functions: SimpleNamespace) -> None:
    with pytest.raises(KernelError, match=r'has no derivative.\n.*add_adjoint\("total"\)'):
        jax.grad(lambda u: functions.total(u=u))(U)
    with jax.enable_x64(False), pytest.raises(KernelError, match=r"elements of int32.*\n.*jax_enable_x64"):
        functions.total(u=U.astype("i4"))
    with pytest.raises(Exception, match="the kernel nowhere/step is not loaded in this process"):
        jax.ffi.ffi_call("heddle_call", jax.ShapeDtypeStruct((), "f4"))(
            kernel="nowhere/step", precision=np.int64(0), ghosts=np.zeros(3, np.int64)
        ).block_until_ready()

# SPDX-License-Identifier: Apache-2.0
"""Kernels of a GPU as functions of JAX: run by hand after a change, since the tests have no GPU.

python -m pytest tests/generator/load/in_jax_on_a_gpu.py
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import heddle
import jax
import numpy as np
import pytest
from fitting import STEPS, diffusion, numbers
from heddle.python.load import Kernels
from jax import numpy as jnp

jax.config.update("jax_enable_x64", True)
RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def fitted() -> Kernels:
    return heddle.load(diffusion(), target="cuda")


@pytest.fixture(scope="module")
def functions(fitted: Kernels) -> SimpleNamespace:
    assert jax.default_backend() == "gpu"
    return heddle.in_jax(fitted)


def arrays(*shape: int, dtype: str = "f8") -> dict[str, Any]:
    return {name: RANDOM.random(shape).astype(dtype) for name in ("u", "u_next", "kappa")}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_the_bits_are_those_of_the_cpu(functions: SimpleNamespace, dtype: str) -> None:
    given = arrays(90, 120, dtype=dtype)
    expected = given["u_next"].copy()
    energy = heddle.load(diffusion()).step(**given | {"u_next": expected}, alpha=0.25, ghosts=1)
    for call in (functions.step, jax.jit(functions.step, static_argnames=("ghosts", "alpha"))):
        found = call(**given, alpha=0.25, ghosts=1)
        np.testing.assert_array_equal(found["u_next"], expected)
        assert found["energy"] == np.dtype(dtype).type(energy)
        assert {device.platform for device in found["u_next"].devices()} == {"gpu"}


def test_results_have_the_memory_of_arguments(functions: SimpleNamespace) -> None:
    def two(u: Any, u_next: Any, kappa: Any) -> Any:
        u_next = functions.step(u=u, u_next=u_next, kappa=kappa, alpha=0.1, ghosts=1)["u_next"]
        return functions.step(u=u_next, u_next=u, kappa=kappa, alpha=0.1, ghosts=1)["u_next"], u_next

    u, u_next, kappa = (jnp.array(a) for a in arrays(9, 12).values())
    places = u.unsafe_buffer_pointer(), u_next.unsafe_buffer_pointer()
    compiled = jax.jit(two, donate_argnums=(0, 1))
    assert " copy(" not in compiled.lower(u, u_next, kappa).compile().as_text()
    assert tuple(a.unsafe_buffer_pointer() for a in compiled(u, u_next, kappa)) == places


def test_batches_are_runs_one_by_one(functions: SimpleNamespace) -> None:
    given, batch = arrays(9, 12), RANDOM.random((4, 9, 12))

    def step(u: Any) -> Any:
        return functions.step(**given | {"u": u}, alpha=0.1, ghosts=1)

    both = jax.jit(jax.vmap(step))(batch)
    for i in range(4):
        np.testing.assert_array_equal(both["u_next"][i], step(batch[i])["u_next"])
        assert both["energy"][i] == step(batch[i])["energy"]


def test_the_gradient_of_a_fit(functions: SimpleNamespace) -> None:
    """As in test_jax.py: by start, rates and a number, against central differences."""

    def misfit(u: Any, kappa: Any, alpha: Any) -> Any:
        rates, total = jnp.pad(kappa, 1, constant_values=0.1), 0.0
        for _ in range(STEPS):
            around = jnp.pad(u, 1, mode="wrap")
            found = functions.step(u=around, u_next=around * 0, kappa=rates, alpha=alpha, ghosts=1)
            u, total = found["u_next"][1:-1, 1:-1], total + found["energy"]
        return (functions.grow(u=u, alpha=0.9) ** 3).sum() + total

    at = [jnp.asarray(a) for a in (*numbers(), 0.9)]
    found = jax.jit(jax.grad(misfit, argnums=(0, 1, 2)))(*at)
    for k in range(3):
        towards, h, ends = RANDOM.standard_normal(at[k].shape), 1e-5, []
        for sign in (1, -1):
            ends.append(misfit(*(a + sign * h * towards if i == k else a for i, a in enumerate(at))))
        slope = (ends[0] - ends[1]) / (2 * h)
        assert abs((found[k] * towards).sum() - slope) < 1e-6 * abs(slope)
        assert {device.platform for device in found[k].devices()} == {"gpu"}


def test_numbers_may_lie_on_the_gpu(functions: SimpleNamespace) -> None:
    given, alphas = arrays(9, 12), jnp.array([0.1, 0.2, 0.3])
    expected = [functions.step(**given, alpha=alpha, ghosts=1)["u_next"] for alpha in (0.1, 0.2, 0.3)]
    found = jax.jit(jax.vmap(lambda alpha: functions.step(**given, alpha=alpha, ghosts=1)["u_next"]))(alphas)
    np.testing.assert_array_equal(found, np.stack(expected))

# SPDX-License-Identifier: Apache-2.0
"""Kernels as operations of PyTorch and JAX, with gradients: run by hand, since the tests have neither.

python gradients_in_frameworks.py torch|jax
"""

from __future__ import annotations

import sys
from typing import Any

import heddle
import numpy as np
from heddle import Assignment, Module, fields

u, u_next, kappa = fields("u, u_next, kappa: real[2D]")
sides = (1, 0), (-1, 0), (0, 1), (0, -1)
flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides)
heat = Module("heat_with_gradients", precisions=("f64",))
heat.add("step", [Assignment(u_next.here, u.here + flow * u.here)])
heat.add_adjoint("step")
kernels = heddle.load(heat)
STEPS, CELLS = 5, (7, 9)


def in_torch() -> None:
    import torch  # type: ignore[import-not-found]

    class Step(torch.autograd.Function):  # type: ignore[misc]
        """A step on tensors with a ghost layer, whose values are given: they get no gradient."""

        @staticmethod
        def forward(ctx: Any, u: Any, kappa: Any) -> Any:
            u, kappa, u_next = u.detach(), kappa.detach(), torch.zeros_like(u)
            kernels.step(u=u, u_next=u_next, kappa=kappa, ghosts=1)
            ctx.save_for_backward(u, kappa)
            return u_next

        @staticmethod
        def backward(ctx: Any, u_next_bar: Any) -> Any:
            u, kappa = ctx.saved_tensors
            u_bar, kappa_bar, given = torch.zeros((3, *u.shape), dtype=u.dtype, device=u.device)
            given[1:-1, 1:-1] = u_next_bar[1:-1, 1:-1]
            bars = {"u_next_bar": given, "u_bar": u_bar, "kappa_bar": kappa_bar}
            kernels.step_adjoint(u=u, kappa=kappa, **bars, ghosts=1)
            return u_bar, kappa_bar

    def after(u: Any, kappa: Any) -> Any:
        """The cells after some steps, from those before, in a cold surrounding."""
        around = (1, 1, 1, 1)
        state, rates = torch.nn.functional.pad(u, around), torch.nn.functional.pad(kappa, around, value=0.1)
        for _ in range(STEPS):
            state = Step.apply(state, rates)
        return state[1:-1, 1:-1]

    generator = torch.Generator().manual_seed(1)
    start, rates = (torch.rand(CELLS, generator=generator, dtype=torch.float64) for _ in range(2))
    start.requires_grad_()
    rates = (0.05 + 0.1 * rates).requires_grad_()
    assert torch.autograd.gradcheck(after, (start, rates), eps=1e-5, atol=1e-8, rtol=1e-6)


def in_jax() -> None:
    import jax  # type: ignore[import-not-found]

    jax.config.update("jax_enable_x64", True)

    def run(u: Any, kappa: Any) -> Any:
        u_next = np.zeros(u.shape)
        kernels.step(u=u, u_next=u_next, kappa=kappa, ghosts=1)
        return u_next

    def run_adjoint(u: Any, kappa: Any, u_next_bar: Any) -> Any:
        u_bar, kappa_bar, given = np.zeros((3, *u.shape))
        given[1:-1, 1:-1] = u_next_bar[1:-1, 1:-1]
        bars = {"u_next_bar": given, "u_bar": u_bar, "kappa_bar": kappa_bar}
        kernels.step_adjoint(u=u, kappa=kappa, **bars, ghosts=1)
        return u_bar, kappa_bar

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def step(u: Any, kappa: Any) -> Any:
        """A step on arrays with a ghost layer, whose values are given: they get no gradient."""
        like = jax.ShapeDtypeStruct(u.shape, u.dtype)
        return jax.pure_callback(run, like, u, kappa, vmap_method="sequential")

    def backward(saved: Any, u_next_bar: Any) -> Any:
        like = jax.ShapeDtypeStruct(u_next_bar.shape, u_next_bar.dtype)
        return jax.pure_callback(run_adjoint, (like, like), *saved, u_next_bar, vmap_method="sequential")

    step.defvjp(lambda u, kappa: (step(u, kappa), (u, kappa)), backward)

    def misfit(u: Any, kappa: Any) -> Any:
        state, rates = jax.numpy.pad(u, 1), jax.numpy.pad(kappa, 1, constant_values=0.1)
        for _ in range(STEPS):
            state = step(state, rates)
        return (state[1:-1, 1:-1] ** 3).sum()

    random = np.random.default_rng(1)
    start, rates = random.random(CELLS), 0.05 + 0.1 * random.random(CELLS)
    towards = random.standard_normal((2, *CELLS))
    found = jax.jit(jax.grad(misfit, argnums=(0, 1)))(start, rates)
    slope = sum(float((bar * d).sum()) for bar, d in zip(found, towards, strict=True))
    h = 1e-5
    above, below = (misfit(start + s * h * towards[0], rates + s * h * towards[1]) for s in (1, -1))
    assert abs((above - below) / (2 * h) - slope) < 1e-6 * abs(slope)
    batch = jax.vmap(jax.grad(misfit), in_axes=(0, None))(np.stack([start, 2 * start]), rates)
    np.testing.assert_array_equal(batch[0], found[0])


if __name__ == "__main__":
    {"torch": in_torch, "jax": in_jax}[sys.argv[1]]()
    print("gradients agree")

# SPDX-License-Identifier: Apache-2.0
import heddle
import jax
import numpy as np
from heddle import Assignment, Module, fields
from jax import numpy as jnp
from scipy.optimize import minimize

jax.config.update("jax_enable_x64", True)
u, u_next, kappa = fields("u, u_next, kappa: real[2D]")
sides = (1, 0), (-1, 0), (0, 1), (0, -1)
flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides)
model = Module("conduction", about="Heat flows at a rate kappa that is to be found.", precisions=("f64",))
model.add("step", [Assignment(u_next.here, u.here + flow)])
model.add_adjoint("step")

step = heddle.in_jax(heddle.load(model)).step
n, steps = 48, 40
y, x = np.mgrid[: n + 2, : n + 2]
true = np.where(np.hypot(x - 30, y - 20) < 10, 0.2, 0.05)  # a disc in which heat flows well
start = np.pad(np.random.default_rng(1).random((n, n)), 1)  # ghost layers stay cold


def states(rates):
    def advance(u, _):
        u = step(u=u, u_next=jnp.zeros_like(u), kappa=rates, ghosts=1)
        return u, u[1:-1, 1:-1]

    return jax.lax.scan(advance, start, length=steps)[1]


@jax.jit
@jax.value_and_grad
def misfit(inner):
    rates = jnp.pad(inner.reshape(n, n), 1, constant_values=0.05)
    return ((states(rates) - data) ** 2).sum() / 2


data = states(true)
guess = np.full(n * n, 0.1)
limits = [(0, 0.24)] * n**2
fit = minimize(misfit, guess, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 100})
found = fit.x.reshape(n, n)

# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Assignment, Module, Reduce, fields
from scipy.optimize import minimize

u, u_next, kappa, seen = fields("u, u_next, kappa, seen: real[2D]")
sides = (1, 0), (-1, 0), (0, 1), (0, -1)
flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides)
model = Module("diffusion", about="Heat flows at a rate kappa that is to be found.", precisions=("f64",))
model.add("step", [Assignment(u_next.here, u.here + flow)])
model.add("misfit", [Reduce("sum", "misfit", (u.here - seen.here) ** 2 / 2)])
model.add_adjoint("step", accumulate="kappa")  # kappa_bar grows from step to step
model.add_adjoint("misfit", of="u", accumulate="u")

kernels = heddle.load(model)
n, steps = 48, 40
y, x = np.mgrid[: n + 2, : n + 2]
true = np.where(np.hypot(x - 30, y - 20) < 10, 0.2, 0.05)  # a disc in which heat flows well
states = np.zeros((steps + 1, n + 2, n + 2))  # all are kept; ghost layers stay cold
states[0, 1:-1, 1:-1] = np.random.default_rng(1).random((n, n))


def run(rates):
    for k in range(steps):
        kernels.step(u=states[k], u_next=states[k + 1], kappa=rates, ghosts=1)


def misfit(inner):
    """The sum over all steps, and its gradient: backwards in time."""
    rates = np.pad(inner.reshape(n, n), 1, constant_values=0.05)
    run(rates)
    total, (u_bar, before, kappa_bar) = 0.0, np.zeros((3, n + 2, n + 2))
    for k in range(steps, 0, -1):
        total += kernels.misfit(u=states[k], seen=data[k], ghosts=1)
        kernels.misfit_adjoint(u=states[k], seen=data[k], u_bar=u_bar, misfit_bar=1, ghosts=1)
        bars = {"u_next_bar": u_bar, "u_bar": before, "kappa_bar": kappa_bar}
        kernels.step_adjoint(u=states[k - 1], kappa=rates, **bars, ghosts=1)
        u_bar, before = before, u_bar
    return total, kappa_bar[1:-1, 1:-1].ravel()


run(true)
data = states.copy()
guess = np.full(n * n, 0.1)
limits = [(0, 0.24)] * n**2
fit = minimize(misfit, guess, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 100})
found = fit.x.reshape(n, n)

# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
import torch
from heddle import Assignment, Module, fields

u, u_next, kappa = fields("u, u_next, kappa: real[2D]")
sides = (1, 0), (-1, 0), (0, 1), (0, -1)
flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides)
model = Module("conduction", about="Heat flows at a rate kappa that is to be found.", precisions=("f64",))
model.add("step", [Assignment(u_next.here, u.here + flow)])
model.add_adjoint("step")

step = heddle.in_torch(heddle.load(model)).step
n, steps = 48, 40
y, x = np.mgrid[: n + 2, : n + 2]
true = np.where(np.hypot(x - 30, y - 20) < 10, 0.2, 0.05)  # a disc in which heat flows well
start = np.pad(np.random.default_rng(1).random((n, n)), 1)  # ghost layers stay cold


def states(rates):
    u, each = torch.from_numpy(start), []
    for _ in range(steps):
        u = step(u=u, u_next=torch.zeros_like(u), kappa=rates, ghosts=1)
        each.append(u[1:-1, 1:-1])
    return torch.stack(each)


def misfit(inner):
    rates = torch.nn.functional.pad(inner, (1, 1, 1, 1), value=0.05)
    return ((states(rates) - data) ** 2).sum() / 2


def closure():
    search.zero_grad()
    value = misfit(0.24 * torch.sigmoid(free))
    value.backward()
    return value


data = states(torch.from_numpy(true))
guess = torch.full((n, n), 0.1, dtype=torch.float64)
free = torch.logit(guess / 0.24).requires_grad_()  # any number stands for a rate between 0 and 0.24
search = torch.optim.LBFGS([free], max_iter=100, line_search_fn="strong_wolfe")
search.step(closure)
found = 0.24 * torch.sigmoid(free.detach())

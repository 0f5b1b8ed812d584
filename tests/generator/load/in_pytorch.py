# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of PyTorch. Every test run has PyTorch 1.13 of Debian (embedding.hosts.pytorch). A
newer one, whose torch.compile and opcheck take the operators, too, is run by `./test.sh --full` where it is,
and by hand after a change.

python in_pytorch.py [backend of torch.compile] [cpu | cuda]
"""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any

import heddle
import numpy as np
import pytest
import torch  # type: ignore[import-not-found, unused-ignore]
from fitting import STEPS, diffusion, numbers
from heddle import KernelError
from heddle.python.load import Kernels
from heddle.python.torch_operators import _OPERATORS
from test_examples import FEWER, result

BACKEND = sys.argv[1] if len(sys.argv) > 1 else "inductor"
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
COMPILES = hasattr(torch, "compile")
RANDOM = np.random.default_rng(3)


def arrays(*shape: int, dtype: str = "f8") -> dict[str, Any]:
    return {name: RANDOM.random(shape).astype(dtype) for name in ("u", "u_next", "kappa")}


def tensors(given: dict[str, Any]) -> dict[str, Any]:
    return {name: torch.from_numpy(array.copy()).to(DEVICE) for name, array in given.items()}


def the_bits_are_those_of_a_call(kernels: Kernels, ops: SimpleNamespace, dtype: str) -> None:
    given = arrays(9, 12, dtype=dtype)
    expected = tensors(given)
    energy = kernels.step(**expected, alpha=0.25, ghosts=1)
    for compiled in (False, True)[: 1 + COMPILES]:

        def step(alpha: Any, **given: Any) -> Any:
            return ops.step(**given, alpha=alpha, ghosts=1)

        def step_(alpha: Any, **given: Any) -> Any:
            return ops.step_(**given, alpha=alpha, ghosts=1)

        if compiled:
            step, step_ = (torch.compile(f, fullgraph=True, backend=BACKEND) for f in (step, step_))
        before = tensors(given)
        found = step(0.25, **before)
        assert torch.equal(found["u_next"], expected["u_next"])
        assert found["energy"] == torch.tensor(energy, dtype=found["u_next"].dtype)
        assert all(np.array_equal(before[name].cpu(), given[name]) for name in given)
        assert {tensor.device.type for tensor in found.values()} == {DEVICE}
        place = before["u_next"].data_ptr()
        assert step_(0.25, **before) == found["energy"]
        assert torch.equal(before["u_next"], expected["u_next"])
        assert before["u_next"].data_ptr() == place
        for alpha in (0.1, 0.2):  # compiled once
            assert torch.equal(
                step(alpha, **before)["u_next"], ops.step(**before, alpha=alpha, ghosts=1)["u_next"]
            )


def other_memory_and_streams(kernels: Kernels, ops: SimpleNamespace) -> None:
    """The bits of the CPU, in the stream that is the current one; tensors of the host are refused."""
    given = arrays(90, 120)
    on_host = {name: torch.from_numpy(array.copy()) for name, array in given.items()}
    heddle.load(diffusion()).step(**on_host, alpha=0.25, ghosts=1)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work = torch.rand(4096, 4096, device=DEVICE)
        for _ in range(20):  # keeps the stream busy, so that a call in another would come too early
            work = work @ work / work.norm()
        late = {name: tensor + 0 * work[0, 0] for name, tensor in tensors(given).items()}
        found = ops.step(**late, alpha=0.25, ghosts=1)["u_next"]
    stream.synchronize()
    assert torch.equal(found.cpu(), on_host["u_next"])
    refused(lambda: kernels.step(**on_host, alpha=0.25, ghosts=1), "fitting.step: ")


def steps_of(ops: SimpleNamespace) -> Any:
    def misfit(u: Any, kappa: Any, alpha: Any) -> Any:
        """As in examples/python/fit_diffusivity.py, after steps whose ghost layers PyTorch fills."""
        rates, total = torch.nn.functional.pad(kappa, (1, 1, 1, 1), value=0.1), 0.0
        for _ in range(STEPS):
            around = torch.nn.functional.pad(u[None, None], (1, 1, 1, 1), mode="circular")[0, 0]
            empty = torch.zeros_like(around)
            found = ops.step(u=around, u_next=empty, kappa=rates, alpha=alpha, ghosts=1)
            u, total = found["u_next"][1:-1, 1:-1].contiguous(), total + found["energy"]
        return (ops.grow(u=u, alpha=alpha) ** 3).sum() + total

    return misfit


def the_gradient_of_a_fit(ops: SimpleNamespace) -> None:
    misfit = steps_of(ops)
    at = [torch.tensor(a, dtype=torch.float64, device=DEVICE, requires_grad=True) for a in (*numbers(), 0.9)]
    assert torch.autograd.gradcheck(misfit, at, eps=1e-5, atol=1e-8, rtol=1e-6)
    eager = torch.autograd.grad(misfit(*at), at)
    if not COMPILES:
        return
    compiled = torch.autograd.grad(torch.compile(misfit, fullgraph=True, backend=BACKEND)(*at), at)
    for one, other in zip(eager, compiled, strict=True):
        assert (one - other).abs().max() < 1e-12 * one.abs().max()  # PyTorch contracts and sums otherwise


def the_example_finds_what_made_the_data() -> None:
    """Its gradient is that of central differences, and that of the loop that fit_diffusivity.py writes."""
    got = result("fit_torch", 48, **FEWER)
    misfit, guess = got["misfit"], got["guess"].requires_grad_()
    first = misfit(guess)
    first.backward()
    direction = torch.from_numpy(np.random.default_rng(3).standard_normal(guess.shape))
    with torch.no_grad():
        slope = (misfit(guess + 1e-6 * direction) - misfit(guess - 1e-6 * direction)) / 2e-6
        assert misfit(got["found"]) < first / 500
    assert float((guess.grad * direction).sum()) == pytest.approx(float(slope), rel=1e-6)
    true = got["true"][1:-1, 1:-1]
    assert abs(got["found"].numpy() - true).mean() < abs(0.1 - true).mean() / 10


def shapes_are_known_without_values(ops: SimpleNamespace) -> None:
    """Tensors of the device `meta` have no memory: what traces programs calls operators with such ones."""
    given = {name: torch.empty(9, 12, device="meta") for name in ("u", "u_next", "kappa")}
    found = ops.step(**given, alpha=0.1, ghosts=1)
    assert (found["u_next"].shape, found["energy"].shape) == ((9, 12), ())
    assert {tensor.dtype for tensor in found.values()} == {torch.float32}
    short = given | {"u": given["u"][1:]}
    refused(lambda: ops.step(**short, alpha=0.1, ghosts=1), "'u_next' has 7 cells along y, but 'u' has 6")


def what_a_derivative_needs_is_not_overwritten(ops: SimpleNamespace) -> None:
    u, v = torch.rand(2, 9, 12, dtype=torch.float64, device=DEVICE)
    v.requires_grad_()
    changed = v * 1
    squared = (changed**2).sum()
    with torch.no_grad():
        ops.step_(u=u, u_next=changed, kappa=u, alpha=0.1, ghosts=1)
    refused(squared.backward, "modified by an inplace operation", RuntimeError)


def mistakes_are_refused(ops: SimpleNamespace) -> None:
    u = torch.zeros(9, 12, dtype=torch.float64, device=DEVICE)
    given = {"u": u, "u_next": u.clone(), "kappa": u, "alpha": 1.0, "ghosts": 1}
    for wrong, what in [
        ({"u": 3.0}, "'u' is no tensor, but of type float"),
        ({"u": u[1:]}, "'u_next' has (7, 10) cells, but 'u' has (6, 10) cells"),
        ({"alpha": "x"}, "'alpha' is of type str, but a number is needed"),
        ({"alpha": torch.ones(2)}, "'alpha' has the shape (2,), but a number is needed"),
        ({"ghosts": 0}, "'u' of shape (9, 12) has too few ghost cells"),
        ({"kapa": u}, "no argument 'kapa'"),
    ]:
        refused(lambda wrong=wrong: ops.step(**given | wrong), what)  # type: ignore[misc]
    if COMPILES:
        short = torch.compile(lambda u: ops.step(**given | {"u": u}), fullgraph=True, backend="aot_eager")
        refused(lambda: short(u[1:]), "'u_next' has 7 cells along y, but 'u' has 6", Exception)
    wants = u.clone().requires_grad_()
    refused(lambda: ops.total(u=wants).backward(), "total: it has no derivative")
    refused(lambda: ops.step_(**given | {"u": wants}), "step_ writes to its tensors, which autograd")


def refused(call: Any, what: str, kind: type[Exception] = KernelError) -> None:
    with pytest.raises(kind, match=re.escape(what)):
        call()


if __name__ == "__main__":
    loaded = heddle.load(diffusion(), target=DEVICE)
    operators = heddle.in_torch(loaded)
    for kind in ("f8", "f4"):
        the_bits_are_those_of_a_call(loaded, operators, kind)
    if DEVICE != "cpu":
        other_memory_and_streams(loaded, operators)
    the_gradient_of_a_fit(operators)
    if DEVICE == "cpu":
        the_example_finds_what_made_the_data()
    shapes_are_known_without_values(operators)
    what_a_derivative_needs_is_not_overwritten(operators)
    mistakes_are_refused(operators)
    at = list(tensors(arrays(9, 12)).values())
    for name, operator in list(_OPERATORS.items()):
        if COMPILES and name.startswith("fitting_") and name.endswith(("_step", "_step_")):
            torch.library.opcheck(operator, (*at, torch.tensor(0.1, dtype=torch.float64), [1, 1]))
    print("PyTorch", torch.__version__, "agrees on", DEVICE)

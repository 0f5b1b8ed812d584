# SPDX-License-Identifier: Apache-2.0
"""The lattice Boltzmann family is complete: what is named together is generated together."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from heddle import Cells, Module, Sparse, lbm
from heddle.build import files
from heddle.lbm import boundary

pytestmark = pytest.mark.slow
PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)
D2Q9, D3Q27 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q27")
BOUNDS = ("nu_min", "nu_max")
EDDIES = (lbm.Smagorinsky(), lbm.Vreman(), lbm.WALE())
NAMED = (lbm.Smagorinsky("C_s"), lbm.Vreman("C_v"), lbm.WALE("C_w"))
FLUIDS = (
    lbm.PowerLaw(consistency="K", exponent="n", bounds=BOUNDS),
    lbm.Carreau(at_rest="nu_0", at_infinity="nu_inf", time="lambda_c", exponent="n"),
    lbm.HerschelBulkley(consistency="K", exponent="n", yield_stress="tau_y", growth="m", bounds=BOUNDS),
)
Operator: TypeAlias = Callable[..., lbm.CollisionOperator]
OPERATORS: dict[str, tuple[Operator, lbm.Lattice]] = {
    "BGK": (lbm.BGK, D2Q9),
    "TRT": (lbm.TRT, D2Q9),
    "MRT": (lbm.MRT, D2Q9),
    "MRT raw": (lambda lattice, **options: lbm.MRT(lattice, basis="raw", **options), D2Q9),
    "CentralMoment": (lbm.CentralMoment, D2Q9),
    "Cumulant": (lbm.Cumulant, D2Q9),
    "ParametrisedCumulant": (lbm.ParametrisedCumulant, D3Q27),
    "Regularised": (lbm.Regularised, D2Q9),
    "RecursiveRegularised": (lbm.RecursiveRegularised, D2Q9),
    "KBC": (lbm.KBC, D2Q9),
}
TWO_RATES = tuple(name for name in OPERATORS if name not in ("BGK", "TRT", "KBC"))
CENTRAL_MOMENTS = ("CentralMoment", "Cumulant", "ParametrisedCumulant", "KBC")
CONDITIONS: dict[str, Callable[[], lbm.BoundaryCondition]] = {
    "NoSlip": lambda: lbm.NoSlip(D2Q9),
    "VelocityBounceBack": lambda: lbm.VelocityBounceBack(("v_x", "v_y")),
    "FreeSlip": lbm.FreeSlip,
    "PressureAntiBounceBack": lambda: lbm.PressureAntiBounceBack("rho_out", ("v_x", "v_y")),
    "Outflow": lbm.Outflow,
    "ConvectiveOutflow": lambda: lbm.ConvectiveOutflow("speed"),
    "PressureJump": lambda: lbm.PressureJump("jump"),
    "Bouzidi": lambda: lbm.Bouzidi("wall"),
    "Bouzidi quadratic": lambda: lbm.Bouzidi("wall", order="quadratic"),
    "ScalarValue": lambda: lbm.ScalarValue("T_wall"),
    "ScalarFlux": lambda: lbm.ScalarFlux(0),
}
"""All that there are."""


def test_every_condition_has_a_row() -> None:
    """A condition is a file of `heddle.lbm.boundary` and no more, so the package is asked, not a list."""
    found = set()
    for module in pkgutil.iter_modules(boundary.__path__, f"{boundary.__name__}."):
        for one in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(one, type)
                and issubclass(one, lbm.BoundaryCondition)
                and not inspect.isabstract(one)
            ):
                found.add(one)
    assert found == {type(make()) for make in CONDITIONS.values()}


def lowered(module: Module, target: str = "cpu") -> None:
    for kernel in module.kernels:
        for chosen in module.precisions:
            module.stages(kernel, chosen, target)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator(name: str) -> None:
    """With forces, subgrid models, every rheology; and, but for the moving frame, incompressible. Dense and,
    where velocity gradients take another way there, over a list: each becomes text."""
    make, lattice = OPERATORS[name]
    force = ("g_x", "g_y", "g_z")[: lattice.dimension]
    stream = lbm.Pull(lattice)
    module = Module("m", precisions=("f64",))
    for options in (
        *({"eddy_viscosity": model} for model in EDDIES),
        *({"rheology": law} for law in FLUIDS),
        *([] if name in CENTRAL_MOMENTS else [{"compressible": False}]),
    ):
        kernels = stream(make(lattice, force=force, **options))
        module.add(f"k_{len(module.kernels)}", kernels)
        stream.strain_rate(make(lattice, force=force, **options))
        if kernels.over_list is not None:
            module.add(f"k_{len(module.kernels)}", kernels, space=Sparse("fluid"))
    texts = files(module, ["cpu"])
    assert {f"{kernel}.cpp" for kernel in module.kernels} <= {path.rsplit("/", 1)[-1] for path in texts}
    assert len(module.kernels) == (8 if name in CENTRAL_MOMENTS else 9)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_with_everything_named(name: str) -> None:
    """Each model of the viscosity with its constants as arguments, each force, a rate of its own for the
    trace of the stress where there is one: what they call their values goes together."""
    make, lattice = OPERATORS[name]
    d, module = lattice.dimension, Module("m", precisions=("f64",))
    bulk: dict[str, Any] = {"omega_bulk": "omega_bulk"} if name in TWO_RATES else {}
    for model in ({}, *({"eddy_viscosity": eddy} for eddy in NAMED), *({"rheology": law} for law in FLUIDS)):
        for force in (("g_x", "g_y", "g_z")[:d], lbm.boussinesq(lattice, (0, "g", 0)[:d])):
            step = lbm.Pull(lattice)(make(lattice, force=force, **bulk, **model))
            module.add(f"k_{len(module.kernels)}", step)
    for kernel in module.kernels:
        module.typed(kernel, "f64")


@pytest.mark.parametrize(
    ("name", "lattice"),
    [
        *(("Regularised", lattice) for lattice in ("D2Q9", "D3Q15", "D3Q19", "D3Q27")),
        *(("RecursiveRegularised", lattice) for lattice in ("D2Q9", "D3Q19", "D3Q27")),
    ],
)
def test_every_model_with_moments_in_memory(name: str, lattice: str) -> None:
    found, module = lbm.Lattice(lattice), Module("m", precisions=("f32",))
    d = found.dimension
    forces = [None] if name == "RecursiveRegularised" else [None, lbm.boussinesq(found, (0, "g", 0)[:d])]
    storage = lbm.MomentStorage(found, walls="walls", lid="lid", velocity=("v_x", "v_y", "v_z")[:d])
    for model in ({}, *({"eddy_viscosity": eddy} for eddy in NAMED), *({"rheology": law} for law in FLUIDS)):
        for force in forces:
            operator = OPERATORS[name][0](found, omega_bulk="omega_bulk", force=force, **model)
            module.add(f"k_{len(module.kernels)}", storage(operator))
            if not model:
                sides = {"in": lbm.VelocityBounceBack(("v_x", 0, 0)[:d]), "body": lbm.Bouzidi()}
                sweep = storage.boundary(operator, sides, force="drag", of="body")
                module.add(f"k_{len(module.kernels)}", sweep, space=Cells("sides"))
    for kernel in module.kernels:
        module.typed(kernel, "f32")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_with_every_pattern(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    make, lattice = OPERATORS[name]
    module = Module("m", precisions=("f16",))
    module.add("step", pattern(lattice)(make(lattice)))
    lowered(module, "cuda")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", ["D2Q5", "D2Q9", "D3Q7", "D3Q15", "D3Q19", "D3Q27"])
def test_every_lattice_with_every_pattern(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    """Those that carry no momentum carry a scalar."""
    lattice = lbm.Lattice(name)
    stream = pattern(lattice)
    module = Module("m", precisions=("f32",))
    if lattice.isotropy() >= 4:
        module.add("step", stream(lbm.BGK(lattice)))
        if pattern in (lbm.Pull, lbm.EsoTwist):
            module.add("moments", stream.moments(pressure="p"))
            module.add("strain", stream.strain_rate(lbm.BGK(lattice)))
    module.add("scalar", stream(lbm.AdvectionDiffusion(lattice, "omega", u="u")))
    lowered(module)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", CONDITIONS)
def test_every_boundary_with_every_pattern(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    """Over faces and over lists, with the force on it. Free slip lies in the table of lists whose links lead
    back to the own cell at walls."""
    stream = pattern(D2Q9, ghost_layers=2)
    module = Module("m", precisions=("f64",))
    module.add("face", stream.boundary(CONDITIONS[name](), face="e", force="drag"))
    if name != "FreeSlip" or pattern in (lbm.EsoTwist, lbm.EsoPull):
        over_a_list = stream.boundary(CONDITIONS[name](), normal="e", force="drag", torque="couple")
        module.add("list", over_a_list, space=Sparse("wall", listed=True))
    for target in ("cpu", "cuda"):
        lowered(module, target)

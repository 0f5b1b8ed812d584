# SPDX-License-Identifier: Apache-2.0
"""The usual mistakes: a name where an object is meant, a class, a number for a vector, another space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle import Cells, Dense, Module, Schedule, Sparse, fields, lbm

D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
ANY: Any = lbm
"""Not typed: what follows is wrong."""
STREAM: Any = lbm.AA(D2Q9)
STEP = STREAM(lbm.BGK(D2Q9))
LIST, BODY = Sparse("wall", listed=True), Cells("body")
NO_LATTICE = ' is no lattice.\n  Hint: lbm.Lattice("D3Q19"), of this or another name'
EDDY = "\n  Hint: eddy_viscosity=lbm.Smagorinsky()"
LAW = '\n  Hint: rheology=lbm.PowerLaw(consistency="K", exponent="m")'
CONDITION = "\n  Hint: stream.boundary(lbm.FreeSlip(), face=...)"
VECTOR = '\n  Hint: give one entry an axis, such as ("u_x", 0)'
SPACE = '\n  Hint: heddle.Dense(), Sparse("fluid"), Cells("body")'
PRECISIONS = '\n  Hint: precisions=("f64",), with its comma, or ("f64", "f32")'
WEIGHTS = '\n  Hint: by the class of directions: {"rest": "1/10", "axis": "3/20"}'
EXACT = '\n  Hint: exact ones, such as "1/18" or Fraction(1, 18)'
BESIDE_A_BODY = (
    "of the boundary, which cells beside a body do not have.\n  Hint: face=... at a side of the box; "
    "around a body a condition on links: NoSlip, VelocityBounceBack, Bouzidi, PressureAntiBounceBack, "
    "ScalarValue, ScalarFlux"
)
BOTH = (
    "a kernel does both.\n  Hint: module.add(name, stream(collision)), with stream = lbm.AA(lattice) and "
    "collision = lbm.BGK(lattice)"
)
OF_A_LIST = (
    "'k' is a sweep over a list of cells, and its space is another one.\n  Hint: stream.boundary(condition, "
    "face=...) for the cells at a side of a dense box, cells=True for a body in it; or "
    "space=heddle.Sparse(name, listed=True)"
)
OF_A_FACE = (
    "'k' is a sweep over the layer of cells at a side of a dense box, and its space is another one.\n  Hint: "
    "leave out the space, or over a list leave out face (and say normal=... where it is needed)"
)


def add(statements: Any, space: Any = None, schedule: Any = None) -> None:
    """Generate a kernel `k`."""
    module = Module("m", precisions=("f64",))
    module.add("k", statements, space=space, schedule=schedule)
    for kernel in module.kernels:
        module.stages(kernel, "f64", "cuda")


def moved(**options: Any) -> Any:
    return STREAM.boundary(lbm.VelocityBounceBack(("u", 0)), **options)


REGULARISED = lbm.Regularised(D2Q9)
BY_NAME = '\n  Hint: storage.boundary(collide, {"body": lbm.Bouzidi()}), one or more'
AGAIN = (
    "moments in memory have no populations to set between steps: a boundary does the step of listed cells "
    'again.\n  Hint: storage.boundary(collide, {"body": lbm.Bouzidi()}), with space=heddle.Cells(name)'
)


def beside(*given: Any, **options: Any) -> Any:
    return ANY.MomentStorage(D2Q9).boundary(*given, **options)


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: ANY.AA("D3Q19"), "'D3Q19'" + NO_LATTICE),
    (lambda: ANY.EsoTwist("D3Q19"), "'D3Q19'" + NO_LATTICE),
    (lambda: ANY.Pull(None), "None" + NO_LATTICE),
    (lambda: ANY.MomentStorage("D3Q19"), "'D3Q19'" + NO_LATTICE),
    (lambda: ANY.NoSlip("D2Q9"), "'D2Q9'" + NO_LATTICE),
    (lambda: ANY.AdvectionDiffusion("D2Q5"), "'D2Q5'" + NO_LATTICE),
    (lambda: ANY.boussinesq("D2Q9", (0, "g")), "'D2Q9'" + NO_LATTICE),
    *(
        (lambda name=name: getattr(lbm, name)("D3Q27"), "'D3Q27'" + NO_LATTICE)
        for name in (
            *("BGK", "TRT", "MRT", "CentralMoment", "Cumulant", "ParametrisedCumulant", "Regularised"),
            *("RecursiveRegularised", "KBC", "ConsistentInitialisation"),
        )
    ),
    (
        lambda: ANY.BGK(D2Q9, eddy_viscosity=lbm.Smagorinsky),
        "Smagorinsky is a class; what is asked for is a subgrid model, an object." + EDDY,
    ),
    (lambda: ANY.BGK(D2Q9, eddy_viscosity="Smagorinsky"), "'Smagorinsky' is not a subgrid model." + EDDY),
    (
        lambda: STREAM.strain_rate(lbm.TRT),
        "TRT is a class; what is asked for is the operator of a collision, an object.\n"
        "  Hint: stream.strain_rate(lbm.TRT(lattice))",
    ),
    (
        lambda: ANY.BGK(D2Q9, rheology=lbm.PowerLaw),
        "PowerLaw is a class; what is asked for is a law of the viscosity, an object." + LAW,
    ),
    (
        lambda: ANY.BGK(D2Q9, compressible="no"),
        "compressible = 'no' is neither True nor False.\n  Hint: compressible=True or False",
    ),
    (
        lambda: ANY.KBC(D2Q9, compressible="no"),
        "compressible = 'no' is neither True nor False.\n  Hint: compressible=True or False",
    ),
    (
        lambda: STREAM.moments(compressible=0),
        "compressible = 0 is neither True nor False.\n  Hint: compressible=True or False",
    ),
    (
        lambda: STREAM.initialise(compressible=None),
        "compressible = None is neither True nor False.\n  Hint: compressible=True or False",
    ),
    (
        lambda: ANY.AA(D2Q9, zero_centred="yes"),
        "zero_centred = 'yes' is neither True nor False.\n  Hint: zero_centred=True or False",
    ),
    (
        lambda: ANY.AA(D2Q9, halfway_mask="walls"),
        "AA has no use for halfway_mask: its walls lie half-way by themselves.\n"
        "  Hint: leave it out; EsoTwist and EsoPull take it",
    ),
    (
        lambda: add(ANY.EsoTwist(D2Q9, halfway_mask=True)(lbm.BGK(D2Q9))),
        'True is no name of a field.\n  Hint: a text, such as "u"',
    ),
    (
        lambda: ANY.Pull(D2Q9, "f", "f"),
        "Pull reads one array and writes another one; 'f' is given for both.\n"
        "  Hint: two names, or AA, EsoTwist or EsoPull, which work in place",
    ),
    (
        lambda: lbm.Bouzidi(-0.5),
        "a wall at -1/2 of a link does not lie on it.\n"
        "  Hint: a distance from 0 to 1, in lengths of the link",
    ),
    (lambda: ANY.AA(D2Q9, 3), '3 is no name of a field.\n  Hint: a text, such as "u"'),
    (
        lambda: STREAM(lbm.BGK),
        "BGK is a class; what is asked for is a collision, an object.\n  Hint: stream(lbm.BGK(lattice))",
    ),
    (lambda: STREAM([1]), "[1] is not a collision.\n  Hint: stream(lbm.BGK(lattice))"),
    (
        lambda: ANY.MomentStorage(D2Q9)(lbm.Regularised),
        "Regularised is a class; what is asked for is a collision, an object.\n"
        "  Hint: storage(lbm.Regularised(lattice))",
    ),
    (
        lambda: STREAM.boundary(lbm.FreeSlip, face="e"),
        "FreeSlip is a class; what is asked for is a boundary condition, an object." + CONDITION,
    ),
    (lambda: STREAM.boundary("NoSlip", face="e"), "'NoSlip' is not a boundary condition." + CONDITION),
    (
        lambda: STREAM.boundary(lbm.BGK(D2Q9), face="e"),
        "an object of BGK is not a boundary condition." + CONDITION,
    ),
    (lambda: add(STREAM), "AA streams; " + BOTH),
    (lambda: add(lbm.BGK(D2Q9)), "BGK collides; " + BOTH),
    (
        lambda: add(3),
        "3 is not statements, or what a streaming pattern makes of a collision.\n"
        "  Hint: module.add(name, [Assignment(...)])",
    ),
    (lambda: add(STEP, "fluid"), "'fluid' is not an iteration space." + SPACE),
    (
        lambda: add(STEP, Sparse),
        "Sparse is a class; what is asked for is an iteration space, an object." + SPACE,
    ),
    (lambda: add(STEP, None, "fast"), "'fast' is not a schedule.\n  Hint: heddle.Schedule(...)"),
    (lambda: ANY.VelocityBounceBack(0.1), "the velocity of a wall is a vector, not 0.1." + VECTOR),
    (lambda: ANY.VelocityBounceBack("uv"), "the velocity of a wall is a vector, not 'uv'." + VECTOR),
    (lambda: ANY.Bouzidi("q", "uv"), "the velocity of a wall is a vector, not 'uv'." + VECTOR),
    (
        lambda: ANY.PressureAntiBounceBack(1, "uv"),
        "the velocity at a boundary is a vector, not 'uv'." + VECTOR,
    ),
    (
        lambda: ANY.MomentStorage(D2Q9, walls="walls", lid="lid", velocity="uv"),
        "the velocity of a lid is a vector, not 'uv'." + VECTOR,
    ),
    (lambda: ANY.AdvectionDiffusion(D2Q9, u=3), "a velocity is a vector, not 3." + VECTOR),
    (lambda: ANY.boussinesq(D2Q9, "xy"), "gravity is a vector, not 'xy'." + VECTOR),
    (
        lambda: STREAM.boundary(lbm.NoSlip(D2Q9), face="e", torque="turn", arm="xy"),
        "an arm is a vector, not 'xy'." + VECTOR,
    ),
    (
        lambda: ANY.Lattice(19),
        "'19' is not a lattice.\n  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27",
    ),
    (
        lambda: ANY.Lattice(9, {"rest": "4/9", "axis": "1/9", "edge": "1/36"}),
        "'9' with weights of rest, axis, edge is not a lattice of your own.\n"
        "  Hint: a name such as D3Q7_warm that is not taken; weights of rest and some of axis, edge, corner",
    ),
    (
        lambda: ANY.Lattice("D2Q9_x", [1, 2, 3]),
        "the weights of 'D2Q9_x' are [1, 2, 3], which does not say to what they belong." + WEIGHTS,
    ),
    (
        lambda: ANY.Lattice("D2Q9_x", {0: "4/9", 1: "1/9", 2: "1/36"}),
        "'D2Q9_x' with weights of 0, 1, 2 is not a lattice of your own.\n"
        "  Hint: a name such as D3Q7_warm that is not taken; weights of rest and some of axis, edge, corner",
    ),
    (
        lambda: lbm.Lattice("D2Q9_x", {"rest": "1/0", "axis": "1/9", "edge": "1/36"}),
        "the weights of D2Q9_x are not all numbers from 0 to 1." + EXACT,
    ),
    (
        lambda: Module("m", precisions="f64"),
        "the precisions of 'm' are 'f64': not one, nor several of them." + PRECISIONS,
    ),
    (
        lambda: Module("m", precisions=()),
        "the precisions of 'm' are (): not one, nor several of them." + PRECISIONS,
    ),
    (
        lambda: Module("m", precisions=(64,)),  # type: ignore[arg-type]
        "'64' is not a precision.\n  Hint: storage f16, f32, f64; arithmetic f32, f64; as \"f32/f64\"",
    ),
    (lambda: add(moved()), OF_A_LIST),
    (lambda: add(STREAM.boundary(lbm.NoSlip(D2Q9)), Dense()), OF_A_LIST),
    (lambda: add(STREAM.boundary(lbm.Outflow(), normal="e")), OF_A_LIST),
    (lambda: add(moved(face="e"), LIST), OF_A_FACE),
    (
        lambda: add(STEP, Sparse("fluid"), Schedule(coarsening=2)),
        "'k_even' asks for 2 cells a thread; those of a list have one.\n"
        "  Hint: use a dense space, or leave out coarsening",
    ),
    (lambda: STREAM.boundary(lbm.Outflow(), cells=True), "an outflow needs the normal " + BESIDE_A_BODY),
    (lambda: STREAM.boundary(lbm.FreeSlip(), cells=True), "free slip needs the normal " + BESIDE_A_BODY),
    (lambda: beside(lbm.NoSlip(D2Q9), face="w"), AGAIN),
    (lambda: beside(REGULARISED), "boundaries of moments in memory are given by name." + BY_NAME),
    (
        lambda: beside(REGULARISED, {"a body": lbm.Bouzidi()}),
        "'a body' is not a name for a boundary." + BY_NAME,
    ),
    (
        lambda: beside(REGULARISED, {"hot": lbm.ScalarValue(1)}),
        "ScalarValue is for a scalar, and these are the moments of a flow.\n"
        "  Hint: another streaming pattern for the scalar",
    ),
    (
        lambda: beside(REGULARISED, {"out": lbm.Outflow()}),
        "an outflow needs the normal of the boundary, which listed cells do not have by themselves.\n"
        '  Hint: say on which side the outside lies: storage.boundary(..., sides={"outlet": "e"}); around a '
        "body a condition on links: NoSlip, VelocityBounceBack, Bouzidi, PressureAntiBounceBack",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, sides={"outlet": "e"}),
        "'outlet' is not a boundary here.\n  Hint: one of body",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, force="drag", of="inlet"),
        "'inlet' is not a boundary here.\n  Hint: one of body",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, of="body"),
        "`of` says of which boundaries the sums of force and torque are.\n"
        '  Hint: force="drag", of=("body",); or leave it out',
    ),
    (lambda: lbm.ConvectiveOutflow(-1), "speed = -1 is not above 0."),
    (
        lambda: add(STREAM(lbm.BGK(D2Q9, "cell_count")), Sparse("fluid")),
        "'cell_count' cannot be a name here: a kernel over a list of cells uses it itself.\n"
        "  Hint: choose another name",
    ),
]
"""What is written, and what is said of it."""


def right() -> None:
    """What stands beside these is taken."""
    for space in (None, Sparse("fluid")):
        add(STREAM(lbm.BGK(D2Q9, rheology=lbm.PowerLaw(consistency="K", exponent="n"))), space)
    add(moved(), LIST)
    add(moved(face="e"))
    add(moved(cells=True), BODY)
    add(beside(REGULARISED, {"body": lbm.Bouzidi()}, force="drag", of="body"), BODY)
    add(STREAM.boundary(lbm.VelocityBounceBack(fields("u: real[2D]").here * n for n in (1, 2)), face="e"))
    lbm.ConvectiveOutflow("speed")

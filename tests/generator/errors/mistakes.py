# SPDX-License-Identifier: Apache-2.0
"""The usual mistakes: a name where an object is meant, a class, a number for a vector, another space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle import Cells, Dense, Module, Schedule, Sparse, Threads, fields, lbm

D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
ANY: Any = lbm
"""Not typed: what follows is wrong."""
STREAM: Any = lbm.AA(D2Q9)
STEP = STREAM(lbm.BGK(D2Q9))
LIST, BODY = Sparse("wall", listed=True), Cells("body")
NO_LATTICE = ' is not a lattice.\n  Hint: pass lbm.Lattice("D3Q19") or another lattice'
EDDY = "\n  Hint: eddy_viscosity=lbm.Smagorinsky()"
LAW = '\n  Hint: rheology=lbm.PowerLaw(consistency="K", exponent="m")'
CONDITION = "\n  Hint: stream.boundary(lbm.FreeSlip(), face=...)"
VECTOR = '\n  Hint: give one entry per axis, such as ("u_x", 0)'
SPACE = '\n  Hint: heddle.Dense(), Sparse("fluid"), Cells("body")'
PRECISIONS = '\n  Hint: write precisions=("f64",), with its comma, or ("f64", "f32")'
WEIGHTS = '\n  Hint: give weights by class of direction: {"rest": "1/10", "axis": "3/20"}'
EXACT = '\n  Hint: use exact numbers, such as "1/18" or Fraction(1, 18)'
BESIDE_A_BODY = (
    "of the boundary, which is unknown for cells around a body.\n"
    "  Hint: use face=... at a side of the box; around a body use a condition on links: NoSlip, "
    "VelocityBounceBack, Bouzidi, PressureAntiBounceBack, ScalarValue, ScalarFlux"
)
BOTH = (
    "a kernel needs both.\n"
    "  Hint: write module.add(name, stream(collision)), with stream = lbm.AA(lattice) and "
    "collision = lbm.BGK(lattice)"
)
OF_A_LIST = (
    "'k' is a sweep over a list of cells, but its space is not a list.\n"
    "  Hint: use stream.boundary(condition, face=...) for the cells at a side of a dense box, "
    "cells=True for a body in it, or space=heddle.Sparse(name, listed=True)"
)
OF_A_FACE = (
    "'k' is a sweep over the cells at a side of a dense box, but its space is a list.\n"
    "  Hint: leave out the space; or, over a list, leave out face (and give normal=... where it "
    "is needed)"
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
    "moment storage keeps no populations that could be set between steps; its boundary kernels "
    "repeat the step for listed cells.\n"
    '  Hint: use storage.boundary(collide, {"body": lbm.Bouzidi()}), with '
    "space=heddle.Cells(name)"
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
        "Smagorinsky is a class, but a subgrid model is expected, which must be an object." + EDDY,
    ),
    (lambda: ANY.BGK(D2Q9, eddy_viscosity="Smagorinsky"), "'Smagorinsky' is not a subgrid model." + EDDY),
    (
        lambda: STREAM.strain_rate(lbm.TRT),
        "TRT is a class, but the operator of a collision is expected, which must be an object.\n"
        "  Hint: stream.strain_rate(lbm.TRT(lattice))",
    ),
    (
        lambda: ANY.BGK(D2Q9, rheology=lbm.PowerLaw),
        "PowerLaw is a class, but a law of the viscosity is expected, which must be an object." + LAW,
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
        "AA does not support halfway_mask: its walls always lie half-way between cells.\n"
        "  Hint: leave it out; only EsoTwist and EsoPull support it",
    ),
    (
        lambda: add(ANY.EsoTwist(D2Q9, halfway_mask=True)(lbm.BGK(D2Q9))),
        'True is not a valid field name.\n  Hint: pass an identifier as a string, such as "u"',
    ),
    (
        lambda: ANY.Pull(D2Q9, "f", "f"),
        "Pull needs two arrays, but 'f' is given for both.\n"
        "  Hint: use two names, or AA, EsoTwist or EsoPull, which work in place",
    ),
    (
        lambda: lbm.Bouzidi(-0.5),
        "a wall distance of -1/2 is not on the link.\n"
        "  Hint: use a distance from 0 to 1, in units of the link's length",
    ),
    (
        lambda: ANY.AA(D2Q9, 3),
        '3 is not a valid field name.\n  Hint: pass an identifier as a string, such as "u"',
    ),
    (
        lambda: STREAM(lbm.BGK),
        "BGK is a class, but a collision is expected, which must be an object.\n"
        "  Hint: stream(lbm.BGK(lattice))",
    ),
    (lambda: STREAM([1]), "[1] is not a collision.\n  Hint: stream(lbm.BGK(lattice))"),
    (
        lambda: ANY.MomentStorage(D2Q9)(lbm.Regularised),
        "Regularised is a class, but a collision is expected, which must be an object.\n"
        "  Hint: storage(lbm.Regularised(lattice))",
    ),
    (
        lambda: STREAM.boundary(lbm.FreeSlip, face="e"),
        "FreeSlip is a class, but a boundary condition is expected, which must be an object." + CONDITION,
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
        "3 is not a list of statements, or a collision bound to a streaming pattern.\n"
        "  Hint: module.add(name, [Assignment(...)])",
    ),
    (lambda: add(STEP, "fluid"), "'fluid' is not an iteration space." + SPACE),
    (
        lambda: add(STEP, Sparse),
        "Sparse is a class, but an iteration space is expected, which must be an object." + SPACE,
    ),
    (lambda: add(STEP, None, "fast"), "'fast' is not a schedule.\n  Hint: heddle.Schedule(...)"),
    (lambda: ANY.VelocityBounceBack(0.1), "the velocity of a wall is a vector, not 0.1." + VECTOR),
    (lambda: ANY.VelocityBounceBack("uv"), "the velocity of a wall is a vector, not 'uv'." + VECTOR),
    (
        lambda: ANY.VelocityBounceBack(lambda y: (y, 0)),
        "a wall velocity that is a function takes the coordinates of a place, one per axis.\n"
        "  Hint: write lambda x, y: (..., ...) in a plane, lambda x, y, z: (..., ..., ...) in space",
    ),
    (
        lambda: ANY.VelocityBounceBack(lambda x, y: (y, 0, 0)),
        "a wall velocity of 2 coordinates has 2 components, not 3.\n  Hint: give one entry per axis",
    ),
    (
        lambda: ANY.Bouzidi(velocity=lambda x, y: y),
        "the velocity of a wall is a vector, not _y." + VECTOR,
    ),
    (
        lambda: ANY.AA(D2Q9).boundary(ANY.VelocityBounceBack(lambda x, y, z: (y, 0, 0)), face="w"),
        "a velocity on D2Q9 has 2 components, not 3.\n  Hint: give one entry per axis",
    ),
    (
        lambda: ANY.AA(D2Q9).boundary(ANY.VelocityBounceBack(ANY.PerLink("u")), face="w"),
        "fields per link belong to the entries of a list, but this sweep runs over a dense face.\n"
        "  Hint: give the velocity as a function of the place, velocity=lambda x, y: (..., 0), "
        "or as a vector",
    ),
    (
        lambda: ANY.PerLink("2"),
        "'2' cannot be the prefix of fields.\n  Hint: use a name, such as PerLink('u')",
    ),
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
        "'9' with weights of rest, axis, edge is not a valid custom lattice.\n"
        "  Hint: choose a name that is not taken, such as D3Q7_warm; give weights of rest and of "
        "some of axis, edge, corner",
    ),
    (
        lambda: ANY.Lattice("D2Q9_x", [1, 2, 3]),
        "the weights of 'D2Q9_x' are [1, 2, 3], which does not name the classes of directions." + WEIGHTS,
    ),
    (
        lambda: ANY.Lattice("D2Q9_x", {0: "4/9", 1: "1/9", 2: "1/36"}),
        "'D2Q9_x' with weights of 0, 1, 2 is not a valid custom lattice.\n"
        "  Hint: choose a name that is not taken, such as D3Q7_warm; give weights of rest and of "
        "some of axis, edge, corner",
    ),
    (
        lambda: lbm.Lattice("D2Q9_x", {"rest": "1/0", "axis": "1/9", "edge": "1/36"}),
        "the weights of D2Q9_x must be numbers from 0 to 1." + EXACT,
    ),
    (
        lambda: Module("m", precisions="f64"),
        "'m' has the precisions 'f64', which is not a tuple of at least one precision." + PRECISIONS,
    ),
    (
        lambda: Module("m", precisions=()),
        "'m' has the precisions (), which is not a tuple of at least one precision." + PRECISIONS,
    ),
    (
        lambda: Module("m", precisions=(64,)),  # type: ignore[arg-type]
        "'64' is not a precision.\n"
        '  Hint: write storage/arithmetic, such as "f32/f64": storage is f16, f32 or f64, arithmetic '
        "f32 or f64",
    ),
    (lambda: add(moved()), OF_A_LIST),
    (lambda: add(STREAM.boundary(lbm.NoSlip(D2Q9)), Dense()), OF_A_LIST),
    (lambda: add(STREAM.boundary(lbm.Outflow(), normal="e")), OF_A_LIST),
    (lambda: add(moved(face="e"), LIST), OF_A_FACE),
    (
        lambda: add(STEP, Sparse("fluid"), Schedule(gpu=Threads(coarsening=2))),
        "'k_even' runs over a list, which does not support coarsening: its cells form no rows.\n"
        "  Hint: leave out coarsening, or use a dense space",
    ),
    (
        lambda: add(STEP, Sparse("fluid"), Schedule(gpu=Threads(same_strides=True))),
        "'k_even' runs over a list, which does not support same_strides: its cells form no rows.\n"
        "  Hint: leave out same_strides, or use a dense space",
    ),
    (lambda: STREAM.boundary(lbm.Outflow(), cells=True), "an outflow needs the normal " + BESIDE_A_BODY),
    (lambda: STREAM.boundary(lbm.FreeSlip(), cells=True), "free slip needs the normal " + BESIDE_A_BODY),
    (lambda: beside(lbm.NoSlip(D2Q9), face="w"), AGAIN),
    (lambda: beside(REGULARISED), "boundaries of moment storage must be given by name." + BY_NAME),
    (
        lambda: beside(REGULARISED, {"a body": lbm.Bouzidi()}),
        "'a body' is not a valid name for a boundary." + BY_NAME,
    ),
    (
        lambda: beside(REGULARISED, {"hot": lbm.ScalarValue(1)}),
        "ScalarValue is a condition for scalars, but this storage holds the moments of a flow.\n"
        "  Hint: use another streaming pattern for the scalar",
    ),
    (
        lambda: beside(REGULARISED, {"out": lbm.Outflow()}),
        "an outflow needs the normal of the boundary, which listed cells do not define.\n"
        '  Hint: give the outward side: storage.boundary(..., sides={"outlet": "e"}); around a body '
        "use a condition on links: NoSlip, VelocityBounceBack, Bouzidi, PressureAntiBounceBack",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, sides={"outlet": "e"}),
        "'outlet' is not the name of a boundary.\n  Hint: one of body",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, force="drag", of="inlet"),
        "'inlet' is not the name of a boundary.\n  Hint: one of body",
    ),
    (
        lambda: beside(REGULARISED, {"body": lbm.Bouzidi()}, of="body"),
        "`of` selects boundaries whose force and torque are summed, but no sum is requested or no "
        "boundary is selected.\n"
        '  Hint: add force="drag" to of=("body",), or leave it out',
    ),
    (
        lambda: lbm.ConvectiveOutflow(-1),
        "speed = -1 must be greater than 0.\n  Hint: pass a positive number, or the name of an argument",
    ),
    (
        lambda: add(STREAM(lbm.BGK(D2Q9, "cell_count")), Sparse("fluid")),
        "'cell_count' cannot be used as a name here: emitted kernels over a list use this name.\n"
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

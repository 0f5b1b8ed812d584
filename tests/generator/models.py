# SPDX-License-Identifier: Apache-2.0
"""Models to test with: random ones from a seed, and the kinds of kernels that Heddle is for."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import sympy
from heddle import (
    Assignment,
    Cells,
    If,
    KernelError,
    Module,
    Reduce,
    Rows,
    Scan,
    Schedule,
    Section,
    Sparse,
    Strips,
    While,
    block_coordinates,
    block_extents,
    fields,
    lbm,
)
from heddle.model.assignment import Statement
from heddle.model.field import Access, Coordinate, Extent, Field, Parameter
from heddle.module import KernelModel

__all__ = [
    "FULL",
    "KernelError",
    "coloured_reduction",
    "column",
    "column_reduction",
    "columns_under_conditions",
    "in_rows",
    "lattice_boltzmann",
    "listed_reduction",
    "model",
    "newton",
    "random_model",
    "reduction",
    "relaxation",
    "row_reductions",
    "sample",
    "split_relaxation",
]
Item = TypeVar("Item")
FULL = os.environ.get("HEDDLE_TESTS") == "full"
"""`./test.sh --full`: all seeds, patterns and targets."""


def sample(everything: Iterable[Item], share: int) -> list[Item]:
    """One of `share`, the first among them; all with FULL."""
    return list(everything)[:: 1 if FULL else share]


def model(
    statements: Sequence[Statement], schedule: Schedule | None = None, space: Sparse | None = None
) -> KernelModel:
    """One kernel, called `kernel`."""
    module = Module("module")
    module.add("kernel", statements, schedule=schedule, space=space)
    return module.kernels["kernel"]


def in_rows(entry: KernelModel) -> Schedule:
    """A schedule whose proof is by structure. That of columns in lanes is not: loops over levels and lanes
    change places. Whole rows stand for them here; emit/test_columns_in_lanes.py compares the bits of both."""
    lanes = isinstance(entry.schedule.cpu, Strips) and (entry.traits.scans or entry.traits.rounds)
    return replace(entry.schedule, cpu=Rows()) if lanes else entry.schedule


class _Expressions:
    """Random expressions over what has been declared. exact: sums and products only."""

    def __init__(self, generator: random.Random, leaves: list[sympy.Expr], exact: bool) -> None:
        self.generator, self.leaves, self.exact = generator, leaves, exact

    def leaf(self) -> sympy.Expr:
        draw = self.generator.random()
        if draw < 0.75:
            return self.generator.choice(self.leaves)
        if self.exact or draw < 0.85:
            return sympy.Integer(self.generator.choice((-3, -1, 2, 3, 4)))
        return self.generator.choice(
            (
                sympy.Rational(1, 18),
                sympy.Rational(-2, 3),
                sympy.Rational(1, 4),
                sympy.Float(0.3),
                sympy.Float(-1e-3),
            )
        )

    def __call__(self, depth: int) -> sympy.Expr:
        if depth == 0:
            return self.leaf()
        a, b = self(depth - 1), self(depth - 1)
        kinds = ["+", "-", "*", "+", "*"]
        if not self.exact:
            kinds += [
                "/",
                "min",
                "max",
                "abs",
                "sign",
                "sqrt",
                "power",
                "piecewise",
                "floor",
                "negative power",
            ]
        match self.generator.choice(kinds):
            case "+":
                return a + b + self.leaf()
            case "-":
                return a - b
            case "*":
                return a * b
            case "/":
                return a / (b if not b.is_number else b + self.generator.choice(self.leaves))
            case "min":
                return sympy.Min(a, b)
            case "max":
                return sympy.Max(a, b, self.leaf())
            case "abs":
                return sympy.Abs(a)
            case "sign":
                return sympy.sign(a)
            case "sqrt":
                return sympy.sqrt(sympy.Abs(a) + 1)
            case "power":
                return a ** self.generator.choice((2, 3, 5))
            case "negative power":
                return (sympy.Abs(a) + 1) ** self.generator.choice(
                    (-1, -2, sympy.Rational(-1, 2), sympy.Rational(3, 2))
                )
            case "floor":
                return sympy.floor(a)
        return sympy.Piecewise((a, self.condition()), (b, self.condition()), (self.leaf(), True))

    def condition(self) -> sympy.Basic:
        a, b = self.leaf(), self.generator.choice(self.leaves)
        relation = self.generator.choice((sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Ne))(a, b)
        if self.generator.random() < 0.3:
            return self.generator.choice((sympy.And, sympy.Or))(
                relation, sympy.Gt(self.generator.choice(self.leaves), 0)
            )
        return relation


def random_model(seed: int, exact: bool = False) -> list[Statement]:
    """A stencil of one to three dimensions with locals, conditions, components, coordinates and
    parameters."""
    generator = random.Random(seed)
    rank = generator.choice((1, 2, 2, 3))
    a, b = fields(f"a, b: real[{rank}D]", ghost_layers=2)
    c, k, out, many = fields(
        f"c: real(3)[{rank}D]; k: int32[{rank}D]; out: real[{rank}D]; many: real(2)[{rank}D]"
    )
    inputs = [_read(generator, field) for field in (a, a, b, c, c)]
    if generator.random() < 0.4:
        inputs.append(_read(generator, k))
    parameters: list[sympy.Expr] = [sympy.Symbol("alpha"), Parameter("beta")]
    leaves = [*inputs, *parameters]
    if generator.random() < 0.4:
        axis = generator.randrange(rank)
        leaves += [Coordinate(axis), Extent(axis)]
    expressions = _Expressions(generator, leaves, exact)
    statements: list[Statement] = [Section("Coefficients")]
    factor = sympy.Symbol("factor")
    statements.append(Assignment(factor, sympy.Symbol("alpha") * 2 + sympy.Symbol("gamma")))
    statements.append(Assignment(sympy.Symbol("unused"), expressions(1)))
    leaves.append(factor)
    statements.append(Section("Values"))
    for number in range(generator.randrange(1, 4)):
        local = sympy.Symbol(generator.choice(("t", "new", "out_row", "x_end")) + str(number or ""))
        statements.append(Assignment(local, expressions(2)))
        leaves.append(local)
    statements.append(Assignment(out.here, expressions(3)))
    own = (0,) * rank
    statements.append(Assignment(many[(*own, 0)], expressions(2)))
    inner = sympy.Symbol("inner")
    if generator.random() < 0.5 and not exact:
        body = [Assignment(inner, expressions(1)), Assignment(many[(*own, 1)], inner * leaves[0])]
        statements.append(If(expressions.condition(), body))
    else:
        statements.append(Assignment(many[(*own, 1)], expressions(1)))
    return statements


def _read(generator: random.Random, field: Field) -> Access:
    reach = field.ghost_layers
    offsets = tuple(generator.randrange(-reach, reach + 1) for _ in range(field.rank))
    return field[(*offsets, generator.randrange(field.components))] if field.components else field[offsets]


def column(rank: int, axis: int) -> list[Statement]:
    """The Thomas algorithm along an axis: elimination upwards, substitution downwards, in a second array."""
    lower, diagonal, right, ratio, solution = fields(
        f"lower, diagonal, right, ratio, solution: real[{rank}D]", ghost_layers=1
    )
    c, d, above, inverse = sympy.symbols("c d above inverse")
    forward = [
        Assignment(inverse, 1 / (diagonal.here - lower.here * c)),
        Assignment(ratio.here, inverse * sympy.Symbol("upper")),
        Assignment(solution.here, (right.here - lower.here * d) * inverse),
    ]
    backward = [Assignment(solution.here, solution.here - ratio.here * above)]
    return [
        Scan(axis, {c: 0, d: 0}, forward, {c: ratio.here, d: solution.here}),
        Scan(axis, {above: 0}, backward, {above: solution.here}, reverse=True),
    ]


def reduction(rank: int = 2) -> list[Statement]:
    """A relaxation with a sum, a least and a greatest value."""
    p, p_next = fields(f"p, p_next: real[{rank}D]")
    own = (0,) * rank
    step = p[(1, *own[1:])] - 2 * p.here + p[(-1, *own[1:])]
    return [
        Assignment(p_next.here, p.here + step / 4),
        Reduce("max", "largest", sympy.Abs(step)),
        Reduce("min", "smallest", p.here),
        Reduce("sum", "total", p.here),
    ]


def coloured_reduction() -> list[Statement]:
    """Relaxation in place with its largest change and a sum under a condition."""
    p, right = fields("p, right: real[3D]")
    change = sympy.Symbol("change")
    neighbours = p[1, 0, 0] + p[-1, 0, 0] + p[0, 1, 0] + p[0, -1, 0] + p[0, 0, 1] + p[0, 0, -1]
    return [
        Assignment(change, neighbours / 6 - right.here - p.here),
        Assignment(p.here, p.here + sympy.Symbol("omega") * change),
        Reduce("max", "error", sympy.Abs(change)),
        If(change > 0, [Reduce("sum", "gain", change), Reduce("sum", "gain", change**2)]),
    ]


def split_relaxation(rank: int, mixed: bool = False) -> list[Statement]:
    """Relaxation of fields that are split by colour, with neighbours of all kinds in fields only read; mixed:
    with fields that are not split, and the coordinate."""
    p, right = fields(f"p, right: real[{rank}D]", ghost_layers=2, split=True)
    plain, out = fields(f"plain, out: real[{rank}D]", ghost_layers=2)
    faces = [o for o in itertools.product((-1, 0, 1), repeat=rank) if sum(map(abs, o)) == 1]
    corner, far = (1,) * rank, (*(0,) * (rank - 1), -2)
    change = sympy.Symbol("change")
    value = sum(p[offset] for offset in faces) / 7 - right[corner] + right[far] / 3 - p.here
    statements: list[Statement] = [Assignment(change, sympy.Symbol("omega") * value)]
    if mixed:
        statements[0] = Assignment(
            change, value + plain[corner] / 2 + block_coordinates(rank)[0] - block_extents(rank)[0]
        )
        statements.append(Assignment(out[far], change))
    return [*statements, Assignment(p.here, p.here + change), Reduce("max", "most", sympy.Abs(change))]


def column_reduction() -> list[Statement]:
    """What falls through a column, and the most of it."""
    rain, flux = fields("rain, flux: real[3D]")
    above = sympy.Symbol("above")
    body = [Assignment(flux.here, above + rain.here), Reduce("sum", "total", rain.here - above / 4)]
    return [Scan(2, {above: 0}, [*body, Reduce("max", "most", above)], {above: above / 2 + rain.here})]


def column_values() -> list[Statement]:
    """Values of columns: computed before, between and after two sweeps, from planes and into planes."""
    water = fields("water: real[3D]")
    mu, rain, most = fields("mu, rain, most: real[xy]", ghost_layers=2)
    speed, flux, fallen, high, below, mean = sympy.symbols("speed flux fallen high below mean")
    falls = water.here * speed / (1 + mu.here**2)
    return [
        Section("Of the column"),
        Assignment(speed, sympy.sqrt(sympy.Abs(mu.here)) + mu[1, 0] / 4 - mu[0, -2] / 8),
        Scan(
            2,
            {flux: speed / 2, high: 0},
            [Assignment(fallen, falls + flux * mu[-1, 0] / 4), Assignment(water.here, water.here - fallen)],
            {flux: fallen, high: sympy.Max(high, water.here)},
            reverse=True,
        ),
        Section("What has fallen"),
        Assignment(mean, flux * speed / 2),
        Assignment(rain.here, rain.here + mean),
        Scan(2, {below: flux}, [Assignment(water.here, water.here + below * mean)], {below: below / 2}),
        If(high > below, [Assignment(most.here, high - below)]),
    ]


def row_reductions() -> list[Statement]:
    """What the rows of each level become, and those of what columns carry, beside other stores."""
    u = fields("u: real[3D]")
    total, most = fields("total: real[3D]; most: real(2)[3D]")
    mask = fields("mask: int32[3D]")
    left, factor = fields("left, factor: real[xy]")
    carried, value = sympy.symbols("carried value")
    return [
        Scan(
            2,
            {carried: factor.of_row()},
            [
                Assignment(value, u.here - carried / 4),
                Reduce("sum", total.of_row(0, 1), value),
                Reduce("min", most.of_row(component=0), sympy.Abs(value) / 2),
                Reduce("max", most.of_row(0, -1, component=1), value * factor.of_row(1)),
                If(mask.here > 0, [Assignment(u.here, u.here + carried)]),
            ],
            {carried: value},
            reverse=True,
        ),
        Reduce("sum", left.of_row(), carried),
    ]


def newton() -> list[Statement]:
    """Cells that repeat statements until they are content, each as often as it likes; one loop in another."""
    u, v, steps = fields("u, v, steps: real[2D]")
    t, guess, count, ratio, more, part, whole = sympy.symbols("t guess count ratio more part whole")
    halves = While(part > 1, {part: guess, whole: 0}, [], {part: part / 2, whole: whole + part}, at_most=3)
    return [
        Assignment(t, u.here**2 + sympy.Abs(v[1, 0])),
        While(
            sympy.Abs(guess**2 - t) > t / 1024,
            {guess: sympy.Max(t, 1), count: 0, more: 0},
            [Assignment(ratio, t / guess), halves],
            {guess: (guess + ratio) / 2, count: count + 1, more: more + whole},
            at_most=6,
        ),
        Assignment(steps.here, count + more / 8),
        Reduce("sum", "total", guess),
    ]


def substeps() -> list[Statement]:
    """Columns that take as many substeps as their fastest cell asks for, each a sweep down and one up."""
    water, speed = fields("water, speed: real[3D]")
    rain, most = fields("rain, most: real[xy]")
    left, fast, dt, flux, new, level, worst, taken = sympy.symbols("left fast dt flux new level worst taken")
    fallen = sympy.Abs(speed.here) * water.here * dt
    return [
        Scan(2, {fast: most.here}, [], {fast: sympy.Max(fast, sympy.Abs(speed.here))}),
        While(
            left > 0,
            {left: 1, worst: fast, taken: 0},
            [
                Assignment(dt, sympy.Min(left, 1 / (1 + sympy.Abs(worst)))),
                Scan(
                    2,
                    {flux: 0},
                    [Assignment(new, fallen), Assignment(water.here, water.here + flux - new)],
                    {flux: new},
                    reverse=True,
                ),
                Scan(2, {level: rain.here}, [], {level: sympy.Max(level / 2, water.here)}),
            ],
            {left: left - dt, worst: level, taken: taken + flux},
            at_most=4,
        ),
        Assignment(most.here, worst - left),
        Assignment(rain.here, taken),
    ]


def columns_under_conditions() -> list[Statement]:
    """Some columns have a sweep of their own, with rounds in its cells and another condition around rounds;
    quotients of whole numbers and levels beyond the column are guarded."""
    heat, melt, cloud = fields("heat, melt, cloud: real[3D]")
    sunny, done = fields("sunny, done: real[xy]")
    z, n_z = block_coordinates()[2], block_extents()[2]
    warm, rest, steps, drop, share = sympy.symbols("warm rest steps drop share")
    level, times = sympy.symbols("level times", integer=True)
    inside = [
        Assignment(share, cloud.at_level(sympy.Min(sympy.floor(sympy.Abs(warm)), n_z - 1)) / 8),
        While(
            rest > sympy.Abs(share),
            {rest: heat.here, steps: 0},
            [Assignment(drop, rest / 2 + share)],
            {rest: rest - sympy.Max(drop, 1), steps: steps + 1},
            at_most=5,
        ),
        Assignment(melt.here, melt.here + rest),
        If(
            steps > 1,
            [
                Assignment(melt.at_level(n_z - 1 - z), steps),
                Assignment(heat.here, share),
            ],
        ),
    ]
    return [
        If(
            sunny.here > 0,
            [
                Scan(2, {warm: sunny.here}, inside, {warm: warm + rest}, reverse=True),
                If(
                    warm < 9,
                    [
                        While(
                            sympy.And(level < n_z, heat.at_level(level) < warm),
                            {level: 0, times: 1},
                            [],
                            {level: level + 1, times: 3 * times},
                            at_most=9,
                        ),
                        Assignment(done.here, level + times / sympy.S(4)),
                    ],
                ),
                Assignment(sunny.here, warm),
            ],
        ),
        Scan(2, {}, [Assignment(cloud.here, cloud.here + done.here)], {}),
    ]


def levels_of_columns() -> list[Statement]:
    """The highest warm level, and what melts there and above it; then a search that moves with the sweep."""
    warm, snow, height = fields("warm, snow, height: real[3D]")
    highest = fields("highest: real[xy]")
    z, n_z = block_coordinates()[2], block_extents()[2]
    top, below, found = sympy.symbols("top below found", integer=True)
    melt, depth, above = sympy.symbols("melt depth above")
    return [
        Scan(2, {top: -1}, [], {top: sympy.Piecewise((z, warm.here > 0), (top, True))}),
        If(
            top >= 0,
            [
                Assignment(melt, snow.at_level(top) / 2 + top),
                Assignment(snow.at_level(top), snow.at_level(top) - melt),
                If(top + 1 < n_z, [Assignment(snow.at_level(top + 1), melt + snow.at_level(top))]),
            ],
        ),
        Scan(
            2,
            {below: 0, depth: 0},
            [
                While(
                    sympy.And(found + 1 < n_z, sympy.Abs(height.at_level(found)) < depth),
                    {found: below},
                    [],
                    {found: found + 1},
                    at_most=1000,
                ),
                Assignment(above, snow.at_level(found)),
                Assignment(warm.here, above - warm.here),
            ],
            {below: found, depth: depth + sympy.Rational(1, 4)},
        ),
        Assignment(highest.here, top + below / sympy.S(8)),
    ]


def levels_without_a_loop() -> list[Statement]:
    """The same search by selection, so that columns may be lanes."""
    warm, snow = fields("warm, snow: real[3D]")
    z = block_coordinates()[2]
    top, high = sympy.Symbol("top", integer=True), sympy.Symbol("high")
    higher = warm.here > high
    return [
        Scan(
            2,
            {top: 0, high: 0},
            [],
            {top: sympy.Piecewise((z, higher), (top, True)), high: sympy.Max(high, warm.here)},
        ),
        Assignment(snow.at_level(top), snow.at_level(0) + warm.at_level(top)),
        Scan(2, {}, [Assignment(warm.here, warm.here + snow.at_level(top))], {}, reverse=True),
    ]


def listed_reduction() -> list[Statement]:
    """Sum and least value over listed cells."""
    u, v = fields("u, v: real[2D]")
    return [Assignment(v.here, 2 * u.here), Reduce("sum", "total", u.here), Reduce("min", "least", u.here)]


def relaxation(rank: int, footprint: str) -> list[Statement]:
    """A weighted mean of the own cell and its neighbours, in place. footprint: neighbours across "faces",
    "edges" or "corners", or at the place given as "1,2"."""
    p, right = fields(f"p, right: real[{rank}D]", ghost_layers=2)
    if footprint[0] in "-0123456789":
        offsets = [tuple(int(d) for d in footprint.split(","))]
    else:
        far = {"faces": 1, "edges": 2, "corners": rank}[footprint]
        offsets = [o for o in itertools.product((-1, 0, 1), repeat=rank) if 0 < sum(map(abs, o)) <= far]
    change = sum(sympy.Rational(1, 3 + n) * p[offset] for n, offset in enumerate(offsets)) - right.here
    return [Assignment(p.here, p.here + sympy.Symbol("omega") * change)]


def lattice_boltzmann(
    pattern: str,
    step: str,
    space: Sparse | None = None,
    schedule: Schedule | None = None,
    lattice: str = "D2Q9",
) -> KernelModel:
    """BGK with a streaming pattern; step: "" or the step of an in-place pattern."""
    velocities = lbm.Lattice(lattice)
    stream = getattr(lbm, pattern)(velocities)
    module = Module("module")
    module.add("kernel", stream(lbm.BGK(velocities, "omega")), space=space, schedule=schedule)
    return module.kernels[f"kernel_{step}" if step else "kernel"]


def boundary_in_a_box(condition: lbm.BoundaryCondition, pattern: str, step: str = "") -> KernelModel:
    """A boundary sweep of D2Q9 after a step, over some cells of a dense box."""
    module = Module("module")
    stream = getattr(lbm, pattern)(lbm.Lattice("D2Q9"), ghost_layers=3)
    module.add("wall", stream.boundary(condition, cells=True, torque="couple"), space=Cells("wall"))
    return module.kernels[f"wall_after_{step}" if step else "wall"]


def boundaries_of_moments() -> KernelModel:
    """A sweep of D2Q9 with moments in memory, the stress in halves, over cells beside several boundaries."""
    lattice, module = lbm.Lattice("D2Q9"), Module("module")
    storage = lbm.MomentStorage(lattice, stress_type="half", walls="walls")
    conditions = {
        "outlet": lbm.PressureAntiBounceBack("rho"),
        "body": lbm.Bouzidi(velocity=tuple(sympy.Rational(1, 10) * x for x in block_coordinates(2))),
    }
    sweep = storage.boundary(lbm.Regularised(lattice), conditions, force="drag", torque="couple", of="body")
    module.add("sides", sweep, space=Cells("sides"))
    return module.kernels["sides"]


def boundary_over_a_list(
    condition: lbm.BoundaryCondition, pattern: str, step: str = "", **how: str
) -> KernelModel:
    """A boundary sweep of D2Q9 after a step, which follows the links of a list. how: as for boundary()."""
    module = Module("module")
    stream = getattr(lbm, pattern)(lbm.Lattice("D2Q9"))
    module.add("wall", stream.boundary(condition, **how), space=Sparse("wall", listed=True))
    return module.kernels[f"wall_after_{step}" if step else "wall"]

# SPDX-License-Identifier: Apache-2.0
"""Kernels of geometric multigrid and of conjugate gradients, from the residual of an Equation alone.

The equation A phi = right has a symmetric matrix that couples cells across faces. On each level a correction
z is wanted with A z = -rest, where rest = A phi - right on the finest one. The cycle is symmetric, so that
it can precondition conjugate gradients, and built for two colours, of which the first one is red:

down  z = 0; red cells, then black ones (Gauss-Seidel). Black cells are left without a residual, so the right
      side of the next level is the sum over the four red ones of the eight children.
up    the next level's z is added to the red children; black cells, then red ones. Black cells follow from
      their red neighbours alone, so nothing has to be added to them.

Cells that are much flatter along one axis are merged in pairs along it: one of two children is red.

Coarse levels know a number for each face: the sum over the four fine faces, times the ratio of the distances
of the cells on both sides. That is the flux through the open part of the coarse face, so walls are handled,
and cells without an open face have no equation. Transfers are of lowest order (piecewise constant), which
suffices as a preconditioner: Braess, Towards algebraic multigrid for elliptic problems of second order,
Computing 55 (1995) 379-393.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from heddle.errors import KernelError
from heddle.model.assignment import Assignment, AssignmentCollection, Reduce, Statement
from heddle.model.field import Access, Field, in_declared_order
from heddle.solvers.relaxation import Equation

RED_CHILDREN = ("wsb", "enb", "est", "wnt")
"""Children of a coarse cell with an even sum of coordinates: w or e, s or n, b or t."""


@dataclass(frozen=True)
class SolverKernel:
    """Statements of one kernel; coloured: it sweeps two colours; coarse: on all levels but the finest.
    fields: the names of its fields in the order in which C++ passes them, where others than coefficients are
    the model's own."""

    statements: AssignmentCollection
    coloured: bool
    about: str
    coarse: bool = False
    fields: tuple[str, ...] = ()


def solver_kernels(equation: Equation, residual_scale: sympy.Expr) -> Mapping[str, SolverKernel]:
    """All kernels that heddle::Multigrid and heddle::ConjugateGradient call, by name.

    residual_scale: factor of the residual whose largest value conjugate gradients measure.
    """
    if equation.unknown.rank != 3:
        raise KernelError(
            equation.place,
            f"'{equation.unknown.name}' does not have three dimensions.",
            "declare it as real[3D]",
        )
    equation = _with_named_coefficients(equation)
    return {
        **_smoothing("", equation),
        **_descent(equation, residual_scale),
        **_faces(equation),
        **_coarse(),
        **_transfers(),
    }


# --- Parts of an equation -----------------------------------------------------------------------------------


def _with_named_coefficients(equation: Equation) -> Equation:
    """The same with a name for each coefficient that is read from a field, so that the field comes first
    among the arguments of all kernels, as a mask does."""
    found = [
        access
        for access in equation.residual.atoms(Access)
        if access.field.components and access.field != equation.unknown
    ]
    found.sort(key=lambda access: access.component)
    names = {access: sympy.Symbol(f"{access.field.name}_{access.component}") for access in found}
    named = tuple(Assignment(symbol, access) for access, symbol in names.items())
    active = equation.active.xreplace(names)
    return Equation(
        equation.unknown, equation.residual.xreplace(names), (*named, *equation.named), active, equation.place
    )


def applied(equation: Equation, to: Field) -> sympy.Expr:
    """A `to`: the terms of the residual with the unknown, which `to` replaces."""
    terms = [term for term in sympy.Add.make_args(equation.residual) if _accesses(term, equation.unknown)]
    whole = sympy.Add(*terms)
    return whole.xreplace({a: Access(to, a.offsets) for a in _accesses(whole, equation.unknown)})


def _constants(equation: Equation) -> tuple[str, ...]:
    """The fields of the residual's terms without the unknown, its right-hand side, as they are declared."""
    terms = [t for t in sympy.Add.make_args(equation.residual) if not _accesses(t, equation.unknown)]
    return _in_order(access.field for term in terms for access in term.atoms(Access))


def _coefficients(equation: Equation) -> tuple[str, ...]:
    """The other fields of an equation besides its unknown, as they are declared."""
    values = [statement.value for statement in equation.named if isinstance(statement, Assignment)]
    accesses = {a for value in (*values, equation.residual, equation.active) for a in value.atoms(Access)}
    own = {equation.unknown.name, *_constants(equation)}
    return tuple(name for name in _in_order(a.field for a in accesses) if name not in own)


def _in_order(fields: Iterable[Field]) -> tuple[str, ...]:
    """The names in the order of the declarations, then of fields without one by alphabet. Profiles keep
    their place behind all fields."""
    every = {field for field in fields if field.profile < 0}
    return tuple(dict.fromkeys((*in_declared_order(every), *sorted(field.name for field in every))))


def _accesses(expression: sympy.Basic, field: Field) -> list[Access]:
    return [access for access in expression.atoms(Access) if access.field == field]


def _where(equation: Equation, value: sympy.Expr) -> sympy.Expr:
    """The value where there is an equation, 0 elsewhere."""
    return value if equation.active == sympy.true else sympy.Piecewise((value, equation.active), (0, True))


def _collection(
    equation: Equation, values: Sequence[Statement], also: Sequence[sympy.Basic] = ()
) -> AssignmentCollection:
    """The statements with those of the equation's named values that they use."""
    used: set[sympy.Basic] = set()
    for statement in values:
        if isinstance(statement, (Assignment, Reduce)):
            used |= statement.value.free_symbols
    for expression in also:
        used |= expression.free_symbols
    named: list[Statement] = []
    for statement in reversed(equation.named):
        assert isinstance(statement, Assignment)
        if statement.target in used:
            used |= statement.value.free_symbols
            named.insert(0, statement)
    return AssignmentCollection([*named, *values])


def _like(equation: Equation, name: str) -> Field:
    return Field(name, split=equation.unknown.split)


def _plain(names: str) -> tuple[Field, ...]:
    return tuple(map(Field, names.split(", ")))


# --- The kernels --------------------------------------------------------------------------------------------


def _smoothing(prefix: str, equation: Equation) -> dict[str, SolverKernel]:
    """Sweeps on one level; `prefix` distinguishes the finest level from the others."""
    z, rest, left = (_like(equation, name) for name in ("correction", "rest", "left"))
    diagonal = equation.diagonal
    residual, own, rate, change = sympy.symbols("residual own rate change")
    inverse = Assignment(rate, 1 / diagonal)

    def sweep(measured: bool) -> AssignmentCollection:
        values: list[Statement] = [
            Assignment(residual, applied(equation, z) + rest.here),
            inverse,
            Assignment(change, rate * residual),
            Assignment(own, _where(equation, z.here + change)),
            Assignment(z.here, own),
        ]
        if measured:
            values.append(Reduce("sum", "part", rest.here * own))
        return _collection(equation, values, [equation.active])

    first = [inverse, Assignment(own, rate * rest.here), Assignment(z.here, _where(equation, own))]
    remains = [
        Assignment(residual, applied(equation, z) + rest.here),
        Assignment(left.here, _where(equation, residual)),
    ]
    result = {
        "first": SolverKernel(
            _collection(equation, first, [equation.active]), True, "The first half sweep, from z = 0."
        ),
        "smooth": SolverKernel(sweep(False), True, "A Gauss-Seidel sweep for A z = -rest."),
        "remains": SolverKernel(
            _collection(equation, remains, [equation.active]), True, "left = A z + rest."
        ),
    }
    if not prefix:
        result["smooth_product"] = SolverKernel(
            sweep(True), True, "A Gauss-Seidel sweep for A z = -rest, and the product of rest and z."
        )
    return {prefix + name: replace(kernel, coarse=bool(prefix)) for name, kernel in result.items()}


def _descent(equation: Equation, residual_scale: sympy.Expr) -> dict[str, SolverKernel]:
    """Conjugate gradients for -A: z is the preconditioned residual, p the direction. Numbers that the device
    computes stay there: fields of which only the first element counts."""
    z, p, rest = (_like(equation, name) for name in ("correction", "direction", "rest"))
    product, before, curvature = _plain("product, product_before, curvature")
    red, black = _plain("red, black")
    beta, step, change, residual = sympy.symbols("beta step change residual")
    coloured = equation.unknown.split

    def number(field: Field) -> sympy.Expr:
        return field.gather(0, 0, 0)

    own = sympy.Symbol("own")
    scale_change, scale_rest = sympy.symbols("change_scale rest_scale")
    ratio = sympy.Piecewise((number(product) / number(before), number(before) > 0), (0, True))
    length = sympy.Piecewise((number(product) / number(curvature), number(curvature) > 0), (0, True))
    direction: list[Statement] = [Assignment(beta, ratio), Assignment(p.here, z.here + beta * p.here)]
    curved: list[Statement] = [
        Assignment(residual, -applied(equation, p)),
        Reduce("sum", "bending", p.here * residual),
    ]
    advance: list[Statement] = [
        Assignment(step, length),
        Assignment(change, step * p.here),
        Assignment(equation.unknown.here, equation.unknown.here + change),
        Reduce("max", "largest", scale_change * sympy.Abs(change)),
    ]
    remainder: list[Statement] = [
        Assignment(residual, equation.residual),
        Assignment(own, _where(equation, residual)),
        Assignment(rest.here, own),
        Reduce("max", "largest", scale_rest * residual_scale * sympy.Abs(own)),
    ]
    return {
        "direction": SolverKernel(AssignmentCollection(direction), coloured, "p = z + beta p."),
        "curvature": SolverKernel(_collection(equation, curved), coloured, "bending = -p A p."),
        "advance": SolverKernel(
            AssignmentCollection(advance),
            coloured,
            "phi = phi + step p.",
            fields=(curvature.name, product.name, p.name, equation.unknown.name),
        ),
        "remainder": SolverKernel(
            _collection(equation, remainder, [equation.active]),
            coloured,
            "rest = A phi - right.",
            fields=(*_coefficients(equation), equation.unknown.name, *_constants(equation), rest.name),
        ),
        "renew": SolverKernel(
            AssignmentCollection(
                [Assignment(before.here, product.here), Assignment(product.here, red.here + black.here)]
            ),
            False,
            "The product of both colours; the one before is kept.",
        ),
    }


def _faces(equation: Equation) -> dict[str, SolverKernel]:
    """The coefficients of a cell's faces, as fields of lower faces: once from the cell above each face, once
    from the cell below."""
    k = _plain("k_x, k_y, k_z")
    residual = equation.residual
    lower: list[Statement] = []
    upper: list[Statement] = []
    for axis in range(3):
        offset = tuple(int(axis == d) for d in range(3))
        back = tuple(-d for d in offset)
        lower.append(Assignment(k[axis].here, sympy.diff(residual, Access(equation.unknown, back))))
        upper.append(Assignment(k[axis][offset], sympy.diff(residual, Access(equation.unknown, offset))))
    about = "The coefficients of the {} faces of each cell."
    coloured = any(
        a.field.split
        for s in (*equation.named, *lower)
        if isinstance(s, Assignment)
        for a in s.value.atoms(Access)
    )
    return {
        "lower_faces": SolverKernel(_collection(equation, lower), coloured, about.format("lower")),
        "upper_faces": SolverKernel(_collection(equation, upper), coloured, about.format("upper")),
    }


def coarse_equation() -> Equation:
    """sum over faces of k (neighbour - own value) + rest = 0, with k of the lower faces."""
    z, rest, *k = _plain("correction, rest, k_x, k_y, k_z")
    terms: list[sympy.Expr] = []
    named: list[Statement] = []
    faces: list[sympy.Expr] = []
    for axis, (low, high) in enumerate((("w", "e"), ("s", "n"), ("b", "t"))):
        offset = tuple(int(axis == d) for d in range(3))
        back = tuple(-d for d in offset)
        for name, value, place in ((high, k[axis][offset], offset), (low, k[axis].here, back)):
            face = sympy.Symbol(f"k_{name}")
            named.append(Assignment(face, value))
            faces.append(face)
            terms.append(face * (z[place] - z.here))
    diagonal = sympy.Symbol("diagonal")
    named.append(Assignment(diagonal, sympy.Add(*faces)))
    return Equation(z, sympy.Add(*terms) + rest.here, tuple(named), sympy.Ne(diagonal, 0))


def _coarse() -> dict[str, SolverKernel]:
    return _smoothing("coarse_", coarse_equation())


def _transfers() -> dict[str, SolverKernel]:
    """Between a level and the next coarser one, whose cells the kernels run over."""
    coarse_rest, coarse_z, coarse_k, field = _plain("coarse_rest, coarse_correction, coarse_k, field")
    left = _plain(", ".join(f"left_{name}" for name in RED_CHILDREN))
    z = _plain(", ".join(f"correction_{name}" for name in RED_CHILDREN))
    k = _plain("k_0, k_1, k_2, k_3")
    factor = sympy.Symbol("factor")
    total = [Assignment(coarse_rest.here, sympy.Add(*(child.here for child in left)))]
    spread = [Assignment(child.here, child.here + coarse_z.here) for child in z]
    merged = [Assignment(coarse_k.here, factor * sympy.Add(*(face.here for face in k)))]
    return {
        "restrict_left": SolverKernel(
            AssignmentCollection(total), False, "The right side of a coarse cell: of its red children."
        ),
        "prolong": SolverKernel(
            AssignmentCollection(spread), False, "Adds a coarse cell's correction to its red children."
        ),
        "restrict_one": SolverKernel(
            AssignmentCollection([Assignment(coarse_rest.here, left[0].here)]),
            False,
            "The right side of a coarse cell with one red child.",
        ),
        "prolong_one": SolverKernel(
            AssignmentCollection([spread[0]]),
            False,
            "Adds a coarse cell's correction to its one red child.",
        ),
        "merge_faces": SolverKernel(
            AssignmentCollection(merged), False, "The coefficient of a coarse face: of its four parts."
        ),
        "clear": SolverKernel(AssignmentCollection([Assignment(field.here, 0)]), False, "field = 0."),
    }

# SPDX-License-Identifier: Apache-2.0
"""Nested grids: a fine grid inside a coarse one gets its values and its lateral boundaries from it.

The interpolation is monotone: no new extremum arises among the nine coarse cells around a nest cell. It
advects the coarse field by the distance between the middle of a coarse cell and the nest cell, along x and
then along y, with limited antidiffusive fluxes: P. K. Smolarkiewicz and G. A. Grell, A class of monotone
interpolation schemes, J. Comput. Phys. 101 (1992) 431-440. WRF calls it `sint`.

    nest = nesting.Nest(ratio=3)
    module.add("initialise", nest.interpolation("coarse", "nest"))
    module.add("boundary", nest.boundary("coarse", "nest", "value", "tendency"))

Nest cells are counted from the first interior cell of the coarse field: cell `first_x + x` of a kernel lies
in the coarse cell (first_x + x) div ratio. A nest that begins at the coarse cell (i, j) has first_x = ratio i
and first_y = ratio j; a block of a grid that is cut adds its own first cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Max, Min, Piecewise, Rational, Symbol, floor

from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, Section, Statement
from heddle.model.equations import add, divide, multiply, negate
from heddle.model.field import Field, Parameter, block_coordinates, declare

ABSOLUTE_EPSILON = sympy.Float("1e-10")
"""Keeps denominators from being 0, in units of the field: as in WRF."""
RELATIVE_EPSILON = sympy.Float("1e-10")
"""The same as a share of the local range of the field."""
SMALLEST = Rational(1, 2**126)
"""The smallest normal number in f32: the relative form where the field is constant."""
REACH = 2
"""Coarse cells that an interpolation needs on each side of the one in which a nest cell lies."""
_RATIOS = range(2, 6)
NEST_ROW = ("begin", "first_x", "first_y", "nest_x", "nest_y", "corner_x", "corner_y")
"""What a row of a table of nests holds, see `Nest.boundary`."""


@dataclass(frozen=True)
class Nest:
    """How nest cells lie in coarse cells, for the fields of one kind.

    ratio: nest cells per coarse cell along x and y, 2 to 5. staggered: "x" or "y" for a field on the faces
    across this axis, "" for one in the middle of cells. relative: the safeguard in the limiter is a share of
    the field's local range. By default it is WRF's: 1e-10 in units of the field, so that the result of a
    field of small numbers, a mixing ratio, depends on its unit; relative=True does not.

    Raises KernelError for another ratio or axis.
    """

    ratio: int
    staggered: str = ""
    relative: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.ratio, int) or self.ratio not in _RATIOS:
            raise KernelError(
                calling_place(), f"ratio={self.ratio!r} is not a ratio of a nest.", "use 2, 3, 4 or 5"
            )
        if self.staggered not in ("", "x", "y"):
            raise KernelError(
                calling_place(),
                f"staggered={self.staggered!r} is not a horizontal axis.",
                'use "x" or "y"; "" for fields in the middle of cells, and for those on faces across z',
            )

    def shift(self, axis: str) -> int:
        """So many nest cells the field's first point along an axis lies from the first sub-cell: 0 unless
        the field is staggered there. At ratio 2 it is 1, as in WRF's `bdy_interp1`."""
        return max((self.ratio - 1) // 2, 1) if axis == self.staggered else 0

    def middle(self, axis: str) -> Rational:
        """The number of the sub-cell at the coarse point: (r - 1) / 2, and (r - 2) / 2 for the faces of an
        even ratio, which begin at a coarse face."""
        shifted = axis == self.staggered and self.ratio % 2 == 0
        return Rational(self.ratio - 1 - int(shifted), 2)

    def interpolation(self, coarse: str = "coarse", nest: str = "nest") -> list[Statement]:
        """Statements that set each cell of the field `nest` from the field `coarse`, level by level.

        Arguments: both fields, which have extents of their own, and the int64 `first_x`, `first_y` (see the
        module). `coarse` has values for two cells beyond those in which nest cells lie; ghost layers count.
        Levels are the same in both.
        """
        x, y, z = block_coordinates()
        source, target = Field(coarse, ghost_layers=REACH, other_grid=True), Field(nest)
        declare([source, target, *_FIRST])
        found, value = self._interpolated(source, x, y, z, sympy.Integer(0), _FIRST)
        return [*found, Section(f"{nest} = S_y S_x {coarse}"), Assignment(target.here, value)]

    def boundary(
        self,
        coarse: str = "coarse",
        nest: str = "nest",
        value: str = "value",
        tendency: str = "tendency",
        fields: int = 1,
        nests: str = "",
    ) -> list[Statement]:
        """Statements for the boundary zones on the four sides of a nest: its present values, and the
        tendencies that lead to the interpolated coarse values within a time step. One call computes all
        sides, levels and fields: WRF's `bdy_interp1` with the calls of `sint` in it.

        The kernel runs over strips: fields `value` and `tendency` of 2 (nest_x + nest_y) cells along x, the
        sides one after the other: west and east (nest_y cells each), south and north (nest_x cells each). y
        counts cells from the side inwards, so that east and north are mirrored. z is the level.

        Arguments: the fields, in the order of the parameters; `levels` if there are several quantities; the
        int64 `first_x`, `first_y` (see the module), `nest_x`, `nest_y`, the numbers of the nest's points
        along x and y, one more where the field is staggered; `time_step`, the time in which the tendency
        leads to the coarse values, in the unit of time that tendencies are to have.

        fields: so many quantities of one kind at once. Then `coarse` and `nest` have them as components, and
        the strips of one follow those of another along z: level k of quantity n lies at z = n levels + k.

        nests: the name of a table of nests, all of which one call computes: their strips follow each other
        along x. The table, a field "int64[2D]" of another grid, has a row for each (NEST_ROW): where its
        strips begin, `first_x`, `first_y`, `nest_x`, `nest_y`, and where its first cell lies in the field
        `nest`, in which nests may lie side by side; so may the parts of the coarse field, since `first_x`
        counts from its first cell. The profile `<nests>_of`, "int32[x]", says to which nest a cell of the
        strips belongs. The arguments first_x to nest_y are not taken then.

        Raises KernelError for a number of fields below 1.
        """
        if type(fields) is not int or fields < 1:
            raise KernelError(
                calling_place(), f"fields={fields!r} is not a number of fields.", "use a whole number from 1"
            )
        along, depth, z = block_coordinates()
        at: sympy.Expr = along
        parts = 0 if fields == 1 else fields
        source = Field(coarse, components=parts, ghost_layers=REACH, other_grid=True)
        present = Field(nest, components=parts, other_grid=True)
        levels, step = Parameter("levels", "int64"), Parameter("time_step")
        declare([source, present, Field(value), Field(tendency)])
        declare([*([levels] if parts else []), *([] if nests else [*_FIRST, *_SIZE]), step])
        level, field = z, sympy.Integer(0)
        statements: list[Statement] = []
        first: Sequence[sympy.Expr] = _FIRST
        size: Sequence[sympy.Expr] = _SIZE
        corner: Sequence[sympy.Expr] = (sympy.Integer(0), sympy.Integer(0))
        if nests:
            named, (begin, *numbers) = _row_of(nests)
            statements += named
            first, size, corner = numbers[:2], numbers[2:4], numbers[4:]
            at = _integer("along")
            statements.append(Assignment(at, add(along, negate(begin))))
        if parts:
            level, field = _integer("k"), _integer("field")
            statements += [
                Section("The field and its level"),
                Assignment(field, floor(z / levels)),
                Assignment(level, z - levels * field),
            ]
        located, i, j = _zone(at, depth, size)
        found, new = self._interpolated(source, i, j, level, field, first)
        now = Symbol("now")
        return [
            *statements,
            *located,
            *found,
            Section("What the nest has, and what leads from there to the coarse values"),
            Assignment(now, present.gather(add(i, corner[0]), add(j, corner[1]), level, component=field)),
            Assignment(Field(value).here, now),
            Assignment(Field(tendency).here, divide(add(new, negate(now)), step)),
        ]

    def _interpolated(
        self,
        coarse: Field,
        x: sympy.Expr,
        y: sympy.Expr,
        level: sympy.Expr,
        field: sympy.Expr,
        corner: Sequence[sympy.Expr],
    ) -> tuple[list[Statement], sympy.Expr]:
        """What has to be named for the interpolated value at a nest cell (x, y), and the value."""
        r = sympy.Integer(self.ratio)
        statements: list[Statement] = [
            Section(
                f"Coarse cell i = p div {r} (the half keeps rounding away from whole numbers),\n"
                f"sub-cell p mod {r}, and how far it lies west and south of the coarse point"
            )
        ]
        for axis, cell, first, index, distance in (
            ("x", x, corner[0], _I, _XI),
            ("y", y, corner[1], _J, _ETA),
        ):
            p, sub_cell = _integer(f"p_{axis}"), _integer(f"sub_{axis}")
            statements += [
                Assignment(p, first + cell + self.shift(axis)),
                Assignment(index, floor(divide(add(p, Rational(1, 2)), r))),
                Assignment(sub_cell, add(p, negate(multiply(r, index)))),
                Assignment(distance, divide(add(self.middle(axis), negate(sub_cell)), r)),
            ]
        if not self.relative:
            statements.append(Assignment(_EPSILON, ABSOLUTE_EPSILON))
        across = _Distance(_XI, "x")
        statements += across.powers
        rows: list[sympy.Expr] = []
        for row, name in zip(_OFFSETS, ("_ss", "_s", "_0", "_n", "_nn"), strict=True):
            statements.append(
                Section(f"Along x in row j {'+' if row > 0 else '-'} {abs(row)}" if row else "In row j")
            )
            values: list[sympy.Expr] = []
            for column, label in zip(_OFFSETS, ("ww", "w", "0", "e", "ee"), strict=True):
                values.append(Symbol(f"q_{label}{name}"))
                element = coarse.gather(_I + column, _J + row, level, component=field)
                statements.append(Assignment(values[-1], element))
            rows.append(Symbol(f"S{name}"))
            found = _monotone(values, across, ("w", "e"), name, self.relative)
            statements += [*found[0], Assignment(rows[-1], found[1])]
        up = _Distance(_ETA, "y")
        statements += [Section("Along y"), *up.powers]
        found = _monotone(rows, up, ("s", "n"), "", self.relative)
        return [*statements, *found[0]], found[1]


_OFFSETS = range(-REACH, REACH + 1)


def _integer(name: str) -> sympy.Symbol:
    return Symbol(name, integer=True)


_I, _J, _XI, _ETA, _EPSILON = _integer("i"), _integer("j"), Symbol("xi"), Symbol("eta"), Symbol("epsilon")
_FIRST = Parameter("first_x", "int64"), Parameter("first_y", "int64")
_SIZE = Parameter("nest_x", "int64"), Parameter("nest_y", "int64")


class _Distance:
    """How far the value lies on the lower side of the middle, and what the fluxes take of it."""

    def __init__(self, c: sympy.Symbol, axis: str) -> None:
        self.c = c
        self.factors = [Symbol(f"c_{n}_{axis}") for n in (1, 2, 3, 4)]
        square = Symbol(f"{c.name}_2")
        products = (c, square, multiply(square, c), multiply(square, square))
        self.powers: list[Statement] = [
            Section(f"{c.name}, {c.name}^2, {c.name}^3, {c.name}^4 over 12, 24, 12, 24"),
            Assignment(square, multiply(c, c)),
        ]
        for factor, product, number in zip(self.factors, products, (12, 24, 12, 24), strict=True):
            self.powers.append(Assignment(factor, divide(product, sympy.Integer(number))))


def _flux(y: Sequence[sympy.Expr], distance: _Distance, side: str) -> tuple[list[Statement], sympy.Expr]:
    """What passes the face between y[1] and y[2], to fourth order: what has to be named, and the flux."""
    near, far = Symbol(f"near{side}"), Symbol(f"far{side}")
    step, leap = Symbol(f"step{side}"), Symbol(f"leap{side}")
    named: list[Statement] = [
        Assignment(near, add(y[2], y[1])),
        Assignment(far, add(y[3], y[0])),
        Assignment(step, add(y[2], negate(y[1]))),
        Assignment(leap, add(y[3], negate(y[0]))),
    ]
    first, second, third, fourth = distance.factors
    flux = add(
        multiply(first, add(multiply(7, near), negate(far))),
        negate(multiply(second, add(multiply(15, step), negate(leap)))),
    )
    flux = add(flux, negate(multiply(third, add(near, negate(far)))))
    return named, add(flux, multiply(fourth, add(multiply(3, step), negate(leap))))


def _monotone(
    y: Sequence[sympy.Expr], distance: _Distance, sides: tuple[str, str], name: str, relative: bool
) -> tuple[list[Statement], sympy.Expr]:
    """The operator S of Smolarkiewicz and Grell on five values: what has to be named, and the value that lies
    `distance.c` below the middle one."""
    c = distance.c
    low, high = (f"_{side}{name}" for side in sides)
    f, g, A, B = (Symbol(text) for text in (f"f{low}", f"f{high}", f"A{low}", f"A{high}"))
    W, most, least = (Symbol(f"{text}{name}") for text in ("W", "most", "least"))
    gain, loss, over, under = (Symbol(f"{text}{name}") for text in ("gain", "loss", "over", "under"))
    limited = Symbol(f"limited{low}"), Symbol(f"limited{high}")
    (A_plus, A_minus), (B_plus, B_minus) = (
        (Symbol(f"A{side}_plus"), Symbol(f"A{side}_minus")) for side in (low, high)
    )
    named_low, flux_low = _flux(y[:4], distance, low)
    named_high, flux_high = _flux(y[1:], distance, high)
    epsilon = Symbol(f"epsilon{name}") if relative else _EPSILON
    statements: list[Statement] = [
        Assignment(f, multiply(c, Piecewise((y[1], c >= 0), (y[2], True)))),
        Assignment(g, multiply(c, Piecewise((y[2], c >= 0), (y[3], True)))),
        Assignment(W, add(y[2], negate(add(g, negate(f))))),
        Assignment(most, Max(y[1], y[2], y[3], W)),
        Assignment(least, Min(y[1], y[2], y[3], W)),
        *named_low,
        *named_high,
        Assignment(A, add(flux_low, negate(f))),
        Assignment(B, add(flux_high, negate(g))),
        Assignment(A_plus, Max(0, A)),
        Assignment(A_minus, Min(0, A)),
        Assignment(B_plus, Max(0, B)),
        Assignment(B_minus, Min(0, B)),
        Assignment(gain, add(A_plus, negate(B_minus))),
        Assignment(loss, add(B_plus, negate(A_minus))),
    ]
    if relative:
        span = add(most, negate(least))
        statements.append(Assignment(epsilon, Max(multiply(RELATIVE_EPSILON, span), SMALLEST)))
    statements += [
        Assignment(over, Min(1, divide(add(most, negate(W)), add(gain, epsilon)))),
        Assignment(under, Min(1, divide(add(W, negate(least)), add(loss, epsilon)))),
        Assignment(limited[0], add(multiply(over, A_plus), multiply(under, A_minus))),
        Assignment(limited[1], add(multiply(under, B_plus), multiply(over, B_minus))),
    ]
    return statements, add(W, negate(add(limited[1], negate(limited[0]))))


def _row_of(nests: str) -> tuple[list[Statement], list[sympy.Expr]]:
    """The row of the table of nests that a cell of the strips belongs to: what has to be named, and it."""
    number = Field(f"{nests}_of", "int32", rank=1, ghost_layers=0, profile=0)
    table = Field(nests, "int64", rank=2, ghost_layers=0, other_grid=True)
    declare([table, number])
    row = [_integer(name) for name in NEST_ROW]
    named = [Assignment(one, table.gather(at, number.here)) for at, one in enumerate(row)]
    return [Section("The nest"), *named], list(row)


def _zone(
    along: sympy.Expr, depth: sympy.Expr, size: Sequence[sympy.Expr]
) -> tuple[list[Statement], sympy.Expr, sympy.Expr]:
    """The nest cell of a cell of the strips: what has to be named, and its indices."""
    nest_x, nest_y = size
    south, length, width, beyond, at, inwards, x, y = map(
        _integer, ("south", "length", "width", "beyond", "at", "inwards", "nest_i", "nest_j")
    )
    across, far = along >= south, beyond >= length
    statements: list[Statement] = [
        Section("The strips: west, east, from `south` on south, north; the second of a pair is mirrored"),
        Assignment(south, 2 * nest_y),
        Assignment(length, Piecewise((nest_x, across), (nest_y, True))),
        Assignment(width, Piecewise((nest_y, across), (nest_x, True))),
        Assignment(beyond, Piecewise((along - south, across), (along, True))),
        Assignment(at, Piecewise((beyond - length, far), (beyond, True))),
        Assignment(inwards, Piecewise((width - 1 - depth, far), (depth, True))),
        Section("The nest's cell"),
        Assignment(x, Piecewise((at, across), (inwards, True))),
        Assignment(y, Piecewise((inwards, across), (at, True))),
    ]
    return statements, x, y

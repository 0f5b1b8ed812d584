# SPDX-License-Identifier: Apache-2.0
"""The interpreter: what every node means. It runs a kernel at every level, with the rounding of the node
types.

A kernel without loops runs its body for every cell of its space, in any order; a kernel with loops runs as it
stands. Accesses and pointers lead to the same arrays, so a kernel runs on the same arrays before and after
each pass. What C++ leaves undefined (a signed overflow, an element outside its array, a local element never
written) is an error here.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any

from heddle.ir import nodes as ir
from heddle.ir import walls
from heddle.ir.colouring import bits, colour_of
from heddle.ir.device_calls import (
    groups_of,
    is_warp_reduction,
    made,
    meaning,
    padded,
    parts_of,
    row_of,
)
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.ir.mathematics.definition import Definition
from heddle.ir.reduction import COMBINATION, NEUTRAL, TILE, combined, of_row, row_operation
from heddle.ir.rounding import InterpretationError, Number, constant, converted, rounded, rounding
from heddle.ir.space import PLACES
from heddle.ir.text import lines
from heddle.ir.visit import statements

Order = Callable[[list[Any]], Iterable[Any]]
Value = Callable[[], Any]
"""What an expression is now."""
Step = Callable[[], Any]
"""Runs a statement."""
AXES = "xyz"
OUTSIDE = -5


@dataclass
class Array:
    """The memory of a field and where its cells lie: cell (x, y, z), component q is element
    `origin + x * stride[0] + ... + q * stride[rank]` of `values`; a sparse field has (cell, component).

    A neighbour table is one with extent (cells, rows), a list of cells or of values an entry has one axis.
    """

    values: MutableSequence[Any]
    origin: int
    extent: tuple[int, ...]
    stride: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """status: 0, or -5 where an index that the kernel checks lay outside a field. outputs: what was
    reduced."""

    status: int
    outputs: dict[str, Number]


@dataclass(frozen=True)
class _Line:
    """What a pointer or a view stands for: element i is `values[origin + i * stride]`."""

    name: str
    values: MutableSequence[Any]
    origin: int = 0
    stride: int = 1

    def at(self, index: int) -> int:
        place = self.origin + index * self.stride
        if not 0 <= place < len(self.values):
            raise InterpretationError(f"{self.name}[{index}] is outside its array")
        return place

    def __getitem__(self, index: int) -> Any:
        found = self.values[self.at(index)]
        if found is None:
            raise InterpretationError(f"{self.name}[{index}] is read before it is written")
        return found

    def __setitem__(self, index: int, value: Any) -> None:
        self.values[self.at(index)] = value


def run(
    kernel: ir.Kernel,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, Number] | None = None,
    order: Order = iter,
) -> Result:
    """Run a kernel at any level.

    arrays: by the name of the field; with a sparse space also "neighbour" and, if it is listed, "cells".
    scalars: parameters, and `first` and `last` of a sparse space that is not listed, `first_colour` and
    `last_colour` of a coloured one, `walls` of one with walls. order: puts the cells of
    the space, or the iterations of a loop that is not serial, into the order in which they run.
    """
    return _Interpreter(kernel, arrays, scalars or {}, order).run()


@dataclass(frozen=True)
class _RowReduction:
    """An element that the cells of a row reduce to. given: what each has given, by its x."""

    line: _Line
    index: int
    operation: str
    scalar: ir.Scalar
    given: dict[int, float] = field(default_factory=dict)

    def finish(self) -> None:
        values = [self.given[x] for x in sorted(self.given)]
        self.line[self.index] = of_row(self.operation, values, _rounding(self.scalar))


def _rounding(scalar: ir.Scalar) -> Callable[[float], float]:
    return lambda value: float(rounded(value, scalar))


@dataclass
class _Interpreter:
    kernel: ir.Kernel
    arrays: Mapping[str, Array]
    scalars: Mapping[str, Number]
    order: Order
    names: dict[str, Any] = field(default_factory=dict)  # arguments and counters
    locals: dict[ir.Symbol, Any] = field(default_factory=dict)
    evaluations: dict[ir.Expression, Value] = field(default_factory=dict)
    definitions: dict[Definition, tuple[dict[ir.Symbol, Any], list[Step], Value]] = field(
        default_factory=dict
    )
    given: dict[ir.Symbol, dict[int, float]] = field(default_factory=dict)  # what Reduce gave, cell by cell
    of_rows: dict[tuple[str, int], _RowReduction] = field(default_factory=dict)  # by their elements
    operations: dict[ir.Symbol, str] = field(default_factory=dict)
    status: int = 0

    def run(self) -> Result:
        outputs = {symbol.name: [math.nan] for symbol in self.kernel.outputs}
        self.bind(outputs)
        body = self.kernel.body
        if any(isinstance(statement, ir.Loop) for statement in statements(body)):
            self.block(body)
        else:
            steps = self.steps(body)
            for part in self.parts():
                for cell in self.order(part):
                    self.names.update(cell)
                    for step in steps:
                        step()
        for row in self.of_rows.values():
            row.finish()
        for output, given in self.given.items():
            numbers = [NEUTRAL[self.operations[output]]] * self.tiles() * TILE
            for place, number in given.items():
                numbers[place] = number
            assert isinstance(output.type, ir.Scalar)
            outputs[output.name][0] = combined(self.operations[output], numbers, _rounding(output.type))
        return Result(self.status, {name: values[0] for name, values in outputs.items()})

    def bind(self, outputs: Mapping[str, list[float]]) -> None:
        """The arguments of the flat entry, by their names."""
        for name, array in self.arrays.items():
            self.names[name] = _Line(name, array.values, array.origin)
            self.names[f"{name}_extent"] = _Line(f"{name}_extent", list(array.extent))
            self.names[f"{name}_stride"] = _Line(f"{name}_stride", list(array.stride))
        if "neighbour" in self.arrays:
            self.names["neighbour_stride"] = self.arrays["neighbour"].stride[1]
        if "cells" in self.arrays:
            self.names["cell_count"] = self.arrays["cells"].extent[0]
        if self.kernel.space.box:
            self.names["cell_count"] = self.arrays[PLACES[0]].extent[0]
        if self.kernel.space.is_box:
            for axis, count in enumerate(self.extent):
                self.names[f"n_{AXES[axis]}"] = count
            self.names["n_i"] = self.extent[0] // 2
        self.names.update(self.scalars)
        for symbol in self.kernel.parameters:
            assert isinstance(symbol.type, ir.Scalar)
            self.names[symbol.name] = converted(self.scalars[symbol.name], symbol.type)
        for statement in statements(self.kernel.body):
            if isinstance(statement, ir.Reduce):
                self.operations[statement.output] = statement.operation
                self.given.setdefault(statement.output, {})
        for name, values in outputs.items():
            self.names[name] = _Line(name, values)
            self.names[f"{name}_work"] = _Line(f"{name}_work", [None] * self.tiles())
        for statement in statements(self.kernel.body):
            if is_warp_reduction(statement):  # threads without a cell give what changes nothing
                results, operation = parts_of(statement)["results"], row_of(statement).reduces
                line, groups = self.names[results.name], groups_of(operation, results).name
                line.values[:] = [NEUTRAL[operation]] * len(line.values)
                self.names[groups] = _Line(groups, [NEUTRAL[operation]] * (TILE * len(line.values)))

    @property
    def extent(self) -> tuple[int, ...]:
        rank = self.kernel.space.dimensions if self.kernel.space.is_box else 0
        dense = [f for f in self.kernel.fields if f.dense]
        extents = {
            tuple(n * (2 if f.layout.split and axis == 0 else 1) for axis, n in enumerate(whole[: f.rank]))
            for f, whole in ((f, self.arrays[f.name].extent) for f in dense)
        }
        whole = next((extent for extent in extents if len(extent) == rank), ())
        extents = {(*extent, *whole[len(extent) :]) for extent in extents}  # planes lack the last one
        if len(extents) != 1:
            raise InterpretationError(f"the extents of the fields of {self.kernel.name} differ")
        return extents.pop()

    def parts(self) -> Iterator[list[dict[str, int]]]:
        """All cells, or those of one colour after the other."""
        space, cells = self.kernel.space, list(self.cells())
        if not space.is_box or space.colours == 1:
            yield cells
            return
        axes = AXES[: space.dimensions]
        for colour in range(self.names["first_colour"], self.names["last_colour"]):
            yield [
                c for c in cells if colour_of(space.dimensions, space.colours, [c[a] for a in axes]) == colour
            ]

    def cells(self) -> Iterator[dict[str, int]]:
        """The counters of every cell, x fastest; the axis of a scan is the scan's own."""
        space = self.kernel.space
        if space.packs:
            yield from self.boxed_cells()
            return
        if space.is_list:
            places = [self.names[place] for place in PLACES[: space.box]]
            for number in self.numbers():
                place = {a: line.values[line.at(number)] for a, line in zip(AXES, places, strict=False)}
                yield {space.counter: number, **place}
            return
        axes = self.axes()[::-1]
        for cell in itertools.product(*(range(self.extent[axis]) for axis in axes)):
            yield {AXES[axis]: position for axis, position in zip(axes, cell, strict=True)}

    def axes(self) -> list[int]:
        """Those along which cells lie, or columns where there is a scan."""
        scanned = {s.axis for s in statements(self.kernel.body) if isinstance(s, ir.Scan)}
        return [axis for axis in range(self.kernel.space.dimensions) if axis not in scanned]

    def numbers(self) -> range:
        """Those of the cells, or entries, of a list."""
        if self.kernel.space.listed:
            return range(self.names["cell_count"])
        return range(self.names["first"], self.names["last"])

    # Reductions

    def rows(self) -> list[tuple[str, int]]:
        """The axes along which cells or columns lie, with how many of one colour there are in a row."""
        space = self.kernel.space
        halved = len(bits(space.dimensions, space.colours))
        return [(AXES[a], (self.extent[a] + 1) // 2 if a < halved else self.extent[a]) for a in self.axes()]

    def tiles(self) -> int:
        """How many tiles of cells there are."""
        space = self.kernel.space
        if space.is_list:
            return -(-len(self.numbers()) // TILE)
        (_, row), *outer = self.rows() or [("", 1)]
        colours = 1 if space.colours == 1 else self.names["last_colour"] - self.names["first_colour"]
        return int(-(-row // TILE) * math.prod(count for _, count in outer) * max(colours, 0))

    def place(self) -> int:
        """Where the current cell stands among all cells of all tiles."""
        space = self.kernel.space
        if space.is_list:
            return int(self.names[space.counter]) - self.numbers().start
        halved = len(bits(space.dimensions, space.colours))
        rows = self.rows() or [("", 1)]
        where = [self.names.get(axis, 0) // (2 if AXES.find(axis) < halved else 1) for axis, _ in rows]
        tile: int = 0
        if space.colours > 1:
            cell = [self.names[axis] for axis, _ in rows]
            tile = colour_of(space.dimensions, space.colours, cell) - self.names["first_colour"]
        for number, (_, count) in zip(where[:0:-1], rows[:0:-1], strict=True):
            tile = tile * count + number
        return int((tile * -(-rows[0][1] // TILE) + where[0] // TILE) * TILE + where[0] % TILE)

    def boxed_cells(self) -> Iterator[dict[str, int]]:
        """The counters of the cells of a table of boxes."""
        table = self.arrays["boxes"].values
        for row in range(0, 9 * int(self.scalars["box_count"]), 9):
            number, component, *first = (int(entry) for entry in table[row : row + 5])
            extent = [int(entry) for entry in table[row + 5 : row + 8]]
            cells = itertools.product(*(range(n) for n in reversed(extent)))
            for place, (z, y, x) in enumerate(cells, int(table[row + 8])):
                cell = {"x": first[0] + x, "y": first[1] + y, "z": first[2] + z}
                yield {"field": number, "component": component, **cell, "place": place}

    # Statements

    def block(self, body: Sequence[ir.Statement]) -> None:
        for step in self.steps(body):
            step()

    def steps(self, body: Iterable[ir.Statement]) -> list[Step]:
        """Functions that run statements, each made once."""
        return [self.step(statement) for statement in body if not isinstance(statement, ir.Comment)]

    def step(self, statement: ir.Statement) -> Step:
        match statement:
            case ir.Var(symbol, None):
                return lambda: self.locals.pop(symbol, None)
            case ir.Let(symbol, value) | ir.Var(symbol, value) | ir.Assign(symbol, value):
                assert value is not None
                return self.naming(symbol, self.evaluation(value))
            case ir.Store(ir.Gather() as row, ir.Call(_, (part,))) if row_operation(statement):
                return lambda: self.give(row_operation(statement), row, self.names["x"], self.value(part))
            case ir.Store(target, value):
                return self.storing(target, self.evaluation(value))
            case ir.Local(symbol, _, "shared"):
                raise InterpretationError(f"threads run one by one here, and share '{symbol.name}'")
            case ir.Local(symbol, length, space):
                assert isinstance(symbol.type, ir.Pointer)
                zero = 0.0 if symbol.type.element.is_float else 0
                begin = [zero if space == "scratch" else None] * length
                return lambda: self.locals.update({symbol: _Line(symbol.name, list(begin))})
            case ir.Reduce():
                return lambda: self.reduce(statement)
            case ir.If(condition, body):
                return self.guarding(self.evaluation(condition), body)
            case ir.Loop():
                return self.looping(statement)
            case ir.Scan():
                steps = self.steps(statement.body)
                return lambda: self.scan(statement, steps)
            case ir.While():
                steps = self.steps(statement.body)
                return lambda: self.repeat(statement, steps)
            case ir.DeviceCall():
                return self.calling(statement)
        raise InterpretationError(f"{type(statement).__name__} is not a statement of a kernel")

    def naming(self, symbol: ir.Symbol, value: Value) -> Step:
        known, name = self.locals, symbol.name
        if name in AXES and symbol.type == ir.I64:  # a coordinate that no loop counts

            def of_axis() -> None:
                known[symbol] = self.names[name] = value()

            return of_axis

        def run() -> None:
            known[symbol] = value()

        return run

    def storing(self, target: ir.Access | ir.Gather | ir.Load, value: Value) -> Step:
        place = self.place_of(target)

        def run() -> None:
            result = value()
            line, index = place()
            line[index] = result

        return run

    def reduce(self, statement: ir.Reduce) -> None:
        operation, output = statement.operation, statement.output
        given, place = self.given[output], self.place()
        before = given.get(place, NEUTRAL[operation])
        assert isinstance(output.type, ir.Scalar)
        given[place] = float(
            rounded(COMBINATION[operation](before, self.value(statement.value)), output.type)
        )

    def guarding(self, condition: Value, body: Sequence[ir.Statement]) -> Step:
        steps = self.steps(body)

        def run() -> None:
            if condition():
                for step in steps:
                    step()

        return run

    def looping(self, loop: ir.Loop) -> Step:
        begin, end, by = map(self.evaluation, (loop.begin, loop.end, loop.step))
        names, counter, steps = self.names, loop.counter.name, self.steps(loop.body)
        serial = loop.kind == "serial"

        def run() -> None:
            iterations = range(begin(), end(), by())
            for number in iterations if serial else self.order(list(iterations)):
                names[counter] = number
                for step in steps:
                    step()

        return run

    def give(self, operation: str, target: ir.Gather | ir.Load, x: int, value: float) -> None:
        """What a cell gives to its row."""
        line, index = self.element(target)
        new = _RowReduction(line, index, operation, target.type)
        self.of_rows.setdefault((line.name, line.at(index)), new).given[x] = value

    def scan(self, scan: ir.Scan, steps: Sequence[Step]) -> None:
        counter, cells = AXES[scan.axis], range(self.extent[scan.axis])
        carried = [self.value(value) for value in scan.initial]
        for position in reversed(cells) if scan.reverse else cells:
            self.names[counter] = position
            self.locals.update(zip(scan.carried, carried, strict=True))
            for step in steps:
                step()
            carried = [self.value(value) for value in scan.update]
        self.locals.update(zip(scan.carried, carried, strict=True))

    def repeat(self, loop: ir.While, steps: Sequence[Step]) -> None:
        self.locals.update(zip(loop.carried, [self.value(value) for value in loop.initial], strict=True))
        for _ in range(loop.at_most):
            if not self.value(loop.condition):
                break
            for step in steps:
                step()
            following = [self.value(value) for value in loop.update]
            self.locals.update(zip(loop.carried, following, strict=True))

    def calling(self, call: ir.DeviceCall) -> Step:
        """The statements that a call stands for (see ir.device_calls)."""
        row, parts = row_of(call), parts_of(call)
        required = row.requires and row.requires(**parts)
        array, padding = made(call), padded(call)
        first = self.step(array) if array else None
        whole = row.reduces_row or row.interpret  # of a row, known when all cells have given
        steps = [] if whole else self.steps(meaning(call))

        def run() -> None:
            if required is not None and not self.value(required):
                raise InterpretationError(
                    f"the precondition of {call.name} does not hold in {next(lines([call]))}"
                )
            if first:
                first()
            elif call.result:
                self.locals[call.result] = self.value(parts[row.aliases])
            if padding:
                line = self.value(padding)
                line.values[:] = [0.0] * len(line.values)
            if row.reduces_row:
                lane, value = self.value(parts["lane"]), self.value(parts["value"])
                self.give(row.reduces_row, parts["first"], lane, value)
            elif row.interpret:
                given = {k: self.value(p) if isinstance(p, ir.Expression) else p for k, p in parts.items()}
                row.interpret(**given)
            for step in steps:
                step()

        return run

    # Expressions

    def value(self, expression: ir.Expression) -> Any:
        return self.evaluation(expression)()

    def evaluation(self, expression: ir.Expression) -> Value:
        """A function that evaluates an expression, made once for all cells."""
        known = self.evaluations.get(expression)
        if known is None:
            known = self.evaluations[expression] = self.compiled(expression)
        return known

    def compiled(self, expression: ir.Expression) -> Value:
        match expression:
            case ir.Symbol(name):
                known, names = self.locals, self.names
                return lambda: known[expression] if expression in known else names[name]
            case ir.Const(value, scalar):
                assert scalar is not None
                number = constant(value, scalar)
                return lambda: number
            case ir.Op():
                return self.operation(expression)
            case ir.Load() | ir.Access() | ir.Gather():
                return self.read(self.place_of(expression))
            case ir.Call(name, args):
                return self.called(expression, [self.evaluation(argument) for argument in args])
            case ir.Select(condition, yes, no):
                choice, one, other = map(self.evaluation, (condition, yes, no))
                return lambda: one() if choice() else other()
            case ir.Cast(inner, scalar):
                converted_value, near = self.evaluation(inner), rounding(scalar)
                if scalar.is_float or scalar.kind == "b":
                    return lambda: near(converted_value())
                return lambda: converted(converted_value(), scalar)
            case ir.IsWallLink():
                return lambda: self.ends_at_wall(expression)
            case ir.View(pointer, offset, stride):
                of, begin, by = map(self.evaluation, (pointer, offset, stride))

                def view() -> _Line:
                    line, step = of(), by()
                    return _Line(
                        line.name, line.values, line.origin + begin() * line.stride, step * line.stride
                    )

                return view
        raise InterpretationError(f"{type(expression).__name__} is not an expression of a kernel")

    @staticmethod
    def read(place: Callable[[], tuple[_Line, int]]) -> Value:
        def value() -> Any:
            line, index = place()
            return line[index]

        return value

    def called(self, call: ir.Call, args: list[Value]) -> Value:
        scalar = call.type
        if call.name == "within":
            return lambda: self.within(*[argument() for argument in args])
        assert scalar is not None
        row, near = FUNCTIONS[call.name], rounding(scalar)
        if row.definition:
            return self.defined(row.definition(scalar), args)
        if row.converts:
            return lambda: row.meaning(scalar, *[argument() for argument in args])
        if row.arrays:
            return lambda: row.meaning(near, *[argument() for argument in args])
        return lambda: near(row.meaning(*[argument() for argument in args]))

    def ends_at_wall(self, expression: ir.IsWallLink) -> bool:
        link = expression.link
        if link.field.dense:
            return any(self.beside(side) for side in walls.crossed(self.kernel.space, link))
        if link.at is not None:
            return self.listed_cell(link) == self.own_cell
        return self.listed(link) == self.wall(link)

    def defined(self, definition: Definition, args: Sequence[Value]) -> Value:
        """A call of a function that is defined operation by operation, with names of its own."""
        if definition not in self.definitions:
            inside = dataclasses.replace(self, locals={}, evaluations={})
            steps = inside.steps(s for s in definition.body if isinstance(s, ir.Let))
            self.definitions[definition] = inside.locals, steps, inside.evaluation(definition.result)
        own, steps, result = self.definitions[definition]

        def value() -> Any:
            given = [argument() for argument in args]
            own.update(zip(definition.parameters, given, strict=True))
            for step in steps:
                step()
            return result()

        return value

    def operation(self, op: ir.Op) -> Value:
        assert op.type is not None
        args = [self.evaluation(argument) for argument in op.args]
        do, near = OPERATORS[op.name].meaning, rounding(op.type)
        if len(args) == 1:
            (a,) = args
            return lambda: near(do(a()))
        a, b = args
        match op.name:
            case "and":
                return lambda: bool(a() and b())
            case "or":
                return lambda: bool(a() or b())
        return lambda: near(do(a(), b()))

    def place_of(self, element: ir.Access | ir.Gather | ir.Load) -> Callable[[], tuple[_Line, int]]:
        """A function that finds the line that an element lies on, and its index there."""
        if isinstance(element, ir.Load):
            line, index = self.evaluation(element.pointer), self.evaluation(element.index)
            return lambda: (line(), index())
        near = isinstance(element, ir.Access) and element.field.dense and not element.field.layout.split
        if near and not walls.crossed(self.kernel.space, element):  # type: ignore[arg-type]
            return self.near_cell(element)  # type: ignore[arg-type]
        return lambda: self.element(element)

    def near_cell(self, access: ir.Access) -> Callable[[], tuple[_Line, int]]:
        """The place of an element at an offset from the current cell."""
        field, names = access.field, self.names
        array, ghosts, whole = self.arrays[field.name], field.ghost_layers, names[field.name]
        axes = list(zip(AXES, access.offsets[: field.rank], array.extent, array.stride, strict=False))
        component = access.component * array.stride[-1] if field.components else 0

        def place() -> tuple[_Line, int]:
            total = component
            for axis, offset, extent, stride in axes:
                at = names[axis] + offset
                if not -ghosts <= at < extent + ghosts:
                    at = self.within(at, -ghosts, extent + ghosts)
                total += at * stride
            return whole, total

        return place

    def element(self, element: ir.Access | ir.Gather | ir.Load) -> tuple[_Line, int]:
        """The line that an element lies on, and its index there."""
        match element:
            case ir.Load(pointer, index):
                return self.value(pointer), self.value(index)
            case ir.Gather(field, position, component):
                cell = [self.value(entry) for entry in position]
                return self.at(field, cell, self.within(self.value(component), 0, max(field.components, 1)))
            case ir.Access(field, offsets, component) if field.dense:
                if any(self.beside(side) for side in walls.crossed(self.kernel.space, element)):
                    stands = walls.own(self.kernel.space, element)
                    offsets, component = stands.offsets, stands.component
                counters = (self.names[AXES[axis]] for axis in range(field.rank))
                return self.at(field, [c + d for c, d in zip(counters, offsets, strict=True)], component)
            case ir.Access(field, offsets) if field.layout.along_axis:
                return self.at(field, [self.names[AXES[field.axis]] + offsets[0]], 0)
            case ir.Access():
                return self.names[element.field.name], self.listed(element)
        raise InterpretationError(f"{type(element).__name__} is not an element")

    def beside(self, side: str) -> bool:
        """Whether the current cell lies at a side at which there is a wall."""
        axis = walls.axis_of(side)
        last = self.extent[axis] - 1 if walls.is_upper(side) else 0
        return bool(self.names["walls"] & walls.bit(side)) and bool(self.names[AXES[axis]] == last)

    def at(self, field: ir.Field, cell: Sequence[int], component: int) -> tuple[_Line, int]:
        """An element of a dense field; outside the ghost layers as `within` has it."""
        array, ghosts = self.arrays[field.name], field.ghost_layers
        colour = sum(cell) % 2
        if field.layout.split:
            cell = [cell[0] // 2, *cell[1:]]
        inside = [self.within(c, -ghosts, n + ghosts) for c, n in zip(cell, array.extent, strict=False)]
        if field.layout.split:
            inside.append(colour)
        where = [*inside, component] if field.components else inside
        return self.names[field.name], sum(c * s for c, s in zip(where, array.stride, strict=True))

    def listed(self, access: ir.Access) -> int:
        """The index of an element of a sparse list, or of one value per entry."""
        if access.field.layout.per_entry:
            return int(self.names[self.kernel.space.counter])
        n = self.listed_cell(access)
        if any(access.offsets):
            path = self.kernel.space.path(access.component, access.offsets)
            assert path is not None
            for row in path:
                n = self.linked(row, n)
            if not self.kernel.space.links[path[0]].stores_solid:
                return n
        stride = (*self.arrays[access.field.name].stride, 0)
        return n * stride[0] + access.component * stride[1]

    def wall(self, access: ir.Access) -> int:
        """The index of the element of the current cell to which a link leads that ends at a wall."""
        link = self.kernel.space.links[self.kernel.space.row(access.component, access.offsets)]
        stride = self.arrays[access.field.name].stride
        return self.listed_cell(access) * stride[0] + link.wall_slot * stride[1]

    @property
    def own_cell(self) -> int:
        """The number of the current cell of a list."""
        space = self.kernel.space
        number = self.names[space.counter]
        cells = self.names["cells"] if space.listed else None
        return int(cells.values[cells.at(number)]) if cells else int(number)

    def listed_cell(self, access: ir.Access) -> int:
        """The number of the current cell of a list, or of the one from which an element is seen."""
        if not access.through:
            return self.own_cell
        if access.at is not None:
            return int(self.value(access.at))
        row = self.kernel.space.row_at(access.through)
        assert row is not None
        return self.linked(row, self.own_cell) % self.arrays[self.kernel.slots.name].stride[1]

    def linked(self, row: int, n: int) -> int:
        """Entry (row, n) of the neighbour table."""
        table, (step, row_step) = self.names["neighbour"], self.arrays["neighbour"].stride
        return int(table.values[table.at(row * row_step + n * step)])

    def within(self, index: int, lower: int, upper: int) -> int:
        inside = int(FUNCTIONS["within"].meaning(index, lower, upper))
        if inside != index:
            self.status = OUTSIDE
        return inside

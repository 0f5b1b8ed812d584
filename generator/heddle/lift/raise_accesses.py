# SPDX-License-Identifier: Apache-2.0
"""recover: from loops over memory to kernels over cells: the inverse of scheduling and of lowering accesses.

before   loop j in [1, ny - 1) { loop i in [1, nx - 1) { store v[i + nx*j] = u[i + 1 + nx*j] } }
after    kernel over dense 2D: store v[0, 0] = u[1, 0]; first cell at index nx + 1, strides 1 and nx

A kernel is recovered in the symbolic vocabulary with its types and its order of operations, or refused with
file, line and reason. What the source does not say and recovery relied on is listed as assumptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.ir.verify import VerificationError, verify
from heddle.ir.visit import expressions, statements, transform, walk
from heddle.lift.arrays import Arrays, Noting, Placing
from heddle.lift.cleanup import cleanup
from heddle.lift.columns import column_body
from heddle.lift.conditions import all_of
from heddle.lift.delinearise import axis_order
from heddle.lift.dependence import dependences, is_coloured
from heddle.lift.elements import Walk
from heddle.lift.lifted import Lifted, refuse
from heddle.lift.loop_nests import Axis, Finish, Nest, loop_nests
from heddle.lift.polynomial import Polynomial, atom
from heddle.lift.recovered import COORDINATES, EXTENTS, RESERVED, TYPES, Recovered
from heddle.lift.reductions import collected, is_collected
from heddle.lift.scope import Scope
from heddle.lift.ssa import Namer, State, single_values
from heddle.lift.sweeps import Segment, Stretch, segments
from heddle.passes.check_dependences import check_dependences


def raise_accesses(lifted: Lifted) -> tuple[Recovered, ...]:
    """The kernels of a lifted function, one a loop nest, in order.

    Raises KernelError where a loop is no sweep over the cells of a box.
    """
    found = raise_each(lifted)
    for each in found:
        if isinstance(each, KernelError):
            raise each
    return tuple(each for each in found if isinstance(each, Recovered))


def raise_each(lifted: Lifted) -> list[Recovered | KernelError]:
    """For each loop nest its kernel, or why there is none. Raises KernelError where something happens outside
    all nests."""
    function = loop_nests(lifted)
    name = lifted.name.rsplit("::", 1)[-1]
    many = len(function.loop_nests) > 1
    result: list[Recovered | KernelError] = []
    for number, nest in enumerate(function.loop_nests, 1):
        try:
            later = [f for f in function.finishes if any(s in nest.results for s in f.results)]
            here = [
                f
                for f in later
                if not any(s in n.results for n in function.loop_nests[number:] for s in f.results)
            ]
            recovery = _Recovery(lifted, nest, function.outputs, here, f"{name}_{number}" if many else name)
            result.append(recovery.recovered())
        except KernelError as error:
            result.append(error)
        except RecursionError:
            result.append(refuse(nest.place, "The loop's body is nested too deeply.", "split the loop"))
        except VerificationError as error:  # never a wrong kernel, never a crash
            result.append(
                refuse(
                    nest.place,
                    f"The loop does not form a valid kernel: {error}.",
                    "report this as a defect of Heddle",
                )
            )
    return result


class _Recovery:
    def __init__(
        self, lifted: Lifted, nest: Nest, outputs: dict[str, str], finishes: Sequence[Finish], name: str
    ) -> None:
        self.finishes = finishes
        self.lifted, self.nest, self.name, self.outputs = lifted, nest, name, outputs
        self.axes: list[Axis] = list(nest.axes)
        self.results = dict(nest.results)
        self.scope = nest.scope
        self.head, self.segments = segments(nest.body, self.scope)
        self.carry_results()
        loops = [s.axis for s in self.segments if s.axis is not None]
        self.sweep = loops[0].counter if loops else None
        singles = [n for n, s in enumerate(self.segments) if s.axis is None and self.sweep is not None]
        self.arrays = Arrays(lifted, nest.place, frozenset(singles))

    def carry_results(self) -> None:
        """In a single loop, a variable that is no sum, minimum or maximum is carried from cell to cell."""
        carried = [s for s in self.results if not is_collected(self.nest.body, s)]
        if len(self.axes) == 1 and carried and self.segments[0].axis is None:
            first: list[ir.Statement] = []
            for symbol in carried:
                if symbol.name in self.outputs:
                    raise refuse(
                        self.nest.place,
                        f"The last value of '{symbol.name}' is stored, but a column sweep returns no "
                        "carried value.",
                    )
                initial = self.results.pop(symbol)
                if initial is None or not any(isinstance(node, ir.Load) for node in walk(initial)):
                    self.head.append(ir.Var(symbol, initial))
                else:
                    self.head.append(ir.Var(symbol, None))
                    first.append(ir.Assign(symbol, initial))
            start = [Segment(None, tuple(first))] if first else []
            self.segments = [*start, Segment(self.axes.pop(), self.nest.body)]

    def recovered(self) -> Recovered:
        self.collect()
        counters = [axis.counter for axis in self.axes] + ([self.sweep] if self.sweep else [])
        self.order = axis_order(counters, self.arrays.touches) or counters[::-1]
        ranges = None if self.sweep else [self.range_of(counter) for counter in self.order]
        self.arrays.put(self.order, self.order.index(self.sweep) if self.sweep else -1, ranges)
        self.scope.assumptions += self.arrays.notes
        self.ranges = [self.range_of(counter) for counter in self.order]
        extents = [end - begin for begin, end in self.ranges]
        self.arrays.check_components(extents)
        self.scope.assumptions += self.arrays.check_rows(extents)
        self.coordinates = {
            counter: atom(COORDINATES[axis]) + self.ranges[axis][0] for axis, counter in enumerate(self.order)
        } | dict(self.known_extents())
        namer = Namer(self.taken())
        body = self.columns(namer) if self.sweep else self.cells(namer)
        return self.finished(cleanup(body, namer, self.taken()))

    def known_extents(self) -> Iterator[tuple[ir.Expression, Polynomial]]:
        """Arguments of the source that a kernel knows from the extents of its fields."""
        for axis, (begin, end) in enumerate(self.ranges):
            length = end - begin
            for own in length.atoms:
                rest = (length - atom(own)).constant
                if rest is not None:
                    yield own, atom(EXTENTS[axis]) - rest

    # Where accesses go

    def collect(self) -> None:
        """Every access of the nest, by array; those at places known only at run time apart."""
        for number, segment in enumerate(self.segments):
            Walk(self.segment_scope(segment), Noting(self.arrays, number), {}).block(segment.body)
        if not self.arrays.stores and not self.results:
            raise refuse(self.nest.place, "The loop stores nothing.")

    def segment_scope(self, segment: Segment) -> Scope:
        """Names inside a segment; all sweeps of a column have one counter."""
        scope = self.scope.inner()
        if segment.axis is not None and self.sweep is not None and segment.axis.counter is not self.sweep:
            scope.known[segment.axis.counter] = atom(self.sweep)
        return scope

    def range_of(self, counter: ir.Symbol) -> tuple[Polynomial, Polynomial]:
        """The interior along an axis: in a column the union of what is swept."""
        if counter is not self.sweep:
            axis = next(a for a in self.axes if a.counter is counter)
            begin, end = axis.begin, axis.end
        else:
            begin, end = self.stretches()[0].begin, self.stretches()[0].end
            for stretch in self.stretches()[1:]:
                begin, end = self.least(begin, stretch.begin), -self.least(-end, -stretch.end)
        for bound in (begin, end):
            if any(c in bound.atoms for c in self.order):
                raise refuse(
                    self.nest.place,
                    f"The range of '{counter.name}' depends on another counter, so the iteration space is "
                    "not a box.",
                    "lift loops over a box",
                )
        return begin, end

    def least(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """The smaller of two bounds; a number and a size compare as in a column that is long enough."""
        apart = (other - one).constant
        if apart is not None:
            return one if apart >= 0 else other
        for low, high in ((one, other), (other, one)):
            if low.constant is not None and len(high.atoms) == 1 and (_grows(high) or _grows(-high)):
                assert self.sweep is not None
                self.scope.assumptions.append(
                    f"{self.nest.place}: the parts of the column along '{self.sweep.name}' do not cross: it "
                    "is long enough"
                )
                return low if _grows(high) else high
        raise refuse(self.nest.place, f"Whether {one} or {other} comes first in the column is unknown.")

    def stretches(self) -> list[Stretch]:
        result = []
        for number, segment in enumerate(self.segments):
            if segment.axis is not None:
                result.append(Stretch(segment, segment.axis.begin, segment.axis.end))
            elif number in self.arrays.cells_at:
                at = self.arrays.cells_at[number]
                result.append(Stretch(segment, at, at + 1))
            else:
                raise refuse(
                    self.nest.place,
                    "A value is computed between the sweeps of a column, which is not supported.",
                )
        return result

    # Bodies

    def walk(self, number: int, segment: Segment) -> list[ir.Statement]:
        """A segment with fields, and under the condition of its loop's steps."""
        walker = Walk(self.segment_scope(segment), Placing(self.arrays, number), self.coordinates)
        axes = self.axes if segment.axis is None else [*self.axes, segment.axis]
        conditions = [walker.value(axis.condition) for axis in axes if axis.condition is not None]
        body = list(walker.block(segment.body))
        return [ir.If(all_of(conditions), tuple(body), place=self.nest.place)] if conditions else body

    def cells(self, namer: Namer) -> list[ir.Statement]:
        """The body of a cell; along an axis on which cells depend on each other, a sweep."""
        walked = self.walk(0, self.segments[0])
        body = collected(walked, self.results, self.outputs, self.scope.assumptions, self.nest.place)
        body = single_values(body, State({}, {}), namer)
        found = dependences(body)
        if not found or is_coloured(body):
            return body
        if len(found) > 1 or -1 in found:
            worst = next(iter(found.values()))[0]
            raise refuse(
                self.place_of(worst, body),
                f"A cell reads '{worst.field.name}' of cells along several axes that the same loop "
                "writes, so the result depends on the order of the cells.",
                "colour the cells, or write to a second array",
            )
        (axis,) = found
        along = next(a for a in self.axes if a.counter is self.order[axis])
        if along.kind != "serial":
            read = found[axis][0]
            raise refuse(
                self.place_of(read, body),
                f"A thread reads '{read.field.name}' of a cell that another thread writes: a race.",
                "write to a second array",
            )
        return [ir.Scan(axis, along.reverse, (), (), tuple(body), (), self.nest.place)]

    @staticmethod
    def place_of(access: ir.Access, body: Sequence[ir.Statement]) -> Place:
        return next(
            s.place
            for s in statements(body)
            if isinstance(s, (ir.Store, ir.Let)) and any(node is access for node in walk(s))
        )

    def columns(self, namer: Namer) -> list[ir.Statement]:
        assert self.sweep is not None
        axis = self.order.index(self.sweep)
        bodies = {id(s): self.walk(n, s) for n, s in enumerate(self.segments)}
        head = list(Walk(self.scope, Placing(self.arrays, 0), self.coordinates).block(self.head))
        return column_body(
            head, self.stretches(), bodies, self.ranges[axis], axis, COORDINATES[axis], EXTENTS[axis], namer
        )

    # The kernel

    def taken(self) -> set[str]:
        names = {f.name for f in self.arrays.fields.values()} | RESERVED | set(self.outputs.values())
        scalars = {p.symbol.name for p in self.lifted.parameters if isinstance(p.symbol.type, ir.Scalar)}
        ends = {f"{f.name}_{end}" for f in self.arrays.fields.values() for end in ("extent", "stride")}
        return names | scalars | ends

    def finished(self, body: tuple[ir.Statement, ...]) -> Recovered:
        body, parameters = self.parameters(body)
        outputs = dict.fromkeys(s.output for s in statements(body) if isinstance(s, ir.Reduce))
        used = {node.field for node in expressions(body) if isinstance(node, (ir.Access, ir.Gather))}
        arrays = self.arrays
        fields = [arrays.fields[name] for name in sorted(arrays.fields, key=arrays.rank_of)]
        rank = len(self.order)
        kept = tuple(field for field in fields if field in used)
        kernel = ir.Kernel(self.name, kept, parameters, Dense(rank), body, tuple(outputs))
        verify(kernel, "symbolic")
        check_dependences(kernel, Request())
        assumptions = (*self.lifted.assumptions, *self.scope.assumptions, *arrays.aliases(body))
        sources = self.sources | {f.name: arrays.whole(name) for name, f in arrays.fields.items()}
        return Recovered(
            kernel,
            {self.arrays.fields[name].name: p for name, p in self.arrays.placements.items()},
            sources,
            tuple(end - begin for begin, end in self.ranges),
            tuple(begin for begin, _ in self.ranges),
            tuple(counter.name for counter in self.order),
            tuple(dict.fromkeys(assumptions)),
            self.nest.place,
            tuple((finish.name, self.finished_value(finish)) for finish in self.finishes),
        )

    def counters(self) -> set[str]:
        return {s.counter.name for s in statements(self.lifted.body) if isinstance(s, ir.Loop)}

    def finished_value(self, finish: Finish) -> ir.Expression:
        """A last computation in terms of outputs."""
        names = {
            symbol: ir.Symbol(self.outputs.get(symbol.name, symbol.name), symbol.type)
            for symbol in finish.results
        }
        return transform(finish.value, lambda node: names.get(node, node))  # type: ignore[no-any-return]

    def parameters(
        self, body: tuple[ir.Statement, ...]
    ) -> tuple[tuple[ir.Statement, ...], tuple[ir.Symbol, ...]]:
        """The scalars that a body needs, under names that are free and with types that arguments have."""
        own = {s.symbol for s in statements(body) if isinstance(s, ir.Let)}
        carrying = [s for s in statements(body) if isinstance(s, (ir.Scan, ir.While))]
        own |= {symbol for statement in carrying for symbol in statement.carried}
        own |= {s.counter for s in statements(body) if isinstance(s, ir.While)}
        own |= (
            {s.output for s in statements(body) if isinstance(s, ir.Reduce)} | set(COORDINATES) | set(EXTENTS)
        )
        found = dict.fromkeys(n for n in walk(body) if isinstance(n, ir.Symbol) and n not in own)
        names: dict[ir.Symbol, ir.Symbol] = {}
        given = {p.symbol.name for p in self.lifted.parameters}
        declared = {s.symbol.name for s in statements(self.lifted.body) if isinstance(s, (ir.Let, ir.Var))}
        for symbol in found:
            if (
                "." not in symbol.name
                and symbol.name not in declared | given
                and symbol.name not in self.counters()
            ):
                self.scope.assumptions.append(
                    f"'{symbol.name}' is a global variable, which the caller passes"
                )
            elif symbol.name.split(".")[0] not in given:
                raise refuse(self.nest.place, f"'{symbol.name}' has no value that is known in the loop.")
            kind = ir.I64 if symbol.type in (ir.U64, ir.U32) else symbol.type
            if kind not in TYPES:
                raise refuse(
                    self.nest.place, f"'{symbol.name}' has type {kind}, which arguments do not support."
                )
            name = symbol.name.replace(".", "_")
            names[symbol] = ir.Symbol(f"given_{name}" if name in RESERVED else name, kind)
        self.sources = {new.name: old.name for old, new in names.items()}
        ordered = sorted(names, key=lambda symbol: self.arrays.rank_of(symbol.name))
        return _renamed(body, names), tuple(names[symbol] for symbol in ordered)


def _renamed(body: tuple[ir.Statement, ...], names: dict[ir.Symbol, ir.Symbol]) -> tuple[ir.Statement, ...]:
    changed = {old: new for old, new in names.items() if old is not new}
    if not changed:
        return body

    def rename(node: Node) -> Node:
        if isinstance(node, ir.Cast) and node.value.type == node.type:
            return node.value
        return changed.get(node, node)  # type: ignore[call-overload,no-any-return]

    return tuple(transform(statement, rename) for statement in body)


def _grows(value: Polynomial) -> bool:
    return all(factor > 0 for monomial, factor in value.terms.items() if monomial)

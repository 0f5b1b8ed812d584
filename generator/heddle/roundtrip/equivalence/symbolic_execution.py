# SPDX-License-Identifier: Apache-2.0
"""Read a lowered kernel: run it once on terms instead of numbers.

Names disappear: a local is its value, a view its array and a polynomial. A load is resolved where it stands,
so that no load moves past a store. What is left is, for every array, the stores in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.device_calls import groups_of, made, meaning, padded, parts_of, row_of
from heddle.ir.functions import FUNCTIONS
from heddle.ir.layout import STRIDED
from heddle.ir.loops import touches_only
from heddle.ir.reduction import NEUTRAL
from heddle.ir.visit import statements, walk
from heddle.roundtrip.equivalence.addresses import chosen_elements
from heddle.roundtrip.equivalence.alias_analysis import NEIGHBOUR, AliasAnalysis
from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.loop_summary import ExecutedLoop, summarise
from heddle.roundtrip.equivalence.memory import Item, Layer, Memory
from heddle.roundtrip.equivalence.reduction_terms import reduction
from heddle.roundtrip.equivalence.reductions import combined_array
from heddle.roundtrip.equivalence.rewrite import Rewriter
from heddle.roundtrip.equivalence.row_assumptions import ASSUME_WHOLE_VECTORS, parts_of_vectors
from heddle.roundtrip.equivalence.terms import Term, conjuncts
from heddle.roundtrip.equivalence.thread_coarsening import CoarsenedThread, first_of_vector

MOST_UNROLLED = 64
ASSUME_NO_OVERLAP = "arrays of different names do not overlap"
ASSUME_SAME_EXTENTS = "all dense fields of a kernel have the same extents"


@dataclass(frozen=True)
class Line:
    """Where a pointer leads: element i is element `offset + i * stride` of the array."""

    array: str
    offset: Term
    stride: Term


class SymbolicExecution:
    """Reads one kernel; `memory` holds what it stores. combined: arrays of which only a reduction is left.
    facts: what terms are known to be in the threads that are read. small: small arrays.
    loaded: how many lanes of these come from a line. blocks: how many interleaved blocks it
    runs on, each from an element further; block_read: the one that is read."""

    def __init__(
        self,
        kernel: ir.Kernel,
        bits: FloatTerms,
        given: Mapping[ir.Expression, ir.Expression] | None = None,
        blocks: int = 1,
    ) -> None:
        self.kernel, self.bits, self.terms = kernel, bits, bits.terms
        self.aliases = AliasAnalysis(bits, kernel.space)
        self.rewriter = Rewriter(bits)
        self.memory = Memory(bits, self.aliases, self.rewriter)
        self.names: dict[str, Term | Line] = {}
        self.guards: list[Term] = []
        self.facts: dict[Term, Term] = {}
        self.blocks, self.block_read = blocks, self.terms.integer(0)
        self.interleaved = {f.name for f in kernel.fields if f.layout is STRIDED} if blocks > 1 else set()
        self.combined: set[str] = set()
        self.elements = {field.name: field.type for field in kernel.fields}
        self.context = Context(bits, self.aliases, self.rewriter, self.memory, self.elements)
        self.given: dict[Term, Term] = {}
        self.lines: dict[str, Line] = {}
        self.loaded: dict[ir.Symbol, Term] = {}
        self.small: set[ir.Symbol] = set()
        for known, value in (given or {}).items():
            if isinstance(known, ir.Symbol) and isinstance(value, ir.View):
                self.lines[known.name] = self.view(value)
            else:
                self.given[self.value(known)] = self.value(value)
        self.elements.update({line.array: self.elements[name] for name, line in self.lines.items()})

    def read(self) -> Memory:
        self.bits.assumptions.add(ASSUME_NO_OVERLAP)
        self.block(self.kernel.body)
        return self.memory

    # Statements

    def block(self, body: Sequence[ir.Statement]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Comment():
                pass
            case ir.Let(symbol, ir.View() as view):
                self.names[symbol.name] = self.view(view)
            case ir.Var(symbol, None):
                self.names[symbol.name] = self.terms.make("undefined", str(symbol.type))
            case ir.Let(symbol, value) | ir.Var(symbol, value) | ir.Assign(symbol, value):
                assert value is not None
                self.check_type(symbol.name, symbol.type, value)
                self.names[symbol.name] = self.value(value)
            case ir.Local(symbol, length):
                self.local(symbol, length)
            case ir.Store(ir.Load(pointer, index), value):
                self.check_type(f"an element of {pointer.name}", statement.target.type, value)
                stored = self.value(value)
                array, scalar, where = self.element(pointer, index)
                guard = self.bits.both("", tuple(self.guards))
                self.memory.store(array, scalar, Item((), guard, where, stored), self.known)
            case ir.If(condition, body):
                self.guarded(self.value(condition), body)
            case ir.While(counter, at_most, condition, body=body):  # once it does not hold, nothing changes
                rounds = ir.If(condition, body)
                self.loop(ir.Loop("serial", counter, integer(0), integer(at_most), integer(1), (rounds,)))
            case ir.Loop():
                self.loop(statement)
            case ir.DeviceCall():
                self.call(statement)
            case _:
                raise KernelError(
                    self.kernel.name,
                    f"{type(statement).__name__} is not a statement of a lowered kernel.",
                    "lower the kernel first",
                )

    def check_type(self, name: str, kind: ir.Type | None, value: ir.Expression) -> None:
        if value.type != kind:
            raise KernelError(
                self.kernel.name,
                f"{name} has type {kind}, but its value has type {value.type}.",
                "write the conversion",
            )

    @property
    def known(self) -> frozenset[Term]:
        return frozenset(part for guard in self.guards for part in conjuncts(guard))

    def local(self, symbol: ir.Symbol, length: int) -> None:
        assert isinstance(symbol.type, ir.Pointer)
        self.small.add(symbol)
        array = f"{symbol.name} {self.terms.fresh('counter').data[0]}"
        self.memory.declare(array, str(symbol.type.element))
        self.elements[array] = symbol.type.element
        self.names[symbol.name] = Line(array, self.terms.integer(0), self.terms.integer(1))

    def guarded(self, condition: Term, body: Sequence[ir.Statement]) -> None:
        """Stores get the guard; a variable is the value assigned, where the condition holds."""
        if condition.kind == "bool":
            if condition.data:
                self.block(body)
            return
        changed = {name: self.names[name] for name in assigned(body)}
        self.guards.append(condition)
        self.block(body)
        self.guards.pop()
        for symbol_name, old in changed.items():
            new = self.names[symbol_name]
            assert isinstance(old, Term)
            assert isinstance(new, Term)
            self.names[symbol_name] = self.bits.select(assigned(body)[symbol_name], (condition, new, old))

    def loop(self, loop: ir.Loop) -> None:
        begin, end, step = self.value(loop.begin), self.value(loop.end), self.value(loop.step)
        parts = parts_of_vectors(loop)
        if parts > 1:  # as a loop over the cells, each with all parts of its vector
            end = self.bits.quotient("", (end, self.terms.integer(parts)))
        if step.kind != "int" or not step.data:
            raise KernelError(
                self.kernel.name,
                f"the loop over {loop.counter.name} has no constant step.",
                "use a constant step",
            )
        counter = self.terms.fresh("counter", loop.counter.name)
        facts, vector = self.facts, 1
        if loop.kind == "thread" and step.data > 1 and step.data == self.kernel.space.row_cells:
            self.bits.assumptions.add(ASSUME_WHOLE_VECTORS.format(step.data))
            vector, step = step.data, self.terms.integer(1)
        elif loop.kind == "thread" and step.data > 1 and not assigned(loop.body):
            self.aliases.counts[counter] = self.count(begin, end, 1)

            def read_body(first: Term, known: dict[Term, Term]) -> Layer:
                return self.layer(loop, counter, first, known)

            shared = CoarsenedThread(self.context, read_body, counter, begin, end)
            if shared.is_cell_by_cell(step.data):
                facts = facts | shared.facts(1, step.data)
                step = self.terms.integer(1)
        count = self.lanes_loaded(loop) or self.count(begin, end, step.data)
        if count.kind == "int" and count.data <= MOST_UNROLLED and loop.kind in ("serial", "lanes"):
            for number in range(count.data):
                self.names[loop.counter.name] = self.terms.plus(begin, self.terms.scaled(step, number))
                self.block(loop.body)
            return
        if count.kind == "int" and count.data <= 0:
            return
        self.aliases.counts[counter] = count
        self.names[loop.counter.name] = self.terms.plus(begin, self.terms.scaled(counter, step.data))
        carried: dict[str, tuple[Term, Term, str]] = {}
        for name, scalar in assigned(loop.body).items():
            before = self.names[name]
            assert isinstance(before, Term)
            carried[name] = self.terms.fresh("carried", name), before, scalar
            self.names[name] = carried[name][0]
        self.memory.layers.append(Layer(counter.data[0]))
        outer, self.guards = (self.guards, self.facts), []
        self.facts = facts
        for part in range(parts):
            if parts > 1:
                first = self.terms.scaled(counter, parts)
                self.names[loop.counter.name] = self.terms.plus(first, self.terms.integer(part))
            self.cell(loop.body)
        self.guards, self.facts = outer
        guard = self.bits.both("", tuple(self.guards))
        layer = self.memory.layers.pop()
        if vector > 1:
            first_of_vector(self.context, layer, counter, vector)
        updates = {name: self.names[name] for name in carried}
        running = ExecutedLoop(loop.kind, counter, count, step.data < 0, guard, layer, carried, updates)  # type: ignore[arg-type]
        self.names.update(summarise(self.context, running))

    def layer(self, loop: ir.Loop, counter: Term, first: Term, known: dict[Term, Term]) -> Layer:
        """What the body of a loop stores where its counter is `first` and so much more is known."""
        names, guards, facts = dict(self.names), self.guards, self.facts
        self.names[loop.counter.name] = first
        self.guards, self.facts = [], facts | known
        self.memory.layers.append(Layer(counter.data[0]))
        self.cell(loop.body)
        self.names, self.guards, self.facts = names, guards, facts
        return self.memory.layers.pop()

    def lanes_loaded(self, loop: ir.Loop) -> Term | None:
        """How many lanes there are a value of, in a loop over all lanes of small arrays (pad_vector_loop):
        the others write to their own lanes of these arrays, which nothing then reads as more than
        undefined."""
        touched = {node.pointer for node in walk(loop.body) if isinstance(node, ir.Load)}
        counts = {self.loaded[array] for array in touched if array in self.loaded}
        if loop.kind != "simd" or len(counts) != 1 or not touches_only(loop, touched & self.small):
            return None
        (count,) = counts
        lanes = self.terms.minus(self.value(loop.end), self.value(loop.begin))
        return count if self.aliases.not_negative(self.terms.minus(lanes, count)) else None

    def cell(self, body: Sequence[ir.Statement]) -> None:
        """The body of a loop; the innermost one once for each block."""
        if self.blocks == 1 or any(isinstance(statement, ir.Loop) for statement in body):
            self.block(body)
            return
        for number in range(self.blocks):
            self.block_read = self.terms.integer(number)
            self.block(body)
        self.block_read = self.terms.integer(0)

    def count(self, begin: Term, end: Term, step: int) -> Term:
        """How often a loop runs, where it runs at all."""
        way = self.terms.minus(end, begin) if step > 0 else self.terms.minus(begin, end)
        if abs(step) == 1:
            return way
        return self.bits.quotient(
            "", (self.terms.plus(way, self.terms.integer(abs(step) - 1)), self.terms.integer(abs(step)))
        )

    def call(self, call: ir.DeviceCall) -> None:
        """What the row of a call stands for. The elements that it pads hold no value here."""
        row, parts = row_of(call), parts_of(call)
        if row.reduces_row:
            raise KernelError(
                self.kernel.name,
                f"the proof does not read {call.name}, with which threads combine the values of a row.",
                "compare the results of both kernels on your own data",
            )
        if row.assumes:
            self.bits.assumptions.add(row.assumes)
        if own := made(call):
            self.local(own.symbol, own.length)
        elif call.result:
            self.names[call.result.name] = self.names[parts[row.aliases].name]
        array = padded(call)
        if array is not None:
            self.small.add(array)
            self.loaded[array] = self.value(parts["count"])
        self.block(chosen_elements(meaning(call)))

    def neighbour_or_wall(self, entry: Term, own: Term) -> Term:
        """An entry that stands for the current cell at a wall, where `own` is what the list has there."""
        space = self.kernel.space
        if self.aliases.is_link(entry) and space.is_list:
            place = self.aliases.coordinates(NEIGHBOUR, entry.args[1])
            n = place.get(None, self.terms.integer(0))
            row = next((part for stride, part in place.items() if stride is not None), self.terms.integer(0))
            slot = space.links[row.data].wall_slot if row.kind == "int" else -1
            if own.kind == "wrap" and self.is_own(own.args[0], slot, n):
                return entry
        return self.bits.call("neighbour_or_wall", "u32", (entry, own))

    def is_own(self, index: Term, slot: int, n: Term) -> bool:
        """Whether an index is component `slot` of cell n in a field over the list."""
        if slot == 0:
            return index is n
        for field in (field for field in self.kernel.fields if field.layout.over_list):
            strides = ir.Symbol(f"{field.name}_stride", ir.Pointer(ir.I64, True))
            apart = self.load(*self.element(strides, integer(1)))
            if index is self.terms.plus(self.terms.scaled(apart, slot), n):
                return True
        return False

    # Expressions

    def value(self, expression: ir.Expression) -> Term:
        match expression:
            case ir.Const(value, scalar):
                assert scalar is not None
                return self.bits.constant(value, scalar)
            case ir.Symbol(name, kind):
                found = self.names.get(name)
                if isinstance(found, Line) or isinstance(kind, ir.Pointer):
                    raise KernelError(self.kernel.name, f"the pointer {name} is used as a number.")
                if found is None:
                    term = self.terms.make("parameter", (name, str(kind)))
                    return self.given.get(term, term)
                return found
            case ir.Load(pointer, index):
                return self.load(*self.element(pointer, index))
            case ir.Op(name, args):
                scalar = args[0].type
                result = self.bits.operation(name, scalar, tuple(map(self.value, args)))
                return self.facts.get(result, result)
            case ir.Call("neighbour_or_wall", (entry, own)):
                return self.neighbour_or_wall(self.value(entry), self.value(own))
            case ir.Call() if (combined := combined_array(expression)) is not None:
                operation, array, length = combined
                return self.whole(operation, array, self.value(length))
            case ir.Call(name, args) if not FUNCTIONS[name].arrays:
                result = self.bits.call(name, str(args[0].type), tuple(map(self.value, args)))
                return self.facts.get(result, result)
            case ir.Select(condition, yes, no):
                values = self.value(condition), self.value(yes), self.value(no)
                return self.bits.select(str(yes.type), values)
            case ir.Cast(inner, scalar):
                number = self.value(inner)
                if scalar == ir.I32 and self.aliases.table and self.aliases.table.counts_cells(number):
                    return number
                return self.bits.cast(number, inner.type, scalar)
        what = expression.name if isinstance(expression, ir.Call) else type(expression).__name__
        raise KernelError(
            self.kernel.name,
            f"{what} is not an expression of a lowered kernel.",
            "lower the kernel first",
        )

    def load(self, array: str, scalar: str, index: Term) -> Term:
        term = self.memory.load(array, scalar, index, self.known)
        return self.given.get(term, term)

    def line(self, pointer: ir.Symbol) -> Line:
        known = self.names.get(pointer.name)
        if isinstance(known, Line):
            return known
        if known is not None:
            raise KernelError(self.kernel.name, f"{pointer.name} is used both as a number and as a pointer.")
        plain = Line(pointer.name, self.terms.integer(0), self.terms.integer(1))
        return self.lines.get(pointer.name, plain)

    def view(self, view: ir.View) -> Line:
        line, stride = self.line(view.pointer), self.value(view.stride)
        offset = self.terms.plus(line.offset, self.terms.times(self.value(view.offset), line.stride))
        return Line(line.array, offset, self.terms.times(line.stride, stride))

    def element(self, pointer: ir.Symbol, index: ir.Expression | Term) -> tuple[str, str, Term]:
        """The array, its type and the index of `pointer[index]`."""
        line = self.line(pointer)
        where = index if isinstance(index, Term) else self.value(index)
        if where.kind == "wrap" and ir.SCALARS[where.data].bits == 64:
            where = where.args[0]  # addresses are taken modulo 2^64 as well
        assert isinstance(pointer.type, ir.Pointer)
        if self.elements.setdefault(line.array, pointer.type.element) != pointer.type.element:
            raise KernelError(
                self.kernel.name,
                f"{line.array} has elements of type {self.elements[line.array]}, but is used with "
                f"{pointer.type.element}.",
                "use one type per array",
            )
        place = self.terms.plus(line.offset, self.terms.times(where, line.stride))
        if line.array in self.interleaved:
            place = self.terms.plus(place, self.block_read)
        return self.extent_of(line.array, place), str(pointer.type.element), place

    def whole(self, operation: str, values: ir.Symbol, count: Term) -> Term:
        """The result of a reduction in the fixed order; over the reals, in any order."""
        assert isinstance(values.type, ir.Pointer)
        scalar, groups = values.type.element, groups_of(operation, values).name
        state = self.memory.state(groups)
        if self.bits.associates and state.base.kind == "initial" and len(state.items) == 1:
            self.combined.add(groups)
            neutral = self.bits.real(NEUTRAL[operation], str(scalar))
            return reduction(self.context, operation, str(scalar), neutral, state.items[0])
        result = self.terms.make("initial", f"the {operation} of {values.name}")
        return self.terms.make("load", (str(scalar), result.data), (result, count))

    def extent_of(self, array: str, index: Term) -> str:
        """The array of extents that stands for those of all dense fields."""
        dense = [field for field in self.kernel.fields if field.layout is STRIDED]
        name = array.removesuffix("_extent")
        known = max(dense, key=lambda field: field.rank, default=None)  # the first one that is no plane
        if known and name not in (array, known.name) and any(field.name == name for field in dense):
            rank = next(field.rank for field in dense if field.name == name)
            if index.kind == "int" and 0 <= index.data < min(rank, known.rank):
                self.bits.assumptions.add(ASSUME_SAME_EXTENTS)
                return f"{known.name}_extent"
        return array


def assigned(body: Sequence[ir.Statement]) -> dict[str, str]:
    """Variables declared outside of some statements that they change, with their types."""
    inside = {s.symbol.name for s in statements(body) if isinstance(s, (ir.Var, ir.Let))}
    return {
        s.symbol.name: str(s.symbol.type)
        for s in statements(body)
        if isinstance(s, ir.Assign) and s.symbol.name not in inside
    }

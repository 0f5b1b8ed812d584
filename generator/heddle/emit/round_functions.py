# SPDX-License-Identifier: Apache-2.0
"""Rounds of thousands of statements as functions of a few hundred each.

The time that compilers take grows faster than a function, and a kernel's function is compiled twice, once for
unit strides. Rounds of a short strip touch nothing but arrays of lanes. Those become members of one struct,
with an array more for each value that one function computes and another one uses, and the functions get the
struct: one copy for both kinds of strides. Statements and their order stay, so the bits do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from heddle.emit.expression import type_text
from heddle.emit.statement import StatementPrinter
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.cpp_names import is_name
from heddle.ir.loops import is_over_lanes, lane
from heddle.ir.target import Target
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, statements, transform, transform_expressions

MOST = 1000
"""Statements of a round that stays whole; Carbon Bond 2005 has 2,800."""
PIECE = 200
"""Names in a function: g++ makes no vectors of a loop with more than 1000 references to memory, and takes
longer for each statement of a longer one."""
_BESIDE = 8
"""Arrays that are declared together."""


def long_round(kernel: ir.Kernel) -> ir.Loop | None:
    """The loop over lanes whose statements become functions."""
    for rounds in statements(kernel.body):
        if isinstance(rounds, ir.While) and len(rounds.body) == 1 and _is_long(loop := rounds.body[0]):
            assert isinstance(loop, ir.Loop)
            return loop
    return None


def _is_long(loop: ir.Statement) -> bool:
    return isinstance(loop, ir.Loop) and is_over_lanes(loop) and len(loop.body) > MOST


class RoundFunctions:
    """The text of a kernel with a long round. name: of its function, with which new names begin.

    What stands before the rounds (rate constants) becomes functions, too, if it reads the own cell alone: the
    kernel copies these elements to the lanes. Lanes beyond the row get values that nothing observes.
    """

    def __init__(self, name: str, kernel: ir.Kernel, loop: ir.Loop, target: Target) -> None:
        self.name, self.kernel, self.loop, self.target = name, kernel, loop, target
        self.object = fresh("lanes", names_in(kernel))
        self.arrays = [s for s in statements(kernel.body) if isinstance(s, ir.Local)]
        self.members: set[str] = set()
        self.new = {array.symbol: self.member(array.symbol.name, array.symbol.type) for array in self.arrays}
        """What the arrays of the kernel are called: `lanes.y_O3` in place of `y_O3_lanes`."""
        self.constants = {
            s.symbol: s for s in kernel.body if isinstance(s, ir.Let) and isinstance(s.value, ir.Const)
        }
        self.between: list[ir.Local] = []
        self.calls: dict[ir.Loop, list[str]] = {}
        self.texts: list[str] = []
        self.copied: dict[ir.Loop, ir.Loop] = {}
        before = self.loop_before()
        if before is not None:
            self.make("start", before, self.over_lanes(before))
        self.make("round", loop, loop)

    def make(self, what: str, loop: ir.Loop, lanes: ir.Loop) -> None:
        """Functions and their calls in place of a loop. lanes: the same over all lanes."""
        made = [self.function(f"{what}_{n}", lanes, piece) for n, piece in enumerate(self.cut(lanes), 1)]
        self.texts += [text for text, _ in made]
        self.calls[loop] = [call for _, call in made]

    def member(self, array: str, kind: ir.Type | None) -> ir.Symbol:
        """A name of the struct's, as it is spelled behind the name of the object."""
        short = array.removesuffix("_lanes").removesuffix("_row")
        name = fresh(short if is_name(short) else array, self.members)
        self.members.add(name)
        return ir.Symbol(f"{self.object}.{name}", kind)

    # What stands before the rounds

    def loop_before(self) -> ir.Loop | None:
        """The loop over the cells of the strip before the rounds, if any lane may run it."""
        for strip in statements(self.kernel.body):
            body = getattr(strip, "body", ())
            for first, second in pairwise(body):
                if (
                    isinstance(second, ir.While)
                    and second.body == (self.loop,)
                    and isinstance(first, ir.Loop)
                ):
                    return first if self.takes_all_lanes(first) else None
        return None

    def takes_all_lanes(self, loop: ir.Loop) -> bool:
        """Whether a loop reads elements of the own cell, and writes lanes alone; what it computes from the
        zeros of other lanes may be anything but undefined."""
        arrays = self.new.keys()
        for s in loop.body:
            stores = isinstance(s, ir.Store) and isinstance(s.target, ir.Load) and s.target.pointer in arrays
            if not (stores or isinstance(s, (ir.Let, ir.Comment))):
                return False
        for node in distinct(s.value for s in loop.body if isinstance(s, (ir.Let, ir.Store))):
            match node:
                case ir.Load(pointer, index) if pointer in arrays or index != loop.counter:
                    return False
                case ir.Op("div" | "rem" | "mul" | "shl", _, scalar) if scalar is None or not scalar.is_float:
                    return False
                case ir.Cast(value, scalar) if value.type.is_float and not scalar.is_float:
                    return False
        return True

    def over_lanes(self, loop: ir.Loop) -> ir.Loop:
        """The loop over all lanes, which finds in arrays what it reads of the cell."""
        length = self.loop.end
        assert isinstance(length, ir.Const)
        own_lane = lane(loop)
        counter = self.loop.counter
        given: dict[ir.Expression, ir.Symbol] = {}
        for s in loop.body:
            if isinstance(s, ir.Store) and isinstance(s.value, ir.Load):
                assert isinstance(s.target, ir.Load)
                given.setdefault(s.value, s.target.pointer)
        copies = [s for s in loop.body if isinstance(s, ir.Store) and isinstance(s.value, ir.Load)]
        values = [s.value for s in loop.body if isinstance(s, (ir.Let, ir.Store))]
        for node in distinct(values):
            if isinstance(node, ir.Load) and node not in given:
                array = self.member(node.pointer.name, ir.Pointer(node.type))
                self.between.append(ir.Local(array, int(length.value), "scratch"))
                self.new[array] = given[node] = array
                copies.append(ir.Store(ir.Load(array, own_lane), node))
        self.copied[loop] = dataclasses.replace(loop, body=tuple(copies))

        def own(node: ir.Expression) -> ir.Expression:
            if node == own_lane:
                return counter
            return ir.Load(given[node], counter) if node in given else node

        body = (transform_expressions(s, own) for s in loop.body if s not in copies)
        return dataclasses.replace(self.loop, body=tuple(body))

    # The pieces

    def cut(self, loop: ir.Loop) -> list[list[ir.Statement]]:
        """The statements of each function: values of others are elements of arrays."""
        loads = _loads(loop)
        body = [s for s in loop.body if not (isinstance(s, ir.Let) and s.symbol in loads)]
        pieces = list(_pieces(body))
        made = {s.symbol: n for n, piece in enumerate(pieces) for s in piece if isinstance(s, ir.Let)}
        crossing: dict[ir.Symbol, ir.Load] = {}
        for n, piece in enumerate(pieces):
            for node in distinct(piece):
                if isinstance(node, ir.Symbol) and made.get(node, n) != n and node not in crossing:
                    crossing[node] = self.array_between(node)
        return [list(self.with_elements(piece, n, made, crossing, loads)) for n, piece in enumerate(pieces)]

    def array_between(self, value: ir.Symbol) -> ir.Load:
        """The array of a value that crosses from one function to another."""
        assert isinstance(value.type, ir.Scalar)
        array = self.member(value.name, ir.Pointer(value.type))
        assert isinstance(self.loop.end, ir.Const)
        self.between.append(ir.Local(array, int(self.loop.end.value), "register"))
        return ir.Load(array, self.loop.counter)

    def with_elements(
        self,
        piece: Sequence[ir.Statement],
        number: int,
        made: Mapping[ir.Symbol, int],
        crossing: Mapping[ir.Symbol, ir.Load],
        loads: Mapping[ir.Symbol, ir.Load],
    ) -> Iterator[ir.Statement]:
        """A piece's statements as they stand in its function."""

        def element(node: ir.Expression) -> ir.Expression:
            if not isinstance(node, ir.Symbol):
                return node
            if node in loads:
                return dataclasses.replace(loads[node], pointer=self.new[loads[node].pointer])
            if made.get(node, number) != number:
                return crossing[node]
            return self.new.get(node, node)

        for statement in piece:
            yield transform_expressions(statement, element)
            if isinstance(statement, ir.Let) and statement.symbol in crossing:
                yield ir.Store(crossing[statement.symbol], statement.symbol)

    # Text

    def function(self, end: str, loop: ir.Loop, piece: Sequence[ir.Statement]) -> tuple[str, str]:
        """A function, and its call. end: of its name."""
        own = {s.symbol for s in piece if isinstance(s, ir.Let)} | {loop.counter}
        used = dict.fromkeys(
            node
            for node in distinct(piece)
            if isinstance(node, ir.Symbol) and node not in own and isinstance(node.type, ir.Scalar)
        )
        scalars = [symbol for symbol in used if symbol not in self.constants]
        constants = [let for symbol, let in self.constants.items() if symbol in used]
        printer = StatementPrinter(self.target)
        types = [f"const {type_text(s.type)} {s.name}" for s in scalars if s.type is not None]
        name = f"{self.name}_{end}"
        head = f"void {name}({', '.join([f'{self.struct}& {self.object}', *types])}) {{"
        body = printer.block([*constants, dataclasses.replace(loop, body=tuple(piece))])
        arguments = [self.object, *(symbol.name for symbol in scalars)]
        return f"{head}\n{body}\n}}", f"{name}({', '.join(arguments)});"

    @property
    def struct(self) -> str:
        return f"{self.name}_lanes"

    @property
    def functions(self) -> str:
        """What stands before the kernel's function."""
        arrays = [dataclasses.replace(array, symbol=self.new[array.symbol]) for array in self.arrays]
        lines = [
            "// The lanes of a strip, and what the parts of a round hand on.",
            f"struct {self.struct} {{",
        ]
        for _, alike in groupby([*arrays, *self.between], lambda a: (a.symbol.type, a.length, a.space)):
            group = [
                dataclasses.replace(a, symbol=ir.Symbol(a.symbol.name.split(".")[1], a.symbol.type))
                for a in alike
            ]
            parts = (group[at : at + _BESIDE] for at in range(0, len(group), _BESIDE))
            lines += map(StatementPrinter.arrays, parts)
        return "\n\n".join(["\n".join([*lines, "};"]), *self.texts])

    @property
    def body(self) -> str:
        """The body of the kernel's function."""
        renamed = tuple(
            transform(s, lambda node: self.new.get(node, node) if isinstance(node, ir.Symbol) else node)
            for s in self.without(self.kernel.body)
        )
        return _Printer(self.target, self).block(self.needed(renamed))

    def without(self, body: Sequence[ir.Statement]) -> tuple[ir.Statement, ...]:
        """Statements with nothing left of what functions do but empty loops, whose numbers of rounds tell
        which they are."""
        kept: list[ir.Statement] = []
        for s in body:
            if isinstance(s, ir.Loop) and s in self.calls:
                number = list(self.calls).index(s)
                kept += [self.copied[s]] if s in self.copied else []
                kept.append(dataclasses.replace(self.loop, end=integer(number), body=()))
            elif isinstance(s, (ir.Loop, ir.While, ir.If)):
                kept.append(dataclasses.replace(s, body=self.without(s.body)))
            else:
                kept.append(s)
        return tuple(kept)

    def needed(self, body: Sequence[ir.Statement]) -> list[ir.Statement]:
        """Statements without constants that the functions alone use."""
        values = (s.value if s.symbol in self.constants else s for s in body if isinstance(s, ir.Let))
        used = {*distinct(values), *distinct(s for s in body if not isinstance(s, ir.Let))}
        return [s for s in body if not (isinstance(s, ir.Let) and s.symbol in self.constants.keys() - used)]


def _loads(loop: ir.Loop) -> dict[ir.Symbol, ir.Load]:
    """Names for elements that are read where they are used: nothing is stored there before."""
    found: dict[ir.Symbol, ir.Load] = {}
    stored: set[ir.Symbol] = set()
    for statement in loop.body:
        for node in distinct(statement) if stored else ():
            if isinstance(node, ir.Symbol) and node in found and found[node].pointer in stored:
                del found[node]
        match statement:
            case ir.Let(symbol, ir.Load() as load):
                found[symbol] = load
            case ir.Store(ir.Load(array)):
                stored.add(array)
    return found


def _pieces(body: Sequence[ir.Statement]) -> Iterator[list[ir.Statement]]:
    """Statements in order, as many together as have no more than PIECE names."""
    piece: list[ir.Statement] = []
    names: set[ir.Symbol] = set()
    for statement in body:
        own = {node for node in distinct(statement) if isinstance(node, ir.Symbol)}
        if piece and len(names | own) > PIECE:
            yield piece
            piece, names = [], set()
        piece.append(statement)
        names |= own
    if piece:
        yield piece


class _Printer(StatementPrinter):
    """Prints a kernel with calls in place of its long round, and one object in place of its arrays."""

    def __init__(self, target: Target, functions: RoundFunctions) -> None:
        super().__init__(target)
        self.functions, self.declared = functions, False

    def every_line(self, body: Sequence[ir.Statement]) -> Iterator[str]:
        for is_array, alike in groupby(body, lambda s: isinstance(s, ir.Local)):
            if not is_array:
                yield from super().every_line(list(alike))
            elif not self.declared:
                self.declared = True
                yield f"{self.functions.struct} {self.functions.object};"

    def loop(self, loop: ir.Loop, pragma: bool = True) -> Iterator[str]:
        if loop.body:
            yield from super().loop(loop, pragma)
        else:
            assert isinstance(loop.end, ir.Const)
            yield from list(self.functions.calls.values())[int(loop.end.value)]

# SPDX-License-Identifier: Apache-2.0
"""The text of a kernel whose warps share the work of their cells: tables, and the kernel's body.

The statements before and after the While are those of a thread: a lane has a cell there. The rounds of the
While are the levels of `warp_program`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.emit.expression import shortest
from heddle.emit.files import LINE
from heddle.emit.statement import StatementPrinter
from heddle.emit.warp_levels import Piece
from heddle.emit.warp_program import program
from heddle.emit.warp_sums import Alike, Term, Value
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.schedule import WarpPerCell
from heddle.ir.target import Target
from heddle.ir.unique_names import fresh
from heddle.ir.visit import distinct, statements, transform

PLACE = 0x7FFF
"""A place that is none, and how many there are."""
MOST_BYTES = 227 * 1024
"""Of shared memory for a block of a GPU of compute capability 9.0; 8.x has less."""
_BEGINS, _INVERSE, _NEGATIVE = 1 << 30, 1 << 31, 1 << 31


@dataclass(frozen=True)
class WarpText:
    """tables: in front of the kernel. body: of it. bytes: of shared memory for a block."""

    tables: str
    body: str
    bytes: int


def warp_text(
    kernel: str, body: Sequence[ir.Statement], schedule: WarpPerCell, target: Target, taken: frozenset[str]
) -> WarpText:
    """kernel: the name that tables begin with. body: of the lowered kernel, from its thread loop on. taken:
    names that the kernel has."""
    return _Writer(kernel, body, schedule, target, taken).text()


class _Writer:
    def __init__(
        self,
        kernel: str,
        body: Sequence[ir.Statement],
        schedule: WarpPerCell,
        target: Target,
        taken: frozenset[str],
    ) -> None:
        self.kernel, self.schedule, self.target = kernel, schedule, target
        self.printer = StatementPrinter(target)
        self.head = [s for s in body if not isinstance(s, ir.Loop)]
        loops = [s for s in statements(body) if isinstance(s, ir.Loop)]
        self.row, self.outer = loops[-1], loops[:-1]
        inner = self.row.body
        at = next(n for n, s in enumerate(inner) if isinstance(s, ir.While))
        self.before, self.after = inner[:at], inner[at + 1 :]
        loop = inner[at]
        assert isinstance(loop, ir.While)
        self.loop = loop
        numbers = {
            s.symbol.name: float(s.value.value)
            for s in self.head
            if isinstance(s, ir.Let) and isinstance(s.value, ir.Const) and s.symbol.type == ir.F64
        }
        self.lanes = 32 // schedule.cells_at_once
        """Of a cell."""
        self.program = program(loop, self.before, numbers, self.lanes)
        size = self.program.size * schedule.cells_at_once * 8
        if self.program.size > PLACE or size > MOST_BYTES:
            raise self.too_large(size)
        self.bytes = size
        self.warp = fresh("warp", taken)
        self.more = fresh("more", taken)
        self.row_of_table = fresh("row", taken)
        self.own = {name: fresh(f"own_{name}", taken) for name in self.scalars}
        of_lanes = {*self.scalars, *(let.symbol.name for let in (*self.program.before, *self.program.after))}
        self.shared = {
            value: f"{self.warp}[{place}]"
            for value, place in self.program.place.items()
            if isinstance(value, str) and value not in of_lanes
        }
        """The text of each value that lies in shared memory alone."""

    def too_large(self, size: int) -> KernelError:
        return KernelError(
            self.loop.place,
            f"{self.schedule.cells_at_once} cells of '{self.kernel}' need {size} bytes of shared memory.",
            "use WarpPerCell() with fewer cells_at_once, or Threads()",
        )

    @property
    def scalars(self) -> list[str]:
        return [assign.symbol.name for assign in self.program.updates]

    def text(self) -> WarpText:
        tables = "\n".join(self.tables())
        return WarpText(
            f"// clang-format off\n{tables}\n// clang-format on", "\n".join(self.body()), self.bytes
        )

    # --- the kernel -------------------------------------------------------------------------------------

    def body(self) -> Iterator[str]:
        p, warp, schedule = self.program, self.warp, self.schedule
        groups = schedule.cells_at_once
        yield from self.printer.every_line(self.head)
        for axis, level in enumerate(reversed(self.outer), start=1):
            assert self.target.gpu is not None
            yield f"const std::int64_t {level.counter.name} = {self.target.gpu.coordinate(axis)};"
        if self.outer:
            yield self.printer.leave(self.outer[::-1])
        count = self.printer.expression(self.row.end)
        places = f"heddle::dynamic_shared<double>(), {schedule.cells}, {count}"
        yield f"heddle::WarpCells<{groups}> {warp}({places});"
        yield f"const std::int64_t {self.row.counter.name} = {warp}.own();"
        yield from self.printer.every_line([_renamed(s, self.own) for s in self.before])
        yield ""
        yield from self.comment("The rounds: a group of lanes takes a cell, and the next when that is done")
        yield f"{warp}.write({self.table('constants')}, {len(p.constants)});"
        types = {s.symbol.name: s.symbol.type for s in self.before if isinstance(s, ir.Var)}
        for name in self.scalars:
            kind = types[name]
            assert isinstance(kind, ir.Scalar)
            yield from self.printer.lines(ir.Var(ir.Symbol(name, kind), ir.Const(0, kind)))
        yield "for (;;) {"
        yield f"if ({warp}.hands_over()) {{"
        for name in (*p.given, *p.carried):
            yield f"{warp}[{p.place[name]}] = {name};"
        yield "}"
        for name in self.scalars:
            yield f"{name} = {warp}.taken({name}, {self.own[name]});"
        yield "heddle::wait_for_warp();"
        condition = self.every(self.loop.condition)
        yield f"const bool {self.more} = {warp}.continues({self.loop.at_most}, {condition});"
        yield f"if ({warp}.any_ends({self.more})) {{"
        yield f"if ({warp}.takes_back()) {{"
        for name in p.carried:
            yield f"{name} = {warp}[{p.place[name]}];"
        yield "}"
        for name in self.scalars:
            yield f"{self.own[name]} = {warp}.given_back({name}, {self.own[name]});"
        yield f"{warp}.next();"
        yield "continue;"
        yield "}"
        yield f"if (!{warp}.any({self.more})) {{ break; }}"
        yield from self.printer.every_line(p.before)
        if p.published:
            yield f"if ({warp}.member == 0) {{"
            for name in p.published:
                yield f"{warp}[{p.place[name]}] = {name};"
            yield "}"
        yield "heddle::wait_for_warp();"
        yield from self.levels()
        for let in p.after:
            yield from self.printer.lines(ir.Let(let.symbol, _renamed(let.value, self.shared), let.place))
        if any(self._carried(let.value) for let in p.after):
            yield "heddle::wait_for_warp();"
        yield f"if ({self.more}) {{"
        for n, alike in enumerate(p.alike_updates):
            yield from self.alike(f"update_{n + 1}", alike)
        for assign in p.updates:
            yield f"{assign.symbol.name} = {self.every(assign.value)};"
        yield "}"
        yield f"{warp}.end_round();"
        yield "}"
        yield f"if (!{warp}.has_own()) {{ return; }}"
        yield from self.printer.every_line([_renamed(s, self.own) for s in self.after])

    def comment(self, text: str) -> Iterator[str]:
        yield from self.printer.lines(ir.Comment(text))

    def table(self, what: str) -> str:
        return f"{self.kernel}_{what}"

    def _carried(self, value: ir.Expression) -> bool:
        """Whether a value needs what the end of a round changes."""
        carried = self.program.carried
        return any(isinstance(node, ir.Symbol) and node.name in carried for node in distinct(value))

    def every(self, value: ir.Expression) -> str:
        return self.printer.expression(_renamed(value, self.shared))

    def levels(self) -> Iterator[str]:
        """Calls that add up products, and statements alike between them."""
        slices = words = numbered = 0
        new_slices = new_words = 0
        for n, level in enumerate(self.program.levels):
            new_slices += len(level.slices)
            new_words += sum((1 + _length(pieces)) * self.lanes for pieces in level.slices)
            if new_slices and (level.alike or n + 1 == len(self.program.levels)):
                yield f"heddle::add_products({self.warp}, {self.table('slices')} + {slices}, {new_slices},"
                yield f"{self.table('words')} + {words});"
                slices, words = slices + new_slices, words + new_words
                new_slices = new_words = 0
            for alike in level.alike:
                numbered += 1
                yield from self.alike(f"alike_{numbered}", alike)
            if level.alike:
                yield "heddle::wait_for_warp();"

    def alike(self, what: str, alike: Alike) -> Iterator[str]:
        table, rows = self.table(what), len(alike.rows)
        row = self.row_of_table
        there = {
            f"at_{column - 1}": f"{self.warp}[{table}[{row} + {column * rows}]]"
            for column in range(1, len(alike.rows[0]))
        }
        value = self.printer.expression(_renamed(alike.value, self.shared | there))
        yield f"for (int {row} = {self.warp}.member; {row} < {rows}; {row} += {self.warp}.members) {{"
        yield f"{self.warp}[{table}[{row}]] = {value};"
        yield "}"

    # --- the tables -------------------------------------------------------------------------------------

    def tables(self) -> Iterator[str]:
        p = self.program
        yield "// Places in shared memory: numbers, what a cell brings, what changes from round to round."
        numbers = [shortest(c, 64) for c in p.constants]
        yield from _array("double", self.table("constants"), numbers)
        slices: list[str] = []
        words: list[str] = []
        numbered = 0
        for n, level in enumerate(p.levels):
            for m, pieces in enumerate(level.slices):
                length = _length(pieces)
                slices.append(str(2 * length + (m + 1 == len(level.slices))))
                names = ", ".join(dict.fromkeys(piece.sum.result for piece in pieces))
                words.append(f"// level {n + 1}: {names}"[: LINE - 4])
                words += _filled(f"{word:#x}" for word in self.slice(pieces, length))
            for alike in level.alike:
                numbered += 1
                yield from self.rows(f"alike_{numbered}", alike)
        for n, alike in enumerate(p.alike_updates):
            yield from self.rows(f"update_{n + 1}", alike)
        yield "// Of each slice twice its length, and one more at the end of a level."
        yield from _array("std::uint32_t", self.table("slices"), slices)
        yield "// Of each slice, for each lane of a cell: the end of its sum; its terms."
        yield f"__device__ const std::uint32_t {self.table('words')}[] = {{"
        yield from (f"    {line}" for line in words)
        yield "};"

    def slice(self, pieces: Sequence[Piece], length: int) -> Iterator[int]:
        place, lanes = self.program.place, self.lanes
        for lane in range(lanes):
            if lane >= len(pieces):
                yield PLACE | place[1.0] << 15 | _BEGINS
                continue
            piece = pieces[lane]
            ends = piece.last == len(piece.sum.terms)
            factor: Value = piece.sum.factor if ends else 1.0
            word = place[piece.sum.result] | place[factor] << 15
            word |= 0 if piece.first else _BEGINS
            yield word | (_INVERSE if ends and piece.sum.inverse else 0)
        for n in range(length):
            for lane in range(lanes):
                given = lane < len(pieces) and n < pieces[lane].length
                yield self.term(pieces[lane].sum.terms[pieces[lane].first + n]) if given else _NEGATIVE

    def term(self, term: Term) -> int:
        place = self.program.place
        return place[term.a] | place[term.b] << 15 | (_NEGATIVE if term.negative else 0)

    def rows(self, what: str, alike: Alike) -> Iterator[str]:
        columns = zip(*alike.rows, strict=True)
        places = [str(self.program.place[v]) for column in columns for v in column]
        yield from _array("std::uint16_t", self.table(what), places)


def _array(kind: str, name: str, values: Iterable[str]) -> Iterator[str]:
    yield f"__device__ const {kind} {name}[] = {{"
    yield from (f"    {line}" for line in _filled(values))
    yield "};"


def _filled(values: Iterable[str]) -> list[str]:
    lines = [""]
    for value in values:
        if len(lines[-1]) + len(value) + 2 > LINE - 4:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + value + ","
    return lines


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A statement or a value with other names for some symbols."""

    def change(inner: Any) -> Any:
        if isinstance(inner, ir.Symbol) and inner.name in names:
            return ir.Symbol(names[inner.name], inner.type)
        return inner

    return transform(node, change)


def _length(pieces: Sequence[Piece]) -> int:
    """Of a slice."""
    return max(piece.length for piece in pieces)

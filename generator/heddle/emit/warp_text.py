# SPDX-License-Identifier: Apache-2.0
"""The text of a kernel whose warps share the work of their cells: tables, and the kernel's body.

The statements before and after the While are those of a thread: a lane has a cell there. The rounds of the
While are the levels of `warp_program`. Each warp of a block reads a stream of words of its own.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.emit.expression import shortest
from heddle.emit.files import LINE
from heddle.emit.statement import StatementPrinter
from heddle.emit.warp_levels import Level, Piece
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
_WAITS, _ENDS = 1, 2
"""Flags of a chunk: the other warps are waited for; the call ends."""
CHUNK_COST = 4
"""What a chunk costs beside its terms, in terms."""
BUFFERED = 16
"""Units that a warp has under way, as WordStream of the header has them: it reads as far beyond the end."""


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
        self.lanes = schedule.threads_per_block // schedule.cells_at_once
        """Of a cell."""
        self.width = 32 // schedule.cells_at_once
        """Lanes of a cell in one warp."""
        self.program = program(loop, self.before, numbers, self.lanes)
        places = self.program.size + len(self.program.updates)
        self.numbers = (places * schedule.cells_at_once + 1) // 2 * 2
        """Of all cells at once, before the words that are under way."""
        size = 8 * self.numbers + 16 * BUFFERED * self.width * schedule.warps
        if places > PLACE or size > MOST_BYTES:
            raise self.too_large(size)
        self.bytes = size
        self.warp = fresh("warp", taken)
        self.more = fresh("more", taken)
        self.row_of_table = fresh("row", taken)
        self.words = fresh("words", taken)
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
        """The constants that the rest names, and the rest: others stand in the tables."""
        rest = list(self.after_constants())
        named = set(re.findall(r"\w+", "\n".join(rest)))
        constants = [s for s in self.head if isinstance(s, ir.Let) and isinstance(s.value, ir.Const)]
        unused = [s for s in constants if s.symbol.name not in named]
        yield from self.printer.every_line([s for s in self.head if s not in unused])
        yield from rest

    def after_constants(self) -> Iterator[str]:
        p, warp, schedule = self.program, self.warp, self.schedule
        groups = schedule.cells_at_once
        for axis, level in enumerate(reversed(self.outer), start=1):
            assert self.target.gpu is not None
            yield f"const std::int64_t {level.counter.name} = {self.target.gpu.coordinate(axis)};"
        if self.outer:
            yield self.printer.leave(self.outer[::-1])
        count = self.printer.expression(self.row.end)
        yield f"heddle::WarpCells<{groups}, {schedule.warps}> {warp}({schedule.cells}, {count});"
        if self.calls:
            tables = f"{self.table('words')}, {self.table('begins')}"
            yield f"heddle::WordStream<{groups}, {schedule.warps}> {self.words}({self.numbers}, {tables});"
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
        for place, name in enumerate(self.scalars, p.size):
            yield f"{warp}.hand_over({place}, {self.own[name]});"
        yield "}"
        yield f"{warp}.wait();"
        for place, name in enumerate(self.scalars, p.size):
            yield f"{name} = {warp}.taken({place}, {name});"
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
        yield f"{warp}.wait();"
        yield from self.levels()
        for let in p.after:
            yield from self.printer.lines(ir.Let(let.symbol, _renamed(let.value, self.shared), let.place))
        if any(self._carried(let.value) for let in p.after):
            yield f"{warp}.wait();"
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
        numbered = 0
        warp, words = self.warp, self.words
        if self.calls:
            yield f"{words}.start();"
        for levels in self.calls_and_rows:
            if any(level.slices for level in levels):
                yield f"{words} = heddle::add_products({warp}, {words});"
            for alike in levels[-1].alike:
                numbered += 1
                yield from self.alike(f"alike_{numbered}", alike)
            if levels[-1].alike:
                yield f"{warp}.wait();"

    @property
    def calls_and_rows(self) -> list[list[Level]]:
        """Levels in groups, each until one with statements alike."""
        groups: list[list[Level]] = [[]]
        for level in self.program.levels:
            groups[-1].append(level)
            if level.alike:
                groups.append([])
        return [group for group in groups if group]

    @property
    def calls(self) -> list[list[Level]]:
        """What a call adds up: levels with sums."""
        found = ([level for level in group if level.slices] for group in self.calls_and_rows)
        return [levels for levels in found if levels]

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
        numbered = 0
        for level in p.levels:
            for alike in level.alike:
                numbered += 1
                yield from self.rows(f"alike_{numbered}", alike)
        for n, alike in enumerate(p.alike_updates):
            yield from self.rows(f"update_{n + 1}", alike)
        begins: list[str] = []
        words: list[str] = []
        units = 0
        for stream in self.streams():
            begins.append(str(units))
            for comment, chunk in stream:
                words.append(comment[: LINE - 4])
                words += _filled(f"{word:#x}" for word in chunk)
                units += len(chunk) // 4
        words += _filled(["0"] * (4 * BUFFERED * self.width))
        yield "// Where the words of each warp begin, in units of four."
        yield from _array("std::int32_t", self.table("begins"), begins)
        yield "// For each lane of a cell in a warp: the end of its sum; length, and who waits; its terms."
        yield f"__device__ const heddle::ProductWords {self.table('words')}[] = {{"
        yield from (f"    {line}" for line in words)
        yield "};"

    def streams(self) -> list[list[tuple[str, list[int]]]]:
        """Of each warp, its chunks with comments: pieces of sums that its lanes take side by side."""
        warps = self.schedule.warps
        streams: list[list[tuple[str, list[int]]]] = [[] for _ in range(warps)]
        numbered = {id(level): n for n, level in enumerate(self.program.levels, 1)}
        for levels in self.calls:
            for level in levels:
                for stream, chunks in zip(streams, self.chunks_of_warps(level), strict=True):
                    for n, chunk in enumerate(chunks, 1):
                        last = n == len(chunks)
                        flags = _WAITS * last | _ENDS * (last and level is levels[-1])
                        names = ", ".join(dict.fromkeys(piece.sum.result for piece in chunk))
                        words = list(self.chunk(chunk, flags))
                        stream.append((f"// level {numbered[id(level)]}: {names}", words))
        return streams

    def chunks_of_warps(self, level: Level) -> list[list[list[Piece]]]:
        """Of each warp its chunks of a level, longest first to the warp with the least work; one at least,
        since a warp that has none still waits for the others."""
        pieces = [piece for pieces in level.slices for piece in pieces]
        pieces.sort(key=lambda piece: -piece.length)
        dealt: list[list[list[Piece]]] = [[] for _ in range(self.schedule.warps)]
        work = [(0, n) for n in range(self.schedule.warps)]
        for at in range(0, len(pieces), self.width):
            chunk = pieces[at : at + self.width]
            load, warp = heapq.heappop(work)
            dealt[warp].append(chunk)
            heapq.heappush(work, (load + chunk[0].length + CHUNK_COST, warp))
        return [chunks or [[]] for chunks in dealt]

    def chunk(self, pieces: Sequence[Piece], flags: int) -> Iterator[int]:
        """The words of a chunk: units of four for each lane, until all terms are there."""
        length = max((piece.length for piece in pieces), default=0)
        lanes = [self.lane(piece, length, flags) for piece in pieces]
        lanes += [self.lane(None, length, flags)] * (self.width - len(pieces))
        for unit in range(0, len(lanes[0]), 4):
            for words in lanes:
                yield from words[unit : unit + 4]

    def lane(self, piece: Piece | None, length: int, flags: int) -> list[int]:
        """The words of one lane: the end of its sum; the length of the chunk and its flags; terms, of which
        those that fill up subtract 0 times 0."""
        place = self.program.place
        words = [PLACE | place[1.0] << 15 | _BEGINS, length << 2 | flags]
        if piece is not None:
            ends = piece.last == len(piece.sum.terms)
            factor: Value = piece.sum.factor if ends else 1.0
            words[0] = place[piece.sum.result] | place[factor] << 15
            words[0] |= (0 if piece.first else _BEGINS) | (_INVERSE if ends and piece.sum.inverse else 0)
            words += [self.term(term) for term in piece.sum.terms[piece.first : piece.last]]
        return words + [_NEGATIVE] * (2 + length - len(words) + (-2 - length) % 4)

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

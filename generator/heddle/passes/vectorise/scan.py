# SPDX-License-Identifier: Apache-2.0
"""vectorise_scans: a strip of columns goes through its scans and rounds side by side, in vector lanes.

before   loop x_begin by 64 { let x_end = ...;
                              loop simd x { let t = ...; scan z [s = t] { store ...; s = f(s, t) };
                                            store rain[0,0] = s } }
after    loop x_begin by 64 { let x_end = ...; local t_lanes[64]; local s_lanes[64];
                              loop simd x { let t = ...; store t_lanes[x - x_begin] = t;
                                            store s_lanes[x - x_begin] = t }
                              loop z { loop simd x { let s = s_lanes[x - x_begin];
                                                     let t = t_lanes[x - x_begin]; store ...;
                                                     store s_lanes[x - x_begin] = f(s, t) } }
                              loop simd x { let s = s_lanes[x - x_begin]; store rain[0,0] = s } }

Columns are independent, so the loops may change places. Rows of memory are then read as they lie, and a
division or a chain of dependent operations costs one lane's share. What a column carries, and what it
computes in one loop and uses in another, has an element of an array per lane.

before   loop simd x { while s > 1 [s = u[0,0]] at most 9 { let t = ...; s = f(s, t) }; store v[0,0] = s }
after    loop simd x { let s = u[0,0]; store s_lanes[...] = s; store active_lanes[...] = s > 1 ? 1 : 0 }
         while any_lane(active_lanes) at most 9 {
             loop simd x { let s = s_lanes[...]; let active = active_lanes[...]; let t = ...;
                           let s_next = active ? f(s, t) : s; store s_lanes[...] = s_next;
                           store active_lanes[...] = s_next > 1 ? active : 0 } }
         loop simd x { let s = s_lanes[...]; store v[0,0] = s }

A While goes on until no lane is active. Lanes that are done keep their values and store nothing: see `masks`.
A condition that reads computed levels, or could fail otherwise, is asked where a round begins, as the model
does: behind the last round nobody asks it. An If around scans and rounds has a mask, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

from heddle.errors import NOWHERE
from heddle.ir.build import add, integer, operate
from heddle.ir.nodes import (
    BOOL,
    I32,
    I64,
    Call,
    Comment,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
    Type,
    While,
)
from heddle.ir.reduction import TILE, reduces_rows
from heddle.ir.stages import Request
from heddle.ir.unique_names import names_in
from heddle.ir.visit import distinct, statements, transform_expressions
from heddle.passes.apply_schedule import AXES, in_strips, is_column, is_strip
from heddle.passes.vectorise.masks import (
    YES,
    Quick,
    guarded,
    is_harmless,
    kept,
    mask_where,
    masked,
    own_cells,
    quick_functions,
)


def vectorise_scans(kernel: Kernel, request: Request) -> Kernel:
    """Bring the lanes of a strip inside the scans and rounds that they hold; other kernels stay as they
    are."""
    size = TILE if reduces_rows(kernel.body) else request.strips.size if request.strips else 0
    if not size:
        return kernel
    names, quick = names_in(kernel), quick_functions(request.schedule)
    body = in_strips(
        kernel.body,
        lambda strip: _inside(strip, size, names, quick),
        which=lambda loop: is_strip(loop) and _takes_apart(loop),
    )
    return dataclasses.replace(kernel, body=body)


def _inside(strip: Loop, length: int, names: frozenset[str], quick: Quick) -> tuple[Statement, ...]:
    *before, lanes = strip.body
    assert isinstance(lanes, Loop)
    return (*before, *_Lanes(lanes, length, names, quick).side_by_side())


def _takes_apart(strip: Loop) -> bool:
    """Whether the lanes of a strip have scans or rounds."""
    lanes = strip.body[-1]
    if not isinstance(lanes, Loop):
        return False
    simd, tiles = lanes.kind == "simd", reduces_rows(lanes.body)
    return (simd and _has_loops(lanes.body)) or (tiles and is_column(lanes.body))


def _has_loops(body: Sequence[Statement]) -> bool:
    return any(isinstance(s, (Scan, While)) for s in statements(body))


@dataclass
class _Group:
    """Statements of one loop over the lanes. first: what is named first of what the lanes carry."""

    body: list[Statement]
    first: tuple[Symbol, ...] = ()


@dataclass
class _Around:
    """A statement that all lanes have in common, around loops over them."""

    parts: list[_Part]
    around: Callable[[tuple[Statement, ...]], Statement]


_Part = _Group | _Around | Comment


class _Lanes:
    """The loop over the columns of a strip, taken apart at its scans and rounds."""

    def __init__(self, lanes: Loop, length: int, names: frozenset[str], quick: Quick) -> None:
        self.lanes, self.length, self.names, self.quick = lanes, length, names, quick
        self.shared: dict[Symbol, None] = {}

    def side_by_side(self) -> list[Statement]:
        """Loops over the lanes, in the scans and rounds that the columns go through."""
        parts = self.parts(self.lanes.body, None, ())
        self.shared |= _used_elsewhere(parts)
        result: list[Statement] = []
        declared: set[Symbol] = set()
        for part in parts:
            made = self.made([part])
            stored = [s.target.pointer for s in statements(made) if _is_lane(s)]  # type: ignore[attr-defined]
            arrays = dict.fromkeys(array for array in stored if array not in declared)
            declared |= arrays.keys()
            result += [*(Local(array, self.length, "scratch") for array in arrays), *made]
        return result

    # Taking apart

    def parts(
        self, body: Sequence[Statement], mask: Symbol | None, carried: tuple[Symbol, ...]
    ) -> list[_Part]:
        """Statements of the lanes of a mask. carried: by what is around them."""
        result: list[_Part] = []
        group = _Group([], carried)
        for statement in body:
            if isinstance(statement, Comment) and not group.body:
                result.append(statement)
                continue
            if not _has_loops((statement,)):
                _append(group.body, masked(statement, mask, self.quick))
                continue
            inside: _Part
            if isinstance(statement, Scan):
                inside = self.scan(statement, mask, group.body)
            elif isinstance(statement, While):
                inside = self.rounds(statement, mask, group.body)
            else:
                assert isinstance(statement, If)
                inside = self.branch(statement, mask, group.body)
            result += [group, inside]
            group = _Group([], carried)
        return [*result, group]

    def scan(self, scan: Scan, mask: Symbol | None, before: list[Statement]) -> _Around:
        """before: the group in front, which gets the initial values."""
        for symbol, value in zip(scan.carried, scan.initial, strict=True):
            before.append(Store(self.element(symbol), guarded(value, mask, self.quick)))
        self.shared |= dict.fromkeys(scan.carried)
        parts = self.parts(scan.body, mask, scan.carried)
        last = parts[-1]
        assert isinstance(last, _Group)
        for symbol, value in zip(scan.carried, self.updates(scan.update, mask, last.body), strict=True):
            last.body.append(Store(self.element(symbol), kept(value, symbol, mask)))
        counter, extent = Symbol(AXES[scan.axis], I64), Symbol(f"n_{AXES[scan.axis]}", I64)
        begin: Expression = add(extent, integer(-1)) if scan.reverse else integer(0)
        end: Expression = integer(-1) if scan.reverse else extent
        step = integer(-1 if scan.reverse else 1)
        return _Around(parts, lambda body: Loop("serial", counter, begin, end, step, body))

    def rounds(self, loop: While, mask: Symbol | None, before: list[Statement]) -> _Around:
        """Where the condition is harmless, it is asked for the first round in the group in front, and for
        each later one where the round before ends."""
        active = self.new("active", I32)
        at_the_end = is_harmless(loop.condition, self.quick)
        asked = {node for node in distinct(loop.condition) if isinstance(node, Symbol)} if at_the_end else ()
        for symbol, value in zip(loop.carried, loop.initial, strict=True):
            value = guarded(value, mask, self.quick)
            if symbol in asked:
                before.append(Let(symbol, value))
            else:
                before.append(Store(self.element(symbol), value))
        self.shared |= dict.fromkeys((*loop.carried, active))
        begins = mask_where(loop.condition, mask, self.quick) if at_the_end else mask or YES
        before.append(Store(self.element(active), begins))
        carried = (*loop.carried, active)
        parts = self.parts(loop.body, active, carried)
        last = parts[-1]
        assert isinstance(last, _Group)
        following: dict[Symbol, Symbol] = {}
        for symbol, value in zip(loop.carried, self.updates(loop.update, active, last.body), strict=True):
            value = kept(value, symbol, active)
            if symbol in asked:
                following[symbol] = self.new(f"{symbol.name}_next", value.type)
                last.body.append(Let(following[symbol], value))
                value = following[symbol]
            last.body.append(Store(self.element(symbol), value))
        if at_the_end:
            again = transform_expressions(
                loop.condition, lambda node: following.get(node, node) if isinstance(node, Symbol) else node
            )
            last.body.append(Store(self.element(active), mask_where(again, active, self.quick)))
        else:
            parts = self.asked_first(loop.condition, active, parts, carried)
        return _Around(
            parts,
            lambda body: While(loop.counter, loop.at_most, self.any_of(active), (), (), body, (), loop.place),
        )

    def updates(
        self, values: Sequence[Expression], mask: Symbol | None, body: list[Statement]
    ) -> Sequence[Expression]:
        """What carried values become in lanes that take part, with names for the own cell's elements."""
        if mask is None:
            return values
        named: dict[Expression, Symbol] = {}
        for access in own_cells(values):
            label = access.field.component_name(access.component) if access.field.components else "here"
            named[access] = self.new(f"{access.field.name}_{label}", access.type)
            body.append(Let(named[access], access))
        return [transform_expressions(value, lambda node: named.get(node, node)) for value in values]

    def asked_first(
        self, condition: Expression, active: Symbol, parts: list[_Part], carried: tuple[Symbol, ...]
    ) -> list[_Part]:
        """A round that asks for its lanes first. Scans and rounds are left out where none is active."""
        before = self.new("before", I32)
        asked = [Let(before, self.element(active)), Let(active, mask_where(condition, before, self.quick))]
        if len(parts) == 1 and isinstance(parts[0], _Group):
            return [_Group([*asked, *parts[0].body], carried)]
        return [_Group([*asked], carried), _Around(parts, lambda body: If(self.any_of(active), body))]

    def branch(self, branch: If, mask: Symbol | None, before: list[Statement]) -> _Around:
        chosen = self.new("chosen", I32)
        before.append(Let(chosen, mask_where(branch.condition, mask, self.quick)))
        self.shared[chosen] = None
        parts = self.parts(branch.body, chosen, ())
        return _Around(parts, lambda body: If(self.any_of(chosen), body, False, branch.place))

    def new(self, name: str, kind: Type) -> Symbol:
        """A symbol with a name of its own, which others are derived from: no underscore at its end."""
        free = next(n for n in chain([name], (f"{name}_{i}" for i in count(2))) if n not in self.names)
        self.names |= {free}
        return Symbol(free, kind)

    # Putting together

    def made(self, parts: Sequence[_Part]) -> list[Statement]:
        result: list[Statement] = []
        for part in parts:
            if isinstance(part, _Group):
                result += self.loop(part)
            elif isinstance(part, _Around):
                result.append(part.around(tuple(self.made(part.parts))))
            else:
                result.append(part)
        return result

    def loop(self, group: _Group) -> Iterator[Loop]:
        if not group.body:
            return
        own = {s.symbol for s in group.body if isinstance(s, Let)}
        used = dict.fromkeys(node for node in distinct(group.body) if isinstance(node, Symbol))
        order = dict.fromkeys(group.first) | self.shared
        named = [symbol for symbol in order if symbol in used and symbol not in own and symbol in self.shared]
        body: list[Statement] = [Let(symbol, self.element(symbol)) for symbol in named]
        for statement in group.body:
            body.append(statement)
            if isinstance(statement, Let) and statement.symbol in self.shared:
                body.append(Store(self.element(statement.symbol), statement.symbol))
        yield dataclasses.replace(self.lanes, body=tuple(body))

    def any_of(self, mask: Symbol) -> Call:
        """Whether some lane takes part."""
        count = operate("sub", self.lanes.end, self.lanes.begin)
        return Call("any_lane", (self.array(mask), count), BOOL)

    def element(self, symbol: Symbol) -> Load:
        return Load(self.array(symbol), operate("sub", self.lanes.counter, self.lanes.begin))

    @staticmethod
    def array(symbol: Symbol) -> Symbol:
        """What holds a value of every lane."""
        assert isinstance(symbol.type, Scalar)
        return Symbol(f"{symbol.name}{_LANES}", Pointer(symbol.type))


_LANES = "_lanes"


def _is_lane(statement: Statement) -> bool:
    """Whether a statement stores to an array of lanes: before accesses are lowered, there are no others."""
    return isinstance(statement, Store) and isinstance(statement.target, Load)


def _append(body: list[Statement], statement: Statement) -> None:
    """Add a statement; what follows under the same condition joins it."""
    match statement, body[-1:]:
        case If(condition, more, place=place), [If() as last] if (
            condition == last.condition and place == last.place == NOWHERE  # of a mask, not of the model
        ):
            body[-1] = dataclasses.replace(last, body=(*last.body, *more))
        case _:
            body.append(statement)


def _groups(parts: Sequence[_Part]) -> Iterator[_Group]:
    for part in parts:
        if isinstance(part, _Group):
            yield part
        elif isinstance(part, _Around):
            yield from _groups(part.parts)


def _used_elsewhere(parts: Sequence[_Part]) -> dict[Symbol, None]:
    """What one loop over the lanes computes and another one uses, in order. Two scans may name values of
    their own alike."""
    groups = list(_groups(parts))
    made = {s.symbol for group in groups for s in group.body if isinstance(s, Let)}
    found: dict[Symbol, None] = {}
    for group in groups:
        own = {s.symbol for s in group.body if isinstance(s, Let)}
        used = (node for node in distinct(group.body) if isinstance(node, Symbol))
        found |= dict.fromkeys(node for node in used if node in made and node not in own)
    return found

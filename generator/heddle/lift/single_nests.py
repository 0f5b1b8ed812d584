# SPDX-License-Identifier: Apache-2.0
"""Loop nests of a function by themselves: what the function does besides stays with the caller.

before   void f(...) { double* b = malloc(...); read(b); for (i ...) a[i] = c * b[i]; print(a); }
after    void f(double* a, double* b, double c, int n) { for (i ...) a[i] = c * b[i]; }

A nest gets as arguments what the function has in its variables when the nest begins. A variable that the nest
changes and the function reads later is a result of the nest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.visit import transform, walk
from heddle.lift.kernels import lifted_function
from heddle.lift.lifted import Lifted, refuse
from heddle.lift.statements import nested
from heddle.lift.variables.block_locals import assigned_in, lent_names, with_block_locals
from heddle.lift.variables.liveness import HIDDEN, After, Liveness

Body = tuple[ir.Statement, ...]
Known = source.Declaration | source.FunctionParameter
Found = TypeVar("Found")


@dataclass(frozen=True)
class Nest:
    """A loop and where it stands. visible: what declares the names around it. before: the statements of its
    sequence that run before it. after: what runs after it."""

    loop: source.For
    visible: dict[str, Known]
    before: Body
    after: tuple[After, ...]


def each_nest(
    unit: source.Unit, function: source.Function, attempt: Callable[[Lifted], Found]
) -> list[tuple[Lifted, Found] | KernelError]:
    """What `attempt` makes of each nest of a function, or why it makes nothing of it. Where it refuses a
    nest, the loops in it are tried by themselves; if none of them can be lifted, it counts as one."""
    return list(_Outline(unit, function).each(attempt))


def nest_at(unit: source.Unit, function: source.Function, line: int) -> Lifted:
    """The nest that begins at a line."""
    outline = _Outline(unit, function)
    waiting = list(outline.nests())
    lines: list[int] = []
    while waiting:
        nest = waiting.pop(0)
        if nest.loop.place.line == line:
            return outline.lifted(nest, f"{function.name}_{line}")
        lines.append(nest.loop.place.line)
        waiting = [*outline.inside(nest), *waiting]
    raise refuse(
        Place(function.place.file, line),
        f"'{function.name}' has no loop that begins at this line.",
        f"loops begin at the lines {', '.join(map(str, lines))}" if lines else "lift another function",
    )


class _Outline:
    """A function of which nests are cut out."""

    def __init__(self, unit: source.Unit, function: source.Function) -> None:
        self.unit, self.function = unit, function
        names = {p.symbol.name for p in function.parameters}
        constants = {declaration.symbol.name for declaration in unit.constants}
        self.body = with_block_locals(function.body, function.parameters, names | constants, function.place)
        self.given: dict[str, Known] = {p.symbol.name: p for p in function.parameters}
        self.live = Liveness()
        self.assigned = assigned_in(self.body)
        self.lent = lent_names(self.body)
        self.pointed = _pointed(self.body)
        self.hides = HIDDEN in self.live.names(self.body)
        self.origins = _origins(self.body)
        self.number = 0

    # Where nests are

    def nests(self) -> Iterator[Nest]:
        return self.found(self.body, self.given, ())

    def inside(self, nest: Nest) -> Iterator[Nest]:
        visible = {**nest.visible, **_declared(nest.loop.start)}
        return self.found(nest.loop.body, visible, (After(loop=nest.loop), *nest.after))

    def found(
        self, body: Sequence[ir.Statement], visible: dict[str, Known], after: tuple[After, ...]
    ) -> Iterator[Nest]:
        """The outermost loops of a body."""
        seen = dict(visible)
        for at, statement in enumerate(body):
            later = (After(tuple(body[at + 1 :])), *after)
            match statement:
                case source.Declaration(symbol):
                    seen[symbol.name] = statement
                case source.For():
                    yield Nest(statement, dict(seen), tuple(body[:at]), later)
                case source.UnknownStatement(inside=inside):
                    yield from self.found(inside, seen, (After((statement,)), *later))
                case _:
                    for inner in nested(statement):
                        yield from self.found(inner, seen, later)

    # Trying them

    def each(
        self, attempt: Callable[[Lifted], Found], nests: Iterator[Nest] | None = None
    ) -> Iterator[tuple[Lifted, Found] | KernelError]:
        for nest in self.nests() if nests is None else nests:
            self.number += 1
            number = self.number
            try:
                lifted = self.lifted(nest, f"{self.function.name}_{number}")
                yield lifted, attempt(lifted)
                continue
            except KernelError as error:
                problem = error if isinstance(error.where, Place) else refuse(nest.loop.place, error.what)
            self.number -= 1
            inner = list(self.each(attempt, self.inside(nest)))
            if any(not isinstance(each, KernelError) for each in inner):
                yield from inner
            else:
                self.number = number
                yield problem

    # Cutting one out

    def lifted(self, nest: Nest, name: str) -> Lifted:
        place = nest.loop.place
        loop, elements = constant_elements(nest.loop)
        found = lifted_function(
            self.unit, self.alone(dataclasses.replace(nest, loop=loop), elements.values())
        )
        notes = [f"{place}: what '{self.function.name}' does besides this loop stays with the caller"]
        notes += [
            f"{place}: '{symbol.name}' is {whose}, which the loop does not change"
            for whose, symbol in elements.items()
        ]
        return dataclasses.replace(found, name=name, assumptions=(*found.assumptions, *notes))

    def alone(self, nest: Nest, elements: Iterable[ir.Symbol]) -> source.Function:
        """A nest as a function of what it needs. elements: further arguments."""
        loop, place = nest.loop, nest.loop.place
        self.check_lengths(loop, place)
        free = self.live.names(loop) - _inner_names(loop)
        changed = assigned_in((loop,))
        parameters: list[source.FunctionParameter] = []
        first: list[ir.Statement] = []
        last: list[ir.Statement] = []
        kept: set[str] = set()
        for name, known in nest.visible.items():
            if name in free:
                if name in changed and isinstance(known.symbol.type, ir.Scalar):
                    continue
                if isinstance(known, source.Declaration) and self.is_fixed(known, nest.visible):
                    self.keep(known, nest.visible, kept, first, parameters)
                else:
                    if name in self.pointed:
                        raise refuse(
                            place,
                            f"'{name}' is used in the loop, and a pointer or a reference may point to it.",
                            "use a copy in the loop",
                        )
                    _add(parameters, _parameter(known, place))
        for symbol in elements:
            _add(parameters, source.FunctionParameter(symbol))
        for name in sorted(free & changed):
            own = nest.visible.get(name)
            if own is None:
                continue
            symbol, kind = own.symbol, own.symbol.type
            if not isinstance(kind, ir.Scalar):
                continue
            if name in self.lent or (isinstance(own, source.FunctionParameter) and own.reference):
                raise refuse(
                    place,
                    f"'{name}' is changed in the loop, and may be known elsewhere by its address.",
                    "change a local copy",
                )
            start = self.start(name, nest.before)
            if start is None:
                given = ir.Symbol(f"{name}_before", symbol.type)
                _add(parameters, source.FunctionParameter(given))
                start = given
            first.append(source.Declaration(symbol, start, False, place=place))
            if self.live.live(name, nest.after):
                pointer = ir.Symbol(f"{name}_after", ir.Pointer(kind))
                _add(parameters, source.FunctionParameter(pointer))
                target = source.Subscript(pointer, integer(0), symbol.type)
                last.append(source.Assignment(target, symbol, place=place))
        self.check_origins(_arrays((*first, loop)), place)
        return source.Function(
            f"{self.function.key}:{place.line}",
            self.function.name,
            self.function.template,
            tuple(parameters),
            source.Void(),
            (*first, loop, *last),
            place=place,
        )

    def check_lengths(self, loop: source.For, place: Place) -> None:
        """Rows keep the length that they had when their type was named, also if its variables change."""
        for kind in walk(loop):
            if isinstance(kind, source.Array) and kind.size is not None:
                for name in sorted(self.live.names(kind.size) & (self.assigned | self.lent)):
                    raise refuse(
                        place,
                        f"The length of a row is computed from '{name}', which changes in the function.",
                        "compute it from constants and arguments that do not change",
                    )

    def start(self, name: str, before: Body) -> ir.Expression | None:
        """The number that a variable has when a nest begins, if that is plain."""
        for statement in reversed(before):
            if any(isinstance(node, source.UnknownStatement) for node in walk(statement)):
                return None  # a label may stand there
            match statement:
                case source.Assignment(ir.Symbol(own), value, updates=False) if own == name:
                    return value if _is_number(value) else None
                case source.Declaration(ir.Symbol(own), value) if own == name:
                    return value if value is not None and _is_number(value) else None
            if self.live.mentions(statement, name):
                return None
        return None

    def is_fixed(self, known: Known, visible: dict[str, Known]) -> bool:
        """Whether a name has one value that does not depend on when it is computed."""
        name = known.symbol.name
        if isinstance(known, source.FunctionParameter):
            return not (known.reference or self.hides or name in self.assigned | self.lent)
        if known.space or known.value is None or isinstance(known.symbol.type, (source.Array, source.Record)):
            return False
        if not known.constant and not known.reference and (self.hides or name in self.assigned | self.lent):
            return False
        return self.is_pure(known.value, visible, known.reference)

    def is_pure(self, value: ir.Expression, visible: dict[str, Known], place: bool) -> bool:
        """Whether an expression reads no memory. place: it is one, of which only the address counts."""
        match value:
            case ir.Const():
                return True
            case ir.Symbol(name):
                known = visible.get(name)
                return (known is None and self.is_constant(name)) or (
                    known is not None and self.is_fixed(known, visible)
                )
            case ir.Op(args=args):
                return all(self.is_pure(each, visible, False) for each in args)
            case ir.Cast(inner):
                return self.is_pure(inner, visible, False)
            case ir.Select(condition, yes, no):
                return all(self.is_pure(each, visible, False) for each in (condition, yes, no))
            case source.AddressOf(element):
                return self.is_pure(element, visible, True)
            case source.Subscript(base, index, kind) if place or isinstance(kind, source.Array):
                return self.is_pure(base, visible, False) and self.is_pure(index, visible, False)
        return False

    def is_constant(self, name: str) -> bool:
        return any(declaration.symbol.name == name for declaration in self.unit.constants)

    def keep(
        self,
        known: source.Declaration,
        visible: dict[str, Known],
        kept: set[str],
        first: list[ir.Statement],
        parameters: list[source.FunctionParameter],
    ) -> None:
        """Put a declaration before the nest, behind what it needs."""
        if known.symbol.name in kept:
            return
        kept.add(known.symbol.name)
        for name in sorted(self.live.names(known)):
            needed = visible.get(name)
            if isinstance(needed, source.Declaration):
                self.keep(needed, visible, kept, first, parameters)
            elif needed is not None:
                _add(parameters, needed)
        first.append(known)

    def check_origins(self, names: Sequence[str], place: Place) -> None:
        """Two arrays of a nest must not be parts of one that the function knows by both names."""
        seen: dict[str, str] = {}
        for name in names:
            own = self.origins_of(name)
            for origin in own:
                for other, by in seen.items():
                    if origin == other or origin.startswith(f"{other}.") or other.startswith(f"{origin}."):
                        raise refuse(
                            place,
                            f"'{by}' and '{name}' may point into the same array.",
                            "use one name for an array",
                        )
            seen |= dict.fromkeys(own, name)

    def origins_of(self, name: str) -> frozenset[str]:
        """Of a pointer, or of a member of an object that has several names."""
        first, dot, rest = name.partition(".")
        return frozenset(f"{own}{dot}{rest}" for own in self.origins.get(first, {first}))


def constant_elements(loop: source.For) -> tuple[source.For, dict[str, ir.Symbol]]:
    """A nest with a name for each integer that it only reads at constant places of an array, such as
    `size[0]` or `*n`, and these names by what they stand for: they are the same in all cells."""
    read: dict[str, dict[source.Subscript, ir.Symbol]] = {}
    taken = {node.name for node in walk(loop) if isinstance(node, ir.Symbol)}
    used: dict[str, int] = {}
    for node in walk(loop):
        match node:
            case ir.Symbol(name):
                used[name] = used.get(name, 0) + 1
            case source.Subscript(
                ir.Symbol(name) as base, ir.Const(int(at)), ir.Scalar(kind="i" | "u") as kind
            ):
                if isinstance(base.type, (ir.Pointer, source.Array)):
                    named = f"{name.rsplit('::', 1)[-1]}_{at}"
                    read.setdefault(name, {})[node] = ir.Symbol(named, kind)
                    used[name] = used.get(name, 0) - 1
    stored = {
        symbol.name
        for node in walk(loop)
        if isinstance(node, source.Assignment)
        for symbol in walk(node.target)
        if isinstance(symbol, ir.Symbol)
    }
    own = _inner_names(loop)
    names = {
        node: symbol
        for name, each in read.items()
        if used[name] == 0 and name not in stored | own and not taken & {s.name for s in each.values()}
        for node, symbol in each.items()
    }
    if not names:
        return loop, {}
    changed = transform(loop, lambda node: names.get(node, node))
    return changed, {f"{node.base.name}[{node.index.value}]": symbol for node, symbol in names.items()}  # type: ignore[attr-defined]


def _arrays(body: Sequence[ir.Statement]) -> list[str]:
    """The arrays that statements use without declaring them: pointers, members, objects that are called."""
    own = {s.symbol.name for s in walk(body) if isinstance(s, source.Declaration)}
    found = dict.fromkeys(name for statement in body for name in _used(statement))
    return [name for name in found if name.split(".")[0] not in own]


def _used(node: Node) -> Iterator[str]:
    match node:
        case source.Member(type=kind) if path := _path(node):
            if isinstance(kind, (ir.Pointer, source.PointerTo, source.Array)):
                yield path
        case ir.Symbol(name, ir.Pointer() | source.PointerTo() | source.Array()):
            yield name
        case source.Invoke(args=args):
            for each in args:
                if isinstance(each.type, source.Record) and (path := _path(each)):
                    yield path
                else:
                    yield from _used(each)
        case _:
            for part in node.children:
                yield from _used(part)


def _parameter(known: Known, place: Place) -> source.FunctionParameter:
    """A variable of a function as an argument of its nest."""
    if isinstance(known, source.FunctionParameter):
        return known
    symbol = known.symbol
    if known.reference and not isinstance(symbol.type, source.Record):
        raise refuse(
            place,
            f"'{symbol.name}' is another name of something that the loop cannot see.",
            "use the thing itself in the loop",
        )
    kind = symbol.type
    if isinstance(kind, source.Array):
        element = kind.element
        kind = ir.Pointer(element) if isinstance(element, ir.Scalar) else source.PointerTo(element)
    return source.FunctionParameter(ir.Symbol(symbol.name, kind), reference=known.reference)


def _add(parameters: list[source.FunctionParameter], more: source.FunctionParameter) -> None:
    if all(each.symbol.name != more.symbol.name for each in parameters):
        parameters.append(more)


def _declared(body: Sequence[ir.Statement]) -> dict[str, Known]:
    return {s.symbol.name: s for s in body if isinstance(s, source.Declaration)}


def _inner_names(loop: source.For) -> set[str]:
    """The names that a nest declares itself; no other variable of the function is called like one that is
    seen there."""
    return {node.symbol.name for node in walk(loop) if isinstance(node, source.Declaration)}


def _is_number(value: ir.Expression) -> bool:
    match value:
        case ir.Cast(inner) | ir.Op("neg", (inner,)):
            return _is_number(inner)
    return isinstance(value, ir.Const)


def _pointed(body: Sequence[ir.Statement]) -> set[str]:
    """The numbers whose address some pointer or reference of the function keeps."""
    found: set[str] = set()
    for node in walk(body):
        match node:
            case source.Declaration(_, ir.Symbol(name), reference=True):
                found.add(name)
            case source.Declaration(_, value) | source.Assignment(_, value) if value is not None:
                found |= {
                    each.element.name
                    for each in walk(value)
                    if isinstance(each, source.AddressOf) and isinstance(each.element, ir.Symbol)
                }
    return found


def _origins(body: Sequence[ir.Statement]) -> dict[str, frozenset[str]]:
    """For each pointer, the other pointers that its values come from, and itself."""
    direct: dict[str, set[str]] = {}
    for node in walk(body):
        target: ir.Expression | None = None
        value: ir.Expression | None = None
        another = False
        match node:
            case source.Declaration(symbol, value):
                target, another = symbol, node.reference
            case source.Assignment(target, value):
                pass
        if value is None or not isinstance(target, ir.Symbol):
            continue
        if another or isinstance(target.type, (ir.Pointer, source.PointerTo)):
            direct.setdefault(target.name, set()).update(_origins_of(value))
    closed: dict[str, frozenset[str]] = {}
    for name in direct:
        seen, left = {name}, [name]
        while left:
            for other in direct.get(left.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        closed[name] = frozenset(seen)
    return closed


def _origins_of(value: Node) -> Iterator[str]:
    """The arrays that a pointer's value comes from: pointers, objects, members of objects by their path."""
    match value:
        case source.Member() if path := _path(value):
            yield path
        case ir.Symbol(name, ir.Pointer() | source.PointerTo() | source.Array() | source.Record()):
            yield name
        case _:
            for part in value.children:
                yield from _origins_of(part)


def _path(value: Node) -> str:
    """`object.inner.data` of what names a member; empty for others, such as one of an array of objects."""
    match value:
        case ir.Symbol(name):
            return name
        case source.Subscript(base, ir.Const(0)):
            return _path(base)
        case source.Member(base, name) if path := _path(base):
            return f"{path}.{name}"
    return ""

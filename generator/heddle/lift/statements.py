# SPDX-License-Identifier: Apache-2.0
"""Statements of source text as statements of lowered kernels: loops become canonical, early exits become
guards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.visit import walk
from heddle.lift.calls import BARRIER
from heddle.lift.device_calls import ATOMICS, WARP_BARRIER, Atomic
from heddle.lift.device_intrinsics import lifted_call, lifted_object
from heddle.lift.expressions import Dead, ExpressionLifter, _Inlining
from heddle.lift.lifted import refuse
from heddle.lift.loops import Header, Workers, bounded, collapsed, geometric, rounds
from heddle.lift.operands import folded, innermost, reads, size_of
from heddle.lift.unroll import renamed_locals
from heddle.lift.variables.block_locals import with_block_locals
from heddle.lift.variables.unique_names import declared_names

Body = tuple[ir.Statement, ...]
MOST_STATEMENTS = 20_000
"""What follows an `if` that leaves on some paths is written once for each path that stays."""


class StatementLifter(ExpressionLifter):
    """Translates the statements of one function."""

    def __init__(self, unit: source.Unit, block: tuple[int, ...] = ()) -> None:
        super().__init__(unit, block)
        self.variables: dict[str, ir.Symbol] = {}  # the local numbers declared so far
        self.result = "result"  # the name of what the function returns
        self.computes = False  # whether that is more than a status
        self.loops: list[source.For] = []  # loops being translated, outermost first
        self.translated = 0  # statements, those that several paths reach as often
        self.declared: set[str] = set()  # names that are taken, by whatever was translated so far

    def function(self, function: source.Function) -> Body:
        """The body of the function that is lifted."""
        parameters = {p.symbol.name for p in function.parameters}
        body = with_block_locals(
            function.body, function.parameters, parameters | self.constants.keys(), function.place
        )
        self.declared = declared_names(body) | parameters | self.constants.keys()
        self.changed = assigned_names(body)
        names = parameters | self.changed
        self.result = next(n for n in ("result", "returned", f"result_of_{function.name}") if n not in names)
        self.computes = any(
            isinstance(s, source.Exit) and s.value is not None and not isinstance(s.value, ir.Const)
            for s in walk(body)
        )
        return self.block(body)

    # Blocks and exits

    def block(self, body: Sequence[ir.Statement]) -> Body:
        """Statements in order. What follows an `if` that leaves is under the opposite condition."""
        changed = self.changed
        result = self.sequence(body)
        self.changed = changed
        return result

    def scoped(self, declaration: source.Declaration, rest: Sequence[ir.Statement]) -> None:
        """From its declaration to the end of its block a name is one variable: whether that changes is what
        the statements there say, not those of other blocks with a variable of this name."""
        name = declaration.symbol.name
        self.values.pop(declaration.symbol, None)
        if name in self.changed and name not in assigned_names(rest):
            self.changed = self.changed - {name}

    def sequence(self, body: Sequence[ir.Statement]) -> Body:
        result: list[ir.Statement] = []
        for at, statement in enumerate(body):
            self.translated += 1
            if self.translated > MOST_STATEMENTS:
                raise refuse(
                    self.place,
                    "So many paths leave the loop's body early that writing each of them out is too long.",
                    "put what follows under one condition",
                )
            self.place = getattr(statement, "place", self.place)
            rest = body[at + 1 :]
            if isinstance(statement, source.Declaration):
                self.scoped(statement, rest)
            match statement:
                case source.Block(inner) if leaves_somewhere(inner):
                    return (*result, *self.block((*inner, *rest)))
                case source.Branch() if leaves_somewhere((statement,)):
                    return (*result, *self.leaving(statement, rest))
                case source.Exit():
                    self.check_exit(statement)
                    return (*result, *self.returning(statement))
                case _:
                    result += self.statement(statement)
        return tuple(result)

    def leaving(self, branch: source.Branch, rest: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
        """An `if` of which some side leaves the loop's body or the function."""
        yield from self.branch(branch.condition, (*branch.yes, *rest), (*branch.no, *rest), branch.place)

    def branch(
        self, condition: ir.Expression, yes: Sequence[ir.Statement], no: Sequence[ir.Statement], place: Place
    ) -> Iterator[ir.Statement]:
        chosen = self.value(condition)
        names = dict(self.names)
        first = self.block(yes)
        self.names = dict(names)
        second = self.block(no)
        self.names = names
        if first and second and reads(chosen, self.changed):
            symbol = ir.Symbol(f"chosen_{place.line}", ir.BOOL)  # the first side may change what it reads
            yield ir.Let(symbol, chosen, place)
            chosen = symbol
        if first:
            yield ir.If(chosen, first, place=place)
        if second:
            yield ir.If(opposite(chosen), second, place=place)

    def check_exit(self, leave: source.Exit) -> None:
        if leave.kind == "break":
            raise refuse(leave.place, "`break` makes the number of iterations depend on the data.")
        if leave.kind == "return" and self.loops:
            raise refuse(leave.place, "`return` inside a loop ends the loop early.")

    def returning(self, leave: source.Exit) -> Iterator[ir.Statement]:
        """What the lifted function returns, as a store to its result; a number alone is a status."""
        if leave.kind != "return" or leave.value is None or self.calls:
            return
        value = self.value(leave.value)
        if isinstance(value, ir.Const) and not self.computes:
            return
        if not isinstance(value.type, ir.Scalar):
            raise refuse(
                leave.place,
                f"The function returns a {value.type}, which is not supported.",
                "return a number or void",
            )
        result = ir.Symbol(self.result, ir.Pointer(value.type))
        yield ir.Store(ir.Load(result, integer(0)), value, place=leave.place)

    # Statements

    def statement(self, statement: ir.Statement) -> Iterable[ir.Statement]:
        match statement:
            case source.Declaration():
                return self.declaration(statement)
            case source.Assignment():
                return self.assignment(statement)
            case source.Branch(condition, yes, no, place):
                return self.branch(condition, yes, no, place)
            case source.For():
                return self.loop(statement)
            case source.Block(inner):
                return self.block(inner)
            case source.Evaluate(value, place):
                return self.effect(value, place)
            case source.UnknownStatement(reason, place):
                raise refuse(place, f"There is {reason} here, which is not part of the kernel language.")
        raise refuse(self.place, f"{type(statement).__name__} is not supported here.")

    def declaration(self, declaration: source.Declaration) -> Iterable[ir.Statement]:
        symbol, value, place = declaration.symbol, declaration.value, declaration.place
        kind = symbol.type
        self.names.pop(symbol.name, None)
        if isinstance(kind, source.Array):
            return self.array(declaration)
        if declaration.reference:
            assert value is not None
            named = self.value(value)
            if isinstance(named, ir.Load) and reads(named.index, self.changed):
                raise refuse(
                    place,
                    f"'{symbol.name}' is another name of an element chosen by a value that may change later.",
                    "write the element itself",
                )
            self.names[symbol.name] = named
            return ()
        if value is not None and (line := self.row(symbol, value, place)) is not None:
            return (line,)
        if isinstance(value, source.Invoke) and isinstance(kind, ir.Pointer):
            call = lifted_call(self, *self.callee(value), value.args, symbol)
            if call is not None:
                return (call,)
        if isinstance(kind, (ir.Pointer, source.PointerTo)):
            if value is None or symbol.name in self.changed:
                raise refuse(
                    place,
                    f"The pointer '{symbol.name}' is changed.",
                    "use a constant pointer and change the index",
                )
            pointer, offset = self.pointer(self.typed(value, innermost(kind.element)))
            self.check_numbers(pointer, innermost(kind.element))
            if isinstance(kind, source.PointerTo):
                self.names[symbol.name] = ir.View(pointer, offset, integer(1))
                return ()
            return (ir.Let(symbol, ir.View(pointer, offset, integer(1)), place),)
        if isinstance(kind, source.Record):
            if isinstance(value, source.Invoke):
                if (call := lifted_object(self, symbol, value)) is not None:
                    assert call.result is not None
                    self.names[symbol.name] = call.result
                    return (call,)
                self.names[symbol.name] = self.constructed(value)
                return ()
            raise refuse(place, f"'{symbol.name}' has the unsupported type '{kind}'.")
        if not isinstance(kind, ir.Scalar):
            raise refuse(place, f"'{symbol.name}' has the unsupported type {kind}.")
        self.variables[symbol.name] = symbol
        if value is None:
            return (ir.Var(symbol, None),)
        result = self.value(value)
        if symbol.name in self.changed:
            return (ir.Var(symbol, result),)
        length = folded(result)
        if isinstance(length, ir.Const) and length is not result and not kind.is_float:
            self.names[symbol.name] = length  # 64 / sizeof(Real)
            return ()
        if not reads(result, self.changed):
            self.values[symbol] = result
        return (ir.Let(symbol, result, place),)

    def row(self, symbol: ir.Symbol, value: ir.Expression, place: Place) -> ir.Statement | None:
        """`const auto row = heddle::row<unit>(pointer, stride)` and `heddle::opaque(pointer)`."""
        if not isinstance(value, source.Invoke):
            return None
        name, _ = self.callee(value)
        if name not in ("heddle::row", "heddle::opaque") or isinstance(value.args[0].type, ir.Scalar):
            return None  # a number that is opaque is a value as others
        if name == "heddle::opaque":
            view = ir.View(*self.pointer(value.args[0]), integer(1), True)
        else:
            view = self.row_view(value)
        named = ir.Symbol(symbol.name, view.type)
        self.names[symbol.name] = named  # what was a StridedRow or an auto is a pointer
        return ir.Let(named, view, place)

    def array(self, declaration: source.Declaration) -> Iterable[ir.Statement]:
        symbol, place = declaration.symbol, declaration.place
        kind: Any = symbol.type
        element = innermost(kind)
        length = size_of(kind, place)
        if not isinstance(element, ir.Scalar):
            raise refuse(place, f"'{symbol.name}' is an array of {element}, which is not supported.")
        begun = "scratch" if declaration.value is not None else "register"  # whether it begins with zeros
        space = "shared" if declaration.space == "shared" else begun
        named = ir.Symbol(symbol.name, ir.Pointer(element))
        yield ir.Local(named, length, space)  # type: ignore[arg-type]
        if isinstance(declaration.value, source.Initializer):
            for index, entry in enumerate(flattened(declaration.value, kind, place)):
                yield ir.Store(ir.Load(named, integer(index)), self.value(entry), place=place)

    def assignment(self, assignment: source.Assignment) -> Iterable[ir.Statement]:
        target, place = assignment.target, assignment.place
        if isinstance(target, ir.Symbol) and isinstance(target.type, (ir.Pointer, source.PointerTo)):
            raise refuse(
                place,
                f"The pointer '{target.name}' is changed.",
                "use a constant pointer and change the index",
            )
        value = self.value(assignment.value)
        found = self.value(target)
        match found:
            case ir.Symbol():
                yield ir.Assign(found, value)
            case ir.Load():
                yield ir.Store(found, value, place=place)
            case _:
                raise refuse(
                    place, "The target of the assignment is neither a variable nor an array element."
                )

    # Loops

    def loop(self, loop: source.For) -> Iterable[ir.Statement]:
        found = geometric(loop, self)
        if found is not None:
            yield from self.written_out(loop, *found)
            return
        loop, more = bounded(loop)
        header = Header.of(loop, self)
        workers = Workers.of(loop, self.variables)
        counter = header.counter
        touched = assigned_names(loop.body)
        if counter.name in touched:
            raise refuse(loop.place, f"The loop's body changes its counter '{counter.name}'.")
        for bound in (header.begin, header.end):
            for node in walk(bound):
                if isinstance(node, ir.Symbol) and node.name in touched:
                    raise refuse(loop.place, f"The loop's body changes '{node.name}', which bounds the loop.")
        self.assumptions += header.assumptions
        self.loops.append(loop)
        outer = dict(self.names)
        self.names.pop(counter.name, None)
        asked = None if more is None else self.value(more)
        body = self.block(loop.body)
        self.names = outer
        self.loops.pop()
        if not header.declared:
            self.names[counter.name] = Dead(f"The counter '{counter.name}' is used after its loop.")
        if asked is not None:
            yield rounds(loop, header, workers, asked, body)
            return
        yield ir.Loop(
            "thread" if header.shared else workers.kind,
            counter,
            header.begin,
            header.end,
            integer(header.step),
            collapsed(body, workers.depth - 1),
            workers.reductions,
        )

    def written_out(
        self, loop: source.For, counter: ir.Symbol, numbers: Sequence[int]
    ) -> Iterable[ir.Statement]:
        """A loop of which all values of the counter are known, one iteration after the other."""
        if counter.name in assigned_names(loop.body):
            raise refuse(loop.place, f"The loop's body changes its counter '{counter.name}'.")
        assert isinstance(counter.type, ir.Scalar)
        outer = dict(self.names)
        self.loops.append(loop)
        for number in numbers:
            self.names[counter.name] = ir.Const(number, counter.type)
            yield from renamed_locals(self.block(loop.body), f"_{number}")
        self.loops.pop()
        self.names = outer | {counter.name: Dead(f"The counter '{counter.name}' is used after its loop.")}

    # Calls for their effect

    def effect(self, value: ir.Expression, place: Place) -> Iterable[ir.Statement]:
        if isinstance(value, source.Unknown):
            raise refuse(
                value.place, f"There is {value.reason} here, which is not part of the kernel language."
            )
        if not isinstance(value, source.Invoke):
            return ()  # an expression without effect
        function = self.functions.get(value.function)
        name, template = (function.name, function.template) if function else (value.function, value.template)
        call = lifted_call(self, name, template, value.args)
        if call is not None:
            return (call,)
        if name in (BARRIER, WARP_BARRIER):
            return (ir.Comment(name),)
        if name in ATOMICS:
            target = self.value(source.Subscript(value.args[0], integer(0), value.type))
            assert isinstance(target, ir.Load)
            return (Atomic(ATOMICS[name], target, self.value(value.args[1]), place),)
        if function is None:
            raise refuse(place, f"The body of the function '{name}' is not visible here.")
        return self.inlined_statements(function, value, place)

    def inlined_statements(
        self, function: source.Function, call: source.Invoke, place: Place
    ) -> Iterable[ir.Statement]:
        """The statements of a visible function. Its locals get names of their own, and what it receives by
        value is computed before them."""
        body = with_block_locals(function.body, function.parameters, self.declared, function.place)
        self.declared |= declared_names(body)
        assigned = assigned_names(body)
        outer, loops = self.changed, self.loops
        inlining = _Inlining(self, function, call)
        before: list[ir.Statement] = []
        for parameter in function.parameters:
            name, kind = parameter.symbol.name, parameter.symbol.type
            value = inlining.bound.get(name)
            if not (isinstance(kind, ir.Scalar) and isinstance(value, ir.Expression)):
                continue
            if parameter.reference:
                if isinstance(value, ir.Load) and reads(value.index, outer):
                    raise refuse(
                        place,
                        f"The element passed as '{name}' is chosen by a value that may change meanwhile.",
                        "pass the array and the index",
                    )
            elif name in assigned or reads(value, outer):
                own = self.fresh(name, kind)
                before.append(ir.Var(own, value) if name in assigned else ir.Let(own, value, place))
                inlining.bound[name] = own
                assigned |= {own.name} if name in assigned else set()
        self.changed, self.loops = outer | assigned, []
        with inlining:
            result = self.block(body)
        self.changed, self.loops = outer, loops
        return (*before, *result)

    def fresh(self, name: str, kind: ir.Scalar) -> ir.Symbol:
        """A name that nothing has yet."""
        wanted, number = name, 1
        while wanted in self.declared:
            number += 1
            wanted = f"{name}_{number}"
        self.declared.add(wanted)
        return ir.Symbol(wanted, kind)


# --- Small helpers ------------------------------------------------------------------------------------------


def opposite(condition: ir.Expression) -> ir.Expression:
    """Not the condition; exact for NaN, since comparisons of floats are negated as a whole."""
    if isinstance(condition, ir.Op) and condition.name == "not":
        return condition.args[0]
    return ir.Op("not", (condition,), ir.BOOL)


def nested(statement: ir.Statement) -> Iterator[tuple[ir.Statement, ...]]:
    """The bodies inside a statement of the source."""
    match statement:
        case source.Block(body):
            yield body
        case source.Branch(_, yes, no):
            yield yes
            yield no
        case source.For(start, _, step, body):
            yield start
            yield step
            yield body
        case source.UnknownStatement(inside=inside):
            yield inside


def leaves_somewhere(body: Sequence[ir.Statement]) -> bool:
    """Whether some path leaves the body by `continue`, `return` or `break`; those of inner loops are their
    own."""
    for statement in body:
        if isinstance(statement, source.Exit):
            return True
        if isinstance(statement, source.For):
            continue
        if any(leaves_somewhere(inner) for inner in nested(statement)):
            return True
    return False


def assigned_names(body: Sequence[ir.Statement]) -> set[str]:
    """The variables that statements assign, inner ones included. Counters of loops that declare them are not
    among them."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, source.Assignment) and isinstance(statement.target, ir.Symbol):
            names.add(statement.target.name)
        if isinstance(statement, source.For):
            inner = assigned_names(statement.body)
            counters = assigned_names((*statement.start, *statement.step))
            names |= inner | {name for name in counters if not _declares(statement, name)}
            continue
        for inner_body in nested(statement):
            names |= assigned_names(inner_body)
    return names


def _declares(loop: source.For, name: str) -> bool:
    return any(isinstance(s, source.Declaration) and s.symbol.name == name for s in loop.start)


def flattened(initial: source.Initializer, kind: Any, place: Place) -> list[ir.Expression]:
    """The entries of nested braces in the order of memory, as far as every brace is full."""
    if not initial.entries:
        return []
    if len(initial.entries) != kind.length:
        raise refuse(place, "The initialiser of an array has fewer values than the array has elements.")
    if isinstance(kind.element, source.Array):
        return [
            entry
            for row in initial.entries
            for entry in (
                flattened(row, kind.element, place) if isinstance(row, source.Initializer) else [row]
            )
        ]
    return list(initial.entries)

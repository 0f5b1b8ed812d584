# SPDX-License-Identifier: Apache-2.0
"""name_shared_values: what large statements compute more than once gets a name.

before   store v[0] = mul(add(u[0], u[1]), add(u[0], u[1]))     (in a statement of more than SMALL operations)
after    let shared_1 = add(u[0], u[1]); store v[0] = mul(shared_1, shared_1)

SymPy shares the parts of an expression, and a printed expression repeats them: e = e*e + u*e, twelve times,
has 24 different operations and prints half a million. So the work and the text follow from what is
different. The bits stay: a name changes neither operations nor their order.

Statements of usual size keep the form that their author gave them. A value gets a name where it is computed
in any case, never out of a branch of a Piecewise. What is read of a field keeps its name until the kernel
stores to that field, so that check_dependences still finds reads after stores.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle.errors import NOWHERE, KernelError, Place
from heddle.ir.functions import OPERATORS
from heddle.ir.nodes import (
    Access,
    Call,
    Expression,
    Gather,
    If,
    IsWallLink,
    Kernel,
    Let,
    Op,
    Reduce,
    Scan,
    Select,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import names_in
from heddle.ir.visit import rebuild, statements

SMALL = 200
"""Operations of a statement that keeps its form."""
MOST = 20_000
"""Operations of a statement, after shared values have names: a compiler takes minutes for more."""
_INNER = (Op, Call, Select, Gather)
_Version = tuple[Expression, tuple[tuple[str, int], ...]]
"""A value, and how often the fields that it reads had been stored to."""


def name_shared_values(kernel: Kernel, request: Request) -> Kernel:
    """Name what large statements share. Raises KernelError for statements that stay too large."""
    return dataclasses.replace(kernel, body=_Namer(kernel).block(kernel.body, {}, Counter()))


class _Namer:
    def __init__(self, kernel: Kernel) -> None:
        self.taken = set(names_in(kernel))
        self.number = 0
        self.sizes: dict[Expression, int] = {}
        self.fields: dict[Expression, frozenset[str]] = {}

    # What a value is

    def size(self, value: Expression) -> int:
        """The operations that the printed value has."""
        if value not in self.sizes:
            own = 0 if isinstance(value, Gather) else 1
            self.sizes[value] = own + sum(map(self.size, operands(value))) if operands(value) else 0
        return self.sizes[value]

    def is_large(self, statement: Statement) -> bool:
        value = _value(statement)
        return value is not None and self.size(value) > SMALL

    def reads(self, value: Expression) -> frozenset[str]:
        """The fields that the value depends on."""
        if value not in self.fields:
            own = {value.field.name} if isinstance(value, (Access, Gather, IsWallLink)) else set()
            self.fields[value] = frozenset(own).union(*map(self.reads, operands(value)))
        return self.fields[value]

    def version(self, value: Expression, stored: Mapping[str, int]) -> _Version:
        if not stored:
            return value, ()
        return value, tuple((name, stored[name]) for name in sorted(self.reads(value) & stored.keys()))

    # Blocks

    def block(
        self, body: Sequence[Statement], known: Mapping[_Version, Symbol], stored: Counter[str]
    ) -> tuple[Statement, ...]:
        """known: names of the blocks around this one. stored: how often fields have been stored to."""
        if any(isinstance(statement, Scan) for statement in body):  # loops of their own, side by side
            return tuple(self.inside(statement, {}, Counter()) for statement in body)
        if not known and not any(self.is_large(statement) for statement in body):
            return tuple(self.inside(statement, {}, stored) for statement in body)
        names, uses, result = dict(known), self.uses(body, stored.copy()), list[Statement]()
        for statement in body:
            value, place = _value(statement), getattr(statement, "place", NOWHERE)
            if value is not None:
                new = self.named(value, statement, uses, names, stored, result)
                self.check_size(new, place)
                statement = _with_value(statement, new)
                if (
                    isinstance(statement, Let)
                    and uses[self.version(value, stored)] > 1
                    and _is_computed(value)
                ):
                    names.setdefault(self.version(value, stored), statement.symbol)
            result.append(self.inside(statement, names, stored))
            for name in _stored(statement):
                stored[name] += 1
        return tuple(result)

    def inside(
        self, statement: Statement, known: Mapping[_Version, Symbol], stored: Counter[str]
    ) -> Statement:
        if isinstance(statement, While):  # a later round reads what an earlier one stored
            return dataclasses.replace(statement, body=self.block(statement.body, {}, Counter()))
        if not isinstance(statement, (If, Scan)):
            return statement
        return dataclasses.replace(statement, body=self.block(statement.body, known, stored.copy()))

    def uses(self, body: Sequence[Statement], stored: Counter[str]) -> Counter[_Version]:
        """How often large statements of a block use each value."""
        found: Counter[_Version] = Counter()
        for statement in body:
            value = _value(statement)
            if value is not None and self.is_large(statement):
                waiting = [value]
                while waiting:
                    node = waiting.pop()
                    version = self.version(node, stored)
                    found[version] += 1
                    if found[version] == 1:
                        waiting += operands(node)
            for name in _stored(statement):
                stored[name] += 1
        return found

    def named(
        self,
        root: Expression,
        statement: Statement,
        uses: Counter[_Version],
        names: dict[_Version, Symbol],
        stored: Counter[str],
        result: list[Statement],
    ) -> Expression:
        """The value of a statement with names for what is shared, which `result` gets first."""
        always = _computed_always(root) if self.size(root) > SMALL else frozenset()
        memo: dict[Expression, Expression] = {}

        def visit(node: Any) -> Any:
            if not isinstance(node, _INNER):
                return node
            if node not in memo:
                memo[node] = changed(node)
            return memo[node]

        def changed(node: Expression) -> Expression:
            version = self.version(node, stored)
            declares = node is root and isinstance(statement, Let)  # it has its name
            if version in names and not declares:
                return names[version]
            new: Expression = rebuild(node, visit)
            if declares or uses[version] < 2 or node not in always or not _is_computed(node):
                return new
            names[version] = self.fresh()
            result.append(Let(names[version], new, getattr(statement, "place", NOWHERE)))
            return names[version]

        return visit(root)  # type: ignore[no-any-return]

    def fresh(self) -> Symbol:
        while True:
            self.number += 1
            name = f"shared_{self.number}"
            if name not in self.taken:
                return Symbol(name)

    def check_size(self, value: Expression, place: Place) -> None:
        if self.size(value) > MOST:
            raise KernelError(
                place,
                f"the expression has more than {MOST} operations.",
                "name intermediate values: t = sympy.Symbol('t'), Assignment(t, ...), then use t",
            )


def operands(value: Expression) -> tuple[Expression, ...]:
    """What a value is computed from; nothing for what is read, named or constant."""
    match value:
        case Op(_, args) | Call(_, args):
            return args
        case Select(condition, yes, no):
            return condition, yes, no
        case Gather(_, position, component):
            return (*position, component)
    return ()


def _value(statement: Statement) -> Expression | None:
    """What a statement computes."""
    match statement:
        case Let(_, value) | Store(_, value) | Reduce(_, _, value) | If(value):
            return value
    return None


def _with_value(statement: Statement, value: Expression) -> Statement:
    if isinstance(statement, If):
        return dataclasses.replace(statement, condition=value)
    assert isinstance(statement, (Let, Store, Reduce))
    return dataclasses.replace(statement, value=value)


def _stored(statement: Statement) -> Iterator[str]:
    """The fields that a statement and those inside it store to."""
    for inner in statements([statement]):
        if isinstance(inner, Store) and isinstance(inner.target, (Access, Gather)):
            yield inner.target.field.name


def _is_computed(value: Expression) -> bool:
    """Whether a value is worth a name: arithmetic on something that is not constant."""
    match value:
        case Op("neg"):
            return False
        case Op(name):
            computed = OPERATORS[name].result != "bool"
        case _:
            computed = isinstance(value, (Call, Select))
    return computed and not _is_constant(value)


def _is_constant(value: Expression) -> bool:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (Symbol, Access, Gather, IsWallLink)):
            return False
        waiting += operands(node)
    return True


def _computed_always(root: Expression) -> frozenset[Expression]:
    """The parts of a value that are computed whatever its conditions are."""
    found: set[Expression] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            match node:
                case Select(condition):
                    waiting.append(condition)
                case Op("and" | "or", (first, *_)):
                    waiting.append(first)
                case _:
                    waiting += operands(node)
    return frozenset(found)

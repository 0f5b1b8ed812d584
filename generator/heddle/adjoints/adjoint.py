# SPDX-License-Identifier: Apache-2.0
"""The statements of an adjoint kernel, in one of two forms.

Gathered: where several cells read an element, its adjoint is the sum of what each of them contributes. The
cell at offset -o reads the element here as its u[o], so that contribution is the one to u[o], with every
access moved by -o. Nothing is stored but in the cell itself.

Stored: where each component is read at one offset only, as populations are, an element has one reader, and
the contribution is stored where the kernel reads, u_bar[o]. No cell computes what others compute, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import sympy

from heddle.adjoints.kernel import Primal, primal
from heddle.adjoints.reverse import REAL_TYPES, Adjoints, Reverse, unused
from heddle.adjoints.terms import Let, names_in, needed, replaced, without_single_uses
from heddle.errors import KernelError, Place
from heddle.model.assignment import Assignment, If, Reduce, Section, Statement
from heddle.model.equations import add, local
from heddle.model.field import Access, Coordinate, Field, IsWallLink
from heddle.model.streaming_kernels import Link

Offset = tuple[int, ...]


@dataclass(frozen=True)
class AdjointStatements:
    """arguments: the fields that the kernel adds, those that are given first. about: what it computes, and
    what it expects of ghost layers."""

    statements: list[Statement]
    arguments: tuple[str, ...]
    about: str


def adjoint_statements(
    name: str,
    statements: Sequence[Statement],
    rank: int,
    links: Sequence[Link],
    of: Collection[str] | None,
    accumulate: Collection[str],
    place: Place,
) -> AdjointStatements:
    """The adjoint of a kernel. rank: of its space. links: those that may end at walls within a step. of,
    accumulate: as for Module.add_adjoint. Raises KernelError for what has no adjoint."""
    return _Adjoint(primal(name, statements), rank, links, of, accumulate, place).build()


class _Adjoint:
    def __init__(
        self,
        kernel: Primal,
        rank: int,
        links: Sequence[Link],
        of: Collection[str] | None,
        accumulate: Collection[str],
        place: Place,
    ) -> None:
        self.kernel, self.links, self.place = kernel, links, place
        self.here = (0,) * rank
        self.active = kernel.active(of, place)
        self.reads = [symbol for symbol in self.active if isinstance(symbol, Access)]
        self.scalars = [symbol for symbol in self.active if not isinstance(symbol, Access)]
        self.fields = list(dict.fromkeys(read.field for read in self.reads))
        self.in_place = [field for field in self.fields if field in {w.field for w in kernel.writes}]
        self.accumulate = set(accumulate)
        self.taken = set(kernel.taken)
        self.stored = self.each_has_one_reader()
        self.check()
        self.bar_fields: dict[Field, Field] = {}
        for field in (*(write.field for write in kernel.writes), *self.fields):
            if field not in self.bar_fields:
                self.bar_fields[field] = dataclasses.replace(field, name=self.bar(field.name), half_scale=1)
        self.given: set[sympy.Symbol] = set()
        self.bar_scalars = {symbol: self.bar(symbol.name) for symbol in self.scalars}

    def bar(self, name: str) -> str:
        """The name of an adjoint, which must be free."""
        made = f"{name}_bar"
        if made in self.taken:
            raise KernelError(
                self.place,
                f"the adjoint of '{name}' would be '{made}', which '{self.kernel.name}' uses.",
                "rename one of them",
            )
        self.taken.add(made)
        return made

    def offsets(self, accesses: Sequence[Access]) -> dict[tuple[Field, int], set[Offset]]:
        found: dict[tuple[Field, int], set[Offset]] = {}
        for access in accesses:
            found.setdefault((access.field, access.component), set()).add(access.offsets)
        return found

    def each_has_one_reader(self) -> bool:
        """Whether adjoints are stored where the kernel reads."""
        single = all(len(offsets) == 1 for offsets in self.offsets(self.reads).values())
        return single and (bool(self.in_place) or any(any(read.offsets) for read in self.reads))

    def check(self) -> None:
        """Raise KernelError for what other cells would have to know, and for fields to add to."""
        name = self.kernel.name
        for field in self.in_place:
            writes = [w for w in self.kernel.writes if w.field == field and w not in self.kernel.behind_walls]
            touched = self.offsets([*writes, *(read for read in self.reads if read.field == field)])
            if not self.stored or any(len(offsets) > 1 for offsets in touched.values()):
                raise KernelError(
                    self.place,
                    f"'{name}' changes '{field.name}' in place, and its adjoint needs '{field.name}_bar' of "
                    "other cells before they change it.",
                    "write to a second field",
                )
        known = [field.name for field in self.fields if field not in self.in_place]
        for wrong in sorted(self.accumulate - set(known)):
            raise KernelError(
                self.place,
                f"accumulate= names '{wrong}', whose adjoint '{name}' does not store to a field of its own.",
                "choose of " + ", ".join(known) if known else "leave it out",
            )

    # The reverse sweep

    def build(self) -> AdjointStatements:
        reverse = Reverse(self.kernel.name, self.active, self.taken)
        seeds = self.seeds(reverse)
        adjoints = reverse.run(self.kernel.statements, seeds)
        if not adjoints.of:
            raise KernelError(
                self.place,
                f"nothing that '{self.kernel.name}' gives depends on "
                + ", ".join([*(field.name for field in self.fields), *(s.name for s in self.scalars)])
                + ", but for conditions.",
                "name what it depends on: of=(...)",
            )
        body = self.in_stored_form(adjoints) if self.stored else self.in_gathered_form(adjoints)
        arguments = tuple(bar.name for bar in self.bar_fields.values())
        return AdjointStatements(self.with_ghost_layers(body), arguments, self.about())

    def seeds(self, reverse: Reverse) -> dict[int, sympy.Expr]:
        """By the number of a statement, the adjoint of what it gives: an argument of the new kernel."""
        found: dict[int, sympy.Expr] = {}
        for number, statement in enumerate(self.kernel.statements):
            if isinstance(statement, Reduce):
                assert isinstance(statement.name, str)
                found[number] = local(self.bar(statement.name))
            elif isinstance(statement.target, Access) and statement.target.field.dtype in REAL_TYPES:
                found[number] = self.seed(statement.target, reverse)
        return found

    def seed(self, target: Access, reverse: Reverse) -> sympy.Symbol:
        bar = self.bar_access(target)
        if not (self.stored and target.field.components) and target.field not in self.in_place:
            return bar
        names = target.field.component_names
        part = f"_{names[target.component] if names else target.component}" if target.field.components else ""
        symbol = local(unused(f"{bar.field.name}{part}" if part else f"given_{bar.field.name}", self.taken))
        reverse.lets.append((symbol, bar))
        self.given.add(symbol)
        return symbol

    def bar_access(self, access: Access) -> Access:
        return Access(self.bar_fields[access.field], access.offsets, access.component)

    # The two forms

    def in_stored_form(self, adjoints: Adjoints) -> Iterator[Statement]:
        results: dict[Access, sympy.Expr] = {}
        written = [write for write in self.kernel.writes if write.field in self.in_place]
        aliases = list(self.aliases(written))
        for element in dict.fromkeys((*self.reads, *written)):
            target = self.bar_access(element)
            value = adjoints.of.get(element, sympy.Integer(0))
            if element.field.name in self.accumulate:
                value = add(target, value)
            elif element.field in self.in_place and element not in written:
                gone = [(sympy.Integer(0), at_wall) for read, _, at_wall in aliases if read == element]
                kept = sympy.Piecewise(*gone, (target, True), evaluate=False) if gone else target
                value = add(kept, value)
            results[target] = value
        sums = {symbol: adjoints.of.get(symbol, sympy.Integer(0)) for symbol in self.scalars}
        values = [*results.values(), *sums.values()]
        lets, values = without_single_uses(needed(adjoints.lets, values), values, adjoints.own)
        yield from self.listed(lets, adjoints)
        yield Section("Store: to the cells that the kernel reads")
        found = dict(zip(results, values, strict=False))
        for read, write, at_wall in aliases:
            target = self.bar_access(read)
            name = local(unused(f"{target.field.name}_at_wall", self.taken))
            yield Assignment(name, found[target], self.place)
            found[target] = name
            either = (name, at_wall), (found[self.bar_access(write)], True)
            found[self.bar_access(write)] = sympy.Piecewise(*either, evaluate=False)
        stores = [Assignment(*result, self.place) for result in found.items()]
        if self.kernel.behind_walls:
            yield If(sympy.true, stores, True, self.place)
        else:
            yield from stores
        yield from self.sums(values[len(results) :])

    def aliases(self, written: Sequence[Access]) -> Iterator[tuple[Access, Access, IsWallLink]]:
        """Elements that the kernel reads and keeps, beside the written ones that they are at a wall within
        the step, and whether there is a wall."""
        own = {(link.slot, link.offset): (link.wall_slot, self.here) for link in self.links}
        for read in self.reads:
            for write in written:
                if read.field != write.field or read in written:
                    continue
                for beyond, here in ((read, write), (write, read)):
                    if own.get((beyond.component, beyond.offsets)) == (here.component, here.offsets):
                        yield read, write, IsWallLink(self.bar_access(beyond))

    def in_gathered_form(self, adjoints: Adjoints) -> Iterator[Statement]:
        self.check_sums()
        terms: dict[Access, list[sympy.Expr]] = {
            Access(bar, self.here, component): [Access(bar, self.here, component)] if add_to else []
            for bar, add_to in ((self.bar_fields[f], f.name in self.accumulate) for f in self.fields)
            for component in range(max(bar.components, 1))
        }
        sums: list[sympy.Expr] = []
        known: dict[sympy.Expr, sympy.Symbol] = {}
        offsets = {read.offsets for read in self.reads} | ({self.here} if self.scalars else set())
        for offset in sorted(offsets, key=lambda o: (any(o), o[::-1])):
            group: list[sympy.Symbol] = [read for read in self.reads if read.offsets == offset]
            group += [] if any(offset) else self.scalars
            values: list[sympy.Expr] = [adjoints.of.get(symbol, sympy.Integer(0)) for symbol in group]
            lets, values = without_single_uses(needed(adjoints.lets, values), values, adjoints.own)
            shifted, values = self.moved(lets, values, tuple(-o for o in offset), known)
            if shifted:
                yield Section(self.heading(offset))
            yield from (Assignment(symbol, value, self.place) for symbol, value in shifted)
            for symbol, value in zip(group, values, strict=True):
                if isinstance(symbol, Access):
                    terms[Access(self.bar_fields[symbol.field], self.here, symbol.component)].append(value)
                else:
                    sums.append(value)
        yield Section("Sum over the cells that read the element here")
        for target, found in terms.items():
            yield Assignment(target, add(*found), self.place)
        yield from self.sums(sums)

    def moved(
        self,
        lets: Sequence[Let],
        values: Sequence[sympy.Expr],
        shift: Offset,
        known: dict[sympy.Expr, sympy.Symbol],
    ) -> tuple[list[Let], list[sympy.Expr]]:
        """The values of the cell at `shift`, by names of their own. known: what other cells have named, by
        its value."""
        names: dict[sympy.Symbol, sympy.Expr] = {}
        memo: dict[sympy.Basic, sympy.Basic] = {}

        def leaf(symbol: sympy.Symbol) -> sympy.Expr:
            if isinstance(symbol, Access):
                offsets = tuple(map(sum, zip(symbol.offsets, self.along(symbol.field, shift), strict=True)))
                return Access(symbol.field, offsets, symbol.component)
            if isinstance(symbol, IsWallLink) or (isinstance(symbol, Coordinate) and shift[symbol.axis]):
                self.refuse_place(symbol)
            return names.get(symbol, symbol)

        result: list[Let] = []
        for symbol, value in lets:
            new = replaced(value, leaf, memo)
            if new in known:
                names[symbol] = known[new]
                continue
            same = not any(shift) or new == value
            name = symbol if same else local(unused(f"{symbol.name}_{_compass(shift)}", self.taken))
            names[symbol] = known[new] = name
            result.append((name, new))
        return result, [replaced(value, leaf, memo) for value in values]

    def along(self, field: Field, shift: Offset) -> Offset:
        """The shift along the axes of a field."""
        return (shift[field.profile],) if field.profile >= 0 else shift[: field.rank]

    def refuse_place(self, symbol: sympy.Symbol) -> None:
        what = "whether there is a wall" if isinstance(symbol, IsWallLink) else f"its place, '{symbol}'"
        raise KernelError(
            self.place,
            f"a cell of '{self.kernel.name}' asks {what}, which its adjoint would have to know of cells "
            "beyond the block.",
            "read it from a field",
        )

    def check_sums(self) -> None:
        """Raise KernelError for a sum of what cells beyond the block would contribute to."""
        lets = [
            (s.target, s.value)
            for s in self.kernel.statements
            if isinstance(s, Assignment) and not isinstance(s.target, Access)
        ]
        for statement in self.kernel.statements:
            if not isinstance(statement, Reduce):
                continue
            values = [statement.value, *(value for _, value in needed(lets, [statement.value]))]
            used = set().union(*map(names_in, values))
            for read in self.reads:
                if read in used and any(read.offsets):
                    raise KernelError(
                        statement.place,
                        f"'{self.kernel.name}' adds up what it reads from other cells, {read}.",
                        "store the value in a field, and add it up in a second kernel",
                    )

    # What both have

    def listed(self, lets: Sequence[Let], adjoints: Adjoints) -> Iterator[Statement]:
        heading = ""
        for symbol, value in lets:
            part = f"What {self.kernel.name} computes"
            if symbol in self.given:
                part = "Adjoints of the results"
            elif symbol in adjoints.own:
                part = "Adjoints of the values, from the last to the first"
            if part != heading:
                yield Section(part)
                heading = part
            yield Assignment(symbol, value, self.place)

    def sums(self, values: Sequence[sympy.Expr]) -> Iterator[Statement]:
        for symbol, value in zip(self.scalars, values, strict=True):
            yield Reduce("sum", self.bar_scalars[symbol], value, self.place)

    def heading(self, offset: Offset) -> str:
        if not any(offset):
            return "This cell"
        return f"The cell at {list(-o for o in offset)} reads this one"

    def with_ghost_layers(self, statements: Iterator[Statement]) -> list[Statement]:
        """The same on fields with as many ghost layers as are accessed."""
        body = list(statements)
        accesses = {
            symbol
            for s in body
            if isinstance(s, (Assignment, Reduce))
            for symbol in names_in(s.value) | ({s.target} if isinstance(s, Assignment) else set())
            if isinstance(symbol, Access)
        }
        layers: dict[str, int] = {}
        for access in accesses:
            reach = max(map(abs, access.offsets), default=0)
            layers[access.field.name] = max(layers.get(access.field.name, access.field.ghost_layers), reach)

        def leaf(symbol: sympy.Symbol) -> sympy.Symbol:
            if not isinstance(symbol, Access) or layers[symbol.field.name] == symbol.field.ghost_layers:
                return symbol
            field = dataclasses.replace(symbol.field, ghost_layers=layers[symbol.field.name])
            return Access(field, symbol.offsets, symbol.component)

        memo: dict[sympy.Basic, sympy.Basic] = {}
        for number, statement in enumerate(body):
            match statement:
                case Assignment(target, value, place):
                    body[number] = Assignment(leaf(target), replaced(value, leaf, memo), place)
                case If(condition, inner, wall, place):
                    assert not any(layers[a.field.name] > a.field.ghost_layers for a in accesses)
                    body[number] = If(condition, inner, wall, place)
                case Reduce(operation, name, value, place):
                    body[number] = Reduce(operation, name, replaced(value, leaf, memo), place)
        return body

    def about(self) -> str:
        results = ", ".join(
            [self.bar_fields[field].name for field in self.fields] + list(self.bar_scalars.values())
        )
        name = self.kernel.name
        what = f"Adjoint of {name}: {results} = (d {name})^T of the adjoints of its results."
        if self.stored:
            return (
                what + " Stores to the cells that it reads: what lies in ghost layers belongs to other cells."
            )
        return what + " Adjoints given in ghost layers are those of other cells there, or zero."


def _compass(shift: Offset) -> str:
    """The direction of a cell: "ne", or "e2" for two cells to the east."""
    return "".join(
        pair[step > 0] + (str(abs(step)) if abs(step) > 1 else "")
        for step, pair in reversed(list(zip(shift, ("we", "sn", "bt"), strict=False)))
        if step
    )

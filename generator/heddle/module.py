# SPDX-License-Identifier: Apache-2.0
"""Module: the kernels that belong together, and the files they become."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from heddle.errors import KernelError, Place, calling_place
from heddle.ir import nodes as ir
from heddle.ir.colouring import BITS
from heddle.passes.name_locals import is_name
from heddle.pipeline import Request, Stages, lower, typed
from heddle.schedule import Precision, Schedule, precision
from heddle.symbolic.assignment import Assignment, AssignmentCollection, If, Scan, Statement


@runtime_checkable
class StreamingKernels(Protocol):
    """What a streaming pattern makes of a collision: statements for each of its steps, and its links."""

    @property
    def steps(self) -> Mapping[str, AssignmentCollection]: ...

    @property
    def links(self) -> Sequence[object]: ...


@dataclass(frozen=True)
class Dense:
    """Every interior cell of a box."""


@dataclass(frozen=True)
class Sparse:
    """The cells of an index list. listed: a part of them, given by a list of cell numbers."""

    name: str
    listed: bool = False


@dataclass(frozen=True)
class KernelModel:
    """A kernel as the user wrote it."""

    name: str
    statements: tuple[Statement, ...]
    space: ir.Dense | ir.Sparse
    schedule: Schedule
    about: str
    place: Place

    def typed(self, chosen: Precision) -> ir.Kernel:
        """The checked kernel in a precision."""
        return typed(self.name, self.statements, self.space, chosen, self.about)


@dataclass
class Module:
    """Named kernels that become one set of files.

    name: of the folder, the header and the C++ namespace. precisions: what each kernel is generated for
    ("f64", "f32", "f16", or "storage/arithmetic"). about: what the module computes; citation: where that is
    published.
    """

    name: str
    precisions: Sequence[str] = ("f64", "f32")
    about: str = ""
    citation: str = ""
    kernels: dict[str, KernelModel] = field(default_factory=dict)
    model: Path | None = None

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise KernelError(
                calling_place(), f"'{self.name}' is not a name for a module.", "letters, digits, _"
            )
        for text in self.precisions:
            precision(text)
        frame = sys._getframe(2)
        self.model = Path(frame.f_code.co_filename)

    def add(
        self,
        name: str,
        statements: Iterable[Statement] | StreamingKernels,
        space: Dense | Sparse | None = None,
        schedule: Schedule | None = None,
        about: str = "",
    ) -> None:
        """Add a kernel. A streaming pattern with several steps adds one for each: `name_even`, `name_odd`."""
        place = calling_place()
        schedule = schedule or Schedule()
        if isinstance(statements, StreamingKernels):
            for suffix, collection in statements.steps.items():
                full = f"{name}_{suffix}" if suffix else name
                self._add(full, tuple(collection), space or Dense(), statements.links, schedule, about, place)
        else:
            self._add(name, tuple(statements), space or Dense(), (), schedule, about, place)

    def _add(
        self,
        name: str,
        statements: tuple[Statement, ...],
        space: Dense | Sparse,
        links: Sequence[object],
        schedule: Schedule,
        about: str,
        place: Place,
    ) -> None:
        if not is_name(name):
            raise KernelError(place, f"'{name}' is not a name for a kernel.", "letters, digits, _")
        if name in self.kernels:
            raise KernelError(place, f"module '{self.name}' has two kernels '{name}'.")
        if not statements:
            raise KernelError(place, f"'{name}' has no statements.")
        rank = _rank(statements, place, name)
        if schedule.colours > 1 and (isinstance(space, Sparse) or (rank, schedule.colours) not in BITS):
            what = "the cells of a list have" if isinstance(space, Sparse) else f"{rank} dimensions have"
            known = [str(colours) for dimensions, colours in BITS if dimensions == rank]
            hint = "use a dense space" if isinstance(space, Sparse) else " or ".join(known)
            raise KernelError(place, f"'{name}' asks for {schedule.colours} colours, which {what} not.", hint)
        if isinstance(space, Sparse):
            rows = tuple(ir.Link(link.slot, tuple(link.offset), link.wall_slot) for link in links)  # type: ignore[attr-defined]
            chunk = schedule.chunk if rows and not space.listed else 0
            frozen: ir.Dense | ir.Sparse = ir.Sparse(space.name, space.listed, rows, chunk)
        else:
            frozen = ir.Dense(rank, schedule.colours)
        self.kernels[name] = KernelModel(name, statements, frozen, schedule, about, place)

    @property
    def links(self) -> tuple[ir.Link, ...]:
        """The rows of the neighbour table that the sparse kernels share."""
        tables = dict.fromkeys(k.space.links for k in self.kernels.values() if isinstance(k.space, ir.Sparse))
        tables.pop((), None)
        if len(tables) > 1:
            raise KernelError(
                next(iter(self.kernels.values())).place,
                f"the sparse kernels of '{self.name}' follow different links.",
                "use one streaming pattern a module",
            )
        return next(iter(tables), ())

    def stages(self, kernel: str, chosen: str, target: str) -> Stages:
        """A kernel at every level, for one precision and target."""
        from heddle.emit.targets import TARGETS

        if kernel not in self.kernels:
            known = ", ".join(self.kernels)
            raise KernelError(self.name, f"there is no kernel '{kernel}'.", f"the module has: {known}")
        entry = self.kernels[kernel]
        chosen_precision = precision(chosen)
        request = Request(chosen_precision, entry.schedule, TARGETS[target])
        return lower(entry.typed(chosen_precision), request)


def _rank(statements: Iterable[Statement], place: Place, name: str) -> int:
    """The dimensions of the space: those of the fields."""
    from heddle.symbolic.field import Access, GatherFunction

    ranks: set[int] = set()
    for expression in _expressions(statements):
        ranks |= {atom.field.rank for atom in expression.atoms(Access) if atom.field.rank}
        ranks |= {atom.field.rank for atom in expression.atoms(GatherFunction) if atom.field.rank}
    if not ranks:
        raise KernelError(place, f"'{name}' touches no field.", "a kernel reads and writes fields")
    return max(ranks)


def _expressions(statements: Iterable[Statement]) -> Iterable[Any]:
    for statement in statements:
        match statement:
            case Assignment(target, value):
                yield target
                yield value
            case If(condition, body):
                yield condition
                yield from _expressions(body)
            case Scan(_, carried, body, update):
                yield from (*carried.values(), *update.values())
                yield from _expressions(body)
            case _ if hasattr(statement, "value"):
                yield statement.value

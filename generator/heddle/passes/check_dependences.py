# SPDX-License-Identifier: Apache-2.0
"""check_dependences: a kernel whose cells could disturb each other does not generate.

Cells run in any order, so an element that one cell writes may be touched by no other cell. With constant
offsets that is decidable: element (field, component, cell + offset) belongs to exactly one cell if every
access to that component uses one offset. Along the axis of a Scan, cells run in order and any offset is
allowed. Statements beside a Scan run once per column: they have no cell, so they access planes, and
profiles along other axes. A plane is written nowhere else. A While reduces nothing, and stores in its Scans
only. Stores on wall links (`If(..., wall=True)`)
concern elements behind a wall, which no other cell reaches. Under a condition on the parity of
coordinates, cells of the other colour write nothing, so they may be read. Reads and writes must stay within
the ghost layers. The kernel is returned unchanged.

With colours, cells of one colour run in any order and colours one after the other: an element that a cell
writes may be read by cells of other colours.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import NOWHERE, KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.colouring import needed, separates
from heddle.ir.hash_consing import Node
from heddle.ir.reduction import row_operation
from heddle.ir.space import Link, Space
from heddle.ir.stages import Request
from heddle.ir.text import offsets_text
from heddle.ir.visit import distinct, statements, walk
from heddle.ir.walls import crossed
from heddle.passes.colour_guards import Guard, colour_guards, keeps_apart


@dataclass(frozen=True)
class _Touch:
    """One access, in program order; scan is the axis that runs sequentially around it, or None."""

    element: ir.Access | ir.Gather
    store: bool
    scan: int | None
    place: Place
    conditional: bool = False
    guards: tuple[Guard, ...] = ()

    @property
    def across(self) -> tuple[int, ...]:
        """Offsets along the axes on which cells run in any order."""
        if isinstance(self.element, ir.Gather):
            return (0, 0)
        return tuple(d for axis, d in enumerate(self.offsets) if axis != self.scan)

    @property
    def component(self) -> int:
        """The component that it touches."""
        if isinstance(self.element, ir.Access):
            return self.element.component
        return int(self.element.component.value) if isinstance(self.element.component, ir.Const) else -1

    @property
    def offsets(self) -> tuple[int, ...]:
        """From the current cell, by whatever way."""
        assert isinstance(self.element, ir.Access)
        way = self.element.through or (0,) * len(self.element.offsets)
        return tuple(a + b for a, b in zip(self.element.offsets, way, strict=True))


def check_dependences(kernel: ir.Kernel, request: Request) -> ir.Kernel:
    """Raises KernelError at the line of the model that makes the kernel unsafe."""
    touches = list(_touches(kernel.body, None, NOWHERE))
    if not any(isinstance(statement, (ir.Store, ir.Reduce)) for statement in statements(kernel.body)):
        where = next((s.place for s in kernel.body if hasattr(s, "place")), NOWHERE)
        raise KernelError(
            where, f"'{kernel.name}' neither stores nor reduces anything.", "assign to a field access"
        )
    _check_rounds(kernel)
    _check_rows(kernel, touches)
    scans = [statement for statement in statements(kernel.body) if isinstance(statement, ir.Scan)]
    axes = {scan.axis for scan in scans}
    if len(axes) > 1:
        raise KernelError(
            touches[-1].place if touches else scans[-1].place,
            f"'{kernel.name}' scans along two axes.",
            "write two kernels",
        )
    for axis in axes:
        _check_columns(kernel, axis, touches)
    for touch in touches:
        _check_reach(kernel, touch)
    for touch in touches:
        if touch.store and touch.element.field.layout.along_axis:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' stores to '{touch.element.field.name}', but all cells of a layer share "
                "one value of a profile.",
                "write to a field",
            )
        if (
            touch.store
            and touch.element.field.is_plane(kernel.space)
            and (touch.scan is not None or axes != {2})
        ):
            raise KernelError(
                touch.place,
                f"'{kernel.name}' stores to '{touch.element.field.name}' in each cell, but a plane has one "
                "value per column.",
                "carry the value in a Scan along z, and store it after the Scan"
                if axes
                else "store it before or after a Scan along z, or in a kernel of planes only",
            )
    written = {touch.element.field for touch in touches if touch.store}
    for field in kernel.fields:
        if field in written:
            own = [touch for touch in touches if touch.element.field is field]
            _check_levels(kernel, own, axes == {2})
            _check_field(kernel, field, own)
    if kernel.space.is_index_list:
        _check_links(kernel, kernel.space, touches, written)
    elif kernel.space.walls:
        _check_walls(kernel, kernel.space, touches, written)
    return kernel


def _check_rows(kernel: ir.Kernel, touches: Sequence[_Touch]) -> None:
    """Raise KernelError for reductions over rows that some cell would not take part in, or of which another
    statement needs the result."""
    found: dict[tuple[ir.Field, object], ir.Statement] = {}
    together = [s for scan in kernel.body for s in (scan.body if isinstance(scan, ir.Scan) else (scan,))]
    for statement in statements(kernel.body):
        if not row_operation(statement):
            continue
        assert isinstance(statement, ir.Store)
        assert isinstance(statement.target, ir.Gather)
        field, place = statement.target.field, statement.place
        what = f"'{kernel.name}' reduces rows to '{field.name}'"
        if statement not in together:
            hint = "reduce what the condition selects: Piecewise((value, condition), (0, True))"
            raise KernelError(place, f"{what} where not every cell of a row takes part.", hint)
        if not isinstance(statement.target.component, ir.Const):
            hint = "give the component as a number"
            raise KernelError(place, f"{what}, and to a component that is known only at run time.", hint)
        element = field, statement.target.component.value
        if element in found:
            raise KernelError(place, f"{what} twice.", "give each reduction a field of its own")
        found[element] = statement
        for touch in touches:
            if touch.element.field is field:
                raise KernelError(
                    touch.place,
                    f"{what}, and accesses it in another statement: the result is there when the whole row "
                    "is done.",
                    "use it in a second kernel",
                )
    for scan in (s for s in kernel.body if isinstance(s, ir.Scan)):
        for statement in scan.body:
            target = getattr(statement, "target", None)
            if row_operation(statement) and isinstance(target, ir.Gather) and scan.axis >= target.field.rank:
                raise KernelError(
                    getattr(statement, "place", NOWHERE),
                    f"'{kernel.name}' reduces the rows of each level to '{target.field.name}', which has one "
                    "value for all levels.",
                    "carry the value, and reduce it behind the Scan",
                )


def _check_rounds(kernel: ir.Kernel) -> None:
    """Raise KernelError for what a While would store or reduce once per round."""
    for loop in (s for s in statements(kernel.body) if isinstance(s, ir.While)):
        for statement in statements(loop.body):
            if isinstance(statement, ir.Reduce):
                raise KernelError(
                    statement.place,
                    f"'{kernel.name}' reduces '{statement.output.name}' in each round of a While.",
                    "carry the value, and reduce it behind the While",
                )
        for statement in _outside_scans(loop.body):
            if isinstance(statement, ir.Store):
                assert not isinstance(statement.target, ir.Load)
                raise KernelError(
                    statement.place,
                    f"'{kernel.name}' stores to {_name(statement.target)} in each round of a While.",
                    "carry the value, and store it behind the While",
                )


def _check_columns(kernel: ir.Kernel, axis: int, touches: Sequence[_Touch]) -> None:
    """Raise KernelError where a statement outside the scans along an axis needs a cell of the column."""
    for touch in touches:
        element = touch.element
        if touch.scan is None and isinstance(element, ir.Access) and _varies(element.field, axis):
            raise KernelError(
                touch.place,
                f"'{kernel.name}' accesses '{element.field.name}' outside its scans.",
                "move the statement into a Scan, where it runs once per cell",
            )
    coordinate = "xyz"[axis]
    for statement in _outside_scans(kernel.body):
        values = [child for child in statement.children if not isinstance(child, ir.Statement)]
        if any(isinstance(node, ir.Symbol) and node.name == coordinate for node in distinct(values)):
            raise KernelError(
                getattr(statement, "place", NOWHERE),
                f"'{kernel.name}' uses the coordinate '{coordinate}' outside its scans, which run along it.",
                "move the statement into a Scan, where it runs once per cell",
            )


def _varies(field: ir.Field, axis: int) -> bool:
    """Whether a field has several values along an axis."""
    return field.axis == axis if field.layout.along_axis else field.dense and axis < field.rank


def _outside_scans(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """The statements that run once per column, and the initial values of scans."""
    for statement in body:
        if isinstance(statement, ir.Scan):
            yield dataclasses.replace(statement, body=(), update=())
        else:
            yield statement
            if isinstance(statement, (ir.If, ir.While)):
                yield from _outside_scans(statement.body)


def _touches(
    body: Sequence[ir.Statement],
    scan: int | None,
    place: Place,
    conditional: bool = False,
    wall: bool = False,
    guards: tuple[Guard, ...] = (),
) -> Iterator[_Touch]:
    for statement in body:
        here = getattr(statement, "place", place)
        if isinstance(statement, ir.Scan):
            for expression in statement.initial:
                yield from _reads(expression, scan, here)
            yield from _touches(statement.body, statement.axis, here)
            for expression in statement.update:
                yield from _reads(expression, statement.axis, here)
        elif isinstance(statement, ir.While):
            for expression in (*statement.initial, statement.condition):
                yield from _reads(expression, scan, here, guards)
            yield from _touches(statement.body, scan, here, conditional, wall, guards)
            for expression in statement.update:
                yield from _reads(expression, scan, here, guards)
        elif isinstance(statement, ir.If):
            yield from _reads(statement.condition, scan, here)
            inner = (*guards, *colour_guards(statement.condition))
            yield from _touches(statement.body, scan, here, True, wall or statement.wall, inner)
        elif isinstance(statement, ir.Store):
            yield from _reads(statement.value, scan, here, guards)
            assert not isinstance(statement.target, ir.Load)
            if row_operation(statement):
                continue  # see _check_rows
            if isinstance(statement.target, ir.Gather):
                for entry in (*statement.target.position, statement.target.component):
                    yield from _reads(entry, scan, here, guards)
            if not wall:
                yield _Touch(statement.target, True, scan, here, conditional, guards)
        else:
            for child in statement.children:
                yield from _reads(child, scan, here, guards)


def _reads(
    expression: Node, scan: int | None, place: Place, guards: tuple[Guard, ...] = ()
) -> Iterator[_Touch]:
    for node in walk(expression):
        if isinstance(node, (ir.Access, ir.Gather)):
            yield _Touch(node, False, scan, place, guards=guards)


def _check_reach(kernel: ir.Kernel, touch: _Touch) -> None:
    element = touch.element
    if isinstance(element, ir.Gather) or element.field.layout.over_list:
        return
    reach = max((abs(offset) for offset in element.offsets), default=0)
    layers = element.field.ghost_layers
    if reach > layers:
        raise KernelError(
            touch.place,
            f"'{kernel.name}' {'writes' if touch.store else 'reads'} {_name(element)}, {reach} cells "
            f"away, but '{element.field.name}' has only {layers} ghost layer{'s' if layers != 1 else ''}.",
            f"declare it with fields(..., ghost_layers={reach})",
        )


def _check_levels(kernel: ir.Kernel, touches: Sequence[_Touch], swept: bool) -> None:
    """Raise KernelError where a field that a kernel writes is touched at a computed position, unless that
    lies in the column that is swept: then its statements follow each other as the model says."""
    for touch in touches:
        if not isinstance(touch.element, ir.Gather):
            continue
        name = touch.element.field.name
        if not touch.element.in_column:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' writes '{name}' and gathers from it at positions known only at run time.",
                "write to a second field"
                + (
                    f", or gather from the own column, {name}.at_level(k)"
                    if touch.element.field.rank == 3
                    else ""
                ),
            )
        if not swept:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' writes '{name}' and touches it at a level known only at run time, but has "
                "no Scan along z: its cells run in any order.",
                "move what belongs to the cells into a Scan along z, or write to a second field",
            )
        if touch.component < 0:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' writes '{name}' and touches a component that is known only at run time.",
                "give the component as a number",
            )


def _check_field(kernel: ir.Kernel, field: ir.Field, touches: list[_Touch]) -> None:
    owner: dict[int, _Touch] = {}
    for touch in touches:
        if touch.store:
            component = touch.component
            first = owner.setdefault(component, touch)
            if first.across != touch.across:
                raise KernelError(
                    touch.place,
                    f"'{kernel.name}' stores to {_name(first.element)} and to {_name(touch.element)}, so "
                    "two cells write the same element in no defined order.",
                    "store each component at one offset, or write to a second field",
                )
            levels = any(isinstance(each.element, ir.Gather) for each in (first, touch))
            if (
                first is not touch
                and touch.scan is None
                and not levels
                and not (first.conditional and touch.conditional)
            ):
                raise KernelError(
                    touch.place,
                    f"'{kernel.name}' stores to {_name(touch.element)} twice.",
                    "combine the two values in one assignment",
                )
    stored: set[tuple[int, tuple[int, ...]]] = set()
    for touch in touches:
        component = touch.component
        if touch.store:
            if isinstance(touch.element, ir.Access):
                stored.add((component, touch.offsets))
        elif component in owner:
            if touch.across != owner[component].across and not _of_other_colour(touch, owner[component]):
                _check_order(kernel, touch, owner[component], owner, touches)
            if (
                touch.scan is None
                and isinstance(touch.element, ir.Access)
                and (component, touch.offsets) in stored
            ):
                raise KernelError(
                    touch.place,
                    f"'{kernel.name}' reads {_name(touch.element)} after storing to it, so it is unclear "
                    "whether the old or the new value is meant.",
                    "assign the value to a symbol, and use the symbol",
                )


def _check_order(
    kernel: ir.Kernel, read: _Touch, write: _Touch, owner: dict[int, _Touch], touches: list[_Touch]
) -> None:
    """A cell reads what another one writes: that has an order only if they differ in colour."""
    space = kernel.space
    names = f"'{kernel.name}' reads {_name(read.element)} and writes {_name(write.element)}: "
    levels = any(isinstance(touch.element, ir.Gather) for touch in (read, write))
    if not space.is_box or read.scan is not None or levels or read.element.field.is_plane(space):
        what = "one cell reads an element that another cell writes, in no defined order."
        raise KernelError(read.place, names + what, "write to a second field")
    if space.colours > 1 and separates(space.dimensions, space.colours, _apart(read, write)):
        return
    colours = needed(space.dimensions, [d for d in _distances(owner, touches) if any(d)])
    if colours is None:
        what = "one cell reads an element that another cell writes, and no colouring separates them."
        raise KernelError(read.place, names + what, "write to a second field")
    what = (
        "one cell reads an element that another cell writes, in no defined order."
        if space.colours == 1
        else f"with {space.colours} colours, one cell reads an element that another cell of the same "
        "colour writes."
    )
    raise KernelError(
        read.place, names + what, f"use Schedule(colours={colours}), or write to a second field"
    )


def _apart(read: _Touch, write: _Touch) -> tuple[int, ...]:
    """How far the cell that writes an element lies from the one that reads it."""
    assert isinstance(read.element, ir.Access)
    assert isinstance(write.element, ir.Access)
    return tuple(r - w for r, w in zip(read.element.offsets, write.element.offsets, strict=True))


def _distances(owner: dict[int, _Touch], touches: list[_Touch]) -> list[tuple[int, ...]]:
    """Of all reads of components that the kernel writes."""
    return [
        _apart(touch, owner[touch.element.component])
        for touch in touches
        if not touch.store and isinstance(touch.element, ir.Access) and touch.element.component in owner
    ]


def _of_other_colour(read: _Touch, write: _Touch) -> bool:
    """Whether a condition around both keeps the cell that is read from being written."""
    if isinstance(read.element, ir.Gather) or isinstance(write.element, ir.Gather):
        return False
    apart = [r - w for r, w in zip(read.element.offsets, write.element.offsets, strict=True)]
    return any(keeps_apart(guard, apart) for guard in read.guards if guard in write.guards)


def _check_links(kernel: ir.Kernel, space: Space, touches: list[_Touch], written: set[ir.Field]) -> None:
    """Sparse accesses go through rows of the neighbour table; at walls a row leads to the current cell, or to
    a cell that the list holds there."""
    for touch in touches:
        element = touch.element
        if isinstance(element, ir.Gather):
            raise KernelError(
                touch.place,
                f"'{kernel.name}' gathers by position, which a sparse list does not support.",
                "use a dense space",
            )
        if any(element.through) and element.at is None and space.row_at(element.through) is None:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' accesses {_name(element)} from the cell at "
                f"{offsets_text(element.through)}, but the list '{space.name}' has no link to that cell.",
                "give the index of that cell as a field of the list: access.via_link(offset, at=...)",
            )
        if not any(element.offsets):
            continue
        path = space.path(element.component, element.offsets)
        if path is None:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' accesses {_name(element)}, but the list '{space.name}' has no such link.",
                "add kernels of a streaming pattern: module.add(name, stream(collide), space=Sparse(...))",
            )
        row = space.links[path[0]]
        if element.field in written and not row.stores_solid:
            _check_own(touch, row, space.links)


def _check_walls(kernel: ir.Kernel, space: Space, touches: list[_Touch], written: set[ir.Field]) -> None:
    """Populations that lie behind a wall go through links, as in a sparse list."""
    rows = {(link.slot, link.offset): link for link in space.links}
    for touch in touches:
        element = touch.element
        if not isinstance(element, ir.Access) or not crossed(space, element):
            continue
        row = rows.get((element.component, element.offsets))
        if row is None:
            raise KernelError(
                touch.place,
                f"'{kernel.name}' accesses {_name(element)}, which no population of the cell itself "
                "replaces at a wall.",
                "access only what a streaming pattern reads and writes, or leave out walls here",
            )
        if element.field in written:
            _check_own(touch, row, space.links)


def _check_own(touch: _Touch, row: Link, links: Sequence[Link]) -> None:
    """No other cell may reach what stands for an element behind a wall."""
    back = tuple(-offset for offset in row.offset)
    for other in links:
        if other.slot == row.wall_slot and other.offset != back:
            raise KernelError(
                touch.place,
                f"at a wall, component {row.wall_slot} of the cell itself replaces "
                f"{_name(touch.element)}, but other cells access that component, too.",
                "use a streaming pattern that keeps wall populations in the cell itself (AA), or two "
                "fields (Pull)",
            )


def _name(element: ir.Access | ir.Gather) -> str:
    if isinstance(element, ir.Gather):
        return f"{element.field.name}.gather(...)"
    entries = [*element.offsets, *([element.component] if element.field.components else [])]
    return element.field.name + offsets_text(entries)

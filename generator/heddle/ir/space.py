# SPDX-License-Identifier: Apache-2.0
"""Where a kernel runs: the cells of a box, of an index list, or of the regions that a halo exchange packs."""

from __future__ import annotations

import dataclasses

from heddle.ir.hash_consing import Node, node


@node
class Link(Node):
    """A row of a sparse list's neighbour table, or a link of a dense space with walls: slot `slot` at
    `offset`, or `wall_slot` of the current cell at a wall. Negative wall_slot: the list holds that cell even
    behind a wall, and the row has its number for all slots."""

    slot: int
    offset: tuple[int, ...]
    wall_slot: int

    @property
    def stores_solid(self) -> bool:
        """Whether the row leads to cells, not to elements."""
        return self.wall_slot < 0


@dataclasses.dataclass(frozen=True)
class Layer:
    """The cells at a side of a dense box, or where several sides meet. block_by_block: each block can compute
    its own ones alone; else populations of a wall lie in cells beside it, which may be another block's."""

    sides: tuple[str, ...]
    block_by_block: bool


class Space(Node):
    """The cells that a kernel updates. What only some spaces have is empty, 1 or 0 in the others, so that a
    pass asks for the property that it needs and not for the class."""

    colours: int = 1
    """Cells of one colour (see ir.colouring) run in any order, one colour after the other."""
    interleave: int = 1
    """A GPU thread runs its cell in as many interleaved blocks, whose elements follow each other."""
    fixed_nx: int = 0
    """The number of cells along x, where it is known."""
    unit_stride: bool = False
    """Once lowered: the cells of a row follow each other in memory, in all fields."""
    same_strides: bool = False
    """Once lowered: all fields have the strides of the first, and numbers of elements fit into 31 bits."""
    row_cells: int = 1
    """Once lowered: a GPU thread updates so many cells of a row, of which each row has a whole number."""
    walls: tuple[str, ...] = ()
    """Sides of the box at which there may be a wall (see ir.walls)."""
    links: tuple[Link, ...] = ()
    """The rows of the neighbour table; of a box, the links that lead to the current cell at a wall."""
    listed: bool = False
    """A list of cell numbers selects the cells from those of the index list, or from a box."""
    strip_size: int = 0
    """Cells for which the list says in one number where neighbours follow each other."""
    compressed: bool = False
    """A GPU kernel finds neighbours in the compressed table of the list."""
    box: int = 0
    """The dimensions of the dense box in which the cells of a list lie, at the positions PLACES."""
    name: str
    """Of the index list; only lists have one."""
    cell: str = ""
    """What the kernel calls the number of the current cell,"""
    entry: str = ""
    """and that of its entry in a list that selects cells."""

    @property
    def is_box(self) -> bool:
        """Whether these are all interior cells of a box."""
        return False

    @property
    def is_list(self) -> bool:
        """Whether a list says which cells these are."""
        return False

    @property
    def is_index_list(self) -> bool:
        """Whether the fields lie over an index list, too, so that a neighbour table leads to other cells."""
        return False

    @property
    def packs(self) -> bool:
        """Whether these are the regions of a halo exchange."""
        return False

    @property
    def dimensions(self) -> int:
        """Of the box in which the cells lie; 0 over an index list."""
        return 0

    def path(self, slot: int, offset: tuple[int, ...]) -> tuple[int, ...] | None:
        """The rows to follow, one after the other, to slot `slot` of the cell at `offset`; None if there is
        no way. A row for the slot or for all slots of that cell, else rows along x, y and z in turn."""
        for number, link in enumerate(self.links):
            if link.offset == offset and (link.stores_solid or link.slot == slot):
                return (number,)
        stores_solid = {link.offset: number for number, link in enumerate(self.links) if link.stores_solid}
        steps = [
            tuple(d if a == axis else 0 for a in range(len(offset))) for axis, d in enumerate(offset) if d
        ]
        return (
            tuple(stores_solid[step] for step in steps)
            if all(step in stores_solid for step in steps)
            else None
        )

    def row(self, slot: int, offset: tuple[int, ...]) -> int:
        """The row that leads to a slot at an offset, or at a wall to one of the current cell."""
        return next(r for r, link in enumerate(self.links) if (link.slot, link.offset) == (slot, offset))

    def row_at(self, offset: tuple[int, ...]) -> int | None:
        """A row that leads to the cell at an offset, or at a wall to the own one."""
        return next(
            (r for r, link in enumerate(self.links) if link.offset == offset and not link.stores_solid), None
        )

    @property
    def counter(self) -> str:
        """The name of what counts the cells of a list, or the entries of listed ones."""
        return self.entry if self.listed else self.cell

    def without_walls(self) -> Space:
        """The same cells, none of them beside a wall."""
        return self


@node
class Dense(Space):
    """Every interior cell of a box of `rank` dimensions."""

    rank: int
    colours: int = 1
    interleave: int = 1
    fixed_nx: int = 0
    unit_stride: bool = False
    same_strides: bool = False
    walls: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    row_cells: int = 1

    @property
    def is_box(self) -> bool:
        return True

    @property
    def dimensions(self) -> int:
        return self.rank

    def without_walls(self) -> Dense:
        return dataclasses.replace(self, walls=(), links=())


PLACES = ("cell_x", "cell_y", "cell_z")
"""Fields [entries] that say where the cells of a list lie in a dense box."""


@node
class Sparse(Space):
    """The cells of an index list, or some of them; or some cells of a box."""

    name: str
    listed: bool = False
    links: tuple[Link, ...] = ()
    strip_size: int = 0
    compressed: bool = False
    box: int = 0
    cell: str = "n"
    entry: str = "i"

    @property
    def is_list(self) -> bool:
        return True

    @property
    def is_index_list(self) -> bool:
        return not self.box

    @property
    def dimensions(self) -> int:
        return self.box


@node
class PackRegions(Space):
    """The cells of a table of boxes, in fields of `rank` dimensions: what an exchange packs.

    The field `boxes` holds nine numbers per box: which field, which component, the first cell along x, y, z,
    the number of cells along x, y, z, and the place of the first cell in the message buffer, where the cells
    follow each other, x fastest. A body knows them as the symbols `field`, `component`, `x`, `y`, `z` and
    `place`.
    """

    rank: int

    @property
    def packs(self) -> bool:
        return True

    @property
    def dimensions(self) -> int:
        return self.rank

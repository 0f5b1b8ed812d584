# SPDX-License-Identifier: Apache-2.0
"""How the values of a field lie in memory. Only lowering and the emitted interface ask for more than a
property."""

from __future__ import annotations

from heddle.ir.hash_consing import Node, node


class Layout(Node):
    """One way to store a field. The properties say what a pass has to know of it."""

    per_cell: bool = False
    """A value for each cell of a box, ghost layers included, with an element stride along each axis."""
    split: bool = False
    """The even and the odd cells of each row lie apart; which of the two is the last axis."""
    over_list: bool = False
    """A value for each cell of an index list; a neighbour table leads to those of other cells."""
    per_entry: bool = False
    """A value for each entry of a list of cells, contiguous."""
    table: bool = False
    """A value for each number from 0 on, wherever the cell lies: read only, contiguous."""
    along_axis: bool = False
    """A value for all cells with the same position along one axis: read only, contiguous."""
    other_grid: bool = False
    """A box of another size than the kernel's, read at computed positions only."""
    intermediate: bool = False
    """Values that the kernel computes where it needs them; in no memory."""
    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def contiguous(self) -> bool:
        """Whether it is a list of values without strides."""
        return self.per_entry or self.along_axis or self.table

    def axes(self, rank: int, components: int) -> int:
        """How many extents and strides an entry takes for a field of `rank` dimensions."""
        if self.over_list:
            return 1 + (components > 0)
        return rank + (components > 0 or self.split)

    def last_extent(self, components: int) -> int:
        """The extent of the axis behind those of space; 0 where there is none."""
        return 2 if self.split else components

    def part(self, offsets: tuple[int, ...], component: int) -> int:
        """Where an element at some offset lies along that axis, seen from the current cell."""
        return sum(offsets) % 2 if self.split else component

    def row_cells(self, cells: int) -> int:
        """How many of the cells of a row lie in one row of memory."""
        return cells // 2 if self.split else cells


@node
class Strided(Layout):
    """Each axis has a stride; components are the last axis."""

    name = "strided"
    per_cell = True


@node
class Split(Layout):
    """Every second cell of a row, with the colour as last axis: for relaxation in place."""

    name = "split"
    per_cell = True
    split = True


@node
class OverList(Layout):
    """The cells of an index list, one component after the other."""

    name = "list"
    over_list = True


@node
class Entries(Layout):
    """One value per entry of a listed space."""

    name = "entries"
    per_entry = True


@node
class Profile(Layout):
    """One value per position along an axis."""

    name = "profile"
    along_axis = True


@node
class Table(Layout):
    """So many values, read by their number."""

    name = "table"
    table = True


@node
class OtherGrid(Layout):
    """As strided, for the cells of another box."""

    name = "other_grid"
    other_grid = True


@node
class Intermediate(Layout):
    """No memory: inline_intermediates replaces each value by what it stands for."""

    name = "intermediate"
    intermediate = True


STRIDED, SPLIT, OVER_LIST, ENTRIES = Strided(), Split(), OverList(), Entries()
PROFILE, TABLE, OTHER_GRID = Profile(), Table(), OtherGrid()
INTERMEDIATE = Intermediate()
LAYOUTS: tuple[type[Layout], ...] = (
    Strided, Split, OverList, Entries, Profile, Table, OtherGrid, Intermediate,
)  # fmt: skip

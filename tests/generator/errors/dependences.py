# SPDX-License-Identifier: Apache-2.0
"""Cells that disturb each other, accesses that reach too far, links that meet."""

from __future__ import annotations

import sympy
from errors.cases import D2Q9, a, b, c, f, k, kernel, p, q, says, t
from heddle import (
    Assignment,
    AssignmentCollection,
    If,
    Module,
    Scan,
    Schedule,
    Section,
    Sparse,
    Strips,
    Threads,
    block_coordinates,
    fields,
    lbm,
    profiles,
)
from heddle.solvers import relaxation


@says(
    "{here}: 'k' reads p[-1, 0] and writes p[0, 0]: one cell reads an element that another cell "
    "writes, in no defined order.\n"
    "  Hint: use Schedule(colours=2), or write to a second field"
)
def racy_stencil() -> None:
    kernel([Assignment(p[0, 0], p[-1, 0] + p[1, 0])])  # here


@says(
    "{here}: 'k' reads p[-1, -1] and writes p[0, 0]: with 2 colours, one cell reads an element "
    "that another cell of the same colour writes.\n"
    "  Hint: use Schedule(colours=4), or write to a second field"
)
def too_few_colours() -> None:
    kernel([Assignment(p.here, p[1, 0] + p[-1, -1])], schedule=Schedule(colours=2))  # here


@says(
    "{here}: 'k' reads wide[2, 0] and writes wide[0, 0]: one cell reads an element that another "
    "cell writes, and no colouring separates them.\n"
    "  Hint: write to a second field"
)
def no_colouring() -> None:
    wide = fields("wide: real[2D]", ghost_layers=2)
    kernel([Assignment(wide.here, wide[1, 0] + wide[2, 0])], schedule=Schedule(colours=4))  # here


@says(
    "{here}: 'k' reads p[1, 0] and writes p[0, 0]: one cell reads an element that another cell "
    "writes, in no defined order.\n"
    "  Hint: write to a second field"
)
def racy_scan() -> None:
    kernel([Scan(1, {c: 0}, [Assignment(p.here, p[1, 0] + c)], {c: c + 1})])  # here


@says(
    "{here}: 'k' cannot combine a scan with colours: a scan visits all cells of a column, whatever "
    "their colour.\n"
    "  Hint: leave out colours"
)
def colours_of_a_scan() -> None:
    scan = Scan(1, {c: 0}, [Assignment(p.here, c)], {c: c + 1})  # here
    kernel([scan], schedule=Schedule(colours=2))


@says(
    "k: coarsening=2 does not work for 'k': it has one axis, a Scan, or colours of fields that are "
    "not split.\n"
    "  Hint: leave out coarsening, or use fields(..., split=True)"
)
def several_cells_of_a_line() -> None:
    r = fields("r: real[1D]")
    kernel([Assignment(r.here, 2 * r.here)], schedule=Schedule(gpu=Threads(coarsening=2)), targets="cuda")


@says(
    "k: same_strides does not work for 'k': it has fields or parameters of integers.\n"
    "  Hint: leave out same_strides"
)
def one_number_beside_integers() -> None:
    r, n = fields("r: real[2D]; n: int32[2D]")
    alike = Schedule(gpu=Threads(same_strides=True))
    kernel([Assignment(r.here, 2 * r.here * n.here)], schedule=alike, targets="cuda")


@says(
    "k: same_strides does not work for 'k': no field has a value for each cell of its box, or they are split "
    "by colour.\n"
    "  Hint: leave out same_strides"
)
def one_number_for_two_colours() -> None:
    r = fields("r: real[2D]", split=True)
    alike = Schedule(colours=2, gpu=Threads(same_strides=True))
    kernel([Assignment(r.here, 2 * r.here)], schedule=alike, targets="cuda")


PAIRS = Schedule(gpu=Threads(unit_stride=True, same_strides=True, row_cells=2))


@says(
    "k: row_cells=2 does not work for 'k': it has branches, scans or reductions.\n  Hint: leave out row_cells"
)
def pairs_that_branch() -> None:
    r, s = fields("r, s: real[2D]")
    kernel([If(r.here > 0, [Assignment(s.here, r.here)])], schedule=PAIRS, targets="cuda")


@says("k: row_cells=2 does not work for 'k': it reads fields that it writes.\n  Hint: leave out row_cells")
def pairs_in_place() -> None:
    r = fields("r: real[2D]")
    kernel([Assignment(r.here, 2 * r.here)], schedule=PAIRS, targets="cuda")


@says(
    "k: row_cells=2 does not work for 'k': it has fields of fewer axes, or of another grid.\n"
    "  Hint: leave out row_cells"
)
def pairs_beside_a_plane() -> None:
    r, s, flat = fields("r, s: real[3D]; flat: real[xy]")
    kernel([Assignment(r.here, s.here * flat.here)], schedule=PAIRS, targets="cuda")


@says("k: levels_first does not work for 'k': it has 2 of the three axes.\n  Hint: leave out levels_first")
def levels_first_in_a_plane() -> None:
    r, s = fields("r, s: real[2D]")
    kernel([Assignment(s.here, r.here)], schedule=Schedule(gpu=Threads(levels_first=True)), targets="cuda")


@says("{here}: 'p' does not have three dimensions.\n  Hint: declare it as real[3D]")
def multigrid_of_a_plane() -> None:
    equation = relaxation.poisson(p, q)  # here
    Module("m").add_solver(equation)


@says("{here}: multigrid needs two colours.\n  Hint: Schedule(colours=2)")
def multigrid_with_four_colours() -> None:
    r = fields("r: real[3D]")
    Module("m").add_solver(relaxation.poisson(r), Schedule(colours=4))  # here


@says(
    "{here}: 'k' runs colour by colour, which does not support strips: neighbouring cells of a row "
    "differ in colour.\n"
    "  Hint: leave out strips"
)
def colours_in_strips() -> None:
    schedule = Schedule(colours=2, cpu=Strips(16))
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=schedule)  # here


@says("{here}: 'k' has colours=8, which 2 dimensions do not support.\n  Hint: use colours=2 or 4")
def eight_colours_of_a_plane() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=Schedule(colours=8))  # here


@says(
    "{here}: 'k' runs over a list, which does not support colours: its cells form no rows.\n"
    "  Hint: leave out colours, or use a dense space"
)
def colours_of_a_list() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], Sparse("s"), Schedule(colours=2))  # here


@says("{here}: 's' is split by colour, but the kernel does not use two colours.\n"
      "  Hint: Schedule(colours=2)")  # fmt: skip
def split_without_colours() -> None:
    s = fields("s: real[2D]", split=True)
    kernel([Assignment(p.here, s.here)])  # here


@says("{here}: 's' is split by colour and cannot be read at a computed position.\n"
      "  Hint: gather from a field that is not split")  # fmt: skip
def gathers_from_a_split_field() -> None:
    s = fields("s: real[2D]", split=True)
    kernel([Assignment(p.here, s.gather(0, 0))], schedule=Schedule(colours=2))  # here


@says("{here}: 's' cannot be split by colour: it has components or no cells.\n  Hint: split=False")
def split_components() -> None:
    fields("s: real(3)[2D]", split=True)  # here


@says("{here}: 's' cannot be split by colour: it is a plane.\n  Hint: split=False")
def split_plane() -> None:
    fields("s: real[xy]", split=True)  # here


@says("{here}: the residual does not depend on p.here.\n  Hint: write it with its diagonal term")
def residual_without_a_diagonal() -> None:
    relaxation.Equation(p, p[1, 0] - q.here)  # here


@says("{here}: the residual is not linear in p.here.\n  Hint: linearise it around a second field")
def residual_that_is_not_linear() -> None:
    relaxation.Equation(p, p[1, 0] - p.here**2)  # here


@says(
    "{here}: a face cannot have both an opening and a coefficient.\n"
    "  Hint: leave out openings, and set the coefficients of closed faces to 0"
)
def openings_and_coefficients() -> None:
    relaxation.poisson(p, openings=k, coefficients=f)  # here


@says("{here}: 'q' is not a field of bits.\n  Hint: declare it as \"uint8\"")
def openings_without_bits() -> None:
    relaxation.poisson(p, openings=q)  # here


@says("{here}: 'f' has 3 components for 4 faces.\n  Hint: declare it as real(4), one component per face")
def coefficients_of_other_faces() -> None:
    relaxation.poisson(p, coefficients=f)  # here


@says("{here}: 'first_colour' cannot be used as a name here: the emitted function uses this name.\n"
      "  Hint: choose another name")  # fmt: skip
def parameter_called_like_a_colour() -> None:
    colour = sympy.Symbol("first_colour")
    kernel([Assignment(p.here, p[1, 0] + colour)], schedule=Schedule(colours=2))  # here


@says(
    "{here}: 'k' reads f[1, 0, 2] and writes f[0, 0, 2]: one cell reads an element that another "
    "cell writes, in no defined order.\n"
    "  Hint: use Schedule(colours=2), or write to a second field"
)
def racy_component() -> None:
    kernel(
        [
            Assignment(f[0, 0, 2], 0),
            Assignment(f[0, 0, 1], f[1, 0, 2]),  # here
        ]
    )


@says(
    "{here}: 'k' stores to q[0, 0] and to q[1, 0], so two cells write the same element in no "
    "defined order.\n"
    "  Hint: store each component at one offset, or write to a second field"
)
def stores_that_meet() -> None:
    kernel(
        [
            Assignment(q[0, 0], 1),
            Assignment(q[1, 0], 2),  # here
        ]
    )


@says("{here}: 'k' stores to q[0, 0] twice.\n  Hint: combine the two values in one assignment")
def stores_twice() -> None:
    kernel(
        [
            Assignment(q[0, 0], 1),
            Assignment(q[0, 0], p[0, 0]),  # here
        ]
    )


@says("{here}: 'k' stores to q[0, 0] twice.\n  Hint: combine the two values in one assignment")
def stores_again_under_a_condition() -> None:
    kernel([Assignment(q.here, 1), If(p.here > 0, [Assignment(q.here, 2)])])  # here


@says(
    "{here}: 'k' reads q[0, 0] after storing to it, so it is unclear whether the old or the new "
    "value is meant.\n"
    "  Hint: assign the value to a symbol, and use the symbol"
)
def read_after_store() -> None:
    kernel(
        [
            Assignment(q.here, p.here),
            Assignment(f.here, q.here),  # here
        ]
    )


@says(
    "{here}: 'k' reads p[3, 0], 3 cells away, but 'p' has only 1 ghost layer.\n"
    "  Hint: declare it with fields(..., ghost_layers=3)"
)
def reads_beyond_the_ghosts() -> None:
    kernel([Assignment(q.here, p[3, 0])])  # here


@says(
    "{here}: 'k' writes q[0, -2], 2 cells away, but 'q' has only 1 ghost layer.\n"
    "  Hint: declare it with fields(..., ghost_layers=2)"
)
def writes_beyond_the_ghosts() -> None:
    kernel([Assignment(q[0, -2], p.here)])  # here


@says(
    "{here}: 'k' writes 'p' and gathers from it at positions known only at run time.\n"
    "  Hint: write to a second field"
)
def gathers_what_it_writes() -> None:
    kernel([Assignment(p.here, p.gather(0, block_coordinates()[1]))])  # here


@says("{here}: 'k' scans along two axes.\n  Hint: write two kernels")
def scans_along_two_axes() -> None:
    first = Scan(0, {a: 0}, [Assignment(p.here, a)], {a: a + 1})
    second = Scan(1, {b: 0}, [Assignment(q.here, b)], {b: b + 1})  # here
    kernel([first, second])


@says(
    "{here}: 'k' accesses 'q' outside its scans.\n"
    "  Hint: move the statement into a Scan, where it runs once per cell"
)
def touches_outside_a_scan() -> None:
    scan = Scan(0, {a: 0}, [Assignment(p.here, a)], {a: a + 1})
    kernel([scan, Assignment(q.here, 1)])  # here


@says(
    "{here}: 'k' uses the coordinate 'z' outside its scans, which run along it.\n"
    "  Hint: move the statement into a Scan, where it runs once per cell"
)
def asks_for_a_level_outside_a_scan() -> None:
    u, rain = fields("u: real[3D]; rain: real[xy]")
    scan = Scan(2, {a: 0}, [Assignment(u.here, a)], {a: a + 1})
    kernel([scan, If(a > 0, [Assignment(rain.here, block_coordinates()[2])])])  # here


@says(
    "{here}: 'k' uses the coordinate 'z' outside its scans, which run along it.\n"
    "  Hint: move the statement into a Scan, where it runs once per cell"
)
def begins_a_scan_with_a_level() -> None:
    u = fields("u: real[3D]")
    kernel([Scan(2, {a: block_coordinates()[2]}, [Assignment(u.here, a)], {a: a + 1})])  # here


@says(
    "{here}: 'k' accesses 'height' outside its scans.\n"
    "  Hint: move the statement into a Scan, where it runs once per cell"
)
def reads_a_profile_outside_a_scan() -> None:
    u, height = fields("u: real[3D]"), profiles("height: real[z]")
    kernel([Scan(2, {a: height.here}, [Assignment(u.here, a)], {a: a + 1})])  # here


@says(
    "{here}: 'k' stores to 'rain' in each cell, but a plane has one value per column.\n"
    "  Hint: store it before or after a Scan along z, or in a kernel of planes only"
)
def stores_a_plane_in_each_cell() -> None:
    u, rain = fields("u: real[3D]; rain: real[xy]")
    kernel([Assignment(rain.here, u.here)])  # here


@says(
    "{here}: 'k' stores to 'rain' in each cell, but a plane has one value per column.\n"
    "  Hint: carry the value in a Scan along z, and store it after the Scan"
)
def stores_a_plane_in_a_scan() -> None:
    u, rain = fields("u: real[3D]; rain: real[xy]")
    kernel([Scan(2, {a: 0}, [Assignment(rain.here, a)], {a: a + u.here})])  # here


@says(
    "{here}: 'k' stores to 'rain' in each cell, but a plane has one value per column.\n"
    "  Hint: carry the value in a Scan along z, and store it after the Scan"
)
def stores_a_plane_beside_a_scan_along_x() -> None:
    u, rain = fields("u: real[3D]; rain: real[xy]")
    kernel([Scan(0, {a: 0}, [Assignment(rain.here, a)], {a: a + u.here})])  # here


@says(
    "{here}: 'k' reads rain[1, 0] and writes rain[0, 0]: one cell reads an element that another cell "
    "writes, in no defined order.\n"
    "  Hint: write to a second field"
)
def reads_the_plane_of_the_next_column() -> None:
    u, rain = fields("u: real[3D]; rain: real[xy]")
    scan = Scan(2, {a: rain[1, 0]}, [Assignment(u.here, a)], {a: a + 1})  # here
    kernel([scan, Assignment(rain.here, a)])


@says("{here}: 'k' neither stores nor reduces anything.\n  Hint: assign to a field access")
def stores_nothing() -> None:
    kernel([Section("Nothing"), Assignment(t, p.here)])  # here


@says("{here}: 'k' gathers by position, which a sparse list does not support.\n  Hint: use a dense space")
def gathers_in_a_list() -> None:
    kernel([Assignment(q.here, p.gather(0, 0))], Sparse("fluid"))  # here


@says(
    "{here}: 'k' accesses f[0, 0, 0] from the cell at [2, 0], but the list 'wall' has no link to "
    "that cell.\n"
    "  Hint: give the index of that cell as a field of the list: access.via_link(offset, at=...)"
)
def no_link_to_the_cell() -> None:
    seen = f[0, 0, 0].via_link((2, 0))
    kernel([Assignment(f[0, 0, 1], seen)], Sparse("wall", listed=True))  # here


@says(
    "{here}: 'k' accesses p[1, 0], but the list 'fluid' has no such link.\n"
    "  Hint: add kernels of a streaming pattern: module.add(name, stream(collide), "
    "space=Sparse(...))"
)
def no_such_link() -> None:
    kernel([Assignment(q.here, p[1, 0])], Sparse("fluid"))  # here


def shifted() -> lbm.StreamingKernels:
    """Statements with links that fold walls to an element which other cells reach."""
    moved = Assignment(f[1, 0, 0], 2 * f[1, 0, 0])  # here
    statements = AssignmentCollection([Assignment(f[0, 0, 1], f[0, 0, 2]), moved])
    return lbm.StreamingKernels({"": statements}, (lbm.Link(0, (1, 0), 1), lbm.Link(1, (0, 1), 2)))


@says(
    "{here}: at a wall, component 1 of the cell itself replaces f[1, 0, 0], but other cells "
    "access that component, too.\n"
    "  Hint: use a streaming pattern that keeps wall populations in the cell itself (AA), or two "
    "fields (Pull)"
)
def walls_that_others_reach() -> None:
    kernel(shifted(), Sparse("fluid"))


class NotCommuting(lbm.StreamingPattern):
    """An in-place pattern that writes elsewhere than it reads."""

    in_place = True

    def read(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, tuple(-c for c in self.lattice.velocities[q])

    def write(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, (0, 0)


@says(
    "{here}: NotCommuting writes component 1 at [0, 0], which another cell reads in the same "
    "step: a race.\n"
    "  Hint: write only elements that the cell itself reads, or use a second array"
)
def pattern_that_does_not_commute() -> None:
    NotCommuting(D2Q9)  # here

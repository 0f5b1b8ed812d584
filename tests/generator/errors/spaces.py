# SPDX-License-Identifier: Apache-2.0
"""Where a kernel runs."""

from __future__ import annotations

from errors.cases import D2Q9, a, kernel, mask, p, q, says, t
from heddle import (
    Assignment,
    Cells,
    Dense,
    Module,
    Scan,
    Schedule,
    Sparse,
    Strips,
    block_coordinates,
    fields,
    lbm,
)
from heddle.build import files


@says("{here}: 'z' is undefined here: the kernel's space has no such axis.\n"
      "  Hint: pass position-dependent values as a field")  # fmt: skip
def coordinate_of_another_space() -> None:
    kernel([Assignment(q.here, block_coordinates()[2])])  # here


@says(
    "{here}: the Scan runs along axis 2, which the kernel's space does not have.\n"
    "  Hint: use an axis below the number of dimensions of the fields"
)
def scan_along_no_axis() -> None:
    kernel([Scan(2, {a: 0}, [Assignment(p.here, a)], {a: a + 1})])  # here


@says(
    "{here}: 'mask' has one value per list entry, but the kernel does not run over a list.\n"
    "  Hint: add the kernel with space=Sparse(name, listed=True), or Cells(name)"
)
def entries_of_no_list() -> None:
    kernel([Assignment(q.here, mask.here)])  # here


@says(
    "{here}: 'e' has components, but fields with one value per list entry must be scalar.\n"
    "  Hint: declare one field per component"
)
def entries_with_components() -> None:
    e = fields("e: real(2)[entries]")
    kernel([Assignment(q.here, e[1])], Sparse("inlet", listed=True))  # here


@says(
    "{here}: 'body' is a sweep over selected cells of a dense box, but its space is not Cells.\n"
    "  Hint: use space=heddle.Cells(name), or leave out cells=True"
)
def a_body_over_a_list() -> None:
    sweep = lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), cells=True)
    Module("m").add("body", sweep, Sparse("body", listed=True))  # here


@says(
    "{here}: 'wall' cannot run over a Cells space, which is for boundary sweeps.\n"
    "  Hint: use stream.boundary(condition, cells=True), or another space"
)
def a_face_over_some_cells() -> None:
    Module("m").add("wall", lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), face="n"), Cells("body"))  # here


@says(
    "{here}: 'body_after_even' runs over a Cells space, which does not support strips: its cells "
    "are not contiguous.\n"
    "  Hint: leave out strips"
)
def some_cells_in_strips() -> None:
    sweep = lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), cells=True)
    Module("m").add("body", sweep, Cells("body"), Schedule(cpu=Strips(16)))  # here


@says(
    "{here}: 'k' reads p[0, 0] and writes p[1, 0]: one cell reads an element that another cell "
    "writes, in no defined order.\n"
    "  Hint: write to a second field"
)
def some_cells_that_touch_each_other() -> None:
    kernel([Assignment(p[1, 0], 1 + p.here)], Cells("probe"))  # here


@says(
    "{here}: 'r' has 1 dimensions, but the kernel's space has 2.\n  Hint: use fields of one rank in a kernel"
)
def dimensions_that_differ() -> None:
    r = fields("r: real[1D]")
    kernel([Assignment(q.here, r.here)])  # here


@says(
    "{here}: 'r' has 2 dimensions, but the kernel's space has 3.\n"
    "  Hint: declare one value per column as a plane: real[xy]"
)
def two_dimensions_beside_three() -> None:
    u, r = fields("u: real[3D]; r: real[2D]")
    kernel([Assignment(u.here, r.here)])  # here


@says("{here}: 'k' accesses no field.\n  Hint: read and write at least one field")
def touches_no_field() -> None:
    Module("m").add("k", [Assignment(t, 1)])  # here


@says(
    "{here}: 'wall_after_even' has nothing to do: in the list 'wall', the neighbour table "
    "already implements walls at rest by half-way bounce-back.\n"
    "  Hint: remove this sweep"
)
def no_slip_over_a_list() -> None:
    Module("m").add("wall", lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9)), Sparse("wall", listed=True))  # here


@says(
    "{here}: 'k_even' reads 'phi' of neighbouring cells, but a list has links for populations "
    "only.\n"
    "  Hint: use values of the cell itself, or a dense space"
)
def differences_of_ones_own_over_a_list() -> None:
    phi = fields("phi: real[2D]")
    push = (phi[1, 0] - phi[-1, 0], 0)
    Module("m").add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9, force=push)), Sparse("fluid"))  # here


@says(
    "{here}: 'k' takes differences of the velocity, but its streaming pattern has no links to "
    "the neighbouring cells.\n"
    "  Hint: over a list use a pattern with links, or lbm.Smagorinsky instead of lbm.Vreman or "
    "WALE"
)
def gradients_over_a_list_without_links() -> None:
    class Own(lbm.Pull):
        links = ()

    step = Own(D2Q9)(lbm.BGK(D2Q9, eddy_viscosity=lbm.WALE()))
    Module("m").add("k", step, Sparse("fluid"))  # here


@says("{here}: 'open' is not a treatment of cells behind walls.\n  Hint: use at_rest, slip or one_sided")
def walls_of_no_kind() -> None:
    lbm.Pull(D2Q9).vorticity(walls="open")  # type: ignore[arg-type]  # here


@says("{here}: 't' is not a side of 'k_even', or is named twice.\n  Hint: choose walls from w, e, s, n")
def wall_at_no_side() -> None:
    Module("m").add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=("w", "t")))  # here


@says(
    "{here}: 'k_even' has no links that could end at walls.\n"
    "  Hint: use AA, Pull or Push; for other patterns use stream.boundary(NoSlip(lattice), "
    "face=...)"
)
def walls_without_links() -> None:
    Module("m").add("k", lbm.EsoPull(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=("w",)))  # here


@says(
    "{here}: 'k' has no links that could end at walls.\n"
    '  Hint: use AA, Pull or Push, or MomentStorage(lattice, walls="walls") for moment storage'
)
def walls_of_moments() -> None:
    Module("m").add("k", lbm.MomentStorage(D2Q9)(lbm.Regularised(D2Q9)), Dense(walls=("w",)))  # here


@says(
    "{here}: 'k_even' has walls in its dense space, which does not support strips: cells at walls "
    "take other branches.\n"
    "  Hint: leave out strips, or use stream.boundary(NoSlip(lattice), face=...)"
)
def walls_in_strips() -> None:
    Module("m").add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=("w",)), Schedule(cpu=Strips(64)))  # here


@says(
    "{here}: 'floor_after_even' accesses cells across the sides w, e, where 'step_even' has "
    "walls at w, e and 'floor_after_even' has no walls. At the edges it would access populations "
    "that no other kernel reads or writes.\n"
    "  Hint: use the same space for both: Dense(walls=('w', 'e'))"
)
def a_sweep_without_the_walls_of_its_step() -> None:
    module = Module("m", precisions=("f64",))
    stream = lbm.AA(D2Q9)
    module.add("step", stream(lbm.BGK(D2Q9)), Dense(walls=("w", "e")))
    module.add("floor", stream.boundary(lbm.NoSlip(D2Q9), face="s"))  # here
    files(module, ["cpu"])


@says(
    "{here}: 'u_odd' accesses cells across the sides s, where 'step_even' has walls at w, s and "
    "'u_odd' has walls at w. At the edges it would access populations that no other kernel reads "
    "or writes.\n"
    "  Hint: use the same space for both: Dense(walls=('w', 's'))"
)
def moments_with_other_walls() -> None:
    module = Module("m", precisions=("f64",))
    stream = lbm.AA(D2Q9)
    module.add("step", stream(lbm.BGK(D2Q9)), Dense(walls=("w", "s")))
    module.add("u", stream.moments(), Dense(walls=("w",)))  # here
    files(module, ["cpu"])


@says(
    "{here}: 'slip' reads populations that are streamed beyond the sides w, but the walls of 'k' "
    "on these sides stream nothing along the face.\n"
    "  Hint: remove w from walls, and run a NoSlip sweep there after 'slip'"
)
def slip_that_ends_at_a_wall_within_the_step() -> None:
    module = Module("m", precisions=("f64",))
    stream = lbm.Push(D2Q9)
    module.add("k", stream(lbm.BGK(D2Q9)), Dense(walls=("w", "s")))
    module.add("slip", stream.boundary(lbm.FreeSlip(), face="n"), Dense(walls=("w", "s")))  # here
    files(module, ["cpu"])


@says(
    "{here}: 'k' accesses f[-1, 0, 7], which no population of the cell itself replaces at a "
    "wall.\n"
    "  Hint: access only what a streaming pattern reads and writes, or leave out walls here"
)
def beside_a_wall_without_a_link() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(D2Q9).boundary(lbm.Outflow(), face="n"), Dense(walls=("w",)))  # here
    module.typed("k", "f64")

# SPDX-License-Identifier: Apache-2.0
"""Intermediate fields, and blocks of threads that go up through levels."""

from __future__ import annotations

import sympy
from errors.cases import kernel, says
from heddle import Assignment, If, Schedule, Threads, block_coordinates, fields

GOES_UP = Schedule(gpu=Threads(block=(16, 8, 1), unit_stride=True, same_strides=True, level_by_level=True))


@says(
    "{here}: level_by_level=True is out of range.\n"
    "  Hint: use unit_stride=True and same_strides=True beside it, one cell per thread, and block=(x, y, 1)"
)
def levels_of_any_rows() -> None:
    Threads(level_by_level=True)  # here


@says("k: level_by_level does not work for 'k': its space has no levels.\n  Hint: leave out level_by_level")
def levels_of_a_plane() -> None:
    flat, result = fields("flat, result: real[2D]")
    kernel([Assignment(result.here, flat.here)], schedule=GOES_UP, targets="cuda")


@says(
    "k: level_by_level does not work for 'k': it reads fields that it writes.\n"
    "  Hint: leave out level_by_level"
)
def levels_in_place() -> None:
    s = fields("s: real[3D]")
    kernel([Assignment(s.here, 2 * s.here)], schedule=GOES_UP, targets="cuda")


@says(
    "k: a block of 1 x 1 threads has no cells of its own.\n"
    "  Hint: use a larger block along x and y, or leave out level_by_level"
)
def levels_in_a_small_block() -> None:
    u = fields("u: real[3D]", ghost_layers=2)
    small = Threads(block=(1, 1, 1), unit_stride=True, same_strides=True, level_by_level=True)
    result = fields("result: real[3D]")
    far = fields("far: real[3D]", intermediate=True)
    statements = [Assignment(far.here, u.here * (u[0, 0, 1] + 1) + 2 * u.here)]
    statements.append(Assignment(result.here, far[1, 0, 0] - far.here))
    kernel(statements, schedule=Schedule(gpu=small), targets="cuda")


@says(
    "k: planes of 128 x 8 threads take 98400 bytes of shared memory, and 49152 are there.\n"
    "  Hint: use a smaller block"
)
def levels_of_large_planes() -> None:
    u = fields("u: real[3D]", ghost_layers=2)
    large = Threads(block=(128, 8, 1), unit_stride=True, same_strides=True, level_by_level=True)
    many, result = fields("many: real[3D]; result: real[3D]", ghost_layers=2)
    parts = fields("one, two, three, four, five, six: real[3D]", intermediate=True)
    total = sympy.Integer(0)
    statements = []
    for n, part in enumerate(parts):
        statements.append(Assignment(part.here, (n + 2) * u.here * many.here + u.here * (n + 3)))
        total += part[1, 0, 0] - part.here
    kernel([*statements, Assignment(result.here, total)], schedule=Schedule(gpu=large), targets="cuda")


@says("k: component 1 of 'result' is not computed as component 0 is.\n  Hint: leave out level_by_level")
def levels_of_different_components() -> None:
    two, result = fields("two, result: real(2)[3D]")
    statements = [Assignment(result.component(n), (n + 2) * two.component(n)) for n in range(2)]
    kernel(statements, schedule=GOES_UP, targets="cuda")


@says(
    "k: the intermediate field 'far' is assigned in another cell, or twice.\n"
    "  Hint: assign it once, in the own cell"
)
def intermediate_of_another_cell() -> None:
    s, r = fields("s, r: real[3D]")
    far = fields("far: real[3D]", intermediate=True)
    kernel([Assignment(far[1, 0, 0], s.here), Assignment(r.here, far.here)])


@says(
    "k: the intermediate field 'far' is read before the kernel assigns it.\n"
    "  Hint: assign it in the own cell first"
)
def intermediate_without_a_value() -> None:
    r = fields("r: real[3D]")
    far = fields("far: real[3D]", intermediate=True)
    kernel([Assignment(r.here, far[1, 0, 0])])


@says("k: the intermediate field 'far' is used in a condition or a loop.\n  Hint: use it outside of these")
def intermediate_in_a_condition() -> None:
    s, r = fields("s, r: real[3D]")
    far = fields("far: real[3D]", intermediate=True)
    kernel([Assignment(far.here, s.here), If(s.here > 0, [Assignment(r.here, far[1, 0, 0])])])


@says(
    "k: a value of an intermediate field depends on the coordinates of its cell, and is read in another "
    "one.\n"
    "  Hint: take coordinates from a profile"
)
def intermediate_of_a_coordinate() -> None:
    r = fields("r: real[3D]")
    far = fields("far: real[3D]", intermediate=True)
    x, _, _ = block_coordinates()
    kernel([Assignment(far.here, x), Assignment(r.here, far[1, 0, 0])])


@says(
    "{here}: 'far' cannot be an intermediate field: those have a value for each cell.\n"
    "  Hint: declare it as [1D], [2D] or [3D], neither split nor of another grid"
)
def intermediate_plane() -> None:
    fields("far: real[xy]", intermediate=True)  # here

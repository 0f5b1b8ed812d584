# SPDX-License-Identifier: Apache-2.0
"""Fields, parameters, accesses and statements that are declared wrongly."""

from __future__ import annotations

from errors.cases import a, b, f, kernel, p, q, says
from heddle import (
    Assignment,
    Reduce,
    Scan,
    Sparse,
    fields,
    parameters,
    profiles,
)


@says("{here}: 'p' takes 2 indices (2 offsets), not 3.\n  Hint: write p[0, 0] for the cell itself")
def too_many_indices() -> None:
    p[0, 0, 0]  # here


@says(
    "{here}: 'f' takes 3 indices (2 offsets and a component), not 2.\n"
    "  Hint: write f[0, 0, 0] for the cell itself"
)
def too_few_indices() -> None:
    f[0, 0]  # here


@says("{here}: 'f' has components 0 to 2, not 3.")
def no_such_component() -> None:
    f[0, 0, 3]  # here


@says(
    "{here}: the index a of 'p' is not a constant integer.\n"
    "  Hint: for a position computed at run time use p.gather(...)"
)
def offset_that_is_a_symbol() -> None:
    p[a, 0]  # here


@says("{here}: 'p'.gather takes 2 positions.\n  Hint: give one position per axis")
def gather_with_too_few_positions() -> None:
    p.gather(1)  # here


FAR = fields("far: real[2D]", other_grid=True)


@says(
    "{here}: 'far' lies on another grid, so no cell of it belongs to the current cell.\n"
    "  Hint: read it at a position, far.gather(...), and write to other fields"
)
def cell_of_another_grid() -> None:
    Assignment(FAR.here, 1)  # here


@says(
    "{here}: 'rain' cannot lie on another grid: it has no cells.\n"
    "  Hint: declare it as [1D], [2D] or [3D], and not split; or other_grid=False"
)
def plane_that_lies_apart() -> None:
    fields("rain: real[xy]", other_grid=True)  # here


@says("{here}: other_grid = 'yes' is neither True nor False.\n  Hint: other_grid=True or False")
def answer_in_words() -> None:
    fields("rain: real[2D]", other_grid="yes")  # type: ignore[arg-type]  # here


@says(
    "{here}: 'far' lies on another grid, but the kernel runs over a list of cells.\n"
    "  Hint: use a dense space, or a field of the same grid"
)
def another_grid_of_a_list() -> None:
    kernel([Assignment(p.here, FAR.gather(0, 0))], space=Sparse("list"))  # here


TYPES = "real, double, float, half, int32, int64, uint8, uint32, bool"


@says(
    "{here}: cannot read the field declaration 'u = real'.\n"
    f'  Hint: write for example "u, v: real[3D]; f: real(19)[3D]" with a type of: {TYPES}'
)
def declaration_that_is_none() -> None:
    fields("u = real")  # here


@says(
    "{here}: cannot read the field declaration 'u: quad[3D]'.\n"
    f'  Hint: write for example "u, v: real[3D]; f: real(19)[3D]" with a type of: {TYPES}'
)
def declaration_of_an_unknown_type() -> None:
    fields("u: quad[3D]")  # here


@says("{here}: 'u: real[4D]' has no supported rank.\n  Hint: use 1D, 2D or 3D")
def declaration_of_an_unknown_rank() -> None:
    fields("u: real[4D]")  # here


@says("{here}: '2u' is not a valid field name.\n  Hint: use letters without accents, digits and _")
def declaration_of_no_name() -> None:
    fields("2u: real[3D]")  # here


@says("{here}: 'f(9)' is not a valid field name.\n  Hint: components stand behind the type: f: real(9)[2D]")
def declaration_of_components_at_the_name() -> None:
    fields("u, f(9): real[2D]")  # here


@says(f"{{here}}: 'quad' is not a type.\n  Hint: one of {TYPES}")
def parameter_of_an_unknown_type() -> None:
    parameters("a: quad")  # here


@says("{here}: 'p[0,0] + 1' cannot be assigned.\n  Hint: assign to a symbol or to a field access")
def assignment_to_an_expression() -> None:
    Assignment(p.here + 1, 2)  # here


@says("{here}: 'a' cannot be assigned.\n  Hint: assign to a symbol or to a field access")
def assignment_to_a_parameter() -> None:
    Assignment(parameters("a"), 2)  # here


@says("{here}: 'mean' is not a reduction operation.\n  Hint: one of sum, min, max")
def unknown_reduction() -> None:
    Reduce("mean", "e", p.here)  # here


@says("{here}: a Scan must update exactly its carried symbols.")
def carried_but_not_updated() -> None:
    Scan(0, {a: 0}, [], {b: 1})  # here


@says(
    "{here}: 'k' stores to 'level', but all cells of a layer share one value of a profile.\n"
    "  Hint: write to a field"
)
def stored_profile() -> None:
    kernel([Assignment(profiles("level: real[y]").here, p.here)])  # here


@says(
    "{here}: 'level' is a profile along z, which the kernel's space does not have.\n"
    "  Hint: use profiles in dense kernels only"
)
def profile_of_another_axis() -> None:
    level = profiles("level: real[z]")
    kernel([Assignment(p.here, q.here * level.here)])  # here


@says(
    "{here}: cannot read the profile declaration 'rho: real[3D]'.\n"
    '  Hint: write for example "rho, height: real[z]" with a type of: real, double, float, half, '
    "int32, int64, uint8, uint32, bool"
)
def profile_of_three_axes() -> None:
    profiles("rho: real[3D]")  # here


@says("{here}: '2rho' is not a valid profile name.")
def profile_without_a_name() -> None:
    profiles("2rho: real[z]")  # here


LAYERS = " is not a number of ghost layers.\n  Hint: use a whole number from 0 to 1024"


@says("{here}: ghost_layers=-1 of 'h'" + LAYERS)
def ghost_layers_below_none() -> None:
    fields("h: real[2D]", ghost_layers=-1)  # here


@says("{here}: ghost_layers=2000 of 'h'" + LAYERS)
def ghost_layers_without_end() -> None:
    fields("h: real[2D]", ghost_layers=2000)  # here


@says(
    "{here}: the index 1180591620717411303424 of 'p' leads too far.\n"
    "  Hint: offsets reach at most 1024 cells, the most ghost layers of a field"
)
def offset_without_end() -> None:
    p[2**70, 0]  # here

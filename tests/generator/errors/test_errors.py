# SPDX-License-Identifier: Apache-2.0
"""Every diagnostic, word for word: the line of the model (marked `# here`), the reason, the hint.

The last test reads the generator's sources: an error that no case provokes fails it.
"""

from __future__ import annotations

import ast
import inspect
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import heddle
import pytest
import sympy
from heddle import (
    Assignment,
    If,
    KernelError,
    Module,
    Reduce,
    Scan,
    Schedule,
    Section,
    Sparse,
    bit_and,
    coordinates,
    fields,
    lbm,
    parameters,
    poisson,
    profiles,
    relaxation,
    staggered,
)
from heddle.__main__ import main
from heddle.build import files, load
from heddle.emit import files as emitted
from heddle.exchange import exchanges
from heddle.fft import butterfly
from heddle.schedule import precision

a, b, c, t = sympy.symbols("a b c t")
p, q = fields("p, q: real[2D]")
f = fields("f: real(3)[2D]")
k = fields("k: int32[2D]")
mask = fields("mask: uint32[entries]")
Case = Callable[[], Any]
CASES: dict[str, tuple[Case, str]] = {}
D2Q9 = lbm.Lattice("D2Q9")


def says(message: str) -> Callable[[Case], Case]:
    """Register a case; {here} in the message is the marked line."""

    def register(case: Case) -> Case:
        assert case.__name__ not in CASES
        CASES[case.__name__] = case, message
        return case

    return register


def kernel(
    statements: Any,
    space: Sparse | None = None,
    schedule: Schedule | None = None,
    targets: str = "reference cpu",
) -> None:
    """Generate one kernel called `k`."""
    module = Module("m", precisions=("f64",))
    module.add("k", statements, space=space, schedule=schedule)
    for model in module.kernels:
        for target in targets.split():
            module.stages(model, "f64", target)


# --- Dependences --------------------------------------------------------------------------------------------


@says("{here}: 'k' stores to 'level': a profile has one value for many cells.\n  Hint: write to a field")
def stored_profile() -> None:
    kernel([Assignment(profiles("level: real[y]").here, p.here)])  # here


@says(
    "{here}: 'level' is a profile along z, an axis that the kernel's cells do not have.\n"
    "  Hint: profiles belong to dense kernels"
)
def profile_of_another_axis() -> None:
    level = profiles("level: real[z]")
    kernel([Assignment(p.here, q.here * level.here)])  # here


@says(
    "{here}: cannot read the declaration of profiles 'rho: real[3D]'.\n"
    '  Hint: write for example "rho, height: real[z]" with a type of: '
    "real, double, float, half, int32, int64, uint8, uint32, bool"
)
def profile_of_three_axes() -> None:
    profiles("rho: real[3D]")  # here


@says("{here}: '2rho' is not a name for a profile.")
def profile_without_a_name() -> None:
    profiles("2rho: real[z]")  # here


@says("{here}: no face can be closed.\n  Hint: Grid(openings=field of bits)")
def laplacian_without_openings() -> None:
    grid = staggered.Grid()
    grid.laplacian(grid.cells)  # here


@says("{here}: no face can be closed.\n  Hint: Grid(openings=field of bits)")
def closing_without_openings() -> None:
    staggered.Grid().close()  # here


@says(
    "{here}: 'k' reads p[-1, 0] and writes p[0, 0]: one cell reads what "
    "another one writes, in no defined order.\n"
    "  Hint: Schedule(colours=2), or write to a second field"
)
def racy_stencil() -> None:
    kernel([Assignment(p[0, 0], p[-1, 0] + p[1, 0])])  # here


@says(
    "{here}: 'k' reads p[-1, -1] and writes p[0, 0]: with 2 colours, one cell reads what another one of its "
    "colour writes.\n  Hint: Schedule(colours=4), or write to a second field"
)
def too_few_colours() -> None:
    kernel([Assignment(p.here, p[1, 0] + p[-1, -1])], schedule=Schedule(colours=2))  # here


@says(
    "{here}: 'k' reads wide[2, 0] and writes wide[0, 0]: one cell reads what another one writes, and no "
    "colouring by parity separates them.\n  Hint: write to a second field"
)
def no_colouring() -> None:
    wide = fields("wide: real[2D]", ghost_layers=2)
    kernel([Assignment(wide.here, wide[1, 0] + wide[2, 0])], schedule=Schedule(colours=4))  # here


@says(
    "{here}: 'k' reads p[1, 0] and writes p[0, 0]: one cell reads what another one writes, in no defined "
    "order.\n  Hint: write to a second field"
)
def racy_scan() -> None:
    kernel([Scan(1, {c: 0}, [Assignment(p.here, p[1, 0] + c)], {c: c + 1})])  # here


@says("{here}: 'k' scans, and a scan visits all cells of a column, whatever their colour.\n"
      "  Hint: leave colours at 1")  # fmt: skip
def colours_of_a_scan() -> None:
    scan = Scan(1, {c: 0}, [Assignment(p.here, c)], {c: c + 1})  # here
    kernel([scan], schedule=Schedule(colours=2))


@says("{here}: there is no colouring with 3 colours.\n  Hint: 2, 4 or 8")
def three_colours() -> None:
    Schedule(colours=3)  # here


@says("{here}: cells of one colour do not follow each other in chunks.\n  Hint: chunk=0")
def colours_in_chunks() -> None:
    Schedule(colours=2, chunk=16)  # here


@says("{here}: 'k' asks for 8 colours, which 2 dimensions have not.\n  Hint: 2 or 4")
def eight_colours_of_a_plane() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=Schedule(colours=8))  # here


@says("{here}: 'k' asks for 2 colours, which the cells of a list have not.\n  Hint: use a dense space")
def colours_of_a_list() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], Sparse("s"), Schedule(colours=2))  # here


@says("{here}: 8 lanes are no row: lanes are all cells along x, in one piece.\n"
      "  Hint: a positive number, without colours and chunk")  # fmt: skip
def lanes_in_chunks() -> None:
    Schedule(lanes=8, chunk=16)  # here


@says("{here}: 'k' runs over a list, which has neither lanes nor a trusted entry.\n  Hint: use a dense space")
def trusted_list() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], Sparse("s"), Schedule(trusted=True))  # here


@says("{here}: there is no butterfly of radix 1.\n  Hint: 2 or more")
def butterfly_of_one() -> None:
    butterfly(1, twiddled=False)  # here


@says("{here}: 's' is split by colour, but the kernel does not sweep colour by colour.\n"
      "  Hint: Schedule(colours=2)")  # fmt: skip
def split_without_colours() -> None:
    s = fields("s: real[2D]", split=True)
    kernel([Assignment(p.here, s.here)])  # here


@says("{here}: 's' is split by colour and cannot be read at a computed position.\n"
      "  Hint: gather from a field that is not split")  # fmt: skip
def gathers_from_a_split_field() -> None:
    s = fields("s: real[2D]", split=True)
    kernel([Assignment(p.here, s.gather(0, 0))], schedule=Schedule(colours=2))  # here


@says("{here}: 's' has components or no cells: it cannot be split.\n  Hint: split=False")
def split_components() -> None:
    fields("s: real(3)[2D]", split=True)  # here


@says("{here}: the residual does not depend on p.here.\n  Hint: write it with its diagonal term")
def residual_without_a_diagonal() -> None:
    relaxation.Equation(p, p[1, 0] - q.here)  # here


@says("{here}: the residual is not linear in p.here.\n  Hint: linearise it around a second field")
def residual_that_is_not_linear() -> None:
    relaxation.Equation(p, p[1, 0] - p.here**2)  # here


@says("{here}: faces have openings or coefficients, not both.\n  Hint: set closed ones to 0")
def openings_and_coefficients() -> None:
    relaxation.poisson(p, openings=k, coefficients=f)  # here


@says("{here}: 'q' holds no bits.\n  Hint: declare it as \"uint8\"")
def openings_without_bits() -> None:
    relaxation.poisson(p, openings=q)  # here


@says("{here}: 'f' has 3 components for 4 faces.\n  Hint: declare it as real(4)")
def coefficients_of_other_faces() -> None:
    relaxation.poisson(p, coefficients=f)  # here


@says("{here}: 'first_colour' cannot be a name here: the emitted function uses it itself.\n"
      "  Hint: choose another name")  # fmt: skip
def parameter_called_like_a_colour() -> None:
    colour = sympy.Symbol("first_colour")
    kernel([Assignment(p.here, p[1, 0] + colour)], schedule=Schedule(colours=2))  # here


@says(
    "{here}: 'k' reads f[1, 0, 2] and writes f[0, 0, 2]: one cell reads "
    "what another one writes, in no defined "
    "order.\n  Hint: Schedule(colours=2), or write to a second field"
)
def racy_component() -> None:
    kernel(
        [
            Assignment(f[0, 0, 2], 0),
            Assignment(f[0, 0, 1], f[1, 0, 2]),  # here
        ]
    )


@says(
    "{here}: 'k' stores to q[0, 0] and to q[1, 0]: two cells write the same element, in no defined order.\n"
    "  Hint: store each component at one offset, or write to a second field"
)
def stores_that_meet() -> None:
    kernel(
        [
            Assignment(q[0, 0], 1),
            Assignment(q[1, 0], 2),  # here
        ]
    )


@says("{here}: 'k' stores twice to q[0, 0].\n  Hint: combine the two values in one assignment")
def stores_twice() -> None:
    kernel(
        [
            Assignment(q[0, 0], 1),
            Assignment(q[0, 0], p[0, 0]),  # here
        ]
    )


@says("{here}: 'k' stores twice to q[0, 0].\n  Hint: combine the two values in one assignment")
def stores_again_under_a_condition() -> None:
    kernel([Assignment(q.here, 1), If(p.here > 0, [Assignment(q.here, 2)])])  # here


@says(
    "{here}: 'k' reads q[0, 0] after storing to it: old value or new?\n"
    "  Hint: name the value you mean with a symbol, and use the symbol"
)
def read_after_store() -> None:
    kernel(
        [
            Assignment(q.here, p.here),
            Assignment(f.here, q.here),  # here
        ]
    )


@says(
    "{here}: 'k' reads p[3, 0], 3 cells away, but 'p' has 1 ghost layer(s).\n"
    "  Hint: declare it with fields(..., ghost_layers=3)"
)
def reads_beyond_the_ghosts() -> None:
    kernel([Assignment(q.here, p[3, 0])])  # here


@says(
    "{here}: 'k' writes q[0, -2], 2 cells away, but 'q' has 1 ghost layer(s).\n"
    "  Hint: declare it with fields(..., ghost_layers=2)"
)
def writes_beyond_the_ghosts() -> None:
    kernel([Assignment(q[0, -2], p.here)])  # here


@says(
    "{here}: 'k' writes 'p' and gathers from it at positions known only at run time.\n"
    "  Hint: write to a second field"
)
def gathers_what_it_writes() -> None:
    kernel([Assignment(p.here, p.gather(0, coordinates()[1]))])  # here


@says("{here}: 'k' scans along two axes.\n  Hint: write two kernels")
def scans_along_two_axes() -> None:
    first = Scan(0, {a: 0}, [Assignment(p.here, a)], {a: a + 1})
    second = Scan(1, {b: 0}, [Assignment(q.here, b)], {b: b + 1})  # here
    kernel([first, second])


@says(
    "{here}: 'k' touches 'q' outside its scans.\n"
    "  Hint: move the statement into a Scan: there it happens once a cell"
)
def touches_outside_a_scan() -> None:
    scan = Scan(0, {a: 0}, [Assignment(p.here, a)], {a: a + 1})
    kernel([scan, Assignment(q.here, 1)])  # here


@says("{here}: 'k' neither stores nor reduces anything.\n  Hint: assign to a field access")
def stores_nothing() -> None:
    kernel([Section("Nothing"), Assignment(t, p.here)])  # here


@says("{here}: 'k' gathers by position in a sparse list.\n  Hint: use a dense space")
def gathers_in_a_list() -> None:
    kernel([Assignment(q.here, p.gather(0, 0))], Sparse("fluid"))  # here


@says(
    "{here}: 'k' touches p[1, 0], but the list 'fluid' has no such link.\n"
    "  Hint: add what a streaming pattern makes: module.add(name, stream(collide), space=Sparse(...))"
)
def no_such_link() -> None:
    kernel([Assignment(q.here, p[1, 0])], Sparse("fluid"))  # here


class Shifted:
    """Statements with links that fold walls to an element which other cells reach."""

    moved = Assignment(f[1, 0, 0], 2 * f[1, 0, 0])  # here
    steps: ClassVar = {"": [Assignment(f[0, 0, 1], f[0, 0, 2]), moved]}
    links = (lbm.Link(0, (1, 0), 1), lbm.Link(1, (0, 1), 2))


@says(
    "{here}: at a wall f[1, 0, 0] stands for component 1 of the own cell, which other cells reach too.\n"
    "  Hint: use a streaming pattern whose walls are own-cell (AA), or two fields (pull)"
)
def walls_that_others_reach() -> None:
    kernel(Shifted(), Sparse("fluid"))


class NotCommuting(lbm.StreamingPattern):
    """An in-place pattern that writes elsewhere than it reads."""

    in_place = True

    def read(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, tuple(-c for c in self.lattice.velocities[q])

    def write(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, (0, 0)


@says(
    "{here}: NotCommuting writes component 1 at [0, 0], which another cell reads: the two do not commute.\n"
    "  Hint: write to the elements that the cell itself reads, or use a second array"
)
def pattern_that_does_not_commute() -> None:
    NotCommuting(D2Q9)  # here


# --- What a kernel cannot compute ---------------------------------------------------------------------------

AVAILABLE = (
    "\n  Hint: available: + - * / powers, Min Max Abs sign sqrt exp log sin "
    "cos tanh floor, Piecewise, comparisons"
)


@says("{here}: 'g(p[0,0])' is an undefined function, which no kernel can compute." + AVAILABLE)
def undefined_function() -> None:
    kernel([Assignment(q.here, sympy.Function("g")(p.here))])  # here


@says("{here}: 'gamma(p[0,0])' is a SymPy gamma, which no kernel can compute." + AVAILABLE)
def unknown_function() -> None:
    kernel([Assignment(q.here, sympy.gamma(p.here))])  # here


@says("{here}: 'oo' is a SymPy Infinity, which no kernel can compute." + AVAILABLE)
def infinity() -> None:
    kernel([Assignment(q.here, sympy.oo)])  # here


@says("{here}: 'I' is a SymPy ImaginaryUnit, which no kernel can compute." + AVAILABLE)
def complex_number() -> None:
    kernel([Assignment(q.here, sympy.I * p.here)])  # here


@says(
    "{here}: 'Piecewise((1, p[0,0] > 0), (2, p[0,0] < 0))' has no value where none of its conditions holds.\n"
    "  Hint: end it with (value, True)"
)
def piecewise_without_an_end() -> None:
    kernel([Assignment(q.here, sympy.Piecewise((1, p.here > 0), (2, p.here < 0)))])  # here


@says("{here}: 'bitand' needs integers, not f64.")
def bits_of_a_float() -> None:
    kernel([Assignment(q.here, bit_and(p.here, k.here))])  # here


@says("{here}: a gather position is not an integer.\n  Hint: round it: floor(position)")
def position_between_cells() -> None:
    kernel([Assignment(q.here, p.gather(f.here, 0))])  # here


@says("{here}: 1/3 is stored as an integer.\n  Hint: round it: floor(value)")
def fraction_in_an_integer() -> None:
    kernel([Assignment(k.here, sympy.Rational(1, 3))])  # here


@says("{here}: int is not a statement of a model.")
def no_statement() -> None:
    kernel([Assignment(q.here, p.here), 3])  # here


# --- Names --------------------------------------------------------------------------------------------------


@says("{here}: 't' is assigned twice.\n  Hint: a symbol names one value; choose a second name")
def assigned_twice() -> None:
    kernel(
        [
            Assignment(t, 1),
            Assignment(q.here, t),
            Assignment(t, 2),  # here
        ]
    )


@says("{here}: 't' is used before it is assigned.\n  Hint: move its assignment up")
def used_before() -> None:
    kernel(
        [
            Assignment(q.here, t),
            Assignment(t, 2),  # here
        ]
    )


@says(
    "{here}: 't' is assigned inside a condition or a scan and not known outside.\n"
    "  Hint: assign it before, with a Piecewise if it depends on the condition"
)
def used_outside_its_condition() -> None:
    inside = If(p.here > 0, [Assignment(t, 2), Assignment(f.here, t)])
    kernel([inside, Assignment(q.here, t)])  # here


@says("{here}: 'p' names a field and a local value.\n  Hint: rename one of them")
def local_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(sympy.Symbol("p"), 1)])  # here


@says("{here}: 'p' names a field and a scalar.\n  Hint: rename one of them")
def field_called_like_a_parameter() -> None:
    kernel(
        [
            Assignment(q.here, sympy.Symbol("p")),
            Assignment(f.here, p.here),  # here
        ]
    )


@says("{here}: 'p' names a field and a scalar.\n  Hint: rename one of them")
def parameter_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p"))])  # here


@says("{here}: two different fields are called 'p'.\n  Hint: rename one of them")
def two_fields_of_one_name() -> None:
    other = fields("p: float[2D]")
    kernel([Assignment(q.here, p.here + other.here)])  # here


@says("{here}: 'x' cannot be a name here: the emitted function uses it itself.\n  Hint: choose another name")
def parameter_called_like_a_coordinate() -> None:
    kernel([Assignment(q.here, sympy.Symbol("x") * p.here)])  # here


@says(
    "{here}: 'n_x' cannot be a name here: the emitted function uses it itself.\n  Hint: choose another name"
)
def local_called_like_an_extent() -> None:
    kernel([Assignment(sympy.Symbol("n_x"), 1), Assignment(q.here, 1)])  # here


@says(
    "{here}: 'p_stride' cannot be a name here: the emitted function uses it "
    "itself.\n  Hint: choose another name"
)
def parameter_called_like_a_stride() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p_stride"))])  # here


@says("{here}: 'new' cannot be a name here: C++ does not take it.\n  Hint: choose another name")
def parameter_called_like_a_keyword() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("new"))])  # here


@says("{here}: 'a'' cannot be a name here: C++ does not take it.\n  Hint: choose another name")
def local_that_is_no_name() -> None:
    kernel([Assignment(sympy.Symbol("a'"), p.here)])  # here


@says("{here}: 'e' is reduced in two ways.\n  Hint: give each reduction a name of its own")
def reduced_in_two_ways() -> None:
    kernel(
        [
            Reduce("max", "e", p.here),
            Reduce("sum", "e", p.here),  # here
        ]
    )


REDUCTION = "{here}: 'e' names a reduction and another quantity.\n  Hint: rename one of them"


@says(REDUCTION)
def reduction_called_like_a_parameter() -> None:
    kernel([Assignment(q.here, sympy.Symbol("e")), Reduce("max", "e", p.here)])  # here


@says(REDUCTION)
def local_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(sympy.Symbol("e"), 1)])  # here


@says(REDUCTION)
def parameter_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(q.here, sympy.Symbol("e"))])  # here


# --- Spaces -------------------------------------------------------------------------------------------------


@says("{here}: 'z' has no meaning here: the kernel's space has no such axis.\n"
      "  Hint: pass what depends on the place in a field")  # fmt: skip
def coordinate_of_another_space() -> None:
    kernel([Assignment(q.here, coordinates()[2])])  # here


@says("{here}: a Scan along axis 2, which the kernel's space does not have.")
def scan_along_no_axis() -> None:
    kernel([Scan(2, {a: 0}, [Assignment(p.here, a)], {a: a + 1})])  # here


@says(
    "{here}: 'mask' has one value an entry, but the kernel does not run over a list of entries.\n"
    "  Hint: add the kernel with space=Sparse(name, listed=True)"
)
def entries_of_no_list() -> None:
    kernel([Assignment(q.here, mask.here)])  # here


@says(
    "{here}: 'e' has components, but fields with one value an entry are scalar.\n"
    "  Hint: declare a field for each component"
)
def entries_with_components() -> None:
    e = fields("e: real(2)[entries]")
    kernel([Assignment(q.here, e[1])], Sparse("inlet", listed=True))  # here


@says("{here}: 'r' has 1 dimensions, the kernel's space has 2.")
def dimensions_that_differ() -> None:
    r = fields("r: real[1D]")
    kernel([Assignment(q.here, r.here)])  # here


@says("{here}: 'k' touches no field.\n  Hint: a kernel reads and writes fields")
def touches_no_field() -> None:
    Module("m").add("k", [Assignment(t, 1)])  # here


# --- Declarations -------------------------------------------------------------------------------------------


@says("{here}: 'p' takes 2 indices (2 offsets), not 3.\n  Hint: write p[0, 0] for the own cell")
def too_many_indices() -> None:
    p[0, 0, 0]  # here


@says(
    "{here}: 'f' takes 3 indices (2 offsets and a component), not 2.\n  "
    "Hint: write f[0, 0, 0] for the own cell"
)
def too_few_indices() -> None:
    f[0, 0]  # here


@says("{here}: 'f' has components 0 to 2, not 3.")
def no_such_component() -> None:
    f[0, 0, 3]  # here


@says(
    "{here}: the index a of 'p' is not a constant integer.\n"
    "  Hint: for a position computed at run time write p.gather(...)"
)
def offset_that_is_a_symbol() -> None:
    p[a, 0]  # here


@says("{here}: 'p'.gather takes 2 positions.")
def gather_with_too_few_positions() -> None:
    p.gather(1)  # here


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


@says("{here}: 'u: real[4D]' has no rank that Heddle knows.\n  Hint: 1D, 2D or 3D")
def declaration_of_an_unknown_rank() -> None:
    fields("u: real[4D]")  # here


@says("{here}: '2u' is not a name for a field.")
def declaration_of_no_name() -> None:
    fields("2u: real[3D]")  # here


@says(f"{{here}}: 'quad' is not a type.\n  Hint: one of {TYPES}")
def parameter_of_an_unknown_type() -> None:
    parameters("a: quad")  # here


@says("{here}: 'p[0,0] + 1' cannot be assigned.\n  Hint: assign to a symbol or to a field access")
def assignment_to_an_expression() -> None:
    Assignment(p.here + 1, 2)  # here


@says("{here}: 'a' cannot be assigned.\n  Hint: assign to a symbol or to a field access")
def assignment_to_a_parameter() -> None:
    Assignment(parameters("a"), 2)  # here


@says("{here}: 'robin' is not a boundary.\n  Hint: one of periodic, dirichlet, neumann")
def unknown_poisson_boundary() -> None:
    poisson.Direction(8, 1, "robin", "neumann")  # here


@says("{here}: unknowns cannot lie at 'corner'.\n  Hint: centre or face")
def unknown_poisson_location() -> None:
    poisson.Direction(8, 1, location="corner")  # here


@says("{here}: a direction is periodic at one end only.\n  Hint: periodic at both ends, or at none")
def half_periodic_direction() -> None:
    poisson.Direction(8, 1, "periodic", "neumann")  # here


@says("{here}: 1 unknowns are less than 2.")
def one_node_between_two_neumann_ends() -> None:
    poisson.Direction(1, 1, "neumann", "neumann", "face")  # here


@says("{here}: 'mean' is not a reduction.\n  Hint: one of sum, min, max")
def unknown_reduction() -> None:
    Reduce("mean", "e", p.here)  # here


@says("{here}: a Scan must update each carried symbol, and only those.")
def carried_but_not_updated() -> None:
    Scan(0, {a: 0}, [], {b: 1})  # here


# --- Schedules, precisions, modules -------------------------------------------------------------------------


@says("{here}: a block of (64, 32, 1) has 2048 threads.\n  Hint: 1 to 1024")
def block_too_large() -> None:
    Schedule(block=(64, 32, 1))  # here


@says("{here}: prefetch and nontemporal work in chunks.\n  Hint: Schedule(chunk=64, ...)")
def prefetch_without_a_chunk() -> None:
    Schedule(prefetch=64)  # here


@says(
    "{here}: 'step_even' asks for chunks of 8 cells, but a list knows runs of 16 neighbours.\n"
    "  Hint: Schedule(chunk=16)"
)
def chunk_that_is_no_run() -> None:
    module = Module("m")
    stream = lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega"))
    module.add("step", stream, Sparse("fluid"), Schedule(chunk=8))  # here
    files(module, ["cpu"])


@says("{here}: a chunk is a loop of vector lanes.\n  Hint: leave simd on")
def chunk_without_lanes() -> None:
    Schedule(chunk=16, simd=False)  # here


@says(
    "{here}: 'k' reads every field that it writes: nontemporal stores would lose the cached lines.\n"
    "  Hint: leave nontemporal off for in-place kernels"
)
def nontemporal_in_place() -> None:
    kernel([Assignment(p.here, 2 * p.here)], schedule=Schedule(chunk=64, nontemporal=True))  # here


@says("{here}: 'k' reduces 32 cells of a row at a time, and blocks of (48, 1, 1) threads cut them.\n"
      "  Hint: Schedule(block=(32, ...)), or another multiple along x")  # fmt: skip
def reduction_in_odd_blocks() -> None:
    kernel([Reduce("max", "e", p.here)], schedule=Schedule(block=(48, 1, 1)), targets="cuda")  # here


@says("{here}: 'k' reduces 32 cells at a time, and is to run in chunks of 16.\n  Hint: chunk=32, or no chunk")
def reduction_in_other_chunks() -> None:
    kernel([Reduce("max", "e", p.here)], schedule=Schedule(chunk=16))  # here


@says("{here}: 'k' reduces over cells of 4 colours; one or two are known.\n"
      "  Hint: reduce in a kernel of its own, without colours")  # fmt: skip
def reduction_in_four_colours() -> None:
    statements = [Assignment(p.here, p[1, 1]), Reduce("max", "e", q.here)]  # here
    kernel(statements, schedule=Schedule(colours=4))


@says("{here}: 'e_work' cannot be a name here: the emitted function uses it itself.\n"
      "  Hint: choose another name")  # fmt: skip
def parameter_called_like_a_scratch() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(q.here, sympy.Symbol("e_work"))])  # here


@says("{here}: 'k' is one single scan: CUDA has no threads for it.\n  Hint: --targets cpu")
def scan_without_threads() -> None:
    r = fields("r: real[1D]")
    kernel([Scan(0, {a: 0}, [Assignment(r.here, a)], {a: a + 1})], targets="cuda")  # here


@says(
    "{here}: 'f128' is not a precision.\n  Hint: storage f16, f32, f64; arithmetic f32, f64; as \"f32/f64\""
)
def unknown_precision() -> None:
    Module("m", precisions=("f128",))  # here


@says("{here}: 'f64/f32' stores more bits than it computes with.")
def precision_upside_down() -> None:
    Module("m", precisions=("f64/f32",))  # here


@says("{here}: 'class' is not a name for a module.\n  Hint: letters, digits, _")
def module_called_like_a_keyword() -> None:
    Module("class")  # here


@says("{here}: 'my-kernel' is not a name for a kernel.\n  Hint: letters, digits, _")
def kernel_that_is_no_name() -> None:
    Module("m").add("my-kernel", [Assignment(q.here, 1)])  # here


@says("{here}: module 'm' has two kernels 'k'.")
def two_kernels_of_one_name() -> None:
    module = Module("m")
    module.add("k", [Assignment(q.here, 1)])
    module.add("k", [Assignment(p.here, 1)])  # here


@says("{here}: 'k' has no statements.")
def kernel_without_statements() -> None:
    Module("m").add("k", [])  # here


@says("m: there is no kernel 'j'.\n  Hint: the module has: k")
def unknown_kernel() -> None:
    module = Module("m")
    module.add("k", [Assignment(q.here, 1)])
    module.stages("j", "f64", "cpu")


@says("m: the module has no kernels.\n  Hint: add one: module.add(name, statements)")
def module_without_kernels() -> None:
    files(Module("m"), ["cpu"])


@says("{here}: the sparse kernels of 'm' follow different links.\n  Hint: use one streaming pattern a module")
def two_patterns_in_one_module() -> None:
    module = Module("m")
    module.add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))  # here
    module.add("j", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    _ = module.links


@says("nowhere.py: there is no such model file.\n  Hint: give the path of a Python file")
def no_model_file() -> None:
    load(Path("nowhere.py"))


@says(
    "heddle: the clang-format wheel is missing.\n  Hint: install Heddle's "
    "dependencies: pip install clang-format"
)
def formatter_missing() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emitted.importlib.util, "find_spec", lambda name: None)
        emitted._clang_format.__wrapped__()


FAILED = "heddle: clang-format failed: "


@says(FAILED + "...")
def formatter_that_fails() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emitted, "_STYLE", "{no style at all")
        with pytest.raises(KernelError) as caught:
            emitted.formatted("int a;")
    assert str(caught.value).startswith(FAILED)
    assert "-style" in str(caught.value)
    caught.value.args = (FAILED + "...",)  # what the program itself says may change
    raise caught.value


# --- Lattice Boltzmann: words are pinned beside the physics, in tests/generator/symbolic --------------------


@says(
    "{here}: 'D3Q18' is not a lattice.\n"
    "  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27; or give the weights of your own"
)
def unknown_lattice() -> None:
    lbm.Lattice("D3Q18")  # here


@says(
    "{here}: 'D2Q5' with weights of axis is not a lattice of your own.\n"
    "  Hint: a name such as D3Q7_warm that is not taken; weights of rest and some of axis, edge, corner"
)
def own_lattice_without_rest() -> None:
    lbm.Lattice("D2Q5", {"axis": "1/4"})  # here


@says(
    "{here}: the weights of D2Q5_x belong to 5 directions and add up to 3/2.\n"
    "  Hint: the number after Q counts the directions; their weights add up to 1"
)
def own_lattice_that_does_not_add_up() -> None:
    lbm.Lattice("D2Q5_x", {"rest": "1/2", "axis": "1/4"})  # here


@says(
    "{here}: the relaxation rate 5/2 is not stable.\n"
    "  Hint: 0 < omega < 2; a viscosity nu needs omega = 1 / (3 nu + 1/2)"
)
def unstable_rate() -> None:
    lbm.BGK(D2Q9, sympy.Rational(5, 2))  # here


@says(
    "{here}: a force on D2Q9 has 2 components, not 3.\n  Hint: give one entry an axis, 0 where there is none"
)
def force_of_another_dimension() -> None:
    lbm.BGK(D2Q9, "omega", force=("g", 0, 0))  # here


@says(
    "{here}: Cumulant needs all 27 directions in 3 dimensions; D3Q7 has 7.\n"
    "  Hint: use D2Q9 or D3Q27, or the CentralMoment operator on D3Q19"
)
def cumulants_of_a_scalar_lattice() -> None:
    lbm.Cumulant(lbm.Lattice("D3Q7"))  # here


@says(
    "{here}: the parametrised cumulant operator is made for D3Q27, not D2Q9.\n"
    "  Hint: use D3Q27, or the Cumulant operator on D2Q9"
)
def parametrised_in_two_dimensions() -> None:
    lbm.ParametrisedCumulant(D2Q9)  # here


@says(
    "{here}: CentralMoment needs moments that are products over the axes; those of D3Q15 are not.\n"
    "  Hint: use D2Q9, D3Q19 or D3Q27, or the MRT operator"
)
def central_moments_of_d3q15() -> None:
    lbm.CentralMoment(lbm.Lattice("D3Q15"))  # here


@says(
    "{here}: Cumulant moves with the velocity j / rho; it has no incompressible form.\n"
    "  Hint: leave out compressible=False, or use MRT, BGK, TRT or Regularised"
)
def incompressible_cumulants() -> None:
    lbm.Cumulant(D2Q9, compressible=False)  # here


@says(
    "{here}: D2Q9 has moments of order 3 to 4; 4 rates do not fit them.\n"
    "  Hint: higher=1, or one rate an order"
)
def rates_of_another_lattice() -> None:
    lbm.MRT(D2Q9, higher=(1, 1, 1, 1))  # here


@says("{here}: KBC takes no force.\n  Hint: use Cumulant or CentralMoment for a flow with a force")
def forced_entropic_operator() -> None:
    lbm.KBC(D2Q9, force=("g_x", 0))  # here


@says(
    "{here}: MRT has a way of its own to take a force, not He.\n"
    "  Hint: give the vector alone, force=(...); He and ExactDifference serve BGK and TRT"
)
def force_model_in_moment_space() -> None:
    lbm.MRT(D2Q9, force=lbm.He(("g_x", 0)))  # here


@says(
    "{here}: the rate omega_0 has no meaning beside a rheology, which gives the whole viscosity.\n"
    "  Hint: leave out omega"
)
def rate_beside_a_rheology() -> None:
    lbm.TRT(D2Q9, "omega_0", rheology=lbm.PowerLaw(consistency="K", exponent="n"))  # here


@says(
    "{here}: free slip needs the normal of the boundary, which a list of cells does not have.\n"
    "  Hint: sweep over a dense face: stream.boundary(condition, face=...)"
)
def free_slip_over_a_list() -> None:
    lbm.AA(D2Q9).boundary(lbm.FreeSlip())  # here


@says(
    "{here}: D2Q9 has several links through a wall, which would have to share a flux.\n"
    "  Hint: use D2Q5 or D3Q7 for the scalar"
)
def scalar_flux_with_diagonals() -> None:
    lbm.Pull(D2Q9).boundary(lbm.ScalarFlux("j"), face="s")  # here


@says("{here}: the collision is for D2Q9, the pattern for D3Q19.\n  Hint: use one lattice for both")
def two_lattices() -> None:
    lbm.AA(lbm.Lattice("D3Q19"))(lbm.BGK(D2Q9, "omega"))  # here


@says("{here}: 'ne' is not a side.\n  Hint: one of e, w, n, s")
def no_such_side() -> None:
    lbm.Pull(D2Q9).boundary(lbm.VelocityBounceBack((0, 0)), face="ne")  # here


# --- What crosses the borders of blocks ---------------------------------------------------------------------


def of_one_kernel(statements: Any) -> Module:
    """A module with one kernel called `k`."""
    module = Module("m", precisions=("f64",))
    module.add("k", statements)
    return module


def sparse_exchange() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    exchanges(module.kernels["k_odd"].typed(precision("f64")), "here")


says("here: 'k_odd' runs over a list of cells.\n  Hint: exchanges are of dense kernels")(sparse_exchange)


@says(
    "{here}: 'k' reads 'p' at computed positions: what crosses is not known.\n"
    "  Hint: leave the kernel out of add_halo"
)
def exchange_of_gathers() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p.gather(k[0, 0], 0))])  # here
    module.add_halo()


@says(
    "{here}: 'k' writes 'q' beyond its block only where a condition holds: elsewhere an owner would be "
    "sent what nobody wrote.\n  Hint: write the own cell, or write in all cells"
)
def exchange_under_a_condition() -> None:
    of_one_kernel([If(p[0, 0] > 0, [Assignment(q[1, 0], p[0, 0])])]).add_halo()  # here


@says(
    "{here}: 'k' runs in colours: neighbours change between one colour and the next, so that one exchange "
    "before a sweep is not enough.\n  Hint: leave the kernel out of add_halo"
)
def exchange_of_colours() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(p[0, 0], p[1, 0] + p[-1, 0])], schedule=Schedule(colours=2))  # here
    module.add_halo()


@says("{here}: no kernel of 'halo' reaches beyond its block: nothing crosses.")
def exchange_of_nothing() -> None:
    of_one_kernel([Assignment(q[0, 0], p[0, 0])]).add_halo()  # here


@says(
    "{here}: what crosses has different types: 'k' i32, 'p' f64.\n"
    "  Hint: one add_halo for the kernels of each type"
)
def exchange_of_two_types() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0] + k[1, 0])]).add_halo()  # here


@says("{here}: the pack kernels have a use of their own for the name 'wire'.\n  Hint: rename the field")
def exchange_of_a_wire() -> None:
    wire = fields("wire: real[2D]")
    of_one_kernel([Assignment(q[0, 0], wire[1, 0])]).add_halo()  # here


@says(
    "{here}: 'two' and 'one' exchange different fields: f64(0) 2D, f64(0) 2D and f64(0) 2D.\n"
    "  Hint: one add_halo for each: add_halo(name, kernels=[...])"
)
def exchanges_that_differ() -> None:
    module = Module("m", precisions=("f64",))
    module.add("one", [Assignment(q[0, 0], p[1, 0])])
    module.add("two", [Assignment(f[0, 0, 1], p[1, 0] + q[0, 1])])
    module.add_halo()  # here


@says("{here}: 'step' is not a dense kernel of 'm'.\n  Hint: it has: k")
def exchange_of_an_unknown_kernel() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo(kernels=["step"])  # here


@says("{here}: 'k' is in the halo 'halo' already.")
def exchange_in_two_halos() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p[1, 0])])
    module.add_halo()
    module.add_halo("again")  # here


@says("{here}: 'k-k_pack' is not a name for a new kernel.\n  Hint: letters, digits, _")
def exchange_with_a_bad_name() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo("k-k")  # here


@pytest.mark.parametrize("name", CASES)
def test_words(name: str) -> None:
    case, message = CASES[name]
    with pytest.raises(KernelError) as caught:
        case()
    assert str(caught.value) == message.replace("{here}", _marked(case))


def _marked(case: Case) -> str:
    """The place of the line marked `# here` in a case, or in the class that it uses."""
    source: Any = Shifted if case is walls_that_others_reach else case
    lines, first = inspect.getsourcelines(source)
    marked = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
    return f"{Path(__file__).name}:{marked[0]}" if marked else "nowhere"


# --- Complete -----------------------------------------------------------------------------------------------

PACKAGE = Path(heddle.__file__).parent
BESIDE_THE_PHYSICS = (
    "collision.py",
    "cumulant.py",
    "entropic.py",
    "interpolated.py",
    "rheology.py",
    "scalar.py",
    "scalar_boundary.py",
    "moment_collision.py",
    "moving_frame.py",
    "operator.py",
    "boundary.py",
    "streaming.py",
    "equilibrium.py",
    "equations.py",
    "initial.py",
)
ON_THE_COMMAND_LINE = ("__main__.py", "build.py", "check.py")
DOCUMENTS = ("json.py",)
"""ir/test_json.py provokes these."""


def _raised() -> Iterator[tuple[str, int]]:
    """File and first line of every `raise KernelError`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if {"adopt", "equivalence", "lift"} & set(path.parts):  # these folders have tests of their own
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            error = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(error, ast.Call) and getattr(error.func, "id", "") == "KernelError":
                yield path.name, node.lineno


def test_every_error_has_a_case() -> None:
    seen: set[tuple[str, int]] = set()
    for case, _ in CASES.values():
        try:
            case()
        except KernelError as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            seen.add((Path(frame.filename).name, frame.lineno or 0))
    elsewhere = (*BESIDE_THE_PHYSICS, *ON_THE_COMMAND_LINE, *DOCUMENTS)
    missing = [place for place in _raised() if place not in seen and place[0] not in elsewhere]
    assert not missing


# --- On the command line: no stack trace, exit code 1 -------------------------------------------------------

GOOD = """
from heddle import Assignment, Module, fields
u, v = fields("u, v: real[2D]")
m = Module("m")
m.add("k", [Assignment(v.here, u[1, 0])])
"""


def _command(tmp_path: Path, text: str, *arguments: str) -> int:
    (tmp_path / "model.py").write_text(text)
    return main([arguments[0], str(tmp_path / "model.py"), *arguments[1:]])


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "n = 3\n",
            ("show",),
            "model.py: it defines 0 modules.\n  Hint: a model file defines one: name = Module(...)",
        ),
        (
            GOOD + "other = Module('n')\n",
            ("show",),
            "model.py: it defines 2 modules.\n  Hint: a model file defines one: name = Module(...)",
        ),
        (
            "raise SystemExit\n",
            ("show",),
            "model.py: the model ends the program.\n  Hint: leave out sys.exit",
        ),
        (GOOD, ("show", "j"), "model.py: there is no kernel 'j'.\n  Hint: it has: k"),
        (
            GOOD,
            ("build", "--out", "OUT", "--expect-module", "n"),
            "model.py: the module is called 'm', but 'n' was expected.\n"
            "  Hint: in CMake: heddle_add_kernels(... MODULE m)",
        ),
        (
            GOOD,
            ("build", "--out", "OUT", "--expect-kernels", "k", "j"),
            "model.py: the kernels are k, but k, j were expected.\n  Hint: in CMake: KERNELS k",
        ),
        (
            GOOD + "m.add('race', [Assignment(u.here, u[1, 0])])\n",
            ("show",),
            "model.py:6: 'race' reads u[1, 0] and writes u[0, 0]: one cell "
            "reads what another one writes, in no "
            "defined order.\n  Hint: Schedule(colours=2), or write to a second field",
        ),
        (
            GOOD + "\n\n1 / 0\n",
            ("show",),
            "model.py:8: ZeroDivisionError: division by zero\n  Hint: run "
            "again with --debug for the full trace",
        ),
    ],
)
def test_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: tuple[str, ...], message: str
) -> None:
    with_folder = [str(tmp_path / "out") if argument == "OUT" else argument for argument in arguments]
    assert _command(tmp_path, text, *with_folder) == 1
    output = capsys.readouterr()
    assert output.err == f"heddle: {message}\n"
    assert output.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text",
    ["def f(:\n", "import no_such_thing\n", "\x00", "raise SystemExit(0)\n", "import sys; sys.exit('bad')\n"],
)
def test_model_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert _command(tmp_path, text, "show") == 1
    output = capsys.readouterr()
    assert output.err.startswith("heddle: ")
    assert "Traceback" not in output.err


def test_debug_shows_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(tmp_path, GOOD.replace("v.here, u", "u.here, u"), "show", "--debug") == 1
    assert "Traceback" in capsys.readouterr().err

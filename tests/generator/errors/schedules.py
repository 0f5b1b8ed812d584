# SPDX-License-Identifier: Apache-2.0
"""Schedules, precisions, modules, and the formatter."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sympy
from errors.cases import D2Q9, a, kernel, p, q, says
from heddle import (
    Assignment,
    CacheLines,
    CompressedList,
    Interleaved,
    KernelError,
    Module,
    Reduce,
    Rows,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    block_coordinates,
    fields,
    lbm,
    resources,
)
from heddle.build import files, load
from heddle.emit import files as emitted
from heddle.ir.mathematics import DEFINITIONS

SIXTEEN: Any = 16


@says("{here}: block=(64, 32, 1) is out of range.\n  Hint: use 1 to 1024 threads per block")
def block_too_large() -> None:
    Threads(block=(64, 32, 1))  # here


@says("{here}: coarsening=9 is out of range.\n  Hint: use 1 to 8 cells per thread")
def nine_cells_a_thread() -> None:
    Threads(coarsening=9)  # here


@says("{here}: row_cells=3 is out of range.\n  Hint: use 1, 2 or 4")
def three_cells_of_a_row() -> None:
    Threads(unit_stride=True, same_strides=True, row_cells=3)  # here


@says(
    "{here}: row_cells=2 is out of range.\n"
    "  Hint: use unit_stride=True and same_strides=True beside it, and no coarsening"
)
def cells_of_any_rows() -> None:
    Threads(same_strides=True, row_cells=2)  # here


@says("{here}: coarsening=2 is out of range.\n  Hint: use 1 with levels_first")
def levels_first_and_several() -> None:
    Threads(coarsening=2, levels_first=True)  # here


@says("{here}: lanes=3 is out of range.\n  Hint: use 2, 4 or 8")
def three_lanes() -> None:
    Interleaved(3)  # here


@says(
    "{here}: threads_per_vector=4 is out of range.\n  Hint: use 1, 2 or 4, with at least one lane per thread"
)
def threads_without_a_lane() -> None:
    Interleaved(2, threads_per_vector=4)  # here


@says("{here}: size=0 is out of range.\n  Hint: use a positive number of cells")
def strips_without_cells() -> None:
    Strips(0)  # here


@says("{here}: prefetch=-16 is out of range.\n  Hint: use a positive number of cells, or 0 for none")
def prefetch_behind() -> None:
    Strips(16, prefetch=-16)  # here


@says("{here}: prefetch_distance=0 is out of range.\n  Hint: use a positive number of cache lines")
def no_prefetch_distance() -> None:
    CacheLines(0)  # here


@says("{here}: fixed_nx=-8 is out of range.\n  Hint: use a positive number, or 0 for any")
def rows_without_cells() -> None:
    Rows(fixed_nx=-8)  # here


@says(
    "{here}: adjacent_components=True needs to know how many cells a row has.\n  Hint: fixed_nx=8",
)
def components_at_unknown_distances() -> None:
    Rows(adjacent_components=True)  # here


WRONG: Any = {
    "a number": 256,
    "two numbers": (16, 16),
    "three texts": ("8", "8", "1"),
    "a list": [32, 8, 1],
    "a fraction": 0.5,
    "a text": "8",
    "two": 2,
}
"""Not typed: none of these is what the options take."""
BLOCK = "is not three whole numbers, of threads along x, y and z."
CELLS = "is not a whole number.\n  Hint: use a positive number of cells"


@says("{here}: block=256 " + BLOCK + "\n  Hint: use block=(256, 1, 1)")
def block_of_one_number() -> None:
    Threads(block=WRONG["a number"])  # here


@says("{here}: block=(16, 16) " + BLOCK + "\n  Hint: use block=(16, 16, 1)")
def block_of_two_numbers() -> None:
    Interleaved(2, block=WRONG["two numbers"])  # here


@says("{here}: block=('8', '8', '1') " + BLOCK + "\n  Hint: use block=(256, 1, 1)")
def block_of_texts() -> None:
    CompressedList(block=WRONG["three texts"])  # here


@says("{here}: block=[32, 8, 1] " + BLOCK + "\n  Hint: use block=(32, 8, 1)")
def block_in_brackets() -> None:
    Threads(block=WRONG["a list"])  # here


@says("{here}: block=(-8, -8, 1) is out of range.\n  Hint: use at least 1 thread along each axis")
def block_of_negative_sizes() -> None:
    Threads(block=(-8, -8, 1))  # here


@says("{here}: block=(4, 1, 128) is out of range.\n  Hint: use at most 64 threads along z")
def block_too_deep() -> None:
    Threads(block=(4, 1, 128))  # here


@says("{here}: minimum_blocks=-1 is out of range.\n  Hint: use 1 to 32, or 0 for any")
def negative_blocks() -> None:
    Threads(minimum_blocks=-1)  # here


@says("{here}: size=0.5 " + CELLS)
def half_a_cell() -> None:
    Strips(WRONG["a fraction"])  # here


@says("{here}: size='8' " + CELLS)
def strips_of_a_text() -> None:
    Strips(WRONG["a text"])  # here


@says("{here}: size=True " + CELLS)
def strips_of_a_flag() -> None:
    Strips(True)  # here


@says("{here}: prefetch=0.5 " + CELLS + ", or 0 for none")
def prefetch_of_half_a_cell() -> None:
    Strips(16, prefetch=WRONG["a fraction"])  # here


@says("{here}: prefetch_distance=0.5 is not a whole number.\n  Hint: use a positive number of cache lines")
def half_a_line() -> None:
    CacheLines(WRONG["a fraction"])  # here


@says("{here}: fixed_nx=0.5 is not a whole number.\n  Hint: use a positive number, or 0 for any")
def rows_of_half_a_cell() -> None:
    Rows(fixed_nx=WRONG["a fraction"])  # here


@says("{here}: lanes='8' is not a whole number.\n  Hint: use 2, 4 or 8")
def lanes_of_a_text() -> None:
    Interleaved(WRONG["a text"])  # here


@says("{here}: threads_per_vector=0.5 is not a whole number.\n  Hint: use 1, 2 or 4")
def half_a_thread() -> None:
    Interleaved(2, WRONG["a fraction"])  # here


@says("{here}: coarsening=0.5 is not a whole number.\n  Hint: use 1 to 8 cells per thread")
def half_a_cell_per_thread() -> None:
    Threads(coarsening=WRONG["a fraction"])  # here


@says("{here}: colours='8' is not a whole number.\n  Hint: use 1, 2, 4 or 8")
def colours_of_a_text() -> None:
    Schedule(colours=WRONG["a text"])  # here


@says("{here}: simd=2 is neither True nor False.\n  Hint: use simd=True or simd=False")
def two_for_a_flag() -> None:
    Rows(simd=WRONG["two"])  # here


@says(
    "{here}: specialise=('open', 0.5) is not a field's name and a whole number.\n"
    '  Hint: write for example specialise=("open", 63)'
)
def specialised_for_a_fraction() -> None:
    Schedule(specialise=("open", WRONG["a fraction"]))  # here


@says(
    "k: 'k' cannot be specialised for a value of 'q', whose elements are f64.\n"
    "  Hint: name a field of integers, such as flags"
)
def specialised_for_a_value_of_a_real_field() -> None:
    kernel([Assignment(p.here, q.here)], schedule=Schedule(specialise=("q", 0)))


@says(
    "{here}: usual=[32, 8, 1] is not a profile's name and a whole number.\n"
    '  Hint: write for example usual=("order_z", 5)'
)
def usual_of_a_list() -> None:
    Rows(usual=WRONG["a list"])  # here


@says("{here}: colours=3 is out of range.\n  Hint: use 1, 2, 4 or 8")
def three_colours() -> None:
    Schedule(colours=3)  # here


@says("{here}: cpu=16 is out of range.\n  Hint: use Rows(...) or Strips(...) or CacheLines(...)")
def a_number_for_a_part() -> None:
    Schedule(cpu=SIXTEEN)  # here


@says(
    "{here}: 'step_even' has strips of 8 cells, but lists store contiguous runs of 16 neighbours.\n"
    "  Hint: use Strips(16)"
)
def strip_that_is_no_run() -> None:
    module = Module("m")
    stream = lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega"))
    module.add("step", stream, Sparse("fluid"), Schedule(cpu=Strips(8)))  # here
    files(module, ["cpu"])


@says(
    "{here}: 'step' runs over a list, which does not support Interleaved: its cells form no rows.\n"
    "  Hint: leave out Interleaved, or use a dense space"
)
def cells_a_thread_of_a_list() -> None:
    pairs = Schedule(gpu=Interleaved(2))
    Module("m").add("step", [Assignment(p.here, 0)], space=Sparse("fluid"), schedule=pairs)  # here


@says(
    "{here}: 'k' cannot run in 2 interleaved blocks per thread: it uses 'x', which differs between "
    "the interleaved blocks.\n"
    "  Hint: pass position-dependent values as a field"
)
def cells_a_thread_that_know_their_place() -> None:
    x = block_coordinates()[0]
    kernel([Assignment(p.here, x)], schedule=Schedule(gpu=Interleaved(2)), targets="cuda")  # here


@says(
    "{here}: bf16 is not supported: it keeps 8 significant bits where f16 keeps 11. With "
    "populations stored in bf16, vortices deviate by 0.4 to 1.6 % after 2000 steps; with f16 by "
    "0.04 to 0.15 %.\n"
    '  Hint: use "f16", which has the same size; populations are scaled to fit its range of '
    "exponents"
)
def brain_floats() -> None:
    Module("module", precisions=("bf16",))  # here


@says(
    "{here}: 'k' reads every field that it writes, so nontemporal stores would evict cache lines "
    "that are in use.\n"
    "  Hint: leave out nontemporal for in-place kernels"
)
def nontemporal_in_place() -> None:
    kernel([Assignment(p.here, 2 * p.here)], schedule=Schedule(cpu=Strips(64, nontemporal=True)))  # here


@says(
    "{here}: 'k' reduces 32 cells of a row at a time, which blocks of (48, 1, 1) threads would "
    "split.\n"
    "  Hint: use block=(32, ...), or another multiple along x"
)
def reduction_in_odd_blocks() -> None:
    odd = Schedule(gpu=Threads(block=(48, 1, 1)))
    kernel([Reduce("max", "e", p.here)], schedule=odd, targets="cuda")  # here


@says(
    "{here}: 'k' reduces 32 cells at a time, which does not fit strips of 16 cells.\n"
    "  Hint: use Strips(32) or Rows()"
)
def reduction_in_other_strips() -> None:
    kernel([Reduce("max", "e", p.here)], schedule=Schedule(cpu=Strips(16)))  # here


@says("{here}: 'k' reduces over 4 colours; at most two are supported.\n"
      "  Hint: reduce in a separate kernel without colours")  # fmt: skip
def reduction_in_four_colours() -> None:
    statements = [Assignment(p.here, p[1, 1]), Reduce("max", "e", q.here)]  # here
    kernel(statements, schedule=Schedule(colours=4))


@says("{here}: 'e_work' cannot be used as a name here: the emitted function uses this name.\n"
      "  Hint: choose another name")  # fmt: skip
def parameter_called_like_a_scratch() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(q.here, sympy.Symbol("e_work"))])  # here


@says("{here}: 'k' is a single scan and has no parallelism for CUDA.\n  Hint: use --targets cpu")
def scan_without_threads() -> None:
    r = fields("r: real[1D]")
    kernel([Scan(0, {a: 0}, [Assignment(r.here, a)], {a: a + 1})], targets="cuda")  # here


@says(
    "{here}: 'f128' is not a precision.\n"
    '  Hint: write storage/arithmetic, such as "f32/f64": storage is f16, f32 or f64, arithmetic '
    "f32 or f64"
)
def unknown_precision() -> None:
    Module("m", precisions=("f128",))  # here


@says(
    "{here}: 'f64/f32' stores more bits than it computes with.\n"
    '  Hint: use arithmetic of at least the storage\'s precision, such as "f32/f64"'
)
def precision_upside_down() -> None:
    Module("m", precisions=("f64/f32",))  # here


@says(
    "{here}: 'class' is not a valid module name: C++, its headers or emitted files use this word "
    "themselves.\n"
    "  Hint: use letters, digits and _, begin with a letter, and leave out words of C++, such as 'new'"
)
def module_called_like_a_keyword() -> None:
    Module("class")  # here


@says(
    "{here}: 'my-kernel' is not a valid kernel name: it is not a valid C++ identifier.\n"
    "  Hint: use letters, digits and _, begin with a letter, and leave out words of C++, such as 'new'"
)
def kernel_that_is_no_name() -> None:
    Module("m").add("my-kernel", [Assignment(q.here, 1)])  # here


@says("{here}: module 'm' already has a kernel 'k'.\n  Hint: choose another name")
def two_kernels_of_one_name() -> None:
    module = Module("m")
    module.add("k", [Assignment(q.here, 1)])
    module.add("k", [Assignment(p.here, 1)])  # here


@says("{here}: 'k' has no statements.\n  Hint: add at least one Assignment or Reduce")
def kernel_without_statements() -> None:
    Module("m").add("k", [])  # here


@says("m: the module has no kernel 'j'.\n  Hint: choose one of: k")
def unknown_kernel() -> None:
    module = Module("m")
    module.add("k", [Assignment(q.here, 1)])
    module.stages("j", "f64", "cpu")


@says("m: the module has no kernels.\n  Hint: add one: module.add(name, statements)")
def module_without_kernels() -> None:
    files(Module("m"), ["cpu"])


@says(
    "{here}: 'k_even' and 'j' follow different links, but the lists of 'm' share one neighbour "
    "table, that of one pattern and lattice.\n"
    "  Hint: add the other kernel to a second module with its own list. Lists of the same cells "
    "number them identically, so fields can be shared"
)
def two_patterns_in_one_module() -> None:
    module = Module("m")
    module.add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    module.add("j", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))  # here
    _ = module.links


@says("nowhere.py: the model file does not exist.\n  Hint: pass the path of a Python file")
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


@says("heddle: its template 'none.j2' is missing.\n  Hint: install Heddle again")
def template_missing() -> None:
    emitted.environment().get_template("none.j2")


@says("heddle: its folder 'none' is missing.\n  Hint: install Heddle again")
def folder_missing() -> None:
    resources.folder("none")


FAILED = "heddle: clang-format failed: "


@says(FAILED + "...")
def formatter_that_fails() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emitted, "_STYLE", "{no style at all")
        with pytest.raises(KernelError) as caught:
            emitted.formatted(["int a;"])
    assert str(caught.value).startswith(FAILED)
    assert "-style" in str(caught.value)
    caught.value.args = (FAILED + "...",)  # what the program itself says may change
    raise caught.value


@says(
    "{here}: 'k' runs over a list, which does not support unchecked_entry: its cells form no rows.\n"
    "  Hint: leave out unchecked_entry, or use a dense space"
)
def trusted_list() -> None:
    trusting = Schedule(cpu=Rows(unchecked_entry=True))
    Module("m").add("k", [Assignment(p.here, q.here)], Sparse("s"), trusting)  # here


@says(
    "{here}: 'k' runs over a list, which does not support unit_stride: its cells form no rows.\n"
    "  Hint: leave out unit_stride, or use a dense space"
)
def list_of_unit_stride() -> None:
    promised = Schedule(cpu=Rows(unit_stride=True))
    Module("m").add("k", [Assignment(p.here, q.here)], Sparse("s"), promised)  # here


@says(
    "{here}: 'k' runs over a dense space, which does not support CompressedList: it has no "
    "neighbour table.\n"
    "  Hint: leave out CompressedList, or use space=Sparse(...)"
)
def compressed_without_a_list() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=Schedule(gpu=CompressedList()))  # here


@says(
    "{here}: a compressed neighbour table holds 30 links, but 'k' follows 31.\n"
    "  Hint: leave out CompressedList"
)
def more_links_than_bits() -> None:
    links = [lbm.Link(1, (number, 0), 2) for number in range(31)]
    statements = lbm.StreamingKernels({"": [Assignment(p.here, q.here)]}, tuple(links))
    Module("m").add("k", statements, Sparse("s"), Schedule(gpu=CompressedList()))  # here


@says(
    "{here}: 'k_even' runs over a list that stores cells behind walls, which does not support "
    "CompressedList: they are far from their neighbours, so only the plain table exists.\n"
    "  Hint: leave out CompressedList"
)
def compressed_with_held_cells() -> None:
    twist = lbm.EsoTwist(D2Q9)(lbm.BGK(D2Q9, "omega"))
    Module("m").add("k", twist, Sparse("s"), Schedule(gpu=CompressedList()))  # here


@says(
    "{here}: 'k_even' runs over a list that stores cells behind walls, which does not support "
    "strips: they are far from their neighbours, so only the plain table exists.\n"
    "  Hint: leave out strips"
)
def strips_with_held_cells() -> None:
    twist = lbm.EsoPull(D2Q9)(lbm.BGK(D2Q9, "omega"))
    Module("m").add("k", twist, Sparse("s"), Schedule(cpu=Strips(16)))  # here


@says(
    "{here}: 'k' has a specialised loop, which does not support strips: it takes whole rows.\n"
    "  Hint: leave out strips"
)
def usual_in_strips() -> None:
    schedule = Schedule(cpu=Strips(16), specialise=("open", 63))
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=schedule)  # here


@says(
    "k: 'k' has no choice between values that depends on 'order' and is the same in a row.\n"
    "  Hint: name a profile along y or z that a condition compares, or leave out usual"
)
def usual_rows_of_no_choice() -> None:
    module = Module("m")
    module.add("k", [Assignment(p.here, q.here)], schedule=Schedule(cpu=Rows(usual=("order", 5))))
    module.stages("k", "f64", "cpu")


@says(
    "k: 'k' has no loop over whole rows that stores, in every cell, to a field that it does not read.\n"
    "  Hint: leave out nontemporal_from"
)
def past_caches_in_place() -> None:
    module = Module("m")
    module.add("k", [Assignment(p.here, 2 * p.here)], schedule=Schedule(cpu=Rows(nontemporal_from=32)))
    module.stages("k", "f64", "cpu")


@says("{here}: nontemporal_from=-1 is out of range.\n  Hint: use the MiB of a cache, or None for never")
def past_caches_of_negative_size() -> None:
    Rows(nontemporal_from=-1)  # here


@says(
    "k: 'k' does not read 'open' at the cell itself along contiguous rows, so its loop cannot be "
    "specialised.\n"
    "  Hint: name an integer field that the kernel reads at the cell itself; with colours, split "
    "the fields"
)
def usual_of_nothing() -> None:
    module = Module("m")
    module.add("k", [Assignment(p.here, q.here)], schedule=Schedule(specialise=("open", 63)))
    module.stages("k", "f64", "cpu")


@says(
    "schedule: math='reproducible' has no 'tanh'.\n"
    '  Hint: write it with cbrt cos exp exp2 log log2 pow sin, or use Schedule(math="library")'
)
def function_that_is_not_reproducible() -> None:
    """One that somebody has added to the library's functions, and not yet defined."""
    with mock.patch.dict(DEFINITIONS):
        del DEFINITIONS["tanh"]
        kernel([Assignment(p.here, sympy.tanh(q.here))], schedule=Schedule(math="reproducible"))


@says(
    "{here}: 'k' has schedules for 'f64', but 'm' has the precisions 'f64', 'f32'.\n"
    "  Hint: give one schedule for each precision of the module, or one alone"
)
def schedule_of_one_precision_of_two() -> None:
    Module("m").add("k", [Assignment(p.here, q.here)], schedule={"f64": Schedule()})  # here


@says(
    "{here}: the schedules of 'k' have fma=False in one precision and fma=True in another: part of what it "
    "computes.\n  Hint: give all of them the same fma"
)
def fma_in_one_precision() -> None:
    schedules = {"f64": Schedule(), "f32": Schedule(fma=True)}
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=schedules)  # here


@says(
    "{here}: the schedules of 'k' need another layout of arrays in one precision than in another.\n"
    "  Hint: let them differ in how cells are shared out: block, row_cells, coarsening, Rows(...)"
)
def interleaved_in_one_precision() -> None:
    schedules = {"f64": Schedule(gpu=Threads()), "f32": Schedule(gpu=Interleaved(4))}
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=schedules)  # here


@says("{here}: 3 is not a schedule.\n  Hint: heddle.Schedule(...)")
def no_schedule_for_a_precision() -> None:
    schedules: Any = {"f64": Schedule(), "f32": 3}
    Module("m").add("k", [Assignment(p.here, q.here)], schedule=schedules)  # here

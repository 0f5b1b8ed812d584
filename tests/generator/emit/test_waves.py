# SPDX-License-Identifier: Apache-2.0
"""What depends on how many threads run in lock step: the device headers say the same as the rows of device
calls, and as the text of all kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from compiled import ROOT
from heddle.ir.device_calls import DEVICE_CALLS
from waves import GENERATED, meetings

HEADERS = sorted((ROOT / "runtime" / "include" / "heddle" / "device").glob("*.hpp"))
ALONE = {
    f"__{name}"
    for name in """align__ attribute__ builtin_constant_p builtin_prefetch cvta_generic_to_global
    cvta_generic_to_shared float_as_int float_as_uint int_as_float launch_bounds__ ldg popc syncthreads
    syncthreads_or uint_as_float""".split()
}
"""Of compilers' functions those that a thread calls by itself, or the whole block. A function that is not
here is taken for one of a wave."""
BUILT_IN = re.compile(r"__\w+(?=\()|warpSize|%laneid|shfl\.")
EDGE, BRACE = re.compile(r"[{};]"), re.compile(r"[{}]")
NAME = re.compile(r"(?!alignas|__launch_bounds__|__align__|__attribute__|decltype|noexcept)\b(\w+)\s*\(")
CALL = re.compile(r"\b(\w+)\s*(?:<[\w\s:,+*/]*>)?\(|::(\w+)\b")
EMITTED_CALLS = re.compile(r"heddle::(\w+)"), re.compile(r"\.([a-z]\w*)\(")


def functions(text: str) -> Iterator[tuple[str, str]]:
    """The functions of a header, those of its classes, too: name, and the text from there on."""
    text = re.sub(r"//.*|^ *#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
    begin = at = 0
    while brace := EDGE.search(text, at):
        at, head = brace.end(), text[begin : brace.start()]
        if brace[0] == "{" and (name := NAME.search(head)):
            depth = 1
            while depth:
                inner = BRACE.search(text, at)
                assert inner is not None, head
                depth, at = depth + (1 if inner[0] == "{" else -1), inner.end()
            yield name[1], text[begin + name.end() : at]
        begin = at


def depending() -> set[str]:
    """The functions of device headers that depend on the wave: they name what a compiler has for it, or each
    other."""
    bodies = [(*each, called(each[1])) for header in HEADERS for each in functions(header.read_text())]
    assert len(bodies) > 200
    found: set[str] = set()
    while True:
        more = {name for name, body, calls in bodies if calls & found or built_in(body)}
        if more <= found:
            return found
        found |= more


def called(text: str) -> set[str]:
    """What the text of a header calls, or names as a function of a namespace."""
    return {name for pair in CALL.findall(text) for name in pair if name}


def built_in(text: str) -> set[str]:
    """What a compiler has for a wave, in a text."""
    return {*BUILT_IN.findall(text)} - ALONE


DEPENDING = depending()


def test_rows_say_what_their_functions_do() -> None:
    """A row whose C++ exchanges values between the threads of a wave says so, and no other does."""
    assert {"shuffle_down", "wait_for_warp", "fold_tree", "combine_warp_sum", "end_round"} <= DEPENDING
    for name, row in DEVICE_CALLS.items():
        assert row.depends_on_wave == ((row.object or row.function or name) in DEPENDING), name


@pytest.mark.slow  # needs all modules of the build dev
def test_text_that_no_row_marks_does_not_depend_on_the_wave() -> None:
    """Neither by a function of a header, nor by one of a compiler: with waves of 32 and of 64 threads it is
    the same program."""
    count = 0
    for launcher in GENERATED.glob("*/*.cu"):
        kernel = launcher.with_suffix(".cuh").read_text()
        both = kernel + launcher.read_text()
        calls = {name for kind in EMITTED_CALLS for name in kind.findall(both)}
        assert bool(calls & DEPENDING or built_in(both)) == bool(meetings(kernel)), launcher
        count += 1
    assert count > 500


def test_text_is_the_same_for_waves_of_any_length() -> None:
    """It decides what is refused, and nothing else."""
    package = ROOT / "generator" / "heddle"
    asking = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\.wave\b", path.read_text())
    }
    assert asking == {"ir/target.py", "ir/legality.py"}

# SPDX-License-Identifier: Apache-2.0
"""Compare what two kernels store, and say where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.pack_table import TABLE
from heddle.roundtrip.equivalence.alias_analysis import CELLS, NEIGHBOUR
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.row_assumptions import interleave_of
from heddle.roundtrip.equivalence.symbolic_execution import SymbolicExecution
from heddle.roundtrip.equivalence.terms import Term
from heddle.roundtrip.equivalence.verdict import Counterexample


@dataclass(frozen=True)
class Effects:
    """What a kernel leaves: for each array it stores to, the type of the elements, what it holds without
    the stores, and the stores in order."""

    stored: dict[str, tuple[str, Term, tuple[Term, ...]]]


def effects(
    kernel: ir.Kernel,
    bits: FloatTerms,
    given: Mapping[ir.Expression, ir.Expression] | None = None,
    blocks: int = 1,
) -> Effects:
    """Read a kernel, on so many interleaved blocks. Raises KernelError for what has no meaning."""
    execution = SymbolicExecution(kernel, bits, given, blocks if interleave_of(kernel) == 1 else 1)
    memory = execution.read()
    stored: dict[str, tuple[str, Term, tuple[Term, ...]]] = {}
    for array, state in memory.top.states.items():
        if (
            array in memory.top.local
            or array in execution.combined
            or (not state.items and state.base.kind == "initial")
        ):
            continue
        if array in (NEIGHBOUR, CELLS, TABLE.name) or array.endswith(("_extent", "_stride")):
            raise KernelError(
                kernel.name, f"it stores to '{array}', which holds indices.", "store to arrays of values only"
            )
        stored[array] = str(execution.elements[array]), state.base, tuple(memory.final(array))
    return Effects(stored)


Equal = Callable[[Term, Term], bool]
Key = Callable[[Term], int]


def _identical(a: Term, b: Term) -> bool:
    return a is b


def difference(
    a: Effects, b: Effects, equal: Equal = _identical, key: Key = lambda term: term.number
) -> Counterexample | None:
    """Where two kernels differ as terms; None if they do not. equal: what is proved; key: alike for terms
    that may be equal."""
    for array in {**a.stored, **b.stored}:
        if array not in a.stored or array not in b.stored:
            which = "first" if array in a.stored else "second"
            return Counterexample(f"only the {which} kernel stores to it", f"array {array}")
        (scalar, base, items), (other_scalar, other_base, others) = a.stored[array], b.stored[array]
        if scalar != other_scalar:
            return Counterexample(f"elements are {scalar} and {other_scalar}", f"array {array}")
        if not equal(base, other_base):
            return Counterexample("loops that carry values between iterations differ", f"array {array}")
        left, right = _only(items, others, key), _only(others, items, key)
        if left or right:
            return _stores(array, left, right, key)
        if [key(item) for item in items] != [key(item) for item in others]:
            return Counterexample("stores that may meet come in another order", f"array {array}")
        for mine, other in zip(items, others, strict=True):
            if not equal(mine, other):
                return _stores(array, [mine], [other], key)
    return None


def _only(items: tuple[Term, ...], others: tuple[Term, ...], key: Key) -> list[Term]:
    known = {key(other) for other in others}
    return [item for item in items if key(item) not in known]


def _stores(array: str, left: list[Term], right: list[Term], key: Key) -> Counterexample:
    """The first store that has no equal, and in what it differs from what comes nearest."""
    if not left or not right:
        which = "second" if left else "first"
        return Counterexample(f"a store is missing in the {which} kernel", f"array {array}")
    mine = left[0]
    nearest = max(right, key=lambda other: _alike(mine, other, key))
    *counts, guard, index, value = mine.args
    *other_counts, other_guard, other_index, other_value = nearest.args
    parts = [
        ("the loops run over other ranges", [*map(key, counts)] != [*map(key, other_counts)]),
        ("the stores go to other elements", key(index) != key(other_index)),
        ("the stores stand under other conditions", key(guard) != key(other_guard)),
        ("the stored values differ", value is not other_value),
    ]
    reasons = [reason for reason, differs in parts if differs] or ["the stores differ"]
    return Counterexample("; ".join(reasons), f"store to {array}[{text(index)}]")


def _alike(a: Term, b: Term, key: Key) -> int:
    """How many parts of two stores agree; the index counts most."""
    if len(a.args) != len(b.args):
        return -1
    same = [key(x) == key(y) for x, y in zip(a.args, b.args, strict=True)]
    return sum(same) + 2 * same[-2]


_SIGNS = {
    "add": "+",
    "mul": "*",
    "div": "/",
    "quotient": "/",
    "remainder": "%",
    "lt": "<",
    "le": "<=",
    "eq": "==",
}


def text(term: Term, depth: int = 4) -> str:
    """A term for people; what lies deeper than `depth` is left out."""
    if depth == 0 and term.args:
        return "..."
    parts = [text(argument, depth - 1) for argument in term.args]
    match term.kind:
        case "int":
            return str(term.data)
        case "real":
            return repr(float.fromhex(term.data[1]))
        case "rational":
            return str(term.data)
        case "bool":
            return str(term.data).lower()
        case "parameter":
            return str(term.data[0])
        case "bound":
            return f"i{term.data[1]}"
        case "load":
            return f"{term.data[1]}[{parts[1]}]"
        case "poly":
            names = {argument.number: part for argument, part in zip(term.args, parts, strict=True)}
            rows = (
                "*".join([*([str(c)] if c != 1 or not m else []), *(names[n] for n in m)])
                for m, c in term.data
            )
            return " + ".join(rows)
        case "call":
            return f"{term.data[0]}({', '.join(parts)})"
        case kind if kind in _SIGNS:
            return f"({f' {_SIGNS[kind]} '.join(parts)})"
    return f"{term.kind}({', '.join(parts)})"

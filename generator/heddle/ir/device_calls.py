# SPDX-License-Identifier: Apache-2.0
"""Device calls: statements that emitted code writes as a call of a function in `heddle/device`, one row each.

A row says how the call is spelled and, as statements of the kernel language, what it stands for. All else
follows from the row: text and verifier read the parameters, printer and lifter spell the call, interpreter
and symbolic execution run the statements, effects and flops are theirs, and the header goes to the include
set. A new device call is a row and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeGuard

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.compressed_neighbours import CELLS, chunk_entry
from heddle.ir.nodes import (
    BOOL,
    F16,
    F32,
    I64,
    U32,
    Access,
    Call,
    Cast,
    Const,
    DeviceCall,
    Expression,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Select,
    Statement,
    Store,
    Symbol,
    View,
)
from heddle.ir.reduction import COMBINATION, TILE
from heddle.ir.visit import statements


class Kind(Enum):
    """What a parameter takes, and how its argument is spelled."""

    ARRAY = auto()
    """The name of an array, or of a line through memory: a Symbol."""
    ARRAYS = auto()
    """One or more of them, up to the last argument: of the last parameter."""
    ROW = auto()
    """A line through memory without a name: a View."""
    PLACE = auto()
    """`array + index`, where elements begin: a Load of the first."""
    ELEMENT = auto()
    """`&array[index]`, where elements begin: a Load of the first, an Access before lowering."""
    VALUE = auto()
    """A number."""
    LANE = auto()
    """The place of the own thread in its warp or block, which knows it: no argument in C++."""


ARRAY, ARRAYS, ROW = Kind.ARRAY, Kind.ARRAYS, Kind.ROW
PLACE, ELEMENT, VALUE = Kind.PLACE, Kind.ELEMENT, Kind.VALUE
Meaning = Callable[..., Sequence[Statement]]


@dataclass(frozen=True)
class DeviceFunction:
    """A function template of `heddle/device`, called `heddle::` and the name of the row, or `function`.

    header: where it is declared; gpu_header: where there is another one for device code. parameters: by
    name, in the order of C++. template: the names of its template arguments, which are integers. meaning: the
    statements that a call stands for, of the arguments by their names. requires: what has to hold before, of
    the same arguments. aliases: the parameter of which the result is another name; "" for no such result.
    object: the class template of which the result is an object, with an array of `length` elements of its
    own that the meaning knows as `local`. pads: the array whose elements from `count` to its end become zero
    (nothing but a padded loop reads them).
    assumes: what symbolic execution takes for granted. cells_per_entry: so many cells share an entry of the
    neighbour table, as far as the call reads it. interpret: what the interpreter does instead of the meaning,
    on arrays and numbers by the same names, where the call reads another form of what the meaning reads.
    reduces: "sum", "min" or "max" where all threads of a warp take part and their values become one;
    reduces_row: where all threads of a block do.
    """

    header: str
    parameters: Mapping[str, Kind]
    meaning: Meaning
    template: tuple[str, ...] = ()
    function: str = ""
    gpu_header: str = ""
    requires: Callable[..., Expression] | None = None
    aliases: str = ""
    object: str = ""
    pads: str = ""
    assumes: str = ""
    cells_per_entry: int = 1
    interpret: Callable[..., None] | None = None
    reduces: str = ""
    reduces_row: str = ""

    @property
    def depends_on_wave(self) -> bool:
        """Whether threads that run in lock step exchange values, so that the call is another program where a
        wave has 64 threads. All others do the same for waves of any length."""
        return bool(self.reduces or self.reduces_row)

    @property
    def spelled(self) -> tuple[Kind, ...]:
        """What the arguments in C++ are."""
        return tuple(kind for kind in self.parameters.values() if kind is not Kind.LANE)

    def kinds(self, count: int, spelled: bool = False) -> tuple[Kind, ...]:
        """What so many arguments are, with or without those that C++ does not spell."""
        kinds = self.spelled if spelled else tuple(self.parameters.values())
        if kinds and kinds[-1] is ARRAYS:
            return (*kinds[:-1], *(ARRAY for _ in range(max(count - len(kinds) + 1, 1))))
        return kinds


ASSUME_TRUE_RUNS = "the list tells the truth about neighbours that follow each other"
UNKNOWN_RUN = 0xFFFFFFFF
"""What heddle/device/run.hpp has for a run of which the list knows nothing."""
LANE = Symbol("lane of a call", I64)


def _lanes(count: Expression, target: Load, value: Expression) -> Sequence[Statement]:
    """`target = value` for each lane below a count, in any order."""
    return (Loop("simd", LANE, integer(0), count, integer(1), (Store(target, value),)),)


def _each(length: int, target: Load, value: Expression) -> Sequence[Statement]:
    """`target = value` for each of so many lanes, one after the other."""
    return (Loop("lanes", LANE, integer(0), integer(length), integer(1), (Store(target, value),)),)


def _after(first: Load, lane: Expression) -> Load:
    """The element so many after the first one; of a chosen place, of each of the two."""

    def moved(index: Expression) -> Expression:
        if isinstance(index, Select):
            return Select(index.condition, moved(index.yes), moved(index.no))
        return add(index, lane)

    return Load(first.pointer, moved(first.index))


def _load_run(
    local: Symbol, field: Symbol, index: Load, count: Expression, run: Load, length: int
) -> Sequence[Statement]:
    return _lanes(count, Load(local, LANE), Load(field, _after(index, LANE)))


def _store_run(
    field: Symbol, line: Symbol, index: Load, count: Expression, run: Load, length: int
) -> Sequence[Statement]:
    return _lanes(count, Load(field, _after(index, LANE)), Load(line, LANE))


def _true_run(index: Load, count: Expression, run: Load, length: int, **_: Expression) -> Expression:
    """The count fits, and where the list knows the first index of a whole run, the others follow it."""
    follow: Expression = Const(True, BOOL)
    for lane in range(length):
        expected = operate("add", run, Const(lane, U32))
        follow = operate("and", follow, operate("eq", _after(index, integer(lane)), expected))
    whole = operate("eq", count, integer(length))
    known = operate("ne", run, Const(UNKNOWN_RUN, U32))
    told = operate("or", operate("not", operate("and", whole, known)), follow)
    return operate("and", operate("le", count, integer(length)), told)


def _fits(count: Expression, length: int, **_: Expression) -> Expression:
    return operate("le", count, integer(length))


def _line(row: Symbol, first: Expression) -> Load:
    return Load(row, add(first, LANE))


def _copied_line(
    local: Symbol, row: Symbol, first: Expression, count: Expression, length: int
) -> Sequence[Statement]:
    return _lanes(count, Load(local, LANE), _line(row, first))


def _stream_run(
    row: Symbol, first: Expression, local: Symbol, count: Expression, length: int
) -> Sequence[Statement]:
    return _lanes(count, _line(row, first), Load(local, LANE))


def _stream_lines(
    row: View, apart: Expression, first: Expression, count: Expression, lines: Sequence[Symbol], length: int
) -> Sequence[Statement]:
    result: list[Statement] = []
    for number, line in enumerate(lines):
        target = Symbol("row of a call", row.type)
        place = add(row.offset, multiply(integer(number), apart))
        result += [
            Let(target, View(row.pointer, place, row.stride)),
            *_stream_run(target, first, line, count, length),
        ]
    return result


def _load_halves(
    local: Symbol, row: Symbol, first: Expression, count: Expression, length: int
) -> Sequence[Statement]:
    return _lanes(count, Load(local, LANE), Cast(_line(row, first), F32))


def _store_halves(
    row: Symbol, first: Expression, local: Symbol, count: Expression, length: int
) -> Sequence[Statement]:
    return _lanes(count, _line(row, first), Cast(Load(local, LANE), F16))


def _load_vector(local: Symbol, first: Load, length: int) -> Sequence[Statement]:
    return _each(length, Load(local, LANE), _after(first, LANE))


def _store_vector(first: Load, local: Symbol, length: int) -> Sequence[Statement]:
    return _each(length, _after(first, LANE), Load(local, LANE))


def _nothing(**_: Expression | int) -> Sequence[Statement]:
    return ()


def groups_of(operation: str, results: Symbol) -> Symbol:
    """The array of what the cells of each tile give, of which `results` holds one number per tile."""
    return Symbol(f"{operation} of {results.name}", results.type)


def _combine_warp(operation: str) -> DeviceFunction:
    def meaning(
        results: Symbol, index: Expression, lane: Expression, value: Expression, known: Expression
    ) -> Sequence[Statement]:
        groups, tile = groups_of(operation, results), Symbol("tile of a call", results.type)
        first = multiply(index, integer(TILE))
        assert isinstance(results.type, Pointer)
        whole = Call(f"combine_{operation}", (tile, integer(TILE)), results.type.element)
        return (
            Store(Load(groups, add(first, lane)), value),
            Let(tile, View(groups, first, integer(1))),
            Store(Load(results, index), whole),
        )

    parts = {"results": ARRAY, "index": VALUE, "lane": Kind.LANE, "value": VALUE, "known": VALUE}
    return DeviceFunction("reduce_gpu.hpp", parts, meaning, requires=_known, reduces=operation)


MOST_CELLS = 1 << 32
"""Of a row: more than any has."""


def cells_of(operation: str, results: Symbol) -> Symbol:
    """The array of what the cells of each row give, of which `results` holds one number per row."""
    return Symbol(f"{operation} of the rows of {results.name}", results.type)


def _combine_row(operation: str) -> DeviceFunction:
    def meaning(
        rows: Symbol, first: Load, value: Expression, known: Expression, lane: Expression, count: Expression
    ) -> Sequence[Statement]:
        cells, row = cells_of(operation, first.pointer), Symbol("row of a call", first.pointer.type)
        begin = multiply(first.index, integer(MOST_CELLS))
        return (
            Store(Load(cells, add(begin, lane)), value),
            Let(row, View(cells, begin, integer(1))),
            Store(first, Call(f"fold_row_{operation}", (row, count), first.type)),
        )

    parts = {"rows": ARRAY, "first": ELEMENT, "value": VALUE, "known": VALUE}
    lanes = {"lane": Kind.LANE, "count": Kind.LANE}
    return DeviceFunction("reduce_gpu.hpp", parts | lanes, meaning, requires=_known, reduces_row=operation)


def _waiting_rows(operation: str, *more: str) -> DeviceFunction:
    return DeviceFunction(
        "reduce_gpu.hpp",
        dict.fromkeys(("count", *more), VALUE),
        _nothing,
        template=("length",),
        object={"sum": "RowSums", "min": "RowMinima", "max": "RowMaxima"}[operation],
    )


def _known(known: Expression, **_: Expression) -> Expression:
    return known


def _decode_neighbours(
    local: Symbol,
    chunks: Symbol,
    table: Symbol,
    stride: Expression,
    n: Expression,
    last: Expression,
    links: int,
) -> Sequence[Statement]:
    """From the plain table, which is what the compressed one stands for."""
    rows = (add(multiply(integer(row), stride), n) for row in range(links))
    return [Store(Load(local, integer(row)), Load(table, index)) for row, index in enumerate(rows)]


def _decode_chunks(
    local: MutableSequence[Any],
    chunks: Sequence[Any],
    table: Sequence[Any],
    stride: int,
    n: int,
    links: int,
    **_: Any,
) -> None:
    """From the compressed table, or where that says so from the plain one."""
    for row in range(links):
        entry = chunk_entry(chunks, links, row, n)
        local[row] = table[row * stride + n] if entry is None else entry


_RUN = {"index": PLACE, "count": VALUE, "run": PLACE}
_LINE = {"row": ARRAY, "first": VALUE}

DEVICE_CALLS: dict[str, DeviceFunction] = {
    # local[l] = field[index[l]] for l < count; emitted code lets the result lead to the field's own elements
    # where they follow each other, and what a lane reads there no other lane may write.
    "load_run": DeviceFunction(
        "run.hpp",
        {"local": ARRAY, "field": ARRAY, **_RUN},
        _load_run,
        template=("length",),
        requires=_true_run,
        aliases="local",
        assumes=ASSUME_TRUE_RUNS,
    ),
    # field[index[l]] = line[l] for l < count; line: the result of load_run for the same indices, or an array.
    "store_run": DeviceFunction(
        "run.hpp",
        {"field": ARRAY, "line": ARRAY, **_RUN},
        _store_run,
        template=("length",),
        requires=_true_run,
        assumes=ASSUME_TRUE_RUNS,
    ),
    # Asks for the cache lines of `field` to which `rows` whole runs of `length` indices lead.
    "prefetch_runs": DeviceFunction(
        "run.hpp", {"field": ARRAY, "run": PLACE}, _nothing, template=("length", "rows")
    ),
    # Asks for the cache lines of `length` elements, which are about to be updated, or only read where the
    # kernel never writes their field.
    "prefetch": DeviceFunction("row.hpp", {"first": ELEMENT}, _nothing, template=("length",)),
    # The same from element x of rows of `count` on; beyond their ends for those of the next ones, `next`
    # elements of memory further on.
    "prefetch_rows": DeviceFunction(
        "row.hpp",
        {"x": VALUE, "count": VALUE, "next": VALUE, "rows": ARRAYS},
        _nothing,
        template=("length",),
        function="prefetch",
    ),
    # An array with [l] = row[first + l] for l < count; emitted code may let it be the row itself.
    "line": DeviceFunction(
        "run.hpp",
        {**_LINE, "count": VALUE},
        _copied_line,
        template=("length",),
        requires=_fits,
        object="Line",
        pads="local",
    ),
    # row[first + l] = local[l] for l < count, past the caches.
    "stream_run": DeviceFunction(
        "run.hpp",
        {**_LINE, "local": ARRAY, "count": VALUE},
        _stream_run,
        template=("length",),
        requires=_fits,
    ),
    # The same for several rows, of which each begins `apart` elements of memory after the one before.
    "stream_lines": DeviceFunction(
        "run.hpp",
        {"row": ROW, "apart": VALUE, "first": VALUE, "count": VALUE, "lines": ARRAYS},
        _stream_lines,
        template=("length",),
        requires=_fits,
    ),
    # local[l] = row[first + l] with halves in memory and floats in `local`, and back.
    "load_halves": DeviceFunction(
        "half_row.hpp",
        {"local": ARRAY, **_LINE, "count": VALUE},
        _load_halves,
        template=("length",),
        requires=_fits,
        pads="local",
    ),
    "store_halves": DeviceFunction(
        "half_row.hpp",
        {**_LINE, "local": ARRAY, "count": VALUE},
        _store_halves,
        template=("length",),
        requires=_fits,
    ),
    # local[l] = (&first)[l] for l < length, and back.
    "load_vector": DeviceFunction(
        "interleaved_vector.hpp", {"local": ARRAY, "first": ELEMENT}, _load_vector, template=("length",)
    ),
    "store_vector": DeviceFunction(
        "interleaved_vector.hpp", {"first": ELEMENT, "local": ARRAY}, _store_vector, template=("length",)
    ),
    # local[r] = entry (r, n) of the neighbour table for r < links; the compressed table `chunks` has the
    # largest number at a wall. last: no cell from there on is asked for.
    "decode_neighbours": DeviceFunction(
        "compressed_neighbours.hpp",
        {"local": ARRAY, "chunks": ARRAY, "table": ARRAY, "stride": VALUE, "n": VALUE, "last": VALUE},
        _decode_neighbours,
        template=("links",),
        assumes=ASSUME_TRUE_RUNS,
        cells_per_entry=CELLS,
        interpret=_decode_chunks,
    ),
    # All threads of a block have come here, and see what the others have written to shared memory.
    "barrier": DeviceFunction("shared.hpp", {}, _nothing),
    # With a thread for each cell: `value` is number `lane` of the 32 values that become results[index].
    # Threads without a cell take part; known: whether there is such an element.
    **{f"combine_warp_{operation}": _combine_warp(operation) for operation in COMBINATION},
    # With a block of threads for each row: `value` is number `lane` of the `count` values that become the
    # element. Threads without a cell (known: whether there is one) take part. The parts of up to `length`
    # elements wait in `rows` and are stored together, at the latest by store_row_*: nothing reads the
    # elements before. row_piece_*: of a piece of a row that begins at cell `begin`, after those before it.
    **{f"row_{operation}s": _waiting_rows(operation) for operation in COMBINATION},
    **{f"row_piece_{operation}s": _waiting_rows(operation, "begin") for operation in COMBINATION},
    **{
        f"store_row_{operation}s": DeviceFunction("reduce_gpu.hpp", {"rows": ARRAY}, _nothing)
        for operation in COMBINATION
    },
    **{f"combine_row_{operation}": _combine_row(operation) for operation in COMBINATION},
}


def row_of(call: DeviceCall) -> DeviceFunction:
    """The row of a call."""
    return DEVICE_CALLS[call.name]


def device_call(name: str, result: Symbol | None = None, /, **parts: Any) -> DeviceCall:
    """A call with its arguments and template arguments by name."""
    row = DEVICE_CALLS[name]
    args: tuple[Expression, ...] = ()
    for parameter, kind in row.parameters.items():
        given = parts.pop(parameter)
        args += tuple(given) if kind is ARRAYS else (given,)
    template = tuple(parts.pop(parameter) for parameter in row.template)
    assert not parts, parts
    return DeviceCall(name, args, template, result)


def with_parts(call: DeviceCall, **changed: Any) -> DeviceCall:
    """The same call with some of its arguments changed."""
    return device_call(call.name, call.result, **parts_of(call) | changed)


def is_warp_reduction(node: object) -> TypeGuard[DeviceCall]:
    """Whether a node is a call in which all threads of a warp take part."""
    return isinstance(node, DeviceCall) and bool(row_of(node).reduces)


def is_row_reduction(node: object) -> TypeGuard[DeviceCall]:
    """Whether a node is a call in which all threads of a block take part."""
    return isinstance(node, DeviceCall) and bool(row_of(node).reduces_row)


def is_call(node: object, *names: str) -> TypeGuard[DeviceCall]:
    """Whether a node is a call of one of these rows."""
    return isinstance(node, DeviceCall) and node.name in names


def parts_of(call: DeviceCall) -> dict[str, Any]:
    """The arguments and template arguments of a call by their names; those of ARRAYS are a tuple."""
    row = row_of(call)
    names: tuple[str, ...] = tuple(row.parameters)
    args: tuple[Any, ...] = call.args
    if row.parameters and row.parameters[names[-1]] is ARRAYS:
        args = (*args[: len(names) - 1], args[len(names) - 1 :])
    return dict(zip((*names, *row.template), (*args, *call.template), strict=True))


def meaning(call: DeviceCall) -> tuple[Statement, ...]:
    """The statements that a call stands for, but for its result and for what it pads."""
    own = {"local": call.result} if row_of(call).object else {}
    return tuple(row_of(call).meaning(**parts_of(call), **own))


def made(call: DeviceCall) -> Local | None:
    """The array that comes to be with the object of a call."""
    if not row_of(call).object:
        return None
    assert call.result is not None
    return Local(call.result, parts_of(call)["length"], "register")


def padded(statement: Statement) -> Symbol | None:
    """The array, as later statements name it, of which a call sets what lies beyond its count to zero."""
    if not (isinstance(statement, DeviceCall) and row_of(statement).pads):
        return None
    return statement.result or parts_of(statement)[row_of(statement).pads]


def written(call: DeviceCall) -> set[Symbol]:
    """The arrays to which a call stores."""
    stores = (s for s in statements(meaning(call)) if isinstance(s, Store))
    return {store.target.pointer for store in stores if isinstance(store.target, Load)}


def fault(call: DeviceCall) -> str:
    """What is wrong with the form of a call; "" if nothing is."""
    row = DEVICE_CALLS.get(call.name)
    if row is None:
        return f"the unknown device call '{call.name}'"
    kinds = row.kinds(len(call.args))
    if (len(call.args), len(call.template)) != (len(kinds), len(row.template)):
        return f"'{call.name}' with the wrong number of arguments"
    last = len(row.parameters) - 1
    for number, (kind, argument) in enumerate(zip(kinds, call.args, strict=True)):
        is_array = isinstance(argument.type, Pointer)
        if not isinstance(argument, _CLASSES.get(kind, Expression)) or is_array != (kind in (ARRAY, ROW)):
            return f"'{call.name}' with a wrong argument {list(row.parameters)[min(number, last)]}"
    if bool(row.aliases or row.object) != (call.result is not None):
        return f"'{call.name}' {'without' if row.aliases else 'with'} a result"
    if any(isinstance(array.type, Pointer) and array.type.const for array in written(call)):
        return f"'{call.name}' on an array that is never stored to"
    return ""


_CLASSES: dict[Kind, type | tuple[type, ...]] = {
    ARRAY: Symbol,
    ROW: View,
    PLACE: Load,
    ELEMENT: (Load, Access),
}

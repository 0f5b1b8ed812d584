# SPDX-License-Identifier: Apache-2.0
"""The kernels of a module for Fortran: <module>_f.f90, with interfaces to the C entries and subroutines that
take arrays of Fortran."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from heddle.emit.files import LINE, comment_lines, digested, render
from heddle.emit.kernel_files import Variant
from heddle.emit.module_files import Entry, entries, has_row_cells, kernel_about
from heddle.emit.signature import Argument, arguments
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.target import Target, in_order

Directives = Literal["host", "openacc", "openmp"]
DIRECTIVES: tuple[Directives, ...] = ("host", "openacc", "openmp")
"""How subroutines get addresses of a device: not at all, or by directives."""
LONGEST_NAME = 63
"""Of Fortran since 2003."""
CODES = (
    ("null_pointer", -1, "a null pointer"),
    ("wrong_extent", -2, "extents of two arrays differ, or leave no interior"),
    ("wrong_stride", -3, "a written array has stride zero, or a profile or table is not contiguous"),
    ("overlap", -4, "a written array shares elements with another one"),
    ("wrong_index", -5, "an index lies outside an array"),
    ("launch_failed", -6, "the launch on the device failed"),
    ("misaligned", -7, "the address of an array is no multiple of the size of its elements"),
    ("uneven_rows", -8, "a row, a stride or an address is no multiple of the cells that a thread takes"),
    ("few_ghosts", -100, "the kernel reaches further than the ghost layers of the arrays"),
    ("wrong_order", -101, "order does not name each axis once"),
)
"""What entries return (see <module>.h), and from -100 on what subroutines find. uneven_rows: of modules only
that have such kernels."""
_KINDS = {
    ("f", 16): "integer(c_int16_t)",
    ("f", 32): "real(c_float)",
    ("f", 64): "real(c_double)",
    ("b", 1): "logical(c_bool)",
    **{(kind, bits): f"integer(c_int{bits}_t)" for kind in "iu" for bits in (8, 16, 32, 64)},
}
_USED = """any arrange axis_of c_loc c_null_ptr code elements_between ends finish ghosts ghosts_after min
order place present product queue second shape size status steps stream trust_ghosts trusted""".split()
"""Names in a subroutine that are no arguments of the kernel."""
_WITH_ARRAYS = ("extent", "stride")
"""Roles of arguments that an array of Fortran brings with it."""
_OF_AN_ARRAY = ("_extent", "_stride", "_first")
_REGIONS = {
    "openacc": ("!$acc host_data use_device({arrays})", "!$acc end host_data"),
    "openmp": ("!$omp target data use_device_addr({arrays})", "!$omp end target data"),
}
_BUILT_WITH = re.compile(r"^! To change it, .*--fortran (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class _Array:
    """An array of a subroutine. has: the axes of space that it has an index for; last: whether components
    follow; lines: whether it is a list of values without strides."""

    argument: Argument
    name: str
    has: tuple[bool, bool, bool]
    last: bool
    listed: bool

    @property
    def rank(self) -> int:
        return 1 if self.listed else sum(self.has) + self.last

    def element(self, *indices: object) -> str:
        return f"{self.name}({', '.join(map(str, indices))})"


def fortran_name(module: str) -> str:
    """The file, in the module's folder."""
    return f"{module}_f.f90"


def built_with(text: str) -> Directives | None:
    """The directives that a file has, from its banner; None where it does not say so."""
    found = _BUILT_WITH.search(text)
    return next((one for one in DIRECTIVES if found and found[1] == one), None)


def fortran_file(
    module: str,
    kernels: Mapping[str, Sequence[Variant]],
    targets: Sequence[Target],
    directives: Directives,
    banner: Mapping[str, Any],
) -> str:
    """<module>_f.f90. Kernels over lists have interfaces only; so have the reference target and, without
    directives, GPUs.

    Raises KernelError where a name is longer than Fortran takes.
    """
    found = [(name, entry) for name in kernels for entry in entries(module, name, kernels[name], targets)]
    interfaces = [_interface(entry) for _, entry in found]
    wrappers: list[str] = []
    generics: dict[str, dict[str, str]] = {}
    for name, entry in found:
        gpu = entry.target.gpu is not None
        if not _wraps(entry) or (gpu and directives == "host"):
            continue
        wrapper = _Wrapper(module, name, entry, directives)
        wrappers.append(wrapper.text())
        generics.setdefault(f"{module}_{name}{entry.target.suffix}", {}).setdefault(
            wrapper.signature, wrapper.name
        )
    devices = [target for target in in_order(targets) if target.gpu is not None]
    device = None
    if devices and directives != "host":
        gpu_target = devices[0].gpu
        assert gpu_target is not None
        device = {"suffix": devices[0].suffix, "stream": f"a {gpu_target.stream} as type(c_ptr)"}
    values: dict[str, Any] = {
        **banner,
        "about": comment_lines(banner["about"], LINE - 2),
        "module": module,
        "directives": directives,
        "device": device,
        "codes": [code for code in CODES if code[0] != "uneven_rows" or has_row_cells(kernels, targets)],
        "public": [*generics, *(entry.name for _, entry in found)],
        "generics": [
            {"name": name, "procedures": _broken(f"module procedure {', '.join(taken.values())}", 4)}
            for name, taken in generics.items()
        ],
        "entries": interfaces,
        "wrappers": wrappers,
    }
    text = digested(render("module.f90.j2", **values))
    _check_names(module, text)
    return text


def _wraps(entry: Entry) -> bool:
    kernel = entry.variant.stages.kernel
    whole = any(field.dense and field.rank == kernel.space.dimensions for field in kernel.fields)
    return (
        kernel.space.is_box
        and not kernel.space.packs
        and whole
        and not entry.special
        and not entry.target.checked
    )


def _check_names(module: str, text: str) -> None:
    long = sorted({name for name in re.findall(r"\b[A-Za-z]\w*", text) if len(name) > LONGEST_NAME})
    declared = [name for name in long if re.search(rf"^ *(?!!).*\b{name}\b", text, re.MULTILINE)]
    if declared:
        raise KernelError(
            module,
            f"'{declared[0]}' has {len(declared[0])} letters, and Fortran takes {LONGEST_NAME}.",
            "choose shorter names for the module, the kernel or the field",
        )


def _kind(scalar: ir.Type) -> str:
    assert isinstance(scalar, ir.Scalar)
    return _KINDS[scalar.kind, scalar.bits]


def _element(argument: Argument) -> ir.Scalar:
    assert isinstance(argument.kind, ir.Pointer)
    return argument.kind.element


def _length(argument: Argument) -> int:
    """How many extents or strides an array has."""
    field = argument.field
    assert field is not None
    return field.layout.axes(field.rank, field.components)


def _names(everything: Sequence[Argument], taken: Iterable[str] = ()) -> dict[str, str]:
    """Names of arguments in Fortran, which knows no difference between capitals and small letters, and where
    names begin with a letter. taken: those that are used otherwise. What belongs to an argument, such as
    `u_first` to `u`, is nobody else's."""
    result: dict[str, str] = {}
    used = {name.lower() for name in taken}
    ends = ("", *_OF_AN_ARRAY)
    for argument in everything:
        base = argument.name.lstrip("_") or "x"
        base = base if base[0].isalpha() else f"x{base}"
        name, number = base, 2
        if argument.role not in _WITH_ARRAYS:
            while any(f"{name}{end}".lower() in used for end in ends):
                name, number = f"{base}_{number}", number + 1
            used |= {f"{name}{end}".lower() for end in ends}
        else:
            assert argument.field is not None
            name = f"{result[argument.field.name]}_{argument.role}"
        result[argument.name] = name
    return result


def _broken(text: str, indent: int) -> str:
    """A statement in lines of at most LINE columns, broken behind commas."""
    lines = textwrap.wrap(
        text, LINE - 2, initial_indent=" " * indent, subsequent_indent=" " * (indent + 4),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return " &\n".join(lines)


def _interface(entry: Entry) -> str:
    everything = arguments(entry.variant.stages.kernel)
    names = _names(everything, (entry.name, "stream"))
    lines, kinds = list[str](), set[str]()
    for argument in everything:
        name = names[argument.name]
        if argument.role in ("extent", "stride"):
            lines.append(f"integer(c_int64_t), intent(in) :: {name}({_length(argument)})")
            kinds.add("c_int64_t")
        elif isinstance(argument.kind, ir.Pointer):
            lines.append(f"type(c_ptr), value :: {name}")
            kinds.add("c_ptr")
        else:
            lines.append(f"{_kind(argument.kind)}, value :: {name}")
            kinds.add(_kind(argument.kind).partition("(")[2].rstrip(")"))
    passed = list(names.values())
    if entry.stream:
        passed.append("stream")
        lines.append("type(c_ptr), value :: stream")
        kinds.add("c_ptr")
    head = f"integer(c_int) function {entry.name}({', '.join(passed)}) bind(c, name='{entry.name}')"
    return "\n".join(
        [
            _broken(head, 4),
            _broken(f"import :: {', '.join(sorted(kinds | {'c_int'}))}", 6),
            *(f"      {line}" for line in lines),
            "    end function",
        ]
    )


class _Wrapper:
    """A subroutine that takes arrays of Fortran and calls an entry."""

    def __init__(self, module: str, kernel: str, entry: Entry, directives: Directives) -> None:
        self.module, self.kernel, self.entry, self.directives = module, kernel, entry, directives
        self.ir = entry.variant.stages.kernel
        self.device = entry.target.gpu is not None
        self.everything = arguments(self.ir)
        self.name = f"{entry.name}_of_arrays"
        self.generic = f"{module}_{kernel}{entry.target.suffix}"
        names = _names(self.everything, (*_USED, self.name, entry.name))
        self.names = names
        self.arrays = [self._array(a) for a in self.everything if a.role in ("array", "entries")]
        self.strided = [array for array in self.arrays if not array.listed]
        self.lists = [array for array in self.arrays if array.listed]
        self.on_device = [a for a in self.everything if self.device and a.role in ("output", "work")]

    @property
    def signature(self) -> str:
        """What tells specific procedures of a generic one apart."""
        return " ".join(f"{_kind(_element(array.argument))}:{array.rank}" for array in self.arrays) + "".join(
            f" {_kind(_element(a))}" for a in self.everything if a.role == "output"
        )

    def _array(self, argument: Argument) -> _Array:
        field = argument.field
        assert field is not None
        name = self.names[argument.name]
        if argument.role == "entries":
            return _Array(argument, name, (False, False, False), False, True)
        has = tuple(axis < field.rank and not (argument.of_row and axis == 0) for axis in range(3))
        return _Array(argument, name, has, bool(field.layout.last_extent(field.components)), False)  # type: ignore[arg-type]

    def text(self) -> str:
        lines = [f"  !> {line}" for line in self._about()]
        lines.append(_broken(f"subroutine {self.name}({', '.join(self._dummies())})", 2))
        lines += [_broken(line, 4) for line in self._declarations()]
        lines.append("")
        lines += [_broken(line, 4) for line in self._layout()]
        lines += self._call()
        lines.append("  end subroutine")
        return "\n".join(lines)

    def _about(self) -> list[str]:
        first, *rest = kernel_about(self.kernel, self.entry.variant, without=(*_WITH_ARRAYS, "entries"))
        lines = [first, *(line.replace("; first interior element", "") for line in rest)]
        for array in self.lists:
            field = array.argument.field
            assert field is not None
            if field.layout.along_axis:
                axis, around = "xyz"[field.axis], field.ghost_layers
                more = f" + {2 * around}" if around else ""
                beyond = f"; {around} before and {around} behind the interior" if around else ""
                lines.append(f"{array.name}: profile along {axis}, n_{axis}{more} values{beyond}")
            else:
                lines.append(f"{array.name}: table of {field.size} values")
        return comment_lines(lines, LINE - 6)

    # The interface

    def _taken(self) -> list[Argument]:
        return [
            a
            for a in self.everything
            if a.role not in ("extent", "stride") and (a.role != "work" or self.device)
        ]

    def _dummies(self) -> list[str]:
        own = [self.names[argument.name] for argument in self._taken()]
        order = ["order"] if self.ir.space.dimensions > 1 else []
        stream = ["stream"] if self.device else []
        return [*own, "ghosts", "ghosts_after", *order, "trust_ghosts", *stream, "status"]

    def _declarations(self) -> Iterator[str]:
        arrays = {array.argument.name: array for array in self.arrays}
        for argument in self._taken():
            name = self.names[argument.name]
            if argument.name in arrays:
                array = arrays[argument.name]
                assert isinstance(argument.kind, ir.Pointer)
                intent = "in" if argument.kind.const else "inout"
                shape = ", ".join([":"] * array.rank)
                yield f"{_kind(argument.kind.element)}, intent({intent}), target :: {name}({shape})"
            elif argument.role == "work":
                yield f"{_kind(_element(argument))}, intent(inout), target :: {name}(:)"
            elif argument.role == "output":
                result = (
                    f"intent(inout), target :: {name}(:)" if self.device else f"intent(out), target :: {name}"
                )
                yield f"{_kind(_element(argument))}, {result}"
            else:
                yield f"{_kind(argument.kind)}, intent(in) :: {name}"
        axes = self.ir.space.dimensions
        yield f"integer, intent(in) :: ghosts({axes})"
        yield f"integer, intent(in), optional :: ghosts_after({axes})"
        if axes > 1:
            yield "integer, intent(in), optional :: order(:)"
        yield "logical, intent(in), optional :: trust_ghosts"
        if self.device:
            yield "type(c_ptr), intent(in), optional :: stream"
        yield "integer, intent(out), optional :: status"
        for array in self.strided:
            length = _length(array.argument)
            yield (
                f"integer(c_int64_t) :: {array.name}_extent({length}), {array.name}_stride({length}), "
                f"{array.name}_first({array.rank})"
            )
        if not self.device:
            for argument in self.everything:
                if argument.role == "work":
                    name = self.names[argument.name]
                    yield f"{_kind(_element(argument))}, allocatable, target :: {name}(:)"
        ranks = max((array.rank for array in self.strided), default=1)
        yield f"integer(c_int64_t) :: steps({ranks})"
        yield f"integer :: second({ranks}), ends(3, 2), axis_of(3), code"
        yield "logical :: trusted"
        if self.device:
            yield "type(c_ptr) :: queue"

    # Statements

    def _layout(self) -> Iterator[str]:
        axes = self.ir.space.dimensions
        order = "order, ends, axis_of, code" if axes > 1 else "ends=ends, axis_of=axis_of, code=code"
        yield f"call arrange({axes}, ghosts, ghosts_after, {order})"
        empty = " .or. ".join(f"size({array.name}) == 0" for array in self.arrays)
        yield f"if ({empty}) code = {self.module}_wrong_extent"
        yield from self._given_back()
        yield "trusted = .false."
        yield "if (present(trust_ghosts)) trusted = trust_ghosts"
        for array in self.strided:
            yield from self._placed(array)
        for array in self.lists:
            yield from self._listed(array)
        yield from self._given_back()
        if self.device:
            yield "queue = c_null_ptr"
            yield "if (present(stream)) queue = stream"
            return
        for argument in self.everything:
            if argument.role == "work":
                yield self._room(self.names[argument.name])

    def _given_back(self) -> Iterator[str]:
        yield "if (code /= 0) then"
        yield f"  call finish('{self.generic}', code, status)"
        yield "  return"
        yield "end if"

    def _placed(self, array: _Array) -> Iterator[str]:
        """Statements that find extents, strides and the first interior element of an array."""
        argument, rank = array.argument, array.rank
        field = argument.field
        assert field is not None
        ones = [1] * rank
        beside = ", ".join(
            f"c_loc({array.element(*ones[:index], f'second({index + 1})', *ones[index + 1 :])})"
            for index in range(rank)
        )
        yield f"second(:{rank}) = min(shape({array.name}), 2)"
        yield (
            f"steps(:{rank}) = elements_between(c_loc({array.element(*ones)}), [{beside}], "
            f"{_element(argument).bytes})"
        )
        has = ", ".join(f".{str(one).lower()}." for one in array.has)
        before, after = (
            str([*(axes or (0,) * 3), 0, 0][:3]) for axes in (argument.reach.before, argument.reach.after)
        )
        ends = "0 * ends" if field.layout.other_grid else "ends"
        yield (
            f"call place(shape({array.name}), steps(:{rank}), [{has}], {before}, {after}, trusted, {ends}, "
            f"axis_of, {array.name}_extent, {array.name}_stride, {array.name}_first, code)"
        )
        if argument.of_row:  # one value for all cells along x
            whole = next(other for other in self.strided if not other.argument.of_row and other.has[0])
            yield f"{array.name}_extent(1) = {whole.name}_extent(1)"
            yield f"{array.name}_stride(1) = 0"

    def _listed(self, array: _Array) -> Iterator[str]:
        field = array.argument.field
        assert field is not None
        if field.layout.along_axis:
            whole = next(one for one in self.strided if one.has[field.axis] and not self._other(one))
            count = f"{whole.name}_extent({field.axis + 1}) + {2 * field.ghost_layers}"
        else:
            count = str(field.size)
        yield f"if (size({array.name}, kind=c_int64_t) /= {count}) code = {self.module}_wrong_extent"
        bytes_ = _element(array.argument).bytes
        distance = (
            f"elements_between(c_loc({array.name}(1)), c_loc({array.name}(size({array.name}))), {bytes_})"
        )
        yield f"if ({distance} /= size({array.name}) - 1) code = {self.module}_wrong_stride"

    def _other(self, array: _Array) -> bool:
        field = array.argument.field
        return field is not None and field.layout.other_grid

    def _room(self, name: str) -> str:
        """Scratch of a reduction: enough for t + t / 1024 + 1 values with a tile for each 32 cells of a row,
        whichever axis rows lie along."""
        axes = self.ir.space.dimensions
        whole = next(one for one in self.strided if all(one.has[:axes]))
        tiles = f"(product({whole.name}_extent(:{axes}) + 31) / 32) * {self.ir.space.colours}"
        return f"allocate ({name}(2 * {tiles} + 1))"

    def _call(self) -> list[str]:
        values = list[str]()
        arrays = {array.argument.name: array for array in self.arrays}
        for argument in self.everything:
            name = self.names[argument.name]
            if argument.name in arrays:
                values.append(self._address(arrays[argument.name]))
            elif argument.role in ("extent", "stride"):
                assert argument.field is not None
                values.append(f"{self.names[argument.field.name]}_{argument.role}")
            elif argument.role in ("output", "work"):
                values.append(f"c_loc({name}(1))" if self.device else f"c_loc({name})")
            else:
                values.append(name)
        if self.device:
            values.append("queue")
        call = _broken(f"code = {self.entry.name}({', '.join(values)})", 4)
        done = f"    call finish('{self.generic}', code, status)"
        if not self.device:
            return [call, done]
        on_device = ", ".join([*(a.name for a in self.arrays), *(self.names[a.name] for a in self.on_device)])
        begin, end = _REGIONS[self.directives]
        return [_directive(begin.format(arrays=on_device)), call, f"    {end}", done]

    def _address(self, array: _Array) -> str:
        if array.listed:
            field = array.argument.field
            assert field is not None
            return f"c_loc({array.name}({1 + field.ghost_layers if field.layout.along_axis else 1}))"
        return f"c_loc({array.element(*(f'{array.name}_first({i + 1})' for i in range(array.rank)))})"


def _directive(text: str) -> str:
    """A directive in lines of at most LINE columns."""
    sentinel = text.split()[0]
    lines = textwrap.wrap(
        text, LINE - 2, initial_indent="    ", subsequent_indent=f"    {sentinel} ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return " &\n".join(lines)

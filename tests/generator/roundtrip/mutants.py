# SPDX-License-Identifier: Apache-2.0
"""Small faults put into emitted text at random: what a wrong printer, template or hand could have written."""

from __future__ import annotations

import itertools
import random
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"//[^\n]*|#include[^\n]*|#(?:ifndef|define|endif)[^\n]*|#pragma[^\n]*|\s+"
    r"|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[FfUuLl]*|[A-Za-z_]\w*|"
    r"<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|::|\+=|-=|."
)
_FLIPPED = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "==": "!=", "!=": "==", "&&": "||", "||": "&&", "++": "--", "+=": "-=", "?": ":", "!": "",
}  # fmt: skip
_PRECISIONS = {
    "double": "float", "float": "double", "int64_t": "int32_t", "uint32_t": "int32_t", "uint16_t": "uint32_t",
    "half_to_double": "half_to_float", "half_to_float": "half_to_double", "sqrt": "exp", "min": "max",
    "max": "min", "exp": "log", "load_run": "store_run", "true": "false", "false": "true",
    "__restrict__": "", "null_pointer": "bad_stride", "extents_differ": "bad_stride", "ok": "bad_stride",
}  # fmt: skip
_WORDS = {
    "const",
    "constexpr",
    "std",
    "heddle",
    "namespace",
    "return",
    "if",
    "else",
    "for",
    "template",
    "void",
    "auto",
}
_KEPT = re.compile(r"\s|//|#(?!pragma)")


@dataclass(frozen=True)
class Mutant:
    """A changed text. kind: one of KINDS. fault: what was done, with the line."""

    text: str
    kind: str
    fault: str


def tokens(text: str) -> list[str]:
    """Every token of C++ text, spaces and comments included: joined, they are the text."""
    return _TOKEN.findall(text)


def mutant(text: str, generator: random.Random, kind: str) -> Mutant | None:
    """One fault of a kind at a random place of the code; None if the text has no such place."""
    parts = tokens(text)
    assert "".join(parts) == text
    for _ in range(20):
        made = _CHANGES[kind](parts, generator)
        if made is None:
            continue
        at, replaced, name = made
        if _code(replaced) != _code(parts):
            line = "".join(parts[:at]).count("\n") + 1
            return Mutant("".join(replaced), kind, f"line {line}: {name}")
    return None


def _code(parts: Sequence[str]) -> list[str]:
    return [part for part in parts if not _KEPT.match(part) and part]


Change = Callable[[list[str], random.Random], tuple[int, list[str], str] | None]


def _pick(parts: Sequence[str], generator: random.Random, fits: Callable[[str], bool]) -> int | None:
    places = [at for at, part in enumerate(parts) if fits(part)]
    return generator.choice(places) if places else None


def _with(parts: list[str], at: int, text: str) -> list[str]:
    return [*parts[:at], text, *parts[at + 1 :]]


def _operator(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    at = _pick(parts, generator, lambda part: part in _FLIPPED)
    if at is None:
        return None
    return at, _with(parts, at, _FLIPPED[parts[at]]), f"'{parts[at]}' becomes '{_FLIPPED[parts[at]]}'"


def _number(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """An index or bound one off, a coefficient changed by 2e-7, a literal of the other precision."""
    at = _pick(parts, generator, lambda part: part[0].isdigit())
    if at is None:
        return None
    old = parts[at]
    number = re.match(r"[\d.]+(?:[eE][+-]?\d+)?", old)
    assert number is not None
    suffix = old[number.end() :]
    if "." not in number[0] and "e" not in number[0]:
        new = str(int(number[0]) + generator.choice((1, -1))) + suffix
    elif generator.random() < 0.5:
        new = number[0] + ("" if suffix else "F")
        if new == old or float(number[0]) == 0.0 or (not suffix and _is_single(float(number[0]))):
            return None
    else:
        new = repr(float(number[0]) * (1 + 2e-7)) + suffix if float(number[0]) else f"1.0{suffix}"
    return at, _with(parts, at, new), f"{old} becomes {new}"


def _is_single(value: float) -> bool:
    """Whether a literal has the same value in both precisions: 0.25F in double arithmetic is 0.25."""
    return struct.unpack("f", struct.pack("f", value))[0] == value


def _name(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """Another name of the text."""

    def is_name(part: str) -> bool:
        return (part[0].isalpha() or part[0] == "_") and part not in _WORDS

    at = _pick(parts, generator, is_name)
    if at is None:
        return None
    names = sorted({part for part in parts if is_name(part)} - {parts[at]})
    kin = [name for name in names if name[:2] == parts[at][:2]] or names
    if not kin:
        return None
    new = generator.choice(kin)
    return at, _with(parts, at, new), f"'{parts[at]}' becomes '{new}'"


def _precision(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    at = _pick(parts, generator, lambda part: part in _PRECISIONS)
    if at is None or _casts_what_it_declares(parts, at):
        return None
    return at, _with(parts, at, _PRECISIONS[parts[at]]), f"'{parts[at]}' becomes '{_PRECISIONS[parts[at]]}'"


def _casts_what_it_declares(parts: Sequence[str], at: int) -> bool:
    """Whether a type is one of the two in `T x = static_cast<T>(...)`: what is cast may fit the other type,
    too."""
    begin = max((i for i in range(at) if parts[i] in (";", "{", "}")), default=0)
    rest = [part for part in parts[begin:at] if not part.isspace()]
    ahead = [part for part in parts[at : at + 20] if not part.isspace()]
    if "static_cast" in rest:
        return parts[at] in rest[: rest.index("static_cast")]
    return ahead[2:4] == ["=", "static_cast"] and parts[at] in ahead[4:10]


def _parenthesis(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """A pair taken away, or its end moved behind the next operand. `sizeof x` is `sizeof(x)`."""
    at = _pick(parts, generator, lambda part: part == "(")
    if at is None or parts[at - 1] == "sizeof":
        return None
    depth, end = 0, at
    for end in range(at, len(parts)):
        depth += {"(": 1, ")": -1}.get(parts[end], 0)
        if depth == 0:
            break
    if generator.random() < 0.5:
        return at, [*parts[:at], *parts[at + 1 : end], *parts[end + 1 :]], "a pair of parentheses is gone"
    following = next((i for i in range(end + 1, len(parts)) if parts[i][0].isalnum()), None)
    if following is None:
        return None
    if "int64_t" in parts[max(0, at - 3) : at] and re.fullmatch(r"\w+_s[xyzq]", parts[following]):
        return None  # a product with a stride, which has 64 bits, has 64 bits without the cast
    moved = [*parts[:end], *parts[end + 1 : following + 1], ")", *parts[following + 1 :]]
    return end, moved, "a closing parenthesis moves"


def _statement(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """A statement lost, or two neighbours swapped."""
    ends = [at for at, part in enumerate(parts) if part in (";", "{", "}")]
    simple = [
        (a + 1, b + 1) for a, b in itertools.pairwise(ends)
        if parts[b] == ";" and "for" not in parts[a + 1 : b] and "(" not in parts[max(0, a - 1) : a]
    ]  # fmt: skip
    if len(simple) < 2:
        return None
    begin, end = generator.choice(simple)
    if generator.random() < 0.5:
        return begin, [*parts[:begin], *parts[end:]], "a statement is gone"
    next_one = next(((b, e) for b, e in simple if b == end), None)
    if next_one is None:
        return None
    swapped = [*parts[:begin], *parts[end : next_one[1]], *parts[begin:end], *parts[next_one[1] :]]
    return begin, swapped, "two statements change places"


def _pragma(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    at = _pick(parts, generator, lambda part: part.startswith("#pragma"))
    if at is None:
        return None
    other = "#pragma omp simd" if "parallel" in parts[at] else "#pragma omp parallel for"
    new = generator.choice(("", other))
    return at, _with(parts, at, new), f"'{parts[at]}' becomes '{new}'"


def _sign(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """A sum becomes a difference, a difference a sum, or an operand its negative."""
    signs = [at for at, part in enumerate(parts) if part in ("+", "-")]
    if signs and generator.random() < 0.5:
        at = generator.choice(signs)
        return at, _with(parts, at, _FLIPPED[parts[at]]), f"'{parts[at]}' changes its sign"
    places = [
        at for at, part in enumerate(parts)
        if part[0].isalnum() and part != "0" and _before(parts, at) in ("=", "(", "*", "/", "+", "[", ",")
    ]  # fmt: skip
    if not places:
        return None
    at = generator.choice(places)
    return at, [*parts[:at], "-", *parts[at:]], f"'{parts[at]}' becomes its negative"


def _before(parts: Sequence[str], at: int) -> str:
    """The token before one, spaces left out."""
    return next((part for part in parts[at - 1 :: -1] if not part.isspace()), "") if at else ""


def _index(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """A neighbouring element."""
    at = _pick(parts, generator, lambda part: part == "]")
    if at is None or _before(parts, at) == "[":
        return None
    step = generator.choice(("1", "2"))
    sign = generator.choice("+-")
    return at, [*parts[:at], f" {sign} ", step, *parts[at:]], f"an index becomes {step} {sign}"


def _bound(parts: list[str], generator: random.Random) -> tuple[int, list[str], str] | None:
    """Of a loop or a condition: one comparison, number or name between the parentheses."""
    heads = [at for at, part in enumerate(parts) if part in ("for", "if")]
    if not heads:
        return None
    begin = parts.index("(", generator.choice(heads))
    end = parts.index("{", begin) if "{" in parts[begin:] else len(parts)
    change = generator.choice((_operator, _number, _name))
    made = change(parts[begin:end], generator)
    if made is None:
        return None
    at, replaced, name = made
    return begin + at, [*parts[:begin], *replaced, *parts[end:]], f"in the head of a loop or branch, {name}"


_CHANGES: dict[str, Change] = {
    "operator": _operator, "sign": _sign, "number": _number, "index": _index, "name": _name, "bound": _bound,
    "precision": _precision, "parenthesis": _parenthesis, "statement": _statement, "pragma": _pragma,
}  # fmt: skip
KINDS = tuple(_CHANGES)

# SPDX-License-Identifier: Apache-2.0
"""Reading JSON: what is wrong and where; never another exception than KernelError."""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from heddle.errors import KernelError, Place
from heddle.ir.hash_consing import Node
from heddle.ir.json import from_json, to_json
from heddle.ir.nodes import BOOL, F64, I32, Cast, Const, Op, Select, Symbol
from heddle.ir.source import Assignment, Declaration, Exit, For, Function, Record, Unit, Unknown

A, I = Symbol("a", F64), Symbol("i", I32)  # noqa: E741
AT = Place("a.cpp", 3)
SUM = Op("add", (A, Cast(I, F64)), F64)
LOOP = For(
    (Declaration(I, Const(0, I32), False),),
    Op("lt", (I, Const(9, I32)), BOOL),
    (Assignment(I, Op("add", (I, Const(1, I32)), I32), True, AT),),
    (Assignment(A, Select(Const(True, BOOL), SUM, Const(float("inf"), F64)), place=AT),),
    "omp simd",
    AT,
)
UNIT = Unit(
    "a.cpp",
    (
        Function("f<1, double>()", "f", (1, "double"), (), Record("R"), (LOOP, Exit("return", SUM)),
                 initialisers=(("x", A),), launch_bounds=(3,), place=AT),
    ),
    (Declaration(A, Unknown("a lambda", AT), True),),
)  # fmt: skip
TEXT = to_json(UNIT)


def test_there_and_back() -> None:
    assert from_json(TEXT) is UNIT


def test_parts_that_have_a_default_may_be_missing() -> None:
    assert from_json('{"node": "Exit", "kind": "break"}') is Exit("break")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "<json>:1: Expecting value at column 1"),
        ('{"node": "Op",\n "name"}', "<json>:2: Expecting ':' delimiter at column 8"),
        ("[" * 100000, "<json>: the document is nested too deeply"),
        ('{"a": ' * 100000, "<json>: the document is nested too deeply"),
        ("1" * 5000, "<json>: Exceeds the limit"),
        ("[]", "<json>: the document is a list of 0, not a node"),
        ('{"type": "f64"}', None),
        ('{"type": "f65"}', "<json>: the document: 'f65' is not a type"),
        ("{}", "<json>: the document: an object of nothing that is neither a node nor"),
        ('{"node": "Noode"}', "<json>: the document: there is no node 'Noode'"),
        ('{"node": 3}', "<json>: the document: there is no node 3"),
        ('{"node": "Node"}', "<json>: the document: there is no node 'Node'"),
        ('{"node": "Symbol"}', "<json>: the document: a Symbol needs a field 'name'"),
        ('{"node": "Symbol", "name": 1}', "<json>: the document: the field 'name' of a Symbol cannot be 1"),
        ('{"node": "Symbol", "name": "a", "nam": "a"}', "a Symbol has no field 'nam'"),
        ('{"node": "Exit", "kind": "leave"}', "the field 'kind' of a Exit cannot be 'leave'"),
        ('{"node": "Op", "name": "add", "args": {"node": "Void"}}', "'args' of a Op cannot be a Void"),
        (
            '{"node": "Op", "name": "add", "args": [{"node": "Const", "value": 1}, {"node": "Void"}]}',
            "the field 'args' of a Op cannot be a list of 2",
        ),
        (
            '{"node": "Op", "name": "add", "args": [{"node": "Void"}, {"node": "Const", "value": "1"}]}',
            "<json>: args[1]: the field 'value' of a Const cannot be '1'",
        ),
        ('{"node": "Const", "value": {"rational": [1, 0]}}', "<json>: value: a list of 2 is not a rational"),
        ('{"node": "Const", "value": {"float": "1e3"}}', "<json>: value: '1e3' is not a float"),
        ('{"node": "Block", "body": [{"node": "Exit", "kind": "break", "place": {"place": ["a", "b"]}}]}',
         "<json>: body[0].place: a list of 2 is not a place"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text: str, what: str | None) -> None:
    if what is None:
        assert from_json(text) is F64
        return
    with pytest.raises(KernelError) as caught:
        from_json(text)
    assert what in str(caught.value)


def _parts(tree: Any) -> list[tuple[Any, Any]]:
    """Every place in a document: holder and key."""
    found, waiting = [], [tree]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return found


VALUES: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        2**70,
        1.5,
        "",
        "f64",
        "node",
        [],
        {},
        [[]],
        [None],
        {"node": "Void"},
        {"type": "f64"},
    ),
    *(
        {"node": []},
        {"node": None},
        {"type": {}},
        {"rational": 3},
        {"float": []},
        {"place": []},
        {"a": 1, "b": 2},
    ),
    *(
        {"node": "Symbol", "name": "a", "type": {"type": "f64"}},
        {"node": "Op", "name": "no", "args": []},
        "\ud800",
    ),
]


def _mutated(chance: random.Random) -> str:
    tree = json.loads(TEXT)
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(_parts(tree))
        match chance.randrange(4):
            case 0:
                holder[key] = chance.choice(VALUES)
            case 1:
                del holder[key]
            case 2:
                other, at = chance.choice(_parts(tree))
                holder[key] = json.loads(json.dumps(other[at]))
            case 3 if isinstance(holder, dict):
                holder[chance.choice(("node", "type", "extra", "value"))] = chance.choice(VALUES)
        if not tree:
            break
    text = json.dumps(tree)
    if chance.random() < 0.4:
        at = chance.randrange(len(text))
        text = (
            text[:at]
            + chance.choice(("", '"', "{", "]", ",", "9", "\\u12", "\0", "nul", "1e999"))
            + text[at + 1 :]
        )
    return text


@pytest.mark.parametrize("seed", range(8))
def test_mutated_documents(seed: int) -> None:
    chance = random.Random(seed)
    refused = 0
    for _ in range(400):
        try:
            assert isinstance(from_json(_mutated(chance)), Node)
        except KernelError as error:
            refused += 1
            assert error.what  # noqa: PT017
            assert error.hint  # noqa: PT017
    assert refused > 200


def seconds(work: Callable[[], object]) -> float:
    """The least of three, without what the collector of garbage does for objects of other tests."""
    times = []
    gc.disable()
    try:
        for _ in range(3):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(times)


def test_reading_is_quick() -> None:
    """2 MB in a few times what Python needs to read the JSON alone."""
    many = [f'{{"node": "Assignment", "target": {to_json(Symbol(f"a{at}", F64))}, "value": {to_json(SUM)}}}'
            for at in range(4000)]  # fmt: skip
    text = f'{{"node": "Block", "body": [{", ".join(many)}]}}'
    assert len(from_json(text).body) == 4000
    assert seconds(lambda: from_json(text)) < 30 * seconds(lambda: json.loads(text)) + 0.1

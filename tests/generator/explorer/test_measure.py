# SPDX-License-Identifier: Apache-2.0
"""What candidates are measured with: memory, matching streams, processes of their own, advice."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from heddle import Assignment, CacheLines, KernelError, Module, Reduce, Schedule, Strips, Threads, fields, lbm
from heddle.emit.cost import cost
from heddle.explorer import built
from heddle.explorer.advice import why_not_faster
from heddle.explorer.memory import Memory
from heddle.explorer.space import space
from heddle.explorer.streams import ways_of
from heddle.explorer.variants import lattice_boltzmann
from heddle.explorer.workers import Children, Outcome, in_children
from heddle.python.zeros import HOST_LINE as LINE
from searched import result, stencil


def modules() -> dict[str, Module]:
    found = {"heat": stencil()}
    a, b, c = fields("a, b, c: real[3D]")
    mask = fields("mask: uint8[3D]")
    rain = fields("rain: real[xy]")
    found["sources"] = Module("sources")
    found["sources"].add("step", [Assignment(c.here, c.here + a[1, 0, 0] * b.here + rain[0, 0] * mask.here)])
    found["sum"] = Module("sums")
    found["sum"].add("step", [Reduce("sum", "total", a.here * b[0, 1, 0])])
    for name, pattern in (("pull", lbm.Pull), ("AA", lbm.AA)):
        lattice = lbm.Lattice("D2Q9")
        found[name] = Module(name)
        found[name].add("step", pattern(lattice)(lbm.BGK(lattice, omega="omega")))
    return found


@pytest.mark.parametrize("name", modules())
def test_a_stream_moves_the_bytes_of_its_kernel(name: str) -> None:
    for precision in ("f64", "f32"):
        candidate = space({name: modules()[name]}, "cpu", 64, precisions=[precision], schedules=[Schedule()])
        one = candidate.candidates[0]
        streams = built.streams(one, "cpu")
        for kernel in built.typed(one.module):
            own = cost(kernel, kernel)
            for way in ways_of(streams, "cpu"):
                other = streams.typed(f"{way}_{kernel.name}", precision)
                beside = cost(other, other)
                assert beside.bytes_written == own.bytes_written
                expected = own.bytes_read - (
                    name == "sources"
                )  # a mask of one byte has no target of its kind
                assert beside.bytes_read == expected
        assert ("past" in ways_of(streams, "cpu")) == (name in ("heat", "pull"))


def test_what_is_not_legal_says_why() -> None:
    variants = lattice_boltzmann("D2Q9", ("BGK",), ("pull", "AA"), ("f32",))
    past = Schedule(cpu=Strips(16, nontemporal=True), gpu=Threads())
    pull, in_place = Schedule(CacheLines(4, nontemporal=True), Threads()), Schedule(CacheLines(4), Threads())
    found = space(variants, "cpu", 64, schedules=[Schedule(), past])
    legal = [(c.variant, c.kernels, c.schedule) for c in found.candidates]
    assert legal == [
        ("BGK, pull", ("step",), pull),
        ("BGK, pull", ("step",), past),
        ("BGK, AA", ("step_even", "step_odd"), in_place),
    ]
    (point,) = found.refused
    assert (point.variant, point.schedule) == ("BGK, AA", past)
    assert "nontemporal stores would evict" in point.why


def test_rows_begin_at_cache_lines() -> None:
    module = modules()["AA"].alone(["step_even"], "f32", Schedule(), "cpu")
    memory = Memory(built.typed(module), (33, 5), {"omega": 1.5}, np)
    (array,) = memory.arrays.values()
    assert array.inner.shape == (9, 5, 33)
    assert array.whole.shape == (9, 7, 35)
    starts = array.inner.ctypes.data + np.arange(5)[:, None] * array.inner.strides[1]
    assert (starts % LINE == 0).all()
    assert array.inner.strides[1] // LINE % 2 == 1
    component = array.inner.strides[0] // LINE
    sets = {component * q % 64 for q in range(9)}
    assert len(sets) == 9
    assert memory.calls == [{"f": array.inner, "omega": 1.5}]
    assert (array.whole > 0).all()
    again = Memory(built.typed(module), (33, 5), {"omega": 1.5}, np)
    np.testing.assert_array_equal(again.arrays["f"].whole, array.whole)
    array.whole[...] = 0
    memory.reset()
    np.testing.assert_array_equal(again.arrays["f"].whole, array.whole)


def test_values_of_the_user() -> None:
    typed = built.typed(stencil().alone(["step"], "f64", Schedule(), "cpu"))
    given = Memory(typed, (4, 3), {"u": lambda shape: np.arange(30.0).reshape(shape), "alpha": 2}, np)
    np.testing.assert_array_equal(given.arrays["u"].whole, np.arange(30.0).reshape(5, 6))
    assert given.calls[0]["alpha"] == 2
    with pytest.raises(KernelError, match=r"have the shape \(2,\), not \(5, 6\)"):
        Memory(typed, (4, 3), {"u": lambda shape: np.zeros(2)}, np)
    with pytest.raises(KernelError, match="'alpha' is a number, not a field"):
        Memory(typed, (4, 3), {"alpha": lambda shape: shape}, np)
    f, g = fields("f, g: real[2D]", split=True)
    module = Module("halves", precisions=("f64",))
    module.add("step", [Assignment(g.here, f.here)], schedule=Schedule(colours=2))
    split = Memory(built.typed(module), (6, 4), {}, np)
    assert split.arrays["f"].inner.shape == (2, 4, 3)  # colour, y, x / 2
    assert split.arrays["f"].whole.shape == (2, 6, 5)
    with pytest.raises(KernelError, match="rows of 5 cells cannot be split by colour"):
        Memory(built.typed(module), (5, 4), {}, np)


def test_halves_are_scaled_in_memory() -> None:
    module = modules()["pull"].alone(["step"], "f16", Schedule(), "cpu")
    memory = Memory(built.typed(module), (8, 8), {}, np)
    array = memory.arrays["f"]
    assert array.field.scale == 2**15
    assert 0.005 * 0.99 < array.values().min() < array.values().max() < 0.015 * 1.01
    assert array.whole.max() > 100


def refuse() -> int:
    raise KernelError("here", "it is refused.", "leave it")


def test_each_child_ends_alone() -> None:
    tasks = [
        partial(max, 2, 3),
        refuse,
        lambda: 1 // 0,
        lambda: os.kill(os.getpid(), signal.SIGSEGV),
        partial(time.sleep, 60),
        os.getpid,
    ]
    found = dict(in_children(tasks, at_once=6, limit=1.0))
    assert found[0] == Outcome(3)
    assert found[1] == Outcome(None, "refused", "here: it is refused.")
    assert found[2] == Outcome(None, "crash", "ZeroDivisionError: integer division or modulo by zero")
    assert found[3] == Outcome(None, "crash", "the process ended by itself: SIGSEGV")
    assert found[4] == Outcome(None, "timeout", "it took more than 1 s")
    assert found[5].value != os.getpid()


def test_children_stand_still_with_what_they_started(tmp_path: Path) -> None:
    """Their limit of time, too; and they end with it."""
    file = tmp_path / "ticks"

    def grows() -> bool:
        before = file.stat().st_size
        time.sleep(0.4)
        return file.stat().st_size > before

    command = ["sh", "-c", f"while :; do echo >> {file}; sleep 0.02; done"]
    with Children[Any](limit=2.0) as children:
        children.add("ticks", partial(subprocess.run, command))
        assert children.next(time.monotonic() + 1) is None
        assert grows()
        with children.paused():
            time.sleep(0.1)  # what was under way
            assert not grows()
            time.sleep(2)
        assert grows()
        children.add("soon", partial(max, 2, 3), soon=True)
        assert children.names() == {"ticks", "soon"}
        assert children.next(time.monotonic()) is None
        assert children.next() == ("ticks", Outcome(None, "timeout", "it took more than 2 s"))
        assert not grows()
        children.add("later", partial(max, 2, 3))
        children.keep({"later"})
        assert children.next() == ("later", Outcome(3))
        assert children.next() is None


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"seconds": (1e-6,), "stream": (1e-6,)}, "Memory: it moves its 16 B per cell as fast"),
        ({"peak": 3.5e8}, "Arithmetic: 7 operations per cell run at 100%"),
        ({"calls": {"exp": 2}}, "Functions of the library: 2 exp per cell."),
        ({"stream_schedule": "nontemporal", "write_allocate": 8}, "try nontemporal=True"),
        ({}, "try CacheLines(4)"),
        ({"target": "cuda"}, "latencies, addresses or loads decide"),
        ({"target": "cuda", "registers": 255, "spills": 96}, "has 255 registers and spills 96 B to memory"),
        (
            {"target": "cuda", "registers": 122, "occupancy": 0.25},
            "Only 25% of the warps are resident, with 122",
        ),
    ],
)
def test_why_not_faster(parts: dict[str, object], says: str) -> None:
    assert says in why_not_faster(result(**parts))


def test_streams_of_a_gpu_run_as_a_gpu_likes_them() -> None:
    """Each way has threads of its own and unit stride, whatever CPUs do; a kernel of one axis has no cells to
    share a thread."""
    pull = {"pull": modules()["pull"]}
    (one,) = space(pull, "cuda", 64, precisions=["f32"], schedules=[Schedule()]).candidates
    streams = built.streams(one, "cuda")
    assert ways_of(streams, "cuda") == ["small", "blocks", "large", "several"]
    parts = {name: streams.schedule(name, "f32").gpu for name in streams.kernels}
    assert all(part.unit_stride for part in parts.values())
    assert len(set(parts.values())) == len(parts) == 4
    assert not ways_of(streams, "cpu")
    line, peak = Module("line", precisions=("f32",)), fields("u, v: real[1D]")
    line.add("step", [Assignment(peak[1].here, peak[0].here)])
    (one,) = space({"": line}, "cuda", 64, schedules=[Schedule()]).candidates
    assert ways_of(built.streams(one, "cuda"), "cuda") == ["small", "blocks", "large"]

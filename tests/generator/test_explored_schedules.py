# SPDX-License-Identifier: Apache-2.0
"""schedules.json: which rows are taken, what is refused, and what becomes of the emitted text."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import (
    Assignment,
    CacheLines,
    CompressedList,
    Interleaved,
    KernelError,
    Module,
    Rows,
    Schedule,
    Strips,
    Threads,
    fields,
    machine,
)
from heddle.__main__ import main
from heddle.build import files
from heddle.explored_schedules import FORMAT, read, use
from heddle.explorer.results import Result, schedules
from heddle.ir.schedule_text import to_json
from heddle.roundtrip.report import proved

MODEL = """
from heddle import Assignment, Module, fields

u, v = fields("u, v: real[2D]")
demo = Module("demo", precisions=("f64", "f32"))
demo.add("copy", [Assignment(v.here, u.here)])
demo.add("twice", [Assignment(v.here, 2 * u.here)])
"""


def entry(schedule: Schedule, *extent: int) -> dict[str, Any]:
    return {"extent": list(extent or (64, 64)), "schedule": to_json(schedule)}


def whole(*rows: tuple[str, str, str, str, dict[str, Any]]) -> dict[str, Any]:
    """The document of rows: machine, target, step, precision, entry."""
    machines: dict[str, Any] = {}
    for name, target, step, precision, found in rows:
        module = machines.setdefault(name, {}).setdefault(target, {}).setdefault("demo", {})
        module.setdefault("", {}).setdefault(step, {}).setdefault(precision, []).append(found)
    return {"format": FORMAT, "machines": machines}


@pytest.fixture
def demo() -> Module:
    u, v = fields("u, v: real[2D]")
    module = Module("demo", precisions=("f64", "f32"))
    module.add("copy", [Assignment(v.here, u.here)])
    module.add("twice", [Assignment(v.here, 2 * u.here)])
    return module


def written(folder: Path, document: object) -> Path:
    path = folder / "schedules.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_each_precision_and_target_gets_its_row(demo: Module, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        whole(
            ("here", "cpu", "copy", "f64", entry(Schedule(cpu=CacheLines(4, nontemporal=True)))),
            ("here", "cpu", "copy", "f32", entry(Schedule(cpu=Strips(32)), 512, 512)),
            ("here", "cpu", "copy", "f32", entry(Schedule(cpu=Strips(48)), 8, 8)),
            ("here", "cuda", "copy", "f64", entry(Schedule(gpu=Threads(block=(32, 2, 1))))),
            ("here", "cuda", "copy", "f32", entry(Schedule(gpu=Threads(block=(64, 1, 1))))),
        ),
    )
    found, remarks = use(demo, path, ["cpu", "cuda"], "here")
    assert not remarks
    assert found.schedule("copy", "f64") == Schedule(
        CacheLines(4, nontemporal=True), Threads(block=(32, 2, 1))
    )
    assert found.schedule("copy", "f32") == Schedule(Strips(32), Threads(block=(64, 1, 1)))  # the larger size
    assert found.schedule("twice", "f64") == demo.kernels["twice"].schedule
    texts = files(found, ["cpu", "cuda"])
    assert texts == files(use(demo, path, ["cpu", "cuda"], "here")[0], ["cpu", "cuda"])
    said = "// Schedule of f64, f32 from a file: the best that was explored on here."
    assert said in texts["demo/copy.cpp"]
    assert said in texts["demo/copy.cuh"]
    assert "from a file" not in texts["demo/twice.cpp"]
    assert "heddle::prefetch" in texts["demo/copy.cpp"]
    assert "x_begin + 32" in texts["demo/copy.cpp"]
    assert "dim3(32, 2, 1)" in texts["demo/copy.cu"]
    assert "dim3(64, 1, 1)" in texts["demo/copy.cu"]
    plain = files(demo, ["cpu", "cuda"])
    assert {name for name in plain if texts[name] != plain[name]} == {
        "demo/copy.cpp",
        "demo/copy.cuh",
        "demo/copy.cu",
    }


def test_launch_bounds_of_each_precision(demo: Module, tmp_path: Path) -> None:
    rows = [
        ("here", "cuda", "copy", precision, entry(Schedule(gpu=Threads(block=(threads, 1, 1)))))
        for precision, threads in (("f64", 64), ("f32", 512))
    ]
    found, _ = use(demo, written(tmp_path, whole(*rows)), ["cuda"], "here")
    text = " ".join(files(found, ["cuda"])["demo/copy.cuh"].split())
    assert "__launch_bounds__(64) copy_f64(" in text
    assert "__launch_bounds__(512) copy_f32(" in text


def test_machines(demo: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "name", lambda gpu: "here")
    strips, lines = Schedule(cpu=Strips(32)), Schedule(cpu=CacheLines(2))
    both = whole(("far", "cpu", "copy", "f64", entry(strips)), ("here", "cpu", "copy", "f64", entry(lines)))
    found, remarks = use(demo, written(tmp_path, both), ["cpu"])
    assert found.schedule("copy", "f64").cpu == lines.cpu
    assert not remarks
    assert use(demo, written(tmp_path, both), ["cpu"], "far")[0].schedule("copy", "f64").cpu == strips.cpu
    one = whole(("far", "cpu", "copy", "f64", entry(strips)))
    found, remarks = use(demo, written(tmp_path, one), ["cpu", "cuda"])
    assert found.schedule("copy", "f64").cpu == strips.cpu
    assert "on here: those of far are taken" in remarks[0]
    assert remarks[1] == "schedules.json has no schedules of 'demo' for cuda: those of the model hold."
    others = whole(*[(name, "cpu", "copy", "f64", entry(strips)) for name in ("far", "away")])
    found, remarks = use(demo, written(tmp_path, others), ["cpu"])
    assert not found.tuned
    assert "on here, but on far, away: those of the model hold" in remarks[0]
    assert use(demo, written(tmp_path, one), ["reference"]) == (found, ())


def test_what_narrows_the_entry_is_not_written_and_not_taken(demo: Module, tmp_path: Path) -> None:
    def result(schedule: Schedule, seconds: float, own: bool = False) -> Result:
        return Result(
            "k", "here", "cuda", "demo", "", "copy", "f64", schedule, (8, 8), "correct", own=own,
            seconds=(seconds,), stream=(1.0,),
        )  # fmt: skip

    wide, unit = Schedule(Rows(), Threads()), Schedule(Rows(), Threads(unit_stride=True))
    fixed = Schedule(Rows(fixed_nx=8), Threads())
    rows = [result(wide, 3.0, own=True), result(unit, 1.0), result(fixed, 2.0)]
    found = schedules(rows)["machines"]["here"]["cuda"]["demo"][""]["copy"]["f64"]
    assert [row["schedule"] for row in found] == [to_json(wide)]
    for schedule, target in ((unit, "cuda"), (fixed, "cpu"), (Schedule(gpu=Interleaved(2)), "cuda")):
        path = written(tmp_path, whole(("here", target, "copy", "f64", entry(schedule))))
        with pytest.raises(KernelError, match="takes other arrays than with that of the model") as caught:
            use(demo, path, [target], "here")
        assert "write it into the model: Schedule(" in caught.value.hint


def test_lanes_are_those_of_the_model(tmp_path: Path) -> None:
    """In each precision: arrays have as many blocks as last axis."""
    u, v = fields("u, v: real[2D]")
    module = Module("demo", precisions=("f64", "f32"))
    module.add("copy", [Assignment(v.here, u.here)], schedule=Schedule(gpu=Interleaved(2)))
    same = entry(Schedule(gpu=Interleaved(2, threads_per_vector=2)))
    path = written(tmp_path, whole(("here", "cuda", "copy", "f64", same)))
    assert use(module, path, ["cuda"], "here")[0].tuned
    for other in (Interleaved(4), Threads()):
        path = written(tmp_path, whole(("here", "cuda", "copy", "f64", entry(Schedule(gpu=other)))))
        with pytest.raises(KernelError, match="takes other arrays than with that of the model"):
            use(module, path, ["cuda"], "here")


GOOD = whole(("here", "cpu", "copy", "f64", entry(Schedule(cpu=Strips(32)))))
ROW = ("machines", "here", "cpu", "demo", "", "copy", "f64", 0)


@pytest.mark.parametrize(
    ("keys", "value", "says"),
    [
        (("format",), 1, "it has the format 1, not 2"),
        (("more",), 1, "'more' is unknown"),
        (("machines",), [], "[] is no dictionary by machine"),
        (("machines", "here", "moon"), {"demo": {"": {"copy": {"f64": []}}}}, "'moon' is no target"),
        ((*ROW[:6], "f7"), [entry(Schedule())], "'f7' is no precision"),
        (ROW[:7], [], "there is no list of schedules"),
        (ROW, "Rows()", "'Rows()' is no dictionary"),
        ((*ROW, "extent"), [0], "'extent' is [0]"),
        ((*ROW, "extent"), [True, 2], "'extent' is [True, 2]"),
        ((*ROW, "run"), "rm", "'run' is unknown"),
        ((*ROW, "nanoseconds_per_cell"), "fast", "'nanoseconds_per_cell' is 'fast'"),
        ((*ROW, "text"), "Schedule()", "its schedule is Schedule(cpu=Strips(32))"),
        ((*ROW, "schedule"), "__import__('os')", "is no schedule"),
        ((*ROW, "schedule"), {"cpu": {"kind": "os"}}, "is no schedule"),
        ((*ROW, "schedule"), {"cpu": {"kind": "Strips", "size": -1}}, "size=-1 is out of range"),
        ((*ROW, "schedule"), {"fma": True}, "the row has fma=True, but 'copy' has fma=False"),
        ((*ROW, "schedule"), {"cpu": {"kind": "Strips", "size": 32, "nontemporal": 2}}, "nontemporal=2"),
    ],
)  # fmt: skip
def test_rows_are_not_trusted(
    demo: Module, tmp_path: Path, keys: tuple[Any, ...], value: Any, says: str
) -> None:
    assert use(demo, written(tmp_path, GOOD), ["cpu"], "here")[0].tuned
    document = copy.deepcopy(GOOD)
    inner: Any = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    with pytest.raises(KernelError) as caught:
        use(demo, written(tmp_path, document), ["cpu"], "here")
    assert says in caught.value.what
    assert caught.value.where.startswith("schedules.json")
    assert caught.value.hint


def test_rows_that_do_not_fit_the_model(demo: Module, tmp_path: Path) -> None:
    for row, says in (
        (
            ("here", "cpu", "blur", "f64", entry(Schedule())),
            "'demo' has no kernel 'blur'; it has copy, twice",
        ),
        (
            ("here", "cuda", "copy", "f64", entry(Schedule(gpu=CompressedList()))),
            "'copy' does not take this schedule",
        ),
    ):
        with pytest.raises(KernelError) as caught:
            use(demo, written(tmp_path, whole(row)), ["cpu", "cuda"], "here")
        assert says in caught.value.what
        assert caught.value.where == f"schedules.json, here, {row[1]}, demo, {row[2]}, f64"
    with pytest.raises(KernelError, match="has no machine 'moon'") as caught:
        use(demo, written(tmp_path, GOOD), ["cpu"], "moon")
    assert caught.value.hint == "choose from: here"


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": NaN, "machines": {}}', "\xff"])
def test_what_is_no_file_of_schedules(tmp_path: Path, text: str) -> None:
    path = tmp_path / "schedules.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(KernelError, match="this is no file of schedules"):
        read(path)
    with pytest.raises(KernelError, match="does not exist"):
        read(tmp_path / "none.json")


def test_steps_that_alternate(tmp_path: Path) -> None:
    from heddle import lbm

    d2q9 = lbm.Lattice("D2Q9")
    module = Module("demo", precisions=("f32",))
    module.add("step", lbm.AA(d2q9)(lbm.BGK(d2q9)))
    row = ("here", "cpu", "step", "f32", entry(Schedule(cpu=Rows())))
    found, _ = use(module, written(tmp_path, whole(row)), ["cpu"], "here")
    assert {found.schedule(f"step_{end}", "f32").cpu for end in ("even", "odd")} == {Rows()}
    assert module.schedule("step_even", "f32").cpu == CacheLines(4)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = tmp_path / "model.py", str(tmp_path / "out")
    model.write_text(MODEL)
    path = written(tmp_path, GOOD)
    chosen = ["--targets", "cpu", "--schedules", str(path), "--machine", "here"]
    depfile = tmp_path / "build.d"
    assert main(["build", str(model), "--out", out, *chosen, "--depfile", str(depfile)]) == 0
    assert "explored on here" in (tmp_path / "out/demo/copy.cpp").read_text()
    assert str(path) in depfile.read_text()
    assert main(["check", str(model), "--against", out, "--text-only", *chosen]) == 0
    assert main(["check", str(model), "--against", out, "--text-only", "--targets", "cpu"]) == 1
    capsys.readouterr()
    assert main(["show", str(model), "copy", *chosen]) == 0
    assert "explored on here" in capsys.readouterr().out
    assert main(["build", str(model), "--out", out, "--targets", "cpu", "--machine", "here"]) == 1
    assert "add --schedules schedules.json" in capsys.readouterr().err
    assert main(["build", str(model), "--out", out, "--targets", "cpu", "--schedules", str(path)]) == 0
    assert "those of here are taken" in capsys.readouterr().err


def test_from_python(demo: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    path = written(tmp_path, GOOD)
    with pytest.warns(UserWarning, match="those of here are taken"):
        kernels = heddle.load(demo, schedules=path)
    assert "explored on here" in (kernels.folder / "demo/copy.cpp").read_text()
    u, v = np.arange(300.0).reshape(2, 150), np.zeros((2, 150))
    kernels.copy(u=u, v=v)
    assert (u == v).all()
    with pytest.raises(KernelError, match="machine= chooses from a file of schedules"):
        heddle.load(demo, machine="here")


def assert_proved(module: Module, folder: Path) -> None:
    """What is emitted of both kernels, in both precisions, is proved equal to the module."""
    for name, text in files(module, ["cuda"]).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    verdicts = list(proved(module, ["cuda"], folder))
    assert len(verdicts) == 4
    assert not [verdict.problem for verdict in verdicts if verdict.problem]


def test_a_model_has_a_schedule_for_each_precision(tmp_path: Path) -> None:
    """Each precision has its own text; a row of a file takes the place of one alone."""
    single = Schedule(cpu=Rows(), gpu=Threads(unit_stride=True, same_strides=True))
    double = Schedule(cpu=Rows(), gpu=Threads(unit_stride=True, same_strides=True, row_cells=2))
    u, v = fields("u, v: real[2D]")
    module = Module("demo", precisions=("f32", "f64"))
    module.add("copy", [Assignment(v.here, u.here)], schedule={"f64": double, "f32": single})
    module.add("twice", [Assignment(v.here, 2 * u.here)])
    assert [module.schedule("copy", precision).gpu.row_cells for precision in module.precisions] == [1, 2]
    entries = files(module, ["cuda"])["demo/copy.cu"]
    assert entries.count("heddle::check_row_cells(arrays, 2)") == 1
    assert_proved(module, tmp_path)

    block = Threads(block=(32, 2, 1), unit_stride=True, same_strides=True, row_cells=2)
    document = whole(("here", "cuda", "copy", "f64", entry(Schedule(gpu=block))))
    found, _ = use(module, written(tmp_path, document), ["cuda"], "here")
    assert found.schedule("copy", "f64").gpu == block
    assert found.schedule("copy", "f32").gpu == single.gpu
    assert module.schedule("copy", "f64").gpu == double.gpu


def test_the_text_of_each_precision_is_proved(demo: Module, tmp_path: Path) -> None:
    """Blocks and bounds that differ between f64 and f32 are read back as they were meant."""
    rows = [
        ("here", "cuda", "copy", precision, entry(Schedule(gpu=Threads(block=(threads, 1, 1)))))
        for precision, threads in (("f64", 64), ("f32", 512))
    ]
    found, _ = use(demo, written(tmp_path, whole(*rows)), ["cuda"], "here")
    assert_proved(found, tmp_path)

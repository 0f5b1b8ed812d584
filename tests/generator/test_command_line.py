# SPDX-License-Identifier: Apache-2.0
"""The command line: what it writes, what it prints, its exit codes. For refusals: errors/test_messages.py."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import runpy
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from heddle.__main__ import STAGES, main
from heddle.emit.files import environment
from heddle.explorer.progress import Progress
from heddle.ir import nodes as ir
from heddle.ir.json import from_json
from heddle.ir.verify import verify
from heddle.slow_models import named_if_slow

ROOT = Path(__file__).resolve().parents[2]
MODEL = '''"""A model."""
from heddle import Assignment, Module, fields
from factors import FACTOR
u, v = fields("u, v: real[2D]")
demo = Module("demo", precisions=("f64", "f32"))
demo.add("shift", [Assignment(v.here, FACTOR * u[1, 0])])
demo.add("copy", [Assignment(v.here, u.here)])
'''


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "factors.py").write_text("FACTOR = 3\n")
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


@pytest.fixture(autouse=True)
def _forget_helpers() -> None:
    sys.modules.pop("factors", None)


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", ["build", "show", "check", "lift", "explore"])
def test_help_says_what_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "runs the model" in said or "A model is a Python program, and this command runs it" in said


@pytest.mark.parametrize(
    "words", [["new", "heat", "--out", "mine"], ["doctor", "--fast"], ["show", "a.py", "--k=1"]]
)
def test_an_unknown_option_is_said_with_the_usage_of_the_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith(f"usage: heddle {words[0]} [-h]")
    assert f"heddle {words[0]}: error: unrecognized arguments: --" in said


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["biuld", "a.py"], "build"),
        (["show", "a.py", "--stage", "lowerd"], "lowered"),
        (["build", "a.py", "--ot", "mine"], "--out in place of --ot"),
        (["explore", "a.py", "--siez=64x64"], "--size in place of --siez"),
        (["new", "heat", "--kind", "rust"], ""),
        (["doctor", "--fast"], ""),
    ],
)
def test_what_is_meant_by_a_word_that_is_not_known(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.endswith(f"\n  Hint: did you mean {meant}?\n") == bool(meant), said
    assert ("Hint" in said) == bool(meant)


@pytest.mark.parametrize("words", [["show", "MODEL", "--precision"], ["explore", "MODEL", "--precisions"]])
def test_a_precision_that_is_none(words: list[str], model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the option, and no line of a program."""
    assert main([*(str(model) if word == "MODEL" else word for word in words), "f63"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"heddle: {words[-1]}: 'f63' is not a precision.\n  Hint: write storage")


def test_a_folder_is_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"heddle: {tmp_path}: this is a folder, not a model.\n  Hint: ")


def test_exploring_a_kernel_that_is_none(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before sizes, which depend on what kernels there are."""
    assert main(["explore", str(model), "--kernels", "shft", "--size", "64x64"]) == 1
    assert capsys.readouterr().err == (
        "heddle: demo: 'shft' is no kernel that runs from Python.\n  Hint: choose from: shift, copy\n"
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--help"], 0), (["explore", "--help"], 0), (["show", "MODEL"], 0), (["show", "no.py"], 1)],
)
def test_nothing_is_coloured_but_a_terminal(words: list[str], code: int, model: Path) -> None:
    """Also where colours are asked for: what is not read by people stays as it is."""
    asked = os.environ | {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "heddle", *(str(model) if word == "MODEL" else word for word in words)]
    done = subprocess.run(command, capture_output=True, env=asked, check=False)
    assert done.returncode == code
    assert done.stdout + done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("file", "moves"), [(Screen(), True), (io.StringIO(), False)])
def test_progress_moves_on_a_terminal_alone(file: io.StringIO, moves: bool) -> None:
    progress = Progress(file=file)
    progress.total = 3
    progress.say("compiling 3")
    assert file.getvalue().startswith("\r[") == moves
    assert ("compiling 3" in file.getvalue()) == moves
    assert "\x1b" not in file.getvalue()


def test_build(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["build", str(model), "--out", str(out)]) == 0
    count = len(files_below(out))
    assert capsys.readouterr().out == f"heddle: demo: {count} files, {count} changed, in {out / 'demo'}\n"
    written = files_below(out / "demo")
    names = {f"{kernel}.{suffix}" for kernel in ("shift", "copy") for suffix in ("cpp", "cu", "cuh")}
    assert written == names | {"demo.h", "demo.hpp", "demo_sweeps.hpp"}
    device = files_below(out) - {f"demo/{name}" for name in written}
    assert device
    assert all(re.fullmatch(r"heddle/device/[a-z_]+\.hpp", name) for name in device)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in out.rglob("*.cpp"))


def test_build_writes_only_what_changed(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["build", str(model), "--out", str(out), "--targets", "cpu"]
    assert main(command) == 0
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(command) == 0
    assert ", 0 changed," in capsys.readouterr().out
    assert times == {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    (out / "demo" / "demo.h").write_text("spoilt")
    assert main(command) == 0
    assert ", 1 changed," in capsys.readouterr().out


def test_depfile_and_stamp(model: Path, tmp_path: Path) -> None:
    depfile, stamp = tmp_path / "deps" / "d", tmp_path / "stamps" / "s"
    options = ["--depfile", str(depfile), "--stamp", str(stamp), "--targets", "cpu"]
    out = tmp_path / "out"
    assert main(["build", str(model), "--out", str(out), *options]) == 0
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert set(stamp.read_text().splitlines()) == written
    rule = depfile.read_text()
    assert rule.startswith(f"{stamp}: \\\n")
    named = {Path(line.strip(" \\")).name for line in rule.splitlines()[1:]}
    assert {"model.py", "factors.py", "nodes.py", "kernel.cpp.j2", "row.hpp"} <= named


def test_expectations_and_timings(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--expect-module",
        "demo",
        "--expect-kernels",
        "copy",
        "shift",
        "--timings",
        "--targets",
        "cpu",
    ]
    assert main(["build", str(model), "--out", str(tmp_path / "out"), *options]) == 0
    assert "in all, beyond imports" in capsys.readouterr().out


def test_precisions_that_are_left_out(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["build", str(model), "--out", str(tmp_path / "out"), "--targets", "cpu"]
    assert main([*command, "--precisions", "f32"]) == 0
    header = (tmp_path / "out" / "demo" / "demo.h").read_text()
    assert "demo_copy_f32(" in header
    assert "_f64" not in header
    capsys.readouterr()
    assert main([*command, "--precisions", "f32", "f16"]) == 1
    assert capsys.readouterr().err == (
        "heddle: demo: the module has no precision that stores f16.\n  Hint: choose from f64, f32\n"
    )


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("stage", STAGES)
def test_show(model: Path, stage: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(model), "shift", "--stage", stage, "--target", target]) == 0
    shown = capsys.readouterr().out
    start = {
        "symbolic": "v[0,0] = 3*u[1,0]",
        "exchange": "before shift: owners send to ghost cells; components that cross: 1 face",
        "kernel": "kernel shift over dense 2D\n  field u: f64[2D] strided",
        "scheduled": "kernel shift over dense 2D",
        "lowered": "kernel shift over dense 2D",
        "source": "// Generated by Heddle",
    }[stage]
    assert shown.startswith(start)
    if stage in ("scheduled", "lowered"):
        assert {"reference": "loop serial x", "cpu": "loop simd x", "cuda": "loop thread x"}[target] in shown


@pytest.mark.parametrize("stage", ["kernel", "scheduled", "lowered"])
def test_show_as_json(model: Path, stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["show", str(model), "copy", "--stage", stage, "--precision", "f32", "--format", "json"]
    assert main(command) == 0
    kernel = from_json(capsys.readouterr().out)
    assert isinstance(kernel, ir.Kernel)
    assert verify(kernel, "symbolic" if stage == "kernel" else stage).fields[0].type is ir.F32


def test_show_prints_every_kernel(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "demo_shift_f64" in shown
    assert "demo_copy_f32" in shown


def test_check(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "committed"
    check = ["check", str(model), "--against", str(out), "--text-only"]
    assert main(["build", str(model), "--out", str(out)]) == 0
    assert main(check) == 0
    (out / "demo" / "shift.cpp").write_text("// edited by hand\n")
    (out / "demo" / "old.cpp").write_text("// of a kernel that is gone\n")
    (out / "demo" / "demo.h").unlink()
    capsys.readouterr()
    assert main(check) == 1
    assert capsys.readouterr().err == (
        f"heddle: {out} differs from model.py:\n"
        "  demo/shift.cpp: another text\n  demo/demo.h: missing\n"
        f"  Hint: heddle build {model} --out {out} --targets cpu cuda\n"
        "  demo/old.cpp (not generated for cpu cuda)\n"
        "  Hint: remove what no target needs, or name all targets that are committed: --targets\n"
    )


def test_check_proves(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two kernels, in two precisions, for two targets."""
    assert main(["build", str(model), "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["check", str(model), "--against", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count(" structural ") == 8
    assert "8 of 8 kernels proved" in shown


def test_check_of_a_build(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--build", str(tmp_path), "--text-only"]) == 1
    assert "this build generates no modules" in capsys.readouterr().err
    assert main(["build", str(model), "--out", str(tmp_path / "generated"), "--targets", "cpu"]) == 0
    (tmp_path / "heddle-modules").mkdir()
    entry = {
        "model": str(model),
        "targets": ["cpu"],
        "generated": str(tmp_path / "generated"),
        "sweeps": True,
        "root": str(tmp_path),
    }
    (tmp_path / "heddle-modules" / "demo.json").write_text(json.dumps(entry))
    assert main(["check", "--build", str(tmp_path), "--text-only"]) == 0
    assert "the files agree" in capsys.readouterr().out
    (tmp_path / "heddle-modules" / "demo.json").write_text(json.dumps(entry | {"precisions": ["f32"]}))
    assert main(["check", "--build", str(tmp_path), "--text-only"]) == 1
    only = ["--targets", "cpu", "--precisions", "f32"]
    assert main(["build", str(model), "--out", str(tmp_path / "generated"), *only]) == 0
    assert main(["check", "--build", str(tmp_path), "--text-only"]) == 0


def test_build_without_sweeps(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(model), "--targets", "cpu", "--no-sweeps"]
    assert main(["build", *arguments, "--out", str(tmp_path)]) == 0
    assert files_below(tmp_path / "demo") == {"shift.cpp", "copy.cpp", "demo.h", "demo.hpp"}
    assert main(["check", *arguments, "--text-only", "--against", str(tmp_path)]) == 0
    assert main(["check", *arguments[:-1], "--text-only", "--against", str(tmp_path)]) == 1
    assert "demo/demo_sweeps.hpp" in capsys.readouterr().err


def test_check_in_several_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Says what one process says, in the same order; a refusal comes back whole."""
    (tmp_path / "heddle-modules").mkdir()
    (tmp_path / "factors.py").write_text("FACTOR = 2.0\n")
    for name in ("one", "two", "three"):
        model = tmp_path / f"{name}.py"
        model.write_text(MODEL.replace('"demo"', f'"{name}"'))
        assert main(["build", str(model), "--out", str(tmp_path / "generated"), "--targets", "cpu"]) == 0
        entry = {
            "model": str(model),
            "targets": ["cpu"],
            "generated": str(tmp_path / "generated"),
            "sweeps": True,
            "root": str(tmp_path),
        }
        (tmp_path / "heddle-modules" / f"{name}.json").write_text(json.dumps(entry))
    capsys.readouterr()
    (tmp_path / "generated" / "two" / "two.h").unlink()
    check = ["check", "--build", str(tmp_path), "--text-only"]
    assert main([*check, "--jobs", "1"]) == 1
    alone = capsys.readouterr()
    assert "two/two.h" in alone.err
    assert "three: the files agree" in alone.out
    assert main([*check, "--jobs", "2"]) == 1
    assert capsys.readouterr() == alone
    for part, status, agree in (("1/2", 1, ["one"]), ("2/2", 0, ["three"])):
        assert main([*check, "--part", part]) == status
        assert re.findall(r"(\w+): the files agree", capsys.readouterr().out) == agree
    model.write_text(MODEL.replace("v.here, FACTOR", "u.here, FACTOR"))
    assert main([*check, "--jobs", "2"]) == 1
    assert "Hint: use Schedule(colours=2)" in capsys.readouterr().err


def test_no_folder_to_write(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["build", str(model), "--out", str(tmp_path / "file" / "out"), "--targets", "cpu"]) == 1
    assert capsys.readouterr().err.startswith("heddle: cannot write or read ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["build"],
        ["build", "model.py"],
        ["show", "model.py", "--stage", "machine"],
        ["show", "model.py", "--target", "opencl"],
        ["check", "model.py"],
        ["check", "--against", "generated"],
        ["check", "model.py", "--against", "generated", "--build", "build/dev"],
        ["check", "--build", "build/dev", "--part", "0/2"],
        ["check", "model.py", "--against", "generated", "--part", "1/2"],
        ["lift"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: heddle" in capsys.readouterr().err


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: heddle" in capsys.readouterr().out


@pytest.mark.slow
def test_as_a_program(model: Path) -> None:
    """python -m heddle: the CMake folder, a refusal with exit code 1 and no stack trace."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "generator")}

    def heddle(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "heddle", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    where = heddle("--cmake-dir")
    assert where.returncode == 0
    assert (Path(where.stdout.strip()) / "heddle.cmake").exists()
    model.write_text(MODEL.replace("v.here, FACTOR", "u.here, FACTOR"))
    refused = heddle("show", str(model))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        "heddle: model.py:6: 'shift' reads u[1, 0] and writes u[0, 0]: one cell reads an element "
        "that another cell writes, in no defined order.\n"
        "  Hint: use Schedule(colours=2), or write to a second field\n"
    )


def test_targets_before_the_model(model: Path, tmp_path: Path) -> None:
    assert main(["build", "--out", str(tmp_path / "out"), "--targets", "cpu", "reference", str(model)]) == 0
    assert {"shift.cpp", "shift_reference.cpp"} <= files_below(tmp_path / "out" / "demo")
    assert "shift.cu" not in files_below(tmp_path / "out" / "demo")


def test_show_in_a_precision_that_the_module_does_not_have(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(model), "shift", "--precision", "f16"]) == 0
    shown = capsys.readouterr().out
    assert "demo_shift_f16" in shown
    assert "demo_shift_f64" not in shown
    assert main(["show", str(model), "shift", "--precision", "f8"]) == 1
    assert "'f8' is not a precision" in capsys.readouterr().err


def test_files_of_kernels_that_are_gone(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that nobody edited go; others are named. What other targets have of the kernels stays."""
    out = tmp_path / "out"
    assert main(["build", str(model), "--out", str(out)]) == 0
    (out / "demo" / "notes.cpp").write_text("// mine\n")
    edited = out / "demo" / "copy.cu"
    edited.write_text(edited.read_text() + "// edited\n")
    header = out / "demo" / "demo.h"
    header.write_text(header.read_text().replace("u_stride", "u_steps"))
    model.write_text("\n".join(line for line in MODEL.splitlines() if '"copy"' not in line) + "\n")
    capsys.readouterr()
    assert main(["build", str(model), "--out", str(out), "--targets", "cpu"]) == 0
    left = files_below(out / "demo")
    assert left == {
        *("shift.cpp", "shift.cu", "shift.cuh", "demo.h", "demo.hpp", "demo_sweeps.hpp"),
        *("copy.cu", "notes.cpp"),
    }
    output = capsys.readouterr()
    assert "heddle: demo: removed copy.cpp, copy.cuh, which no kernel gives any more\n" in output.out
    assert output.err == (
        f"heddle: warning: {header} was edited by hand; what the model gives takes its place.\n"
        f"heddle: warning: {edited} is of a kernel that the model does not have, and was edited by hand.\n"
        "  Hint: remove it\n"
    )


def test_integers_that_are_cut(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = MODEL.replace("u, v: real[2D]", "u, v: int32[2D]").replace(
        "demo =", 'w = fields("w: int64[2D]")\ndemo ='
    )
    model.write_text(text.replace("FACTOR * u[1, 0]", "w.here + u.here"))
    assert main(["build", str(model), "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err == (
        "heddle: warning: model.py:7: the value stored to 'v' may need 64 bits, and its lowest 32 are kept.\n"
        "  Hint: declare 'v' as int64\n"
    )


def test_a_line_that_takes_long_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\n\n\ndef wait():\n    time.sleep(0.5)\n\n\nwait()\n")
    with named_if_slow(slow, patience=0.05):
        runpy.run_path(str(slow))
    said = capsys.readouterr().err
    assert said.startswith(
        "heddle: slow.py:5: the model has been running for 0.05 s, and is in this line.\n  Hint: "
    )
    assert said.count("Hint") == 1
    with named_if_slow(slow, patience=60):
        pass
    assert capsys.readouterr().err == ""


def test_parameters_that_no_kernel_uses(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = MODEL.replace("fields\n", "fields, parameters\nfrom sympy import Symbol\n", 1)
    declared = text.replace("demo =", 'alpha, beta, gamma = parameters("alpha, beta, gamma")\ndemo =')
    used = declared.replace("FACTOR * u[1, 0]", 'gamma * Symbol("alhpa") * u[1, 0]')
    hidden = 'Assignment(Symbol("beta"), u.here), Assignment(v.here, Symbol("beta"))'
    model.write_text(used.replace("Assignment(v.here, u.here)", hidden))
    assert main(["show", str(model), "shift", "--stage", "symbolic"]) == 0
    assert capsys.readouterr().err == (
        "heddle: warning: model.py: the parameter 'alpha' is declared, but no kernel uses it.\n"
        "  Hint: 'shift' uses 'alhpa', which is declared nowhere\n"
        "heddle: warning: model.py: the parameter 'beta' is declared, but no kernel uses it.\n"
    )


def test_a_full_disk_names_the_file(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    out = tmp_path / "out"
    assert main(["build", str(model), "--out", str(out), "--targets", "cpu"]) == 1
    written = out / "demo" / "shift.cpp"
    assert capsys.readouterr().err == f"heddle: cannot write or read {written}: No space left on device\n"
    assert files_below(out) == set()


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("runtime/include", "heddle: its folder 'templates' is missing."),
        ("templates", "heddle: its folder 'runtime/include' is missing."),
        ("templates/module.h.j2", "heddle: its template '"),
    ],
)
def test_what_is_missing_of_heddle_itself_is_named(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    kept: str, said: str,
) -> None:  # fmt: skip
    """An installation that has one folder or template of all."""
    place = tmp_path / "checkout" / kept
    place.parent.mkdir(parents=True)
    (shutil.copyfile if place.suffix else shutil.copytree)(ROOT / kept, place)
    monkeypatch.setattr("heddle.resources._CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr("heddle.resources._PACKAGE", tmp_path)
    environment.cache_clear()
    try:
        assert main(["build", str(model), "--out", str(tmp_path / "out"), "--targets", "cpu"]) == 1
    finally:
        environment.cache_clear()
    error = capsys.readouterr().err
    assert error.startswith(f"heddle: {said}")
    assert error.endswith("\n  Hint: install Heddle again\n")


def test_a_reader_that_has_seen_enough(model: Path) -> None:
    """As in `heddle show model.py | head -1`."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "generator"), "PYTHONUNBUFFERED": "1"}
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "heddle", "show", str(model), "--stage", "symbolic"]
    shown = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(writing)
    assert (shown.returncode, shown.stderr) == (141, b"")


def test_ctrl_c_is_one_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As while a model runs; nothing is written."""
    model.write_text("raise KeyboardInterrupt\n")
    out = model.parent / "out"
    assert main(["build", str(model), "--out", str(out)]) == 130
    assert capsys.readouterr() == ("", "heddle: ended by Ctrl-C\n")
    assert not out.exists()
    assert main(["--debug", "build", str(model), "--out", str(out)]) == 130
    assert "model.py" in capsys.readouterr().err

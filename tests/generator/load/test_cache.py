# SPDX-License-Identifier: Apache-2.0
"""What the cache keeps, for whom it compiles, and what is said where it cannot. The compiler is a script that
notes its calls and hands out a library that was compiled before."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import heddle
import pytest
from called import tiny
from heddle import Assignment, KernelError, Module, fields
from heddle.python import cache, compiler
from heddle.python.load import Kernels

pytestmark = pytest.mark.compiles
SCRIPT = """#!/bin/sh
echo "$*" >> {log}
for word; do last=$word; done
case "$*" in
  *--version*) echo "{version}";;
  *-###*) echo "resolved";;
  *"-c "*) {compiling}; : > "$last";;
  *) cp {library} "$last";;
esac
"""


class Fake:
    """A compiler that notes its calls."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.folder, self.library, self.log = folder, library, folder / "log"

    def install(self, version: str = "fake 1", compiling: str = ":", name: str = "c++") -> Path:
        path = self.folder / name
        text = SCRIPT.format(log=self.log, version=version, compiling=compiling, library=self.library)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        compiler.host_compiler.cache_clear()
        return path

    def compiled(self) -> list[str]:
        """The sources that it was asked to compile, without its probes."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        found = [
            word for line in lines if " -c " in f" {line} " for word in line.split() if word.endswith(".cpp")
        ]
        return [Path(word).name for word in found if "probe" not in word]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels: Kernels) -> Fake:
    found = Fake(tmp_path, kernels.folder / "calls.so")
    monkeypatch.setenv("CXX", str(found.install()))
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXXFLAGS")
    yield found
    compiler.host_compiler.cache_clear()


def test_what_modules_share_is_compiled_beside_their_kernels(fake: Fake) -> None:
    """The script compiles call.cpp and step.cpp only once both have begun; alone it gives up after 5 s."""
    call, step = fake.folder / "began_call", fake.folder / "began_step"
    fake.install(
        compiling=f'for word in "$@"; do case "$word" in '
        f"*/call.cpp) : > {call};; */step.cpp) : > {step};; esac; done; "
        'case "$*" in */call.cpp*|*/step.cpp*) n=0; '
        f"until ls {call} {step} > /dev/null 2>&1; do "
        "n=$((n+1)); [ $n -lt 100 ] || exit 1; sleep 0.05; done;; esac"
    )
    assert list(heddle.load(tiny())) == list(heddle.load(tiny()))
    assert {"call.cpp", "step.cpp"} < set(fake.compiled())


def test_once_for_the_same_text_flags_and_compiler(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    first = heddle.load(tiny())
    sources = fake.compiled()
    assert sorted(sources) == ["call.cpp", "calls_python.cpp", "step.cpp"]
    assert heddle.load(tiny()).folder == first.folder
    assert fake.compiled() == sources
    folders = {first.folder}
    fake.install(version="fake 2")
    folders.add(heddle.load(tiny()).folder)
    monkeypatch.setenv("CXXFLAGS", "-O2")
    compiler.host_compiler.cache_clear()
    folders.add(heddle.load(tiny()).folder)
    other = tiny()
    u, v = fields("u, u_next: real[1D]")
    other.kernels.pop("step")
    other.add("step", [Assignment(v.here, 3 * u.here)])
    assert len(fake.compiled()) == 3 * len(sources)
    folders.add(heddle.load(other).folder)
    assert len(folders) == 4
    assert fake.compiled().count("call.cpp") == 3  # what modules have in common


def test_sources_and_commands_lie_beside_the_library(fake: Fake, capfd: pytest.CaptureFixture[str]) -> None:
    folder = heddle.load(tiny(), verbose=True).folder
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"calls.so", "build.json", "calls/step.cpp", "calls/calls.h", "heddle/device/row.hpp"} <= names
    said = json.loads((folder / "build.json").read_text())
    assert any(f"-c {folder}/calls/step.cpp" in command for command in said["commands"])
    assert "calls/step.cpp" in capfd.readouterr().err
    beside = {path.name.partition("-")[0] for path in folder.parent.iterdir()}
    assert beside == {"calls", "python_calls"}


def test_one_process_compiles_the_others_wait(fake: Fake) -> None:
    fake.install(compiling="sleep 0.5")
    script = "import heddle, called; print(heddle.load(called.tiny()).folder)"
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths}
    started = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    said = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0, 0]
    assert len(said) == 1
    assert len(fake.compiled()) == len(set(fake.compiled()))


def test_a_failed_build_leaves_nothing(fake: Fake, tmp_path: Path) -> None:
    fake.install(compiling="echo no luck >&2; exit 3")
    with pytest.raises(KernelError, match=r"c\+\+ fails:\n    no luck\n.*heddle doctor"):
        heddle.load(tiny())
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".lock"}
    fake.install()
    assert heddle.load(tiny()).folder.parent == tmp_path / "cache"


def test_off_keeps_nothing(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDDLE_CACHE", "off")
    script = "import heddle, called; print(heddle.load(called.tiny()).folder)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert Path(done.stdout.strip()).name.startswith("calls-")
    assert not Path(done.stdout.strip()).parent.exists()


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "own"))
    assert cache.folder() == tmp_path / "own"
    monkeypatch.setenv("HEDDLE_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg/heddle"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder() == Path.home() / ".cache/heddle"


def test_a_cache_that_cannot_be_written(fake: Fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "file"))
    with pytest.raises(KernelError, match=r"cannot be written.*\n.*HEDDLE_CACHE=off"):
        heddle.load(tiny())


def test_without_a_compiler(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    compiler.host_compiler.cache_clear()
    with pytest.raises(
        KernelError, match=r"no-such-compiler \(CXX\) was not found.\n.*apt install g\+\+.*--python"
    ):
        heddle.load(tiny())
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "/nowhere")
    compiler.host_compiler.cache_clear()
    with pytest.raises(KernelError, match="no C\\+\\+ compiler was found"):
        heddle.load(tiny())
    monkeypatch.setenv("CUDACXX", "no-nvcc")
    with pytest.raises(KernelError, match=r"no-nvcc \(CUDACXX\) was not found.\n.*CUDA toolkit"):
        heddle.load(tiny(), "cuda")


def test_a_machine_without_some_flags(fake: Fake) -> None:
    fake.install(compiling='case "$*" in *march=native*) exit 1;; esac')
    assert not any("-march" in flag for flag in compiler.host_compiler().flags)


def test_what_load_refuses(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="'hip' is no target for Python"):
        heddle.load(tiny(), "hip")
    with pytest.raises(KernelError, match="the model file does not exist"):
        heddle.load(tmp_path / "model.py")
    empty = Module("empty")
    with pytest.raises(KernelError, match="the module has no kernels"):
        heddle.load(empty)

# SPDX-License-Identifier: Apache-2.0
"""What `heddle build --python` writes is imported, stubs and wheel included, without Heddle and without a
compiler; `heddle doctor` says what a machine lacks."""

from __future__ import annotations

import ast
import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from heddle import Assignment, Sparse, fields
from heddle.__main__ import main
from heddle.build import load
from heddle.errors import KernelError
from heddle.python import compiler
from heddle.python.load import job_of
from heddle.python.package import package_files, stub

pytestmark = pytest.mark.compiles
MODEL = """
from heddle import Assignment, Module, Reduce, fields, parameters
u, v = fields("u, v: real[2D]")
factor = parameters("lambda")
grow = Module("grow", precisions=("f64",), about="Growth.")
grow.add("step", [Assignment(v.here, factor * u.here), Reduce("sum", "total", u.here)])
"""
USE = """
import sys
sys.path.insert(0, sys.argv[1])
import grow, numpy
u, v = numpy.ones((3, 4)), numpy.zeros((3, 4))
print(grow.step(u=u, v=v, **{"lambda": 2.0}), v.sum(), "heddle" in sys.modules)
try:
    grow.step(u=u)
except grow.KernelError as error:
    print(error.what)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


def test_a_package_and_a_wheel(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXXFLAGS", "-O0")
    compiler.host_compiler.cache_clear()
    assert main(["build", str(model), "--out", str(tmp_path), "--python"]) == 0
    compiler.host_compiler.cache_clear()
    (wheel,) = (tmp_path / "python").glob("grow-0.1.0-py3-none-*.whl")
    assert str(wheel) in capsys.readouterr().out
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        for line in archive.read("grow-0.1.0.dist-info/RECORD").decode().splitlines()[:-1]:
            name, digest, size = line.split(",")
            data = archive.read(name)
            own = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={own}", len(data))
    numpy_only = {"PATH": "/nowhere", "PYTHONPATH": str(Path(np.__file__).parents[1])}
    for place in (tmp_path / "python", tmp_path / "site"):
        command = [sys.executable, "-S", "-c", USE, str(place)]
        done = subprocess.run(command, capture_output=True, text=True, env=numpy_only, check=False)
        assert done.stdout == "12.0 24.0 False\nthe call lacks 'v', 'lambda'.\n", done.stderr


def test_stubs_name_what_a_call_takes(model: Path) -> None:
    module = load(model)
    (function,) = [node for node in ast.parse(stub(module, "cpu")).body if isinstance(node, ast.FunctionDef)]
    assert [argument.arg for argument in function.args.kwonlyargs] == ["u", "v", "ghosts"]
    assert function.args.kwarg is not None  # lambda
    assert ast.unparse(function.returns or ast.Constant(None)) == "float"
    assert "stream: Any = ..." in stub(module, "cuda")
    module.kernels["import"] = module.kernels.pop("step")
    with pytest.raises(KernelError, match="'import' is a word of Python"):
        package_files(module, "cpu", "1")


def test_kernels_over_lists_are_not_in_packages(model: Path) -> None:
    module = load(model)
    u, v = fields("u, v: real[2D]")
    module.add("listed", [Assignment(v.here, u.here)], space=Sparse("some"))
    assert "listed" not in package_files(module, "cpu", "1")["__init__.py"]
    assert "listed" not in stub(module, "cpu")
    del module.kernels["step"]
    with pytest.raises(KernelError, match=r"load kernels over lists with heddle\.load"):
        job_of(module, "cpu", lists=False)


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    compiler.host_compiler.cache_clear()
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"ok      cache: {tmp_path}" in said
    assert said.endswith("heddle.load works here.\n")
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("PATH", "/nowhere")
    compiler.host_compiler.cache_clear()
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    compiler.host_compiler.cache_clear()
    assert "MISSING C++ compiler: the C++ compiler no-such-compiler (CXX) was not found." in said
    assert "apt install g++" in said
    assert "absent  MPI" in said
    assert said.endswith("heddle.load does not work without: C++ compiler\n")

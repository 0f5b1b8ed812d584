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
from heddle import Assignment, Sparse, fields, lbm
from heddle.__main__ import main
from heddle.build import load
from heddle.errors import KernelError
from heddle.python import compiler
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


DUCT = """
from heddle import Assignment, Module, Reduce, Sparse, fields, lbm
d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
duct = Module("duct", precisions=("f64",))
duct.add("step", stream(lbm.TRT(d2q9, omega="omega")), space=Sparse("fluid"))
duct.add("moments", stream.moments("rho", "u"), space=Sparse("fluid"))
duct.add("lid", stream.boundary(lbm.VelocityBounceBack(("u_lid", 0))), space=Sparse("lid", listed=True))
density = fields("rho: real[2D]")
duct.add("mass", [Reduce("sum", "mass", density.here)], space=Sparse("fluid"))
"""
FLOW = """
import sys
sys.path.insert(0, sys.argv[1])
import duct, inspect, numpy as np
velocities = eval(sys.argv[2])
fluid = np.ones((6, 4), bool)
fluid[-1] = False
cells = duct.CellList(fluid, duct, periodic="x")
lid = cells.links_to(~fluid, velocities)
f, f_next, rho, u = (cells.zeros("f8", components) for components in (9, 9, 0, 2))
for _ in range(400):
    duct.step(f=f, f_next=f_next, omega=1, cells=cells)
    f, f_next = f_next, f
    duct.lid(f=f, mask=lid.mask, u_lid=0.1, cells=lid)
duct.moments(f=f, rho=rho, u=u, cells=cells)
profile = cells.scatter(u)[0, :-1, 0]
print(np.abs(profile - 0.1 * (np.arange(5) + 0.5) / 5).max() < 1e-8, "heddle" in sys.modules)
print(duct.mass(rho=rho, cells=cells) == rho.sum(), inspect.signature(duct.step))
for wrong in ({}, {"cells": lid}, {"cells": duct.CellList(fluid, ())}):
    try:
        duct.step(f=f, f_next=f_next, omega=1, **wrong)
    except duct.KernelError as error:
        print(error)
"""
SAID = """\
True False
True (*, f, f_next, omega, cells)
duct.step: the call lacks 'cells'.
  Hint: pass a list: duct.CellList(mask, kernels)
  call step(f[9, cell], f_next[9, cell] (written), omega, cells)
duct.step: 'cells' is of type CellSelection.
  Hint: pass a list: duct.CellList(mask, kernels)
  call step(f[9, cell], f_next[9, cell] (written), omega, cells)
duct.step: the links of 'cells' are not those of the kernel.
  Hint: make the list with the kernels of this module: CellList(mask, kernels)
  call step(f[9, cell], f_next[9, cell] (written), omega, cells)
"""


def test_a_package_over_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Couette flow over a list, without Heddle: what the page of Python shows."""
    path = tmp_path / "model.py"
    path.write_text(DUCT)
    monkeypatch.setenv("CXXFLAGS", "-O0")
    compiler.host_compiler.cache_clear()
    assert main(["build", str(path), "--out", str(tmp_path), "--python"]) == 0
    compiler.host_compiler.cache_clear()
    folder = tmp_path / "python"
    assert not [path for path in folder.rglob("*.py") if "heddle" in imported(path)]
    numpy_only = {"PATH": "/nowhere", "PYTHONPATH": str(Path(np.__file__).parents[1])}
    velocities = repr(lbm.Lattice("D2Q9").velocities)
    command = [sys.executable, "-S", "-c", FLOW, str(folder), velocities]
    done = subprocess.run(command, capture_output=True, text=True, env=numpy_only, check=False)
    assert done.stdout == SAID, done.stderr
    (wheel,) = folder.glob("duct-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert "duct/_cell_list.py" in archive.namelist()
        assert b"Requires-Dist: numpy" in archive.read("duct-0.1.0.dist-info/METADATA")
    functions = [n for n in ast.parse((folder / "duct/__init__.pyi").read_text()).body
                 if isinstance(n, ast.FunctionDef)]  # fmt: skip
    assert [ast.unparse(function.args) for function in functions[:3:2]] == [
        "*, f: Array, f_next: Array, omega: float, cells: CellList",
        "*, f: Array, mask: Array, u_lid: float, cells: CellSelection",
    ]


def imported(path: Path) -> set[str]:
    """The packages that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    found = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in found}


def test_names_that_a_package_has_itself(model: Path) -> None:
    module = load(model)
    u, v = fields("u, v: real[2D]")
    module.add("CellList", [Assignment(v.here, u.here)], space=Sparse("some"))
    with pytest.raises(KernelError, match="'CellList' is a word of Python, or of a package"):
        package_files(module, "cpu", "1")


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

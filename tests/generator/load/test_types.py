# SPDX-License-Identifier: Apache-2.0
"""mypy of a user sees the types of heddle where it is installed, and takes models as they are written."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

GENERATOR = Path(__file__).resolve().parents[3] / "generator"
PROGRAM = """\
import heddle
from heddle import Assignment, Dense, Module, Reduce, Schedule, Strips, fields, lbm, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")
laplacian = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u.here
heat = Module("heat", about="Heat.", precisions=("f64",))
heat.add("step", [Assignment(u_next.here, u.here + alpha * laplacian), Reduce("sum", "heat", u.here)])
heat.add("again", [Assignment(u_next.here, u.here)], schedule=Schedule(cpu=Strips(8)))
stream = lbm.AA(lbm.Lattice("D3Q19"))
heat.add("flow", stream(lbm.TRT(stream.lattice, omega="omega")), space=Dense(walls=("w",)))
heat.add_adjoint("step")
kernels = heddle.load(heat)
total = kernels.step(u=[0.0], u_next=[0.0], alpha=0.1, ghosts=1)
reveal_type(kernels)
heddle.load(heat, targt="cuda")
Module(7)
"""


@pytest.mark.slow
def test_a_user_has_types(tmp_path: Path) -> None:
    """Strict mypy finds the two mistakes, both on the last lines, and no other."""
    venv.create(tmp_path / "user", with_pip=False)
    [packages] = (tmp_path / "user").glob("lib/python3*/site-packages")
    (packages / "heddle.pth").write_text(f"{GENERATOR}\n")  # as pip install -e does it
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    command += ["--python-executable", str(tmp_path / "user/bin/python"), "program.py"]
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    said = done.stdout.splitlines()
    last = len(PROGRAM.splitlines())
    assert f'program.py:{last - 2}: note: Revealed type is "heddle.python.load.Kernels"' in said
    errors = [line for line in said if ": error: " in line]
    assert len(errors) == 2, done.stdout
    assert errors[0].startswith(f'program.py:{last - 1}: error: Unexpected keyword argument "targt"')
    assert errors[1].startswith(
        f'program.py:{last}: error: Argument 1 to "Module" has incompatible type "int"'
    )

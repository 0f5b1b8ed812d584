# SPDX-License-Identifier: Apache-2.0
"""The module of Fortran: directives for devices, names that Fortran reads otherwise, and what is refused.
tests/embedding calls the same of the host in three orders of the indices."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import sympy
from heddle import Assignment, KernelError, Module, Reduce, Sparse, fields, lbm, profiles
from heddle.__main__ import main
from heddle.build import files, fortran_files, write
from heddle.emit.fortran_file import DIRECTIVES, built_with
from heddle.leftovers import is_edited

STRICT = "-std=f2018 -Wall -Wextra -Wno-compare-reals -Werror -O1 -g -fcheck=bounds -ffp-contract=off".split()
SWITCH = {"host": [], "openacc": ["-fopenacc"], "openmp": ["-fopenmp"]}
CALLER = Path(__file__).with_name("fortran_caller.f90")


def worded() -> Module:
    """Kernels with arguments that are words or twins in Fortran: `size`, and `T` beside `t`."""
    size = fields("size: real(2)[3D]")
    plane = fields("plane: real[xy]")
    low, high = fields("t, T: real[3D]")
    weight = profiles("weight: real[z]", ghost_layers=2)
    seven = sympy.Symbol("_seven")
    u = fields("u: real[3D]")
    module = Module("worded", precisions=("f64",), about="Names of Fortran.")
    value = size[-1, 0, 0, 1] + seven * plane[0, 1] + weight[2]
    module.add("mix", [Assignment(high.here, value), Assignment(low.here, value)])
    module.add("norm", [Reduce("max", "largest", u.here), Reduce("sum", "total", u.here)])
    module.model = Path("model.py")
    return module


def text(module: Module, directives: str = "host", *targets: str) -> str:
    module.model = Path("model.py")
    (result,) = fortran_files(module, targets or ("cpu",), directives).values()  # type: ignore[arg-type]
    return result


@pytest.mark.parametrize("directives", DIRECTIVES)
def test_directives(directives: str) -> None:
    said = text(worded(), directives, "cpu", "cuda")
    assert built_with(said) == directives
    begin = {
        "openacc": "    !$acc host_data use_device(u, largest, largest_work, total, total_work)\n",
        "openmp": "    !$omp target data use_device_addr(u, largest, largest_work, total, total_work)\n",
    }
    for name, line in begin.items():
        assert (line in said) == (name == directives)
    assert said.count("end host_data") == 2 * (directives == "openacc")
    assert said.count("end target data") == 2 * (directives == "openmp")
    assert ("subroutine worded_norm_f64_cuda_of_arrays(" in said) == (directives != "host")
    assert "function worded_norm_f64_cuda(" in said  # the entry itself is always declared
    assert max(map(len, said.splitlines())) <= 100


@pytest.mark.parametrize("directives", ["openacc", "openmp"])
def test_calls(directives: str, tmp_path: Path) -> None:
    """The device is the host: gfortran without offloading leaves addresses as they are."""
    module = worded()
    texts = files(module, ("cpu", "cuda"), sweeps=False)
    write(texts | fortran_files(module, ("cpu", "cuda"), directives), tmp_path)  # type: ignore[arg-type]
    objects = []
    for kernel in ("mix", "norm"):
        objects.append(tmp_path / f"{kernel}.o")
        source = tmp_path / "worded" / f"{kernel}.cpp"
        run("g++", "-std=c++20", "-O0", "-ffp-contract=off", f"-I{tmp_path}", "-c", source, "-o", objects[-1])
    sources = [tmp_path / "worded" / "worded_f.f90", CALLER]
    program = tmp_path / "caller"
    run(
        "gfortran",
        *STRICT,
        *SWITCH[directives],
        f"-J{tmp_path}",
        *sources,
        *objects,
        "-o",
        program,
        "-lstdc++",
    )
    run(program)


def run(*command: object) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout + done.stderr


def test_kernels_over_lists_have_interfaces() -> None:
    d2q9 = lbm.Lattice("D2Q9")
    module = Module("listed", precisions=("f32",))
    module.add("step", lbm.Pull(d2q9)(lbm.BGK(d2q9, "omega")), space=Sparse("fluid"))
    said = text(module)
    assert "integer(c_int) function listed_step_f32(f, f_extent, f_stride, f_next, " in said
    assert "      integer(c_int64_t), intent(in) :: f_extent(2)\n" in said
    assert "subroutine listed_step" not in said


def test_precisions_that_fortran_cannot_tell_apart() -> None:
    """f16 has no type of its own: its bits are integers, as every kernel's C entry takes them."""
    u, v = fields("u, v: real[2D]")
    module = Module("half", precisions=("f16", "f32"))
    module.add("copy", [Assignment(v.here, u.here)])
    said = text(module)
    assert "integer(c_int16_t), intent(in), target :: u(:, :)" in said
    assert "real(c_float), intent(in), target :: u(:, :)" in said
    assert "    module procedure half_copy_f16_of_arrays, half_copy_f32_of_arrays\n" in said


def test_a_name_too_long_for_fortran() -> None:
    u, v = fields("u, v: real[2D]")
    module = Module("diffusion_of_heat_in_a_layered_material", precisions=("f64",))
    module.add("relax_towards_the_boundary", [Assignment(v.here, u.here)])
    with pytest.raises(KernelError, match="has 66 letters, and Fortran takes 63") as refusal:
        text(module)
    assert "Hint: choose shorter names for the module, the kernel or the field" in str(refusal.value)


def test_edits_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "worded_f.f90"
    path.write_text(text(worded()))
    assert not is_edited(path)
    path.write_text(path.read_text().replace("pure function", "function"))
    assert is_edited(path)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`heddle check` compares the module with what its directives give, and sees an edit."""
    model = tmp_path / "model.py"
    model.write_text(
        "from heddle import Assignment, Module, fields\n"
        "u, v = fields('u, v: real[2D]')\n"
        "pair = Module('pair', precisions=('f64',))\n"
        "pair.add('copy', [Assignment(v.here, u.here)])\n"
    )
    build = ["build", str(model), "--out", str(tmp_path), "--targets", "cpu", "--fortran", "openmp"]
    check = ["check", str(model), "--against", str(tmp_path), "--targets", "cpu", "--text-only"]
    assert main(build) == 0
    assert main(check) == 0
    path = tmp_path / "pair" / "pair_f.f90"
    assert built_with(path.read_text()) == "openmp"
    path.write_text(path.read_text().replace("pure function", "function"))
    capsys.readouterr()
    assert main(check) == 1
    assert "pair/pair_f.f90" in capsys.readouterr().err

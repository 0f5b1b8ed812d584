# SPDX-License-Identifier: Apache-2.0
"""An emitted kernel says what its bits ask of a compiler, and does not compile where they are lost."""

import subprocess
from pathlib import Path

import pytest
from compiled import EMULATION, ROOT
from heddle.build import files, load, write

SAYS = "Heddle: -ffast-math, -Ofast or a part of them changes bits; compile with -ffp-contract=off"
ENDS = {"cpu": ".cpp", "reference": "_reference.cpp", "cuda": ".cu", "hip": ".hip"}
BANNER = {
    "heat/step.cpp": "-ffp-contract=off and without -ffast-math",
    "heat/step_reference.cpp": "-ffp-contract=off and without -ffast-math",
    "heat/step.cuh": "-fmad=false and without --use_fast_math",
    "heat/step.cu": "-fmad=false and without --use_fast_math",
    "heat/step.hip": "-ffp-contract=off and without -ffast-math",
}


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a module for all targets, and nothing of the runtime."""
    folder = tmp_path_factory.mktemp("flags")
    write(files(load(ROOT / "examples" / "first_kernel" / "model.py"), list(ENDS), sweeps=False), folder)
    return folder


def compiled(emitted: Path, source: str, *flags: str) -> str:
    """What g++ says to a file."""
    command = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-D__HIP_PLATFORM_AMD__", *flags]
    command += ["-I", str(emitted), "-I", str(EMULATION), source]
    done = subprocess.run(command, cwd=emitted / "heat", capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "flag",
    [
        "-ffast-math",
        "-Ofast",
        "-fassociative-math -fno-signed-zeros -fno-trapping-math",
        "-freciprocal-math",
        "-ffinite-math-only",
    ],
)
def test_flags_that_change_bits_are_refused(emitted: Path, flag: str) -> None:
    assert SAYS in compiled(emitted, "step.cpp", *flag.split())


@pytest.mark.parametrize("target", ENDS)
def test_every_target_refuses_fast_math(emitted: Path, target: str) -> None:
    source = f"step{ENDS[target]}"
    assert SAYS in compiled(emitted, source, "-ffast-math")
    assert (
        compiled(emitted, source, "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math") == ""
    )


def test_who_calls_a_kernel_may_be_compiled_in_any_way(emitted: Path) -> None:
    """Its bits are those of its own file."""
    for header in ("heat.h", "heat.hpp"):
        (emitted / "heat" / "main.cpp").write_text(f'#include "{header}"\n')
        assert compiled(emitted, "main.cpp", "-ffast-math") == ""


@pytest.mark.parametrize("name", BANNER)
def test_the_banner_names_the_flags(emitted: Path, name: str) -> None:
    assert f". Compile with {BANNER[name]}.\n" in (emitted / name).read_text()

# SPDX-License-Identifier: Apache-2.0
"""Which names C++ takes: held against what the headers of this machine define."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from heddle.ir.cpp_names import RESERVED, is_name, why_no_name

ROOT = Path(__file__).resolve().parents[3]
USUAL = (
    "EPS ETA T_MAX U_MIN TIME TIME_STEP SIG_0 SYS E I INT_X SIG MOD P_0 F_X W_0 R_MAX NU NANO f_OK".split()
)


@pytest.mark.compiles
def test_no_macro_is_a_name() -> None:
    headers = "graph/sweep.hpp solvers/coloured_sweep.hpp device/half.hpp device/views.hpp".split()
    text = "#include <cmath>\n" + "".join(f'#include "heddle/{header}"\n' for header in headers)
    command = ["g++", "-std=c++20", f"-I{ROOT / 'runtime/include'}", "-dM", "-E", "-x", "c++", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    macros = {line.split()[1] for line in result.stdout.splitlines()}  # those with arguments end in ...)
    assert len(macros) > 500
    assert {"RAND_MAX", "ENOENT", "M_PI", "INT64_MAX"} <= macros
    assert [macro for macro in sorted(macros) if is_name(macro)] == []


def test_usual_names_stay() -> None:
    assert [name for name in USUAL if not is_name(name)] == []


def test_reasons() -> None:
    assert not why_no_name("omega")
    assert why_no_name("2u") == why_no_name("é") == why_no_name("") == "it is not a valid C++ identifier"
    assert all("use this word themselves" in why_no_name(word) for word in (*RESERVED, "RAND_MAX", "__x"))

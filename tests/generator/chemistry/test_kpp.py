# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of KPP: species, reactions and rates in molecules and cm, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy
from heddle import KernelError, chemistry
from heddle.chemistry.kpp_rates import rate_expression
from heddle.chemistry.quantities import AIR, PRESSURE, TEMPERATURE

SPECIES = """\
#include atoms.kpp
#DEFVAR
{of the stratosphere}
  O3 = 3O;   O  = O;  // atomic
  NO = N + O;  NO2 = N + 2O;  X = IGNORE;
#DEFFIX
  M = IGNORE;
  O2 = O + O;
"""
EQUATIONS = """\
#EQUATIONS { a comment
  of two lines }
<R1> O2 + hv = 2O : 2.6E-10*SUN**3;
<R2> O + O2 + M = O3 + M : ARR_ac(6.0e-34, -2.4);
<R3> O3 + NO = NO2 + O2
     : 1.8D-12*EXP(-1370/TEMP);
NO2 + hv = NO + O : J(4);
<R5> NO + NO = 1.5NO2 - 0.5O3 + PROD : (1.0E-38_dp);
hv = NO : 1E5;
"""
DEFINITION = """\
#INCLUDE a.spc
#INCLUDE a.eqn
#LOOKATALL
#INITVALUES
  CFACTOR = 1.; O2 = 1.697E+16; O3 = 5.3E+11;
#INLINE F90_INIT
  TSTART = (12*3600)  ; #this is Fortran
#ENDINLINE
#LANGUAGE Fortran90
"""
MOLECULES = 6.02214076e17


def read(tmp_path: Path, old: str = "", new: str = "") -> chemistry.Mechanism:
    for name, text in (("a.spc", SPECIES), ("a.eqn", EQUATIONS), ("a.def", DEFINITION)):
        (tmp_path / name).write_text(text.replace(old, new, 1) if old else text)
    return chemistry.read(tmp_path / "a.def")


def value(rate: sympy.Expr, **host: float) -> float:
    air = {TEMPERATURE: 250.0, PRESSURE: 5e4, AIR: 24.0}
    return float(rate.subs(air | {sympy.Symbol(name, real=True): v for name, v in host.items()}))


def test_what_is_read(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert found.variable == ("O3", "O", "NO", "NO2")
    assert found.inert == ("X",)
    assert found.known["NO2"].atoms == {"N": 1, "O": 2}
    assert found.known["M"].fixed == AIR
    assert value(found.known["O2"].fixed) == pytest.approx(1.697e16 / MOLECULES)
    assert found.inputs == ("SUN", "J(4)")
    assert [r.name for r in found.reactions] == ["R1", "R2", "R3", "", "R5", ""]
    fifth = found.reactions[4]
    assert (fifth.reactants, fifth.products) == ({"NO": 2}, {"NO2": 1.5, "O3": -0.5})
    wanted = [
        2.6e-10 * 0.7**3,
        6.0e-34 * (250 / 300) ** -2.4 * MOLECULES**2,
        1.8e-12 * np.exp(-1370 / 250) * MOLECULES,
        1e-3,
        1e-38 * MOLECULES,
        1e5 / MOLECULES,
    ]
    rates = [value(r.rate, SUN=0.7, **{"J(4)": 1e-3}) for r in found.reactions]
    assert rates == pytest.approx(wanted, rel=1e-12)
    assert found.known["O2"].atoms == {"O": 2}
    for element in ("N", "O"):
        assert [reaction.name for reaction in found.unbalanced(element)] == ["R5"]
        (note,) = [note for note in found.notes if f"number of {element} atoms by -0.5; 1 reaction" in note]
        assert note.startswith("a.eqn:8: 'R5: ")
    assert any("#INLINE" in note for note in found.notes)
    assert any(
        note.startswith("a.spc:8: O2 is 0.0281793 mol m-3") and "in every cell" in note
        for note in found.notes
    )
    assert any("atoms.kpp is not there" in note for note in found.notes)


@pytest.mark.parametrize("everything", ["ALL_SPEC", "FIX_SPEC", "ALl_SPEC"])
def test_one_value_for_all_species(everything: str, tmp_path: Path) -> None:
    """What is said of a species later counts, what was said before does not."""
    found = read(tmp_path, "CFACTOR = 1.; O2 = 1.697E+16;", f"CFACTOR = 2.; O2 = 7; {everything} = 3E+16;")
    assert value(found.known["O2"].fixed) == pytest.approx(6e16 / MOLECULES)
    assert found.known["M"].fixed == AIR
    found = read(tmp_path, "CFACTOR = 1.; O2", f"{everything} = 3E+16; O2")
    assert value(found.known["O2"].fixed) == pytest.approx(1.697e16 / MOLECULES)


def test_what_older_and_larger_files_have(tmp_path: Path) -> None:
    """Comments in Latin-1; photolysis by names (Master Chemical Mechanism); a file that names a model."""
    read(tmp_path)
    equations = (tmp_path / "a.eqn").read_text().replace("J(4)", "J(J_NO2)+TUV_J(4, THETA)")
    (tmp_path / "a.eqn").write_bytes(equations.replace("a comment", "Mészáros").encode("latin-1"))
    (tmp_path / "box.kpp").write_text("#MODEL a\n#DRIVER general\n")
    found = chemistry.read(tmp_path / "box.kpp")
    assert found.inputs == ("SUN", "J(J_NO2)", "TUV_J(4, THETA)")
    assert len(found.reactions) == 6
    (tmp_path / "empty.def").write_text("! of CMAQ, not of KPP\n")
    with pytest.raises(KernelError, match=r"empty\.def: the file has no command of KPP"):
        chemistry.read(tmp_path / "empty.def")


def test_atoms_have_to_be_kept(tmp_path: Path) -> None:
    """Where that is asked for, with the line of the reaction."""
    read(tmp_path)
    with pytest.raises(KernelError) as caught:
        chemistry.read(tmp_path / "a.def", require_balanced=("O", "N"))
    assert str(caught.value).startswith(
        "a.eqn:8: 'R5: 2 NO -> 1.5 NO2 + -0.5 O3' changes the number of O atoms"
    )
    read(tmp_path, "1.5NO2 - 0.5O3", "2NO2 - 2O")
    kept = chemistry.read(tmp_path / "a.def", require_balanced=("O", "N"))
    assert not any("atoms" in note for note in kept.notes if note.startswith("a.eqn"))


def test_functions() -> None:
    """Those of KPP's library, with its own formulas."""
    T, m = 250.0, 24.0 * MOLECULES

    def k(A: float, B: float, C: float) -> float:
        return float(A * np.exp(-B / T) * (T / 300) ** C)

    def rate(text: str) -> float:
        return value(rate_expression(text, "a.eqn:1"))

    assert rate("ARR(2, 300, -1.5)") == pytest.approx(k(2, 300, -1.5), rel=1e-12)
    assert rate("ARR_ab(2, 300)") == pytest.approx(k(2, 300, 0), rel=1e-12)
    assert rate("ARR_abc(2, 300, 0.5)") == pytest.approx(k(2, 300, 0.5), rel=1e-12)
    assert rate("ARR_ac(2, 0.5)") == pytest.approx(k(2, 0, 0.5), rel=1e-12)
    assert rate("ARR2(2, -300)") == rate("ARR_ab(2, 300)")  # of KPP 2, with the other sign
    assert rate("EP3(1e-13, -600, 2e-33, -1000)") == pytest.approx(
        k(1e-13, -600, 0) + k(2e-33, -1000, 0) * m, rel=1e-12
    )
    k3, k2 = k(6.5e-34, -1335, 0) * m, k(2.7e-17, -2199, 0)
    ep2 = rate("EP2(2.4e-14, -460, 2.7e-17, -2199, 6.5e-34, -1335)")
    assert ep2 == pytest.approx(k(2.4e-14, -460, 0) + k3 / (1 + k3 / k2), rel=1e-12)
    low, high = k(1.8e-30, 0, -3) * m, k(2.8e-11, 0, 0)
    broad = 0.6 ** (1 / (1 + np.log10(low / high) ** 2))
    fall = rate("FALL(1.8e-30, 0., -3.0, 2.8e-11, 0., 0., 0.6)")
    assert fall == pytest.approx(low / (1 + low / high) * broad, rel=1e-12)
    jpl = rate("k3rd_jpl(cair, 1.8e-30, 3.0, 2.8e-11, 0., 0.6)")
    assert jpl == pytest.approx(fall, rel=1e-12)
    low, high = k(3.6e-30, 0, -4.1) * m, k(1.9e-12, 0, 0.2)
    width = 0.75 - 1.27 * np.log10(0.35)
    broad = 0.35 ** (1 / (1 + (np.log10(low / high) / width) ** 2))
    iupac = rate("k3rd_iupac(cair, 3.6e-30, 4.1, 1.9e-12, -0.2, 0.35)")
    assert iupac == pytest.approx(low / (1 + low / high) * broad, rel=1e-12)
    assert rate("-2**2 + 3*(1 - .5)/2 - -1") == pytest.approx(-4 + 0.75 + 1)
    assert rate("1e6*CFACTOR") == pytest.approx(m)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("NO2 + O2\n", "NO2 + O9\n", "a.eqn:5: 'R3: O3 + NO -> NO2 + O9' names the species 'O9'"),
        ("EXP(-1370/TEMP)", "EXP(-1370/TEMP", "a.eqn:5: in the rate"),
        ("EXP(-1370/TEMP)", "__import__('os')", "cannot be read"),
        ("EXP(-1370/TEMP)", "SYSTEM(1, 2)", "the function 'SYSTEM' is not known"),
        ("EXP(-1370/TEMP)", "EXP(1, 2)", "'exp' has 2 arguments, not 1"),
        ("EXP(-1370/TEMP)", "2 3", "'3' stands where an operator is expected"),
        ("EXP(-1370/TEMP)", "9**9**9", "stands where an operator is expected"),
        ("EXP(-1370/TEMP)", "2**TEMP", "the exponent T is no number"),
        ("EXP(-1370/TEMP)", "1/0", "something is divided by 0"),
        ("EXP(-1370/TEMP)", "(" * 60 + "1" + ")" * 60, "parentheses are nested too deeply"),
        ("EXP(-1370/TEMP)", "1+" * 1500 + "1", "more than 2000 letters"),
        (": J(4)", ": ", "there is nothing"),
        (": J(4)", "", "a.eqn:7: 'NO2 + hv = NO + O' is no reaction"),
        ("O3 = 3O", "O3 = 3(O)", "a.spc:4: '3(O)' of 'O3' is no atom"),
        ("X = IGNORE", "NO = IGNORE", "a.spc:5: the species 'NO' is declared twice"),
        ("O2 = 1.697E+16; ", "", "a.spc:8: the fixed species 'O2' has no concentration"),
        ("#INCLUDE a.spc", "#INCLUDE ../a.spc", "is no file beside this one"),
        ("#INCLUDE a.spc", "#INCLUDE a.def", "the file is included twice"),
        (
            "#LOOKATALL",
            "#MODEL saprc99",
            "a.def:3: #MODEL names 'saprc99.def', which is not beside this file",
        ),
        ("EXP(-1370/TEMP)", "EXPO(TEMP)", "the function 'EXPO' is not known"),
        ("EXP(-1370/TEMP)", "J(1.5)", "the function 'J' is not known"),
        ("EXP(-1370/TEMP)", "((((9**99)**99)**99)**99)", "a number is too large"),
        ("EXP(-1370/TEMP)", "POW(9, POW(9, POW(9, 9)))", "a number is too large"),
        ("EXP(-1370/TEMP)", "EXP(EXP(EXP(1000)))", "a number is too large"),
        ("EXP(-1370/TEMP)", "LOG(-1)", "a number is too large, or has no meaning"),
        (
            "EXP(-1370/TEMP)",
            "FALL(1,0,0,0,0,0,0.6)",
            "a.eqn:5: the rate constant of 'R3: O3 + NO -> NO2 + O2' is",
        ),
        ("#LOOKATALL", "{" * 100_000, "a.def:3: a comment begins with { here and does not end"),
        ("#LOOKATALL", "#INLINE F90", "a.def:3: #INLINE begins here and does not end"),
        ("#LOOKATALL", "\n" * 100_000 + "#MODEL x", "#MODEL names 'x.def'"),
        ("O2 = 1.697E+16", "O2 = -1", "the initial value '-1' is no number that a concentration has"),
        ("O2 = 1.697E+16", "O2", "a.def:5: the initial value '' is no number that a concentration has"),
        ("#LANGUAGE Fortran90", "#", "a.def:9: '#' begins no command"),
        ("#LOOKATALL", " # ", "a.def:3: '#' begins no command"),
        ("O2 = 1.697E+16", "O2 = 1E299*1E299", "the initial value '1E299*1E299' is no number"),
        ("O3 = 3O;", "O3 = 3O", "and a semicolon behind each species"),
        ("NO2 + O2\n", "NO2 + " + "O2 + " * 2_000, "more than 5000 letters have no semicolon between them"),
        ("O3 + NO", "O3 + " + "9" * 400 + "NO", "there are too many molecules on the left side"),
    ],
)
def test_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        read(tmp_path, old, new)
    assert said in str(caught.value)

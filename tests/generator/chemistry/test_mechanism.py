# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in Python: what they derive, what they refuse, and their Jacobian against SymPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy
from cells import evaluated
from heddle import KernelError, Module, chemistry, fields
from heddle.chemistry.kinetics import Kinetics, code_names
from heddle.chemistry.rate_laws import arrhenius


def ozone() -> chemistry.Mechanism:
    """Orders 0 to 3, a fixed and an inert species, a catalyst, a negative yield."""
    result = chemistry.Mechanism("ozone")
    result.species("O", "O3", "NO", "NO2", "Ar", "Cl", "S2")
    result.constant("O2", 8.0)
    result.third_body("M")
    result.reaction("2 O2 -> 2 O + O2", rate=sympy.Symbol("j_O2"))
    result.reaction("O + O2 + M -> O3 + M", rate=arrhenius(A=217.6, B=-2.4))
    result.reaction("NO + O3 -> NO2 + O2", rate=arrhenius(A=1.8e6, C=-1500.0))
    result.reaction("2 NO + O -> 2 NO2 + -0.5 O3", rate=arrhenius(A=1e3, E=1e-6))
    result.reaction("NO2 + Cl -> NO + 0.9 O + Cl", rate=2 * sympy.Symbol("j_NO2"))
    result.reaction("() -> NO", rate=sympy.Symbol("e_NO"))
    result.reaction("2 S2 -> S2", rate=3)
    return result


def test_what_is_derived() -> None:
    mechanism = ozone()
    assert mechanism.variable == ("O", "O3", "NO", "NO2", "Cl", "S2")
    assert mechanism.inert == ("Ar",)
    assert mechanism.inputs == ("j_O2", "j_NO2", "e_NO")
    assert repr(mechanism) == "Mechanism('ozone': 6 species, 7 reactions)"
    assert str(mechanism.reactions[3]) == "2 NO + O -> 2 NO2 + -0.5 O3"


def test_jacobian_by_sympy() -> None:
    mechanism = ozone()
    T, P, air = 250.0, 3e4, 3e4 / (8.31446261815324 * 250)
    y = sympy.symbols("O O3 NO NO2 Cl S2")
    atom, O3, NO, NO2, Cl, S2 = y
    j1, j2, e = 1e-3, 5e-3, 2e-9
    R2 = 217.6 * (T / 300) ** -2.4 * atom * 8 * air
    R3 = 1.8e6 * np.exp(-1500 / T) * NO * O3
    R4 = 1e3 * (1 + 1e-6 * P) * NO**2 * atom
    R5 = 2 * j2 * NO2 * Cl
    f = [
        2 * j1 * 64 - R2 - R4 + 0.9 * R5,
        R2 - R3 - R4 / 2,
        -R3 - 2 * R4 + R5 + e,
        R3 + 2 * R4 - R5,
        sympy.Integer(0),
        -3 * S2**2,
    ]
    values = dict(zip(y, (1e-9, 2e-6, 3e-8, 4e-8, 5e-8, 6e-8), strict=True))
    state = {
        "concentration": np.array([[float(v)] for v in values.values()]),
        "rate_input": np.array([[j1], [j2], [e]]),
        "temperature": T,
        "pressure": P,
    }
    module = Module("ozone", precisions=("f64",))
    module.add("tendency", chemistry.tendency(mechanism, dimensions=1))
    module.add("jacobian", chemistry.jacobian(mechanism, dimensions=1))
    module.add("rates", chemistry.rate_constants(mechanism, dimensions=1))
    found = evaluated(module, "tendency", state)["tendency"][:, 0]
    assert found == pytest.approx([float(row.subs(values)) for row in f], rel=1e-13)
    J = sympy.Matrix(f).jacobian(y)
    places = chemistry.jacobian_places(mechanism)
    assert set(places) == {(i, j) for i in range(6) for j in range(6) if J[i, j] != 0}
    found = evaluated(module, "jacobian", state)["jacobian"][:, 0]
    assert found == pytest.approx([float(J[place].subs(values)) for place in places], rel=1e-13)
    found = evaluated(module, "rates", state)["rate_constant"][:, 0]
    wanted = [j1 * 64, float(R2 / atom), 1.8e6 * np.exp(-6), 1e3 * 1.03, 2 * j2, e, 3]
    assert found == pytest.approx(wanted, rel=1e-13)


def test_names_in_code() -> None:
    names = code_names(["O3", "PHOTO.NO2", "O3->O1D", "o3", "SURF.a.b [m]", "α"])
    assert names == ["O3", "PHOTO_NO2", "O3__O1D", "o3_2", "SURF_a_b__m", "x"]


def test_components_have_names() -> None:
    kinetics = Kinetics(ozone())
    module = Module("ozone", precisions=("f64",))
    module.add("tendency", chemistry.tendency(ozone()))
    (field,) = (f for f in module.typed("tendency", "f64").fields if f.name == "concentration")
    assert (list(field.component_names), field.rank, field.components) == (kinetics.names, 3, 6)


WRONG: dict[str, tuple[Callable[[chemistry.Mechanism], object], str]] = {
    "unknown": (
        lambda m: m.reaction("no + O3 -> NO2", rate=1),
        r"names the species 'no', which is not declared.\n  Hint: it may be 'NO'",
    ),
    "twice": (lambda m: m.species("NO"), "the species 'NO' is declared twice"),
    "truth value": (lambda m: m.species(False), "False is no name of a species"),
    "half": (lambda m: m.reaction("0.5 NO -> NO2", rate=1), "takes 0.5 molecules of 'NO'"),
    "many": (lambda m: m.reaction("3 NO + 2 O3 -> NO2", rate=1), "more than 4 molecules react at once"),
    "arrow": (lambda m: m.reaction("NO = NO2", rate=1), "has no arrow"),
    "term": (lambda m: m.reaction("NO+O3 + 2 -> NO2", rate=1), "'2' is no term of a reaction"),
    "rate": (lambda m: m.reaction("NO -> NO2", rate=float("nan")), "nan is not a quantity"),
    "field": (
        lambda m: m.reaction("NO -> NO2", rate=fields("j: real[3D]").here),
        "the rate of 'NO -> NO2' reads a field",
    ),
    "yield": (
        lambda m: m.reaction("NO -> 1e999 NO2", rate=1),
        "yields inf of 'NO2'",
    ),
}


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_refused(change: Callable[[chemistry.Mechanism], object], said: str) -> None:
    with pytest.raises(KernelError, match=said) as caught:
        change(ozone())
    assert str(caught.value).startswith("test_mechanism.py:")


def test_unbalanced_atoms() -> None:
    mechanism = chemistry.Mechanism("atoms")
    mechanism.species("NO", "NO2", atoms={"N": 1})
    mechanism.species("N2O5", atoms={"N": 2})
    mechanism.species("X")
    mechanism.reaction("NO -> NO2", rate=1)
    mechanism.reaction("N2O5 -> NO2", rate=1, name="loses one")
    mechanism.reaction("N2O5 -> NO2 + X", rate=1)  # nobody knows what X has
    mechanism.reaction("() -> NO", rate=1)
    assert [reaction.name for reaction in mechanism.unbalanced("N")] == ["loses one"]


def test_atoms_that_have_to_be_kept() -> None:
    """A note by default, an error where an element is asked for. Bodies that a reaction does not change, and
    third bodies, have no atoms that count; a fixed species has its own."""
    mechanism = chemistry.Mechanism("atoms")
    mechanism.species("O", atoms={"O": 1})
    mechanism.species("O3", atoms={"O": 3})
    mechanism.species("Cl")
    mechanism.constant("O2", 8.0, atoms={"O": 2})
    mechanism.third_body("M")
    mechanism.reaction("O2 + O + M -> O3", rate=1)
    mechanism.reaction("O3 + Cl -> O + O2 + Cl", rate=1)
    mechanism.check(require_balanced=("O",))
    assert mechanism.notes == []
    mechanism.reaction("O3 + M -> 2 O", rate=1, name="P1")
    mechanism.reaction("O + Cl -> 3 O + Cl", rate=1)
    where = mechanism.unbalanced("O")[0].where
    assert str(where).startswith("test_mechanism.py:")
    for _ in range(2):
        mechanism.check()
    said = f"{where}: 'P1: O3 + M -> 2 O' changes the number of O atoms by -1"
    assert mechanism.notes == [f"{said}; 2 reactions in all"]
    with pytest.raises(KernelError) as caught:
        mechanism.check(require_balanced=("O",))
    hint = "mend its products, or the atoms of its species; mechanism.unbalanced('O') has 2 reactions in all"
    assert str(caught.value) == f"{said}.\n  Hint: {hint}"
    with pytest.raises(KernelError, match=r"no species has atoms of 'Br'.*\n  Hint: known are: O"):
        mechanism.check(require_balanced="Br")

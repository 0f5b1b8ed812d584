# SPDX-License-Identifier: Apache-2.0
"""Lattice Boltzmann; most words are pinned beside the physics, in tests/generator/lbm."""

from __future__ import annotations

import sympy
from errors.cases import D2Q9, says
from heddle import (
    lbm,
)


@says("{here}: 'D3Q18' is not a lattice.\n  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27")
def unknown_lattice() -> None:
    lbm.Lattice("D3Q18")  # here


@says("{here}: 'D2Q13' is not a lattice.\n  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27")
def lattice_beyond_the_nearest_neighbours() -> None:
    lbm.Lattice("D2Q13")  # here


@says(
    "{here}: 'D3Q21' is not a lattice.\n"
    "  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27; or give custom weights"
)
def lattice_that_weights_would_make() -> None:
    lbm.Lattice("D3Q21")  # here


@says(
    "{here}: D3Q27_other has too few velocities for orthogonal third-order moments.\n"
    "  Hint: use D2Q9, D3Q19 or D3Q27, or the Regularised operator"
)
def hermite_expansion_of_other_weights() -> None:
    weights = {"rest": "5/18", "axis": "1/12", "edge": "1/72", "corner": "1/144"}
    other = lbm.Lattice("D3Q27_other", weights)
    assert other.isotropy() == 4
    lbm.RecursiveRegularised(other)  # here


@says(
    "{here}: 'D2Q5' with weights of axis is not a valid custom lattice.\n"
    "  Hint: choose a name that is not taken, such as D3Q7_warm; give weights of rest and of "
    "some of axis, edge, corner"
)
def own_lattice_without_rest() -> None:
    lbm.Lattice("D2Q5", {"axis": "1/4"})  # here


@says(
    "{here}: the weights of D2Q5_x do not form a lattice: 5 directions, the weights add up to "
    "3/2, c_s^2 is 1/2.\n"
    "  Hint: the number after Q must be the number of directions; weights are exact numbers such "
    'as "1/18", must add up to 1, and must not all be at rest'
)
def own_lattice_that_does_not_add_up() -> None:
    lbm.Lattice("D2Q5_x", {"rest": "1/2", "axis": "1/4"})  # here


@says(
    "{here}: the weights of D2Q9_x must be numbers from 0 to 1.\n"
    '  Hint: use exact numbers, such as "1/18" or Fraction(1, 18)'
)
def own_lattice_with_a_negative_weight() -> None:
    lbm.Lattice("D2Q9_x", {"rest": "16/9", "axis": "-2/9", "edge": "1/36"})  # here


@says("{here}: 'D3Q19' is not a lattice.\n  Hint: pass lbm.Lattice(\"D3Q19\") or another lattice")
def name_of_a_lattice() -> None:
    lbm.BGK("D3Q19")  # type: ignore[arg-type]  # here


@says(
    "{here}: nan is not a quantity.\n"
    "  Hint: pass the name of an argument, a finite number, a field, or an expression of these"
)
def rate_that_is_no_number() -> None:
    lbm.BGK(D2Q9, float("nan"))  # here


@says("{here}: magic = 0 must be greater than 0.\n  Hint: pass a positive number, or the name of an argument")
def magic_number_of_zero() -> None:
    lbm.TRT(D2Q9, magic=0)  # here


@says(
    "{here}: PowerLaw has the negative parameter -1.\n"
    "  Hint: viscosities, times, stresses and exponents must not be negative"
)
def negative_exponent() -> None:
    lbm.PowerLaw(consistency="K", exponent=-1)  # here


@says(
    "{here}: a force on D2Q9 has 2 components, not 'gx'.\n"
    "  Hint: give one entry per axis, 0 where there is no force"
)
def force_of_one_name() -> None:
    lbm.BGK(D2Q9, force="gx")  # here


@says(
    "{here}: the relaxation rate 5/2 is outside the stable range.\n"
    "  Hint: choose 0 < omega < 2; a viscosity nu needs omega = 1 / (3 nu + 1/2)"
)
def unstable_rate() -> None:
    lbm.BGK(D2Q9, sympy.Rational(5, 2))  # here


@says(
    "{here}: a force on D2Q9 has 2 components, not 3.\n"
    "  Hint: give one entry per axis, 0 where there is no force"
)
def force_of_another_dimension() -> None:
    lbm.BGK(D2Q9, "omega", force=("g", 0, 0))  # here


@says(
    "{here}: Cumulant needs all 27 velocities in 3 dimensions; D3Q7 has 7.\n"
    "  Hint: use D2Q9 or D3Q27, or the CentralMoment operator on D3Q19"
)
def cumulants_of_a_scalar_lattice() -> None:
    lbm.Cumulant(lbm.Lattice("D3Q7"))  # here


@says(
    "{here}: the parametrised cumulant operator is defined for D3Q27, not for D2Q9.\n"
    "  Hint: use D3Q27, or the Cumulant operator on D2Q9"
)
def parametrised_in_two_dimensions() -> None:
    lbm.ParametrisedCumulant(D2Q9)  # here


@says(
    "{here}: CentralMoment needs moments that factorise over the axes; those of D3Q15 do not.\n"
    "  Hint: use D2Q9, D3Q19 or D3Q27, or the MRT operator"
)
def central_moments_of_d3q15() -> None:
    lbm.CentralMoment(lbm.Lattice("D3Q15"))  # here


@says(
    "{here}: Cumulant needs moments that factorise over the axes; those of D2Q9_wide do not.\n"
    "  Hint: use the weights of D2Q9, or the MRT operator"
)
def cumulants_of_other_weights() -> None:
    wide = lbm.Lattice("D2Q9_wide", {"rest": "2/5", "axis": "1/8", "edge": "1/40"})
    lbm.Cumulant(wide)  # here


@says(
    "{here}: Cumulant is defined relative to the velocity j / rho and has no incompressible "
    "form.\n"
    "  Hint: leave out compressible=False, or use MRT, BGK, TRT or Regularised"
)
def incompressible_cumulants() -> None:
    lbm.Cumulant(D2Q9, compressible=False)  # here


@says(
    "{here}: D2Q9 has moments of orders 3 to 4, but 4 rates are given.\n"
    "  Hint: use higher=1, or give one rate per order"
)
def rates_of_another_lattice() -> None:
    lbm.MRT(D2Q9, higher=(1, 1, 1, 1))  # here


@says(
    "{here}: BGK has no option 'subgrid'.\n"
    "  Hint: the common options are force, eddy_viscosity, rheology, compressible"
)
def option_that_there_is_not() -> None:
    lbm.BGK(D2Q9, subgrid=lbm.Smagorinsky())  # type: ignore[call-arg]  # here


@says(
    "{here}: MRT has its own forcing scheme and does not support He.\n"
    "  Hint: pass the vector only, force=(...); He and ExactDifference are for BGK and TRT"
)
def force_model_in_moment_space() -> None:
    lbm.MRT(D2Q9, force=lbm.He(("g_x", 0)))  # here


@says(
    "{here}: omega = omega_0 cannot be combined with a rheology, which determines the whole "
    "viscosity.\n"
    "  Hint: leave out omega"
)
def rate_beside_a_rheology() -> None:
    lbm.TRT(D2Q9, "omega_0", rheology=lbm.PowerLaw(consistency="K", exponent="n"))  # here


@says(
    "{here}: an outflow needs the normal of the boundary, which a list of cells does not "
    "define.\n"
    "  Hint: give the outward side: stream.boundary(condition, normal=...) over a list, face=... "
    "over a dense face"
)
def outflow_over_a_list_without_normal() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow())  # here


@says(
    "{here}: a boundary sweep runs over a dense face, over a list, or over cells of a dense box; "
    "more than one of these is given.\n"
    "  Hint: use face=... for a dense face, normal=... for a list, cells=True for a body in a box"
)
def face_and_normal() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow(), face="e", normal="e")  # here


@says(
    "{here}: over a list, free slip belongs to the neighbour table: in a sweep, cells would read "
    "what other cells write.\n"
    "  Hint: pass the free-slip faces to heddle::IndexList (`slips`), or use a dense face"
)
def free_slip_over_a_list() -> None:
    lbm.AA(D2Q9).boundary(lbm.FreeSlip())  # here


@says("{here}: an arm on D2Q9 has 2 components, not 3.\n  Hint: give one entry per axis")
def arm_of_another_size() -> None:
    lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), torque="couple", arm=("x", "y", "z"))  # here


@says(
    "{here}: the torque on a face needs the distance of its cells from the reference point.\n"
    "  Hint: pass arm=(x - c_x, ...) with x, ... = block_coordinates(), or fields of the face"
)
def torque_on_a_face_without_arms() -> None:
    lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), face="s", torque="couple")  # here


@says(
    "{here}: several links of D2Q9 cross one wall, so the flux per link is not defined.\n"
    "  Hint: use D2Q5 or D3Q7 for the scalar"
)
def scalar_flux_with_diagonals() -> None:
    lbm.Pull(D2Q9).boundary(lbm.ScalarFlux("j"), face="s")  # here


@says(
    "{here}: the collision uses D2Q9, but the streaming pattern uses D3Q19.\n"
    "  Hint: use the same lattice for both"
)
def two_lattices() -> None:
    lbm.AA(lbm.Lattice("D3Q19"))(lbm.BGK(D2Q9, "omega"))  # here


@says(
    "{here}: Outflow supports one side at a time.\n"
    "  Hint: sweep each face by itself; where faces meet, the last sweep applies. Only FreeSlip "
    "has a form for edges"
)
def outflow_at_an_edge() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow(), face=("w", "n"))  # here


@says('{here}: the sides w, e do not meet.\n  Hint: use sides across different axes, such as face=("w", "n")')
def edge_of_opposite_sides() -> None:
    lbm.AA(D2Q9).boundary(lbm.FreeSlip(), face=("w", "e"))  # here


@says("{here}: 'ne' is not a side.\n  Hint: one of e, w, n, s")
def no_such_side() -> None:
    lbm.Pull(D2Q9).boundary(lbm.VelocityBounceBack((0, 0)), face="ne")  # here


@says("{here}: a velocity in 1 dimensions has no curl.\n  Hint: use 2 or 3 dimensions")
def curl_on_a_line() -> None:
    lbm.vorticity(1)  # here

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
    "  Hint: one of D2Q5, D2Q9, D3Q7, D3Q15, D3Q19, D3Q27; or give the weights of your own"
)
def lattice_that_weights_would_make() -> None:
    lbm.Lattice("D3Q21")  # here


@says(
    "{here}: D3Q27_other has no orthogonal third-order moments, or too few directions for them.\n"
    "  Hint: use D2Q9, D3Q19 or D3Q27, or the Regularised operator"
)
def hermite_expansion_of_other_weights() -> None:
    weights = {"rest": "5/18", "axis": "1/12", "edge": "1/72", "corner": "1/144"}
    other = lbm.Lattice("D3Q27_other", weights)
    assert other.isotropy() == 4
    lbm.RecursiveRegularised(other)  # here


@says(
    "{here}: 'D2Q5' with weights of axis is not a lattice of your own.\n"
    "  Hint: a name such as D3Q7_warm that is not taken; weights of rest and some of axis, edge, corner"
)
def own_lattice_without_rest() -> None:
    lbm.Lattice("D2Q5", {"axis": "1/4"})  # here


@says(
    "{here}: the weights of D2Q5_x belong to 5 directions and add up to 3/2, c_s^2 is 1/2.\n"
    "  Hint: the number after Q counts the directions; their weights, exact ones such as "
    '"1/18", add up to 1, not all of it at rest'
)
def own_lattice_that_does_not_add_up() -> None:
    lbm.Lattice("D2Q5_x", {"rest": "1/2", "axis": "1/4"})  # here


@says(
    "{here}: the weights of D2Q9_x are not all numbers from 0 to 1.\n"
    '  Hint: exact ones, such as "1/18" or Fraction(1, 18)'
)
def own_lattice_with_a_negative_weight() -> None:
    lbm.Lattice("D2Q9_x", {"rest": "16/9", "axis": "-2/9", "edge": "1/36"})  # here


@says("{here}: 'D3Q19' is no lattice.\n  Hint: lbm.Lattice(\"D3Q19\"), of this or another name")
def name_of_a_lattice() -> None:
    lbm.BGK("D3Q19")  # type: ignore[arg-type]  # here


@says(
    "{here}: nan is no quantity.\n"
    "  Hint: the name of an argument, a finite number, a field, or an expression of them"
)
def rate_that_is_no_number() -> None:
    lbm.BGK(D2Q9, float("nan"))  # here


@says("{here}: magic = 0 is not above 0.")
def magic_number_of_zero() -> None:
    lbm.TRT(D2Q9, magic=0)  # here


@says(
    "{here}: PowerLaw has a parameter -1 below 0.\n"
    "  Hint: viscosities, times, stresses and exponents are not negative"
)
def negative_exponent() -> None:
    lbm.PowerLaw(consistency="K", exponent=-1)  # here


@says(
    "{here}: a force on D2Q9 has 2 components, not 'gx'.\n"
    "  Hint: give one entry an axis, 0 where there is none"
)
def force_of_one_name() -> None:
    lbm.BGK(D2Q9, force="gx")  # here


@says(
    "{here}: the relaxation rate 5/2 is not stable.\n"
    "  Hint: 0 < omega < 2; a viscosity nu needs omega = 1 / (3 nu + 1/2)"
)
def unstable_rate() -> None:
    lbm.BGK(D2Q9, sympy.Rational(5, 2))  # here


@says(
    "{here}: a force on D2Q9 has 2 components, not 3.\n  Hint: give one entry an axis, 0 where there is none"
)
def force_of_another_dimension() -> None:
    lbm.BGK(D2Q9, "omega", force=("g", 0, 0))  # here


@says(
    "{here}: Cumulant needs all 27 directions in 3 dimensions; D3Q7 has 7.\n"
    "  Hint: use D2Q9 or D3Q27, or the CentralMoment operator on D3Q19"
)
def cumulants_of_a_scalar_lattice() -> None:
    lbm.Cumulant(lbm.Lattice("D3Q7"))  # here


@says(
    "{here}: the parametrised cumulant operator is made for D3Q27, not D2Q9.\n"
    "  Hint: use D3Q27, or the Cumulant operator on D2Q9"
)
def parametrised_in_two_dimensions() -> None:
    lbm.ParametrisedCumulant(D2Q9)  # here


@says(
    "{here}: CentralMoment needs moments that are products over the axes; those of D3Q15 are not.\n"
    "  Hint: use D2Q9, D3Q19 or D3Q27, or the MRT operator"
)
def central_moments_of_d3q15() -> None:
    lbm.CentralMoment(lbm.Lattice("D3Q15"))  # here


@says(
    "{here}: Cumulant needs moments that are products over the axes; those of D2Q9_wide are not.\n"
    "  Hint: the weights of D2Q9, or the MRT operator"
)
def cumulants_of_other_weights() -> None:
    wide = lbm.Lattice("D2Q9_wide", {"rest": "2/5", "axis": "1/8", "edge": "1/40"})
    lbm.Cumulant(wide)  # here


@says(
    "{here}: Cumulant moves with the velocity j / rho; it has no incompressible form.\n"
    "  Hint: leave out compressible=False, or use MRT, BGK, TRT or Regularised"
)
def incompressible_cumulants() -> None:
    lbm.Cumulant(D2Q9, compressible=False)  # here


@says(
    "{here}: D2Q9 has moments of order 3 to 4; 4 rates do not fit them.\n"
    "  Hint: higher=1, or one rate an order"
)
def rates_of_another_lattice() -> None:
    lbm.MRT(D2Q9, higher=(1, 1, 1, 1))  # here


@says(
    "{here}: BGK has no option 'subgrid'.\n"
    "  Hint: beside its own: force, eddy_viscosity, rheology, compressible"
)
def option_that_there_is_not() -> None:
    lbm.BGK(D2Q9, subgrid=lbm.Smagorinsky())  # type: ignore[call-arg]  # here


@says(
    "{here}: MRT has a way of its own to take a force, not He.\n"
    "  Hint: give the vector alone, force=(...); He and ExactDifference serve BGK and TRT"
)
def force_model_in_moment_space() -> None:
    lbm.MRT(D2Q9, force=lbm.He(("g_x", 0)))  # here


@says(
    "{here}: the rate omega_0 has no meaning beside a rheology, which gives the whole viscosity.\n"
    "  Hint: leave out omega"
)
def rate_beside_a_rheology() -> None:
    lbm.TRT(D2Q9, "omega_0", rheology=lbm.PowerLaw(consistency="K", exponent="n"))  # here


@says(
    "{here}: an outflow needs the normal of the boundary, which a list of cells does not have by itself.\n"
    "  Hint: say on which side the outside lies: stream.boundary(condition, normal=...) over a list, "
    "face=... over a dense face"
)
def outflow_over_a_list_without_normal() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow())  # here


@says(
    "{here}: a boundary sweep runs over a dense face, over a list or over cells of a dense box, not over two "
    "of these.\n"
    "  Hint: give face=... for a dense face, normal=... for a list, cells=True for a body in a box"
)
def face_and_normal() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow(), face="e", normal="e")  # here


@says(
    "{here}: free slip over a list lies in the neighbour table: a sweep would read what another cell "
    "writes.\n"
    "  Hint: give the faces that slip to heddle::IndexList (`slips`), or a dense face"
)
def free_slip_over_a_list() -> None:
    lbm.AA(D2Q9).boundary(lbm.FreeSlip())  # here


@says("{here}: an arm on D2Q9 has 2 components, not 3.\n  Hint: give one entry an axis")
def arm_of_another_size() -> None:
    lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), torque="couple", arm=("x", "y", "z"))  # here


@says(
    "{here}: a torque on a face needs to know how far its cells lie from the point that it is about.\n"
    "  Hint: arm=(x - c_x, ...) with x, ... = coordinates(), or fields of the face"
)
def torque_on_a_face_without_arms() -> None:
    lbm.AA(D2Q9).boundary(lbm.NoSlip(D2Q9), face="s", torque="couple")  # here


@says(
    "{here}: D2Q9 has several links through a wall, which would have to share a flux.\n"
    "  Hint: use D2Q5 or D3Q7 for the scalar"
)
def scalar_flux_with_diagonals() -> None:
    lbm.Pull(D2Q9).boundary(lbm.ScalarFlux("j"), face="s")  # here


@says("{here}: the collision is for D2Q9, the pattern for D3Q19.\n  Hint: use one lattice for both")
def two_lattices() -> None:
    lbm.AA(lbm.Lattice("D3Q19"))(lbm.BGK(D2Q9, "omega"))  # here


@says(
    "{here}: Outflow takes one side at a time.\n"
    "  Hint: where faces meet, what is swept last holds; an edge of its own is for FreeSlip"
)
def outflow_at_an_edge() -> None:
    lbm.AA(D2Q9).boundary(lbm.Outflow(), face=("w", "n"))  # here


@says('{here}: the sides w, e do not meet.\n  Hint: sides across different axes, face=("w", "n")')
def edge_of_opposite_sides() -> None:
    lbm.AA(D2Q9).boundary(lbm.FreeSlip(), face=("w", "e"))  # here


@says("{here}: 'ne' is not a side.\n  Hint: one of e, w, n, s")
def no_such_side() -> None:
    lbm.Pull(D2Q9).boundary(lbm.VelocityBounceBack((0, 0)), face="ne")  # here


@says("{here}: a velocity in 1 dimensions has no curl.\n  Hint: 2 or 3")
def curl_on_a_line() -> None:
    lbm.vorticity(1)  # here

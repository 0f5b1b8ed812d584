# SPDX-License-Identifier: Apache-2.0
"""Coefficients of Rosenbrock methods, one row each.

With G = I/(gamma h) - J: G K_s = f(Y_s) + sum c_st K_t/h, Y_s = y + sum a_st K_t, y' = y + sum m_s K_s, and
the estimate of the error is sum e_s K_s. E. Hairer and G. Wanner, Solving Ordinary Differential Equations II,
IV.7 and IV.10; A. Sandu et al., Atmos. Environ. 31, 3459 (1997).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Row = tuple[float | Fraction, ...]


@dataclass(frozen=True)
class Tableau:
    """a, c: a row for each stage, with the stages before it. root: the error of a step goes with h^root."""

    gamma: float | Fraction
    a: tuple[Row, ...]
    c: tuple[Row, ...]
    m: Row
    e: Row
    root: int


_A5 = (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950)

METHODS: dict[str, Tableau] = {
    "Ros3": Tableau(
        0.43586652150845899941601945119356,
        ((), (1,), (1, 0)),
        (
            (),
            (-1.0156171083877702091975600115545,),
            (4.0759956452537699824805358358067, 9.2076794298330791242156818474003),
        ),
        (1, 6.1697947043828245592553615689730, -0.4277225654321857332623837380651),
        (0.5, -2.9079558716805469821718236208017, 0.2235406989781156962736090927619),
        3,
    ),
    "Rodas3": Tableau(
        Fraction(1, 2),
        ((), (0,), (2, 0), (2, 0, 1)),
        ((), (4,), (1, -1), (1, -1, Fraction(-8, 3))),
        (2, 0, 1, 1),
        (0, 0, 0, 1),
        3,
    ),
    "Rodas4": Tableau(
        Fraction(1, 4),
        (
            (),
            (1.544,),
            (0.9466785280815826, 0.2557011698983284),
            (3.314825187068521, 2.896124015972201, 0.9986419139977817),
            _A5,
            (*_A5, 1),
        ),
        (
            (),
            (-5.6688,),
            (-2.430093356833875, -0.2063599157091915),
            (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
            (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
            (
                8.083246795921522,
                -7.981132988064893,
                -31.52159432874371,
                16.31930543123136,
                -6.058818238834054,
            ),
        ),
        (*_A5, 1, 1),
        (0, 0, 0, 0, 0, 1),
        4,
    ),
}

# SPDX-License-Identifier: Apache-2.0
"""A module beside the model: what it says reaches the kernels, so a change in it must too."""

import sympy

FACTOR = sympy.Integer(3)

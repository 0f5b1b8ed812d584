# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions, and the force on walls."""

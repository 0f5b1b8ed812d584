# SPDX-License-Identifier: Apache-2.0
"""Atmospheric models: flux-form advection, column physics, longwave radiation, nesting.

Each module is an address of its own: `from heddle.atmosphere import advection`. Indices of fields are
(x, y, z) with z upward, the axis of columns.
"""

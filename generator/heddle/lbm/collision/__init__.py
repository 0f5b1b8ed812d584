# SPDX-License-Identifier: Apache-2.0
"""Collision operators in population space, moments, central moments and cumulants, entropic ones, and what
sets their rates: viscosity models, rheology, subgrid scales."""

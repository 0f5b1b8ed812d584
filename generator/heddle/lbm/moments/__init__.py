# SPDX-License-Identifier: Apache-2.0
"""Moments of populations: density, momentum and stress; bases of moment space and projections onto it."""

# SPDX-License-Identifier: Apache-2.0
"""Moments in memory instead of populations: the kernels, the populations they stand for,
and their boundaries."""

# SPDX-License-Identifier: Apache-2.0
"""Streaming patterns: where each population is read and written, and the kernels that follow from it: steps,
boundary sweeps, moments, initial states."""

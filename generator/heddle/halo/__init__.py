# SPDX-License-Identifier: Apache-2.0
"""Halo exchange: what kernels over boxes (`dense`) and over lists (`sparse`) need from neighbouring blocks,
the kernels that pack it (`pack`), and walls that several kernels of a module share (`walls`)."""

# SPDX-License-Identifier: Apache-2.0
"""The explorer: `heddle.explore` and `heddle explore`. Which variant, precision and schedule is fastest on
this machine, and accurate enough?

heddle.explorer.run: a search. heddle.explorer.variants: variants of lattice Boltzmann methods.
heddle.explorer.exploration: what was found, and merging it.
"""

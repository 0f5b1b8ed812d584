# SPDX-License-Identifier: Apache-2.0
"""Parts of large-eddy simulations of moist air on an Arakawa C grid, in the anelastic approximation.

Each module is an address of its own: `from heddle.atmosphere.large_eddies import anelastic`. Functions take a
list of statements under construction, name values in it and return expressions, so that a model joins them to
kernels as it likes.
"""

# SPDX-License-Identifier: Apache-2.0
"""Schemes of atmospheric models that are asked for what they do not have."""

from __future__ import annotations

from errors.cases import says
from heddle import fields
from heddle.atmosphere import longwave, microphysics
from heddle.atmosphere.advection import Advection
from heddle.atmosphere.large_eddies import anelastic, level_means, surface
from heddle.atmosphere.large_eddies.grid import Grid, levels
from heddle.atmosphere.nesting import Nest
from heddle.model.equations import Equations

wind = fields("wind: real(3)[3D]")
depth = fields("depth: real[3D]")


@says("{here}: horizontal=7 is not known.\n  Hint: one of: 2, 3, 4, 5, 6")
def order_of_advection() -> None:
    Advection(horizontal=7)  # here


@says("{here}: tracers=0 is not a number of tracers.\n  Hint: use 1 or more")
def no_tracers() -> None:
    Advection(tracers=0)  # here


@says(
    "{here}: the scheme has no limiter, so no fluxes are scaled.\n"
    '  Hint: use stage() in all stages, or Advection(limiter="positive-definite")'
)
def scale_without_a_limiter() -> None:
    Advection().scale()  # here


@says(
    "{here}: 'soot' does not say what absorbs longwave radiation.\n"
    '  Hint: absorption="table", "index", "depth", "pressure" or "grey"'
)
def absorption_of_soot() -> None:
    longwave.fluxes("soot")  # here


@says("{here}: 'wind' has no value per cell of a column.\n  Hint: declare it as [3D], or pass its name")
def rain_with_components() -> None:
    microphysics.Kessler(qr=wind).step()  # here


@says("{here}: 'depth' has no value per column.\n  Hint: declare it as [xy], or pass its name")
def rain_at_the_ground_per_cell() -> None:
    microphysics.Kessler(rain=depth).step()  # here


@says("{here}: rain=None is neither a field nor a name.\n  Hint: pass a field declared as [xy], or its name")
def no_rain_of_kessler() -> None:
    microphysics.Kessler(rain=None)  # type: ignore[arg-type]  # here


@says("{here}: rain=None is neither a field nor a name.\n  Hint: pass a field declared as [xy], or its name")
def no_rain_of_wsm5() -> None:
    microphysics.WSM5(rain=None)  # type: ignore[arg-type]  # here


@says(
    "{here}: qv=3 is neither a field nor a name.\n"
    "  Hint: pass a field declared as [3D], or its name; or field.component(n)"
)
def vapour_that_is_a_number() -> None:
    microphysics.Kessler(qv=3)  # type: ignore[arg-type]  # here


@says("{here}: qv=wind[1,0,0,2] is the component of another cell.\n  Hint: pass wind.component(2)")
def vapour_of_another_cell() -> None:
    microphysics.Kessler(qv=wind[1, 0, 0, 2])  # here


@says("{here}: 'wind.component(1)' is both qc and qr.\n  Hint: pass two fields, or two names")
def cloud_that_is_rain() -> None:
    microphysics.Kessler(qc=wind.component(1), qr=wind.component(1))  # here


@says("{here}: 'depth' is both qi and qs.\n  Hint: pass two fields, or two names")
def ice_that_is_snow() -> None:
    microphysics.WSM5(qi=depth, qs="depth")  # here


@says('{here}: dt=20 is not a name.\n  Hint: pass the name of the argument with the time step, such as "dt"')
def time_step_that_is_a_number() -> None:
    microphysics.WSM3(dt=20)  # type: ignore[arg-type]  # here


@says(
    "{here}: quirks='some' is unknown.\n"
    '  Hint: use "none", which mends what the original does against its intention, or "wrf"'
)
def quirks_of_no_original() -> None:
    microphysics.WSM3(quirks="some").step()  # here


@says(
    '{here}: gamma=\'table\' is unknown.\n  Hint: use "exact", or "product" for the truncated product of WRF'
)
def gamma_from_a_table() -> None:
    microphysics.WSM3(gamma="table").step()  # here


@says("{here}: ratio=6 is not a ratio of a nest.\n  Hint: use 2, 3, 4 or 5")
def ratio_of_a_nest() -> None:
    Nest(6)  # here


@says("{here}: ratio=3.0 is not a ratio of a nest.\n  Hint: use 2, 3, 4 or 5")
def ratio_that_is_no_integer() -> None:
    Nest(3.0)  # type: ignore[arg-type]  # here


@says(
    "{here}: least=0 and most=1.0 are not the limits of an absorption.\n"
    "  Hint: use 0 < least <= most, in hPa-1"
)
def gas_that_absorbs_nothing() -> None:
    longwave.simple_gas(least=0)  # here


@says("{here}: points=(8, 0) leaves a band without g-points.\n  Hint: use 1 or more for each band")
def band_without_g_points() -> None:
    longwave.simple_gas(points=(8, 0))  # here


@says(
    "{here}: staggered='z' is not a horizontal axis.\n"
    '  Hint: use "x" or "y"; "" for fields in the middle of cells, and for those on faces across z'
)
def nest_staggered_along_z() -> None:
    Nest(3, staggered="z")  # here


@says("{here}: fields=0 is not a number of fields.\n  Hint: use a whole number from 1")
def nest_of_no_fields() -> None:
    Nest(3).boundary("coarse", "nest", "value", "tendency", fields=0)  # here


@says("{here}: order 7 is not known.\n  Hint: one of: 2, 3, 4, 5, 6")
def order_of_momentum_fluxes() -> None:
    anelastic.Advection(Equations(), Grid(), order=7)  # here


@says(
    "{here}: order 5 reads 3 cells aside, and the grid has 2 ghost layers.\n"
    "  Hint: construct Grid(ghost_layers=3)"
)
def few_ghost_layers_for_momentum() -> None:
    anelastic.Advection(Equations(), Grid(ghost_layers=2))  # here


@says(
    "{here}: rho_face has 2 entries, of which the smallest is 1.0.\n"
    "  Hint: give 3 positive ones: as many as cells, and for rho_face one more"
)
def density_without_the_lid() -> None:
    levels([10.0, 10.0], [1.0, 1.0], [1.0, 1.0])  # here


@says(
    "{here}: heights has 2 entries, of which the smallest is -1.0.\n"
    "  Hint: give 2 positive ones: as many as cells, and for rho_face one more"
)
def levels_that_do_not_rise() -> None:
    levels([10.0, -1.0], [1.0, 1.0], [1.0, 1.0, 1.0])  # here


@says(
    "{here}: the lowest cell's middle, 0.1 m, is not above a roughness length of 0.5 m.\n"
    "  Hint: use 0 < roughness < height"
)
def roughness_above_the_lowest_cell() -> None:
    surface.table(0.1, 0.5)  # here


@says("{here}: quantities=0 is not a number of quantities.\n  Hint: use a whole number from 1")
def sums_of_nothing() -> None:
    level_means.rows("sums", 0)  # here


@says(
    "{here}: 'sums' has 2 components, and there are 1 values.\n"
    "  Hint: declare it with level_means.rows(name, number of values)"
)
def sums_of_fewer_values() -> None:
    level_means.row_sums(level_means.rows("sums", 2), [depth.here])  # here


@says("{here}: top=0 is no level below another.\n  Hint: pass a whole number above 0")
def clouds_from_the_highest_level() -> None:
    microphysics.CLOUDSC(top=0)  # here


@says(
    "{here}: quirks='wrf' is unknown.\n"
    '  Hint: use "none", which mends what the original does against its intention, or "ifs"'
)
def quirks_of_another_model() -> None:
    microphysics.CLOUDSC(quirks="wrf")  # here

! SPDX-License-Identifier: MIT-0
! The kernels behind heddle_wsm3, heddle_wsm5, heddle_advect_scalar_pd and heddle_rtrn, on arrays of the
! host. On those of a GPU take heddle_wrf_kernels_acc.f90 in its place.
module heddle_wrf_kernels
  use wrf_columns_f, only: wrf_columns_ikj, wsm3_kernel => wrf_columns_wsm3, &
                           wsm5_kernel => wrf_columns_wsm5, scale_kernel => wrf_columns_scale, &
                           limited_tendency_kernel => wrf_columns_limited_tendency, &
                           fluxes_kernel => wrf_columns_fluxes, &
                           heating_kernel => wrf_columns_heating
  implicit none
  private
  public :: on_device, wrf_columns_ikj, wsm3_kernel, wsm5_kernel, scale_kernel, limited_tendency_kernel, &
            fluxes_kernel, heating_kernel

  logical, parameter :: on_device = .false.
end module

! SPDX-License-Identifier: MIT-0
! In the place of heddle_wrf_kernels.f90: kernels of CUDA, on arrays that a data region of OpenACC has on the
! device. wrf_columns_f is written by `heddle build wrf_columns.py --targets cuda --fortran openacc`, and all
! files are compiled for OpenACC. Kernels run in the default stream of CUDA, as regions without async do;
! what other queues compute has to be waited for before.
module heddle_wrf_kernels
  use wrf_columns_f, only: wrf_columns_ikj, wsm3_kernel => wrf_columns_wsm3_cuda, &
                           wsm5_kernel => wrf_columns_wsm5_cuda, scale_kernel => wrf_columns_scale_cuda, &
                           limited_tendency_kernel => wrf_columns_limited_tendency_cuda, &
                           fluxes_kernel => wrf_columns_fluxes_cuda, &
                           heating_kernel => wrf_columns_heating_cuda
  implicit none
  private
  public :: on_device, wrf_columns_ikj, wsm3_kernel, wsm5_kernel, scale_kernel, limited_tendency_kernel, &
            fluxes_kernel, heating_kernel

  logical, parameter :: on_device = .true.
end module

! SPDX-License-Identifier: MIT-0
! WSM3 as a scheme of the Common Community Physics Package: columns of a chunk, levels from the ground up.
! heddle_wsm3_ccpp.meta has its table. kind_phys is the host's, single or double precision. The kernel has
! WRF's physical constants, of which the host's may differ; it asks for none.
module heddle_wsm3_ccpp
  use ccpp_kinds, only: kind_phys
  use wrf_columns_f, only: wrf_columns_wsm3, wrf_columns_ikj, wrf_columns_message
  implicit none
  private
  public :: heddle_wsm3_ccpp_run

contains

  !> \section arg_table_heddle_wsm3_ccpp_run Argument Table
  !! \htmlinclude heddle_wsm3_ccpp_run.html
  !!
  subroutine heddle_wsm3_ccpp_run(ncol, nz, dt, th, qv, qci, qrs, w, rho, exner, p, z, rain, snow, errmsg, &
      errflg)
    integer, intent(in) :: ncol, nz
    real(kind_phys), intent(in) :: dt
    real(kind_phys), intent(inout) :: th(:, :)
    real(kind_phys), intent(inout) :: qv(:, :)
    real(kind_phys), intent(inout) :: qci(:, :)
    real(kind_phys), intent(inout) :: qrs(:, :)
    real(kind_phys), intent(in) :: w(:, :)
    real(kind_phys), intent(in) :: rho(:, :)
    real(kind_phys), intent(in) :: exner(:, :)
    real(kind_phys), intent(in) :: p(:, :)
    real(kind_phys), intent(in) :: z(:, :)
    real(kind_phys), intent(out) :: rain(:)
    real(kind_phys), intent(out) :: snow(:)
    character(len=*), intent(out) :: errmsg
    integer, intent(out) :: errflg
    real(kind_phys), dimension(ncol, nz) :: dz, fall_rs, fall_ci, cpm, latent
    real(kind_phys), dimension(ncol) :: part

    errmsg = ''
    rain = 0
    snow = 0
    dz = z(:ncol, 2:nz+1) - z(:ncol, :nz)
    call as_rows(ncol, nz, th, qv, qci, qrs, w, rho, exner, p, dz, fall_rs, fall_ci, cpm, latent, rain, &
                 snow, part, dt, errflg)
    if (errflg /= 0) then
      errmsg = 'heddle_wsm3_ccpp_run: ' // wrf_columns_message(errflg)
      return
    end if
    rain = rain / (1000 * dt) ! from mm in this step to m s-1
    snow = snow / dt ! to mm s-1
  end subroutine heddle_wsm3_ccpp_run

  !> The columns as one row of a domain.
  subroutine as_rows(n, nz, th, qv, qci, qrs, w, rho, exner, p, dz, fall_rs, fall_ci, cpm, latent, rain, &
      snow, part, dt, status)
    integer, intent(in) :: n, nz
    real(kind_phys), dimension(n, nz, 1), intent(inout) :: th, qv, qci, qrs, fall_rs, fall_ci, cpm, latent
    real(kind_phys), dimension(n, nz, 1), intent(in) :: w, rho, exner, p, dz
    real(kind_phys), dimension(n, 1), intent(inout) :: rain, snow, part
    real(kind_phys), intent(in) :: dt
    integer, intent(out) :: status

    call wrf_columns_wsm3(th, qv, qci, qrs, w, rho, exner, p, dz, fall_rs, fall_ci, cpm, latent, rain, snow, &
        part, dt, ghosts=[0, 0, 0], order=wrf_columns_ikj, status=status)
  end subroutine as_rows
end module heddle_wsm3_ccpp

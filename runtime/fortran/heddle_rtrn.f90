! SPDX-License-Identifier: MIT-0
! The longwave sweep of RRTM with the arguments of WRF's routine rtrn: in the place of that in module_ra_rrtm.
! Call rtrn_tables once, then rtrn once per column, from several threads if you like. Mathematics:
! heddle.atmosphere.longwave.fluxes("table").
!
! Layers kts to ktep1 from the ground up; faces 0 to ktep1. tavel, tz: temperatures (K); pz: pressures (hPa);
! cldfrac, taucloud: part and vertical optical depth of clouds in layers where icldlyr is 1; itr: 0 to 5000,
! where in the tables of transmission; pfrac: part of the Planck function of its band; tbound: temperature of
! the ground (K); semiss: its emissivity in each band. Results: totdflux, totuflux (W m-2), htr and, without
! clouds, htrc (K per day), of which the last value is 0.
module heddle_rtrn
  use, intrinsic :: iso_c_binding, only: c_int32_t
  use wrf_columns_f, only: wrf_columns_fluxes, wrf_columns_heating
  use heddle_wrf_constants, only: refuse
  implicit none
  private
  public :: rtrn, rtrn_tables

  integer, parameter, public :: ngpt = 140, nbands = 16, temperatures = 181, steps = 5000
  integer(c_int32_t) :: band(ngpt)
  real :: planck(temperatures * nbands), width(nbands)
  real, dimension(0:steps) :: depth, source, passed
  logical :: has_tables = .false.

contains

  !> What RRTM keeps in its modules: totplnk, the Planck function at 160, 161, ... 340 K (W cm-2 sr-1 per
  !> cm-1) and delwave, the width of bands (cm-1); ngb, the band of each g-point from 1; and for each
  !> index of transmission tau, tf, the weight of the face, and trans = exp(-tau).
  subroutine rtrn_tables(totplnk, delwave, ngb, tau, tf, trans)
    real, intent(in) :: totplnk(temperatures, nbands), delwave(nbands)
    integer, intent(in) :: ngb(ngpt)
    real, intent(in), dimension(0:steps) :: tau, tf, trans

    planck = reshape(transpose(totplnk), [size(planck)])
    width = delwave
    band = int(ngb - 1, c_int32_t)
    depth = tau
    source = tf
    passed = trans
    if (any(band < 0) .or. any(band >= nbands)) call refuse('rtrn_tables', 'a band (ngb) is not 1 to 16')
    has_tables = .true.
  end subroutine

  subroutine rtrn(kts, ktep1, tavel, pz, tz, cldfrac, taucloud, totdflux, totuflux, htr, htrc, icldlyr, itr, &
      pfrac, tbound, semiss)
    integer, intent(in) :: kts, ktep1
    integer, intent(in) :: itr(ngpt, kts:ktep1), icldlyr(kts:ktep1)
    real, intent(in) :: pfrac(ngpt, kts:ktep1)
    real, dimension(kts:ktep1), intent(in) :: tavel, cldfrac, taucloud
    real, dimension(0:ktep1), intent(in) :: pz, tz
    real, dimension(0:ktep1), intent(inout) :: totdflux, totuflux, htr, htrc
    real, intent(in) :: tbound, semiss(nbands)

    if (.not. has_tables) call refuse('rtrn', 'call rtrn_tables first')
    if (kts /= 1) call refuse('rtrn', 'the first layer, kts, is 1')
    if (any(itr < 0) .or. any(itr > steps)) call refuse('rtrn', 'an index (itr) is not 0 to 5000')
    call column(ktep1, tavel, pz, tz, merge(cldfrac, 0.0, icldlyr == 1), taucloud, totdflux, totuflux, htr, &
                htrc, int(itr, c_int32_t), pfrac, [tbound], semiss)
  end subroutine

  !> One column as an array of columns. Faces are sections: the last one lies behind them.
  subroutine column(n, tavel, pz, tz, cloud, taucloud, down, up, htr, htrc, itr, pfrac, ground, semiss)
    integer, intent(in) :: n
    integer(c_int32_t), intent(in) :: itr(ngpt, 1, n)
    real, intent(in) :: pfrac(ngpt, 1, n), ground(1), semiss(1, nbands)
    real, dimension(1, n), intent(in) :: tavel, cloud, taucloud
    real, dimension(1, 0:n), intent(in) :: pz, tz
    real, dimension(1, 0:n), intent(inout) :: down, up, htr, htrc
    real, dimension(1, 0:n) :: down_clear, up_clear
    integer, parameter :: none(3) = 0, last_face(2) = [0, 1]

    call wrf_columns_fluxes(itr, tavel, pfrac, cloud, taucloud, tz(:, :n-1), down(:, :n-1), &
        down_clear(:, :n-1), ground, semiss, up(:, :n-1), up_clear(:, :n-1), up(:, n), up_clear(:, n), &
        depth, source, passed, band, planck, width, ghosts=none, trust_ghosts=.true.)
    down(:, n) = 0
    down_clear(:, n) = 0
    htr(:, n) = 0
    htrc(:, n) = 0
    call wrf_columns_heating(down, up, pz, htr, ghosts=none(:2), ghosts_after=last_face)
    call wrf_columns_heating(down_clear, up_clear, pz, htrc, ghosts=none(:2), ghosts_after=last_face)
  end subroutine
end module

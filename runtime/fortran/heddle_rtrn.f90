! SPDX-License-Identifier: MIT-0
! The longwave sweep of RRTM with the arguments of WRF's routine rtrn: in the place of that in module_ra_rrtm.
! Call rtrn_tables once, then rtrn once per column, from several threads if you like. Mathematics:
! heddle.atmosphere.longwave.fluxes("table"). Arrays of rtrn are those of the host, or with
! heddle_wrf_kernels_acc those that the caller has on the device; those of rtrn_tables always of the host.
! On a device the g-points of a column are threads of one block: the kernels fluxes and heating of
! wrf_columns_f take many columns at once, which is what fills a GPU.
!
! Layers kts to ktep1 from the ground up; faces 0 to ktep1. tavel, tz: temperatures (K); pz: pressures (hPa);
! cldfrac, taucloud: part and vertical optical depth of clouds in layers where icldlyr is 1; itr: 0 to 5000,
! where in the tables of transmission; pfrac: part of the Planck function of its band; tbound: temperature of
! the ground (K); semiss: its emissivity in each band. Results: totdflux, totuflux (W m-2), htr and, without
! clouds, htrc (K per day), of which the last value is 0. Refused with the layer: temperatures that are not
! positive, pressures that do not fall, clouds that are less than 0, and in all what is no number.
module heddle_rtrn
  use, intrinsic :: iso_c_binding, only: c_int32_t
  use heddle_wrf_kernels, only: on_device, fluxes_kernel, heating_kernel
  use heddle_wrf_constants, only: refuse
  implicit none
  private
  public :: rtrn, rtrn_tables

  integer, parameter, public :: ngpt = 140, nbands = 16, temperatures = 181, steps = 5000
  integer(c_int32_t), dimension(ngpt) :: band
  real, dimension(nbands) :: width
  real, dimension(temperatures * nbands) :: planck
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
    if (.not. has_tables) then
      !$acc enter data create(band, width, planck, depth, source, passed) if(on_device)
    end if
    !$acc update device(band, width, planck, depth, source, passed) if(on_device)
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
    integer(c_int32_t), dimension(ngpt, kts:ktep1) :: at
    real, dimension(1) :: ground
    real, dimension(kts:ktep1) :: cloud
    real, dimension(0:ktep1) :: down_clear, up_clear
    real, parameter :: most = huge(1.0)
    logical :: wrong
    integer :: g, k, temperature, pressure, clouds

    if (.not. has_tables) call refuse('rtrn', 'call rtrn_tables first')
    if (kts /= 1) call refuse('rtrn', 'the first layer, kts, is 1')
    if (.not. (tbound > 0 .and. tbound <= most)) call refuse('rtrn', 'the ground (tbound) has no temperature')
    ground = tbound
    wrong = .false.
    temperature = 0
    pressure = 0
    clouds = 0
    !$acc data create(at, cloud, down_clear, up_clear) copyin(ground) if(on_device)
    !$acc parallel loop collapse(2) reduction(.or.:wrong) present(itr, pfrac, at) if(on_device)
    do k = kts, ktep1
      do g = 1, ngpt
        wrong = wrong .or. itr(g, k) < 0 .or. itr(g, k) > steps .or. .not. abs(pfrac(g, k)) <= most
        at(g, k) = int(itr(g, k), c_int32_t)
      end do
    end do
    if (wrong) call refuse('rtrn', 'an index (itr) is not 0 to 5000, or a part (pfrac) is no number')
    !$acc parallel loop reduction(max:temperature, pressure) present(tavel, tz, pz) if(on_device)
    do k = kts, ktep1
      temperature = max(temperature, merge(0, k, tavel(k) > 0 .and. tz(k-1) > 0 .and. tz(k) > 0 .and. &
        tavel(k) + tz(k-1) + tz(k) <= most))
      pressure = max(pressure, merge(0, k, pz(k-1) <= most .and. pz(k) >= 0 .and. pz(k) < pz(k-1)))
    end do
    call refuse_layer(temperature, 'a temperature (tavel, tz) is not positive')
    call refuse_layer(pressure, 'pressure (pz) does not fall with height')
    !$acc parallel loop reduction(max:clouds) present(cloud, cldfrac, taucloud, icldlyr) if(on_device)
    do k = kts, ktep1
      cloud(k) = merge(cldfrac(k), 0.0, icldlyr(k) == 1)
      clouds = max(clouds, merge(0, k, icldlyr(k) /= 1 .or. (cldfrac(k) >= 0 .and. cldfrac(k) <= 1 .and. &
        taucloud(k) >= 0 .and. taucloud(k) <= most)))
    end do
    call refuse_layer(clouds, 'cldfrac is not 0 to 1, or taucloud is less than 0')
    call column(ktep1, tavel, pz, tz, cloud, taucloud, totdflux, totuflux, htr, htrc, at, pfrac, ground, &
                semiss, down_clear, up_clear)
    !$acc end data
  end subroutine

  !> layer: the last one of which that is true; 0: none.
  subroutine refuse_layer(layer, what)
    integer, intent(in) :: layer
    character(len=*), intent(in) :: what
    character(len=12) :: number

    if (layer == 0) return
    write (number, '(i0)') layer
    call refuse('rtrn', 'layer ' // trim(number) // ': ' // what)
  end subroutine

  !> One column as an array of columns. Faces are sections: the last one lies behind them.
  subroutine column(n, tavel, pz, tz, cloud, taucloud, down, up, htr, htrc, at, pfrac, ground, semiss, &
      down_clear, up_clear)
    integer, intent(in) :: n
    integer(c_int32_t), intent(in) :: at(ngpt, 1, n)
    real, intent(in) :: pfrac(ngpt, 1, n), ground(1), semiss(1, nbands)
    real, dimension(1, n), intent(in) :: tavel, cloud, taucloud
    real, dimension(1, 0:n), intent(in) :: pz, tz
    real, dimension(1, 0:n), intent(inout) :: down, up, htr, htrc, down_clear, up_clear
    integer, parameter :: none(3) = 0, last_face(2) = [0, 1]

    call fluxes_kernel(at, tavel, pfrac, cloud, taucloud, tz(:, :n-1), down(:, :n-1), &
        down_clear(:, :n-1), ground, semiss, up(:, :n-1), up_clear(:, :n-1), up(:, n), up_clear(:, n), &
        depth, source, passed, band, planck, width, ghosts=none, trust_ghosts=.true.)
    !$acc kernels present(down, down_clear, htr, htrc) copyin(n) if(on_device)
    down(:, n) = 0
    down_clear(:, n) = 0
    htr(:, n) = 0
    htrc(:, n) = 0
    !$acc end kernels
    call heating_kernel(down, up, pz, htr, ghosts=none(:2), ghosts_after=last_face)
    call heating_kernel(down_clear, up_clear, pz, htrc, ghosts=none(:2), ghosts_after=last_face)
  end subroutine
end module

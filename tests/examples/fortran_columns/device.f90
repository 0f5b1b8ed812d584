! SPDX-License-Identifier: Apache-2.0
! WSM3, WSM5 and advection on arrays that a data region of OpenACC has on the device, in two tiles, and
! longwave radiation of two columns there; results go to a file. The same program, compiled without OpenACC,
! runs with the modules for the host.
program device
  use module_configure, only: grid_config_rec_type
  use heddle_advect_scalar_pd, only: advect_scalar_pd
  use heddle_rtrn, only: rtrn, rtrn_tables, ngpt, nbands, temperatures, table_steps => steps
  use heddle_wsm3, only: wsm3
  use heddle_wsm5, only: wsm5
  implicit none

  integer, parameter :: nx = 12, ny = 10, nz = 16, layers = 4
  integer, parameter :: ids = 1, ide = nx + 1, jds = 1, jde = ny + 1, kds = 1, kde = nz + 1
  integer, parameter :: ims = ids - layers, ime = nx + layers, jms = jds - layers, jme = ny + layers
  integer, parameter :: kms = kds, kme = kde
  real, parameter :: g = 9.81, r_d = 287, r_v = 461.6, cp = 3.5 * r_d, dt = 60
  real, dimension(ims:ime, kms:kme, jms:jme) :: th, q, qc, qr, qi, qs, w, den, pii, p, delz, unused, untouched
  real, dimension(ims:ime, kms:kme, jms:jme) :: ru, rv, rom, tendency
  real, dimension(ims:ime, jms:jme) :: rain, rainncv, snow, snowncv, sr, mass, none, one
  real, dimension(kms:kme) :: unit, zero, half, rdzw
  type(grid_config_rec_type) :: config
  character(len=200) :: file
  ! Of radiation: g-points, layers, columns.
  integer, parameter :: columns = 2
  real, dimension(ngpt, nz, columns) :: pfrac
  integer, dimension(ngpt, nz, columns) :: itr
  integer, dimension(nz, columns) :: icldlyr
  real, dimension(nz, columns) :: tavel, cldfrac, taucloud
  real, dimension(0:nz, columns) :: pz, tz, down, up, htr, htrc
  real, dimension(nbands) :: semiss
  integer :: tile, first, last, column

  call begin()
  call begin_radiation()
  !$acc data copy(th, q, qc, qr, qi, qs, rain, rainncv, snow, snowncv, sr, tendency) &
  !$acc copyin(w, den, pii, p, delz, ru, rv, rom, mass, none, one)
  do tile = 1, 2
    first = 1 + (tile - 1) * ny / 2
    last = tile * ny / 2
    call wsm3(th, q, qc, qr, w, den, pii, p, delz, dt, g, cp, 4 * r_v, r_d, r_v, 273.15, r_v / r_d - 1, &
        r_d / r_v, 1e-15, 2.85e6, 2.5e6, 3.5e5, 1.28, 1000.0, 4190.0, 2106.0, 610.78, rain, rainncv, snow, &
        snowncv, sr, 0, 0, 0, unused, unused, unused, ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, &
        kme, 1, nx, first, last, 1, nz)
    call wsm5(th, q, qc, qr, qi, qs, den, pii, p, delz, dt, g, cp, 4 * r_v, r_d, r_v, 273.15, r_v / r_d - 1, &
        r_d / r_v, 1e-15, 2.85e6, 2.5e6, 3.5e5, 1.28, 1000.0, 4190.0, 2106.0, 610.78, rain, rainncv, snow, &
        snowncv, sr, unused, .false., 0, 0, 0, 0, unused, unused, unused, ids, ide, jds, jde, kds, kde, ims, &
        ime, jms, jme, kms, kme, 1, nx, first, last, 1, nz)
    call advect_scalar_pd(qi, qi, tendency, unused, untouched, ru, rv, rom, unit, zero, mass, mass, none, &
        1, config, .false., one, one, one, one, one, one, half, half, 1e-3, 1e-3, rdzw, 20.0, ids, ide, jds, &
        jde, kds, kde, ims, ime, jms, jme, kms, kme, 1, ide, first, merge(jde, last, tile == 2), kds, kde)
  end do
  !$acc end data
  !$acc data copyin(tavel, pz, tz, cldfrac, taucloud, icldlyr, itr, pfrac, semiss) &
  !$acc copyout(down, up, htr, htrc)
  do column = 1, columns
    call rtrn(1, nz, tavel(:, column), pz(:, column), tz(:, column), cldfrac(:, column), &
        taucloud(:, column), down(:, column), up(:, column), htr(:, column), htrc(:, column), &
        icldlyr(:, column), itr(:, :, column), pfrac(:, :, column), 288.0, semiss)
  end do
  !$acc end data
  if (any(down(0, :) <= 0) .or. any(up(nz, :) <= 0) .or. all(htr == htrc)) error stop 'nothing radiated'
  if (all(rain == 0) .or. all(snow == 0) .or. all(tendency == 0)) error stop 'nothing happened'
  call get_command_argument(1, file)
  open (unit=10, file=file, access='stream', form='unformatted', status='replace')
  write (10) th, q, qc, qr, qi, qs, rain, rainncv, snow, snowncv, sr, tendency, down, up, htr, htrc
  close (10)

contains

  !> Every kind of water, in amounts that differ from column to column, and a wind.
  subroutine begin()
    integer :: i, j, k
    real :: amount

    unused = 0
    w = 0.5
    rom = 0
    tendency = 0
    rain = 0
    snow = 0
    rainncv = 0
    snowncv = 0
    sr = 0
    mass = 8e4
    none = 0
    one = 1
    unit = 1
    zero = 0
    half = 0.5
    rdzw = -real(nz)
    config%specified = .true.
    do j = jms, jme
      do k = kms, kme
        do i = ims, ime
          amount = 1e-4 * modulo(7 * i + 3 * j + 5 * k, 11)
          p(i, k, j) = 1e5 * exp(-(k - 0.5) * 600 / 8000)
          pii(i, k, j) = (p(i, k, j) / 1e5)**(r_d / cp)
          den(i, k, j) = p(i, k, j) / (r_d * (276 - 3.5 * k))
          delz(i, k, j) = 600
          th(i, k, j) = (276 - 3.5 * k) / pii(i, k, j)
          q(i, k, j) = 0.012 * exp(-k / 5.0)
          qc(i, k, j) = merge(amount, 0.0, k < 9)
          qr(i, k, j) = merge(2 * amount, 0.0, k < 6)
          qi(i, k, j) = merge(amount / 4, 0.0, k > 6)
          qs(i, k, j) = merge(amount, 0.0, k > 5)
          ru(i, k, j) = 8e4 * (5 + modulo(j + ny, ny))
          rv(i, k, j) = 8e4 * (3 - modulo(i + nx, nx))
        end do
      end do
    end do
  end subroutine

  !> A gas with g-points of every depth, and a cloud in each column.
  subroutine begin_radiation()
    real :: totplnk(temperatures, nbands), delwave(nbands)
    real, dimension(0:table_steps) :: tau, tf, trans
    integer :: ngb(ngpt), b, c, i, k

    do i = 1, ngpt
      ngb(i) = 1 + (i - 1) * nbands / ngpt
    end do
    delwave = [(100.0 + 10 * b, b = 1, nbands)]
    do b = 1, nbands
      totplnk(:, b) = [(1e-8 * b * k, k = 1, temperatures)]
    end do
    tau = [((i / real(table_steps)) / (0.278 * max(1 - i / real(table_steps), 1e-9)), i = 0, table_steps)]
    trans = exp(-min(tau, 80.0))
    tf = tau / (2 * 1.8 + tau)
    call rtrn_tables(totplnk, delwave, ngb, tau, tf, trans)
    semiss = 0.98
    do c = 1, columns
      pz(:, c) = [(1000.0 - 60 * k, k = 0, nz)]
      tz(:, c) = [(288.0 - (3 + c) * k, k = 0, nz)]
      tavel(:, c) = 0.5 * (tz(:nz-1, c) + tz(1:, c))
      do k = 1, nz
        itr(:, k, c) = [(modulo(37 * i + 11 * k + c, 4000), i = 1, ngpt)]
        pfrac(:, k, c) = [(1.0 / count(ngb == ngb(i)), i = 1, ngpt)]
      end do
    end do
    icldlyr = 0
    cldfrac = 0.6 ! a cloud only where icldlyr is 1
    taucloud = 2
    icldlyr(6, 1) = 1
    icldlyr(9, 2) = 1
  end subroutine
end program

! SPDX-License-Identifier: Apache-2.0
! WSM3, WSM5 and advection on arrays that a data region of OpenACC has on the device, in two tiles; results go
! to a file. The same program, compiled without OpenACC, runs with the modules for the host.
program device
  use module_configure, only: grid_config_rec_type
  use heddle_advect_scalar_pd, only: advect_scalar_pd
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
  integer :: tile, first, last

  call begin()
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
  if (all(rain == 0) .or. all(snow == 0) .or. all(tendency == 0)) error stop 'nothing happened'
  call get_command_argument(1, file)
  open (unit=10, file=file, access='stream', form='unformatted', status='replace')
  write (10) th, q, qc, qr, qi, qs, rain, rainncv, snow, snowncv, sr, tendency
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
end program

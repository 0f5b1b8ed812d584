! SPDX-License-Identifier: Apache-2.0
! A small model in Fortran, with arrays as WRF has them: air flows over a domain that is periodic along x and
! has specified boundaries along y; vapour, clouds and rain move with it (advect_scalar_pd) and change
! (wsm3). Both routines have WRF's arguments and are called tile by tile, as WRF does.
!
!   fortran_columns [STEPS [FILE]]     FILE receives the state before and after, for another program
program fortran_columns
  use module_configure, only: grid_config_rec_type
  use heddle_advect_scalar_pd, only: advect_scalar_pd
  use heddle_wsm3, only: wsm3
  implicit none

  integer, parameter :: nx = 24, ny = 20, nz = 24, layers = 4
  integer, parameter :: ids = 1, ide = nx + 1, jds = 1, jde = ny + 1, kds = 1, kde = nz + 1
  integer, parameter :: ims = ids - layers, ime = nx + layers, jms = jds - layers, jme = ny + layers
  integer, parameter :: kms = kds, kme = kde
  real, parameter :: g = 9.81, r_d = 287, r_v = 461.6, cp = 3.5 * r_d, p1000 = 1e5
  real, parameter :: dx = 2000, dt = 20, p_top = 2e4, mass = p1000 - p_top
  real, dimension(ims:ime, kms:kme, jms:jme) :: th, q, qci, qrs, w, den, pii, p, delz, ru, rv, rom
  real, dimension(ims:ime, kms:kme, jms:jme) :: old, tendency, unused, untouched
  real, dimension(ims:ime, jms:jme) :: rain, rainncv, snow, snowncv, sr, mut, mub, no_mass, one
  real, dimension(kms:kme) :: c1, c2, fzm, fzp, rdzw
  type(grid_config_rec_type) :: config
  integer :: steps, step
  character(len=200) :: word, file

  steps = 60
  file = ''
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  if (command_argument_count() > 1) call get_command_argument(2, file)
  config%periodic_x = .true.
  config%specified = .true.
  call begin()
  if (file /= '') then
    open (unit=10, file=file, access='stream', form='unformatted', status='replace')
    write (10) nx, ny, nz, layers, steps
    write (10) th, q, qci, qrs, w, den, pii, p, delz, ru, rv, rom, rdzw, [dx, dt, mass]
  end if
  do step = 1, steps
    call transport(q)
    call transport(qci)
    call transport(qrs)
    call clouds()
  end do
  if (file /= '') then
    write (10) th, q, qci, qrs, rain, snow
    close (10)
  end if
  print '(a, f8.3, a, f8.3, a)', 'rain: ', maxval(rain(1:nx, 1:ny)), ' mm at most, of which snow', &
      maxval(snow(1:nx, 1:ny)), ' mm'
  print '(a, 2es10.2, a)', 'vapour:', minval(q(1:nx, 1:nz, 1:ny)), maxval(q(1:nx, 1:nz, 1:ny)), ' kg/kg'
  if (any(q(1:nx, 1:nz, 1:ny) < 0) .or. any(qci(1:nx, 1:nz, 1:ny) < 0) .or. any(qrs(1:nx, 1:nz, 1:ny) < 0)) &
    error stop 'negative water'
  if (.not. maxval(rain(1:nx, 1:ny)) > 0 .and. steps >= 60) error stop 'no rain'

contains

  !> Stable air, moist in the middle, cloudy in a bubble that begins to rain; one wind for all levels.
  subroutine begin()
    integer :: i, j, k
    real :: eta, height, radius

    rom = 0
    w = 0
    qci = 0
    qrs = 0
    rain = 0
    snow = 0
    unused = 0
    no_mass = 0
    one = 1
    mub = mass
    mut = mass
    c1 = 1
    c2 = 0
    fzm = 0.5
    fzp = 0.5
    rdzw = -real(nz)
    do j = jms, jme
      do k = kms, kme
        do i = ims, ime
          eta = 1 - (k - 0.5) / nz
          p(i, k, j) = p_top + mass * max(eta, 0.5 / nz)
          height = 7500 * log(p1000 / p(i, k, j))
          pii(i, k, j) = (p(i, k, j) / p1000)**(r_d / cp)
          th(i, k, j) = 300 + 0.0035 * height
          den(i, k, j) = p(i, k, j) / (r_d * th(i, k, j) * pii(i, k, j))
          delz(i, k, j) = mass / (nz * g * den(i, k, j))
          radius = sqrt(((i - nx / 2.0) / 5)**2 + ((j - ny / 2.0) / 5)**2 + ((height - 3000) / 2500)**2)
          q(i, k, j) = 0.014 * exp(-height / 2600) * (1 + max(1 - radius, 0.0))
          qci(i, k, j) = 0.002 * max(1 - radius, 0.0)
          w(i, k, j) = 2 * max(1 - radius, 0.0)
          ru(i, k, j) = mass * (8 + 0.3 * k)
          rv(i, k, j) = mass * 3
        end do
      end do
    end do
    call periodic(q)
    call periodic(qci)
  end subroutine

  !> A step of a tracer: three stages, tile by tile.
  subroutine transport(tracer)
    real, intent(inout) :: tracer(ims:ime, kms:kme, jms:jme)
    integer :: stage, tile, jts, jte

    call periodic(tracer)
    old = tracer
    do stage = 3, 1, -1
      tendency = 0
      do tile = 0, 1
        jts = 1 + tile * ny / 2
        jte = merge(jde, ny / 2, tile == 1)
        call advect_scalar_pd(tracer, old, tendency, unused, untouched, ru, rv, rom, c1, c2, mut, mub, &
            no_mass, 1, config, .false., one, one, one, one, one, one, fzm, fzp, 1 / dx, 1 / dx, rdzw, &
            dt / stage, ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, ids, ide, jts, jte, &
            kds, kde)
      end do
      tracer(1:nx, 1:nz, 1:ny) = (mass * old(1:nx, 1:nz, 1:ny) + dt / stage * tendency(1:nx, 1:nz, &
          1:ny)) / mass
      call periodic(tracer)
    end do
  end subroutine

  !> Microphysics, tile by tile.
  subroutine clouds()
    integer :: tile, jts, jte
    real, parameter :: t0 = 273.15

    do tile = 0, 1
      jts = 1 + tile * ny / 2
      jte = jts + ny / 2 - 1
      call wsm3(th, q, qci, qrs, w, den, pii, p, delz, dt, g, cp, 4 * r_v, r_d, r_v, t0, r_v / r_d - 1, &
          r_d / r_v, &
          1e-15, 2.85e6, 2.5e6, 3.5e5, 1.28, 1000.0, 4190.0, 2106.0, 610.78, rain, rainncv, snow, snowncv, &
          sr, 0, 0, 0, unused, unused, unused, &
          ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, 1, nx, jts, jte, 1, nz)
    end do
  end subroutine

  !> Ghost layers along x.
  subroutine periodic(f)
    real, intent(inout) :: f(ims:ime, kms:kme, jms:jme)

    f(ims:0, :, :) = f(ims+nx:nx, :, :)
    f(nx+1:ime, :, :) = f(1:layers, :, :)
  end subroutine
end program

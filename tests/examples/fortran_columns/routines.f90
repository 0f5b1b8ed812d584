! SPDX-License-Identifier: Apache-2.0
! Each routine alone: what it must conserve, closed forms, and the same bits whatever the tiles. With a word,
! one thing that is refused.
program routines
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use module_configure, only: grid_config_rec_type
  use heddle_advect_scalar_pd, only: advect_scalar_pd
  use heddle_rtrn, only: rtrn, rtrn_tables, ngpt, nbands, temperatures, table_steps => steps
  use heddle_wsm3, only: wsm3
  use heddle_wsm3_ccpp, only: heddle_wsm3_ccpp_run
  use heddle_wsm5, only: wsm5
  implicit none

  integer, parameter :: nx = 12, ny = 10, nz = 16, layers = 4
  integer, parameter :: ids = 1, ide = nx + 1, jds = 1, jde = ny + 1, kds = 1, kde = nz + 1
  integer, parameter :: ims = ids - layers, ime = nx + layers, jms = jds - layers, jme = ny + layers
  integer, parameter :: kms = kds, kme = kde
  real, parameter :: g = 9.81, r_d = 287, r_v = 461.6, cp = 3.5 * r_d, dt = 60
  type :: water
    real, dimension(ims:ime, kms:kme, jms:jme) :: th, q, qc, qr, qi, qs
    real, dimension(ims:ime, jms:jme) :: rain, rainncv, snow, snowncv, sr
  end type
  real, dimension(ims:ime, kms:kme, jms:jme) :: w, den, pii, p, delz, unused, untouched
  character(len=40) :: word

  call air()
  call get_command_argument(1, word)
  select case (word)
  case ('constants')
    call refused_constants()
  case ('radii')
    call refused_radii()
  case ('tables')
    call refused_tables()
  case ('boundaries')
    call refused_flow(.false., 1.0, 1)
  case ('map_factors')
    call refused_flow(.true., 1.1, 1)
  case ('backwards')
    call refused_flow(.true., 1.0, -1)
  case ('temperature', 'ground', 'pressure', 'cloud', 'fraction')
    call radiation(word)
  case default
    call five_classes()
    call as_a_ccpp_scheme()
    call advection(.true., .true.)
    call advection(.true., .false.)
    call advection(.false., .false.)
    call radiation('')
    print '(a)', 'all hold'
  end select

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (holds) return
    print '(2a)', 'wrong: ', what
    error stop 1
  end subroutine

  subroutine air()
    integer :: k

    unused = 0
    w = 0.5
    do k = kms, kme
      p(:, k, :) = 1e5 * exp(-(k - 0.5) * 600 / 8000)
      pii(:, k, :) = (p(:, k, :) / 1e5)**(r_d / cp)
      den(:, k, :) = p(:, k, :) / (r_d * (290 - 3.5 * k))
      delz(:, k, :) = 600
    end do
  end subroutine

  ! --- WSM5 ------------------------------------------------------------------------------------------------

  !> Every kind of water, in amounts that differ from column to column.
  subroutine clouds(state)
    type(water), intent(out) :: state
    integer :: i, j, k
    real :: amount

    state%rain = 0
    state%snow = 0
    state%rainncv = 0
    state%snowncv = 0
    state%sr = 0
    do j = jms, jme
      do k = kms, kme
        do i = ims, ime
          amount = 1e-4 * modulo(7 * i + 3 * j + 5 * k, 11)
          state%th(i, k, j) = (290 - 3.5 * k) / pii(i, k, j)
          state%q(i, k, j) = 0.012 * exp(-k / 5.0)
          state%qc(i, k, j) = merge(amount, 0.0, k < 9)
          state%qr(i, k, j) = merge(2 * amount, 0.0, k < 6)
          state%qi(i, k, j) = merge(amount / 4, 0.0, k > 6)
          state%qs(i, k, j) = merge(amount, 0.0, k > 5)
        end do
      end do
    end do
  end subroutine

  subroutine step5(state, tiles)
    type(water), intent(inout) :: state
    integer, intent(in) :: tiles
    integer :: tile, first, last

    do tile = 1, tiles
      first = 1 + (tile - 1) * ny / tiles
      last = tile * ny / tiles
      call wsm5(state%th, state%q, state%qc, state%qr, state%qi, state%qs, den, pii, p, delz, dt, g, cp, &
          4 * r_v, &
          r_d, r_v, 273.15, r_v / r_d - 1, r_d / r_v, 1e-15, 2.85e6, 2.5e6, 3.5e5, 1.28, 1000.0, 4190.0, &
          2106.0, &
          610.78, state%rain, state%rainncv, state%snow, state%snowncv, state%sr, unused, .false., 0, 0, &
          0, 0, &
          unused, unused, unused, ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, 1, nx, &
          first, last, &
          1, nz)
    end do
  end subroutine

  !> In a column, kg m-2: its water and what fell.
  double precision function held(state, i, j)
    type(water), intent(in) :: state
    integer, intent(in) :: i, j
    integer :: k

    held = state%rain(i, j)
    do k = 1, nz
      held = held + dble(den(i, k, j)) * delz(i, k, j) * (dble(state%q(i, k, j)) + state%qc(i, k, j) &
          + state%qr(i, k, j) + state%qi(i, k, j) + state%qs(i, k, j))
    end do
  end function

  subroutine five_classes()
    type(water), allocatable :: before, after, tiled, dry
    integer :: i, j
    double precision :: worst

    allocate (before, after, tiled, dry)
    call clouds(before)
    after = before
    tiled = before
    call step5(after, 1)
    call step5(tiled, 5)
    call check(all(after%th == tiled%th) .and. all(after%q == tiled%q) .and. all(after%qc == tiled%qc), &
        'tiles')
    call check(all(after%qr == tiled%qr) .and. all(after%qi == tiled%qi) .and. all(after%qs == tiled%qs), &
        'tiles')
    call check(all(after%rain == tiled%rain) .and. all(after%snow == tiled%snow), 'rain of tiles')
    call check(all(after%th(:0, :, :) == before%th(:0, :, :)), 'a cell beyond the tile')
    call check(any(after%rain(1:nx, 1:ny) > 0), 'no rain')
    call check(all(after%rain == after%rainncv), 'rain of this call')

    ! Water is conserved away from both ends of a column, where the original is inexact (see `quirks`).
    dry = before
    dry%qr(:, :4, :) = 0
    dry%qi(:, nz-3:, :) = 0
    dry%qs(:, nz-3:, :) = 0
    after = dry
    call step5(after, 1)
    worst = 0
    do j = 1, ny
      do i = 1, nx
        worst = max(worst, abs(held(after, i, j) / held(dry, i, j) - 1))
      end do
    end do
    print '(a, es8.1)', 'wsm5: largest change of the water of a column:', worst
    call check(worst < 2e-7, 'water is not conserved')
    call check(any(after%qr /= dry%qr) .and. any(after%qs /= dry%qs), 'nothing fell')

    dry = before
    dry%q = 0
    dry%qc = 0
    dry%qr = 0
    dry%qi = 0
    dry%qs = 0
    call step5(dry, 1)
    call check(all(dry%th == before%th) .and. all(dry%q == 0) .and. all(dry%rain == 0), 'dry air changed')
  end subroutine

  ! --- WSM3 as a scheme of CCPP ----------------------------------------------------------------------------

  !> A row of columns gives the bits of wsm3; what does not suit comes back as an error.
  subroutine as_a_ccpp_scheme()
    type(water), allocatable :: state, whole
    real :: th(nx, nz), qv(nx, nz), qci(nx, nz), qrs(nx, nz), rain(nx), snow(nx), z(nx, nz+1)
    character(len=512) :: errmsg
    integer :: errflg, j, k

    do k = 1, nz + 1
      z(:, k) = 600.0 * (k - 1)
    end do
    allocate (state, whole)
    call clouds(state)
    whole = state
    call step3(cp, 0, whole)
    do j = 1, ny
      th = state%th(1:nx, 1:nz, j)
      qv = state%q(1:nx, 1:nz, j)
      qci = state%qc(1:nx, 1:nz, j)
      qrs = state%qr(1:nx, 1:nz, j)
      call heddle_wsm3_ccpp_run(nx, nz, dt, th, qv, qci, qrs, w(1:nx, 1:nz, j), den(1:nx, 1:nz, j), &
          pii(1:nx, 1:nz, j), p(1:nx, 1:nz, j), z, rain, snow, errmsg, errflg)
      call check(errflg == 0 .and. errmsg == '', 'an error of the scheme')
      call check(all(th == whole%th(1:nx, 1:nz, j)) .and. all(qv == whole%q(1:nx, 1:nz, j)), 'the scheme')
      call check(all(qci == whole%qc(1:nx, 1:nz, j)) .and. all(qrs == whole%qr(1:nx, 1:nz, j)), 'its clouds')
      call check(all(rain == whole%rain(1:nx, j) / (1000 * dt)) .and. any(rain > 0), 'its rain')
    end do
    th = state%th(1:nx, 1:nz, ny) - 40
    qrs = state%q(1:nx, 1:nz, ny) / 8
    call heddle_wsm3_ccpp_run(nx, nz, dt, th, qv, qci, qrs, w(1:nx, 1:nz, 1), den(1:nx, 1:nz, 1), &
        pii(1:nx, 1:nz, 1), p(1:nx, 1:nz, 1), z, rain, snow, errmsg, errflg)
    call check(all(abs(snow - 1000 * rain) <= 1e-6 * snow) .and. all(snow > 0), 'in cold air all is snow')
    call heddle_wsm3_ccpp_run(nx, 0, dt, th, qv, qci, qrs, th, th, th, th, th, rain, snow, errmsg, errflg)
    call check(errflg == -2 .and. errmsg(:26) == 'heddle_wsm3_ccpp_run: exte', 'no error of the scheme')
  end subroutine

  ! --- Advection -------------------------------------------------------------------------------------------

  subroutine advection(periodic_x, periodic_y)
    logical, intent(in) :: periodic_x, periodic_y
    real, dimension(ims:ime, kms:kme, jms:jme) :: field, ru, rv, whole, tiled
    integer :: i, j, k

    do j = jms, jme
      do k = kms, kme
        do i = ims, ime
          ru(i, k, j) = 8e4 * (5 + modulo(j + ny, ny))
          rv(i, k, j) = 8e4 * (3 - modulo(i + nx, nx))
          field(i, k, j) = 1e-3 * modulo(5 * modulo(i + nx, nx) + 3 * modulo(j + ny, ny) + 7 * k, 13)
        end do
      end do
    end do
    if (periodic_x .and. periodic_y) then
      whole = one_tendency(1, 1, spread(spread(spread(0.25, 1, ime-ims+1), 2, kme-kms+1), 3, jme-jms+1), &
          ru, rv, &
          periodic_x, periodic_y)
      call check(maxval(abs(whole(1:nx, 1:nz, 1:ny))) < 2e-4, 'a constant does not stay')
    end if
    whole = one_tendency(1, 1, field, ru, rv, periodic_x, periodic_y)
    tiled = one_tendency(3, 2, field, ru, rv, periodic_x, periodic_y)
    call check(any(whole /= 0) .and. all(whole == tiled), 'tendencies of tiles')
    call check(all(whole(:0, :, :) == 0) .and. all(whole(:, kde, :) == 0), 'a cell beyond the domain')
    if (periodic_x .and. periodic_y) &
      call check(abs(sum(dble(whole(1:nx, 1:nz, 1:ny)))) < 1e-6 * sum(abs(whole(1:nx, 1:nz, 1:ny))), &
      'the sum')

  end subroutine

  function one_tendency(tiles_x, tiles_y, q, ru, rv, periodic_x, periodic_y) result(tendency)
    integer, intent(in) :: tiles_x, tiles_y
    real, dimension(ims:ime, kms:kme, jms:jme), intent(in) :: q, ru, rv
    logical, intent(in) :: periodic_x, periodic_y
    real, dimension(ims:ime, kms:kme, jms:jme) :: tendency, rom
    real, dimension(ims:ime, jms:jme) :: mass, none, one
    real, dimension(kms:kme) :: unit, zero, half, rdzw
    type(grid_config_rec_type) :: config
    integer :: tile_x, tile_y

    config%periodic_x = periodic_x
    config%periodic_y = periodic_y
    config%nested = .not. periodic_y
    mass = 8e4
    none = 0
    one = 1
    rom = 0
    unit = 1
    zero = 0
    half = 0.5
    rdzw = -real(nz)
    tendency = 0
    do tile_y = 1, tiles_y
      do tile_x = 1, tiles_x
        call advect_scalar_pd(q, q, tendency, unused, untouched, ru, rv, rom, unit, zero, mass, mass, none, &
            1, config, .false., one, one, one, one, one, one, half, half, 1e-3, 1e-3, rdzw, 20.0, &
            ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, 1 + (tile_x - 1) * nx / tiles_x, &
            merge(ide, tile_x * nx / tiles_x, tile_x == tiles_x), 1 + (tile_y - 1) * ny / tiles_y, &
            merge(jde, tile_y * ny / tiles_y, tile_y == tiles_y), kds, kde)
      end do
    end do
  end function

  ! --- Radiation -------------------------------------------------------------------------------------------

  !> Air and ground of one temperature emit B(T) through every face; telescoping heating rates. wrong: what
  !> is refused, if anything.
  subroutine radiation(wrong)
    character(len=*), intent(in) :: wrong
    integer, parameter :: n = 20
    real, parameter :: pi = 3.14159265, kelvin = 287.5
    real :: totplnk(temperatures, nbands), delwave(nbands), pfrac(ngpt, n), tavel(n), cldfrac(n), taucloud(n)
    real, dimension(0:table_steps) :: tau, tf, trans
    real, dimension(0:n) :: pz, tz, down, up, htr, htrc
    real :: semiss(nbands), expected, ground
    integer :: ngb(ngpt), itr(ngpt, n), icldlyr(n), b, i, k

    do i = 1, ngpt
      ngb(i) = 1 + (i - 1) * nbands / ngpt
    end do
    do i = 1, ngpt
      pfrac(i, :) = 1.0 / count(ngb == ngb(i))
    end do
    do b = 1, nbands
      delwave(b) = 100 + 10 * b
      totplnk(:, b) = [(1e-8 * b * k, k = 1, temperatures)] ! linear in T from 160 K, row 1
    end do
    tau = [((i / real(table_steps)) / (0.278 * max(1 - i / real(table_steps), 1e-9)), i = 0, table_steps)]
    trans = exp(-min(tau, 80.0))
    tf = tau / (2 * 1.8 + tau)
    call rtrn_tables(totplnk, delwave, ngb, tau, tf, trans)

    expected = 0
    do b = 1, nbands
      expected = expected + 1e4 * pi * delwave(b) * 1e-8 * b * (kelvin - 159)
    end do
    pz = [(1000.0 - 48 * k, k = 0, n)]
    tavel = kelvin
    tz = kelvin
    semiss = 1
    cldfrac = 0
    taucloud = 0
    icldlyr = 0
    do k = 1, n
      itr(:, k) = [(modulo(37 * i + 11 * k, 4000), i = 1, ngpt)]
    end do
    ground = kelvin
    select case (wrong)
    case ('temperature')
      tavel(7) = ieee_value(1.0, ieee_quiet_nan)
    case ('ground')
      ground = 0
    case ('pressure')
      pz(5) = pz(4)
    case ('cloud')
      icldlyr(3) = 1
      cldfrac(3) = -0.1
    case ('fraction')
      pfrac(9, 20) = ieee_value(1.0, ieee_quiet_nan)
    end select
    call rtrn(1, n, tavel, pz, tz, cldfrac, taucloud, down, up, htr, htrc, icldlyr, itr, pfrac, ground, &
        semiss)
    if (wrong /= '') return
    call check(maxval(abs(up / expected - 1)) < 2e-6, 'isothermal air: up is not B')
    call check(all(down(:n-1) > down(1:)) .and. down(n) == 0, 'down does not grow downwards')
    call check(all(htr == htrc), 'no clouds, and yet other rates')
    call check(abs(sum(htr(:n-1) * (pz(:n-1) - pz(1:))) / 8.4391 - ((up(0) - down(0)) - (up(n) - down(n)))) &
        < 1e-5 * expected, 'heating is not what fluxes lose')

    icldlyr(8) = 1 ! opaque
    cldfrac(8) = 1
    taucloud(8) = 100
    cldfrac(12) = 1 ! no cloud: icldlyr is 0
    taucloud(12) = 100
    itr = 0 ! no gas
    call rtrn(1, n, tavel, pz, tz, cldfrac, taucloud, down, up, htr, htrc, icldlyr, itr, pfrac, kelvin, &
        semiss)
    call check(maxval(abs(down(:7) / expected - 1)) < 2e-6, 'below an opaque cloud: down is not B')
    call check(all(down(8:) == 0), 'above it something comes down')
    call check(all(htrc == 0), 'nothing absorbs, and yet it warms')
  end subroutine

  ! --- What is refused -------------------------------------------------------------------------------------

  subroutine step3(capacity, radii, state)
    real, intent(in) :: capacity
    integer, intent(in) :: radii
    type(water), intent(inout) :: state

    call wsm3(state%th, state%q, state%qc, state%qr, w, den, pii, p, delz, dt, g, capacity, 4 * r_v, r_d, &
        r_v, &
        273.15, r_v / r_d - 1, r_d / r_v, 1e-15, 2.85e6, 2.5e6, 3.5e5, 1.28, 1000.0, 4190.0, 2106.0, 610.78, &
        state%rain, state%rainncv, has_reqc=1, has_reqi=radii, has_reqs=1, re_cloud=unused, re_ice=unused, &
        re_snow=unused, ids=ids, ide=ide, jds=jds, jde=jde, kds=kds, kde=kde, ims=ims, ime=ime, jms=jms, &
        jme=jme, &
        kms=kms, kme=kme, its=1, ite=nx, jts=1, jte=ny, kts=1, kte=nz)
  end subroutine

  subroutine refused_constants()
    type(water), allocatable :: state

    allocate (state)
    call step3(1005.0, 0, state)
  end subroutine

  subroutine refused_radii()
    type(water), allocatable :: state

    allocate (state)
    call step3(cp, 1, state)
  end subroutine

  subroutine refused_tables()
    real :: a(0:1), g_points(ngpt, 1), bands(nbands)

    a = 250
    g_points = 0
    bands = 1
    call rtrn(1, 1, a(1:), a, a, a(1:), a(1:), a, a, a, a, [0], int(g_points), g_points, 250.0, bands)
  end subroutine

  subroutine refused_flow(periodic, map_y, time_step)
    logical, intent(in) :: periodic
    real, intent(in) :: map_y
    integer, intent(in) :: time_step
    type(grid_config_rec_type) :: config
    real :: one(ims:ime, jms:jme), level(kms:kme), other(ims:ime, jms:jme)

    config%periodic_x = periodic
    config%periodic_y = periodic
    one = 1
    other = map_y
    level = 1
    call advect_scalar_pd(w, w, unused, untouched, delz, w, w, w, level, level, one, one, one, time_step, &
        config, .false., one, one, one, one, one, other, level, level, 1e-3, 1e-3, level, 20.0, ids, ide, &
        jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, ids, ide, jds, jde, kds, kde)
  end subroutine
end program

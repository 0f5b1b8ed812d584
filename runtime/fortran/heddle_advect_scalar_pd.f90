! SPDX-License-Identifier: MIT-0
! Positive-definite advection with the arguments of WRF's routine of that name, on WRF's arrays: in the place
! of the one in module_advect_em, write `use heddle_advect_scalar_pd, only: advect_scalar_pd`. The type
! grid_config_rec_type is the host's, in its module_configure. Mathematics:
! heddle.atmosphere.advection.Advection(limiter="positive-definite", boundaries="specified", quirks="wrf").
!
! Adds to `tendency` what the fluxes of `field` and `field_old` give (kg kg-1 Pa s-1). Orders are 5 along x
! and y and 3 along z. Boundaries are periodic where config_flags says so (periodic_x, periodic_y), else
! specified or nested. Ghost layers of a tile: four of fields, one of fluxes and masses, as WRF has them.
! Other orders, other boundaries, map factors that differ along x and y (WRF's lat-lon projection), steps
! backwards in time, and tendencies by part (tenddec) end the program with a message. h_tendency and
! z_tendency are left as they are, as in WRF without tenddec. Arrays are those of the host, or with
! heddle_wrf_kernels_acc those that the caller has on the device; c1, c2, fzm, fzp and rdzw are read on the
! host, and copied.
module heddle_advect_scalar_pd
  use module_configure, only: grid_config_rec_type
  use heddle_wrf_kernels, only: on_device, wrf_columns_ikj, scale_kernel, limited_tendency_kernel
  use heddle_wrf_constants, only: refuse
  implicit none
  private
  public :: advect_scalar_pd

contains

  subroutine advect_scalar_pd(field, field_old, tendency, h_tendency, z_tendency, ru, rv, rom, c1, c2, &
      mut, mub, mu_old, time_step, config_flags, tenddec, msfux, msfuy, msfvx, msfvy, msftx, msfty, &
      fzm, fzp, rdx, rdy, rdzw, dt, &
      ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, its, ite, jts, jte, kts, kte)
    integer, intent(in) :: ids, ide, jds, jde, kds, kde
    integer, intent(in) :: ims, ime, jms, jme, kms, kme
    integer, intent(in) :: its, ite, jts, jte, kts, kte
    real, dimension(ims:ime, kms:kme, jms:jme), intent(in) :: field, field_old, ru, rv, rom
    real, dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: tendency
    real, dimension(ims:ime, kms:kme, jms:jme), intent(out) :: h_tendency, z_tendency
    real, dimension(ims:ime, jms:jme), intent(in) :: mut, mub, mu_old
    real, dimension(ims:ime, jms:jme), intent(in) :: msfux, msfuy, msfvx, msfvy, msftx, msfty
    real, dimension(kms:kme), intent(in) :: c1, c2, fzm, fzp, rdzw
    real, intent(in) :: rdx, rdy, dt
    integer, intent(in) :: time_step
    type(grid_config_rec_type), intent(in) :: config_flags
    logical, intent(in) :: tenddec
    real, dimension(:, :, :), allocatable :: keep
    real, dimension(:, :), allocatable :: mass_old
    real, dimension(:), allocatable :: c1_at, c2_at, rdzw_at, fzm_at, fzp_at
    real, dimension(:), allocatable :: x_around, y_around, x_inside, y_inside, z_inside
    logical :: closed_x, closed_y, differ
    integer :: last_x, last_y, last_z, w, e, s, n, first_i, last_i, first_j, last_j, below, above, i, j

    if (config_flags%h_sca_adv_order /= 5 .or. config_flags%v_sca_adv_order /= 3) &
      call refuse('advect_scalar_pd', 'orders other than 5 and 3 (h_sca_adv_order, v_sca_adv_order)')
    if (tenddec) call refuse('advect_scalar_pd', 'no tendencies by part (tenddec)')
    if (time_step < 0) call refuse('advect_scalar_pd', 'steps backwards in time (time_step < 0)')
    closed_x = .not. config_flags%periodic_x
    closed_y = .not. config_flags%periodic_y
    if ((closed_x .or. closed_y) .and. .not. (config_flags%specified .or. config_flags%nested)) &
      call refuse('advect_scalar_pd', 'boundaries that are neither periodic nor specified nor nested')

    ! Cells of the tile, and those whose fluxes leave into it: w to e, s to n.
    last_x = min(ite, ide - 1)
    last_y = min(jte, jde - 1)
    last_z = min(kte, kde - 1)
    w = merge(max(its - 1, ids), its - 1, closed_x)
    e = merge(min(last_x + 1, ide - 1), last_x + 1, closed_x)
    s = merge(max(jts - 1, jds), jts - 1, closed_y)
    n = merge(min(last_y + 1, jde - 1), last_y + 1, closed_y)
    if (w - 3 < ims .or. e + 3 > ime .or. s - 3 < jms .or. n + 3 > jme .or. last_z + 1 > kme) &
      call refuse('advect_scalar_pd', 'fewer than four layers around the tile')
    differ = .false.
    !$acc parallel loop collapse(2) reduction(.or.:differ) present(msftx, msfty) if(on_device)
    do j = s, n
      do i = w, e
        differ = differ .or. abs(msftx(i, j) - msfty(i, j)) > 1e-5 * msftx(i, j)
      end do
    end do
    if (differ) call refuse('advect_scalar_pd', 'map factors that differ along x and y (msftx, msfty)')
    first_i = w - 3
    last_i = e + 3
    first_j = s - 3
    last_j = n + 3
    below = kts - kms
    above = kme - last_z

    allocate (keep(first_i:last_i, kms:kme, first_j:last_j), mass_old(first_i:last_i, first_j:last_j))
    c1_at = levels(c1)
    c2_at = levels(c2)
    rdzw_at = levels(rdzw)
    fzm_at = levels(fzm)
    fzp_at = levels(fzp)
    x_around = orders(w, e, ids, ide, 5, closed_x)
    y_around = orders(s, n, jds, jde, 5, closed_y)
    x_inside = orders(its, last_x, ids, ide, 5, closed_x)
    y_inside = orders(jts, last_y, jds, jde, 5, closed_y)
    z_inside = orders(kts, last_z, kds, kde, 3, .true.)
    !$acc data create(keep, mass_old) copyin(c1_at, c2_at, rdzw_at, fzm_at, fzp_at) &
    !$acc copyin(x_around, y_around, x_inside, y_inside, z_inside) if(on_device)
    !$acc kernels present(keep, mass_old, mub, mu_old) if(on_device)
    keep = 1
    mass_old = mub(first_i:last_i, first_j:last_j) + mu_old(first_i:last_i, first_j:last_j)
    !$acc end kernels
    ! Levels beyond the column are read where the order of a face is lower, and not used: they are in memory.
    associate (x => [first_i, last_i], y => [first_j, last_j])
      call scale_kernel(ru(x(1):x(2), :, y(1):y(2)), rv(x(1):x(2), :, y(1):y(2)), &
          rom(x(1):x(2), :, y(1):y(2)), mass_old, mut(x(1):x(2), y(1):y(2)), msftx(x(1):x(2), y(1):y(2)), &
          field(x(1):x(2), :, y(1):y(2)), field_old(x(1):x(2), :, y(1):y(2)), keep, &
          c1_at, c2_at, rdzw_at, fzm_at, fzp_at, x_around, y_around, z_inside, dt, rdx, rdy, &
          ghosts=[w - first_i, s - first_j, below], ghosts_after=[last_i - e, last_j - n, above], &
          order=wrf_columns_ikj, trust_ghosts=.true.)
      call limited_tendency_kernel(ru(x(1):x(2), :, y(1):y(2)), rv(x(1):x(2), :, y(1):y(2)), &
          rom(x(1):x(2), :, y(1):y(2)), mut(x(1):x(2), y(1):y(2)), msftx(x(1):x(2), y(1):y(2)), &
          field(x(1):x(2), :, y(1):y(2)), field_old(x(1):x(2), :, y(1):y(2)), keep, &
          tendency(x(1):x(2), :, y(1):y(2)), &
          c1_at, c2_at, rdzw_at, fzm_at, fzp_at, x_inside, y_inside, z_inside, dt, rdx, rdy, &
          ghosts=[its - first_i, jts - first_j, below], &
          ghosts_after=[last_i - last_x, last_j - last_y, above], &
          order=wrf_columns_ikj, trust_ghosts=.true.)
    end associate
    !$acc end data

  contains

    !> The values of the levels of the tile, and one more at both ends, which no open face uses.
    function levels(profile) result(values)
      real, intent(in) :: profile(kms:kme)
      real :: values(last_z - kts + 3)

      values(2:) = profile(kts:last_z + 1)
      values(1) = profile(max(kts - 1, kms))
    end function
  end subroutine

  !> The order of the value on the lower face of cells first - 1 to last + 1 of a domain of cells
  !> from ds to de - 1: it falls to 2 towards closed boundaries, and to 0 on them.
  pure function orders(first, last, ds, de, order, closed) result(values)
    integer, intent(in) :: first, last, ds, de, order
    logical, intent(in) :: closed
    real :: values(first - 1:last + 1)
    integer :: face, inside

    do face = first - 1, last + 1
      inside = min(face - ds, de - face)
      values(face) = order
      if (closed .and. inside <= 2) values(face) = merge(min(order, inside + 1), 0, inside > 0)
    end do
  end function
end module

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
! z_tendency are left as they are, as in WRF without tenddec.
module heddle_advect_scalar_pd
  use module_configure, only: grid_config_rec_type
  use wrf_columns_f, only: wrf_columns_scale, wrf_columns_limited_tendency, wrf_columns_ikj
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
    logical :: closed_x, closed_y
    integer :: last_x, last_y, last_z, w, e, s, n, first_i, last_i, first_j, last_j, below, above

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
    if (any(abs(msftx(w:e, s:n) - msfty(w:e, s:n)) > 1e-5 * msftx(w:e, s:n))) &
      call refuse('advect_scalar_pd', 'map factors that differ along x and y (msftx, msfty)')
    first_i = w - 3
    last_i = e + 3
    first_j = s - 3
    last_j = n + 3
    below = kts - kms
    above = kme - last_z

    allocate (keep(first_i:last_i, kms:kme, first_j:last_j), mass_old(first_i:last_i, first_j:last_j))
    keep = 1
    mass_old = mub(first_i:last_i, first_j:last_j) + mu_old(first_i:last_i, first_j:last_j)
    ! Levels beyond the column are read where the order of a face is lower, and not used: they are in memory.
    associate (i => [first_i, last_i], j => [first_j, last_j])
      call wrf_columns_scale(ru(i(1):i(2), :, j(1):j(2)), rv(i(1):i(2), :, j(1):j(2)), &
          rom(i(1):i(2), :, j(1):j(2)), mass_old, mut(i(1):i(2), j(1):j(2)), msftx(i(1):i(2), j(1):j(2)), &
          field(i(1):i(2), :, j(1):j(2)), field_old(i(1):i(2), :, j(1):j(2)), keep, &
          levels(c1), levels(c2), levels(rdzw), levels(fzm), levels(fzp), &
          orders(w, e, ids, ide, 5, closed_x), orders(s, n, jds, jde, 5, closed_y), &
          orders(kts, last_z, kds, kde, 3, .true.), dt, rdx, rdy, &
          ghosts=[w - first_i, s - first_j, below], ghosts_after=[last_i - e, last_j - n, above], &
          order=wrf_columns_ikj, trust_ghosts=.true.)
      call wrf_columns_limited_tendency(ru(i(1):i(2), :, j(1):j(2)), rv(i(1):i(2), :, j(1):j(2)), &
          rom(i(1):i(2), :, j(1):j(2)), mut(i(1):i(2), j(1):j(2)), msftx(i(1):i(2), j(1):j(2)), &
          field(i(1):i(2), :, j(1):j(2)), field_old(i(1):i(2), :, j(1):j(2)), keep, &
          tendency(i(1):i(2), :, j(1):j(2)), &
          levels(c1), levels(c2), levels(rdzw), levels(fzm), levels(fzp), &
          orders(its, last_x, ids, ide, 5, closed_x), orders(jts, last_y, jds, jde, 5, closed_y), &
          orders(kts, last_z, kds, kde, 3, .true.), dt, rdx, rdy, &
          ghosts=[its - first_i, jts - first_j, below], &
          ghosts_after=[last_i - last_x, last_j - last_y, above], &
          order=wrf_columns_ikj, trust_ghosts=.true.)
    end associate

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

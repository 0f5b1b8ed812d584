! SPDX-License-Identifier: Apache-2.0
! Assumed-shape sections through CFI descriptors: every third element, every second one backwards, any base.
! The section is the interior, its neighbours in the same stride are the ghost cells.
program from_fortran_assumed
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc, c_ptr
  implicit none
  interface
    integer(c_int) function diffuse_described(u_next, u, alpha) bind(c)
      import :: c_double, c_int
      real(c_double), intent(inout) :: u_next(:, :, :)
      real(c_double), intent(in) :: u(:, :, :)
      real(c_double), value :: alpha
    end function
    integer(c_int) function mix_described(g, f, beta) bind(c)
      import :: c_double, c_int
      real(c_double), intent(inout) :: g(:, :, :, :)
      real(c_double), intent(in) :: f(:, :, :, :)
      real(c_double), value :: beta
    end function
    ! whether the callee sees the caller's memory, and no copy of it
    integer(c_int) function begins_at(section, address) bind(c)
      import :: c_double, c_int, c_ptr
      real(c_double), intent(in) :: section(:, :, :)
      type(c_ptr), value :: address
    end function
  end interface
  real(c_double), parameter :: unset = huge(1.0_c_double)
  integer, parameter :: nx = 12, ny = 8, nz = 5
  ! x at 4, 7, 10, ..., 37 (ghosts at 1 and 40); y at 20, 18, ..., 6 (ghosts at 22 and 4); z at 2 ... 6
  real(c_double), target :: u(41, 23, 7), u_next(41, 23, 7), f(41, 23, 7, 4), g(41, 23, 7, 4)
  integer :: i, j, k, q, x, y, wrong

  do k = 1, 7
    do j = 1, 23
      do i = 1, 41
        u(i, j, k) = real(mod(37 * i + 101 * j + 7 * k, 211), c_double)
        do q = 1, 4
          f(i, j, k, q) = real(mod(53 * i + 89 * j + 11 * k + 17 * q, 199), c_double)
        end do
      end do
    end do
  end do
  u_next = unset
  g = unset
  wrong = 0

  if (begins_at(u_next(4:37:3, 20:6:-2, 2:6), c_loc(u_next(4, 20, 2))) /= 1) wrong = wrong + 1
  if (diffuse_described(u_next(4:37:3, 20:6:-2, 2:6), u(4:37:3, 20:6:-2, 2:6), 0.25_c_double) /= 0) &
    wrong = wrong + 1
  if (mix_described(g(4:37:3, 20:6:-2, 2:6, :), f(4:37:3, 20:6:-2, 2:6, :), 0.5_c_double) /= 0) &
    wrong = wrong + 1

  do k = 2, 6
    do y = 0, ny - 1
      j = 20 - 2 * y
      do x = 0, nx - 1
        i = 4 + 3 * x
        if (u_next(i, j, k) /= u(i, j, k) + 0.25_c_double * (u(i - 3, j, k) + u(i + 3, j, k) &
            + u(i, j + 2, k) + u(i, j - 2, k) + u(i, j, k - 1) + u(i, j, k + 1) &
            - 6.0_c_double * u(i, j, k))) &
          wrong = wrong + 1
        if (g(i, j, k, 1) /= f(i - 3, j, k, 2) + 0.5_c_double * f(i, j, k, 1)) wrong = wrong + 1
        if (g(i, j, k, 2) /= f(i, j - 2, k, 3) - 0.5_c_double * f(i, j, k, 2)) wrong = wrong + 1
        if (g(i, j, k, 3) /= f(i, j, k - 1, 4) + 0.5_c_double * f(i + 3, j, k, 3)) wrong = wrong + 1
        if (g(i, j, k, 4) /= f(i, j, k + 1, 1) - 0.5_c_double * f(i, j + 2, k, 4)) wrong = wrong + 1
      end do
    end do
  end do
  ! nothing else was written
  wrong = wrong + abs(count(u_next /= unset) + count(g /= unset) - 5 * nx * ny * nz)
  print '(i0, a)', wrong, ' mismatches'
  if (wrong /= 0) error stop 1
end program

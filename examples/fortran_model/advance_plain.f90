! SPDX-License-Identifier: Apache-2.0
! The routine as the model has it.
module advance_plain
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  private
  public :: advance

contains

  !> s_next = s after dt. One ghost layer around all arrays; u, v, w on the lower faces of cells.
  subroutine advance(s, s_next, k, u, v, w, dt, dx)
    real(c_double), intent(in), dimension(0:, 0:, 0:) :: s, k, u, v, w
    real(c_double), intent(inout) :: s_next(0:, 0:, 0:)
    real(c_double), intent(in) :: dt, dx
    real(c_double) :: dt_dx, half_per_dx, out_x, out_y, out_z
    integer :: x, y, z

    dt_dx = dt / dx
    half_per_dx = 0.5_c_double / dx
    do z = 1, ubound(s, 3) - 1
      do y = 1, ubound(s, 2) - 1
        do x = 1, ubound(s, 1) - 1
          out_x = flux(s(x, y, z), s(x+1, y, z), k(x, y, z), k(x+1, y, z), u(x+1, y, z)) &
              - flux(s(x-1, y, z), s(x, y, z), k(x-1, y, z), k(x, y, z), u(x, y, z))
          out_y = flux(s(x, y, z), s(x, y+1, z), k(x, y, z), k(x, y+1, z), v(x, y+1, z)) &
              - flux(s(x, y-1, z), s(x, y, z), k(x, y-1, z), k(x, y, z), v(x, y, z))
          out_z = flux(s(x, y, z), s(x, y, z+1), k(x, y, z), k(x, y, z+1), w(x, y, z+1)) &
              - flux(s(x, y, z-1), s(x, y, z), k(x, y, z-1), k(x, y, z), w(x, y, z))
          s_next(x, y, z) = s(x, y, z) - dt_dx * ((out_x + out_y) + out_z)
        end do
      end do
    end do

  contains

    pure real(c_double) function flux(left, right, k_left, k_right, speed)
      real(c_double), intent(in) :: left, right, k_left, k_right, speed

      flux = 0.5_c_double * (left + right) * speed - half_per_dx * (right - left) * (k_left + k_right)
    end function
  end subroutine
end module

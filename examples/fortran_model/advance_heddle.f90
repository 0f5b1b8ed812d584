! SPDX-License-Identifier: Apache-2.0
! The same routine with the kernel of model.py: the model's arrays as they are.
module advance_heddle
  use, intrinsic :: iso_c_binding, only: c_double
  use fortran_model_f, only: fortran_model_advance
  implicit none
  private
  public :: advance

contains

  subroutine advance(s, s_next, k, u, v, w, dt, dx)
    real(c_double), intent(in), dimension(0:, 0:, 0:) :: s, k, u, v, w
    real(c_double), intent(inout) :: s_next(0:, 0:, 0:)
    real(c_double), intent(in) :: dt, dx

    call fortran_model_advance(s, s_next, k, u, v, w, dt / dx, 0.5_c_double / dx, ghosts=[1, 1, 1])
  end subroutine
end module

! SPDX-License-Identifier: Apache-2.0
! heddle/projection/projection.h for Fortran: pressure projection on arrays of any index order. Each function
! is that of C; pass addresses with c_loc of the first interior element, and strides along x, y, z in
! elements.
module heddle_projection
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: heddle_periodic, heddle_wall, heddle_open
  public :: heddle_projection_create, heddle_projection_destroy, heddle_projection_apply
  public :: heddle_pressure_solve, heddle_divergence, heddle_message

  integer(c_int32_t), parameter :: heddle_periodic = 0, heddle_wall = 1, heddle_open = 2

  interface
    function heddle_projection_create(cells, width_x, width_y, heights, density, face_density, sides) &
        result(handle) bind(c, name='heddle_projection_create_f64')
      import :: c_ptr, c_int64_t, c_int32_t, c_double
      integer(c_int64_t), intent(in) :: cells(3)
      real(c_double), value :: width_x, width_y
      real(c_double), intent(in) :: heights(*), density(*), face_density(*)
      integer(c_int32_t), intent(in) :: sides(6)
      type(c_ptr) :: handle
    end function

    subroutine heddle_projection_destroy(handle) bind(c, name='heddle_projection_destroy_f64')
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine

    integer(c_int) function heddle_projection_apply(handle, u, v, w, stride, step) &
        bind(c, name='heddle_projection_apply_f64')
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: handle, u, v, w
      integer(c_int64_t), intent(in) :: stride(3)
      real(c_double), value :: step
    end function

    integer(c_int) function heddle_pressure_solve(handle, field, stride) &
        bind(c, name='heddle_pressure_solve_f64')
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: handle, field
      integer(c_int64_t), intent(in) :: stride(3)
    end function

    real(c_double) function heddle_divergence(handle, u, v, w, stride) bind(c, name='heddle_divergence_f64')
      import :: c_ptr, c_int64_t, c_double
      type(c_ptr), value :: handle, u, v, w
      integer(c_int64_t), intent(in) :: stride(3)
    end function

    function heddle_projection_error() result(text) bind(c, name='heddle_projection_error')
      import :: c_ptr
      type(c_ptr) :: text
    end function

    integer(c_size_t) function length_of(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  !> What went wrong last.
  function heddle_message() result(message)
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: text
    integer :: i

    text = heddle_projection_error()
    call c_f_pointer(text, letters, [length_of(text)])
    allocate(character(len=size(letters)) :: message)
    do i = 1, size(letters)
      message(i:i) = letters(i)
    end do
  end function
end module

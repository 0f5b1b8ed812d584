! SPDX-License-Identifier: Apache-2.0
! The flat entries as Fortran sees them: an element by reference, extents and strides in elements.
module embedding_interface
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  interface
    integer(c_int) function embedding_diffuse_f64(u, u_extent, u_stride, u_next, u_next_extent, &
                                                  u_next_stride, alpha) bind(c)
      import :: c_double, c_int, c_int64_t
      real(c_double), intent(inout) :: u_next(*)
      integer(c_int64_t), intent(in) :: u_next_extent(3), u_next_stride(3)
      real(c_double), intent(in) :: u(*)
      integer(c_int64_t), intent(in) :: u_extent(3), u_stride(3)
      real(c_double), value :: alpha
    end function
    integer(c_int) function embedding_mix_f64(f, f_extent, f_stride, g, g_extent, g_stride, beta) bind(c)
      import :: c_double, c_int, c_int64_t
      real(c_double), intent(inout) :: g(*)
      integer(c_int64_t), intent(in) :: g_extent(4), g_stride(4)
      real(c_double), intent(in) :: f(*)
      integer(c_int64_t), intent(in) :: f_extent(4), f_stride(4)
      real(c_double), value :: beta
    end function
  end interface
end module

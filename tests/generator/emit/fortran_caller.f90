! SPDX-License-Identifier: Apache-2.0
! Calls the emitted module of test_fortran.py: arrays of a device by directives, which here is the host.
module device
  use, intrinsic :: iso_c_binding
  use worded_f, only: worded_mix_f64, worded_norm_f64
  implicit none
  type(c_ptr) :: seen_stream = c_null_ptr

contains

  !> In place of the launcher: the kernel of the CPU, so addresses are those of the host.
  integer(c_int) function launch_mix(size, size_extent, size_stride, plane, plane_extent, &
      plane_stride, low, low_extent, low_stride, high, high_extent, high_stride, weight, seven, stream) &
      bind(c, name='worded_mix_f64_cuda')
    type(c_ptr), value :: size, plane, low, high, weight, stream
    integer(c_int64_t), intent(in) :: size_extent(4), size_stride(4), plane_extent(2), plane_stride(2)
    integer(c_int64_t), intent(in) :: low_extent(3), low_stride(3), high_extent(3), high_stride(3)
    real(c_double), value :: seven

    seen_stream = stream
    launch_mix = worded_mix_f64(size, size_extent, size_stride, plane, plane_extent, &
        plane_stride, low, low_extent, low_stride, high, high_extent, high_stride, weight, seven)
  end function

  integer(c_int) function launch_norm(u, u_extent, u_stride, largest, largest_work, total, &
      total_work, stream) bind(c, name='worded_norm_f64_cuda')
    type(c_ptr), value :: u, largest, largest_work, total, total_work, stream
    integer(c_int64_t), intent(in) :: u_extent(3), u_stride(3)

    seen_stream = stream
    launch_norm = worded_norm_f64(u, u_extent, u_stride, largest, largest_work, total, total_work)
  end function
end module

program fortran_caller
  use, intrinsic :: iso_c_binding
  use worded_f
  use device, only: seen_stream
  implicit none
  integer, parameter :: nx = 7, ny = 5, nz = 4
  real(c_double) :: cells(0:nx+1, 0:nz+1, 0:ny+1, 2), plane(0:nx+1, 0:ny+1), high(0:nx+1, 0:nz+1, 0:ny+1)
  real(c_double) :: low(0:nx+1, 0:nz+1, 0:ny+1), wanted(0:nx+1, 0:nz+1, 0:ny+1), weight(-1:nz+2)
  real(c_double) :: largest, total, on_device(1), on_device_2(1), work(100), work_2(100)
  integer, target :: mark
  integer :: i, j, k, status

  call random_number(cells)
  cells = anint(100 * cells) ! sums are exact
  do k = -1, nz + 2
    weight(k) = k + 2
  end do
  do j = 0, ny + 1
    plane(:, j) = [(real(3 * i + j, c_double), i = 0, nx + 1)]
  end do
  high = -1
  low = -1
  wanted = -1
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        wanted(i, k, j) = cells(i-1, k, j, 2) + 7 * plane(i, j+1) + weight(k+2)
      end do
    end do
  end do

  !$acc data copyin(cells, plane, weight) copy(low, high) copy(on_device, on_device_2) create(work, work_2)
  !$omp target data map(to: cells, plane, weight) map(tofrom: low, high, on_device, on_device_2) &
  !$omp   map(alloc: work, work_2)
  call worded_mix_cuda(cells, plane, low, high, weight, 7.0_c_double, [1, 1, 1], order=worded_ikj, &
      stream=c_loc(mark), status=status)
  call check(status == worded_ok .and. c_associated(seen_stream, c_loc(mark)), 'the launcher')
  call check(all(high == wanted), 'what the launcher was given')
  call worded_norm_cuda(cells(:, :, :, 1), on_device, work, on_device_2, work_2, [1, 1, 1], order=worded_ikj)
  call check(.not. c_associated(seen_stream), 'the default stream')
  !$omp end target data
  !$acc end data
  call check(on_device(1) == maxval(cells(1:nx, 1:nz, 1:ny, 1)), 'a result on the device')
  call check(on_device_2(1) == sum(cells(1:nx, 1:nz, 1:ny, 1)), 'another result on the device')

  high = -1
  call worded_mix(cells, plane, low, high, weight, 7.0_c_double, [1, 1, 1], order=worded_ikj)
  call check(all(high == wanted), 'the kernel of the CPU')
  call worded_norm(cells(:, :, :, 1), largest, total, [1, 1, 1], order=worded_ikj)
  call check(largest == maxval(cells(1:nx, 1:nz, 1:ny, 1)) .and. total == sum(cells(1:nx, 1:nz, 1:ny, 1)), &
      'a sum with scratch of its own')

  call worded_mix(cells, plane, low, high, weight(:nz), 7.0_c_double, [1, 1, 1], order=worded_ikj, &
      status=status)
  call check(status == worded_wrong_extent, 'a short profile')
  call worded_mix(cells, plane, low, high, weight(nz+2:-1:-1), 7.0_c_double, [1, 1, 1], order=worded_ikj, &
      status=status)
  call check(status == worded_wrong_stride, 'a profile backwards')

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (.not. holds) then
      print '(2a)', 'wrong: ', what
      error stop 1
    end if
  end subroutine
end program

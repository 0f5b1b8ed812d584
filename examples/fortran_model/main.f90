! SPDX-License-Identifier: Apache-2.0
! A small model in Fortran: a plume that a vortex turns and turbulence mixes, in a closed box.
!
!   fortran_model plain|heddle|both [CELLS [STEPS [FILE]]]
!
! plain: the model's own routine; heddle: the generated one; both: each in turn, bits compared in every step.
! FILE receives the scalar at the end: the same bytes from all.
program fortran_model
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use advance_plain, only: plain => advance
  use advance_heddle, only: heddle => advance
  implicit none

  real(c_double), parameter :: dx = 10, dt = 2, pi = 3.14159265358979_c_double
  real(c_double), allocatable, dimension(:, :, :) :: s, s_next, s_other, k, u, v, w
  real(c_double), allocatable :: seconds(:, :) ! of each step: the plain routine, the generated one
  real(c_double) :: before, after
  integer :: n, steps, step
  character(len=200) :: which, file

  call get_command_argument(1, which)
  if (which /= 'plain' .and. which /= 'heddle' .and. which /= 'both') &
    error stop 'usage: fortran_model plain|heddle|both [CELLS [STEPS [FILE]]]'
  n = number(2, 64)
  steps = number(3, 100)
  if (n < 2 .or. steps < 0) error stop 'CELLS is at least 2 and STEPS at least 0'
  call get_command_argument(4, file)
  call begin()
  before = sum(s(1:n, 1:n, 1:n))
  allocate (seconds(steps, 2), source=0.0_c_double)
  do step = 1, steps
    call close_box(s)
    if (which == 'plain' .or. (which == 'both' .and. mod(step, 2) == 0)) seconds(step, 1) = timed(plain)
    if (which == 'both' .and. mod(step, 2) == 0) s_other = s_next
    if (which /= 'plain') seconds(step, 2) = timed(heddle)
    if (which == 'both' .and. mod(step, 2) == 1) then
      s_other = s_next
      seconds(step, 1) = timed(plain) ! in every second step after the other one, whose cache it finds
    end if
    if (which == 'both') call compare()
    s(1:n, 1:n, 1:n) = s_next(1:n, 1:n, 1:n)
  end do
  after = sum(s(1:n, 1:n, 1:n))
  if (steps > 0 .and. which /= 'heddle') print '(a, f8.2, a)', 'plain:', 1e9_c_double &
      * minval(seconds(:, 1)) / real(n, c_double)**3, ' ns per cell in the fastest step'
  if (steps > 0 .and. which /= 'plain') print '(a, f8.2, a)', 'heddle:', 1e9_c_double &
      * minval(seconds(:, 2)) / real(n, c_double)**3, ' ns per cell in the fastest step'
  if (steps > 0 .and. which == 'both') print '(a, i0, a, f6.3)', 'the same bits in ', steps, &
      ' steps; heddle takes this part of the time of plain (median):', &
      median(seconds(:, 2) / seconds(:, 1))
  print '(a, f9.6, a, es8.1)', 'largest value', maxval(s(1:n, 1:n, 1:n)), ', change of the sum', &
      after / before - 1
  if (.not. abs(after / before - 1) < 1e-12_c_double) error stop 'the sum changed'
  if (file /= '') then
    open (unit=10, file=file, access='stream', form='unformatted', status='replace')
    write (10) s(1:n, 1:n, 1:n)
    close (10)
  end if

contains

  !> A step from s to s_next by one of the routines, in seconds.
  real(c_double) function timed(advance)
    procedure(plain) :: advance
    integer(c_int64_t) :: start, finish, rate

    call system_clock(start, rate)
    call advance(s, s_next, k, u, v, w, dt, dx)
    call system_clock(finish)
    timed = real(finish - start, c_double) / real(rate, c_double)
  end function

  !> Stops where a bit of s_next is not that of the other routine.
  subroutine compare()
    integer(c_int64_t), parameter :: bits(1) = [0_c_int64_t]

    if (any(transfer(s_next, bits) /= transfer(s_other, bits))) error stop 'the routines differ'
  end subroutine

  real(c_double) function median(values)
    real(c_double), intent(in) :: values(:)
    logical :: left(size(values))
    integer :: place

    left = .true.
    do place = 1, (size(values) + 1) / 2
      median = minval(values, mask=left)
      left(minloc(values, mask=left)) = .false.
    end do
  end function

  integer function number(position, default)
    integer, intent(in) :: position, default
    character(len=40) :: word

    number = default
    if (command_argument_count() < position) return
    call get_command_argument(position, word)
    read (word, *) number
  end function

  !> A plume beside the axis of a vortex whose speeds at the walls are zero.
  subroutine begin()
    integer :: x, y, z

    allocate (s(0:n+1, 0:n+1, 0:n+1), s_next(0:n+1, 0:n+1, 0:n+1), s_other(0:n+1, 0:n+1, 0:n+1))
    allocate (k(0:n+1, 0:n+1, 0:n+1))
    allocate (u(0:n+1, 0:n+1, 0:n+1), v(0:n+1, 0:n+1, 0:n+1), w(0:n+1, 0:n+1, 0:n+1))
    s_next = 0
    w = 0
    do z = 0, n + 1
      do y = 0, n + 1
        do x = 0, n + 1
          s(x, y, z) = exp(-((x - 0.3_c_double * n)**2 + (y - 0.5_c_double * n)**2 + (z &
              - 0.4_c_double * n)**2) &
              / (0.01_c_double * n**2))
          k(x, y, z) = 2 + real(z, c_double) / n
          u(x, y, z) = stream(x - 1, y) - stream(x - 1, y - 1)
          v(x, y, z) = stream(x - 1, y - 1) - stream(x, y - 1)
        end do
      end do
    end do
  end subroutine

  !> At the corner above cell (x, y); zero on the walls.
  real(c_double) function stream(x, y)
    integer, intent(in) :: x, y

    stream = 0
    if (x > 0 .and. x < n .and. y > 0 .and. y < n) stream = n / pi * sin(pi * x / n) * sin(pi * y / n)
  end function

  !> Nothing mixes through the walls.
  subroutine close_box(f)
    real(c_double), intent(inout) :: f(0:, 0:, 0:)

    f(0, :, :) = f(1, :, :)
    f(n+1, :, :) = f(n, :, :)
    f(:, 0, :) = f(:, 1, :)
    f(:, n+1, :) = f(:, n, :)
    f(:, :, 0) = f(:, :, 1)
    f(:, :, n+1) = f(:, :, n)
  end subroutine
end program

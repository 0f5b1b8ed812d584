! SPDX-License-Identifier: Apache-2.0
! A host in Fortran calls the kernel of a mechanism once per time step: c(cells, species), as it is.
module reactions_interface
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t
  implicit none
  interface
    integer(c_int) function reactions_robertson_f64(concentration, concentration_extent, &
        concentration_stride, temperature, temperature_extent, temperature_stride, pressure, &
        pressure_extent, pressure_stride, step, step_extent, step_stride, outcome, outcome_extent, &
        outcome_stride, steps, steps_extent, steps_stride, absolute_tolerance, interval, &
        relative_tolerance) bind(c)
      import :: c_double, c_int, c_int32_t, c_int64_t
      real(c_double), intent(inout) :: concentration(*), step(*)
      real(c_double), intent(in) :: temperature(*), pressure(*)
      integer(c_int32_t), intent(out) :: outcome(*)
      integer(c_int64_t), intent(out) :: steps(*)
      integer(c_int64_t), intent(in) :: concentration_extent(2), concentration_stride(2)
      integer(c_int64_t), intent(in) :: temperature_extent(1), temperature_stride(1)
      integer(c_int64_t), intent(in) :: pressure_extent(1), pressure_stride(1)
      integer(c_int64_t), intent(in) :: step_extent(1), step_stride(1)
      integer(c_int64_t), intent(in) :: outcome_extent(1), outcome_stride(1)
      integer(c_int64_t), intent(in) :: steps_extent(1), steps_stride(1)
      real(c_double), value :: absolute_tolerance, interval, relative_tolerance
    end function
    integer(c_int) function reactions_each_f64(concentration, concentration_extent, &
        concentration_stride, temperature, temperature_extent, temperature_stride, pressure, &
        pressure_extent, pressure_stride, step, step_extent, step_stride, outcome, outcome_extent, &
        outcome_stride, steps, steps_extent, steps_stride, absolute_tolerance, interval, &
        relative_tolerance) bind(c)
      import :: c_double, c_int, c_int32_t, c_int64_t
      real(c_double), intent(inout) :: concentration(*), step(*)
      real(c_double), intent(in) :: temperature(*), pressure(*)
      integer(c_int32_t), intent(out) :: outcome(*)
      integer(c_int64_t), intent(out) :: steps(*)
      integer(c_int64_t), intent(in) :: concentration_extent(2), concentration_stride(2)
      integer(c_int64_t), intent(in) :: temperature_extent(1), temperature_stride(1)
      integer(c_int64_t), intent(in) :: pressure_extent(1), pressure_stride(1)
      integer(c_int64_t), intent(in) :: step_extent(1), step_stride(1)
      integer(c_int64_t), intent(in) :: outcome_extent(1), outcome_stride(1)
      integer(c_int64_t), intent(in) :: steps_extent(1), steps_stride(1)
      real(c_double), intent(in) :: absolute_tolerance(*) ! one per species
      real(c_double), value :: interval, relative_tolerance
    end function
  end interface
end module

program from_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t
  use reactions_interface
  implicit none
  integer, parameter :: cells = 5, species = 3
  real(c_double) :: c(cells, species), temperature(cells), pressure(cells), step(cells)
  integer(c_int32_t) :: outcome(cells)
  integer(c_int64_t) :: steps(cells)
  integer(c_int64_t) :: extent(2), stride(2)
  real(c_double), parameter :: wanted(species) = [7.1582e-1_c_double, 9.1851e-6_c_double, 2.8417e-1_c_double]
  integer :: call_number, s
  integer(c_int) :: status

  c = 0
  c(:, 1) = 1
  temperature = 298.15_c_double
  pressure = 101325
  step = 0 ! no cell remembers one
  extent = [int(cells, c_int64_t), int(species, c_int64_t)]
  stride = [1_c_int64_t, int(cells, c_int64_t)]
  do call_number = 1, 10
    status = reactions_robertson_f64(c, extent, stride, temperature, extent, stride, pressure, extent, &
                                     stride, step, extent, stride, outcome, extent, stride, steps, extent, &
                                     stride, 1e-14_c_double, 4.0_c_double, 1e-7_c_double)
    if (status /= 0) error stop 'the kernel refused its arguments'
    if (any(outcome /= 0)) error stop 'a cell failed'
  end do
  do s = 1, species
    if (any(abs(c(:, s) - wanted(s)) > 2e-4_c_double * wanted(s))) error stop 'a concentration is wrong'
  end do
  if (any(step <= 0)) error stop 'a cell remembers no step'
  c = 0
  c(:, 1) = 1
  step = 0
  status = reactions_each_f64(c, extent, stride, temperature, extent, stride, pressure, extent, stride, &
                              step, extent, stride, outcome, extent, stride, steps, extent, stride, &
                              [1e-9_c_double, 1e-14_c_double, 1e-9_c_double], 40.0_c_double, 1e-7_c_double)
  if (status /= 0 .or. any(outcome /= 0)) error stop 'a cell failed with a tolerance per species'
  do s = 1, species
    if (any(abs(c(:, s) - wanted(s)) > 2e-4_c_double * wanted(s))) error stop 'a tolerance is not used'
  end do
end program

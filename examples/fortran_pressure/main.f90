! SPDX-License-Identifier: Apache-2.0
! The pressure of a flow solver in Fortran whose arrays have PALM's shape: index k (height) fastest, ghost
! cells around, w on the upper faces of cells, stretched levels, a density profile. Nothing is copied into
! arrays of another shape: the velocities are corrected where they lie. What comes out is checked with a
! divergence written here.
program fortran_pressure
  use, intrinsic :: iso_c_binding
  use heddle_projection
  implicit none

  integer, parameter :: nxl = 0, nxr = 23, nys = 0, nyn = 17, nzb = 0, nzt = 16, ghosts = 3
  real(c_double), parameter :: dx = 50, dy = 40, dt = 2
  real(c_double), target :: u(nzb:nzt+1, nys-ghosts:nyn+ghosts, nxl-ghosts:nxr+ghosts)
  real(c_double), target :: v(nzb:nzt+1, nys-ghosts:nyn+ghosts, nxl-ghosts:nxr+ghosts)
  real(c_double), target :: w(nzb:nzt+1, nys-ghosts:nyn+ghosts, nxl-ghosts:nxr+ghosts)
  real(c_double), target :: tend(nzb:nzt+1, nys-ghosts:nyn+ghosts, nxl-ghosts:nxr+ghosts)
  real(c_double), target :: expected(nzb:nzt+1, nys-ghosts:nyn+ghosts, nxl-ghosts:nxr+ghosts)
  real(c_double) :: dzw(nzb+1:nzt), rho(nzb+1:nzt), rho_w(nzb:nzt)
  integer(c_int64_t) :: cells(3), stride(3)
  real(c_double) :: before, after, largest
  type(c_ptr) :: projection
  integer :: i, j, k

  do k = nzb+1, nzt
    dzw(k) = 20 * 1.04_c_double**(k - nzb - 1)
    rho(k) = 1.2_c_double * exp(-(k - 0.5_c_double) / 40)
  end do
  do k = nzb, nzt
    rho_w(k) = 1.2_c_double * exp(-k / 40.0_c_double)
  end do
  call random_seed(put=[(17 + i, i=1, 64)])
  call random_number(u)
  call random_number(v)
  call random_number(w)
  w(nzb, :, :) = 0 ! the ground and the lid
  w(nzt, :, :) = 0
  call exchange(u)
  call exchange(v)
  call exchange(w)

  cells = [nxr - nxl + 1, nyn - nys + 1, nzt - nzb]
  stride = [size(u, 1) * size(u, 2), size(u, 1), 1]
  projection = heddle_projection_create(cells, dx, dy, dzw, rho, rho_w, &
      [heddle_periodic, heddle_periodic, heddle_periodic, heddle_periodic, heddle_wall, heddle_wall])
  if (.not. c_associated(projection)) call give_up()

  ! The whole projection. The lower face of the first cell is w(nzb), the face below it in PALM's counting.
  before = divergence()
  if (heddle_projection_apply(projection, c_loc(u(nzb+1, nys, nxl)), c_loc(v(nzb+1, nys, nxl)), &
      c_loc(w(nzb, nys, nxl)), stride, dt) /= 0) call give_up()
  call exchange(u)
  call exchange(v)
  after = divergence()
  print '(a, es9.2, a, es9.2)', 'largest divergence before', before, ', after', after
  if (.not. after < 1e-14_c_double * before) error stop 'the velocity is not free of divergence'

  ! The solver alone, in place: the equation of a known pressure gives it back, up to a constant.
  call random_number(expected)
  call exchange(expected)
  call apply_operator(expected, tend)
  if (heddle_pressure_solve(projection, c_loc(tend(nzb+1, nys, nxl)), stride) /= 0) call give_up()
  associate (p => tend(nzb+1:nzt, nys:nyn, nxl:nxr), e => expected(nzb+1:nzt, nys:nyn, nxl:nxr))
    largest = maxval(abs(p - e - sum(p - e) / size(p)))
  end associate
  print '(a, es9.2)', 'largest error of the pressure', largest
  if (.not. largest < 1e-12_c_double) error stop 'the pressure is wrong'

  ! Errors come back as text.
  if (heddle_projection_apply(projection, c_null_ptr, c_loc(v(nzb+1, nys, nxl)), c_loc(w(nzb, nys, nxl)), &
      stride, dt) == 0) error stop 'a null pointer was taken'
  if (heddle_message() /= 'heddle_projection_apply: u is null') error stop 'another message than expected'
  call heddle_projection_destroy(projection)

contains

  subroutine give_up()
    print '(a)', heddle_message()
    error stop 'heddle refused'
  end subroutine

  !> Cyclic ghost cells along x and y.
  subroutine exchange(f)
    real(c_double), intent(inout) :: f(nzb:, nys-ghosts:, nxl-ghosts:)
    integer :: g
    do g = 1, ghosts
      f(:, nys-g, :) = f(:, nyn+1-g, :)
      f(:, nyn+g, :) = f(:, nys-1+g, :)
    end do
    do g = 1, ghosts
      f(:, :, nxl-g) = f(:, :, nxr+1-g)
      f(:, :, nxr+g) = f(:, :, nxl-1+g)
    end do
  end subroutine

  real(c_double) function divergence()
    divergence = 0
    do i = nxl, nxr
      do j = nys, nyn
        do k = nzb+1, nzt
          divergence = max(divergence, abs(rho(k) * ((u(k, j, i+1) - u(k, j, i)) / dx &
              + (v(k, j+1, i) - v(k, j, i)) / dy) &
              + (rho_w(k) * w(k, j, i) - rho_w(k-1) * w(k-1, j, i)) / dzw(k)))
        end do
      end do
    end do
  end function

  !> div grad p with closed ends.
  subroutine apply_operator(p, result)
    real(c_double), intent(in) :: p(nzb:, nys-ghosts:, nxl-ghosts:)
    real(c_double), intent(inout) :: result(nzb:, nys-ghosts:, nxl-ghosts:)
    real(c_double) :: flux(nzb:nzt)
    flux(nzb) = 0
    flux(nzt) = 0
    do i = nxl, nxr
      do j = nys, nyn
        do k = nzb+1, nzt-1
          flux(k) = rho_w(k) * (p(k+1, j, i) - p(k, j, i)) / (0.5_c_double * (dzw(k) + dzw(k+1)))
        end do
        do k = nzb+1, nzt
          result(k, j, i) = rho(k) * ((p(k, j, i+1) - 2 * p(k, j, i) + p(k, j, i-1)) / dx**2 &
              + (p(k, j+1, i) - 2 * p(k, j, i) + p(k, j-1, i)) / dy**2) + (flux(k) - flux(k-1)) / dzw(k)
        end do
      end do
    end do
  end subroutine
end program

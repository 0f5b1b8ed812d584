! SPDX-License-Identifier: Apache-2.0
! The emitted module: whole arrays of Fortran, in three orders of the indices, contiguous or not.
program from_fortran_module
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int64_t, c_loc
  use embedding_f
  implicit none
  real(c_double), parameter :: unset = huge(1.0_c_double)
  integer, parameter :: nx = 12, ny = 8, nz = 5
  real(c_double) :: u_ijk(nx+2, ny+2, nz+2), expected(nx+2, ny+2, nz+2)
  real(c_double) :: f_ijk(nx+2, ny+2, nz+2, 4), mixed(nx+2, ny+2, nz+2, 4)
  integer :: i, j, k, q, wrong

  do k = 1, nz + 2
    do j = 1, ny + 2
      do i = 1, nx + 2
        u_ijk(i, j, k) = real(mod(37 * i + 101 * j + 7 * k, 211), c_double)
        do q = 1, 4
          f_ijk(i, j, k, q) = real(mod(53 * i + 89 * j + 11 * k + 17 * q, 199), c_double)
        end do
      end do
    end do
  end do
  expected = unset
  mixed = unset
  do k = 2, nz + 1
    do j = 2, ny + 1
      do i = 2, nx + 1
        expected(i, j, k) = u_ijk(i, j, k) + 0.25_c_double * (u_ijk(i-1, j, k) + u_ijk(i+1, j, k) &
            + u_ijk(i, j-1, k) + u_ijk(i, j+1, k) + u_ijk(i, j, k-1) + u_ijk(i, j, k+1) &
            - 6.0_c_double * u_ijk(i, j, k))
        mixed(i, j, k, 1) = f_ijk(i-1, j, k, 2) + 0.5_c_double * f_ijk(i, j, k, 1)
        mixed(i, j, k, 2) = f_ijk(i, j+1, k, 3) - 0.5_c_double * f_ijk(i, j, k, 2)
        mixed(i, j, k, 3) = f_ijk(i, j, k-1, 4) + 0.5_c_double * f_ijk(i+1, j, k, 3)
        mixed(i, j, k, 4) = f_ijk(i, j, k+1, 1) - 0.5_c_double * f_ijk(i, j-1, k, 4)
      end do
    end do
  end do
  wrong = 0
  call x_fastest()
  call as_wrf()
  call as_palm()
  call strided()
  call single_precision()
  call refused()
  call cost()
  print '(i0, a)', wrong, ' mismatches'
  if (wrong /= 0) error stop 1

contains

  subroutine x_fastest()
    real(c_double) :: u_next(nx+2, ny+2, nz+2), g(nx+2, ny+2, nz+2, 4)

    u_next = unset
    g = unset
    call embedding_diffuse(u_ijk, u_next, 0.25_c_double, ghosts=[1, 1, 1])
    call embedding_mix(f_ijk, g, 0.5_c_double, ghosts=[1, 1, 1])
    wrong = wrong + count(u_next /= expected) + count(g /= mixed)
  end subroutine

  !> u(ims:ime, kms:kme, jms:jme)
  subroutine as_wrf()
    real(c_double) :: u(-1:nx+3, 1:nz+2, 0:ny+1), u_next(-1:nx+3, 1:nz+2, 0:ny+1)
    real(c_double) :: f(-1:nx+3, 1:nz+2, 0:ny+1, 4), g(-1:nx+3, 1:nz+2, 0:ny+1, 4)
    integer :: status

    u = unset
    f = unset
    u_next = unset
    g = unset
    do j = 1, ny + 2
      u(0:nx+1, :, j-1) = u_ijk(:, j, :)
      f(0:nx+1, :, j-1, :) = f_ijk(:, j, :, :)
    end do
    ! the interior begins at i = 1: two layers before it, three behind
    call embedding_diffuse(u, u_next, 0.25_c_double, ghosts=[2, 1, 1], ghosts_after=[3, 1, 1], &
                           order=embedding_ikj, status=status)
    if (status /= embedding_ok) wrong = wrong + 1
    call embedding_mix(f, g, 0.5_c_double, [2, 1, 1], [3, 1, 1], embedding_ikj, status=status)
    if (status /= embedding_ok) wrong = wrong + 1
    do j = 1, ny + 2
      wrong = wrong + count(u_next(0:nx+1, :, j-1) /= expected(:, j, :))
      wrong = wrong + count(g(0:nx+1, :, j-1, :) /= mixed(:, j, :, :))
    end do
    wrong = wrong + abs(count(u_next /= unset) - nx * ny * nz)
  end subroutine

  !> u(nzb:nzt+1, nysg:nyng, nxlg:nxrg), with three ghost layers at the sides
  subroutine as_palm()
    integer, parameter :: ghosts(3) = [3, 3, 1]
    real(c_double) :: u(0:nz+1, -2:ny+3, -2:nx+3), u_next(0:nz+1, -2:ny+3, -2:nx+3)

    u = unset
    u_next = unset
    do i = 1, nx + 2
      do j = 1, ny + 2
        u(:, j-1, i-1) = u_ijk(i, j, :)
      end do
    end do
    call embedding_diffuse(u, u_next, 0.25_c_double, ghosts, order=embedding_kji)
    do i = 1, nx + 2
      do j = 1, ny + 2
        wrong = wrong + count(u_next(:, j-1, i-1) /= expected(i, j, :))
      end do
    end do
    wrong = wrong + abs(count(u_next /= unset) - nx * ny * nz)
  end subroutine

  !> Every third element, every second one backwards: sections, of which no copy is made.
  subroutine strided()
    real(c_double) :: u(3*(nx+2), 2*(ny+2), nz+2), u_next(3*(nx+2), 2*(ny+2), nz+2)

    u = unset
    u_next = unset
    u(::3, 2*(ny+2):2:-2, :) = u_ijk
    call embedding_diffuse(u(::3, 2*(ny+2):2:-2, :), u_next(::3, 2*(ny+2):2:-2, :), 0.25_c_double, [1, 1, 1])
    wrong = wrong + count(u_next(::3, 2*(ny+2):2:-2, :) /= expected)
    wrong = wrong + abs(count(u_next /= unset) - nx * ny * nz)

    ! the interior alone: its neighbours lie at the same stride
    u_next = unset
    call embedding_diffuse(u(4:3*nx+1:3, 2*(ny+1):4:-2, 2:nz+1), u_next(4:3*nx+1:3, 2*(ny+1):4:-2, 2:nz+1), &
                           0.25_c_double, [0, 0, 0], trust_ghosts=.true.)
    wrong = wrong + count(u_next(::3, 2*(ny+2):2:-2, :) /= expected)
    wrong = wrong + abs(count(u_next /= unset) - nx * ny * nz)
  end subroutine

  !> The name is the same: the arrays choose.
  subroutine single_precision()
    real(c_float) :: u(nx+2, ny+2, nz+2), u_next(nx+2, ny+2, nz+2)

    u = real(u_ijk, c_float)
    u_next = 0
    call embedding_diffuse(u, u_next, 0.25_c_float, [1, 1, 1])
    wrong = wrong + count(u_next(2:nx+1, 2:ny+1, 2:nz+1) /= real(expected(2:nx+1, 2:ny+1, 2:nz+1), c_float))
  end subroutine

  !> What does not suit is not touched, and the status says why.
  subroutine refused()
    real(c_double) :: u_next(nx+2, ny+2, nz+2), g(nx+2, ny+2, nz+2, 5)
    integer :: status

    u_next = unset
    g = unset
    call embedding_diffuse(u_ijk, u_next, 0.25_c_double, [1, 0, 1], status=status)
    call expect(status, embedding_few_ghosts)
    call embedding_diffuse(u_ijk, u_next, 0.25_c_double, [1, 1, 1], [1, 1, 0], status=status)
    call expect(status, embedding_few_ghosts)
    call embedding_diffuse(u_ijk, u_next(:, :, :nz+1), 0.25_c_double, [1, 1, 1], status=status)
    call expect(status, embedding_wrong_extent)
    call embedding_diffuse(u_ijk(:2, :, :), u_next(:2, :, :), 0.25_c_double, [1, 1, 1], status=status)
    call expect(status, embedding_wrong_extent)
    call embedding_diffuse(u_ijk(:0, :, :), u_next(:0, :, :), 0.25_c_double, [1, 1, 1], status=status)
    call expect(status, embedding_wrong_extent)
    call embedding_diffuse(u_ijk, u_next, 0.25_c_double, [1, 1, 1], order=[1, 3, 3], status=status)
    call expect(status, embedding_wrong_order)
    call embedding_diffuse(u_next, u_next, 0.25_c_double, [1, 1, 1], status=status)
    call expect(status, embedding_overlap)
    call embedding_mix(f_ijk, g, 0.5_c_double, [1, 1, 1], status=status)
    call expect(status, embedding_wrong_extent) ! five components
    wrong = wrong + count(u_next /= unset) + count(g /= unset)
    if (embedding_message(embedding_wrong_order) /= 'order does not name each axis once') wrong = wrong + 1
  end subroutine

  !> What the subroutine adds to the entry, for one cell; and the kernel itself at 64^3.
  subroutine cost()
    integer, parameter :: calls = 2000, n = 64
    real(c_double), target :: u(3, 3, 3), u_next(3, 3, 3)
    real(c_double), allocatable :: large(:, :, :), large_next(:, :, :)
    integer(c_int64_t) :: start, middle, finish, rate, large_ticks, ticks(2)
    integer :: call_number, repeat, status

    u = 1
    u_next = 0
    allocate (large(n+2, n+2, n+2), large_next(n+2, n+2, n+2), source=1.0_c_double)
    ticks = huge(ticks)
    large_ticks = huge(large_ticks)
    do repeat = 1, 20
      call system_clock(start, rate)
      do call_number = 1, calls
        status = embedding_diffuse_f64(c_loc(u(2, 2, 2)), [1_c_int64_t, 1_c_int64_t, 1_c_int64_t], &
            [1_c_int64_t, 3_c_int64_t, 9_c_int64_t], c_loc(u_next(2, 2, 2)), &
            [1_c_int64_t, 1_c_int64_t, 1_c_int64_t], [1_c_int64_t, 3_c_int64_t, 9_c_int64_t], 0.25_c_double)
      end do
      call system_clock(middle)
      do call_number = 1, calls
        call embedding_diffuse(u, u_next, 0.25_c_double, [1, 1, 1], status=status)
      end do
      call system_clock(finish)
      ticks = min(ticks, [middle - start, finish - middle])
      call embedding_diffuse(large, large_next, 0.25_c_double, [1, 1, 1], status=status)
      call system_clock(middle)
      large_ticks = min(large_ticks, middle - finish)
    end do
    print '(a, f7.1, a, f7.1, a, f7.1, a)', 'entry', ticks(1) * 1d9 / rate / calls, ' ns, subroutine', &
        ticks(2) * 1d9 / rate / calls, ' ns for one cell; 64^3:', large_ticks * 1d6 / rate, ' us'
  end subroutine

  subroutine expect(status, wanted)
    integer, intent(in) :: status, wanted

    if (status == wanted) return
    print '(a, i0, a, i0)', 'status ', status, ' instead of ', wanted
    wrong = wrong + 1
  end subroutine
end program

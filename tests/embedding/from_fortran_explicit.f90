! SPDX-License-Identifier: Apache-2.0
! Explicit-shape arrays as in PALM: u(nzb:nzt+1, nysg:nyng, nxlg:nxrg), the vertical fastest, three ghost
! layers at the sides, one level below and above. The kernel gets the first interior element and the strides;
! nothing is copied.
program from_fortran_explicit
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use embedding_interface
  implicit none
  integer, parameter :: ghosts = 3, nzb = 0, nzt = 9, nys = 4, nyn = 10, nxl = -2, nxr = 11
  integer, parameter :: nysg = nys - ghosts, nyng = nyn + ghosts, nxlg = nxl - ghosts, nxrg = nxr + ghosts
  real(c_double) :: u(nzb:nzt + 1, nysg:nyng, nxlg:nxrg), u_next(nzb:nzt + 1, nysg:nyng, nxlg:nxrg)
  real(c_double) :: f(nzb:nzt + 1, nysg:nyng, nxlg:nxrg, 4), g(nzb:nzt + 1, nysg:nyng, nxlg:nxrg, 4)
  real(c_double), parameter :: unset = huge(1.0_c_double)
  integer(c_int64_t) :: extent(4), stride(4)
  integer :: i, j, k, q, wrong
  integer(c_int) :: status

  do i = nxlg, nxrg
    do j = nysg, nyng
      do k = nzb, nzt + 1
        u(k, j, i) = real(mod(37 * (i + 9) + 101 * (j + 9) + 7 * k, 211), c_double)
        do q = 1, 4
          f(k, j, i, q) = real(mod(53 * (i + 9) + 89 * (j + 9) + 11 * k + 17 * q, 199), c_double)
        end do
      end do
    end do
  end do
  u_next = unset
  g = unset

  ! x, y, z and component, counted in elements
  extent = [int(nxr - nxl + 1, c_int64_t), int(nyn - nys + 1, c_int64_t), int(nzt - nzb, c_int64_t), &
            4_c_int64_t]
  stride(3) = 1
  stride(2) = size(u, 1, c_int64_t)
  stride(1) = stride(2) * size(u, 2, c_int64_t)
  stride(4) = stride(1) * size(u, 3, c_int64_t)

  wrong = 0
  status = embedding_diffuse_f64(u(nzb + 1, nys, nxl), extent(1:3), stride(1:3), u_next(nzb + 1, nys, nxl), &
                                 extent(1:3), stride(1:3), 0.25_c_double)
  if (status /= 0) wrong = wrong + 1
  status = embedding_mix_f64(f(nzb + 1, nys, nxl, 1), extent, stride, g(nzb + 1, nys, nxl, 1), extent, &
                             stride, 0.5_c_double)
  if (status /= 0) wrong = wrong + 1

  do i = nxl, nxr
    do j = nys, nyn
      do k = nzb + 1, nzt
        if (u_next(k, j, i) /= u(k, j, i) + 0.25_c_double * (u(k, j, i - 1) + u(k, j, i + 1) &
            + u(k, j - 1, i) + u(k, j + 1, i) + u(k - 1, j, i) + u(k + 1, j, i) &
            - 6.0_c_double * u(k, j, i))) &
          wrong = wrong + 1
        if (g(k, j, i, 1) /= f(k, j, i - 1, 2) + 0.5_c_double * f(k, j, i, 1)) wrong = wrong + 1
        if (g(k, j, i, 2) /= f(k, j + 1, i, 3) - 0.5_c_double * f(k, j, i, 2)) wrong = wrong + 1
        if (g(k, j, i, 3) /= f(k - 1, j, i, 4) + 0.5_c_double * f(k, j, i + 1, 3)) wrong = wrong + 1
        if (g(k, j, i, 4) /= f(k + 1, j, i, 1) - 0.5_c_double * f(k, j - 1, i, 4)) wrong = wrong + 1
      end do
    end do
  end do
  ! nothing outside the interior was written
  wrong = wrong + abs(count(u_next /= unset) + count(g /= unset) - 5 * int(product(extent(1:3))))
  print '(i0, a)', wrong, ' mismatches'
  if (wrong /= 0) error stop 1
end program

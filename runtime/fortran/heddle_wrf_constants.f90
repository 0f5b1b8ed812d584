! SPDX-License-Identifier: MIT-0
! The physical constants of WRF, which are part of its kernels here: what a caller passes is compared.
module heddle_wrf_constants
  implicit none
  private
  public :: check_constants, refuse

contains

  !> Ends the program unless the constants are those of WRF, in SI units, up to rounding. radii: product of
  !> the three switches for effective radii: as in WRF, they are computed if none is 0.
  subroutine check_constants(routine, g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, &
      denr, cliq, cice, psat, radii)
    character(len=*), intent(in) :: routine
    real, intent(in) :: g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, denr
    real, intent(in) :: cliq, cice, psat
    integer, intent(in) :: radii

    call expect('g', g, 9.81)
    call expect('cpd', cpd, 1004.5)
    call expect('cpv', cpv, 1846.4)
    call expect('rd', rd, 287.0)
    call expect('rv', rv, 461.6)
    call expect('t0c', t0c, 273.15)
    call expect('ep1', ep1, 461.6 / 287.0 - 1)
    call expect('ep2', ep2, 287.0 / 461.6)
    call expect('qmin', qmin, 1e-15)
    call expect('XLS', xls, 2.85e6)
    call expect('XLV0', xlv0, 2.5e6)
    call expect('XLF0', xlf0, 3.5e5)
    call expect('den0', den0, 1.28)
    call expect('denr', denr, 1000.0)
    call expect('cliq', cliq, 4190.0)
    call expect('cice', cice, 2106.0)
    call expect('psat', psat, 610.78)
    if (radii /= 0) &
      call refuse(routine, 'effective radii (has_reqc, has_reqi, has_reqs) are not computed: use_mp_re = 0')

  contains

    subroutine expect(name, given, known)
      character(len=*), intent(in) :: name
      real, intent(in) :: given, known
      character(len=80) :: text

      if (abs(given - known) <= 1e-5 * abs(known)) return
      write (text, '(3a, g0, a, g0)') 'the kernel has ', name, ' = ', known, ', not ', given
      call refuse(routine, trim(text))
    end subroutine
  end subroutine

  subroutine refuse(routine, what)
    character(len=*), intent(in) :: routine, what

    error stop 'heddle: ' // routine // ': ' // what
  end subroutine
end module

! SPDX-License-Identifier: MIT-0
! WSM3 with the arguments of WRF's routine of that name, on WRF's arrays (ims:ime, kms:kme, jms:jme): in the
! place of `use module_mp_wsm3`, write `use heddle_wsm3, only: wsm3`. REAL is what the compiler makes of it:
! the kernel of that precision is taken. Physics, quirks of the original included:
! heddle.atmosphere.microphysics.WSM3(quirks="wrf"). Arrays are those of the host, or with
! heddle_wrf_kernels_acc those that the caller has on the device.
!
! th (K), q, qci, qrs (kg/kg of dry air) are changed; w (m/s, on the lower faces of layers), den (kg m-3, of
! dry air), pii, p (Pa), delz (m) are read; delt (s). rain, snow: what fell so far (mm); rainncv, snowncv: in
! this call; sr: the part of it that was snow. rain grows once per call, in WRF once per substep (from 180 s).
! Physical constants are those of WRF and part of the kernel. Other ones, or effective radii (no has_req* is
! 0, which is WRF's default with RRTMG: set use_mp_re = 0), end the program with a message.
module heddle_wsm3
  use heddle_wrf_kernels, only: on_device, wrf_columns_ikj, wsm3_kernel
  use heddle_wrf_constants, only: check_constants
  implicit none
  private
  public :: wsm3

contains

  subroutine wsm3(th, q, qci, qrs, w, den, pii, p, delz, delt, g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, &
      xls, xlv0, xlf0, den0, denr, cliq, cice, psat, rain, rainncv, snow, snowncv, sr, &
      has_reqc, has_reqi, has_reqs, re_cloud, re_ice, re_snow, &
      ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, its, ite, jts, jte, kts, kte)
    integer, intent(in) :: ids, ide, jds, jde, kds, kde
    integer, intent(in) :: ims, ime, jms, jme, kms, kme
    integer, intent(in) :: its, ite, jts, jte, kts, kte
    real, dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: th, q, qci, qrs
    real, dimension(ims:ime, kms:kme, jms:jme), intent(in) :: w, den, pii, p, delz
    real, intent(in) :: delt, g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, denr
    real, intent(in) :: cliq, cice, psat
    real, dimension(ims:ime, jms:jme), intent(inout) :: rain, rainncv
    real, dimension(ims:ime, jms:jme), intent(inout), optional :: snow, snowncv, sr
    integer, intent(in) :: has_reqc, has_reqi, has_reqs
    real, dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: re_cloud, re_ice, re_snow
    real, dimension(its:ite, kts:kte, jts:jte) :: fall_rs, fall_ci, cpm, latent
    real, dimension(its:ite, jts:jte) :: fell, fell_frozen, frozen_part

    call check_constants('wsm3', g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, denr, &
                         cliq, cice, psat, has_reqc * has_reqi * has_reqs)
    !$acc data create(fall_rs, fall_ci, cpm, latent, fell, fell_frozen, frozen_part) if(on_device)
    !$acc kernels present(fell, fell_frozen) if(on_device)
    fell = 0
    fell_frozen = 0
    !$acc end kernels
    call wsm3_kernel(th(its:ite, kts:kte, jts:jte), q(its:ite, kts:kte, jts:jte), &
        qci(its:ite, kts:kte, jts:jte), qrs(its:ite, kts:kte, jts:jte), w(its:ite, kts:kte, jts:jte), &
        den(its:ite, kts:kte, jts:jte), pii(its:ite, kts:kte, jts:jte), p(its:ite, kts:kte, jts:jte), &
        delz(its:ite, kts:kte, jts:jte), fall_rs, fall_ci, cpm, latent, fell, fell_frozen, frozen_part, &
        delt, ghosts=[0, 0, 0], order=wrf_columns_ikj)
    !$acc kernels present(rain, rainncv, fell) copyin(its, ite, jts, jte) if(on_device)
    rainncv(its:ite, jts:jte) = fell
    rain(its:ite, jts:jte) = rain(its:ite, jts:jte) + fell
    !$acc end kernels
    if (present(snowncv)) then
      !$acc kernels present(snowncv, fell_frozen) copyin(its, ite, jts, jte) if(on_device)
      snowncv(its:ite, jts:jte) = fell_frozen
      !$acc end kernels
    end if
    if (present(snow)) then
      !$acc kernels present(snow, fell_frozen) copyin(its, ite, jts, jte) if(on_device)
      snow(its:ite, jts:jte) = snow(its:ite, jts:jte) + fell_frozen
      !$acc end kernels
    end if
    if (present(sr)) then
      !$acc kernels present(sr, frozen_part) copyin(its, ite, jts, jte) if(on_device)
      sr(its:ite, jts:jte) = frozen_part
      !$acc end kernels
    end if
    !$acc end data
  end subroutine
end module

! SPDX-License-Identifier: MIT-0
! WSM5 with the arguments of WRF's routine of that name, as `heddle_wsm3`: in the place of `use
! module_mp_wsm5`, write `use heddle_wsm5, only: wsm5`. Physics, quirks of the original included:
! heddle.atmosphere.microphysics.WSM5(quirks="wrf").
!
! th (K), q, qc, qr, qi, qs (kg/kg of dry air) are changed; den (kg m-3, of dry air), pii, p (Pa), delz (m)
! are read; delt (s). rain, snow: what fell so far (mm); rainncv, snowncv: in this call; sr: the part of it
! that was snow. Reflectivity is not computed: diagflag with do_radar_ref = 1 ends the program, and effective
! radii do, as in heddle_wsm3.
module heddle_wsm5
  use heddle_wrf_kernels, only: on_device, wrf_columns_ikj, wsm5_kernel
  use heddle_wrf_constants, only: check_constants, refuse
  implicit none
  private
  public :: wsm5

contains

  subroutine wsm5(th, q, qc, qr, qi, qs, den, pii, p, delz, delt, g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, &
      xls, xlv0, xlf0, den0, denr, cliq, cice, psat, rain, rainncv, snow, snowncv, sr, &
      refl_10cm, diagflag, do_radar_ref, has_reqc, has_reqi, has_reqs, re_cloud, re_ice, re_snow, &
      ids, ide, jds, jde, kds, kde, ims, ime, jms, jme, kms, kme, its, ite, jts, jte, kts, kte)
    integer, intent(in) :: ids, ide, jds, jde, kds, kde
    integer, intent(in) :: ims, ime, jms, jme, kms, kme
    integer, intent(in) :: its, ite, jts, jte, kts, kte
    real, dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: th, q, qc, qr, qi, qs
    real, dimension(ims:ime, kms:kme, jms:jme), intent(in) :: den, pii, p, delz
    real, intent(in) :: delt, g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, denr
    real, intent(in) :: cliq, cice, psat
    real, dimension(ims:ime, jms:jme), intent(inout) :: rain, rainncv, sr
    real, dimension(ims:ime, jms:jme), intent(inout), optional :: snow, snowncv
    real, dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: refl_10cm, re_cloud, re_ice, re_snow
    logical, intent(in), optional :: diagflag
    integer, intent(in), optional :: do_radar_ref
    integer, intent(in) :: has_reqc, has_reqi, has_reqs
    real, dimension(its:ite, kts:kte, jts:jte) :: fall_r, fall_s, fall_i, cpm, latent
    real, dimension(its:ite, jts:jte) :: fell, fell_frozen

    call check_constants('wsm5', g, cpd, cpv, rd, rv, t0c, ep1, ep2, qmin, xls, xlv0, xlf0, den0, denr, &
                         cliq, cice, psat, has_reqc * has_reqi * has_reqs)
    if (present(diagflag) .and. present(do_radar_ref)) then
      if (diagflag .and. do_radar_ref == 1) call refuse('wsm5', 'reflectivity (refl_10cm) is not computed')
    end if
    !$acc data create(fall_r, fall_s, fall_i, cpm, latent, fell, fell_frozen) if(on_device)
    !$acc kernels present(fell, fell_frozen) if(on_device)
    fell = 0
    fell_frozen = 0
    !$acc end kernels
    call wsm5_kernel(th(its:ite, kts:kte, jts:jte), q(its:ite, kts:kte, jts:jte), &
        qc(its:ite, kts:kte, jts:jte), qr(its:ite, kts:kte, jts:jte), qi(its:ite, kts:kte, jts:jte), &
        qs(its:ite, kts:kte, jts:jte), den(its:ite, kts:kte, jts:jte), pii(its:ite, kts:kte, jts:jte), &
        p(its:ite, kts:kte, jts:jte), delz(its:ite, kts:kte, jts:jte), fall_r, fall_s, fall_i, cpm, latent, &
        fell, fell_frozen, sr(its:ite, jts:jte), delt, ghosts=[0, 0, 0], order=wrf_columns_ikj)
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
    !$acc end data
  end subroutine
end module

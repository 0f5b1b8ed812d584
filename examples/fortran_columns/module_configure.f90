! SPDX-License-Identifier: Apache-2.0
! What advect_scalar_pd asks a model's configuration. In WRF this is its own module_configure, whose type has
! these components, too.
module module_configure
  implicit none

  type grid_config_rec_type
    integer :: h_sca_adv_order = 5, v_sca_adv_order = 3
    logical :: periodic_x = .false., periodic_y = .false., specified = .false., nested = .false.
  end type
end module

! SPDX-License-Identifier: Apache-2.0
! What a host of the Common Community Physics Package has: the precision of its physics.
module ccpp_kinds
  implicit none

  integer, parameter :: kind_phys = kind(1.0)
end module

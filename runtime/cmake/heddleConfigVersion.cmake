# SPDX-License-Identifier: Apache-2.0
# The version of Heddle, for find_package(heddle 0.1) and for the project itself. While the first number is
# zero the second one counts as the major version.
set(PACKAGE_VERSION 0.1.0)

if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(NOT "${PACKAGE_FIND_VERSION}" MATCHES "^0(\\.1(\\.|$)|$)")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if("${PACKAGE_FIND_VERSION}" VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()

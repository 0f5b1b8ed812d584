# SPDX-License-Identifier: Apache-2.0
# cmake -D STAMP=<file> -D "PRODUCTS=<file>;..." -P heddle_present.cmake
# Removes the stamp if an emitted file is missing, so that the module is generated again. Ninja sees that by
# itself; Make does not look at by-products.
foreach(file IN LISTS PRODUCTS)
  if(EXISTS "${STAMP}" AND NOT EXISTS "${file}")
    file(REMOVE "${STAMP}")
  endif()
endforeach()

# SPDX-License-Identifier: Apache-2.0
# heddle_kokkos: the headers and the library of Kokkos, where they are found: Debian's Trilinos, whose CMake
# package brings all of Trilinos, or what HEDDLE_KOKKOS and HEDDLE_KOKKOS_CORE name.
include_guard(GLOBAL)
find_path(HEDDLE_KOKKOS Kokkos_Core.hpp PATH_SUFFIXES trilinos)
find_library(HEDDLE_KOKKOS_CORE NAMES kokkoscore trilinos_kokkoscore)
if(HEDDLE_KOKKOS AND HEDDLE_KOKKOS_CORE)
  add_library(heddle_kokkos INTERFACE)
  target_include_directories(heddle_kokkos SYSTEM INTERFACE ${HEDDLE_KOKKOS})
  target_link_libraries(heddle_kokkos INTERFACE
    ${HEDDLE_KOKKOS_CORE} ${CMAKE_DL_LIBS} $<TARGET_NAME_IF_EXISTS:OpenMP::OpenMP_CXX>)
  target_compile_options(heddle_kokkos INTERFACE -Wno-sign-conversion -Wno-conversion) # of its templates
endif()

# SPDX-License-Identifier: Apache-2.0
# find_package(heddle): the function heddle_add_kernels and, where the C++ libraries were installed too, the
# targets heddle::runtime and heddle::<topic> (core, halo, geometry, ...). These are its components, of which
# an installation may lack some (HEDDLE_COMPONENTS). Every path is relative to this file, so the same file
# serves an installed prefix (also after it has moved), a wheel and a checkout:
#   cmake -D heddle_DIR=$(python -m heddle --cmake-dir) ...
cmake_policy(PUSH)
cmake_policy(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/heddle.cmake")

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake")
  include(CMakeFindDependencyMacro)
  include("${CMAKE_CURRENT_LIST_DIR}/heddleDependencies.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake")
  if(TARGET heddle::plot)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(heddle_cairo QUIET IMPORTED_TARGET cairo cairo-png)
    endif()
    set_property(TARGET heddle::plot APPEND PROPERTY INTERFACE_LINK_LIBRARIES
      $<LINK_ONLY:PkgConfig::heddle_cairo>)
  endif()
endif()

foreach(_heddle_component IN LISTS heddle_FIND_COMPONENTS)
  if(TARGET heddle::${_heddle_component})
    set(heddle_${_heddle_component}_FOUND TRUE)
    continue()
  endif()
  set(heddle_${_heddle_component}_FOUND FALSE)
  if(NOT heddle_FIND_REQUIRED_${_heddle_component})
    continue()
  endif()
  set(heddle_FOUND FALSE)
  if(NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake")
    set(_heddle_remedy "There are no libraries here: a wheel and a checkout carry the generator only. \
Install Heddle with `cmake --install`.")
  elseif(_heddle_component IN_LIST heddle_all_components)
    set(_heddle_remedy "Configure Heddle with HEDDLE_COMPONENTS that names it, and with what it needs \
(geometry: zlib, plot: Cairo, mpi: MPI, chemistry_cvode: chemistry and SUNDIALS 6), then install it again.")
  else()
    list(JOIN heddle_all_components ", " _heddle_remedy)
    string(PREPEND _heddle_remedy "There is no component of that name; known are ")
    string(APPEND _heddle_remedy ".")
  endif()
  set(heddle_NOT_FOUND_MESSAGE "Heddle at ${CMAKE_CURRENT_LIST_DIR} has no library \
'${_heddle_component}'. ${_heddle_remedy}")
endforeach()
unset(_heddle_component)
unset(_heddle_remedy)
cmake_policy(POP)

# SPDX-License-Identifier: Apache-2.0
# find_package(heddle): the function heddle_add_kernels and, where the C++ libraries were installed too, the
# targets heddle::runtime and heddle::<topic> (core, halo, geometry, ...). Every path is relative to this
# file, so the same file serves an installed prefix (also after it has moved), a wheel and a checkout:
#   cmake -D heddle_DIR=$(python -m heddle --cmake-dir) ...
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
  elseif(heddle_FIND_REQUIRED_${_heddle_component})
    set(heddle_FOUND FALSE)
    set(heddle_NOT_FOUND_MESSAGE
        "Heddle at ${CMAKE_CURRENT_LIST_DIR} was installed without the library '${_heddle_component}'. \
Install Heddle with `cmake --install` (a wheel carries the generator only).")
  endif()
endforeach()
unset(_heddle_component)

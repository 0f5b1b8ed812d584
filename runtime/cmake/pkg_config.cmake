# SPDX-License-Identifier: Apache-2.0
# pkg-config files for builds without CMake: heddle.pc for emitted kernels and adapters, which need headers
# alone, and heddle-<component>.pc for each library. They name no prefix, so it may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
           "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE heddle_prefix)

# heddle_pkg_config(<name> <description> <line>...)
function(heddle_pkg_config name description)
  list(JOIN ARGN "\n" lines)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc" @ONLY CONTENT
"prefix=\${pcfiledir}/@heddle_prefix@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
@lines@
")
  install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

heddle_pkg_config(heddle "Headers of kernels that Heddle emits, and adapters for other frameworks"
  "Cflags: -I\${includedir}")
foreach(library IN LISTS heddle_libraries)
  get_target_property(type ${library} TYPE)
  get_target_property(name ${library} EXPORT_NAME)
  get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
  get_target_property(options ${library} INTERFACE_LINK_OPTIONS)
  set(requires heddle)
  set(flags "")
  if(type STREQUAL "STATIC_LIBRARY")
    set(flags "-L\${libdir}" -l${library})
  endif()
  foreach(option IN LISTS options)
    if(option MATCHES "^LINKER:(.*)")
      list(PREPEND flags -Wl,${CMAKE_MATCH_1})
    endif()
  endforeach()
  foreach(link IN LISTS links)
    if(link MATCHES "heddle::([a-z_]+)")
      list(APPEND requires heddle-${CMAKE_MATCH_1})
    elseif(link MATCHES "Threads::Threads")
      list(APPEND flags -pthread)
    elseif(link MATCHES "OpenMP::OpenMP_CXX")
      list(APPEND flags ${OpenMP_CXX_FLAGS})
    elseif(link MATCHES "ZLIB::ZLIB")
      list(APPEND flags -lz)
    elseif(link MATCHES "heddle_cairo")
      list(APPEND requires cairo cairo-png)
    elseif(link MATCHES "SUNDIALS::([a-z]+)")
      list(APPEND flags -lsundials_${CMAKE_MATCH_1})
    elseif(link MATCHES "CUDA::([a-z]+)")
      list(APPEND flags -l${CMAKE_MATCH_1})
    elseif(link MATCHES ":?([a-z]+)>?$" AND CMAKE_MATCH_1 IN_LIST CMAKE_DL_LIBS)
      list(APPEND flags -l${CMAKE_MATCH_1})
    endif() # MPI is the business of mpicxx
  endforeach()
  foreach(list IN ITEMS requires flags)
    list(REMOVE_DUPLICATES ${list})
    list(JOIN ${list} " " ${list})
  endforeach()
  heddle_pkg_config(heddle-${name} "Heddle's library ${name}" "Requires: ${requires}" "Libs: ${flags}")
endforeach()

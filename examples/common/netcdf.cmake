# SPDX-License-Identifier: Apache-2.0
# heddle_example_netcdf(<target> <program>): <target> writes NetCDF files with netcdf_writer.hpp, if libnetcdf
# is found; else <program> goes without them, and its configuration says so.
function(heddle_example_netcdf target program)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(${program}_netcdf QUIET IMPORTED_TARGET netcdf)
  endif()
  if(${program}_netcdf_FOUND)
    target_compile_definitions(${target} PUBLIC HEDDLE_EXAMPLES_NETCDF)
    target_link_libraries(${target} PUBLIC PkgConfig::${program}_netcdf)
  else()
    message(STATUS "${program}: without NetCDF files (Debian: libnetcdf-dev)")
  endif()
endfunction()

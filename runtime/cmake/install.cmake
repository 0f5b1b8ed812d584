# SPDX-License-Identifier: Apache-2.0
# The installed prefix: libraries and headers, the CMake package, and the generator with all it reads, laid
# out as in a wheel. Nothing in it names the prefix, so it may be moved afterwards.
include(GNUInstallDirs)

set(heddle_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
set(heddle_libraries "")
set(heddle_links "")
set(heddle_all_components
    runtime core grid sparse transport reduction halo graph hybrid io solvers
    mpi program geometry plot chemistry chemistry_cvode poisson projection)
foreach(name IN LISTS heddle_all_components)
  if(TARGET heddle::${name})
    get_target_property(library heddle::${name} ALIASED_TARGET)
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    list(APPEND heddle_libraries ${library})
    get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
    list(APPEND heddle_links ${links})
  endif()
endforeach()

# What whoever links the static libraries has to find again: what the runtime needs always, the others' needs
# only where they are used. Cairo is known to pkg-config only, so it is linked to heddle::plot there and not
# in the export.
set(heddle_dependencies "# Written by Heddle's installation: its components, and what they link.\n")
list(JOIN heddle_all_components " " all)
string(APPEND heddle_dependencies "set(heddle_all_components ${all})\n")
foreach(pair IN ITEMS "Threads::Threads|find_dependency(Threads)"
                      "OpenMP::OpenMP_CXX|find_dependency(OpenMP COMPONENTS CXX)"
                      "CUDA::cudart|find_dependency(CUDAToolkit)" "ZLIB::ZLIB|find_package(ZLIB QUIET)"
                      "MPI::MPI_CXX|find_package(MPI QUIET COMPONENTS CXX)"
                      "SUNDIALS::cvode|find_package(SUNDIALS 6 QUIET COMPONENTS cvode nvecserial)")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 command)
  if("${heddle_links}" MATCHES "${name}")
    string(APPEND heddle_dependencies "${command}\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/heddleDependencies.cmake" CONTENT "${heddle_dependencies}" @ONLY)

if(heddle_libraries)
  install(TARGETS ${heddle_libraries} EXPORT heddleTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${heddle_cmake_dir}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "LICENSE")

install(FILES "${CMAKE_CURRENT_LIST_DIR}/heddle.cmake" "${CMAKE_CURRENT_LIST_DIR}/heddle_modules.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/heddle_present.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/heddleConfigVersion.cmake"
              "${PROJECT_BINARY_DIR}/heddleDependencies.cmake"
        DESTINATION "${heddle_cmake_dir}")

set(heddle_package "${CMAKE_INSTALL_DATADIR}/heddle/heddle")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/generator/heddle/" DESTINATION "${heddle_package}"
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "report.*" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/generator/heddle/lift/shim/"
  DESTINATION "${heddle_package}/lift/shim")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/templates/" DESTINATION "${heddle_package}/data/templates")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/include/heddle/device/"
        DESTINATION "${heddle_package}/data/runtime/include/heddle/device")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/fortran/"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/heddle/fortran"
        FILES_MATCHING PATTERN "*.f90" PATTERN "*.meta" PATTERN "*.py" PATTERN "LICENSE")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/cmake/" DESTINATION "${heddle_package}/data/runtime/cmake")
# The command, beside heddle-lift.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_DATADIR BASE_DIRECTORY "${CMAKE_INSTALL_BINDIR}"
           OUTPUT_VARIABLE heddle_data_from_bin)
file(STRINGS "${PROJECT_SOURCE_DIR}/generator/pyproject.toml" heddle_clang_format REGEX "clang-format==")
string(REGEX REPLACE ".*==([0-9.]+).*" "\\1" heddle_clang_format "${heddle_clang_format}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/heddle_command.sh.in" "${PROJECT_BINARY_DIR}/heddle-command" @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/heddle-command" DESTINATION "${CMAKE_INSTALL_BINDIR}" RENAME heddle)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/heddle")

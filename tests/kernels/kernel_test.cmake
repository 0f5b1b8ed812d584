# SPDX-License-Identifier: Apache-2.0
# add_kernel_test(name KERNELS name... [TARGETS target...] [PLAIN file.py...] [LIBRARIES library...] [ON_PEERS
# file.cpp])
#
# The test <name>_test: check.cpp of this folder with the module <name> of model.py, targets cpu, reference
# and cuda (or TARGETS); the CUDA text runs on the CPU through tests/emulation. PLAIN: more models, each a
# module of its own name with one kernel `step` for the CPU. With a CUDA compiler and a GPU (or
# HEDDLE_DEVICE_TESTS, to run them elsewhere) also <name>_device_test: the same check.cpp, the same CUDA text
# compiled by nvcc.
#
# ON_PEERS: for sweeps that choose by the memory of their fields. The CUDA text is not emulated, but belongs
# to the library <name>_kernels where there is a CUDA compiler; the file is part of <name>_test, and all of
# <name>_device_test.
include_guard(GLOBAL)

function(add_kernel_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ON_PEERS" "KERNELS;TARGETS;PLAIN;LIBRARIES")
  if(NOT arg_TARGETS)
    set(arg_TARGETS cpu reference cuda)
  endif()
  set(with_device ${HEDDLE_CUDA})

  if(NOT arg_ON_PEERS)
    set(HEDDLE_CUDA OFF) # the library holds the CPU's part; each test adds the CUDA text in its own way
  endif()
  add_library(${name}_kernels STATIC)
  heddle_add_kernels(${name}_kernels MODEL model.py MODULE ${name} KERNELS ${arg_KERNELS}
    TARGETS ${arg_TARGETS} OUT_VAR emitted)
  foreach(model IN LISTS arg_PLAIN)
    cmake_path(GET model STEM module)
    heddle_add_kernels(${name}_kernels MODEL ${model} MODULE ${module} KERNELS step)
  endforeach()

  _add_kernel_test(${name}_test kernels check.cpp ${arg_ON_PEERS})
  if("cuda" IN_LIST arg_TARGETS AND NOT arg_ON_PEERS)
    heddle_emulate_cuda(${name}_test ${emitted_CUDA} DEPENDS ${emitted_STAMP})
  endif()

  if(with_device AND "cuda" IN_LIST arg_TARGETS AND (EXISTS /dev/nvidiactl OR HEDDLE_DEVICE_TESTS))
    find_package(CUDAToolkit REQUIRED)
    if(arg_ON_PEERS)
      _add_kernel_test(${name}_device_test device ${arg_ON_PEERS})
      target_compile_definitions(${name}_device_test PRIVATE HEDDLE_ON_DEVICE)
      return()
    endif()
    _add_kernel_test(${name}_device_test device check.cpp)
    _heddle_together(${name} "${emitted_CUDA}" "${HEDDLE_CUDA_TOGETHER}" "${emitted_STAMP}" cuda_sources)
    set_source_files_properties(${cuda_sources} PROPERTIES
      COMPILE_OPTIONS "-O3;-fmad=false" OBJECT_DEPENDS "${emitted_STAMP}")
    target_sources(${name}_device_test PRIVATE ${cuda_sources})
    target_compile_definitions(${name}_device_test PRIVATE HEDDLE_ON_DEVICE)
    target_link_libraries(${name}_device_test PRIVATE CUDA::cudart)
    set(${name}_cuda_files ${cuda_sources} PARENT_SCOPE) # for other programs of the folder
  endif()
endfunction()

function(_add_kernel_test test prefix)
  add_executable(${test} ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${heddle_strict}")
  target_include_directories(${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/../lbm_common)
  target_link_libraries(${test} PRIVATE ${name}_kernels GTest::gtest_main ${arg_LIBRARIES})
  gtest_discover_tests(${test} TEST_PREFIX ${prefix}. DISCOVERY_MODE PRE_TEST)
endfunction()

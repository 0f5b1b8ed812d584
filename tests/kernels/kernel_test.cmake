# SPDX-License-Identifier: Apache-2.0
# add_kernel_test(name [MODEL file.py] KERNELS name... [TARGETS ...] [LIBRARIES ...])
#
# The test <name>_test from check.cpp of this folder, its kernels of targets cpu, reference and cuda (or TARGETS); the CUDA
# text runs on the CPU through tests/emulation. On a machine with a GPU and a CUDA compiler also <name>_device_test: the same
# check.cpp with the same text compiled by nvcc.
include_guard(GLOBAL)

set(heddle_strict -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror)

function(add_kernel_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODEL" "KERNELS;TARGETS;LIBRARIES")
  if(NOT arg_MODEL)
    set(arg_MODEL model.py)
  endif()
  if(NOT arg_TARGETS)
    set(arg_TARGETS cpu reference cuda)
  endif()
  set(with_device ${HEDDLE_CUDA})

  set(HEDDLE_CUDA OFF)
  _add_kernel_test(${name}_test)
  if("cuda" IN_LIST arg_TARGETS)
    heddle_emulate_cuda(${name}_test ${emitted_CUDA} DEPENDS ${emitted_STAMP})
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX kernels. DISCOVERY_MODE PRE_TEST
    PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)

  if(with_device AND "cuda" IN_LIST arg_TARGETS AND EXISTS /dev/nvidiactl)
    find_package(CUDAToolkit REQUIRED)
    set(HEDDLE_CUDA ON)
    _add_kernel_test(${name}_device_test)
    target_link_libraries(${name}_device_test PRIVATE CUDA::cudart)
    target_compile_definitions(${name}_device_test PRIVATE HEDDLE_ON_DEVICE)
    gtest_discover_tests(${name}_device_test TEST_PREFIX device. DISCOVERY_MODE PRE_TEST PROPERTIES LABELS gpu)
  endif()
endfunction()

macro(_add_kernel_test target)
  add_executable(${target} check.cpp)
  set_source_files_properties(check.cpp PROPERTIES COMPILE_OPTIONS "${heddle_strict}")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/../lbm_common)
  target_link_libraries(${target} PRIVATE GTest::gtest_main ${arg_LIBRARIES})
  heddle_add_kernels(${target} MODEL ${arg_MODEL} MODULE ${name} KERNELS ${arg_KERNELS} TARGETS ${arg_TARGETS}
    OUT_VAR emitted)
endmacro()

# SPDX-License-Identifier: Apache-2.0
#[[
heddle_add_kernels(<target>
  MODEL <file.py> KERNELS <name>...
  [MODULE <name>]                     default: the name of the target
  [TARGETS cpu cuda reference]        default: cpu
  [PRECISIONS f64 f32 f16]            those of the model that store these, default: all; not with
                                      GENERATED_DIR
  [GENERATED_DIR <folder>]            committed output, used where no generator is to be had
  [NO_SWEEPS]                         leave out <module>_sweeps.hpp, which needs heddle::runtime
  [FORTRAN | FORTRAN <arrays>]        also <module>_f.f90, compiled into <target>, whose users may then say
                                      `use <module>_f`; arrays: host (default), or openacc or openmp: those of
                                      a device, too, by directives
  [NO_CHECK]                          `heddle check --build` leaves the module out: for kernels of thousands
                                      of statements, which take it minutes. Not with GENERATED_DIR
  [LARGE]                             such kernels, too: HEDDLE_OPTIMISE_LARGE says how they are optimised
  [WIDE_VECTORS | WIDE_VECTORS <kernel>...]
                                      all kernels, or these, compute more than they load: vectors of 64
                                      bytes where the processor has them, though compilers prefer 32 on some
  [DEPENDS <file>...]                 data that the model reads
  [SCHEDULES <file.json>]             what `heddle explore` found best, in place of the model's schedules
  [MACHINE <name>]                    as SCHEDULES has it; default: the processor and GPU that generates
  [OUT_VAR <v>])                      <v> receives the emitted C++ sources, <v>_CUDA the .cu files (compiled
                                      here or not), <v>_STAMP what is newer when any of them is (empty for
                                      committed files)

Generates the C++ and CUDA kernels of a model and compiles them into <target>, one object a kernel. The names
of the emitted files follow from the names given here (see _heddle_emitted_files), so configuring starts no
generator: it only asks an interpreter once whether it could. Building then runs `python -m heddle build`,
which writes a file only if its text has changed: touching a helper of the model recompiles nothing, changing
one kernel recompiles one object.

All modules of a build lie in <build>/generated/<module>, beside <build>/generated/heddle/device with the
headers that they include; so each module of a build has a name of its own.

Variables, all optional:
  HEDDLE_CODEGEN   AUTO  generate if the generator can run, else take GENERATED_DIR (default)
                   ON    generate, or fail and say why not
                   MISSING  take GENERATED_DIR, and generate what names none: nothing is generated that is
                         committed
                   OFF   take GENERATED_DIR; no Python is looked for
  HEDDLE_GENERATED_DIR  with HEDDLE_CODEGEN=OFF: the folder `generated` of another build, whose modules are
                   taken in place of those in GENERATED_DIR
  HEDDLE_PYTHON    interpreter to use; else that of Heddle's own environment (build/venv of a checkout, the
                   environment of a wheel), else the one that CMake finds
  HEDDLE_CUDA      OFF keeps the emitted .cu files from being compiled; they are generated all the same
  HEDDLE_OPENMP    OFF compiles them for one thread
  HEDDLE_ARCH      -march of the emitted kernels, for example native or x86-64-v3
  HEDDLE_OPTIMISE  -O3 (default) or less: how the emitted C++ kernels are optimised, in every configuration
  HEDDLE_OPTIMISE_LARGE  the same for kernels with LARGE; default: HEDDLE_OPTIMISE
  HEDDLE_CUDA_TOGETHER  so many .cu files of a module become one object, in place of one each: four times as
                   fast for nvcc where all are compiled, slower where one has changed
  HEDDLE_CXX_TOGETHER  the same for .cpp files: a third less time

heddle_can_generate(<variable> [<reason variable>] [MODULE <name>]) says whether the generator can run here,
and if not, why. With MODULE: or whether HEDDLE_GENERATED_DIR has this module.

heddle_test_generated(<test name> [COMPLETE]) adds one test: what the build has generated of all models with a
GENERATED_DIR equals what is committed, file by file; with COMPLETE nothing else may be committed there. The
targets heddle-generate and heddle-check-generated exist as soon as one model is generated; both generate
anew, the first rewrites the committed files, the second only compares. heddle-modules generates what is not
up to date in the build.
]]
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.22)

set_property(GLOBAL PROPERTY HEDDLE_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Where the Python package lies, relative to this file: in a checkout, in a wheel, in an installed prefix.
foreach(_heddle_place IN ITEMS ../../generator ../../../.. ../../../share/heddle ../../../../share/heddle)
  cmake_path(ABSOLUTE_PATH _heddle_place BASE_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}" NORMALIZE)
  if(EXISTS "${_heddle_place}/heddle/__main__.py")
    set_property(GLOBAL PROPERTY HEDDLE_PYTHONPATH "${_heddle_place}")
    break()
  endif()
endforeach()
unset(_heddle_place)

# CMake 3.25, that of Debian 12, does not know how to ask nvcc for C++20; nvcc 12 and newer take the flag.
get_property(_heddle_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CUDA" IN_LIST _heddle_languages AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"
   AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
unset(_heddle_languages)

# The naming rule, the only place in CMake that knows it. `parts` are relative to the folder of the module.
function(_heddle_emitted_files module kernels targets sweeps fortran sources_var cuda_var headers_var
         fortran_var)
  set(sources "")
  set(cuda "")
  set(headers ${module}.h ${module}.hpp)
  if(sweeps)
    list(APPEND headers ${module}_sweeps.hpp)
  endif()
  foreach(kernel IN LISTS kernels)
    if("cpu" IN_LIST targets)
      list(APPEND sources ${kernel}.cpp)
    endif()
    if("reference" IN_LIST targets)
      list(APPEND sources ${kernel}_reference.cpp)
    endif()
    if("cuda" IN_LIST targets)
      list(APPEND cuda ${kernel}.cu)
      list(APPEND headers ${kernel}.cuh)
    endif()
  endforeach()
  set(modules "")
  if(fortran)
    set(modules ${module}_f.f90)
  endif()
  set(${fortran_var} "${modules}" PARENT_SCOPE)
  set(${sources_var} "${sources}" PARENT_SCOPE)
  set(${cuda_var} "${cuda}" PARENT_SCOPE)
  set(${headers_var} "${headers}" PARENT_SCOPE)
endfunction()

# Finds the interpreter and asks it, without importing anything heavy, whether the generator would run. The
# answer is kept for the whole configure run: HEDDLE_GENERATOR (interpreter, or empty) and
# HEDDLE_GENERATOR_REASON.
function(_heddle_find_generator)
  get_property(known GLOBAL PROPERTY HEDDLE_GENERATOR_KNOWN)
  if(known)
    return()
  endif()
  set_property(GLOBAL PROPERTY HEDDLE_GENERATOR_KNOWN TRUE)
  set_property(GLOBAL PROPERTY HEDDLE_GENERATOR "")

  get_property(package GLOBAL PROPERTY HEDDLE_PYTHONPATH)
  if(NOT package)
    set_property(GLOBAL PROPERTY HEDDLE_GENERATOR_REASON
      "the Python package heddle does not lie beside heddle.cmake")
    return()
  endif()

  set(candidates "")
  if(HEDDLE_PYTHON)
    set(candidates "${HEDDLE_PYTHON}")
  else()
    set(environments "${package}/../build/venv")
    if(package MATCHES "/(site|dist)-packages$")
      list(APPEND environments "${package}/../../..")
    endif()
    foreach(folder IN LISTS environments)
      if(EXISTS "${folder}/bin/python")
        cmake_path(NORMAL_PATH folder)
        list(APPEND candidates "${folder}/bin/python")
      endif()
    endforeach()
    find_package(Python3 3.11 COMPONENTS Interpreter QUIET)
    if(Python3_Interpreter_FOUND)
      list(APPEND candidates "${Python3_EXECUTABLE}")
    endif()
  endif()

  # A Python path of the caller (environment modules on a cluster) is kept, as it is now, behind our own.
  set(path "${package}")
  if(DEFINED ENV{PYTHONPATH} AND NOT "$ENV{PYTHONPATH}" STREQUAL "")
    string(APPEND path ":$ENV{PYTHONPATH}")
  endif()
  # Nothing is written beside the generator's sources. Heddle's own build, a process for each of a hundred
  # modules, has its bytecode in the build folder; for a few modules compiling SymPy would take longer.
  set(bytecode PYTHONDONTWRITEBYTECODE=1)
  if(CMAKE_PROJECT_NAME STREQUAL "heddle")
    set(bytecode --unset=PYTHONDONTWRITEBYTECODE "PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/heddle-bytecode")
  endif()
  set(command
      "${CMAKE_COMMAND}" -E env --unset=PYTHONSTARTUP --unset=PYTHONHOME ${bytecode} PYTHONNOUSERSITE=1
      LC_ALL=C.UTF-8 "PYTHONPATH=${path}")
  set(probe [=[
import sys
if sys.version_info < (3, 11):
    sys.exit('it is Python %d.%d, 3.11 or newer is needed' % sys.version_info[:2])
from importlib import metadata, util
missing = [n for n in ('heddle', 'sympy', 'jinja2', 'clang_format') if util.find_spec(n) is None]
if missing:
    sys.exit('it has no module ' + ', '.join(missing))
print('python', *sys.version_info[:3])
for n in ('sympy', 'jinja2', 'clang-format'):
    print(n, metadata.version(n))
]=])
  set(reasons "")
  foreach(python IN LISTS candidates)
    execute_process(
      COMMAND ${command} "${python}" -c "${probe}"
      RESULT_VARIABLE result OUTPUT_VARIABLE versions ERROR_VARIABLE reason OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(result EQUAL 0)
      # One small file stands for the thousands below site-packages: when a version changes, all is generated
      # anew.
      set(fingerprint "${CMAKE_BINARY_DIR}/heddle-environment.txt")
      file(CONFIGURE OUTPUT "${fingerprint}" CONTENT "${python}\n${versions}\n" @ONLY)
      set_property(GLOBAL PROPERTY HEDDLE_GENERATOR "${python}")
      set_property(GLOBAL PROPERTY HEDDLE_GENERATOR_FINGERPRINT "${fingerprint}")
      set_property(GLOBAL PROPERTY HEDDLE_GENERATOR_ENVIRONMENT "${command}")
      return()
    endif()
    string(STRIP "${reason}" reason)
    if(reason STREQUAL "")
      set(reason "it could not be run (${result})")
    endif()
    list(APPEND reasons "${python}: ${reason}")
  endforeach()
  if(NOT reasons)
    set(reasons "no Python 3.11 or newer was found")
  endif()
  list(JOIN reasons "; " reasons)
  set_property(GLOBAL PROPERTY HEDDLE_GENERATOR_REASON "${reasons}")
endfunction()

# HEDDLE_CODEGEN, or its default.
function(_heddle_codegen result_var)
  set(codegen AUTO)
  if(DEFINED HEDDLE_CODEGEN)
    set(codegen "${HEDDLE_CODEGEN}")
  endif()
  if(NOT codegen MATCHES "^(AUTO|ON|OFF|MISSING)$")
    message(FATAL_ERROR "HEDDLE_CODEGEN is '${codegen}'; it must be AUTO, ON, MISSING or OFF.")
  endif()
  set(${result_var} ${codegen} PARENT_SCOPE)
endfunction()

function(heddle_can_generate result_var)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODULE" "")
  _heddle_codegen(codegen)
  if(codegen STREQUAL "OFF")
    set(python "")
    set(reason "HEDDLE_CODEGEN is OFF")
  else()
    _heddle_find_generator()
    get_property(python GLOBAL PROPERTY HEDDLE_GENERATOR)
    get_property(reason GLOBAL PROPERTY HEDDLE_GENERATOR_REASON)
  endif()
  if(python OR (arg_MODULE AND HEDDLE_GENERATED_DIR AND EXISTS "${HEDDLE_GENERATED_DIR}/${arg_MODULE}"))
    set(${result_var} TRUE PARENT_SCOPE)
  else()
    set(${result_var} FALSE PARENT_SCOPE)
  endif()
  foreach(variable IN LISTS arg_UNPARSED_ARGUMENTS)
    set(${variable} "${reason}" PARENT_SCOPE)
  endforeach()
endfunction()

# Decides between generating and taking committed files; fails with a sentence where neither is possible.
function(_heddle_choose_source module generated_dir result_var)
  _heddle_codegen(codegen)
  if(codegen STREQUAL "OFF" OR (codegen STREQUAL "MISSING" AND generated_dir))
    if(NOT generated_dir)
      message(FATAL_ERROR "HEDDLE_CODEGEN is OFF, but the module '${module}' names no GENERATED_DIR with "
                          "committed files, and HEDDLE_GENERATED_DIR has none. Give it one, or set "
                          "HEDDLE_CODEGEN=AUTO.")
    endif()
    set(${result_var} committed PARENT_SCOPE)
    return()
  endif()
  _heddle_find_generator()
  get_property(python GLOBAL PROPERTY HEDDLE_GENERATOR)
  if(python)
    set(${result_var} generate PARENT_SCOPE)
    return()
  endif()
  get_property(reason GLOBAL PROPERTY HEDDLE_GENERATOR_REASON)
  if(codegen STREQUAL "AUTO" AND generated_dir AND EXISTS "${generated_dir}/${module}/${module}.h")
    message(STATUS "Heddle: module '${module}' from ${generated_dir} (no generator: ${reason})")
    set(${result_var} committed PARENT_SCOPE)
    return()
  endif()
  message(FATAL_ERROR
          "Heddle cannot generate the module '${module}': ${reason}. Do one of three things: install the "
          "generator's needs into that interpreter (pip install sympy jinja2 clang-format==19.1.7); name "
          "another interpreter with -D HEDDLE_PYTHON=/path/to/python; or build from committed files with "
          "-D HEDDLE_CODEGEN=OFF.")
endfunction()

# What is compiled of files of one module: these, or stand-ins that include so many of them each. Files of
# one stand-in define different names, except that X_reference.cpp repeats those of X.cpp: references have
# stand-ins of their own.
function(_heddle_together module files count stamp compiled_var)
  if(NOT count)
    set(${compiled_var} "${files}" PARENT_SCOPE)
    return()
  endif()
  set(reference "${files}")
  list(FILTER reference INCLUDE REGEX "_reference\\.cpp$")
  list(FILTER files EXCLUDE REGEX "_reference\\.cpp$")
  set(compiled "")
  foreach(kind IN ITEMS files reference)
    while(${kind})
      list(SUBLIST ${kind} 0 ${count} together)
      list(REMOVE_ITEM ${kind} ${together})
      list(GET together 0 first)
      cmake_path(GET first EXTENSION LAST_ONLY extension)
      list(TRANSFORM together REPLACE "(.+)" "#include \"\\1\"")
      list(JOIN together "\n" text)
      list(LENGTH compiled number)
      set(stand_in "${CMAKE_CURRENT_BINARY_DIR}/heddle-together/${module}_${number}${extension}")
      file(CONFIGURE OUTPUT "${stand_in}" CONTENT "@text@\n" @ONLY)
      list(APPEND compiled "${stand_in}")
    endwhile()
  endforeach()
  set_source_files_properties(${compiled} PROPERTIES OBJECT_DEPENDS "${stamp}")
  set(${compiled_var} "${compiled}" PARENT_SCOPE)
endfunction()

function(heddle_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg
    "NO_SWEEPS;NO_CHECK;LARGE" "MODEL;MODULE;GENERATED_DIR;OUT_VAR;SCHEDULES;MACHINE;FORTRAN"
    "KERNELS;TARGETS;PRECISIONS;DEPENDS;WIDE_VECTORS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_kernels(${target}): unknown argument '${arg_UNPARSED_ARGUMENTS}'.")
  endif()
  foreach(needed IN ITEMS MODEL KERNELS)
    if(NOT arg_${needed})
      message(FATAL_ERROR "heddle_add_kernels(${target}): ${needed} is missing.")
    endif()
  endforeach()
  if("WIDE_VECTORS" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    set(arg_WIDE_VECTORS ${arg_KERNELS})
  endif()
  foreach(kernel IN LISTS arg_WIDE_VECTORS)
    if(NOT kernel IN_LIST arg_KERNELS)
      message(FATAL_ERROR "heddle_add_kernels(${target}): WIDE_VECTORS has '${kernel}', and KERNELS has not.")
    endif()
  endforeach()
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "heddle_add_kernels(${target}): no such target; call add_executable or add_library first.")
  endif()
  get_target_property(target_folder ${target} SOURCE_DIR)
  if(NOT target_folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR
      "heddle_add_kernels(${target}): the target belongs to ${target_folder}; call it there.")
  endif()
  if(arg_NO_CHECK AND arg_GENERATED_DIR)
    message(FATAL_ERROR "heddle_add_kernels(${target}): what is committed in GENERATED_DIR must be checked; "
                        "leave NO_CHECK out.")
  endif()
  if(arg_MACHINE AND NOT arg_SCHEDULES)
    message(FATAL_ERROR "heddle_add_kernels(${target}): MACHINE chooses from a file of schedules; add "
                        "SCHEDULES.")
  endif()
  if(arg_SCHEDULES AND arg_GENERATED_DIR AND NOT arg_MACHINE)
    message(FATAL_ERROR "heddle_add_kernels(${target}): what is committed in GENERATED_DIR must be the same "
                        "on every machine; name the one of SCHEDULES whose rows are taken: MACHINE.")
  endif()
  if(arg_PRECISIONS AND arg_GENERATED_DIR)
    message(FATAL_ERROR "heddle_add_kernels(${target}): what is committed in GENERATED_DIR has all "
                        "precisions; leave PRECISIONS out.")
  endif()
  if(NOT arg_MODULE)
    set(arg_MODULE ${target})
  endif()
  if(NOT arg_TARGETS)
    set(arg_TARGETS cpu)
  endif()
  foreach(name IN LISTS arg_TARGETS)
    if(NOT name MATCHES "^(cpu|cuda|reference)$")
      message(FATAL_ERROR
        "heddle_add_kernels(${target}): TARGETS has '${name}'; known are cpu, cuda and reference.")
    endif()
  endforeach()
  if("cuda" IN_LIST arg_TARGETS AND CMAKE_CUDA_FLAGS MATCHES "-use_fast_math")
    message(FATAL_ERROR
      "heddle_add_kernels(${target}): CMAKE_CUDA_FLAGS has --use_fast_math, which changes bits of kernels. "
      "Give it to your own files: set_source_files_properties(... PROPERTIES COMPILE_OPTIONS ...).")
  endif()
  if("FORTRAN" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    set(arg_FORTRAN host)
  endif()
  if(arg_FORTRAN AND NOT arg_FORTRAN MATCHES "^(host|openacc|openmp)$")
    message(FATAL_ERROR
      "heddle_add_kernels(${target}): FORTRAN has '${arg_FORTRAN}'; known are host, openacc and openmp.")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(arg_FORTRAN AND NOT "Fortran" IN_LIST languages)
    message(FATAL_ERROR "heddle_add_kernels(${target}): FORTRAN needs this language: write "
                        "enable_language(Fortran) first.")
  endif()
  cmake_path(ABSOLUTE_PATH arg_MODEL BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(arg_GENERATED_DIR)
    cmake_path(ABSOLUTE_PATH arg_GENERATED_DIR BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  endif()
  set(taken_from "${arg_GENERATED_DIR}")
  if(HEDDLE_GENERATED_DIR AND EXISTS "${HEDDLE_GENERATED_DIR}/${arg_MODULE}")
    set(taken_from "${HEDDLE_GENERATED_DIR}")
  endif()
  set(depends "")
  foreach(file IN LISTS arg_DEPENDS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND depends "${file}")
  endforeach()

  set(sweeps true)
  if(arg_NO_SWEEPS)
    set(sweeps false)
  endif()
  _heddle_emitted_files(${arg_MODULE} "${arg_KERNELS}" "${arg_TARGETS}" ${sweeps} "${arg_FORTRAN}"
                        sources cuda headers fortran)
  _heddle_choose_source(${arg_MODULE} "${taken_from}" source)
  set(stamp "")
  if(source STREQUAL "committed")
    set(root "${taken_from}")
    set(folder "${root}/${arg_MODULE}")
    foreach(file IN LISTS sources cuda headers fortran)
      if(NOT EXISTS "${folder}/${file}")
        message(FATAL_ERROR "The committed module ${folder} lacks ${file}. Generate it on a machine that has "
                            "the generator: cmake --build <build folder> --target heddle-generate")
      endif()
    endforeach()
  else()
    if(NOT EXISTS "${arg_MODEL}")
      message(FATAL_ERROR "heddle_add_kernels(${target}): the model ${arg_MODEL} does not exist.")
    endif()
    set(root "${CMAKE_BINARY_DIR}/generated")
    set(folder "${root}/${arg_MODULE}")
    get_property(modules GLOBAL PROPERTY HEDDLE_MODULES)
    if(arg_MODULE IN_LIST modules)
      message(FATAL_ERROR "heddle_add_kernels(${target}): the module '${arg_MODULE}' is generated twice in "
                          "this build. Put its kernels into one library and link that, or give one of them "
                          "another name: MODULE.")
    endif()
    set_property(GLOBAL APPEND PROPERTY HEDDLE_MODULES ${arg_MODULE})

    get_property(python GLOBAL PROPERTY HEDDLE_GENERATOR)
    get_property(environment GLOBAL PROPERTY HEDDLE_GENERATOR_ENVIRONMENT)
    get_property(fingerprint GLOBAL PROPERTY HEDDLE_GENERATOR_FINGERPRINT)
    set(generate
        "${python}" -P -m heddle build "${arg_MODEL}" --root "${PROJECT_SOURCE_DIR}"
        --targets ${arg_TARGETS} --expect-module ${arg_MODULE}
        --expect-kernels ${arg_KERNELS})
    if(arg_PRECISIONS)
      list(APPEND generate --precisions ${arg_PRECISIONS})
    endif()
    if(arg_NO_SWEEPS)
      list(APPEND generate --no-sweeps)
    endif()
    if(arg_SCHEDULES)
      cmake_path(ABSOLUTE_PATH arg_SCHEDULES BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      if(NOT EXISTS "${arg_SCHEDULES}")
        message(FATAL_ERROR "heddle_add_kernels(${target}): the file of schedules ${arg_SCHEDULES} does not "
                            "exist.")
      endif()
      list(APPEND generate --schedules "${arg_SCHEDULES}")
      list(APPEND depends "${arg_SCHEDULES}")
      if(arg_MACHINE)
        list(APPEND generate --machine "${arg_MACHINE}")
      endif()
    endif()
    if(arg_FORTRAN)
      list(APPEND generate --fortran ${arg_FORTRAN})
    endif()
    # The stamp, which names all emitted files, is the real output, they are by-products: they keep their time
    # when their text is the same, so nothing behind them is rebuilt; and a deleted one comes back.
    set(stamp "${CMAKE_BINARY_DIR}/heddle-stamps/${arg_MODULE}")
    set(products ${sources} ${cuda} ${headers} ${fortran})
    list(TRANSFORM products PREPEND "${folder}/")
    add_custom_command(
      OUTPUT "${stamp}"
      BYPRODUCTS ${products}
      COMMAND ${environment} PYTHONHASHSEED=0 ${generate} --out "${root}"
              --depfile "${stamp}.d" --stamp "${stamp}"
      DEPENDS "${arg_MODEL}" ${depends} "${fingerprint}"
      DEPFILE "${stamp}.d"
      WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
      COMMENT "Generating kernels of ${arg_MODULE}"
      VERBATIM COMMAND_EXPAND_LISTS)
    target_sources(${target} PRIVATE "${stamp}")
    if(CMAKE_GENERATOR MATCHES "Makefiles")
      get_property(cmake_dir GLOBAL PROPERTY HEDDLE_CMAKE_DIR)
      add_custom_target(heddle-present.${arg_MODULE}
        COMMAND "${CMAKE_COMMAND}" -D "STAMP=${stamp}" -D "PRODUCTS=${products}"
        -P "${cmake_dir}/heddle_present.cmake"
        VERBATIM)
      add_dependencies(${target} heddle-present.${arg_MODULE})
    endif()
    _heddle_register(${arg_MODULE} "${root}" "${arg_GENERATED_DIR}" "${generate}" "${arg_MODEL}"
                     "${arg_TARGETS}" ${sweeps} "${stamp}" "${arg_NO_CHECK}" "${arg_SCHEDULES}"
                     "${arg_MACHINE}" "${arg_PRECISIONS}")
  endif()

  list(TRANSFORM sources PREPEND "${folder}/")
  list(TRANSFORM cuda PREPEND "${folder}/")
  list(TRANSFORM headers PREPEND "${folder}/")
  list(TRANSFORM fortran PREPEND "${folder}/")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>" "$<BUILD_INTERFACE:${root}>")

  # Rounding is decided in the kernel language; the compilers keep their hands off. None of these options may
  # change a value: without errno and traps libm calls and guarded expressions can be vectorised. Per source,
  # never global.
  set(optimise -O3)
  if(arg_LARGE AND HEDDLE_OPTIMISE_LARGE)
    set(optimise ${HEDDLE_OPTIMISE_LARGE})
  elseif(HEDDLE_OPTIMISE)
    set(optimise ${HEDDLE_OPTIMISE})
  endif()
  set(options ${optimise} -ffp-contract=off -fno-math-errno -fno-trapping-math)
  if(HEDDLE_ARCH)
    list(APPEND options "-march=${HEDDLE_ARCH}")
  endif()
  set(wide "")
  if(arg_WIDE_VECTORS)
    include(CheckCXXCompilerFlag)
    check_cxx_compiler_flag(-mprefer-vector-width=512 HEDDLE_PREFERS_VECTOR_WIDTH) # not beside x86
    if(HEDDLE_PREFERS_VECTOR_WIDTH)
      set(wide "${arg_WIDE_VECTORS}")
      list(TRANSFORM wide REPLACE "(.+)" "${folder}/\\1.cpp")
    endif()
  endif()
  if(NOT DEFINED HEDDLE_OPENMP OR HEDDLE_OPENMP)
    find_package(OpenMP QUIET COMPONENTS CXX)
  endif()
  if(OpenMP_CXX_FOUND)
    separate_arguments(openmp UNIX_COMMAND "${OpenMP_CXX_FLAGS}")
    list(APPEND options ${openmp})
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:OpenMP::OpenMP_CXX>)
  else()
    list(APPEND options -fopenmp-simd)
  endif()
  # These options are not those of the target, so its precompiled headers do not fit.
  set(narrow "${sources}")
  list(REMOVE_ITEM narrow ${wide} "")
  _heddle_together(${arg_MODULE} "${narrow}" "${HEDDLE_CXX_TOGETHER}" "${stamp}" compiled)
  set_source_files_properties(${compiled} TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${compiled} ${headers})
  if(wide AND "cpu" IN_LIST arg_TARGETS)
    _heddle_together(${arg_MODULE}_wide "${wide}" "${HEDDLE_CXX_TOGETHER}" "${stamp}" compiled)
    set_source_files_properties(${compiled} TARGET_DIRECTORY ${target}
      PROPERTIES COMPILE_OPTIONS "${options};-mprefer-vector-width=512" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${compiled})
  endif()
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(fortran)
    _heddle_add_fortran(${target} "${fortran}" ${arg_FORTRAN})
  endif()

  if(cuda AND "CUDA" IN_LIST languages AND NOT "${HEDDLE_CUDA}" STREQUAL "OFF")
    _heddle_together(${arg_MODULE} "${cuda}" "${HEDDLE_CUDA_TOGETHER}" "${stamp}" compiled)
    set_source_files_properties(${compiled} PROPERTIES COMPILE_OPTIONS "-O3;-fmad=false")
    target_sources(${target} PRIVATE ${compiled})
    target_compile_definitions(${target} PUBLIC HEDDLE_WITH_CUDA)
  elseif(cuda)
    get_property(said GLOBAL PROPERTY HEDDLE_SAID_NO_CUDA)
    if(NOT said)
      message(STATUS "Heddle: emitted .cu files are not compiled: CUDA is not a language of this project")
      set_property(GLOBAL PROPERTY HEDDLE_SAID_NO_CUDA TRUE)
    endif()
  endif()
  if(arg_OUT_VAR)
    set(${arg_OUT_VAR} "${sources}" PARENT_SCOPE)
    set(${arg_OUT_VAR}_CUDA "${cuda}" PARENT_SCOPE)
    set(${arg_OUT_VAR}_STAMP "${stamp}" PARENT_SCOPE)
  endif()
endfunction()

# A module of Fortran for a target and those that link it.
function(_heddle_add_fortran target source directives)
  get_target_property(modules ${target} Fortran_MODULE_DIRECTORY)
  if(NOT modules)
    set(modules "${CMAKE_CURRENT_BINARY_DIR}/${target}-modules")
    set_target_properties(${target} PROPERTIES Fortran_MODULE_DIRECTORY "${modules}")
  endif()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${modules}>")
  target_sources(${target} PRIVATE "${source}")
  if(directives STREQUAL "openacc")
    find_package(OpenACC REQUIRED COMPONENTS Fortran)
    set(flags "${OpenACC_Fortran_FLAGS}")
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:OpenACC::OpenACC_Fortran>)
  elseif(directives STREQUAL "openmp")
    find_package(OpenMP REQUIRED COMPONENTS Fortran)
    set(flags "${OpenMP_Fortran_FLAGS}")
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:OpenMP::OpenMP_Fortran>)
  else()
    return()
  endif()
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${flags}")
endfunction()

# Remembers a module: one small script and one JSON file each below the build folder, which the two targets,
# the test and `heddle check --build` read.
function(_heddle_register module root generated_dir generate model targets sweeps stamp unchecked schedules
         machine precisions)
  get_property(environment GLOBAL PROPERTY HEDDLE_GENERATOR_ENVIRONMENT)
  get_property(cmake_dir GLOBAL PROPERTY HEDDLE_CMAKE_DIR)
  set(list "${CMAKE_BINARY_DIR}/heddle-modules")
  if(NOT TARGET heddle-modules)
    file(REMOVE_RECURSE "${list}")
    add_custom_target(heddle-generate
      COMMAND "${CMAKE_COMMAND}" -D "LIST=${list}" -D MODE=write -P "${cmake_dir}/heddle_modules.cmake"
      COMMENT "Writing all committed modules" VERBATIM)
    add_custom_target(heddle-check-generated
      COMMAND "${CMAKE_COMMAND}" -D "LIST=${list}" -D MODE=compare -P "${cmake_dir}/heddle_modules.cmake"
      COMMENT "Comparing all committed modules" VERBATIM)
    add_custom_target(heddle-modules)
  endif()
  add_custom_target(heddle-module.${module} DEPENDS "${stamp}")
  add_dependencies(heddle-modules heddle-module.${module})
  if(unchecked)
    return()
  endif()
  file(CONFIGURE OUTPUT "${list}/${module}.cmake" @ONLY CONTENT [==[
set(module [=[@module@]=])
set(committed [=[@generated_dir@]=])
set(environment [=[@environment@]=])
set(generate [=[@generate@]=])
set(stamp [=[@stamp@]=])
set(generated [=[@root@]=])
]==])
  list(JOIN targets "\", \"" targets)
  list(TRANSFORM precisions REPLACE "(.+)" "\"\\1\"")
  list(JOIN precisions ", " precisions)
  file(CONFIGURE OUTPUT "${list}/${module}.json" @ONLY CONTENT
[==[{"model": "@model@", "targets": ["@targets@"], "generated": "@root@", "sweeps": @sweeps@,
 "root": "@PROJECT_SOURCE_DIR@", "schedules": "@schedules@", "machine": "@machine@",
 "precisions": [@precisions@]}
]==])
endfunction()

function(heddle_test_generated name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COMPLETE" "" "")
  get_property(cmake_dir GLOBAL PROPERTY HEDDLE_CMAKE_DIR)
  if(TARGET heddle-check-generated)
    add_test(NAME ${name}
      COMMAND "${CMAKE_COMMAND}" -D "LIST=${CMAKE_BINARY_DIR}/heddle-modules" -D MODE=compare
                                  -D "BUILD=${CMAKE_BINARY_DIR}" -D COMPLETE=${arg_COMPLETE}
                                  -P "${cmake_dir}/heddle_modules.cmake")
    set_tests_properties(${name} PROPERTIES LABELS python)
  endif()
endfunction()

cmake_policy(POP)

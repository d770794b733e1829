# Programs for AMD GPUs, a set for each chip of FA_HIP_ARCHITECTURES. HIP is compiled by commands
# and not as a language of CMake, since several compilers serve one build: clang 19, clang 22 for
# gfx950, hipcc where there is neither or where it is asked for.
set(FA_HIP_ARCHITECTURES gfx90a gfx942 gfx950 gfx1100 gfx1201 CACHE STRING "AMD GPUs to build for")
set(FA_HIP_COMPILER "" CACHE
    STRING "clang19, clang22 or hipcc; empty: the first of them that knows the chip")
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/test/amdsim/cmake)
find_package(AmdCompilers QUIET)
if(NOT AMD_HIPCC)
  find_program(AMD_HIPCC NAMES hipcc HINTS /opt/rocm/bin)
endif()
if(NOT AMD_HIP_LIBRARY)
  message(FATAL_ERROR "fa: FA_HIP needs libamdhip64 (libamdhip64-dev, or ROCm)")
endif()

# fa_hip_driver(<chip> <variable> <compiler, or empty>): the command that compiles HIP for it.
function(fa_hip_driver chip result name)
  if(NOT name)
    if(chip STREQUAL gfx950 AND AMD_CLANG22)
      set(name clang22)
    elseif(AMD_CLANG19 AND NOT chip STREQUAL gfx950)
      set(name clang19)
    else()
      set(name hipcc)
    endif()
  endif()
  get_filename_component(root "${AMD_HIP_INCLUDE}" DIRECTORY)
  if(name STREQUAL clang19)
    set(driver ${AMD_CLANG19} --rocm-path=${root})
  elseif(name STREQUAL clang22)
    # This clang does not define the wave size, which the headers of ROCm before 7 ask for.
    set(wave 32)
    if(chip MATCHES "^gfx9")
      set(wave 64)
    endif()
    set(driver ${AMD_CLANG22} --rocm-path=${root} -D__AMDGCN_WAVEFRONT_SIZE=${wave})
  else()
    set(driver ${AMD_HIPCC})
  endif()
  if(NOT driver OR driver MATCHES "NOTFOUND")
    message(FATAL_ERROR "fa: no compiler (${name}) for ${chip}: clang-19 and lld-19 serve all "
                        "chips but gfx950, the Python package ziglang and clang-tools-19 that one "
                        "(AMD_ZIG: its program zig), ROCm's hipcc its own")
  endif()
  set(${result} ${driver} PARENT_SCOPE)
endfunction()

# fa_hip_object(<variable> <chip> <name> SOURCE <file> [COMPILER <compiler>]
#               [DEFINITIONS <name>[=<value>]...])
# The variable gets the path of an object file: host code, and the code object for the chip inside.
function(fa_hip_object result chip name)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "SOURCE;COMPILER" "DEFINITIONS")
  if(NOT arg_COMPILER)
    set(arg_COMPILER "${FA_HIP_COMPILER}")
  endif()
  fa_hip_driver(${chip} driver "${arg_COMPILER}")
  set(flags "")
  if(CMAKE_COMPILE_WARNING_AS_ERROR)
    list(APPEND flags -Werror)
  endif()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${chip})
  set(object ${folder}/${name}.o)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  add_custom_command(OUTPUT ${object}
    COMMAND ${driver} -x hip --offload-arch=${chip} -nogpulib -std=c++20 -O3 -Wall -Wextra ${flags}
            -I ${PROJECT_SOURCE_DIR}/include
            "-DFA_AMD_ARCHITECTURES=\"${chip}\"" ${arg_DEFINITIONS} -MD -MT ${object}
            -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name} for ${chip}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${result} ${object} PARENT_SCOPE)
endfunction()

# fa_hip_program(<name> <chip> <object or source>...): a program in build/<preset>/test/<chip>;
# its target is <name>_<chip>.
function(fa_hip_program name chip)
  add_executable(${name}_${chip} ${ARGN})
  target_link_libraries(${name}_${chip} PRIVATE ${AMD_HIP_LIBRARY} Threads::Threads)
  set_target_properties(${name}_${chip} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name}
                        CXX_EXTENSIONS OFF
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/${chip})
endfunction()

# fa_hip_test(<name> <chip> <program's target> <argument>...): amd.run.<chip>.<name>.
# FA_DEVICE_LAUNCHER is a command put before the program, in which {chip} is the chip and {order} an
# order of waves: a launcher that knows orders runs the program in several, and all bits must agree;
# without, the program runs twice.
function(fa_hip_test name chip target)
  string(REPLACE "{chip}" ${chip} launcher "${FA_DEVICE_LAUNCHER}")
  set(command Python3::Interpreter ${PROJECT_SOURCE_DIR}/test/device/same_bits.py ${launcher} --
      $<TARGET_FILE:${target}> ${ARGN})
  add_test(NAME amd.run.${chip}.${name} COMMAND ${command})
  set_tests_properties(amd.run.${chip}.${name} PROPERTIES LABELS "device;amd.run"
                       SKIP_RETURN_CODE 77 TIMEOUT 1500)
endfunction()

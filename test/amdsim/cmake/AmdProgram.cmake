# amd_add_program(<target> CHIP <chip> SOURCES <file>... [OPTIONS <option>...]
#                 [COMPILER clang19|clang22|hipcc]
#                 [NAME <file name>] [OUTPUT <variable>])
# A HIP program for one chip, built by hand rather than as a CMake language, since several compilers
# serve one build. Sources are compiled one by one and again when a header that they include
# changes. The program lies in ${CMAKE_CURRENT_BINARY_DIR}/<chip>/<name>; the variable gets that
# path. The device library is not used (-nogpulib). The compiler, unless named, is clang 19, and
# clang 22 where clang 19 does not know the chip.
include_guard(GLOBAL)

# amd_compiler_for(<chip> <variable>): its component of FindAmdCompilers, or nothing
# where none was found.
function(amd_compiler_for chip result)
  set(${result} "" PARENT_SCOPE)
  if(chip STREQUAL gfx950)
    if(AMD_CLANG22)
      set(${result} clang22 PARENT_SCOPE)
    endif()
  elseif(AMD_CLANG19)
    set(${result} clang19 PARENT_SCOPE)
  endif()
endfunction()

function(amd_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CHIP;COMPILER;NAME;OUTPUT" "SOURCES;OPTIONS")
  if(NOT arg_NAME)
    set(arg_NAME ${target})
  endif()
  if(NOT arg_COMPILER)
    amd_compiler_for(${arg_CHIP} arg_COMPILER)
  endif()
  get_filename_component(root ${AMD_HIP_INCLUDE} DIRECTORY)
  if(arg_COMPILER STREQUAL clang19)
    set(driver ${AMD_CLANG19} --rocm-path=${root})
  elseif(arg_COMPILER STREQUAL clang22)
    # This clang no longer defines the wave size, which the headers of ROCm before 7 ask for.
    if(arg_CHIP MATCHES "^gfx9")
      set(wave 64)
    else()
      set(wave 32)
    endif()
    set(driver ${AMD_CLANG22} --rocm-path=${root} -D__AMDGCN_WAVEFRONT_SIZE=${wave})
  elseif(arg_COMPILER STREQUAL hipcc)
    set(driver ${AMD_HIPCC})
  endif()
  if(NOT driver)
    message(FATAL_ERROR "amd_add_program(${target}): no compiler for ${arg_CHIP}")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_CHIP})
  set(program ${folder}/${arg_NAME})
  file(MAKE_DIRECTORY ${folder}/${arg_NAME}.dir)
  set(objects "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME)
    get_filename_component(path ${source} ABSOLUTE)
    set(object ${folder}/${arg_NAME}.dir/${name}.o)
    list(APPEND objects ${object})
    add_custom_command(OUTPUT ${object}
      COMMAND ${driver} -x hip --offload-arch=${arg_CHIP} -nogpulib -O2 -std=c++20 ${arg_OPTIONS}
              -MD -MT ${object} -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path} DEPFILE ${object}.d
      COMMENT "Compiling ${name} for ${arg_CHIP} (${arg_COMPILER})" VERBATIM COMMAND_EXPAND_LISTS)
  endforeach()
  # Objects are plain host objects with the device images inside: any driver links them.
  add_custom_command(OUTPUT ${program}
    COMMAND ${AMD_CLANG19} ${objects} -o ${program} ${AMD_HIP_LIBRARY}
    DEPENDS ${objects} COMMENT "Linking ${arg_CHIP}/${arg_NAME}" VERBATIM)
  add_custom_target(${target} DEPENDS ${program})
  if(arg_OUTPUT)
    set(${arg_OUTPUT} ${program} PARENT_SCOPE)
  endif()
endfunction()

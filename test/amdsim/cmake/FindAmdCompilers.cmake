# Finds compilers that build HIP programs for AMD GPUs without a ROCm installation, and the
# HIP headers and library.
#
#   list(APPEND CMAKE_MODULE_PATH .../amdsim/cmake)
#   find_package(AmdCompilers [REQUIRED] [COMPONENTS clang19 clang22 hipcc])
#
# Components:
#   clang19   Debian's clang-19 and lld-19: every chip but gfx950
#   clang22   the clang inside the Python package ziglang, with clang-19's HIP headers and
#             clang-tools-19's bundler: every chip
#   hipcc     Debian's hipcc 5.2: gfx90a and older
# Sets AmdCompilers_FOUND (headers, library, clang19 and whatever components were asked for),
# AmdCompilers_<component>_FOUND, AMD_CLANG19, AMD_CLANG22, AMD_HIPCC (C++ drivers), AMD_ASSEMBLER
# (clang-19), AMD_HIP_INCLUDE, AMD_HIP_LIBRARY, and AMD_CHIPS, the chips that the compilers found
# can build for. AMD_ZIG: where zig is, if python3 does not know. It brings amd_add_program()
# of AmdProgram.cmake.
find_program(AMD_CLANG19 NAMES clang++-19)
find_program(AMD_ASSEMBLER NAMES clang-19)
find_program(AMD_LLD19 NAMES ld.lld-19 lld-19)
find_program(AMD_BUNDLER NAMES clang-offload-bundler-19)
find_program(AMD_HIPCC NAMES hipcc)
find_path(AMD_HIP_INCLUDE hip/hip_runtime.h HINTS /opt/rocm/include)
find_library(AMD_HIP_LIBRARY NAMES amdhip64 HINTS /opt/rocm/lib)
set(AMD_ZIG "" CACHE
    FILEPATH "The zig program of the Python package ziglang, whose clang knows gfx950")
mark_as_advanced(AMD_CLANG19 AMD_ASSEMBLER AMD_LLD19 AMD_BUNDLER AMD_HIPCC
                 AMD_HIP_INCLUDE AMD_HIP_LIBRARY)

# Makes ${folder}/clang++ out of zig. The driver looks for its tools under their own names, so
# they become a folder of scripts; zig has the compiler's own headers, but not those that clang
# puts under a HIP program.
function(_amd_wrap_zig zig folder result)
  set(${result} "" PARENT_SCOPE)
  get_filename_component(zig_folder ${zig} DIRECTORY)
  execute_process(COMMAND ${AMD_ASSEMBLER} -print-resource-dir OUTPUT_VARIABLE resource
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder}/bin ${folder}/resource)
  file(COPY ${resource}/include DESTINATION ${folder}/resource)
  file(COPY ${zig_folder}/lib/include DESTINATION ${folder}/resource)
  foreach(name clang clang++)
    file(WRITE ${folder}/bin/${name} "#!/bin/sh\nexec '${zig}' clang \"$@\"\n")
  endforeach()
  foreach(name lld ld.lld)
    file(WRITE ${folder}/bin/${name}
         "#!/bin/sh\n[ \"$1\" = -flavor ] && shift 2\nexec '${zig}' ld.lld \"$@\"\n")
  endforeach()
  file(WRITE ${folder}/bin/clang-offload-bundler "#!/bin/sh\nexec '${AMD_BUNDLER}' \"$@\"\n")
  file(WRITE ${folder}/clang++
       "#!/bin/sh\nPATH='${folder}/bin':\"$PATH\" exec '${folder}/bin/clang' "
       "--driver-mode=g++ -B'${folder}/bin' "
       "-resource-dir '${folder}/resource' --target=x86_64-linux-gnu \"$@\"\n")
  file(GLOB scripts ${folder}/bin/*)
  file(CHMOD ${scripts} ${folder}/clang++
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
       WORLD_READ WORLD_EXECUTE)
  execute_process(COMMAND ${folder}/clang++ --version RESULT_VARIABLE bad OUTPUT_QUIET ERROR_QUIET)
  if(bad EQUAL 0)
    set(${result} ${folder}/clang++ PARENT_SCOPE)
  endif()
endfunction()

set(_amd_zig "${AMD_ZIG}")
if(NOT _amd_zig)
  find_program(AMD_PYTHON NAMES python3)
  mark_as_advanced(AMD_PYTHON)
  if(AMD_PYTHON)
    execute_process(COMMAND ${AMD_PYTHON} -c
                            "import ziglang; print(ziglang.__path__[0] + '/zig', end='')"
                    OUTPUT_VARIABLE _amd_zig ERROR_QUIET)
  endif()
endif()
if(NOT _amd_zig OR NOT AMD_ASSEMBLER OR NOT AMD_BUNDLER)
  set(AMD_CLANG22 "" CACHE INTERNAL "")
elseif(NOT "${_amd_zig}" STREQUAL "${AMD_CLANG22_ZIG}" OR NOT EXISTS "${AMD_CLANG22}")
  _amd_wrap_zig("${_amd_zig}" ${CMAKE_BINARY_DIR}/clang22 _amd_clang22)
  set(AMD_CLANG22 "${_amd_clang22}" CACHE INTERNAL "clang 22, a script")
  set(AMD_CLANG22_ZIG "${_amd_zig}" CACHE INTERNAL "what it was made of")
endif()

set(AmdCompilers_clang19_FOUND FALSE)
set(AmdCompilers_clang22_FOUND FALSE)
set(AmdCompilers_hipcc_FOUND FALSE)
set(AMD_CHIPS "")
if(AMD_CLANG19 AND AMD_LLD19)
  set(AmdCompilers_clang19_FOUND TRUE)
  set(AMD_CHIPS gfx90a gfx942 gfx1100 gfx1101 gfx1102 gfx1151 gfx1200 gfx1201)
endif()
if(AMD_CLANG22)
  set(AmdCompilers_clang22_FOUND TRUE)
  list(APPEND AMD_CHIPS gfx950)
endif()
if(AMD_HIPCC)
  set(AmdCompilers_hipcc_FOUND TRUE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(AmdCompilers
  REQUIRED_VARS AMD_CLANG19 AMD_LLD19 AMD_HIP_INCLUDE AMD_HIP_LIBRARY
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "Debian has clang-19, lld-19, clang-tools-19, hipcc, \
libamdhip64-dev, and pip brings ziglang for gfx950")
include(${CMAKE_CURRENT_LIST_DIR}/AmdProgram.cmake)

# How the project's own programs (tests, examples, benchmarks) are compiled: they link fa::program,
# a target that is neither installed nor seen by users of fa::fa.
option(FA_OPENMP "Let the project's programs use OpenMP where it is found" ON)
set(FA_ARCH native CACHE STRING "-march of the project's programs; empty: the compiler's default")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

add_library(fa_warnings INTERFACE)
add_library(fa::warnings ALIAS fa_warnings)
target_compile_options(fa_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion)

add_library(fa_program INTERFACE)
add_library(fa::program ALIAS fa_program)
target_link_libraries(fa_program INTERFACE fa::fa fa::warnings)
if(FA_ARCH)
  target_compile_options(fa_program INTERFACE -march=${FA_ARCH})
endif()
if(FA_OPENMP)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND)
    target_link_libraries(fa_program INTERFACE OpenMP::OpenMP_CXX)
  else()
    message(STATUS "fa: OpenMP not found: the host machine uses std::thread")
  endif()
endif()

# Programs for GPUs link fa::device_program. The standard by its flag: CMake 3.25 leaves it
# out for the newest nvcc.
if(FA_CUDA)
  add_library(fa_device_program INTERFACE)
  add_library(fa::device_program ALIAS fa_device_program)
  target_link_libraries(fa_device_program INTERFACE fa::fa)
  target_compile_options(fa_device_program INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
endif()

# fa_add_program(<name> SOURCES <file>... [LIBRARIES <target>...])
function(fa_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE fa::program ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

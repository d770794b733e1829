# The device tests for AMD GPUs: for each chip of FA_HIP_ARCHITECTURES the same programs as for
# NVIDIA's, and every kernel.
foreach(chip IN LISTS FA_HIP_ARCHITECTURES)
  fa_hip_object(object ${chip} forward SOURCE forward.cpp)
  fa_hip_program(fa_device_forward ${chip} ${object})
  fa_hip_test(forward ${chip} fa_device_forward_${chip} small)

  # Each verb of tile/verbs.hpp beside plain loops.
  fa_hip_object(object ${chip} tile SOURCE ../tile/gpu.cu)
  fa_hip_program(fa_device_tile ${chip} ${object})
  fa_hip_test(tile ${chip} fa_device_tile_${chip})

  # A program that has no kernel for the chip it meets.
  set(other gfx942)
  if(chip MATCHES "^gfx9")
    set(other gfx1100)
  endif()
  fa_hip_object(object ${other} no_image_on_${chip} SOURCE no_image.cpp
                DEFINITIONS "FA_TEST_BUILT_FOR=\"built for ${other}\"")
  fa_hip_program(fa_device_no_image ${chip} ${object})
  fa_hip_test(no_image ${chip} fa_device_no_image_${chip})

  # A kernel by hipcc 5.2, the oldest compiler.
  if(chip STREQUAL gfx90a AND AMD_HIPCC)
    fa_hip_object(object ${chip} hipcc SOURCE no_image.cpp COMPILER hipcc)
    add_custom_target(fa_device_hipcc ALL DEPENDS ${object})
    add_test(NAME amd.compile.${chip}.hipcc
             COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_code_objects.py
             --chip ${chip} ${object})
    set_tests_properties(amd.compile.${chip}.hipcc PROPERTIES LABELS amd.compile)
  endif()
endforeach()

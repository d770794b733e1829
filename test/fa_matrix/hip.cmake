# fa_matrix --machine device and every_kernel for each chip of FA_HIP_ARCHITECTURES, around the same
# kernels: device_kernels.cpp once for each element type. What runs on the host is compiled once.
add_library(fa_matrix_program OBJECT main.cpp table.cpp case.cpp expression.cpp run.cpp)
add_library(fa_every_kernel_program OBJECT ${PROJECT_SOURCE_DIR}/test/device/every_kernel.cpp)
add_library(fa_matrix_registry OBJECT registry.cpp)
foreach(part program registry)
  target_compile_definitions(fa_matrix_${part} PRIVATE FA_MATRIX_DEVICE FA_MATRIX_CORE_ONLY)
endforeach()
foreach(part fa_matrix_program fa_every_kernel_program fa_matrix_registry)
  target_link_libraries(${part} PRIVATE fa::program)
  target_compile_options(${part} PRIVATE -O2)
  set_target_properties(${part} PROPERTIES CXX_EXTENSIONS OFF)
endforeach()

foreach(chip IN LISTS FA_HIP_ARCHITECTURES)
  set(kernels "")
  foreach(element f32 f16 bf16)
    fa_hip_object(object ${chip} kernels_${element} SOURCE device_kernels.cpp
                  DEFINITIONS FA_MATRIX_ELEMENT=${element} FA_MATRIX_SHARE=core)
    list(APPEND kernels ${object})
  endforeach()
  fa_hip_program(fa_matrix ${chip} ${kernels} $<TARGET_OBJECTS:fa_matrix_program>
                 $<TARGET_OBJECTS:fa_matrix_registry>)
  fa_hip_program(fa_every_kernel ${chip} ${kernels} $<TARGET_OBJECTS:fa_every_kernel_program>
                 $<TARGET_OBJECTS:fa_matrix_registry>)
  foreach(part fa_matrix fa_every_kernel)
    target_link_libraries(${part}_${chip} PRIVATE fa::program)
  endforeach()
  set(flushes "")
  if(chip STREQUAL gfx90a)
    set(flushes --flushes)  # its matrix instructions take subnormal f16 and bf16 for zero
  endif()
  foreach(element f32 f16 bf16)
    fa_hip_test(every_kernel.${element} ${chip} fa_every_kernel_${chip} --type ${element}
                ${flushes})
  endforeach()
  foreach(table matrix forward)
    fa_hip_test(fa_matrix.${table} ${chip} fa_matrix_${chip} --machine device
                --csv ${CMAKE_CURRENT_SOURCE_DIR}/${table}.csv
                --tier S --digest)
  endforeach()

  # What the compiler made of the kernels.
  add_test(NAME amd.compile.${chip}
           COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_code_objects.py
           --chip ${chip} ${kernels})
  set_tests_properties(amd.compile.${chip} PROPERTIES LABELS amd.compile)
endforeach()

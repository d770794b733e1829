# fa_matrix --machine device: device_kernels.cpp in parts, by nvcc; the rest as for the host.
set_source_files_properties(device_kernels.cpp PROPERTIES LANGUAGE CUDA)
add_library(fa_matrix_program OBJECT main.cpp table.cpp case.cpp expression.cpp run.cpp
            registry.cpp)
target_link_libraries(fa_matrix_program PRIVATE fa::program)
target_compile_definitions(fa_matrix_program PRIVATE FA_MATRIX_DEVICE)
set_target_properties(fa_matrix_program PROPERTIES CXX_EXTENSIONS OFF)
add_executable(fa_matrix $<TARGET_OBJECTS:fa_matrix_program>)
foreach(share f32_common f16_common bf16_common f32_rare f16_rare bf16_rare f16_half bf16_half)
  string(REPLACE "_" ";" parts ${share})
  list(GET parts 0 element)
  list(GET parts 1 sizes)
  add_library(fa_matrix_${share} OBJECT device_kernels.cpp)
  target_link_libraries(fa_matrix_${share} PRIVATE fa::device_program)
  target_compile_definitions(fa_matrix_${share} PRIVATE FA_MATRIX_ELEMENT=${element}
                             FA_MATRIX_SHARE=${sizes})
  target_link_libraries(fa_matrix PRIVATE fa_matrix_${share})
endforeach()
target_link_libraries(fa_matrix PRIVATE fa::program)
set_target_properties(fa_matrix PROPERTIES LINKER_LANGUAGE CXX
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
target_link_libraries(fa_matrix PRIVATE CUDA::cudart_static)

foreach(table matrix forward)
  add_test(NAME fa_matrix.device.${table}
           COMMAND ${FA_DEVICE_LAUNCHER} $<TARGET_FILE:fa_matrix> --machine device
           --csv ${CMAKE_CURRENT_SOURCE_DIR}/${table}.csv)
  set_tests_properties(fa_matrix.device.${table} PROPERTIES LABELS device SKIP_RETURN_CODE 77)
endforeach()

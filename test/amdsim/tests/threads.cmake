# cmake -DAMDSIM=... -DCHIP=... -DPROGRAM=... -DFOLDER=... -DMATRIX_CYCLES=... -P threads.cmake
# With one and with several threads a program of many workgroups must print the same and leave the
# same profile, with and without checks.
set(expected "")
foreach(checks none all)
  foreach(threads 1 4)
    set(profile ${FOLDER}/threads_${checks}_${threads}.json)
    file(REMOVE ${profile})
    execute_process(COMMAND ${AMDSIM} --chip ${CHIP} --checks ${checks} --threads ${threads}
                    --profile ${profile} ${PROGRAM} 64
                    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR
              "checks ${checks}, threads ${threads}: exit status ${status}\n${out}${err}")
    endif()
    file(READ ${profile} lines)
    # 64 workgroups of two waves with four products each.
    string(CONCAT wanted "\"instructions\":{\"matrix\":512,.*"
           "\"cycles\":{\"matrix\":${MATRIX_CYCLES},.*\"matrix_share_serial\"")
    if(NOT lines MATCHES "${wanted}")
      message(FATAL_ERROR "the profile should have 512 products and ${MATRIX_CYCLES} cycles "
                          "for them:\n${lines}")
    endif()
    if(NOT expected)
      set(expected "${out}${lines}")
    elseif(NOT expected STREQUAL "${out}${lines}")
      message(FATAL_ERROR
              "checks ${checks}, threads ${threads}:\n${out}${lines}\nis not\n${expected}")
    endif()
  endforeach()
endforeach()

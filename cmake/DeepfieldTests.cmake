# deepfield_test(NAME name SOURCES ... LIBRARIES ... [LABELS ...] [TIMEOUT s])
#   a cmocka program, run as one CTest case.
# deepfield_mpi_test(NAME name COMMAND ... RANKS 1 2 3 ... [LABELS ...] [TIMEOUT s])
#   the command under mpirun, one CTest case per number of ranks.
# deepfield_gpu_test(NAME name COMMAND ... [LABELS ...] [TIMEOUT s])
#   what needs a GPU, as case gpu.NAME: the command ends with 77 where there is none, and CTest then
#   says that it was skipped.
# deepfield_long_test(NAME name COMMAND ... [LABELS ...] [TIMEOUT s])
#   what takes long, as case long.NAME with the label `long`: a test at its full strength.
# LONG, of the first two: the test once more with DEEPFIELD_LONG=1, as deepfield_long_test.

# C programs ask check_long(), scripts look at DEEPFIELD_LONG.
function(deepfield_long_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 1800)
  endif()
  add_test(NAME long.${T_NAME} COMMAND ${T_COMMAND})
  set_tests_properties(long.${T_NAME} PROPERTIES
    TIMEOUT ${T_TIMEOUT} LABELS "long;${T_LABELS}" RUN_SERIAL ON SKIP_RETURN_CODE 77
    ENVIRONMENT "${DEEPFIELD_MPI_ENVIRONMENT};DEEPFIELD_LONG=1")
endfunction()

function(deepfield_test)
  cmake_parse_arguments(T "LONG" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(test_${T_NAME} ${T_SOURCES})
  target_link_libraries(test_${T_NAME} PRIVATE ${T_LIBRARIES} deepfield_check)
  add_test(NAME ${T_NAME} COMMAND test_${T_NAME})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    math(EXPR T_TIMEOUT "10 * ${T_TIMEOUT}")
  endif()
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
  if(T_LONG)
    deepfield_long_test(NAME ${T_NAME} COMMAND test_${T_NAME} LABELS ${T_LABELS})
  endif()
endfunction()

# What Open MPI needs here: the program's own table, and that ranks do not read each other's memory,
# which containers forbid. Its own leaks are not ours to count. What else the sanitizers are told
# stands in CMakePresets.json. ..._HOSTS is for jobs on several hosts.
set(DEEPFIELD_MPI_ENVIRONMENT OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_smsc=^cma ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:protect_shadow_gap=0)
set(DEEPFIELD_MPI_ENVIRONMENT_HOSTS ${DEEPFIELD_MPI_ENVIRONMENT})
set(DEEPFIELD_MPI_TABLE ${PROJECT_SOURCE_DIR}/app/launch/mpirun_variables.inc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DEEPFIELD_MPI_TABLE})
file(STRINGS ${DEEPFIELD_MPI_TABLE} rows REGEX "^VARIABLE")
foreach(row ${rows})
  if(NOT row MATCHES "^VARIABLE\\((ANY|LOCAL|FORCED|OURS), \"([^\"]+)\", \"([^\"]+)\"\\)$")
    message(FATAL_ERROR "${DEEPFIELD_MPI_TABLE}: ${row}")
  endif()
  if(CMAKE_MATCH_1 STREQUAL OURS)
    continue()
  endif()
  list(APPEND DEEPFIELD_MPI_ENVIRONMENT ${CMAKE_MATCH_2}=${CMAKE_MATCH_3})
  if(CMAKE_MATCH_1 STREQUAL ANY)
    list(APPEND DEEPFIELD_MPI_ENVIRONMENT_HOSTS ${CMAKE_MATCH_2}=${CMAKE_MATCH_3})
  endif()
endforeach()

function(deepfield_mpi_test)
  cmake_parse_arguments(T "LONG" "NAME;TIMEOUT" "COMMAND;RANKS;LABELS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  list(POP_FRONT T_COMMAND program)
  if(TARGET ${program}) # CTest knows targets as its own commands alone, and MPICH looks on PATH
    set(program $<TARGET_FILE:${program}>)
  endif()
  foreach(ranks ${T_RANKS})
    set(command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${program} ${T_COMMAND})
    add_test(NAME ${T_NAME}_${ranks}_ranks COMMAND ${command})
    set_tests_properties(${T_NAME}_${ranks}_ranks PROPERTIES
      TIMEOUT ${T_TIMEOUT} LABELS "mpi;${T_LABELS}"
      ENVIRONMENT "${DEEPFIELD_MPI_ENVIRONMENT}")
    if(T_LONG)
      deepfield_long_test(NAME ${T_NAME}_${ranks}_ranks COMMAND ${command} LABELS mpi ${T_LABELS})
    endif()
  endforeach()
endfunction()

# The CUDA driver wants the address space that AddressSanitizer keeps for itself, and leaks a little.
function(deepfield_gpu_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  add_test(NAME gpu.${T_NAME} COMMAND ${T_COMMAND})
  set_tests_properties(gpu.${T_NAME} PROPERTIES
    TIMEOUT ${T_TIMEOUT} LABELS "gpu;${T_LABELS}" RUN_SERIAL ON SKIP_RETURN_CODE 77
    ENVIRONMENT "${DEEPFIELD_MPI_ENVIRONMENT}")
endfunction()

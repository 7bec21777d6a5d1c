# Is there a CUDA compiler, and for which GPUs does it compile? Sets DEEPFIELD_CUDA_FOUND and, then,
# enables the language and sets DEEPFIELD_CUDA_ARCHITECTURES ("75-virtual 80-real 90-real") and
# DEEPFIELD_CUDA_HELD, the same with what only some sources have code for.

set(DEEPFIELD_CUDA AUTO CACHE STRING "CUDA backend: AUTO (if there is an nvcc that works), ON, OFF")
set_property(CACHE DEEPFIELD_CUDA PROPERTY STRINGS AUTO ON OFF)

# The GPUs of this machine, as nvcc sees them: it says which instruction sets `native` would take.
function(deepfield_cuda_native result)
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/native.cu "")
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} -arch=native --dryrun -c native.cu
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/CMakeFiles
    OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
  string(REGEX MATCHALL "sm_[0-9]+" found "${said}")
  if(failed OR said MATCHES "Cannot find valid GPU") # it would go on with its oldest
    set(found "")
  endif()
  list(REMOVE_DUPLICATES found)
  list(TRANSFORM found REPLACE "sm_([0-9]+)" "\\1-real")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# What somebody may have, as far as this nvcc knows it: PTX of the oldest, which drivers of that and of
# GPUs to come compile once, and machine code for the others; that for 8.0 is for 8.6 and 8.9, too.
function(deepfield_cuda_common result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  set(taken "")
  foreach(architecture 75 80 90)
    if(known MATCHES "compute_${architecture}([^0-9]|$)")
      list(APPEND taken ${architecture}-real)
    endif()
  endforeach()
  string(REGEX REPLACE "^([0-9]+)-real" "\\1-virtual" taken "${taken}")
  set(${result} "${taken}" PARENT_SCOPE)
endfunction()

# Makes that machine code from that PTX, so that C++ is compiled once, not for each: option
# DEEPFIELD_CUDA_CODE of the sources that are for all GPUs.
macro(deepfield_cuda_from_one_ptx)
  list(GET common 0 CMAKE_CUDA_ARCHITECTURES)
  string(REGEX MATCHALL "[0-9]+" numbers "${common}")
  list(POP_FRONT numbers oldest)
  list(TRANSFORM numbers PREPEND sm_)
  string(REPLACE ";" "," numbers "${numbers}")
  if(numbers)
    set(DEEPFIELD_CUDA_CODE "--generate-code=arch=compute_${oldest},code=[${numbers}]")
  endif()
endmacro()

# Sets DEEPFIELD_CUDA_NEWER, an option of nvcc for the steps of z^2 + c: machine code of GPUs after 9.0 from the
# same PTX, as far as nvcc knows them; that for 10.0 is for 10.3, too. A GPU that lacks it for a kernel has its driver
# compile the PTX once. All sources would have it for 1.7 MB, these for 0.3.
macro(deepfield_cuda_newer)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  set(newer "")
  set(held "")
  foreach(architecture 100 120)
    if(known MATCHES "sm_${architecture}([^0-9]|$)")
      list(APPEND newer sm_${architecture})
      string(APPEND held " ${architecture}-real")
    endif()
  endforeach()
  if(newer)
    string(REPLACE ";" "," newer "${newer}")
    set(DEEPFIELD_CUDA_NEWER "--generate-code=arch=compute_${oldest},code=[${newer}]")
    string(APPEND DEEPFIELD_CUDA_HELD ", steps of z^2 + c also for${held}")
  endif()
endmacro()

# Those of a list that have clusters of thread blocks (9.0 and later), with PTX for GPUs to come: what
# uses these has no code for others. Empty: the list has none, or this nvcc knows none.
function(deepfield_cuda_clusters architectures result)
  set(taken "")
  foreach(architecture ${architectures})
    string(REGEX MATCH "^[0-9]+" number "${architecture}")
    if(number AND NOT number LESS 90)
      list(APPEND taken ${architecture})
      string(REGEX REPLACE "-real$" "-virtual" ptx "${architecture}")
      list(APPEND taken ${ptx})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES taken)
  set(${result} "${taken}" PARENT_SCOPE)
endfunction()

set(DEEPFIELD_CUDA_FOUND FALSE)
set(DEEPFIELD_CUDA_NEWER "")
if(DEEPFIELD_CUDA)
  # The toolkit's own folder is on nobody's PATH after its installation.
  if(NOT DEFINED ENV{CUDACXX} AND NOT CMAKE_CUDA_COMPILER)
    find_program(DEEPFIELD_NVCC nvcc PATHS /usr/local/cuda/bin)
    mark_as_advanced(DEEPFIELD_NVCC)
    if(DEEPFIELD_NVCC)
      set(ENV{CUDACXX} ${DEEPFIELD_NVCC})
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(DEEPFIELD_CUDA_FOUND TRUE)
  elseif(NOT DEEPFIELD_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "DEEPFIELD_CUDA is ${DEEPFIELD_CUDA}, but there is no nvcc that works: put it "
      "on PATH, or name it by -D CMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc")
  endif()
endif()

if(DEEPFIELD_CUDA_FOUND)
  deepfield_cuda_common(common)
  # What the user, or the environment's CUDAARCHS, asks for stays.
  if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    deepfield_cuda_native(architectures)
    if(NOT architectures)
      set(architectures "${common}")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  # The C compiler links: the sanitizers' libraries must be those of its objects.
  set(CMAKE_CUDA_HOST_LINK_LAUNCHER ${CMAKE_C_COMPILER})
  # The list in words, for the program's own messages; CMake knows what stands behind its names.
  set(architectures "${CMAKE_CUDA_ARCHITECTURES}")
  if(architectures MATCHES "^(native|all|all-major)$")
    string(MAKE_C_IDENTIFIER "${architectures}" name)
    string(TOUPPER "${name}" name)
    set(architectures "${CMAKE_CUDA_ARCHITECTURES_${name}}")
  endif()
  string(REPLACE ";" " " DEEPFIELD_CUDA_ARCHITECTURES "${architectures}")
  deepfield_cuda_clusters("${architectures}" DEEPFIELD_CUDA_CLUSTERS)
  set(DEEPFIELD_CUDA_HELD "${DEEPFIELD_CUDA_ARCHITECTURES}")
  if(architectures STREQUAL common)
    deepfield_cuda_from_one_ptx()
    deepfield_cuda_newer()
  endif()
  set(DEEPFIELD_CUDA_SUMMARY "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, for ${DEEPFIELD_CUDA_HELD}")
elseif(DEEPFIELD_CUDA)
  set(DEEPFIELD_CUDA_SUMMARY "no nvcc that works; CPU backends only")
else()
  set(DEEPFIELD_CUDA_SUMMARY "switched off by DEEPFIELD_CUDA")
endif()

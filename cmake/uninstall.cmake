# Removes what `cmake --install` has installed last, of each component: the files that its manifests name, and
# the folders of ours that are empty then.
#
# usage: cmake -D BUILD=<build folder> -P uninstall.cmake; DESTDIR as for the installation
cmake_minimum_required(VERSION 3.25)

file(GLOB manifests ${BUILD}/install_manifest*.txt)
if(NOT manifests)
  message(FATAL_ERROR "nothing was installed from ${BUILD}: it has no install_manifest.txt")
endif()
foreach(manifest IN LISTS manifests)
  file(STRINGS ${manifest} files)
  foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    file(REMOVE "${file}")
    get_filename_component(folder "${file}" DIRECTORY)
    if(folder MATCHES "/dist-packages/deepfield(/|$)") # what Python has compiled of ours
      file(REMOVE_RECURSE "${folder}/__pycache__")
    endif()
    while(folder MATCHES "/deepfield(/|$)") # rmdir takes empty folders alone, whatever their names
      execute_process(COMMAND rmdir -- "${folder}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(failed)
        break()
      endif()
      get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
  endforeach()
  file(REMOVE ${manifest})
  list(LENGTH files count)
  message(STATUS "${count} files of ${manifest} removed")
endforeach()

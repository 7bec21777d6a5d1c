# Which commit is this? Writes a C file with the answer, at every build, and only when it changes.
#
# usage: cmake -D SOURCE=<source folder> -D OUTPUT=<file.c> -P DeepfieldRevision.cmake
#
# An archive of `git archive` has the hash in revision.txt; a checkout asks git, "-dirty" when
# tracked files were changed. Without both, or inside another project's checkout, it is "unknown".
cmake_minimum_required(VERSION 3.25)

set(revision unknown)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/revision.txt archived LIMIT_COUNT 1)
find_program(git git)
if(archived MATCHES "^[0-9a-f]+$")
  set(revision ${archived})
elseif(git)
  set(ENV{GIT_OPTIONAL_LOCKS} 0) # a build that reads must not disturb a git that writes
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(top)
    file(REAL_PATH ${top} top)
  endif()
  if(top STREQUAL source)
    execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(described)
      set(revision ${described})
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"library/config/revision.h\"

const char deepfield_revision[] = \"${revision}\";
")

# Writes OUTPUT, a C file with the texts of the headers FIRST and of all headers of ours that they
# include, as cuda_own_names, cuda_own_texts and cuda_own_texts_count. Run with cmake -P, with ROOT,
# FIRST, SYSTEM and OUTPUT set. In place of headers of the system each name in the folder SYSTEM is
# one: NVRTC finds none.
cmake_minimum_required(VERSION 3.25)
set(todo ${FIRST})
set(seen ${FIRST})
while(todo)
  list(POP_FRONT todo name)
  file(STRINGS ${ROOT}/${name} lines REGEX "^ *# *include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*\"([^\"]+)\".*" "\\1" included "${line}")
    if(NOT included IN_LIST seen AND EXISTS ${ROOT}/${included})
      list(APPEND seen ${included})
      list(APPEND todo ${included})
    endif()
  endforeach()
endwhile()
list(SORT seen)
file(GLOB system RELATIVE ${SYSTEM} ${SYSTEM}/*.h)

set(names "")
set(texts "")
set(count 0)
function(embed name path)
  file(READ ${path} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(names "${names}    \"${name}\",\n" PARENT_SCOPE)
  set(texts "${texts}    \"${text}\",\n" PARENT_SCOPE)
  math(EXPR count "${count} + 1")
  set(count ${count} PARENT_SCOPE)
endfunction()
foreach(name IN LISTS seen)
  embed(${name} ${ROOT}/${name})
endforeach()
foreach(name IN LISTS system)
  embed(${name} ${SYSTEM}/${name})
endforeach()
file(WRITE ${OUTPUT} "#include \"kernels/cuda/cuda_own_texts.h\"\n
const char *const cuda_own_names[] = {\n${names}};\n
const char *const cuda_own_texts[] = {\n${texts}};\n
const int cuda_own_texts_count = ${count};\n")

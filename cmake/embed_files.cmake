# Files of the page of `deepfield view --serve` as C, and the rows of the table of texts that they
# name (app/serve/served_files.h).
#
# A page has <!-- head.html --> where it begins as all pages do: with the file of that name beside it.
#
# usage: cmake "-DFILES=<file|file|...>" -D OUT=<file.c> -P embed_files.cmake
cmake_minimum_required(VERSION 3.25)

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(count 0)
set(names "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "^.*[.]" "" suffix ${name})
  file(READ ${file} text)
  if(suffix STREQUAL "html")
    get_filename_component(folder ${file} DIRECTORY)
    file(READ ${folder}/head.html head)
    string(REPLACE "<!-- head.html -->\n" "${head}" text "${text}")
  endif()
  string(HEX "${text}" bytes)
  string(LENGTH "${text}" length)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${count}[] = {\n${bytes}\n};\n")
  string(APPEND rows "    {\"${name}\", \"${type_${suffix}}\", file_${count}, ${length}},\n")
  math(EXPR count "${count} + 1")
  if(suffix MATCHES "html|js")
    string(REGEX MATCHALL "\"[A-Z0-9_ .?+-]*_[A-Z0-9_ ]*\"" quoted "${text}")
    string(REGEX MATCHALL "[A-Z0-9]+_[A-Z0-9_]+" found "${quoted}")
    list(APPEND names ${found})
  endif()
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)
set(strings "")
foreach(name IN LISTS names)
  if(name MATCHES "^ACTION_")
    string(APPEND strings "    {\"${name}\", STRINGS, ${name}},\n")
  else()
    string(APPEND strings "    {\"${name}\", STRING_${name}, ACTION_NONE},\n")
  endif()
endforeach()
list(LENGTH names names)
file(WRITE ${OUT} "#include \"app/serve/served_files.h\"

${arrays}
const struct served_file served_files[] = {
${rows}};
const int served_files_count = ${count};

const struct served_string served_strings[] = {
${strings}};
const int served_strings_count = ${names};
")

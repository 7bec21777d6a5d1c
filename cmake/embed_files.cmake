# Files of the page of `deepfield view --serve` as C.
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
foreach(file IN LISTS FILES)
  file(READ ${file} bytes HEX)
  file(SIZE ${file} length)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "^.*[.]" "" suffix ${name})
  string(APPEND arrays "static const unsigned char file_${count}[] = {\n${bytes}\n};\n")
  string(APPEND rows "    {\"${name}\", \"${type_${suffix}}\", file_${count}, ${length}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include \"app/serve/served_files.h\"

${arrays}
const struct served_file served_files[] = {
${rows}};
const int served_files_count = ${count};
")

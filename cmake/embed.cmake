# A page with its parts in it, compressed by gzip, as C, and the place of its facts.
#
# usage: cmake -D PAGE=<html> [-D CSS=<file>] -D JS=<file> -D OUT=<file.c> -P embed.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${PAGE} page)
set(css "")
if(CSS)
  file(READ ${CSS} css)
endif()
file(READ ${JS} js)
if(js MATCHES "</script" OR js MATCHES "<!--")
  message(FATAL_ERROR "${JS} has a text that would end a script in a page")
endif()
string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" js "${js}") # a page has no other files
string(REPLACE "@LEAFLET_CSS@" "${css}" page "${page}")
string(REPLACE "@LEAFLET_JS@" "${js}" page "${page}")
string(FIND "${page}" "@FACTS@" facts)
string(REPLACE "@FACTS@" "" page "${page}")
file(WRITE ${OUT}.html "${page}")
file(ARCHIVE_CREATE OUTPUT ${OUT}.gz PATHS ${OUT}.html FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
file(READ ${OUT}.gz bytes HEX)
string(SUBSTRING "${bytes}" 0 8 first)
string(SUBSTRING "${bytes}" 16 -1 bytes)
set(bytes "${first}00000000${bytes}") # no time of the build
file(SIZE ${OUT}.gz packed)
file(SIZE ${OUT}.html length)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "#include \"render/file/pyramid_page.h\"

const size_t pyramid_page_bytes = ${length};
const size_t pyramid_page_facts_at = ${facts};
const size_t pyramid_page_packed_bytes = ${packed};
const unsigned char pyramid_page_packed[] = {
${bytes}
};
")

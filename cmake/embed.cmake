# A page with its parts in it, as C: what stands before and behind the place of its facts.
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
file(READ ${OUT}.html bytes HEX)
file(SIZE ${OUT}.html length)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "#include \"render/file/pyramid_page.h\"

const size_t pyramid_page_bytes = ${length};
const size_t pyramid_page_facts_at = ${facts};
const unsigned char pyramid_page[] = {
${bytes}
};
")

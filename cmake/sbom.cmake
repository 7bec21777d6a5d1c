# Writes OUT, the bill of materials (CycloneDX 1.5): the program at its commit, and of the libraries of TABLE
# (docs/dependencies.md) those that this build has, with the versions that pkg-config tells.
#
# usage: cmake -D TABLE=<file.md> -D VERSION=<version> -D REVISION=<revision.c> "-DWITHOUT=<name|name>"
#   [-D PKG_CONFIG=<program>] -D OUT=<file> -P sbom.cmake
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${REVISION} revision REGEX "deepfield_revision")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" revision "${revision}")
string(REPLACE "|" ";" without "${WITHOUT}")
file(STRINGS ${TABLE} rows REGEX "^\\| [^|]+ \\|.*\\|.*\\|")
set(components "")
foreach(row IN LISTS rows)
  string(REPLACE ";" "," row "${row}")
  string(REGEX REPLACE " *\\| *" ";" cells "x${row}x")
  list(GET cells 1 name)
  list(GET cells 8 module)
  list(GET cells 9 licence)
  if(licence STREQUAL "" OR licence STREQUAL "licence" OR name IN_LIST without)
    continue()
  endif()
  set(version "")
  if(PKG_CONFIG AND module)
    execute_process(COMMAND ${PKG_CONFIG} --modversion ${module}
      OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(version)
    set(version ", \"version\": \"${version}\"")
  endif()
  list(APPEND components "    { \"type\": \"library\", \"name\": \"${name}\"${version},
      \"licenses\": [{ \"expression\": \"${licence}\" }] }")
endforeach()
if(NOT "Nuklear" IN_LIST without) # it is in the tree, not in the table
  list(APPEND components "    { \"type\": \"library\", \"name\": \"Nuklear\",
      \"licenses\": [{ \"expression\": \"MIT OR Unlicense\" }] }")
endif()
list(JOIN components ",\n" components)
file(CONFIGURE OUTPUT ${OUT} CONTENT "{
  \"bomFormat\": \"CycloneDX\",
  \"specVersion\": \"1.5\",
  \"version\": 1,
  \"metadata\": {
    \"component\": {
      \"type\": \"application\", \"bom-ref\": \"deepfield\", \"name\": \"deepfield\", \"version\": \"${VERSION}\",
      \"licenses\": [{ \"license\": { \"id\": \"MIT\" } }],
      \"properties\": [{ \"name\": \"revision\", \"value\": \"${revision}\" }]
    }
  },
  \"components\": [
${components},
    { \"type\": \"file\", \"name\": \"DejaVuSans.ttf\", \"version\": \"2.37\",
      \"licenses\": [{ \"license\": { \"name\": \"DejaVu\" } }] }
  ]
}
")

# What Debian wants in each package, put into the folders that CPack packs: copyright, changelog, compressed
# manual pages, and no search path to libraries of the system.
set(copyright "")
file(READ ${CMAKE_CURRENT_LIST_DIR}/../.reuse/dep5 copyright)
foreach(licence MIT Unlicense LicenseRef-DejaVu)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../LICENSES/${licence}.txt lines)
  string(APPEND copyright "\nLicense: ${licence}\n")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[ \t]*$")
      set(line .)
    endif()
    string(APPEND copyright " ${line}\n")
  endforeach()
endforeach()
string(APPEND copyright "\nLicense: CC0-1.0\n On Debian its text is in /usr/share/common-licenses/CC0-1.0.\n")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} part)
  set(name ${CPACK_DEBIAN_${part}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${root}/share/doc/${name})
  file(WRITE ${documents}/copyright "${copyright}")
  file(WRITE ${documents}/changelog "deepfield (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md in the documents of deepfield.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB pages ${root}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB binaries ${root}/bin/deepfield ${root}/lib/libdeepfield.so.*.* ${root}/lib/*/libdeepfield.so.*.*)
  foreach(binary IN LISTS binaries)
    file(RPATH_REMOVE FILE ${binary})
  endforeach()
endforeach()

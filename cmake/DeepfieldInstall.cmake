# What is installed, in parts (`cmake --install build/release --component NAME`): program; library, what a
# program of others runs with; dev, what it is built with; python, the package; data, what all need.
include(CMakePackageConfigHelpers)
add_custom_target(installed) # what `cmake --install` needs, without the tests
add_dependencies(installed deepfield deepfield_shared)


install(DIRECTORY configs assets DESTINATION ${CMAKE_INSTALL_DATADIR}/deepfield COMPONENT data)
install(PROGRAMS packaging/selftest.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/deepfield RENAME selftest
  COMPONENT data)
install(DIRECTORY docs/guide DESTINATION ${CMAKE_INSTALL_DATADIR}/deepfield/docs COMPONENT data)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
install(FILES third_party/nuklear/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.nuklear
  COMPONENT data)

install(TARGETS deepfield COMPONENT program)
if(TARGET documents)
  add_dependencies(installed documents)
  set(documents ${PROJECT_BINARY_DIR}/documents)
  install(DIRECTORY ${documents}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
    FILES_MATCHING PATTERN *.1)
  install(FILES ${documents}/deepfield.bash RENAME deepfield COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${documents}/_deepfield DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT program)
  install(FILES ${documents}/deepfield.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT program)
endif()
install(DIRECTORY python/deepfield DESTINATION lib/python3/dist-packages COMPONENT python
  PATTERN __pycache__ EXCLUDE)

# What is inside, for those who have to know: each library with its version.
set(without cmocka)
foreach(pair "WINDOW;SDL2;SDL2_ttf;Nuklear" "WEBSOCKETS;libwebsockets" "LEAFLET;Leaflet" "ZSTD;Zstandard" "QRENCODE;libqrencode")
  list(POP_FRONT pair option)
  if(NOT DEEPFIELD_${option})
    list(APPEND without ${pair})
  endif()
endforeach()
if(NOT DEEPFIELD_CUDA_FOUND)
  list(APPEND without CUDA)
endif()
if(NOT DEEPFIELD_DEFLATE STREQUAL isal)
  list(APPEND without ISA-L)
endif()
list(JOIN without "|" without)
find_program(PKG_CONFIG_EXECUTABLE pkg-config)
mark_as_advanced(PKG_CONFIG_EXECUTABLE)
set(bill ${PROJECT_BINARY_DIR}/deepfield.cdx.json)
add_custom_command(OUTPUT ${bill}
  COMMAND ${CMAKE_COMMAND} -D TABLE=${PROJECT_SOURCE_DIR}/docs/dependencies.md -D VERSION=${DEEPFIELD_VERSION}
    -D REVISION=${PROJECT_BINARY_DIR}/library/revision.c "-DWITHOUT=${without}"
    "-DPKG_CONFIG=$<$<BOOL:${PKG_CONFIG_EXECUTABLE}>:${PKG_CONFIG_EXECUTABLE}>"
    -D OUT=${bill} -P ${PROJECT_SOURCE_DIR}/cmake/sbom.cmake
  DEPENDS docs/dependencies.md cmake/sbom.cmake ${PROJECT_BINARY_DIR}/library/revision.c VERBATIM)
add_custom_target(bill ALL DEPENDS ${bill})
add_dependencies(bill deepfield_revision)
add_dependencies(installed bill)
install(FILES ${bill} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)

# The window on a desktop: in its menu, and for files of its own.
if(DEEPFIELD_WINDOW)
  configure_file(packaging/desktop/deepfield.metainfo.xml.in ${PROJECT_BINARY_DIR}/deepfield.metainfo.xml @ONLY)
  install(FILES packaging/desktop/deepfield.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications
    COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/deepfield.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
    COMPONENT program)
  install(FILES packaging/desktop/deepfield.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME deepfield.xml COMPONENT program)
  install(FILES app/serve/page/icon.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
    RENAME deepfield.svg COMPONENT program)
endif()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
  -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)

# The tree may be moved: each file finds the others from where it lies itself.
set(packages ${CMAKE_INSTALL_LIBDIR}/cmake/deepfield)
install(TARGETS deepfield_shared EXPORT deepfield
  LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
install(FILES include/deepfield/deepfield.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/deepfield COMPONENT dev)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(EXPORT deepfield DESTINATION ${packages} NAMESPACE deepfield:: FILE deepfieldTargets.cmake COMPONENT dev)
configure_package_config_file(cmake/deepfieldConfig.cmake.in ${PROJECT_BINARY_DIR}/deepfieldConfig.cmake
  INSTALL_DESTINATION ${packages} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/deepfieldConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/deepfieldConfig.cmake ${PROJECT_BINARY_DIR}/deepfieldConfigVersion.cmake
  DESTINATION ${packages} COMPONENT dev)
file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix "${prefix}")
configure_file(cmake/deepfield.pc.in ${PROJECT_BINARY_DIR}/deepfield.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deepfield.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

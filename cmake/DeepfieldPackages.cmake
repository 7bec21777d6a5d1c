# Debian packages of the installed parts: `cpack -G DEB --config build/release/CPackConfig.cmake`.
set(CPACK_PACKAGE_NAME deepfield)
# Whoever packages answers for it, by the variables that Debian's tools read.
if(DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  cmake_host_system_information(RESULT host QUERY FQDN)
  set(maintainer "deepfield developers <deepfield@${host}>")
endif()
set(DEEPFIELD_MAINTAINER "${maintainer}" CACHE STRING "name <address> of the one who makes the packages")
set(CPACK_PACKAGE_CONTACT "${DEEPFIELD_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_COMPONENTS_ALL program library dev python data)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# deepfield_package(PART NAME SECTION SUMMARY DEPENDS): needed libraries are found by dpkg-shlibdeps.
function(deepfield_package part name section summary depends)
  set(row CPACK_DEBIAN_${part}_PACKAGE)
  string(TOLOWER ${part} component)
  set(${row}_NAME ${name} PARENT_SCOPE)
  set(${row}_SECTION ${section} PARENT_SCOPE)
  set(${row}_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${part}_DESCRIPTION "${summary}\nPictures, films and live views of the Mandelbrot set, its Julia sets and
more than 80 other formulas at any depth, on one machine or many ranks of
MPI, with iteration counts that are proven against multiprecision arithmetic." PARENT_SCOPE)
  set(${row}_SHLIBDEPS ON PARENT_SCOPE)
endfunction()
string(REPLACE - "~" CPACK_PACKAGE_VERSION ${DEEPFIELD_VERSION}) # 1.0.0~rc comes before 1.0.0
set(same "(= ${CPACK_PACKAGE_VERSION})")
deepfield_package(PROGRAM deepfield graphics "explorer and renderer of the Mandelbrot set: the program"
  "deepfield-data ${same}")
deepfield_package(LIBRARY libdeepfield${PROJECT_VERSION_MAJOR} libs
  "explorer and renderer of the Mandelbrot set: the library" "deepfield-data ${same}")
deepfield_package(DEV libdeepfield-dev libdevel
  "explorer and renderer of the Mandelbrot set: header and examples"
  "libdeepfield${PROJECT_VERSION_MAJOR} ${same}")
deepfield_package(PYTHON python3-deepfield python
  "explorer and renderer of the Mandelbrot set: the package for Python"
  "libdeepfield${PROJECT_VERSION_MAJOR} ${same}, python3 (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "deepfield, python3-mpi4py, python3-xarray")
deepfield_package(DATA deepfield-data graphics
  "explorer and renderer of the Mandelbrot set: views, palettes and guide" "")
set(CPACK_DEBIAN_DATA_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DATA_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
# A window, videos and ranks are looked for while the program runs.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libsdl2-2.0-0, libsdl2-ttf-2.0-0, openmpi-bin, ffmpeg")
include(CPack)

# Toolchain file: builds for 64-bit ARM on another machine, by Debian's cross compiler, with headers and
# libraries of a folder that cmake/arm64_root.sh makes. qemu runs the programs (tests/arm.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_STRIP aarch64-linux-gnu-strip)

set(DEEPFIELD_ARM64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root CACHE PATH
  "Headers and libraries of 64-bit ARM, as cmake/arm64_root.sh makes them")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DEEPFIELD_ARM64_ROOT)
get_filename_component(CMAKE_SYSROOT ${DEEPFIELD_ARM64_ROOT} REALPATH)
set(libraries ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu)
if(NOT EXISTS ${libraries})
  message(FATAL_ERROR "${CMAKE_SYSROOT} has no libraries of 64-bit ARM: make it by cmake/arm64_root.sh, or "
    "name another folder by -D DEEPFIELD_ARM64_ROOT=FOLDER")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})

# MPI's compiler wrapper is a program of the other machine: what it would say.
set(MPI_C_LIB_NAMES mpi)
set(MPI_mpi_LIBRARY ${libraries}/openmpi/lib/libmpi.so)
set(MPI_C_HEADER_DIR ${libraries}/openmpi/include)
set(MPI_SKIP_COMPILER_WRAPPER ON)

# Programs of the build and its tests run by emulation where qemu is there.
find_program(DEEPFIELD_QEMU NAMES qemu-aarch64-static qemu-aarch64)
mark_as_advanced(DEEPFIELD_QEMU)
if(DEEPFIELD_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${DEEPFIELD_QEMU} -L ${CMAKE_SYSROOT})
endif()

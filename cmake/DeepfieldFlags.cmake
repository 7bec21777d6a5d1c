# deepfield_flags: what every target of ours is compiled with.

add_library(deepfield_flags INTERFACE)
target_compile_features(deepfield_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# All goes into the program and into libdeepfield.so, which shows others what its header declares.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(deepfield_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(deepfield_flags INTERFACE _GNU_SOURCE)

# Exact arithmetic: contraction off, fused multiply-adds are written fma(). Never -ffast-math.
# -fno-trapping-math changes no value; it lets comparisons become selects, so that loops vectorise.
set(flags -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wundef -Wvla -Wformat=2 -Wwrite-strings
  $<$<C_COMPILER_ID:Clang>:-Wno-unused-function> # it counts those that lanes_*.h make by macros
  $<$<BOOL:${DEEPFIELD_WERROR}>:-Werror>)

if(DEEPFIELD_SANITIZE)
  list(APPEND flags
    -fsanitize=${DEEPFIELD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_definitions(deepfield_flags INTERFACE DEEPFIELD_SANITIZED) # kernels/always_inline.h
  target_link_options(deepfield_flags INTERFACE -fsanitize=${DEEPFIELD_SANITIZE})
else()
  # A distribution's own level stays, be it in its flags or in its compiler.
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Wno-error")
  check_c_source_compiles("#ifndef _FORTIFY_SOURCE\n#error\n#endif\nint main(void) { return 0; }"
    DEEPFIELD_FORTIFIED)
  unset(CMAKE_REQUIRED_FLAGS)
  list(APPEND flags
    -fstack-protector-strong $<$<CONFIG:Release>:$<$<NOT:$<BOOL:${DEEPFIELD_FORTIFIED}>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>>)
  target_link_options(deepfield_flags INTERFACE -Wl,-z,relro,-z,now)
  # Addresses to relocate as bits, a fiftieth of the size, which loaders since glibc 2.36 read.
  set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs,--fatal-warnings)
  check_c_source_compiles("#include <features.h>\n#if !__GLIBC_PREREQ(2, 36)\n#error\n#endif\n
    int main(void) { return 0; }" DEEPFIELD_RELR)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  target_link_options(deepfield_flags INTERFACE
    $<$<BOOL:${DEEPFIELD_RELR}>:-Wl,-z,pack-relative-relocs>)
endif()
target_compile_options(deepfield_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${flags}>")

# Kernels, which call nobody's functions, have no tables of unwinding: 0.2 MB. The stack that MPI prints
# after a crash ends at a kernel's frame, and is whole above them. A build with -g has those of debuggers.
set(DEEPFIELD_NO_UNWINDING "")
if(NOT DEEPFIELD_SANITIZE)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-fno-asynchronous-unwind-tables DEEPFIELD_UNWINDING_OPTION)
  if(DEEPFIELD_UNWINDING_OPTION)
    set(DEEPFIELD_NO_UNWINDING -fno-asynchronous-unwind-tables)
  endif()
endif()

# The same arithmetic on the GPU. No sanitizers: nvcc's host code is a few lines around launches.
# Machine code compressed for size is a quarter as large; the driver takes some milliseconds longer
# to load it. Drivers before CUDA 12.4 cannot read it, and those of CUDA 12 may be as old as 12.0.
set(cuda_flags -fmad=false -Xcompiler=-ffp-contract=off,-Wall,-Wextra
  $<$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,13>:--compress-mode=size>
  $<$<BOOL:${DEEPFIELD_WERROR}>:-Werror=all-warnings>)
target_compile_options(deepfield_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")

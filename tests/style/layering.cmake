# Which folder may include, and call, what? Reads every source of the product against the tables
# below and names each line that breaks them.
#
# usage: cmake -D ROOT=<source folder> -P layering.cmake
cmake_minimum_required(VERSION 3.25)

# Our own headers, as prefixes of what stands between the quotes. The folders are listed from the
# bottom up; ARCHITECTURE.md draws them.
set(own_kernels kernels/)
set(own_decomposition decomposition/ kernels/status.h kernels/field.h kernels/number_text.h kernels/stop.h)
set(own_render render/ decomposition/ kernels/)
set(own_library include/ library/ render/ decomposition/ kernels/)
set(own_app app/ include/ library/ render/ decomposition/ kernels/)

# What app/ may include besides itself: the interface of the engine, texts and settings, and rooms that
# compute no pixel. All else is reached by include/deepfield/deepfield.h, as other programs reach it.
set(open_to_app app/ include/ library/text/ library/config/ library/place/ library/settings/
  library/handle/program render/disk/ render/view/ render/window/ render/motion/
  render/colour/palette render/colour/blend render/colour/distribution render/colour/look_options
  render/colour/srgb render/device/background decomposition/thread/clock.h kernels/status.h kernels/stop.h
  kernels/number_text.h kernels/formula)
# bench measures the engine itself; launch opens MPI and tries what it can do, doctor asks what it is,
# and probe_result passes on what came of a trial.
set(engine_is_theirs app/bench/ app/launch/ app/doctor/job app/process/probe_result)
# program takes the world that launch has opened through the run, and ends it.
set(world_is_theirs app/command/program)
# tests/style/engine_calls.sh judges calls, which includes of includes allow.

# The rooms of a folder, from the bottom up: a file includes headers of its own room and of those
# before it. Files in the folder itself are of no room.
set(rooms_kernels escape formula orbit deep colour cpu cuda)
set(rooms_decomposition thread message world schedule transport pool)
set(rooms_render disk deflate view colour device reference find plan file worker picture growing truth motion live film window)
set(rooms_library text config place settings output film handle)
set(rooms_app process arguments settings report launch doctor http viewer serve bench command)
set(rooms_app_viewer input overlays screen kiosk files core panels play)

# Other people's libraries. kernels/cuda/ is the place of the CUDA backend, render/window/ of SDL;
# app/bench/ compares with the plain loop in MPFR, app/viewer/panels/ui.c has the widgets.
set(library_kernels omp.h gmp.h mpfr.h)
set(library_kernels_cuda cuda_runtime.h cuda.h cooperative_groups.h)
set(library_render_window SDL.h SDL_syswm.h SDL_ttf.h)
set(library_decomposition mpi.h mpi-ext.h xxhash.h xxh_x86dispatch.h zstd.h)
set(library_render isa-l/crc.h isa-l/igzip_lib.h json-c/json.h png.h tiffio.h turbojpeg.h webp/encode.h zlib.h openexr.h mpfr.h gmp.h omp.h xxhash.h)
set(library_library iniparser.h dictionary.h)
set(library_app "")
set(library_app_bench mpfr.h)
set(library_app_ui nuklear.h)
set(library_app_take_away qrencode.h)
set(library_app_serve libwebsockets.h turbojpeg.h webp/encode.h)

# The language, the compiler, POSIX. A header that is in none of the tables is refused: add it where
# it belongs. kernels/ gets no POSIX but threads, what finds out about processors and NVRTC.
set(language assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h
  signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h)
set(posix dirent.h fcntl.h getopt.h glob.h libgen.h poll.h pthread.h sched.h spawn.h strings.h
  sys/mman.h sys/prctl.h sys/resource.h sys/stat.h sys/statvfs.h sys/sysinfo.h sys/time.h
  sys/types.h sys/utsname.h sys/wait.h unistd.h)
set(system_kernels ${language} immintrin.h arm_neon.h cpuid.h pthread.h sched.h unistd.h dlfcn.h)
set(system_decomposition ${language} ${posix} dlfcn.h ifaddrs.h linux/futex.h net/if.h netdb.h
  netinet/in.h netinet/tcp.h sys/eventfd.h sys/random.h sys/socket.h sys/syscall.h sys/un.h)
set(system_render ${language} ${posix} complex.h immintrin.h sys/file.h sys/syscall.h linux/fs.h dlfcn.h)
set(system_library ${language} ${posix} dlfcn.h link.h)
list(REMOVE_ITEM system_library getopt.h signal.h spawn.h sys/wait.h)
set(system_app ${language} ${posix} arpa/inet.h link.h malloc.h netinet/in.h sys/auxv.h sys/random.h sys/socket.h sys/syscall.h sys/un.h)

# Functions that a folder must not call, as a regular expression of names, and why.
set(banned_everywhere "gets|strcpy|strcat|sprintf|vsprintf|atoi|atol|atof|strto(d|f|l|ll|ld|ul|ull|imax|umax)(_l)?|system|popen|tmpnam|mktemp")
set(why_everywhere "unsafe or unchecked; there is a strict way (of numbers: kernels/number_text.h)")
set(banned_kernels "printf|fprintf|puts|fputs|putchar|fopen|fdopen|open|getenv")
set(why_kernels "kernels/ does arithmetic: no files, printing or environment")
set(banned_decomposition "printf|puts|putchar|fopen|MPI_Abort|MPI_Init|MPI_Init_thread|MPI_Finalize")
set(why_decomposition "decomposition/ reports by status, in the MPI of others: no printing, files or ends")
set(banned_render "printf|puts|putchar|getenv")
set(why_render "render/ reports by status and is told what to do: no stdout or environment")
set(banned_library "printf|puts|putchar|getenv|getopt|getopt_long")
set(why_library "library/ is called by programs of others: no stdout, environment or arguments")
set(banned_app "")

# Below app/ the engine is a guest in the process of a caller.
set(banned_of_guests "setenv|unsetenv|putenv|clearenv|exit|_exit|_Exit|quick_exit|abort|raise|atexit|on_exit|signal|sigaction|alarm|setitimer|fork|vfork|daemon|umask|chdir|setlocale|setrlimit|srand|omp_set_[a-z_]+")
set(why_of_guests "the process belongs to the caller: its end, environment, signals, children and settings are not ours (struct world_hooks)")

# Where others may write, a path leads where they like: names are opened in a folder that is open.
set(banned_by_path "open|openat|fopen|freopen|creat|rename|unlink|mkdir|mkdirat|opendir|rmdir|link|symlink|mknod|mkfifo|mkstemp|mkdtemp|remove|scandir|truncate|chmod|chown")
set(why_by_path "render/disk/folder.h opens, lists, makes, renames and removes")

# The world that starts MPI also ends it, and world_abort all of its ranks: that is its promise. The
# threads of a sink are set for one call, and set back.
set(excused "decomposition/world/world.c: MPI_Abort" "decomposition/world/world.c: MPI_Init_thread"
  "decomposition/world/world.c: MPI_Finalize" "render/file/sink.c: omp_set_num_threads")
list(APPEND excused "kernels/number_text.c: strtod_l" "kernels/number_text.c: strtoll")
# What opens for all others; pipe.c what the user names to be written to as it is: pipes, devices,
# --log-json.
list(APPEND excused "render/disk/folder.c: open" "render/disk/folder.c: openat" "render/disk/folder.c: mkdir"
  "render/disk/folder.c: mkdirat" "render/disk/temporary_file.c: openat" "render/disk/atomic_file.c: openat"
  "render/disk/pipe.c: open")
# /proc, /sys, /dev and /dev/shm, where names are the system's, or this user's sessions of MPI.
list(APPEND excused "decomposition/world/launcher.c: open" "decomposition/world/launcher.c: opendir"
  "app/launch/trial.c: open" "decomposition/transport/segment.c: open"
  "decomposition/transport/segment_block.c: open" "render/disk/memory.c: fopen" "render/film/video/film_process.c: open"
  "app/launch/launch.c: fopen" "app/launch/launch.c: open" "app/launch/launch_leftovers.c: fopen"
  "app/launch/launch_leftovers.c: openat" "app/launch/launch_leftovers.c: opendir" "app/viewer/screen/figures.c: fopen")

# Adds "file:line: rule" for the first place of `needle` in the text of `file`.
function(violation file text needle rule)
  string(FIND "${text}" "${needle}" place)
  string(SUBSTRING "${text}" 0 ${place} before)
  string(REGEX REPLACE "[^\n]" "" newlines "${before}")
  string(LENGTH "x${newlines}" line)
  set_property(GLOBAL APPEND_STRING PROPERTY violations "  ${file}:${line}: ${rule}\n")
endfunction()

# Does `header` begin with one of the prefixes?
function(begins_with_one_of header prefixes result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(prefix IN LISTS prefixes)
    string(FIND "${header}" "${prefix}" place)
    if(place EQUAL 0)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(check_own file text directive header folder)
  begins_with_one_of("${header}" "${own_${folder}}" allowed)
  if(NOT allowed)
    string(REPLACE ";" " " table "${own_${folder}}")
    violation("${file}" "${text}" "${directive}"
      "\"${header}\": ${folder}/ may include ${table} only, each by its full path")
  elseif(NOT EXISTS "${ROOT}/${header}")
    violation("${file}" "${text}" "${directive}" "\"${header}\" does not exist")
  endif()
endfunction()

# app/ is a client of the interface.
function(check_wall file text directive header)
  begins_with_one_of("${file}" "${engine_is_theirs}" theirs)
  begins_with_one_of("${header}" "${open_to_app}" open)
  begins_with_one_of("${file}" "${world_is_theirs}" runs)
  begins_with_one_of("${header}" "decomposition/world/" world)
  if(theirs OR open OR (runs AND world))
    return()
  endif()
  violation("${file}" "${text}" "${directive}"
    "\"${header}\": app/ reaches the engine by include/deepfield/deepfield.h (open_to_app in tests/style/layering.cmake)")
endfunction()

# The room of a path below `folder`, and its place among the rooms: empty, -1 for none.
function(room_of path folder name place)
  set(room "")
  if(path MATCHES "^${folder}/([^/]+)/")
    set(room "${CMAKE_MATCH_1}")
  endif()
  string(REPLACE "/" "_" rooms "rooms_${folder}")
  list(FIND ${rooms} "${room}" at)
  set(${name} "${room}" PARENT_SCOPE)
  set(${place} ${at} PARENT_SCOPE)
endfunction()

function(check_rooms file text directive header folder)
  room_of("${file}" ${folder} from from_place)
  room_of("${header}" ${folder} to to_place)
  if(from AND to AND from_place LESS to_place)
    violation("${file}" "${text}" "${directive}"
      "\"${header}\": ${folder}/${from}/ -> ${folder}/${to}/ goes up (the order of rooms: tests/style/layering.cmake)")
  endif()
endfunction()

function(check_foreign file text directive header folder)
  set(allowed ${system_${folder}} ${library_${folder}})
  if("${file}" MATCHES "^kernels/cuda/")
    list(APPEND allowed ${library_kernels_cuda})
  endif()
  if("${file}" MATCHES "^app/bench/")
    list(APPEND allowed ${library_app_bench})
  endif()
  if("${file}" MATCHES "^app/(http/(http_server[.]h|http_server[.]c|share_server[.]c|status_server[.]c|tls[.]c)|serve/(page_server|cell_cache|bookmark_picture)[.]c)$")
    list(APPEND allowed ${library_app_serve})
  endif()
  if("${file}" STREQUAL "app/viewer/kiosk/take_away.c")
    list(APPEND allowed ${library_app_take_away})
  endif()
  if("${file}" STREQUAL "app/viewer/panels/ui.c")
    list(APPEND allowed ${library_app_ui})
  endif()
  if("${file}" MATCHES "^render/window/([a-z_]+[.]c|sdl[.]h)$")
    list(APPEND allowed ${library_render_window})
  endif()
  if(NOT "${header}" IN_LIST allowed)
    violation("${file}" "${text}" "${directive}"
      "<${header}> is not among the headers that ${folder}/ may include (tests/style/layering.cmake)")
  endif()
endfunction()

# Calls of the functions named by `names`, outside comments and strings.
function(check_calls file text names why)
  if(NOT "${names}" STREQUAL "")
    string(REGEX MATCHALL "[^A-Za-z0-9_.>](${names})[ ]*\\(" calls "${text}")
    foreach(call IN LISTS calls)
      string(REGEX REPLACE "[^A-Za-z_]" "" name "${call}")
      if(NOT "${file}: ${name}" IN_LIST excused)
        violation("${file}" "${text}" "${call}" "${name}(): ${why}")
      endif()
    endforeach()
  endif()
endfunction()

# The text with comments and string literals blanked, so that lines keep their numbers.
function(code_of text result)
  string(REPLACE "'\"'" "' '" text "${text}")
  string(REGEX REPLACE "\\\\[^\n]" "" text "${text}")
  string(REGEX REPLACE "\"[^\"\n]*\"" "\"\"" text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  set(code "")
  while(TRUE)
    string(FIND "${text}" "/*" from)
    if(from EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${from} before)
    string(SUBSTRING "${text}" ${from} -1 text)
    string(FIND "${text}" "*/" to)
    if(to EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${to} comment)
    string(REGEX REPLACE "[^\n]" "" comment "${comment}")
    math(EXPR to "${to} + 2")
    string(SUBSTRING "${text}" ${to} -1 text)
    string(APPEND code "${before} ${comment}")
  endwhile()
  set(${result} "${code}${text}" PARENT_SCOPE)
endfunction()

function(check_file file folder)
  file(READ "${ROOT}/${file}" text)
  # Semicolons and square brackets would cut CMake's lists; no rule looks at them.
  string(REGEX REPLACE "[][;]" " " text "${text}")

  string(REGEX MATCHALL "\n[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]*[>\"]" directives "\n${text}")
  foreach(directive IN LISTS directives)
    string(STRIP "${directive}" directive)
    string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" header "${directive}")
    if(directive MATCHES "\"")
      check_own("${file}" "${text}" "${directive}" "${header}" ${folder})
      check_rooms("${file}" "${text}" "${directive}" "${header}" ${folder})
      if(folder STREQUAL app)
        check_rooms("${file}" "${text}" "${directive}" "${header}" app/viewer)
        check_wall("${file}" "${text}" "${directive}" "${header}")
      endif()
    else()
      check_foreign("${file}" "${text}" "${directive}" "${header}" ${folder})
    endif()
  endforeach()

  code_of("${text}" code)
  check_calls("${file}" "${code}" "${banned_everywhere}" "${why_everywhere}")
  check_calls("${file}" "${code}" "${banned_${folder}}" "${why_${folder}}")
  if(NOT folder STREQUAL app)
    check_calls("${file}" "${code}" "${banned_of_guests}" "${why_of_guests}")
  endif()
  check_calls("${file}" "${code}" "${banned_by_path}" "${why_by_path}")
  if(code MATCHES "\nint main\\(" AND NOT "${file}" STREQUAL "app/main.c")
    violation("${file}" "${code}" "int main(" "the only main is in app/main.c")
  endif()
endfunction()

# A room without a row, or a row without a room.
function(check_room_list folder)
  string(REPLACE "/" "_" rooms "rooms_${folder}")
  file(GLOB found RELATIVE "${ROOT}/${folder}" LIST_DIRECTORIES TRUE "${ROOT}/${folder}/*")
  foreach(room IN LISTS found)
    if(IS_DIRECTORY "${ROOT}/${folder}/${room}" AND NOT room IN_LIST ${rooms})
      set_property(GLOBAL APPEND_STRING PROPERTY violations
        "  ${folder}/${room}/ has no place among ${rooms}\n")
    endif()
  endforeach()
endfunction()

set(files_seen 0)
foreach(folder kernels decomposition render library app app/viewer)
  check_room_list(${folder})
endforeach()
foreach(folder kernels decomposition render library app)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${folder}/*.[ch]" "${ROOT}/${folder}/*.inc"
    "${ROOT}/${folder}/*.cu" "${ROOT}/${folder}/*.cuh")
  foreach(file IN LISTS files)
    check_file("${file}" ${folder})
    math(EXPR files_seen "${files_seen} + 1")
  endforeach()
endforeach()

# The order of rooms as the README of a folder shows it is this one.
foreach(folder kernels decomposition library app)
  if(EXISTS "${ROOT}/${folder}/README.md")
    file(STRINGS "${ROOT}/${folder}/README.md" shown REGEX "->")
    string(REGEX REPLACE "[`/ ]" "" shown "${shown}")
    string(REPLACE "->" ";" shown "${shown}")
    if(NOT "${shown}" STREQUAL "${rooms_${folder}}")
      violation("${folder}/README.md" "" "" "its rooms are ${rooms_${folder}}, not ${shown}")
    endif()
  endif()
endforeach()

if(files_seen EQUAL 0)
  message(FATAL_ERROR "no sources below ${ROOT}")
endif()
get_property(violations GLOBAL PROPERTY violations)
if(violations)
  message(FATAL_ERROR "layering:\n${violations}")
endif()
message("${files_seen} files keep to the layers")

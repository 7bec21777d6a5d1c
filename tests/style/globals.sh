#!/usr/bin/env bash
# Which variables does a process have once that can change? Two renderers in two threads share them.
# usage: globals.sh LIBRARY...
#
# Looks at the symbols of the archives, so nothing that is compiled escapes. Variables of threads
# are not among them. A new one is named below with the reason why two callers may share it.
set -euo pipefail
shared=$(sed 's/ *#.*//' <<'LIST'
colour.c transfer        # written once, by pthread_once
colour.c kernels
colour.c begun
palette_load.c kept      # cache under a mutex
palette_load.c kept_next
palette_load.c kept_mutex
memory.c last            # the same
atomic_file.c nameless_last
atomic_file.c nameless_mutex
folder_clear.c last
folder_clear.c last_s
folder_clear.c said
folder_clear.c mutex
device_set.c adding      # a mutex
ini.c one_at_a_time      # a mutex around iniparser
picture_ahead.c one_at_a_time # a mutex around the look at files that are there
folder_clear.c listener  # set by the program; atomic
folder_clear.c seldom
pipe.c waits_tell
sentence.c flags_kept    # set by the program; atomic
temporary_file.c sequence # numbers that differ in one process; atomic
picture.c jobs_begun
reference.c made
cuda_calls.c cuda_fault  # set by tests of failing calls alone
cuda_own.c kept          # compiled formulas, in a critical section
cuda_own.c architecture
cuda_own.c kept_count
cuda_own.c nvrtc_state
cuda_own.c nvrtc
LIST
)
found=$(objdump -t -- "$@" | awk '
    / file format / { sub(/\.o:.*/, ""); file = $0 }
    file !~ /\.c$/ { next }
    $0 ~ / O \.(bss|data)(\.rel(\.local)?)?\t/ || $0 ~ / O \*COM\*\t/ {
        name = $NF; sub(/\.[0-9]+$/, "", name); sub(/^.*\./, "", name)
        if (name !~ /^(__|gomp_critical_user_)/) print file " " name
    }' | sort -u)
new=$(comm -23 <(printf '%s\n' "$found") <(sort -u <<<"$shared"))
if [[ $new ]]; then
    printf 'Variables of the whole process that can change (tests/style/globals.sh):\n%s\n' "$new"
    exit 1
fi
printf '%d variables, all with a reason\n' "$(wc -l <<<"$found")"

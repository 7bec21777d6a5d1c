#!/usr/bin/env bash
# share/deepfield/selftest: all of its checks pass here, as lines and as JSON; a program that computes other
# counts, or hangs, is found. Without --quick those that wait, too.
# usage: selftest.sh DEEPFIELD SCRATCH SCHEMA_CHECK SOURCE-FOLDER [--quick]
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
schema_check=$3 source=$4
selftest=$source/packaging/selftest.sh
export SELFTEST_SECONDS=280

# tried CODE WORDS...: what it prints is in `out`, and nothing of it is left.
tried() {
    local code=0 wanted=$1
    shift
    "$selftest" "$@" >out 2>message || code=$?
    [[ $code == "$wanted" ]] || complain "selftest $*: code $code, not $wanted: $(cat out message)"
    ! compgen -G 'deepfield-selftest.*' >/dev/null || complain "selftest $*: its folder is left"
}

tried 0 --deepfield "$deepfield" --json "${@:5}"
"$schema_check" "$source/configs/deepfield.schema.json" <out || complain "its JSON: $(<out)"
for name in program libraries doctor nodes still; do
    grep -q "\"check\":\"$name\",\"result\":\"ok\"" out || complain "$name is not ok: $(<out)"
done
if [[ ! ${5-} ]]; then
    for name in film resume; do
        grep -q "\"check\":\"$name\",\"result\":\"ok\"" out || complain "$name is not ok: $(<out)"
    done
    tried 0 --deepfield "$deepfield" --launcher mpirun --ranks 2
    grep -q '^ok *nodes .* 2 ranks on' out || complain "mpirun: $(<out)"
fi

# Another place, and no end.
cat >other <<SCRIPT
#!/bin/sh
[ "\$1 \$2" != 'render seahorse' ] || { shift 2; set -- render elephant "\$@"; }
[ "\$1" != doctor ] || exec sleep 300
exec "$deepfield" "\$@"
SCRIPT
chmod +x other
SELFTEST_SECONDS=3 tried 1 --deepfield other --quick
grep -qE '^FAILED +doctor .*it hangs' out || complain "a hanging doctor: $(<out)"
sed -i '/doctor/d' other
tried 1 --deepfield other --quick --ranks 2
grep -qE '^FAILED +still .*counts of seahorse are others' out || complain "other counts: $(<out)"

for words in --nonsense '--ranks 0' '--folder /nowhere' '--deepfield /nowhere' '--launcher ssh'; do
    # shellcheck disable=SC2086 # several words
    tried 64 $words
done
verdict

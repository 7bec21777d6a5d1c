#!/bin/bash
# The promise of the project, on the real program: the same counts and fractions, byte for byte, for
# every backend, number of threads, tile size, number of ranks, schedule and transport.
# usage: same_bytes.sh DEEPFIELD SCRATCH [deep | julia]: by direct iteration of z^2 + c, by perturbation,
#        or of a Julia set
set -euo pipefail
deepfield=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
planes=(count fraction)
view=(seahorse --size 333x211 --limit 3000 --accuracy 0.05 --quiet)
if [ "${3-}" = deep ]; then
    planes+=(distance)
    # an example of Kalles Fraktaler; a pixel is 2^-170 of c
    printf '%s\n' '[view]' \
        're = -0.0494700290631040937516922267273536301187457124882248793181049' \
        'im = -0.6747875758446753640113920531305976563347707068224034806979997' \
        'zoom = 1e50' 'limit = 263010' > deep.ini
    view=(deep.ini --size 203x111 --quiet --planes "count,fraction,distance")
fi
if [ "${3-}" = julia ]; then
    view=(julia-seahorse --size 333x211 --limit 3000 --quiet)
fi
failures=0
runs=0

# same LABEL OPTIONS...: renders with the options and compares with the first picture.
same() {
    local label=$1
    shift
    runs=$((runs + 1))
    rm -f other.*.npy
    if ! "$deepfield" render "${view[@]}" -o other.npy "$@" > other.log 2>&1; then
        echo "FAILED $label: $(tail -n 1 other.log)"
        failures=$((failures + 1))
        return
    fi
    for plane in "${planes[@]}"; do
        if ! cmp -s "first.$plane.npy" "other.$plane.npy"; then
            echo "DIFFERS $label: plane $plane"
            failures=$((failures + 1))
        fi
    done
}

"$deepfield" render "${view[@]}" -o first.npy --backend scalar --threads 1 > first.log

for backend in $("$deepfield" devices | awk '$2 == "available" { print $1 }'); do
    for threads in 1 2 5; do
        same "$backend, $threads threads" --backend "$backend" --threads "$threads"
    done
done
for tile in 8 17 64 300 8192; do
    same "tiles of $tile" --tile "$tile"
done
for ranks in 2 3 5; do
    for schedule in cyclic dynamic; do
        for transport in auto shared staged sent gatherv; do
            same "$ranks ranks, $schedule, $transport" --ranks "$ranks" --schedule "$schedule" \
                --transport "$transport" --tile 32
        done
    done
done
for ranks in 1 3 5; do
    for transport in auto staged gatherv; do
        [ "$ranks" = 1 ] && [ "$transport" != auto ] && continue
        same "$ranks ranks, a forecast, $transport" --ranks "$ranks" --schedule dynamic \
            --forecast on --transport "$transport"
    done
done
for transport in sent gatherv; do # where it is not proven, host memory does
    same "3 ranks, $transport, device memory through MPI" --ranks 3 --transport "$transport" \
        --mpi-device
done
same "7 ranks, more than tiles" --ranks 7 --tile 200
echo "$runs runs, $failures failures"
[ "$failures" = 0 ]

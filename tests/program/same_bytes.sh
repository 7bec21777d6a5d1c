#!/bin/bash
# The promise of the project, on the real program: the same counts and fractions, byte for byte, for
# every backend, number of threads, tile size, number of ranks, schedule and transport. The three
# pictures together meet every pair of what they, ranks, schedules and transports can be, and of
# backends and threads; with
# DEEPFIELD_LONG=1 each picture meets the whole product. (tests/decomposition/mpi_job.c proves the
# product of schedules and transports in one process per rank.)
# usage: same_bytes.sh DEEPFIELD SCRATCH [deep | julia]: by direct iteration of z^2 + c, by perturbation,
#        or of a Julia set
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
planes=(count fraction period inside)
view=(seahorse --size 171x109 --limit 3000 --accuracy 0.05 --quiet --planes "count,fraction,period,inside")
picture=0 # its number of three
if [ "${3-}" = deep ]; then
    picture=1
    planes=(count fraction distance_x distance_y phase)
    # an example of Kalles Fraktaler; a pixel is 2^-170 of c
    printf '%s\n' '[view]' \
        're = -0.0494700290631040937516922267273536301187457124882248793181049' \
        'im = -0.6747875758446753640113920531305976563347707068224034806979997' \
        'zoom = 1e50' 'limit = 263010' > deep.ini
    view=(deep.ini --size 101x57 --accuracy 1e-9 --quiet --planes "count,fraction,distance,phase")
fi
if [ "${3-}" = julia ]; then
    picture=2
    planes=(count fraction distance_x distance_y phase period)
    view=(julia-seahorse --size 171x109 --limit 3000 --quiet --planes "count,fraction,distance,phase,period")
fi
runs=0

# same LABEL OPTIONS...: renders with the options and compares with the first picture.
same() {
    local label=$1
    shift
    runs=$((runs + 1))
    rm -f other.*.npy other.planes.json
    if ! "$deepfield" render "${view[@]}" -o other.npy "$@" > other.log 2>&1; then
        complain "$label: $(tail -n 1 other.log)"
        return
    fi
    for plane in "${planes[@]}"; do
        if ! cmp -s "first.$plane.npy" "other.$plane.npy"; then
            complain "DIFFERS $label: plane $plane"
        fi
    done
}

"$deepfield" render "${view[@]}" -o first.npy --backend scalar --threads 1 > first.log

turn=$picture
for backend in $("$deepfield" devices | awk '$2 == "yes" { print $1 }'); do
    for threads in 1 2 5; do
        turn=$((turn + 1))
        if [ "${DEEPFIELD_LONG-}" ] || [ $((turn % 3)) = 0 ]; then
            same "$backend, $threads threads" --backend "$backend" --threads "$threads"
        fi
    done
    turn=$((turn + 1)) # another number of threads for the next
done
turn=$picture
for tile in 8 17 64 150 8192; do # two pictures meet each
    turn=$((turn + 1))
    if [ "${DEEPFIELD_LONG-}" ] || [ $((turn % 3)) != 0 ]; then
        same "tiles of $tile" --tile "$tile"
    fi
done

# What the sum of the numbers of ranks and transport leaves over by 3 and by 2 is the picture and the
# schedule: so every two of the four meet.
covered() { # NUMBER-OF-RANKS NUMBER-OF-TRANSPORT [NUMBER-OF-SCHEDULE]
    local sum=$(($1 + $2))
    [ "${DEEPFIELD_LONG-}" ] || { [ $((sum % 3)) = "$picture" ] && [ "${3-$((sum % 2))}" = $((sum % 2)) ]; }
}

ranks=(2 3 5) schedules=(cyclic dynamic) transports=(auto shared staged sent gatherv)
for r in 0 1 2; do
    for s in 0 1; do
        for t in 0 1 2 3 4; do
            ! covered $r $t $s || same "${ranks[r]} ranks, ${schedules[s]}, ${transports[t]}" \
                --ranks "${ranks[r]}" --schedule "${schedules[s]}" --transport "${transports[t]}" --tile 32
        done
    done
done
same "1 rank, a forecast" --ranks 1 --schedule dynamic --forecast on
ranks=(3 5) transports=(auto staged gatherv)
for r in 0 1; do
    for t in 0 1 2; do
        ! covered $r $t || same "${ranks[r]} ranks, a forecast, ${transports[t]}" --ranks "${ranks[r]}" \
            --schedule dynamic --forecast on --transport "${transports[t]}"
    done
done
transports=(sent gatherv)
for t in 0 1; do # where it is not proven, host memory does
    ! covered 0 $t || same "3 ranks, ${transports[t]}, device memory through MPI" --ranks 3 \
        --transport "${transports[t]}" --mpi-device
done
for packing in always never; do
    if "$deepfield" render "${view[@]}" -o other.npy --ranks 2 --set compute.packing="$packing" 2>&1 |
        grep -q 'built without zstd'; then
        continue
    fi
    same "3 ranks, pixels packed: $packing" --ranks 3 --transport staged --set compute.packing="$packing"
done
same "7 ranks, more than tiles" --ranks 7 --tile 100
echo "$runs runs"
verdict

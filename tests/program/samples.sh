#!/bin/bash
# Samples of a pixel, on the real program: the same bytes for any ranks, tiles, schedules and
# transports; planes stay those of the centres; what is wanted is said, and can be stopped.
# usage: samples.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"

# picture NAME OPTIONS...: renders NAME.png and NAME.*.npy.
picture() {
    local name=$1
    shift
    "$deepfield" render "$@" --quiet --force -o "$name.png" -o "$name.npy" > "$name.log" 2>&1 ||
        complain "$name: $(tail -n 1 "$name.log")"
}

# same A B LABEL: both pictures and their planes.
same() {
    for file in png count.npy fraction.npy; do
        cmp -s "$1.$file" "$2.$file" || complain "$3: $1.$file and $2.$file differ"
    done
}

# an example of Kalles Fraktaler; a pixel is 2^-170 of c
printf '%s\n' '[view]' \
    're = -0.0494700290631040937516922267273536301187457124882248793181049' \
    'im = -0.6747875758446753640113920531305976563347707068224034806979997' \
    'zoom = 1e50' 'limit = 263010' '[look]' 'density = 64' > deep.ini
shallow=(seahorse --size 75x47 --limit 1000)
for kind in shallow deep; do
    view=("${shallow[@]}")
    [ "$kind" = shallow ] || view=(deep.ini --size 40x23)
    for samples in 5 auto; do
        first=$kind-$samples
        picture "$first" "${view[@]}" --samples "$samples" --threads 1
        picture other "${view[@]}" --samples "$samples" --threads 3 --tile 16 --schedule dynamic
        same "$first" other "$first, tiles"
        ways=("2 --transport gatherv --schedule cyclic" "3 --transport staged --forecast on" 3)
        [ "$kind-$samples" = deep-auto ] || ways=("${ways[2]}")
        [ "$kind-$samples" != shallow-5 ] || ways=()
        for way in "${ways[@]}"; do
            read -ra ranks <<< "$way"
            picture other "${view[@]}" --samples "$samples" --ranks "${ranks[@]}"
            same "$first" other "$first, ranks $way"
        done
    done
    picture plain "${view[@]}"
    for plane in count fraction; do
        cmp -s "plain.$plane.npy" "$kind-5.$plane.npy" || complain "$kind: $plane is not the centres'"
    done
    ! cmp -s plain.png "$kind-5.png" || complain "$kind: 5 samples look like one"
done

# A picture brings its samples with it.
"$deepfield" render shallow-5.png -q -f -o again.png > /dev/null
cmp -s shallow-5.png again.png || complain "a picture rendered from itself differs"

# What is wanted is said.
"$deepfield" render seahorse --samples 16 --dry-run > said.txt
grep -q '^samples  *16 a pixel, averaged' said.txt || complain "--dry-run: $(cat said.txt)"
grep -q 'mean of the samples 23.7 MiB' said.txt || complain "--dry-run: no memory for the mean"
"$deepfield" render seahorse --samples auto --dry-run --json > said.json
grep -q '"samples":null,' said.json || complain "--json: $(cat said.json)"
"$deepfield" render "${shallow[@]}" --samples 3 --json --force -o said.png > said.json 2> /dev/null
grep -q '"samples_per_pixel":3,' said.json || complain "--json: $(cat said.json)"

# Stopped on the way: at once, and nothing is left behind.
rm -rf stopped
mkdir stopped
"$deepfield" render seahorse --size 150x91 --samples 1024 --limit 100000 --ranks 2 --set output.journal=0 \
    -o stopped/x.png > stop.log 2>&1 &
pid=$!
busy "$pid" 10 || complain "no rank computes"
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 75 ] || complain "stopped: code $code, $(cat stop.log)"
[ -z "$(ls -A stopped)" ] || complain "stopped: $(ls -A stopped) is left"

verdict

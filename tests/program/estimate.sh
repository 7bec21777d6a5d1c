#!/bin/bash
# --dry-run says how long a picture or a film takes, from samples, on one rank and on three, and
# computes or writes nothing else. With DEEPFIELD_LONG=1 pictures are computed too, and have taken as
# long within a factor of 3, which is more than other programs on the same cores change.
# usage: estimate.sh DEEPFIELD FOLDER
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
export OMP_WAIT_POLICY=passive # others want the cores, too

# number NAME <JSON: the first member of that name
number() {
    grep -oE "\"$1\":[^,}]*" | head -n 1 | cut -d: -f2
}

# holds EXPRESSION: of numbers
holds() {
    awk "BEGIN { exit !($1) }"
}

sampled_text() {
    local label=$1
    shift
    "$deepfield" "$@" --dry-run >said 2>message || complain "$label: code $?"
    # On a busy machine an orbit may take longer than a dry run waits for.
    [[ $label == deep ]] && grep -q '^time .* for the reference orbit alone; no pixel was sampled' said ||
        [[ $(grep -cE '^time +(about [0-9.]+ (to [0-9.]+ )?(s|min|h|days)|less than 1 s) on [0-9]+ (CPU core|GPU)s?[,:] ' said) -eq 1 ]] ||
        complain "$label: $(grep '^time' said)"
}

# sampled LABEL OPTIONS...
sampled() {
    local label=$1 least most parts
    shift
    # The text of those that sample the most is that of the others.
    [[ $label == @(adaptive|strips|frames) && ! ${DEEPFIELD_LONG-} ]] || sampled_text "$label" "$@"
    "$deepfield" "$@" --dry-run --json >said 2>message || complain "$label: code $?"
    least=$(number seconds_least <said) most=$(number seconds_most <said)
    parts="$(number reference <said) + $(number compute <said) + $(number write <said)"
    [[ $label == deep && $(number reference_cut <said) == true ]] ||
        holds "$least > 0 && $least < $most && $parts > 0.5 * $least && $parts < $most && $(number windows <said) >= 1" ||
        complain "$label: $(cat said)"
    [[ -z $(find . -newer before ! -name said ! -name message ! -name .) ]] || complain "$label: it has left $(ls)"
}

# ---- said ----
printf '%s\n' '[view]' \
    're = -0.0494700290631040937516922267273536301187457124882248793181049' \
    'im = -0.6747875758446753640113920531305976563347707068224034806979997' \
    'zoom = 1e50' 'limit = 263010' >deep.ini
printf '[view]\nre = -0.75\nim = 0\nzoom = 1e30\nlimit = 9000000000000000000\n' >endless.ini
touch before
small=(render seahorse --size 640x360 --limit 1000)
sampled shallow "${small[@]}" -o x.png -o x.exr -o x.npy -o x.tif
sampled pyramid "${small[@]}" --samples 2 -o x.dzi
sampled adaptive "${small[@]}" --samples auto --size 320x180 # several windows
sampled deep render deep.ini --size 320x180 -o x.png
sampled strips render whole-set --size 20000x20000 --memory 0.0625 -o x.png
sampled ranks "${small[@]}" --ranks 3
film=(film seahorse --to 1e4 --seconds 2 --fps 25 --size 128x72 -o x.y4m)
sampled film "${film[@]}"
[[ $(number file_bytes <said) == 691563 ]] || complain "the file: $(cat said)"
! "$deepfield" "${film[@]}" --dry-run | grep encoder || complain "there is no encoder"
sampled frames "${film[@]}" --method frames --ranks 2
"$deepfield" "${small[@]}" --dry-run --quiet >said
! grep -q '^time' said || complain "--quiet samples"
# The reference orbit alone takes for ever.
"$deepfield" render endless.ini --size 64x36 --dry-run >said 2>message || complain "endless: code $?"
grep -q '^time .* for the reference orbit alone; no pixel was sampled' said || complain "endless: $(cat said)"
[[ ${DEEPFIELD_LONG-} ]] || verdict

# ---- and true ----
true_within() { # LABEL OPTIONS...: the median of three
    local label=$1 ratio
    shift
    for _ in 1 2 3; do
        "$deepfield" "$@" --dry-run --json --force >said 2>message
        "$deepfield" "$@" --json --force >made 2>message
        ratio=$(awk "BEGIN { print ($(number compute <said) + $(number write <said)) / \
            ($(number compute <made) + $(number write <made)) }")
        echo "$ratio"
    done | sort -g >ratios
    ratio=$(sed -n 2p ratios)
    echo "$label: predicted $ratio of what it took"
    holds "$ratio > 1 / 3 && $ratio < 3" || complain "$label: predicted $ratio of what it took"
}
rm -f x.*
true_within shallow render seahorse --size 3840x2160 -o x.png
true_within whole render whole-set --size 6000x6000 -o x.tif
true_within deep render deep.ini --size 640x360 -o x.exr
true_within samples render rosettes --size 1280x720 --samples 4 -o x.png
true_within adaptive render seahorse --size 1280x720 --samples auto -o x.png
true_within ranks render minibrot --size 1920x1080 --ranks 2 -o x.png
verdict

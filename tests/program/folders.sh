#!/bin/bash
# What others may plant where a run keeps its work, FILE.deepfield: links, pipes, words in its
# command, a folder of their own. Nothing is overwritten elsewhere, and nothing waits for ever.
#
#   folders.sh DEEPFIELD FOLDER
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
set +eo pipefail # codes are looked at one by one

untouched() {
    [[ $(cat victim) == precious ]] || complain "$1: the file that a link led to was overwritten"
    [[ ! -e evil && ! -e elsewhere/x.png ]] || complain "$1: written outside of the folder: $(ls)"
}

# again: work/x.png.deepfield is as it was left, and nothing else is there.
again() {
    rm -rf work && mkdir -p work elsewhere && cp -a left work/x.png.deepfield
    echo precious >victim
}

picture=(render rosettes --size 500x400 --quiet --set output.journal=0.001)

# ---- one run that was killed ----
mkdir whole first
(cd whole && "$deepfield" "${picture[@]}" -o x.png) >/dev/null || complain "the whole picture"
kill_keeping first/x.png "$deepfield" "${picture[@]}" --threads 1 -o x.png
mv first/x.png.deepfield left

# ---- pipes: nothing waits for who writes to them ----
for name in command identity status.json; do
    again
    rm -f "work/x.png.deepfield/$name"
    mkfifo "work/x.png.deepfield/$name"
    case $name in
    command) ends 66 "command: it is no regular file" resume work/x.png ;;
    status.json) ends 66 "status.json: it is no regular file" status work/x.png ;;
    identity) ends 0 "" "${picture[@]}" -o work/x.png ;;
    esac
done

again
rm -r work/x.png.deepfield
mkfifo work/x.png.deepfield
ends 66 "x.png.deepfield is no folder; remove it, and give" resume work/x.png
ends 73 "it is no folder; remove it, or name another file" "${picture[@]}" -o work/x.png

# ---- links: replaced, or not followed ----
again
for name in .status.json.new status.json new command state; do
    ln -sfn "$PWD/victim" "work/x.png.deepfield/$name"
done
ends 0 "" "${picture[@]}" -o work/x.png
untouched "links in the folder"
again
mv work/x.png.deepfield elsewhere/own
ln -s "$PWD/elsewhere/own" work/x.png.deepfield
ends 73 "it is a link; remove it" "${picture[@]}" -o work/x.png
ends 66 "it is a link" resume work/x.png
rm -r elsewhere/own
untouched "a folder that is a link"

# ---- the command: settings alone are taken, and files are written beside the folder ----
evil=(-f --log-json evil --orbit-cache evil --json --set output.log_json=evil --set compute.orbit_cache=evil)
evil_write() {
    printf '[output]\nlog_json = "evil"\n' >evil.ini
    printf '%s\0' "$PWD" "${picture[@]}" "${evil[@]}" -c evil.ini -o "$1" >work/x.png.deepfield/command
}
again
evil_write elsewhere/x.png
echo mine >work/x.png
ends 73 "exists; --force replaces it" resume work/x.png
[[ $(cat work/x.png) == mine ]] || complain "resume has replaced a file"
rm work/x.png
ends 0 "" resume work/x.png
same_folders whole work "resume takes settings"
untouched "words in the command"
again
evil_write elsewhere/y.png
ends 65 "none that writes it" resume work/x.png
printf '%s\0' "$PWD" view -o x.png >work/x.png.deepfield/command
ends 65 "none that writes it" resume work/x.png
untouched "another command"

# ---- --config files are kept as what they have set ----
rm -rf work && mkdir -p work
printf '[view]\nlimit = 900\n[look]\ncontrast = 0.5\n' >own.ini
plain=(render --re -0.5 --im 0 --zoom 1 --size 500x400 --samples 4 --set output.journal=0.001)
kill_keeping work/x.png "$deepfield" "${plain[@]}" -c ../own.ini -o x.png
rm own.ini
ends 0 "" resume work/x.png --quiet

# ---- another user, who can write to the folder of the picture ----
if [[ $(id -u) -eq 0 ]] && setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
    shared=$(mktemp -d "${TMPDIR:-/tmp}/deepfield-shared-XXXXXX")
    chmod 777 "$shared"
    other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    again
    # a folder of theirs, with a command of theirs
    if other mkdir "$shared/x.png.deepfield"; then
        for name in .status.json.new status.json new lock state tiles records; do
            other ln -s "$PWD/victim" "$shared/x.png.deepfield/$name"
        done
        evil_write "$PWD/elsewhere/x.png"
        other tee "$shared/x.png.deepfield/command" >/dev/null <work/x.png.deepfield/command
        ends 73 "it belongs to another user; remove it" "${picture[@]}" -o "$shared/x.png"
        ends 66 "it belongs to another user" resume "$shared/x.png"
        mv "$shared/x.png.deepfield" "$shared/x.y4m.deepfield"
        ends 73 "it belongs to another user; remove it" film seahorse --to 4 --seconds 0.1 --size 48x32 --quiet -o "$shared/x.y4m"
        other touch "$shared/.x.png.$(hostname).1.abc.part"
        ends 0 "removed: 0 unfinished files" clean "$shared"
        [[ $(cat out) != *left* && -e $(echo "$shared"/.x.png.*) ]] || complain "clean and the files of others"
        rm -r "$shared/x.y4m.deepfield"
    fi
    untouched "a folder of another user"
    # a folder of ours that they could write to
    again
    cp -a left "$shared/x.png.deepfield"
    chmod 777 "$shared/x.png.deepfield"
    for name in .status.json.new new .x; do
        other ln -s "$PWD/victim" "$shared/x.png.deepfield/$name"
    done
    other rm -f "$shared/x.png.deepfield/state" "$shared/x.png.deepfield/records"
    other ln -s "$PWD/victim" "$shared/x.png.deepfield/records"
    other mkfifo "$shared/x.png.deepfield/state"
    timeout -k 1 100 "$deepfield" "${picture[@]}" -o "$shared/x.png" >/dev/null 2>message
    [[ $? -ne 124 && $(stat -c %a "$shared/x.png.deepfield" 2>/dev/null || echo 700) == 700 ]] || complain "a folder that others could write to"
    untouched "a folder of ours that others could write to"
    # a link of theirs under the name of the picture
    other ln -s "$PWD/victim" "$shared/y.png"
    ends 73 "it is a link of another user" "${picture[@]}" -f -o "$shared/y.png"
    untouched "a link under the name of the picture"
    ln -s "$PWD/elsewhere/z.png" "$shared/z.png"
    : >elsewhere/z.png
    ends 0 "" "${picture[@]}" -f -o "$shared/z.png" # of ours
    [[ -L $shared/z.png && -s elsewhere/z.png ]] || complain "a link of ours is not followed"
    # the same of a log, which goes through a link of ours
    other ln -s "$PWD/victim" "$shared/theirs.json"
    ends 73 "it is a link of another user" "${picture[@]}" -f --log-json "$shared/theirs.json" -o log.png
    untouched "a link under the name of a log"
    ln -f victim "$shared/second.json"
    ends 73 "it has another name, by a hard link" "${picture[@]}" -f --log-json "$shared/second.json" -o log.png
    untouched "a hard link under the name of a log"
    rm -- "$shared/second.json"
    ln -s "$PWD/elsewhere/log" "$shared/ours.json"
    ends 0 "" "${picture[@]}" -f --log-json "$shared/ours.json" -o log.png
    [[ -s elsewhere/log ]] || complain "a log through a link of ours"
    # a link of theirs to a folder of ours, where the viewer keeps its history
    mkdir kept
    echo "key q" >quit.txt
    other ln -s "$PWD/kept" "$shared/deepfield"
    XDG_DATA_HOME=$shared SDL_VIDEODRIVER=dummy timeout -k 1 100 "$deepfield" view rosettes --size 64x48 --script quit.txt >/dev/null 2>message
    [[ -z $(ls -A kept) ]] || complain "a link where the history is: $(ls -A kept)"
    rm -rf "$shared"
else
    echo "another user: left out, for this needs root and setpriv"
fi
verdict

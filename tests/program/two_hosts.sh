#!/usr/bin/env bash
# Does a job over two hosts give the picture of one process, and does it end when a rank or the wire
# between the hosts is lost? The hosts are network namespaces of this machine with a cable between
# them; each has a name of its own, so ranks of different hosts share nothing but the cable.
# usage: two_hosts.sh DEEPFIELD MPIRUN
set -euo pipefail
deepfield=$1
mpirun=$2
source "$(dirname -- "${BASH_SOURCE[0]}")/../style/files.sh" # skip

a=dfa$$ b=dfb$$ # names of the hosts, and of the ends of the cable (at most 15 characters)
net=10.201.7    # inside the namespaces only
failures=0 runs=0

((EUID == 0)) || skip "namespaces need root"
command -v ip >/dev/null || skip "no ip command (package iproute2)"
command -v unshare >/dev/null || skip "no unshare command"
"$mpirun" --version | grep -qE 'Open MPI|OpenRTE|PRRTE' || skip "made for Open MPI's mpirun"

scratch=$(mktemp -d)
cleanup() {
    local host process
    for host in "$a" "$b"; do
        for process in $(ip netns pids "$host" 2>/dev/null); do
            kill -9 "$process" 2>/dev/null || true
        done
        ip netns delete "$host" 2>/dev/null || true # takes its end of the cable with it
    done
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

{
    ip netns add "$a" && ip netns add "$b" &&
        ip link add "$a" netns "$a" type veth peer name "$b" netns "$b" &&
        ip -n "$a" address add $net.1/24 dev "$a" && ip -n "$b" address add $net.2/24 dev "$b" &&
        ip -n "$a" link set lo up && ip -n "$b" link set lo up &&
        ip -n "$a" link set "$a" up && ip -n "$b" link set "$b" up &&
        unshare --uts true
} 2>"$scratch/why" || skip "no network namespaces here: $(tail -n 1 "$scratch/why")"

# What mpirun takes for ssh: HOST COMMAND...
cat >"$scratch/agent" <<AGENT
#!/usr/bin/env bash
host=$b
[[ \$1 != $net.1 ]] || host=$a
shift
exec ip netns exec \$host unshare --uts bash -c "hostname \$host; \$*"
AGENT
chmod +x "$scratch/agent"
export TMPDIR=$scratch OMPI_MCA_plm_rsh_agent=$scratch/agent PRTE_MCA_plm_ssh_agent=$scratch/agent
export OMPI_MCA_btl_tcp_if_include=$net.0/24 OMPI_MCA_oob_tcp_if_include=$net.0/24
export PRTE_MCA_prte_if_include=$net.0/24

# ranks N OPTION...: deepfield in N ranks, the first half of them (and rank 0) on host a. The limit
# on time is part of every test: what goes wrong with MPI hangs.
ranks() {
    local number=$1 slots=$((($1 + 1) / 2))
    shift
    timeout -k 5 240 "$scratch/agent" $net.1 "$mpirun" --host "$net.1:$slots,$net.2:$slots" \
        -n "$number" --map-by slot --bind-to none "$deepfield" "$@"
}

# checksums JSON-FILE: of all planes.
checksums() {
    grep -o '"checksums":{[^}]*}' "$1"
}

complain() {
    printf 'FAILED %s\n' "$*"
    failures=$((failures + 1))
}

# ---- pictures ----

choices_of() { # of an option, from the help text; "auto" among them
    "$deepfield" render --help | grep -A 1 -- "--$1 NAME" | tail -n 1 | tr -d ' ' | tr ',' '\n'
}

picture=(render seahorse --accuracy 0.05 --size 200x150 --limit 2000 --tile 32 --json --quiet --force)
"$deepfield" "${picture[@]}" -o "$scratch/alone.npy" >"$scratch/alone.json"

# transport_check LABEL, of a picture for which the program chose the transports: ranks of rank 0's
# host write where it reads, the others send. Open MPI 5 can leave rank 0 alone on its host, whatever number of
# slots that has; it computes then.
transport_check() {
    local label=$1 away=staged here=shared rank
    (($(grep -o "\"host\":\"$a\"" "$scratch/both.json" | wc -l) > 1)) || here=local
    while IFS= read -r rank; do
        [[ $rank == *'"computes":true'* ]] || continue
        case $rank in
            *"\"host\":\"$a\""*"\"transport\":\"$here\""* | *"\"host\":\"$b\""*"\"transport\":\"$away\""*) ;;
            *) complain "$label: this transport: $rank" ;;
        esac
    done < <(grep -o '{"host":[^}]*}' "$scratch/both.json")
}

same() { # RANKS SCHEDULE TRANSPORT
    local label="$1 ranks, $2, $3" code=0 host
    runs=$((runs + 1))
    ranks "$1" "${picture[@]}" --schedule "$2" --transport "$3" -o "$scratch/both.npy" \
        >"$scratch/both.json" 2>"$scratch/both.log" || code=$?
    case $code:$3 in
        0:*) ;;
        69:shared | 69:device | 78:shared | 78:device) # a transport that cannot serve all may say so
            printf '%s: refused: %s\n' "$label" "$(grep -m 1 deepfield: "$scratch/both.log")"
            return ;;
        *)
            complain "$label: code $code: $(tail -n 3 "$scratch/both.log")"
            return ;;
    esac
    [[ $(checksums "$scratch/both.json") == "$(checksums "$scratch/alone.json")" ]] ||
        complain "$label: another picture than that of one process"
    for host in "$a" "$b"; do
        grep -q "\"host\":\"$host\"" "$scratch/both.json" || complain "$label: no rank on $host"
    done
    [[ $3 != auto ]] || transport_check "$label"
}

# Both numbers of ranks meet every transport and every schedule, and each transport meets every schedule; with
# DEEPFIELD_LONG=1 all three meet.
turn=0
mapfile -t schedules < <(choices_of schedule | grep -v auto)
for number in 3 6; do
    for transport in $(choices_of transport); do
        [[ $transport != local ]] || continue
        if [[ ${DEEPFIELD_LONG-} ]]; then
            for schedule in auto "${schedules[@]}"; do
                same "$number" "$schedule" "$transport"
            done
        else
            same "$number" "${schedules[turn % ${#schedules[@]}]}" "$transport"
        fi
        turn=$((turn + 1))
    done
    turn=1
done

# ---- slow links ----

# packs LABEL RANKS, by a link that was measured; the bits are those of one process.
packs() {
    local plane code=0
    runs=$((runs + 1))
    ranks 3 render seahorse --accuracy 0.05 --size 200x150 --limit 2000 --tile 32 --force --explain \
        -o "$scratch/packed.npy" >"$scratch/packed.log" 2>&1 || code=$?
    ((code == 0)) || complain "$1: code $code: $(tail -n 3 "$scratch/packed.log")"
    grep -q "^packing  *by $2 ranks" "$scratch/packed.log" ||
        complain "$1: $(grep -m 1 packing "$scratch/packed.log")"
    for plane in count fraction; do
        cmp -s "$scratch/alone.$plane.npy" "$scratch/packed.$plane.npy" || complain "$1: other ${plane}s"
    done
}

link_limit() { # COMMAND: of tc, at both ends of the cable
    ip netns exec "$a" tc qdisc "$1" dev "$a" root tbf rate 100mbit burst 32k latency 50ms &&
        ip netns exec "$b" tc qdisc "$1" dev "$b" root tbf rate 100mbit burst 32k latency 50ms
}

# The fast link is not tried: on a busy machine it is as slow as it likes.
if link_limit add 2>"$scratch/why"; then
    away=1 # with Open MPI 5 perhaps 2
    ! ranks 3 "${picture[@]}" -o "$scratch/both.npy" >"$scratch/both.json" 2>/dev/null ||
        away=$(grep -o "\"host\":\"$b\"" "$scratch/both.json" | wc -l)
    packs "a link of 100 Mbit/s" "$away"
    link_limit delete
else
    printf 'no slow link here: %s\n' "$(tail -n 1 "$scratch/why")"
fi

# ---- losses ----

# One number at a time and no short-cuts: 0.3 G iterations, 1 s for three cores, 2.5 s for two (ten
# times as many with DEEPFIELD_LONG=1); fewer where some of it takes one core more than half a
# second, as under a sanitizer.
slow=(--transport staged --backend scalar --set compute.shortcuts=off)
long=(render whole-set --size 160x120 --tile 8 --json --quiet --force --schedule dynamic --threads 1)
# Time of the core, not of the clock: others may want the core too.
TIMEFORMAT=%3U
took_ms=$({ time "$deepfield" "${long[@]}" --limit 24000 --backend scalar \
    --set compute.shortcuts=off -o "$scratch/alone.npy" >/dev/null; } 2>&1)
took_ms=$((10#${took_ms//[!0-9]/}))
((took_ms > 500)) || took_ms=500
limit=130000 cut_s=1
[[ ! ${DEEPFIELD_LONG-} ]] || limit=1200000 cut_s=5
long+=(--limit $((limit * 500 / took_ms)))

start_long() {
    ranks 4 "${long[@]}" "${slow[@]}" -o "$scratch/both.npy" \
        >"$scratch/both.json" 2>"$scratch/both.log" &
    job=$!
    local computing=() # until both ranks of host b compute, and not only start MPI
    while ((${#computing[@]} < 2)) && kill -0 "$job" 2>/dev/null; do
        mapfile -t computing < <(programs_of "$b")
        sleep 0.05
    done
    # One new process each time: a search of both hosts takes as long as the job on a busy machine.
    while kill -0 "$job" 2>/dev/null && ! { computed "${computing[0]}" && computed "${computing[1]}"; }; do
        sleep 0.05
    done
    kill -0 "$job" 2>/dev/null || complain "the job ended before both ranks of host b computed"
}

ticks=$(($(getconf CLK_TCK) / 10))
computed() { # PID: for 0.1 s?
    local line fields
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return
    read -ra fields <<<"${line##*) }"
    ((fields[11] >= ticks))
}

programs_of() { # HOST: numbers of the ranks' processes
    local process
    for process in $(ip netns pids "$1"); do
        [[ $(readlink "/proc/$process/exe") != "$deepfield" ]] || printf '%s\n' "$process"
    done
}

end_long() { # LABEL; sets code
    code=0
    wait "$job" || code=$?
    runs=$((runs + 1))
    ((code != 124)) || complain "$1: still running after 240 s"
    [[ -z $(programs_of "$a")$(programs_of "$b") ]] || complain "$1: processes are left"
}

start_long
victim=$(programs_of "$b" | tail -n 1)
[[ ! $victim ]] || kill -9 "$victim"
killed_at=$SECONDS
end_long "a rank killed"
((code != 0)) || complain "a rank killed: code 0"
((SECONDS - killed_at < 120)) || complain "a rank killed: noticed only after $((SECONDS - killed_at)) s"
grep -qE 'signal 9|Socket closed' "$scratch/both.log" || complain "a rank killed: nobody says so"
printf 'a rank of the other host killed: code %d after %d s\n' "$code" $((SECONDS - killed_at))

"$deepfield" "${long[@]}" -o "$scratch/alone.npy" >"$scratch/alone.json"
start_long
ip -n "$b" link set "$b" down
sleep "$cut_s"
ip -n "$b" link set "$b" up
[[ -n $(programs_of "$b") ]] && during=yes || during=no
end_long "the wire cut for $cut_s s"
if ((code == 0)); then
    [[ $(checksums "$scratch/both.json") == "$(checksums "$scratch/alone.json")" ]] ||
        complain "the wire cut for $cut_s s: another picture than that of one process"
else
    grep -q . "$scratch/both.log" || complain "the wire cut for $cut_s s: code $code without a word"
fi
printf 'the wire cut for %d s (still computing when it came back: %s): code %d\n' "$cut_s" "$during" "$code"

echo "$runs runs, $failures failures"
((failures == 0))

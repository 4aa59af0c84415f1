# shellcheck shell=bash
# How *.test are written, and their helpers.
#
#     pgm 16 12 >a.pgm                              what stands before the first case is for all of them
#     it 'an output is named by -o'                 begins a case, which ends where the next one begins
#     fails 2 'no output' "$GPUFFT" fwd a.pgm
#     it 'so is a picture of the phase' after 'an output is named by -o'      needs the files of that case
#     given                                         what follows, up to the next case, is for all later cases
#     needs opencl || return                        in a case: it is skipped; in a `given`: so are the cases up to the next
#
# These words begin their lines; a name is in quotes and has no variables. Cases run in order in one shell and folder.
# TEST_ONLY runs a case with no others than those that it comes after, so each makes the rest of what it reads itself.
# Each command under test leaves its output in .out and .err. $TOP is the project's folder. What samples cases takes
# random numbers from `sampled`, so that SEED repeats it.
checks_passed=0 checks_failed=0 checks_known=0 absent_backends= self=$BASHPID

finish() {
    [ ! -e .sampled ] || echo "$test_file: SEED=$SEED"
    echo "$checks_passed $checks_failed $checks_known" >.count
}

# What begins a case, once the section of a case is run: its name is known. Elsewhere it is a mistake.
it() { [ "$1" = "$case_name" ] || fail_check "'it $1' does not begin its line"; }
given() { :; }

# begin_case NAME, end_case: counts what is between them as that case, and prints its line.
begin_case() {
    case_name=$1 case_passed=$checks_passed case_failed=$checks_failed skip_reason=
    [ -z "${TIMES:-}" ] || case_cpu=$(cpu_seconds)
}
end_case() {
    local result=ok note=
    cases_ended=$((cases_ended + 1))
    [ "$checks_failed" -eq "$case_failed" ] || result='not ok'
    [ "$checks_passed $result" != "$case_passed ok" ] || note=${skip_reason:+" # SKIP $skip_reason"}
    [ -z "${TIMES:-}" ] || note+=" # $(cpu_seconds "$case_cpu") s"
    echo "$result $cases_ended - $test_file: ${case_name:-what all cases need}$note"
}
# cpu_seconds [SINCE]: of this shell and its children.
cpu_seconds() { sed 's/.*) //' "/proc/$self/stat" | awk -v since="${1:-0}" '{ printf "%.2f", ($12 + $13 + $14 + $15) / 100 - since }'; }

pass() { checks_passed=$((checks_passed + 1)); }

# fail_check WHAT [COMMAND...]: reports where, the command as it can be pasted, and what it said. Returns 0.
fail_check() {
    local i where= line
    for ((i = ${#BASH_SOURCE[@]} - 1; i > 0; i--)); do
        [[ ${BASH_SOURCE[i]} == *.test ]] || continue
        line=${BASH_LINENO[i - 1]}
        where+="${where:+, }${BASH_SOURCE[i]##*/}:$line"
    done
    checks_failed=$((checks_failed + 1))
    echo "$where: $1"
    [ $# -eq 1 ] || echo "    command: $(printf '%q ' "${@:2}")"
    [ -s .err ] && sed 's/^/    stderr: /' .err | head -n 5
    [ -s .out ] && head -c 300 .out | tr -c '\n[:print:]' . | sed 's/^/    stdout: /' | head -n 5
    return 0
} >&2

# ok COMMAND...: exit 0.
ok() {
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -eq 0 ]; then pass; else fail_check "exit $rc, not 0" "$@"; fi
}

# quiet COMMAND...: exits 0 and prints nothing.
quiet() {
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -eq 0 ] && ! [ -s .out ] && ! [ -s .err ]; then pass; else fail_check "exit $rc, not 0 without a word" "$@"; fi
}

# fails CODE PATTERN COMMAND...: that exit code, one line on stderr that matches, nothing on stdout.
fails() {
    local want=$1 pattern=$2
    shift 2
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -ne "$want" ]; then
        fail_check "exit $rc, not $want with '$pattern'" "$@"
    elif [ "$(wc -l <.err)" -ne 1 ] || ! grep -q '^gpufft: ' .err; then
        fail_check "not one line of 'gpufft: ...' with '$pattern'" "$@"
    elif ! grep -Eq -- "$pattern" .err; then
        fail_check "the message does not match '$pattern'" "$@"
    elif [ -s .out ]; then
        fail_check 'words on stdout' "$@"
    else
        pass
    fi
}

# says PATTERN FILE: a line of the file matches.
says() {
    if grep -Eq -- "$1" "$2"; then
        pass
    else
        fail_check "no line of $2 matches '$1'"
        [[ $2 == .out || $2 == .err ]] || head -n 5 "$2" | cut -c1-300 | sed "s/^/    has: /" >&2
    fi
}
same() {
    if cmp -s -- "$1" "$2"; then
        pass
    else
        fail_check "$1 and $2 differ"
        { cmp -- "$1" "$2" 2>&1 && wc -c -- "$1" "$2"; cmp -l -- "$1" "$2" 2>&1 | head -n 3; } | sed 's/^/    /' >&2
    fi
}
there() { local f; for f; do if [ -e "$f" ]; then pass; else fail_check "no file $f"; fi; done; }
absent() { local f; for f; do if [ -e "$f" ]; then fail_check "there is a file $f"; else pass; fi; done; }
# No temporary was left in this folder.
clean() { if [ -z "$(find . -name '.gpufft-*')" ]; then pass; else fail_check "a temporary was left: $(find . -name '.gpufft-*' | head -n 3)"; fi; }
check() { if "$@"; then pass; else fail_check 'not true' "$@"; fi; }

# skip REASON: returns 1. Where nothing was checked before it, the case is reported as skipped.
skip() { skip_reason=$1 && return 1; }

# has BACKEND: it is present. needs BACKEND: or the rest is skipped: one line for the file gives the reason.
has() {
    local list=../.devices${LD_LIBRARY_PATH:+-${LD_LIBRARY_PATH//\//+}}
    [ -e "$list" ] || { "$GPUFFT" devices >"$list.$self" 2>/dev/null; mv "$list.$self" "$list"; }
    grep -q "^$1 *present" "$list" && return
    case " $absent_backends " in
    *" $1 "*) ;;
    *) echo "$test_file: skipped: $(sed -n "/^$1 /{n;s/^ *//p}" "$list")" ;;
    esac
    absent_backends+=" $1"
    return 1
}
needs() { has "$1" || skip "no $1"; }

# with_shaderc: the compiler of Vulkan's shaders is found, on Debian 12 too (the Makefile's SHADERC).
with_shaderc() {
    local folder=${GPUFFT%/*}/build/shaderc
    [ ! -e "$folder" ] || export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# simulated_cuda: sets fake to the folder of the simulated CUDA driver, and fails where there is none, or a real one.
simulated_cuda() {
    fake=${GPUFFT%/*}/build/fake_cuda
    [ -e "$fake/libnvrtc.so.13" ] && "$GPUFFT" devices | grep -q '^cuda *absent'
}

# a_gpu: sets gpu to the backend that stands for any GPU, which on_gpu COMMAND... runs with. It is the simulated CUDA
# (tests/gpu/fake), as PoCL takes seconds to build a job's kernels; or opencl where LONG is set, where there is no
# simulated driver, or a real one.
a_gpu() {
    local fake
    gpu=opencl gpu_path=${LD_LIBRARY_PATH:-}
    if [ -z "${LONG:-}" ] && simulated_cuda; then
        gpu=cuda gpu_path=$fake${gpu_path:+:$gpu_path}
    fi
}
on_gpu() { LD_LIBRARY_PATH=$gpu_path "$@"; }

# launch LIBRARY N COMMAND...: that many processes of openmpi or mpich, killed after $limit seconds (120). Each has a
# cache of PoCL's own, which is not safe between processes (3.1: one reads what another is still writing, and aborts).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch() {
    # shellcheck disable=SC2016
    local own='POCL_CACHE_DIR=$POCL_CACHE_DIR.${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec "$@"' oversubscribe=
    [ "$1" = mpich ] || oversubscribe=--oversubscribe
    timeout -s KILL "${limit:-120}" "mpirun.$1" $oversubscribe -n "$2" sh -c "$own" rank "${@:3}"
}

# sampled COUNT FROM: that many different whole numbers below FROM (all of them where LONG is set), which SEED chooses.
sampled() {
    local count=$1
    [ -z "${LONG:-}" ] || count=$2
    : >.sampled
    awk -v count="$count" -v n="$2" -v x="$SEED" 'BEGIN {
        x = x * 7919 % 2147483646 + 1
        for (i = 0; i < n && count > 0; i++) {
            x = x * 16807 % 2147483647
            if (x % 10000 / 10000 < count / (n - i)) { print i; count-- }
        }
    }'
}

# sampled_lines COUNT: that many of the lines of stdin.
sampled_lines() {
    local lines i
    mapfile -t lines
    for i in $(sampled "$1" ${#lines[@]}); do echo "${lines[i]}"; done
}

# loads FORMAT PATTERN FILE: the format's library loads, or nothing in the file needs it. Else one line.
loads() {
    if "$GPUFFT" formats | grep -q "^$1 *absent" && grep -Eq "$2" "$3"; then
        echo "$test_file: skipped: $("$GPUFFT" formats | sed -n "/^$1 /{n;s/^ *//p}")"
        return 1
    fi
}

# most_memory PID: sets most to the KiB that the process has taken at most when it ends, and waits for it. Looks by itself,
# as each process started for that would take a processor from the one that is looked at.
most_memory() {
    local key value
    most=0
    while :; do
        key=''
        while read -r key value _; do [ "$key" != VmHWM: ] || break; done <"/proc/$1/status"
        [ "$key" = VmHWM: ] || break
        most=$value
        read -rt 0.004 <>"$pause"
    done 2>/dev/null
    wait "$1" || most=999999999
}

# within KIB ARGUMENT...: gpufft takes no more memory than that and what the program itself and the buffers
# of its coders are. (Sanitizers take several bytes for one.)
within() {
    local limit=$1 most
    shift
    "$GPUFFT" "$@" --max-memory="${limit}K" --quiet >.out 2>.err &
    most_memory $!
    case $GPUFFT in
    *san*) ;;
    *) check [ "$most" -lt $((limit + 24 * 1024)) ] ;;
    esac
}

# known_to_fail WHAT COMMAND...: a defect that is still there. Counted apart; a failure once COMMAND succeeds.
known_to_fail() {
    local what=$1
    shift
    if "$@" >.out 2>.err; then fail_check "passes, though it is listed as known to fail: $what" "$@"; else checks_known=$((checks_known + 1)); fi
}

# golden NAME: .out is the golden text of that name.
golden() {
    local file
    file=$(dirname "${BASH_SOURCE[0]}")/golden/$1
    [ -n "${UPDATE:-}" ] && mkdir -p "${file%/*}" && cp .out "$file"
    if cmp -s .out "$file"; then
        pass
    else
        fail_check "differs from golden/$1 (UPDATE=1 renews it)"
        diff "$file" .out | head -n 6 | sed 's/^/    /' >&2
    fi
}

# poke FILE OFFSET BYTES: replaces bytes, which printf formats.
poke() { printf "$3" | dd "of=$1" bs=1 "seek=$2" conv=notrunc status=none; }
# noise BYTES: reproducible bytes of every value, from the second MiB on the first one's again. A run makes those of
# each number once.
noise() {
    local kept=${noise_folder:-$PWD}/.noise.$1 part=.noise.$BASHPID i
    if [ "$1" -gt 1048576 ]; then
        for ((i = 0; i < $1; i += 1048576)); do noise 1048576; done | head -c "$1"
        return
    fi
    [ -e "$kept" ] || { seq 1 $(($1 + 500)) | gzip -n -1 | tail -c +200 | head -c "$1" >"$part" && mv "$part" "$kept"; }
    cat "$kept"
}

# pgm WIDTH HEIGHT, pgm16, ppm, ppm16, pam CHANNELS MAXVAL TUPLE WIDTH HEIGHT: pictures on stdout.
pgm() { printf 'P5\n%d %d\n255\n' "$1" "$2" && noise $(($1 * $2)); }
# nifti WIDTH HEIGHT DEPTH TIMES: a series of volumes of u8 on stdout; extents below 256.
nifti() {
    printf '\134\1' && head -c 38 /dev/zero
    printf '%b' "$(printf '\\4\\0\\0%03o\\0\\0%03o\\0\\0%03o\\0\\0%03o\\0\\1\\0\\1\\0\\1\\0' "$@")" && head -c 14 /dev/zero
    printf '\2\0\10\0\0\0' && for _ in 1 2 3 4 5 6 7 8; do printf '\0\0\200\77'; done
    printf '\0\0\260\103' && head -c 11 /dev/zero && printf '\12' && head -c 220 /dev/zero
    printf 'n+1\0\0\0\0\0' && noise $(($1 * $2 * $3 * $4))
}
pgm16() { printf 'P5\n%d %d\n65535\n' "$1" "$2" && noise $(($1 * $2 * 2)); }
ppm() { printf 'P6\n%d %d\n255\n' "$1" "$2" && noise $(($1 * $2 * 3)); }
ppm16() { printf 'P6\n%d %d\n65535\n' "$1" "$2" && noise $(($1 * $2 * 6)); }
pam() {
    printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$4" "$5" "$1" "$2" "$3"
    noise $(($1 * $4 * $5 * ($2 > 255 ? 2 : 1)))
}

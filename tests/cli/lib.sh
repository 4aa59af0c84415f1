# shellcheck shell=bash
# Helpers for *.test. Each command under test leaves its output in .out and .err.
checks_passed=0 checks_failed=0 checks_known=0 absent_backends=

finish() { echo "$checks_passed $checks_failed $checks_known" >.count; }

pass() { checks_passed=$((checks_passed + 1)); }

# fail_check WHAT: reports where, and what the command said.
fail_check() {
    checks_failed=$((checks_failed + 1))
    echo "${BASH_SOURCE[2]##*/}:${BASH_LINENO[1]}: $1" >&2
    [ -s .err ] && sed 's/^/    stderr: /' .err | head -n 5 >&2
    [ -s .out ] && head -c 300 .out | tr -c '\n[:print:]' . | sed 's/^/    stdout: /' | head -n 5 >&2
    return 0
}

# ok COMMAND...: exit 0, and nothing but what was asked for on stderr.
ok() {
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -eq 0 ]; then pass; else fail_check "exit $rc: $*"; fi
}

# quiet COMMAND...: exits 0 and prints nothing.
quiet() {
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -eq 0 ] && ! [ -s .out ] && ! [ -s .err ]; then pass; else fail_check "exit $rc, or words: $*"; fi
}

# fails CODE PATTERN COMMAND...: that exit code, one line on stderr that matches, nothing on stdout.
fails() {
    local want=$1 pattern=$2
    shift 2
    "$@" >.out 2>.err
    local rc=$?
    if [ $rc -ne "$want" ]; then
        fail_check "exit $rc, not $want: $*"
    elif [ "$(wc -l <.err)" -ne 1 ] || ! grep -q '^gpufft: ' .err; then
        fail_check "not one line of 'gpufft: ...': $*"
    elif ! grep -Eq -- "$pattern" .err; then
        fail_check "message does not match '$pattern': $*"
    elif [ -s .out ]; then
        fail_check "words on stdout: $*"
    else
        pass
    fi
}

# says PATTERN FILE: a line of the file matches.
says() { if grep -Eq -- "$1" "$2"; then pass; else fail_check "no '$1' in $2"; fi; }
same() { if cmp -s -- "$1" "$2"; then pass; else fail_check "$1 and $2 differ"; fi; }
there() { local f; for f; do if [ -e "$f" ]; then pass; else fail_check "no file $f"; fi; done; }
absent() { local f; for f; do if [ -e "$f" ]; then fail_check "there is a file $f"; else pass; fi; done; }
# No temporary was left in this folder.
clean() { if [ -z "$(find . -name '.gpufft-*')" ]; then pass; else fail_check "a temporary was left"; fi; }
check() { if "$@"; then pass; else fail_check "not true: $*"; fi; }

# has BACKEND: it is present. Else checks are skipped: one line for the section gives the reason.
has() {
    "$GPUFFT" devices 2>/dev/null | grep -q "^$1 *present" && return
    case " $absent_backends " in
    *" $1 "*) ;;
    *) echo "$name: skipped: $("$GPUFFT" devices 2>/dev/null | sed -n "/^$1 /{n;s/^ *//p}")" ;;
    esac
    absent_backends+=" $1"
    return 1
}

# loads FORMAT PATTERN FILE: the format's library loads, or nothing in the file needs it. Else one line.
loads() {
    if "$GPUFFT" formats | grep -q "^$1 *absent" && grep -Eq "$2" "$3"; then
        echo "$name: skipped: $("$GPUFFT" formats | sed -n "/^$1 /{n;s/^ *//p}")"
        return 1
    fi
}

# within KIB ARGUMENT...: gpufft takes no more memory than that and what the program itself and the buffers
# of its coders are. (Sanitizers take several bytes for one.)
within() {
    local limit=$1 most=0 now
    shift
    "$GPUFFT" "$@" --max-memory="${limit}K" --quiet >.out 2>.err &
    while now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' /proc/$!/status 2>/dev/null) && [ -n "$now" ]; do most=$now; done
    wait $! || most=999999999
    case $GPUFFT in
    *san*) ;;
    *) check [ "$most" -lt $((limit + 24 * 1024)) ] ;;
    esac
}

# known_to_fail WHAT COMMAND...: a defect that is still there. Counted apart; a failure once COMMAND succeeds.
known_to_fail() {
    local what=$1
    shift
    if "$@" >.out 2>.err; then fail_check "passes, though it is listed as known to fail: $what"; else checks_known=$((checks_known + 1)); fi
}

# golden NAME: .out is the golden text of that name.
golden() {
    local file
    file=$(dirname "${BASH_SOURCE[0]}")/golden/$1
    [ -n "${UPDATE:-}" ] && mkdir -p "${file%/*}" && cp .out "$file"
    if cmp -s .out "$file"; then pass; else fail_check "differs from golden/$1 (UPDATE=1 renews it)"; fi
}

# noise BYTES: reproducible bytes of every value.
# poke FILE OFFSET BYTES: replaces bytes, which printf formats.
poke() { printf "$3" | dd "of=$1" bs=1 "seek=$2" conv=notrunc status=none; }
noise() { seq 1 $(($1 + 500)) | gzip -n -1 | tail -c +200 | head -c "$1"; }

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

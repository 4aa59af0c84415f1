#!/bin/bash
# Runs the EXAMPLES of the manual, in order, in a folder that has the samples; one that fails, or
# that says more on stderr than how many files are done, fails the test. GPUFFT names the program, SAMPLES the samples.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "${GPUFFT:-$top/gpufft}") || exit 2
samples=$(realpath "${SAMPLES:-$top/samples}") || exit 2
page=$top/man/gpufft.1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$program" "$work/bin/gpufft"
ln -s "$samples" "$work/run/samples"
PATH=$work/bin:$PATH
cd "$work/run" || exit 2

passed=0 failed=0
while IFS= read -r line; do
    # mdoc writes a dash that must stay one as \-
    line=${line//\\-/-}
    if bash -c "$line" >out 2>err && ! grep -qv ' done, 0 failed$' err; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "gpufft.1: $line" >&2
        sed 's/^/    /' err >&2
    fi
done < <(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl //p' "$page")

# What the page promises about some of them.
promise() {
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "gpufft.1: does not hold: $*" >&2
    fi
}
pixels() { gpufft fwd "$1" --kind=complex --out=raw:- 2>/dev/null | cksum; }
promise [ "$(pixels samples/scene.png)" = "$(pixels back.png)" ]
promise [ "$(pixels samples/scene.png)" = "$(pixels again.png)" ]
promise cmp -s samples/head/frame_00.pgm back_0000.pgm
promise [ "$(pixels samples/scene.png)" = "$(pixels same.png)" ]
promise cmp -s samples/head/frame_07.pgm frame_0007.pgm

# Every option that --help lists is in the page.
for c in fwd inv dwt idwt filter stats info plan bench demo selftest; do
    for o in $(gpufft $c --help | sed -n 's/^  --\(\[no-\]\)\{0,1\}\([a-z0-9-]*\).*/\2/p'); do
        promise grep -q -- "\\\\-$o\\b" "$page"
    done
done
if command -v mandoc >/dev/null; then
    promise [ -z "$(mandoc -T lint -W warning "$page")" ]
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/bash
# Holds the manual to the program: every command has a page, every page its command's options and no
# others. Runs the EXAMPLES of all pages, in order, in a folder that has the samples; one that fails, or
# that prints more on stderr than how many files are done, fails the test. GPUFFT names the program,
# SAMPLES the samples, MAN the folder of the pages that `make man` writes.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "${GPUFFT:-$top/gpufft}") || exit 2
samples=$(realpath "${SAMPLES:-$top/samples}") || exit 2
pages=$(realpath "${MAN:-$top/build/man}") || exit 2
if ! [ -f "$pages/gpufft.1" ]; then
    echo "test_man.sh: no pages in $pages; make man" >&2
    exit 2
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$program" "$work/bin/gpufft"
ln -s "$samples" "$work/run/samples"
PATH=$work/bin:$PATH
cd "$work/run" || exit 2

passed=0 failed=0
promise() {
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "${page##*/}: does not hold: $*" >&2
    fi
}

commands=$(gpufft --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
page=$pages/gpufft.1
promise [ "$(echo "$commands" | wc -l)" -ge 12 ]
examples=$page
for c in $commands; do
    promise grep -q "^\.It Xr gpufft-$c 1$" "$page"
    promise [ -f "$pages/gpufft-$c.1" ]
    examples="$examples $pages/gpufft-$c.1"
done

for page in $examples; do
    while IFS= read -r line; do
        # mdoc writes a dash that must stay one as \-
        line=${line//\\-/-}
        if bash -c "$line" >out 2>err && ! grep -Eqv ' (done|to do), 0 failed$|: removed ([0-9]+ (wave|screen)|stripes)' err; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "${page##*/}: $line" >&2
            sed 's/^/    /' err >&2
        fi
    done < <(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl //p' "$page")
    promise grep -q '^\.Dl gpufft' "$page"
done

# An option whose text lost its head is refused.
make_man=${pages%/man}/make_man
sed '/^@--descreen/d' "$top/man/gpufft-filter.1.in" >gpufft-filter.1.in
promise grep -q 'filter --descreen has no text' <("$make_man" gpufft-filter.1.in "$top/man/options.in" "$top/tests/cli/closure.table" 2>&1)

# Rows of the table of divided work are kinds of job.
page=$pages/gpufft.1
promise [ "$(sed -n '/Ta GPU Ta GPUs Ta/,/^\.El/s/^\.It \([a-z0-9]*\) .*/\1/p' "$page" | sort -u | xargs)" = 'batch dwt2 dwt3 line picture volume' ]

# What the pages promise about some of them.
page=examples
pixels() { gpufft fwd "$1" --kind=complex --out=raw:- 2>/dev/null | cksum; }
for back in back.png back2.png again.png same.png; do
    promise [ "$(pixels samples/scene.png)" = "$(pixels $back)" ]
done
promise cmp -s samples/head/frame_00.pgm back_0000.pgm
promise cmp -s samples/head/frame_07.pgm frame_0007.pgm

# A page's OPTIONS, short forms too, are those that --help lists, each with a text; no page names an option that no
# command has.
for c in $commands; do
    page=$pages/gpufft-$c.1
    promise grep -q '^\.Nm gpufft-'"$c"'$' "$page"
    gpufft "$c" --help | sed -n 's/^  \(-\([a-z]\), \)\{0,1\}--\(\[no-\]\)\{0,1\}\([a-z0-9-]*\).*/\2 \4/p' >help
    sed -n '/^\.Sh OPTIONS/,/^\.Sh EXAMPLES/s/^\.It Fl //p' "$page" |
        sed 's/\\-/-/g; s/^\(\([a-z]\) , Fl \)\{0,1\}-\([a-z0-9-]*\).*/\2 \3/' >listed
    promise [ -s listed ]
    promise cmp -s help listed
    promise [ -z "$(awk '/^\.It Fl/ { if (head != "") print head; head = $0; next } { head = "" }' "$page")" ]
    sed 's/.* //' help >>all
done
printf '%s\n' help version no- >>all
for page in "$pages"/*.1; do
    c=$(basename "$page" .1)
    case $c in
    gpufft) ;;
    *) promise gpufft help "${c#gpufft-}" >out ;;
    esac
    # shellcheck disable=SC2013
    for o in $(sed 's/\\-/-/g' "$page" | grep -E '^\.' | grep -oE '(Fl|,) -[a-z0-9-]+' | sed 's/.* -//' | sort -u); do
        promise grep -qx -e "$o" -e "${o#no-}" all
    done
    if command -v mandoc >/dev/null; then
        promise [ -z "$(mandoc -T lint -W warning "$page")" ]
    fi
    if command -v groff >/dev/null; then
        promise [ -z "$(groff -mdoc -Tutf8 -wall "$page" 2>&1 >/dev/null)" ]
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

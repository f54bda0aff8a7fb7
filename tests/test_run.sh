#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs cram files, several at a time: those that are named, or all. `make check` runs them all, too, by Automake's
# harness; this is for some of them, for their new output, and for a program that was built elsewhere (SYSBENCH).
# tests/cram runs one file; its first lines say which variables of the environment it knows.
#
# usage: tests/test_run.sh [-u] [-v] [-j N] [FILE.t | DIRECTORY]...
#   -u    writes what the commands print now into the files (look at the diff!)
#   -v    lists the slowest at the end
#   -j N  so many at a time (default: four per CPU; a file waits most of its time)
#
# A file that was inconclusive runs a second time, alone, after all others, unless SB_TRIES=1.
#
# Exit status: 1 when a file failed; otherwise 0 when one passed, 75 when all that ran were inconclusive, 77 when all
# were skipped. The last line is "# N passed, N failed, N skipped".
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is not installed"; exit 77; }
update='' slowest=0 jobs=$(($(nproc 2>/dev/null || echo 2) * 4))
while getopts uvj: option; do
    case $option in
    u) update=-u SB_TRIES=1 ;;
    v) slowest=15 ;;
    j) jobs=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 4,/^The last\|status:/p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# paths of .t files, one a line; x_each.t is two; all are in the order of tests/t.am
list() {
    if [ $# -eq 0 ]; then
        sed -n '/^CRAM_TESTS/,/[^\\]$/p' "$tests/t.am" | grep -o 't/[a-z0-9_]*\.t\>' | sed "s,^,$tests/,"
        return
    fi
    for what; do
        if [ -d "$what" ]; then ls "$what"/*.t; else echo "$what"; fi
    done | sed '/_each\.t$/ { h; s/_each\.t$/_mysql.t/p; g; s/_each\.t$/_pgsql.t/; }'
}

# count PATTERN: results of that kind
count() { grep -c "^$1" "$made/out"; }

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
trap 'kill -- -$runs 2>/dev/null; wait; exit 143' TERM HUP INT
list "$@" >"$made/files" || exit 1
SB_OWNER=$$ SB_TIMES=$made/times SB_FILES=$(cat "$made/files")
export SB_OWNER SB_TIMES SB_FILES
# both runs are process groups of their own, which end with this program
export made tests update jobs
# shellcheck disable=SC2016      # they are exported
setsid sh -c 'xargs -n 1 -P "$jobs" "$tests/cram" $update <"$made/files" | tee "$made/out"' &
runs=$!
wait $runs
if [ "${SB_TRIES:-}" != 1 ]; then
    sed -n 's/^ok - \([^ ]*\) # INCONCLUSIVE.*/\1/p' "$made/out" >"$made/names"
    sed 's,.*,/&.t$,' "$made/names" | grep -f - "$made/files" >"$made/again"
    sed -i '/^ok - [^ ]* # INCONCLUSIVE/d' "$made/out"
    # shellcheck disable=SC2016
    setsid sh -c 'xargs -r -n 1 "$tests/cram" <"$made/again" | tee -a "$made/out"' &
    runs=$!
    wait $runs
fi
# one that ended without a word, as by a signal
sed 's,.*/,,; s,\.t$,,' "$made/files" | while read -r name; do
    grep -q "ok - $name\( \|$\)" "$made/out" || echo "not ok - $name # no result" | tee -a "$made/out"
done
if [ $slowest -gt 0 ]; then
    sort -k 2rn "$made/times" | head -n $slowest | awk '{ printf "# %6.1f s %s\n", $2 / 1000, $1 }'
fi
failed=$(count 'not ok') skipped=$(count 'ok - .* # SKIP') passed=$(count 'ok - [^ ]*$') doubts=$(count 'ok - .* # INCON')
echo "# $doubts inconclusive$(sed -n 's/^ok - \([^ ]*\) # INCON.*/ \1/p' "$made/out" | tr -d '\n')"
echo "# $passed passed, $failed failed, $skipped skipped"
if [ "$failed" -gt 0 ] || { [ ! -s "$made/times" ] && [ "$skipped" -eq 0 ]; }; then exit 1; fi
if [ "$passed" -gt 0 ]; then exit 0; fi
[ "$doubts" -gt 0 ] && exit 75
exit 77

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one unit test for `make check`, at most SB_UNIT_TIMEOUT seconds (default 300): a test that hangs is a test
# that fails, with its name, and ends with the processes that it has started: by SIGTERM, SB_UNIT_GRACE seconds (10)
# later by SIGKILL.
#
# A test that met a stalled machine where it measures time prints `INCONCLUSIVE: NAME: REASON` and exits with 75.  Automake
# knows no such result: it becomes 77, a skipped test with a line `INCONCLUSIVE` in its log, which scripts/check reads.
#
# SB_TIMES names a file that gets the line "NAME MILLISECONDS".
#
# usage: tests/unit_run.sh PROGRAM [ARGUMENT]...
limit=${SB_UNIT_TIMEOUT:-300}

# in ms, where date can tell them
now() {
    now=$(date +%s%N 2>/dev/null)
    case $now in *[!0-9]*) echo 0 ;; *) echo $((now / 1000000)) ;; esac
}

run() {
    if ! command -v timeout >/dev/null; then "$@"; return; fi
    timeout -k "${SB_UNIT_GRACE:-10}" "$limit" "$@"
}

began=$(now)
run "$@"
status=$?
if [ -n "${SB_TIMES:-}" ]; then echo "${1##*/} $(($(now) - began))" >>"$SB_TIMES"; fi
case $status in
75) echo "INCONCLUSIVE: ${1##*/}: exit status 75"; exit 77 ;;
124) echo "${1##*/}: no end within $limit s (SB_UNIT_TIMEOUT)"; exit 1 ;;
137) echo "${1##*/}: killed: no end within $limit s (SB_UNIT_TIMEOUT) and deaf to SIGTERM, or no memory"; exit 1 ;;
esac
exit $status

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one unit test for `make check`, at most SB_UNIT_TIMEOUT seconds (default 300): a test that hangs is a test
# that fails, with its name, and ends with the processes that it has started: by SIGTERM, SB_UNIT_GRACE seconds (10)
# later by SIGKILL.
#
# usage: tests/unit_run.sh PROGRAM [ARGUMENT]...
limit=${SB_UNIT_TIMEOUT:-300}
if ! command -v timeout >/dev/null; then exec "$@"; fi
timeout -k "${SB_UNIT_GRACE:-10}" "$limit" "$@"
status=$?
case $status in
124) echo "${1##*/}: no end within $limit s (SB_UNIT_TIMEOUT)"; exit 1 ;;
137) echo "${1##*/}: killed: no end within $limit s (SB_UNIT_TIMEOUT) and deaf to SIGTERM, or no memory"; exit 1 ;;
esac
exit $status

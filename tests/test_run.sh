#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the cram tests: tests/test_run.sh --help; the work is done by tests/runner/.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is not installed"; exit 77; }
PYTHONPATH=$tests:$tests/../scripts exec python3 -B -m runner "$@"

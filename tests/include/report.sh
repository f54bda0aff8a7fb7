# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of result files:   . "$TESTDIR/../include/report.sh"

. "$TESTDIR/../include/common.sh"
command -v python3 >/dev/null || skip 'no python3'

# report COMMAND FILE...: see report.py; says nothing when all is well
report() { python3 "$TESTDIR/../include/report.py" "$@"; }

# values FILE.json PATH...: what report get prints, in one line
values() { report get "$@" | paste -s -d ' ' -; }

# checked COMMAND FILE... + COMMAND FILE...: the same of several commands, and a.json and a.jsonl are valid
checked() { report "$@" + validate "$SB_SOURCE/docs/schema" a.json a.jsonl || [ $? = 80 ]; }

# valid FILE...: json and jsonl files against the schemas of docs/schema; 80: there is no validator
valid() { report validate "$SB_SOURCE/docs/schema" "$@"; }

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the tests of profiles:   . "$TESTDIR/../include/profile.sh"

. "$TESTDIR/../include/common.sh"

# may_profile: skips the file where the kernel does not let us
may_profile() {
    sysbench --version --verbose | grep -qx 'elfutils: no' && skip 'built without elfutils'
    sysbench cpu --events=1 --cpu-max-prime=10 --server=$$ --server-profile=cpu,offcpu --server-profile=hz=499 \
        --server-profile=file=may run \
        >may.out 2>&1
    may_status=$?
    rm -f may.cpu.* may.offcpu.*
    [ $may_status = 0 ] || skip "$(grep '^FATAL' may.out)"
}

# burner PROGRAM MODE THREADS: starts a process of known profile, sets $burner to its pid; end_burner ends it, which
# may be stopped by a signal then
burner() {
    mkfifo burner.fifo
    "$@" <burner.fifo >burner.pid &
    burner_job=$!
    exec 9>burner.fifo
    wait_for burner.pid '^[0-9]'
    # shellcheck disable=SC2034      # for the file that called
    burner=$(cat burner.pid)
}
end_burner() {
    exec 9>&-
    kill -CONT "$burner"
    wait "$burner_job"
    rm -f burner.fifo burner.pid
}

# share FILE PATTERN: per cent of a folded file's weight whose stack matches; total FILE: its weight
share() {
    SB_PATTERN=$2 awk '{ w = $NF; all += w; if ($0 ~ ENVIRON["SB_PATTERN"]) some += w }
        END { print all ? 100 * some / all : "none" }' "$1"     # not -v: it reads escapes, and gawk complains of \[
}
total() { awk '{ all += $NF } END { print all + 0 }' "$1"; }

# block: the profile's part of the report in ./out; figure LABEL: the first number behind a label
block() { sed -n '/^Server profile:/,/^$/p' out; }
figure() { block | sed -n "s/^ *$1: *\([0-9.]*\).*/\1/p"; }

# svg FILE...: silent when all are well-formed XML whose boxes lie within the picture
svg() {
    python3 - "$@" <<'END'
import sys
import xml.etree.ElementTree as ET
S = "{http://www.w3.org/2000/svg}"
for path in sys.argv[1:]:
    root = ET.parse(path).getroot()
    wide, high = float(root.get("width")), float(root.get("height"))
    frames = [g for g in root.findall(S + "g") if g.get("id") == "frames"]
    if root.tag != S + "svg" or len(frames) != 1 or len(frames[0]) == 0:
        print(path + ": no frames")
        continue
    for g in frames[0]:
        r, title = g.find(S + "rect"), g.find(S + "title").text
        x, y, w = (float(r.get(k)) for k in ("x", "y", "width"))
        if x < 9.9 or x + w > wide - 9.9 or y < 0 or y + float(r.get("height")) > high:
            print(f"{path}: {title} lies outside")
END
}

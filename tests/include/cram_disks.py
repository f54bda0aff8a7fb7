# SPDX-License-Identifier: GPL-2.0-or-later
"""The disks of the server's files in out and a.json, beside what the kernel says: /proc/diskstats
was copied to the files before and after."""

import json
import os
import re

host = json.load(open("a.json"))["summary"]["host"]
(pid,) = re.findall(r"^Server: .*\(pid (\d+)", open("out").read(), re.M)
device = os.stat(f"/proc/{pid}/cwd").st_dev
path = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
if os.path.exists(path + "/partition"):
    path = os.path.dirname(path)


def counts(name: str) -> list[int]:
    """After the name; [] if there is no such disk."""
    disk = os.path.basename(path)
    found = [f[3:] for f in map(str.split, open(name)) if f[2] == disk]
    return list(map(int, found[0])) if found else []


before, after, time = counts("before"), counts("after"), host["interval_s"]
for role in "data", "log":
    disk = {k[len(role) + 6 :]: v for k, v in host.items() if k.startswith(role + "_disk_")}
    if not (os.path.exists(path) and before and after):  # overlay, tmpfs
        print(role, set(disk.values()) == {None} or disk)
        continue
    most = {
        k: after[i] - before[i]
        for k, i in (("reads", 0), ("writes", 4), ("flushes", 15))
        if i < len(after) and after[i] >= before[i]
    }
    right = (
        host[role + "_disk"] == os.path.basename(path)
        and all(0 <= disk[k + "_per_s"] * time <= n + 0.5 for k, n in most.items())
        and disk["written_bytes_per_s"] >= 512 * disk["writes_per_s"]
        and 0 <= disk["busy_pct"] <= 100
        and disk["queue"] >= 0
        and 0 <= (disk["write_wait_s"] or 0) < 60
        and all(
            (disk[k + "_wait_s"] is None) == (disk[k + "s_per_s"] == 0) for k in ("read", "write")
        )
    )
    print(role, right or (host, before, after))

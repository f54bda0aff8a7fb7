# SPDX-License-Identifier: GPL-2.0-or-later
"""report_telemetry_mysql.t: figures of intervals in the json."""

import json

e = json.load(open("a.json"))["environment"]
KEYS = (
    "host.kernel host.cpu.model client.command server.process server.command "
    "server.variable.version server.variable.max_connections "
    "server.variable.innodb_buffer_pool_size"
)
for key in KEYS.split():
    if not e[key] and not e["missing"].get(key):
        print("no", key)
print(
    isinstance(e["server.library"], list),
    [k for k, v in e.items() if isinstance(v, str) and v.startswith("n/a")],
)

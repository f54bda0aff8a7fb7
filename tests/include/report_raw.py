# SPDX-License-Identifier: GPL-2.0-or-later
"""The log of single transactions beside the json: percentiles, sums and extremes recomputed."""

from __future__ import annotations

import json
import math
from typing import Any, Tuple

from report_common import Document, load, problem, same
from report_hlog import leb128, zigzag

# client, begun, lag, service, outcome
Transaction = Tuple[int, int, int, int, str]


OUTCOMES = ("done", "failed", "withdrawn")


def read_raw(path: str) -> tuple[Document, list[Transaction], Document | None]:
    """Header, transactions, end or None."""
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(b"\n") + 1
    header: Document = json.loads(data[:at])
    header["marks"] = []
    records: list[Transaction] = []
    end: Document | None = None

    def number() -> int:
        nonlocal at
        value, at = leb128(data, at, 10)
        return value

    while at < len(data):
        kind = data[at : at + 1]
        at += 1
        if kind == b"E":
            end = {
                "from": zigzag(number()),
                "until": zigzag(number()),
                "records": number(),
                "lost": number(),
            }
            continue
        if kind == b"M":
            when, size = zigzag(number()), number()
            header["marks"].append((when, data[at : at + size].decode()))
            at += size
            continue
        client, n, _, size = number(), number(), number(), number()
        assert kind == b"R" and at + size <= len(data), "a chunk is cut"
        begun = 0
        for _ in range(n):
            begun += zigzag(number())
            lag = zigzag(number())
            service = number()
            records.append((client, begun, lag, service >> 2, OUTCOMES[service & 3]))
    return header, records, end


def near(name: str, values: list[int], p: float, reported_s: float) -> None:
    """Reported is the upper end of the exact value's bucket: at most 1/1024 above it."""
    exact = values[max(math.ceil(len(values) * p / 100), 1) - 1]
    reported = reported_s * 1e9
    if not exact - 1 <= reported <= exact * (1 + 1 / 1024) + 1:
        problem("%s: %d ns from the transactions, %.0f reported", name, exact, reported)


def about(where: str, name: str, got: Any, want: Any, slack: float) -> None:
    if abs(got - want) > slack:
        problem("%s: %s is %r, in json %r", where, name, got, want)


def raw(path: str, reference: str) -> None:
    document = load(reference)
    summary = document["summary"]
    header, records, end = read_raw(path)
    assert end is not None
    same(path, "records", len(records), end["records"])
    same(path, "lost", end["lost"], 0)
    same(
        path, "marks", [text for _, text in header["marks"]], [m["text"] for m in document["marks"]]
    )
    for (when, text), m in zip(header["marks"], document["marks"]):
        about(path, "mark " + text, (when - end["from"]) / 1e9, m["elapsed_s"], 1e-6)
    same(path, "clients", header["clients"], document["run"]["options"]["effective"]["threads"])
    done = [r for r in records if r[4] == "done" and r[1] - r[2] >= end["from"]]
    same(path, "done", len(done), summary["total"]["transactions"])
    if not done:  # the machine stood still
        none = {k: v for k, v in summary["threads"].items() if k.startswith("latency_")}
        same(path, "figures of no transaction", none, dict.fromkeys(none))
        return
    series = {"latency": sorted(r[2] + r[3] for r in done)}
    figures = {"latency": summary["latency"]}
    if header["has_rate"]:
        for name, values in (
            ("response", series["latency"]),
            ("service", sorted(r[3] for r in done)),
            ("lag", sorted(r[2] for r in done)),
        ):
            series[name] = values
            figures[name] = {
                k[len(name) + 1 :]: v
                for k, v in summary["rate"].items()
                if k.startswith(name + "_")
            }
    for name, values in series.items():
        same(path, name + " samples", len(values), figures[name]["samples"])
        for key, reported in figures[name].items():
            if key[0] == "p" and key.endswith("_s"):
                near(name + " " + key, values, float(key[1:-2].replace("_", ".")), reported)
        near(name + " max", values, 100, figures[name]["max_s"])
    clients: dict[int, int] = {}
    for client, begun, _, service, _ in records:
        if begun < clients.get(client, begun):
            problem("client %d begins a transaction before the last one ended", client)
        clients[client] = begun + service
    totals = summary["threads"]["latency_sum_s"] * 1e9
    if abs(sum(series["latency"]) - totals) > 1e-6 * totals + 10:
        problem("sum: %d ns from the transactions, %.0f reported", sum(series["latency"]), totals)
    for which, value in (("min", series["latency"][0]), ("max", series["latency"][-1])):
        about(path, which, summary["threads"]["latency_%s_s" % which], value / 1e9, 1e-9)


def checkpoints(path: str, reference: str) -> None:
    """With one client, each report has counted the first n transactions that no other has."""
    document = load(reference)
    header, records, end = read_raw(path)
    assert end is not None
    same(path, "clients", header["clients"], 1)
    done = [r[2] + r[3] for r in records if r[4] == "done" and r[1] - r[2] >= end["from"]]
    for report in document["checkpoints"] + [document["summary"]]:
        mine, done = done[: report["transactions"]], done[report["transactions"] :]
        figures = {k: report["threads"]["latency_%s_s" % k] for k in ("min", "max", "sum")}
        if not mine:  # two checkpoints that came late, at the same time
            same(path, "figures of no transaction", figures, dict.fromkeys(figures))
            continue
        for which, value in (("min", min(mine)), ("max", max(mine)), ("sum", sum(mine))):
            about(path, which, value / 1e9, figures[which], 1e-9)
    same(path, "transactions that no report counts", done, [])

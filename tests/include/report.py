# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files read by somebody else's eyes: what the tests of --report-file and --raw-log have in common.

Each command prints nothing when all is well, and one line for each thing that is not.  Nothing here uses code of the
program; formats are read from their descriptions in docs/results.md.

usage: report.py validate SCHEMA-FOLDER FILE...    json and jsonl against their schemas; exit 80 without a validator
       report.py agree FILE.json FILE...           csv, jsonl and metrics files say what the json says
       report.py hlog FILE.hlog FILE.json          its histograms decode and add up to the run's
       report.py raw FILE.raw FILE.json            percentiles recomputed from the single transactions
       report.py checkpoints FILE.raw FILE.json    the same of checkpoints, when there is one client
       report.py sums FILE.json                    intervals add up to the summary
       report.py phases FILE.json                  phases lie between marks and are sums of intervals
       report.py get FILE.json PATH...             prints values: summary.rate.done
"""

import base64
import csv
import json
import math
import re
import struct
import sys
import zlib

from metric_names import metric_kind, parse_sample

problems = []


def problem(text, *values):
    problems.append(text % values)


def load(path):
    with open(path) as f:
        return json.load(f)


def load_lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


# --- schemas ---


def validate(folder, *paths):
    try:
        import jsonschema
    except ImportError:
        sys.exit(80)
    for path in paths:
        stream = path.endswith(".jsonl")
        schema = load(folder + ("/report-line-1.json" if stream else "/report-1.json"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for document in load_lines(path) if stream else [load(path)]:
            for error in validator.iter_errors(document):
                problem(
                    "%s: %s: %s", path, "/".join(map(str, error.absolute_path)), error.message[:300]
                )


# --- formats beside each other ---

SECTIONS = (
    "latency",
    "threads",
    "rate",
    "server",
    "client",
    "host",
    "server_events",
    "server_status",
)


def flat(snapshot):
    """{"rate_done": 5}: names as in csv; sections that are null are left out."""
    values = {}
    for name, value in snapshot.items():
        if isinstance(value, dict) and name not in ("missing", "at_least"):
            values.update(
                ("%s_%s" % (name, k), v) for k, v in value.items() if k not in ("name", "how")
            )
        elif name not in ("missing", "at_least", "statements") and not (
            value is None and name in SECTIONS
        ):
            values[name] = value
    return values


def same(where, name, got, want):
    if got != want:
        problem("%s: %s is %r, in json %r", where, name, got, want)


def csv_kind(path):
    """Which reports are in a file of this name."""
    for kind in ("summary", "checkpoint"):
        if re.search(r"\.%ss?\.csv$" % kind, path):
            return kind
    return "interval"


def agree_csv(path, document):
    kind = csv_kind(path)
    reports = {
        "interval": document["intervals"],
        "checkpoint": document["checkpoints"],
        "summary": [document["summary"]],
    }[kind]
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    same(path, "number of rows", len(rows), len(reports))
    labels = {"label_" + k: v for k, v in document["run"]["labels"].items()}
    shown = "; ".join(row["marks"] for row in rows if row["marks"])
    marks = ["%.3f %s" % (m["elapsed_s"], m["text"]) for m in document["marks"]]
    known = range(len(marks), len(marks) + 1) if kind == "summary" else range(len(marks) + 1)
    if shown not in ["; ".join(marks[:n]) for n in known]:
        problem("%s: marks is %r, in json %r", path, shown, marks)
    for row, report in zip(rows, reports):
        want = flat(report)
        same(path, "kind", row.pop("kind"), want.pop("kind"))
        same(path, "labels", {k: row.pop(k) for k in list(row) if k.startswith("label_")}, labels)
        row.pop("marks")
        if bool(row.pop("missing")) != bool(report["missing"]) or bool(row.pop("at_least")) != bool(
            report["at_least"]
        ):
            problem("%s: reasons are not given alike", path)
        for name, text in row.items():
            same(path, name, float(text) if text else None, want.get(name))
        for name in set(want) - set(row):
            problem("%s has no column %s", path, name)


def agree_lines(path, document):
    lines = load_lines(path)
    same(path, "first line", lines[0]["kind"], "run")
    same(path, "labels", lines[0]["run"]["labels"], document["run"]["labels"])
    for line in lines[1:]:
        same(path, "labels of a line", line.pop("labels", {}), document["run"]["labels"])
    same(path, "options", lines[0]["run"]["options"], document["run"]["options"])
    for kind, want in (
        ("interval", document["intervals"]),
        ("checkpoint", document["checkpoints"]),
        ("summary", [document["summary"]]),
    ):
        same(path, kind, [x for x in lines if x["kind"] == kind], want)
    same(
        path,
        "marks",
        [{k: v for k, v in x.items() if k != "kind"} for x in lines if x["kind"] == "mark"],
        document["marks"],
    )
    same(
        path,
        "phases",
        [{k: v for k, v in x.items() if k != "kind"} for x in lines if x["kind"] == "phase"],
        document["phases"],
    )
    same(
        path,
        "environment",
        [x["environment"] for x in lines if x["kind"] == "environment"],
        [document["environment"]] if document["environment"] else [],
    )
    same(
        path,
        "histograms",
        [x["histograms"] for x in lines if x["kind"] == "histograms"],
        [document["histograms"]],
    )
    same(
        path,
        "profile",
        [x["profile"] for x in lines if x["kind"] == "profile"],
        [document["profile"]] if document["profile"] else [],
    )
    same(path, "verdict", lines[-1]["verdict"], document["verdict"])
    same(path, "status", lines[-1]["end"]["status"], document["end"]["status"])


# --- metrics ---


def growth(reports, name, kind):
    """What the reports of one kind add up to; None when none of them tells."""
    values = [(flat(r).get(name), flat(r).get("host_interval_s")) for r in reports]
    if kind == "per_s":
        parts = [v * s for v, s in values if v is not None and s is not None]
    else:
        parts = [v for v, _ in values if v is not None]
    return math.fsum(parts) if parts else None


def expected(document, name, value):
    """(sample, value) of a figure of the summary, or None."""
    found = metric_kind(name)
    if not found:
        return None
    kind, sample = found
    family, _, label = sample.partition(" ")
    if kind == "level":
        sample, want = family, value
    elif kind == "since":
        sample, want = family + "_total", value
    else:
        whole = growth(document["checkpoints"] + [document["summary"]], name, kind)
        seen = growth(document["intervals"], name, kind)
        told = [v for v in (whole, seen) if v is not None]
        sample, want = family + "_total", max(told, default=None)
    if want is None:
        return None
    return (sample, label), want * (0.01 if name.endswith("_pct") else 1)


def read_metrics(path, document):
    """{(name, "label=value" or ""): value}, without the labels that all have."""
    common = dict(document["run"]["labels"], test=document["run"]["test"])
    values = {}
    with open(path) as f:
        lines = f.read().split("\n")
    same(path, "end", lines[-2:] == ["# EOF", ""], path.endswith(".om"))
    for line in lines:
        if not line or line.startswith("#"):
            continue
        sample = parse_sample(line)
        if not sample:
            problem("%s: no sample: %s", path, line)
            continue
        name, labels, value = sample
        for key, wanted in common.items():
            same(path, key + " of " + name, labels.pop(key, None), wanted)
        values[name, ",".join("%s=%s" % i for i in labels.items())] = value
    return values


def near_enough(got, want):
    return got is not None and math.isclose(got, want, rel_tol=1e-12, abs_tol=1e-9)


def agree_quantiles(path, values, name, figures, samples, prefix=""):
    for key, value in figures.items():
        m = re.fullmatch(prefix + r"(p[0-9_]+|max)_s", key)
        if not m or value is None:
            continue
        q = 1 if m.group(1) == "max" else float(m.group(1)[1:].replace("_", ".")) / 100
        text = "1.0" if q == 1 else "%.12g" % q
        got = values.pop((name, "quantile=" + text), None)
        if got != value:
            problem("%s: %s at %s is %r, in json %r", path, name, text, got, value)
    same(path, name, values.pop((name + "_count", ""), None), samples)
    if samples and not values.get((name + "_sum", ""), 0) > 0:
        problem("%s: no sum of %s", path, name)
    values.pop((name + "_sum", ""), None)


def agree_latencies(path, values, document):
    histograms, summary = document["histograms"], document["summary"]
    n = next(iter(histograms.values()))["samples"]
    agree_quantiles(path, values, "latency_seconds", summary["latency"], n)
    if summary["rate"]:
        for name, key in (("service_time_seconds", "service"), ("lag_seconds", "lag")):
            count = histograms[key]["samples"]
            agree_quantiles(path, values, name, summary["rate"], count, key + "_")
    name = "transaction_latency_seconds"
    buckets = [values.pop(k) for k in list(values) if k[0] == name + "_bucket"]
    if buckets != sorted(buckets) or buckets[-1] != n:
        problem("%s: its buckets are not cumulative, or not of %d", path, n)
    same(path, "histogram", values.pop((name + "_count", "")), n)
    values.pop((name + "_sum", ""))


def agree_metrics(path, document):
    values = read_metrics(path, document)
    for name, value in flat(document["summary"]).items():
        if name == "kind":
            continue
        sample = expected(document, name, value) if value is not None or metric_kind(name) else None
        if not sample or sample[1] is None:
            continue
        got = values.pop(sample[0], None)
        if not near_enough(got, sample[1]):
            problem("%s: %s of %s is %r, in json %r", path, sample[0], name, got, sample[1])
    agree_latencies(path, values, document)
    same(path, "marks", values.pop(("marks_total", ""), 0), len(document["marks"]))
    same(path, "active", values.pop(("run_active", "")), 0)
    about_run = r"run_info|run_start_time_seconds|mark_timestamp_seconds|statement_\w+"
    for name, label in values:
        if not re.fullmatch(about_run, name):
            problem("%s: nothing in json is %s{%s}", path, name, label)


def agree(reference, *paths):
    document = load(reference)
    for path in paths:
        if path.endswith(".csv"):
            agree_csv(path, document)
        elif path.endswith(".jsonl"):
            agree_lines(path, document)
        elif path.endswith((".prom", ".om")):
            agree_metrics(path, document)


def phases(reference):
    """A phase is the sum of intervals in a row, and marks came in none of them but just before it."""
    document = load(reference)
    times = [0] + [r["elapsed_s"] for r in document["intervals"]]
    for p in document["phases"]:
        inside = [r for r in document["intervals"] if p["begin_s"] < r["elapsed_s"] <= p["end_s"]]
        if p["begin_s"] not in times or p["end_s"] not in times:
            problem(
                "%s: a phase from %r to %r, and no interval ends there",
                reference,
                p["begin_s"],
                p["end_s"],
            )
        # that of a signal carries the instant of the signal, which may be noticed an interval later
        if [
            m
            for m in document["marks"]
            if p["begin_s"] < m["elapsed_s"] <= p["end_s"] and m["source"] != "signal"
        ]:
            problem("%s: a mark in the phase from %r to %r", reference, p["begin_s"], p["end_s"])
        same(reference, "kind", p["figures"]["kind"], "phase")
        for name in ("transactions", "reads", "writes", "other", "errors"):
            same(reference, name, p["figures"][name], sum(r[name] for r in inside))
        before = [m for m in document["marks"] if 0 < m["elapsed_s"] <= p["begin_s"]]
        same(reference, "marks of a phase", p["marks"], before[len(before) - len(p["marks"]) :])
        if bool(p["marks"]) != (p["begin_s"] > 0):
            problem("%s: the phase from %r has %d marks", reference, p["begin_s"], len(p["marks"]))


def sums(reference):
    """Counts of intervals of a run whose length is a multiple of the interval are those of the run."""
    document = load(reference)
    for name in ("transactions", "reads", "writes", "other", "errors"):
        total = sum(i[name] for i in document["intervals"])
        rest = document["summary"]["total"][name] - total
        if rest < 0 or rest > 0.2 * max(total, 50):
            problem("%s: intervals have %d, the run %d", name, total, total + rest)
    for i in document["intervals"]:
        for name in ("transactions", "queries"):
            count = (
                i["transactions"]
                if name == "transactions"
                else i["reads"] + i["writes"] + i["other"]
            )
            if not math.isclose(
                i[name + "_per_s"], count / i["interval_s"], rel_tol=1e-9, abs_tol=1e-9
            ):
                problem("%s_per_s does not follow", name)


# --- HdrHistogram log ---


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def leb128(data, at, longest):
    value = shift = 0
    for i in range(longest):
        byte = data[at]
        at += 1
        if i == 8 and longest == 9:
            return value | byte << shift, at
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    raise ValueError("number too long")


def decode(text):
    """{index: count} of the V2 compressed form."""
    data = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">II", data[:8])
    assert cookie == 0x1C849314 and length == len(data) - 8, "compressed header"
    data = zlib.decompress(data[8:])
    cookie, length, offset, digits, low, high, ratio = struct.unpack(">IIIIqqd", data[:40])
    assert (cookie, offset, digits, low, high, ratio) == (
        0x1C849313,
        0,
        3,
        1,
        3600000000000,
        1.0,
    ), "header"
    assert length == len(data) - 40, "payload length"
    counts, at, index = {}, 40, 0
    while at < len(data):
        value, at = leb128(data, at, 9)
        value = zigzag(value)
        if value < 0:
            index -= value
        else:
            counts[index] = value
            index += 1
    return counts


def lowest(index):
    """The lowest value of a bucket with 3 significant digits: 2048 of width 1, then 1024 a power of two."""
    if index < 2048:
        return index
    return (1024 + index % 1024) << (index // 1024 - 1)


def hlog(path, reference):
    document = load(reference)
    total, until, maximum = {}, {}, 0
    with open(path) as f:
        lines = f.read().splitlines()
    same(path, "version", lines[1], "#[Histogram log format version 1.3]")
    same(
        path,
        "marks",
        [x for x in lines if x.startswith("#[mark")],
        ["#[mark at %.3f: %s]" % (m["elapsed_s"], m["text"]) for m in document["marks"]],
    )
    for line in lines:
        if not line.startswith("Tag="):
            continue
        tag, start, length, highest, text = line[4:].split(",")
        counts = decode(text)
        if abs(float(start) - until.get(tag, 0)) > 0.0015:
            problem(
                "%s: a line of %s begins at %s, the one before ended at %s",
                path,
                tag,
                start,
                until[tag],
            )
        until[tag] = float(start) + float(length)
        top = max(counts, default=None)
        if top is not None and not lowest(top) <= float(highest) * 1e6 < lowest(top + 1):
            problem("%s: Interval_Max %s is not in the highest bucket", path, highest)
        for index, n in counts.items():
            total.setdefault(tag, {})[index] = total.get(tag, {}).get(index, 0) + n
    same(path, "tags", sorted(total), sorted(document["histograms"]))
    for tag, counts in total.items():
        want = {low: n for low, _, n in document["histograms"][tag]["buckets"]}
        same(path, tag, {lowest(i): n for i, n in counts.items()}, want)


# --- single transactions ---

OUTCOMES = ("done", "failed", "withdrawn")


def read_raw(path):
    """Header, [(client, begun, lag, service, outcome)], end or None."""
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(b"\n") + 1
    header, records, end = json.loads(data[:at]), [], None
    header["marks"] = []

    def number():
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


def near(name, values, p, reported_s):
    """Reported is the upper end of the bucket that holds the exact value: at most 1/1024 above it."""
    exact = values[max(math.ceil(len(values) * p / 100), 1) - 1]
    reported = reported_s * 1e9
    if not exact - 1 <= reported <= exact * (1 + 1 / 1024) + 1:
        problem("%s: %d ns from the transactions, %.0f reported", name, exact, reported)


def about(where, name, got, want, slack):
    if abs(got - want) > slack:
        problem("%s: %s is %r, in json %r", where, name, got, want)


def raw(path, reference):
    document = load(reference)
    summary = document["summary"]
    header, records, end = read_raw(path)
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
    clients = {}
    for client, begun, _, service, _ in records:
        if begun < clients.get(client, begun):
            problem("client %d begins a transaction before the last one ended", client)
        clients[client] = begun + service
    totals = summary["threads"]["latency_sum_s"] * 1e9
    if abs(sum(series["latency"]) - totals) > 1e-6 * totals + 10:
        problem("sum: %d ns from the transactions, %.0f reported", sum(series["latency"]), totals)
    for which, value in (("min", series["latency"][0]), ("max", series["latency"][-1])):
        about(path, which, summary["threads"]["latency_%s_s" % which], value / 1e9, 1e-9)


def checkpoints(path, reference):
    """Of one client it is known which transactions each report has counted: the first n that no other has."""
    document = load(reference)
    header, records, end = read_raw(path)
    same(path, "clients", header["clients"], 1)
    done = [r[2] + r[3] for r in records if r[4] == "done" and r[1] - r[2] >= end["from"]]
    for report in document["checkpoints"] + [document["summary"]]:
        mine, done = done[: report["transactions"]], done[report["transactions"] :]
        for which, value in (("min", min(mine)), ("max", max(mine)), ("sum", sum(mine))):
            about(path, which, value / 1e9, report["threads"]["latency_%s_s" % which], 1e-9)
    same(path, "transactions that no report counts", done, [])


def get(reference, *paths):
    document = load(reference)
    for path in paths:
        value = document
        for name in path.split("."):
            value = value[int(name)] if isinstance(value, list) else value[name]
        print(json.dumps(value))


COMMANDS = {
    "validate": validate,
    "agree": agree,
    "hlog": hlog,
    "raw": raw,
    "checkpoints": checkpoints,
    "sums": sums,
    "phases": phases,
    "get": get,
}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
    for line in problems[:20]:
        print(line)
    sys.exit(1 if problems else 0)

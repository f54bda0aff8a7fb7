# SPDX-License-Identifier: GPL-2.0-or-later
"""Can the audit fail? One run of each kind is made, and in copies of its files one figure after
the other is altered.

Each alteration must be found. Figures that nothing recomputes (levels such as the memory of a
process) are altered in one format only, where the other formats give them away.
"""

import base64
import json
import os
import random
import re
import shutil
import struct
import zlib
from typing import Any, Callable, Dict, List, Sequence, Tuple

import report
from lib.harness import say
from sysbench_lab import owned

from .book import Book
from .draw import FORMATS, Run, draw, formats
from .lab import Lab, compare
from .record import Record

EACH = 10  # alterations of a format and run
# what is in the text for people, names no figure or is written in another form there
NO_FIGURE = re.compile(
    r"^(Number of threads|Target|Report |Initializing|Warmup|Warm-up|DEBUG|"
    r"Transaction rate| +sustained:|"
    r" +n/a:| +waited|Server: | {30,}| +threads: | +transactions per thread|"
    r" +storage| +lower bounds|"
    r" +\d: |.*1 +2 +change| *$|Between)"
)

NUMBER = r"(?<![\w.(\[%,-])-?\d+(\.\d+)?(?![\w.%)]*(st|nd|rd|th) )(?=[ /%):\n]|$|s$| per)"


def other(number: str) -> str:
    """The number with its last digit changed."""
    return number[:-1] + str((int(number[-1]) + 5) % 10)


def alter_text(text: str, r: random.Random) -> Tuple[str, str]:
    lines = text.split("\n")
    end = next((i for i, x in enumerate(lines) if x.startswith("Between marks")), len(lines))
    places = []
    machine = False  # whose figures the golden files of the text show, row by row
    for i, line in enumerate(lines[:end]):
        begins = line.startswith(("Host: ", "System calls of the server", "Time of a trans"))
        machine = begins or machine and bool(line)
        if machine or NO_FIGURE.match(line) or " mark: " in line or "n/a" in line:
            continue
        line = line.split(" | host ")[0]
        for m in re.finditer(NUMBER, line):
            head = line[: m.start()]
            if not re.search(r"\[ ?$|p$|oldest $|rss $|\(over $|resp-$|^ *DEBUG", head):
                places.append((i, m.start(), m.end()))
    i, a, b = r.choice(places)
    new = lines[i][:a] + other(lines[i][a:b]) + lines[i][b:]
    return "\n".join(lines[:i] + [new] + lines[i + 1 :]), "%r -> %r" % (lines[i], new)


def alter_csv(line: str, r: random.Random) -> Tuple[str, str]:
    # behind the figures come words, in quotes; before them there is the kind
    figures, quote, rest = line.partition('"')
    cells = figures.split(",")
    column = r.choice([i for i, x in enumerate(cells) if re.fullmatch(r"[0-9.]*[0-9]", x)])
    cells[column] = other(cells[column])
    return ",".join(cells) + quote + rest, "column %d" % (column + 1)


def leaves(value: Any, path: Tuple[Any, ...] = ()) -> List[Tuple[Tuple[Any, ...], Any]]:
    """All numbers in a document, with the way to them."""
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in leaves(v, path + (k,))]
    if isinstance(value, list):
        return [x for k, v in enumerate(value) for x in leaves(v, path + (k,))]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [(path, value)] if number else []


def alter_json(text: str, r: random.Random) -> Tuple[str, str]:
    """A figure of a report, a mark or a histogram; not what describes the run."""
    document = json.loads(text)
    figures = ("intervals", "checkpoints", "summary", "histograms", "marks", "phases")
    own = ("interval", "checkpoint", "summary", "histograms", "mark", "phase")
    places = [x for x in leaves(document) if x[0][0] in figures or document.get("kind") in own]
    path, value = r.choice(places)
    at = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value + 1 if isinstance(value, int) else value * 1.01 + 0.001
    return json.dumps(document), ".".join(map(str, path))


def alter_hlog(line: str, r: random.Random) -> Tuple[str, str]:
    """One sample more in a bucket of a line, or its longest value."""
    cells = line.split(",")
    body = bytearray(zlib.decompress(base64.b64decode(cells[4])[8:]))
    # a count of one byte: even, as ZigZag has it
    alone = [k for k in range(40, len(body)) if k == 40 or body[k - 1] < 0x80]
    places = [k for k in alone if body[k] < 0x7E and not body[k] & 1]
    if not places or r.random() < 0.5:
        cells[3] = other(cells[3])
        return ",".join(cells), "Interval_Max"
    body[r.choice(places)] += 2  # ZigZag: one more
    packed = zlib.compress(bytes(body))
    cells[4] = base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()
    return ",".join(cells), "a count"


def alter_metric(line: str, r: random.Random) -> Tuple[str, str]:
    head, _, number = line.rpartition(" ")
    value = float(number)
    new = value + max(1, value // 100) if value == int(value) else value * 1.01
    return "%s %r" % (head, new), head


def alter(suffix: str, text: str, r: random.Random) -> Tuple[str, str]:
    """The text of such a file with one figure changed, and which."""
    if suffix in WHOLE:
        return WHOLE[suffix](text, r)
    which, change = LINE[suffix]
    lines = text.rstrip("\n").split("\n")
    i = r.choice([i for i, x in enumerate(lines) if re.match(which, x)])
    lines[i], what = change(lines[i], r)
    return "\n".join(lines) + "\n", "line %d, %s" % (i + 1, what)


Change = Callable[[str, random.Random], Tuple[str, str]]
WHOLE: Dict[str, Change] = {"txt": alter_text, "json": alter_json}
LINE: Dict[str, Tuple[str, Change]] = {
    **dict.fromkeys(("csv", "summary.csv", "checkpoints.csv"), ("(?!kind,)", alter_csv)),
    "jsonl": (r'.*"kind":"(summary|interval|checkpoint|histograms)"', alter_json),
    "hlog": ("Tag=", alter_hlog),
    **dict.fromkeys(("prom", "om"), ("sysbench_(?!run_start_time)", alter_metric)),
}


def alter_raw(path: str, began: int) -> str:
    """The service time of the first measured record, by the lowest bit of its highest byte: at
    least 1 % of it."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    at, begun, left = data.index(b"\n") + 1, 0, 0

    def number() -> int:
        nonlocal at
        value, at = report.leb128(data, at, 10)
        return value

    while True:
        if not left:
            kind, at, begun = data[at : at + 1], at + 1, 0
            if kind == b"M":
                number()
                size = number()
                at += size
                continue
            left = (number(), number(), number(), number())[1]
        begun += report.zigzag(number())
        lag, service = report.zigzag(number()), number()
        left -= 1
        if begun - lag >= began and service & 3 == 0:
            break
    data[at - 1] ^= 1
    with open(path, "wb") as out:
        out.write(data)
    return "a service time of %d ns" % (service >> 2)


def try_one(lab: Lab, run: Run, directory: str, suffix: str, r: random.Random) -> Tuple[bool, str]:
    """Alters a copy of the files; was it found?"""
    copy = directory + "-altered"
    owned.remove(copy)
    shutil.copytree(directory, copy)
    path = os.path.join(copy, "run." + suffix)
    if suffix == "raw":
        what = alter_raw(path, Record(path).began)
    else:
        with open(path) as f:
            text, what = alter(suffix, f.read(), r)
        with open(path, "w") as f:
            f.write(text)
    book = Book()
    compare(book, run, os.path.join(copy, "run"), lab.schemas)
    owned.remove(copy)
    return bool(book.disagreements), what


def has_rows(directory: str, suffix: str) -> bool:
    """A run that ends before its first checkpoint leaves a CSV file of names only."""
    if not suffix.endswith("csv"):
        return True
    with open(os.path.join(directory, "run." + suffix)) as f:
        return len(f.readlines()) > 1


def self_test(lab: Lab, seed: int, engines: Sequence[str], keep: str) -> int:
    """Two runs that agree, altered figure by figure; 1 when an alteration is not found."""
    tried = found = runs = 0
    while runs < 2:
        seed += 1
        run = draw(seed, engines)
        if (
            "--percentile=0" in run.args
            or not any(a.startswith("--tx-rate") for a in run.args)
            or run.env.get("AUDIT_FAIL", "0") != "0"
            or formats(run) != list(FORMATS)
        ):
            continue
        directory = os.path.join(keep, "self-test-%d" % seed)
        owned.fresh(directory)
        result = lab.audit(run, directory)
        with open(os.path.join(directory, "run.json")) as f:
            document = json.load(f)
        # every format has something to alter
        summary = document["summary"]
        enough = summary and summary["rate"]["total_done"] > 50 and document["intervals"]
        if enough and not result.disagreements:
            runs += 1
            for suffix in [x for x in [*WHOLE, *LINE, "raw"] if has_rows(directory, x)]:
                for k in range(EACH if suffix != "raw" else 1):
                    r = random.Random("%d %s %d" % (seed, suffix, k))
                    good, what = try_one(lab, run, directory, suffix, r)
                    tried, found = tried + 1, found + good
                    if not good:
                        say("seed %d: run.%s: %s: not found" % (seed, suffix, what[:200]))
        owned.remove(directory)
    print("%d alterations, %d found" % (tried, found))
    return 0 if found == tried else 1

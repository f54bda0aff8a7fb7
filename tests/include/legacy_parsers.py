# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs in use read out of sysbench's output, tried on ours.

  legacy_parsers.py [BUILTIN-TEST] DIALECT <OUTPUT

Scripts written for one version of sysbench take figures from fixed places: a word, a field number,
a regular expression.  Each function below repeats the expressions of one such program.  A plain
reading of the output, label by label, says which values it must find.  The output names those that
read well, then has one line for each that does not: its name, and what it misread.
"""

from __future__ import annotations

import re
import sys
from typing import Iterator, Tuple

Pair = Tuple[object, object]  # what a program finds, and what it should


class Output:
    """The output of one run, and its figures by label: "transactions" -> "100 (10.00 per sec.)"."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines()
        self.label: dict[str, str] = {}
        for line in self.lines:
            name, colon, value = line.partition(":")
            if colon and value.strip() and not line.startswith("["):
                self.label.setdefault(" ".join(name.split()), value.strip())
        self.intervals = [line for line in self.lines if line.startswith("[") and "tps:" in line]

    def count(self, name: str) -> int:
        return int(self.label[name].split()[0])

    def rate(self, name: str) -> float:
        return float(self.label[name].split("(")[1].split()[0])

    def ms(self, name: str) -> float:
        return float(self.label[name].rstrip("ms"))

    def seconds(self, name: str) -> float:
        return float(self.label[name].rstrip("s"))

    def matching(self, pattern: str) -> list[str]:
        return [line for line in self.lines if re.search(pattern, line)]


def found(pattern: str, text: str) -> float:
    """The group of the pattern's first match in the text."""
    match = re.search(pattern, text)
    return float(match.group(1)) if match else float("nan")


# --- 0.4.12 ---


def drizzle_automation(o: Output) -> Iterator[Pair]:
    for name, pattern in (
        ("transactions", r".*transactions\:\s+\d+\D*(\d+\.\d+).*"),
        ("deadlocks", r".*deadlocks\:\s+\d+\D*(\d+\.\d+).*"),
        ("read/write requests", r".*read\/write\s+requests\:\s+\d+\D*(\d+\.\d+).*"),
    ):
        yield found(pattern, o.text), o.rate(name)
    for name in ("min", "avg", "max"):
        yield found(rf".*{name}\:\s+(\d*\.\d+)ms.*", o.text), o.ms(name)
    yield (
        found(r".*approx.\s+95\s+percentile\:\s+(\d+\.\d+)ms.*", o.text),
        o.ms("approx. 95 percentile"),
    )


def last(line: str, cut: int = 0) -> str:
    field = line.split()[-1]
    return field[: len(field) - cut]


def linaro_lava(o: Output) -> Iterator[Pair]:
    yield float(last(o.matching("total time:")[0], 1)), o.seconds("total time")
    yield int(last(o.matching("total number of events")[0])), o.count("total number of events")
    yield (
        float(last(o.matching("total time taken by event execution")[0])),
        float(o.label["total time taken by event execution"]),
    )
    for name in ("min", "avg", "max", "approx"):
        label = "approx. 95 percentile" if name == "approx" else name
        yield float(last(o.matching(name)[0], 2)), o.ms(label)
    for name in ("events (avg/stddev)", "execution time (avg/stddev)"):
        value = last(o.matching(re.escape(name))[0]).split("/")
        yield value, o.label[name].split("/")
        yield len(value), 2


def linaro_lava_oltp(o: Output) -> Iterator[Pair]:
    for name in ("read", "write", "other", "total"):
        lines = o.matching(name + ":")
        yield len(lines), 1
        yield int(last(lines[0])), o.count(name)
    for name in ("transactions", "deadlocks", "read/write requests", "other operations"):
        lines = o.matching(name + ":")
        yield len(lines), 1
        yield float(lines[0].split()[-3].lstrip("(")), o.rate(name)


def linaro_lava_memory(o: Output) -> Iterator[Pair]:
    operations, moved = o.matching("Operations")[0], o.matching("transferred")[0]
    yield float(operations.split()[3].lstrip("(")), found(r"\(([\d.]+) ops/sec", operations)
    yield float(moved.split()[3].lstrip("(")), found(r"\(([\d.]+) MB/sec", moved)


def linaro_lava_fileio(o: Output) -> Iterator[Pair]:
    rate = o.matching("transferred")[0].split()[-1]
    yield rate.startswith("(") and rate.endswith("b/sec)"), True
    yield float(o.matching("Requests/sec")[0].split()[0]) > 0, True


def azure_fileio(o: Output) -> Iterator[Pair]:
    done = o.matching("Operations performed:")[0].split()
    reads, writes, other, total = (int(done[i]) for i in (2, 4, 6, 9))
    yield (reads + writes + other, reads + writes), (total, o.count("total number of events"))
    moved = o.matching("^Read ")[0].split()
    yield [moved[i][-1] for i in (1, 3, 6)], ["b", "b", "b"]
    yield moved[7][0] + moved[7][-5:], "(/sec)"
    yield o.matching("total number of events:")[0].split()[4], str(reads + writes)
    yield float(o.matching("total time: ")[0].split()[2].rstrip("s")), o.seconds("total time")
    for name in ("min", "avg", "max"):
        yield float(o.matching(name + ":")[0].split()[1].rstrip("ms")), o.ms(name)
    percentile = o.matching("approx.  95 percentile:")[0].split()
    yield float(percentile[3].rstrip("ms")), o.ms("approx. 95 percentile")
    for word in ("Number of threads: ", "^Block size ", "b total file size$"):
        yield len(o.matching(word)), 1
    yield re.search("Using (.*) I/O mode", o.text) is not None, True
    yield float(o.matching("Requests/sec executed")[0].split()[0]) > 0, True


def galera_helper(o: Output) -> Iterator[Pair]:
    for name in ("transactions", "deadlocks", "read/write requests"):
        yield found(rf"{name}:.*\((.*) per.*", o.text), o.rate(name)


# --- 0.4.12 and 0.5 ---


def mmtests(o: Output) -> Iterator[Pair]:
    lines = o.matching(".*transactions:.*per sec")
    yield len(lines), 1
    yield float(re.split(r"\s+", lines[0])[3].lstrip("(")), o.rate("transactions")


def cbtool(o: Output) -> Iterator[Pair]:
    lines = [line for line in o.matching("transactions") if "per" in line]
    yield float(lines[0].split("(")[1].split(" ")[0]), o.rate("transactions")
    yield (
        float(o.matching("95 percentile")[0].split()[3].rstrip("ms")),
        o.ms("approx. 95 percentile"),
    )


def kunbus(o: Output) -> Iterator[Pair]:
    yield (
        found(r"total time taken by event execution:\s*(\d*\.\d*)", o.text),
        o.seconds("total time taken by event execution"),
    )
    yield found(r"total time:\s*(\d*\.\d*)", o.text), o.seconds("total time")


def vadimtk(o: Output) -> Iterator[Pair]:
    for line in o.intervals:
        fields = [field.strip() for field in line.split(",")]
        yield re.match(r"\[ *\d+s\] threads: \d+$", fields[0]) is not None, True
        for i, name in enumerate(("tps", "reads", "writes", "response time")):
            yield fields[1 + i].startswith(name + ": "), True
        yield re.search(r": [\d.]+ms", fields[4]) is not None, True


def plot_sysbench(o: Output) -> Iterator[Pair]:
    for line in o.intervals:
        match = re.search(r"\[\s*(\d+)s\s*\].*?tps:\s*([\d.]+)", line)
        yield match and match[2], re.split(r"[, ]", line.split("tps: ")[1])[0]


def dynimize(o: Output) -> Iterator[Pair]:
    yield int(o.matching("Number of threads: ")[0].split()[3]), o.count("Number of threads")
    yield (
        int(o.matching("total number of events:")[0].split()[4]),
        o.count("total number of events"),
    )


# --- 1.0 ---


def perfkit(o: Output) -> Iterator[Pair]:
    for line in o.matching(r"^\["):  # any other line that begins so is an error there
        part = re.search(r"tps: (.*?) qps: (.*?) \(", line)
        yield found("tps: (.*?) ", line), float(part[1]) if part else None
        yield found(r"qps: (.*?) \(.*?\) ", line), float(part[2]) if part else None
        yield found(r"lat \(.*?\): (.*?) ", line) >= 0, True
        yield found(r"\[ ([0-9]+)s \]", line) > 0, True
    for name in ("transactions", "queries"):
        yield (found(rf"{name}: *[0-9]* *\(([0-9]*[.]?[0-9]+) per sec.\)", o.text), o.rate(name))
    yield found("95th percentile: *([0-9.]*)", o.text), o.ms("95th percentile")


def sysbench_analyzer(o: Output) -> Iterator[Pair]:
    number = r"(\d+\.\d+)"
    pattern = (
        rf"\[ (\d+)s \] thds: (\d+) tps: {number} qps: {number} "
        rf"\(r/w/o: {number}/{number}/{number}\) "
        rf"lat \(ms,(\d+)%\): {number} err/s: {number} reconn/s: {number}$"
    )
    for line in o.intervals:
        yield re.match(pattern, line) is not None, True


def every_interval(o: Output) -> Iterator[Pair]:
    """No line but those of intervals may begin with a bracket, and there must be some."""
    yield len(o.intervals) > 0, True
    yield len(o.matching(r"^\[")), len(o.intervals)


OLDEST = [drizzle_automation, linaro_lava, linaro_lava_oltp, galera_helper, mmtests, dynimize]
PARSERS = {
    "0.4": [*OLDEST, cbtool, plot_sysbench, every_interval],
    "0.5": [mmtests, cbtool, kunbus, vadimtk, plot_sysbench, dynimize, every_interval],
    "1.0": [perfkit, sysbench_analyzer, plot_sysbench, dynimize, every_interval],
}
BUILTIN = {
    "cpu 0.4": [linaro_lava, dynimize],
    "cpu 0.5": [kunbus, dynimize],
    "memory 0.4": [linaro_lava, linaro_lava_memory],
    "fileio 0.4": [linaro_lava, linaro_lava_fileio, azure_fileio],
    "fileio 0.5": [azure_fileio],
}


def verdict(pairs: list[Pair]) -> str:
    wrong = [f"{got!r} is not {want!r}" for got, want in pairs if got != want]
    return "; ".join(wrong) if wrong else "ok" if pairs else "no figures"


def main() -> None:
    """What was read well in one line, what was not in lines of its own."""
    of = " ".join(sys.argv[1:])
    output = Output(sys.stdin.read())
    said = {p.__name__: verdict(list(p(output))) for p in {**PARSERS, **BUILTIN}[of]}
    print(" ".join([of + ":", *(name for name, text in said.items() if text == "ok")]))
    print("".join(f"{name}: {text}\n" for name, text in said.items() if text != "ok"), end="")


if __name__ == "__main__":
    main()

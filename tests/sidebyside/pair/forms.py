# SPDX-License-Identifier: GPL-2.0-or-later
"""The lines of sysbench's reports, as forms.

A figure is masked only where it stands in one of these lines, and only when the
whole line has the form: words, blanks, columns, number of decimals.  A masked line
becomes its form, so that a changed width or a moved column is a difference.

A form is a printf format with a letter before the width:

    %.2f %39.2f   measured, always masked
    %z.2f         measured; zero stays visible (`%z.2f=0`), since zero is no accident
    %au           a count that depends on the moment, always masked
    %cu %c-6u     a count that is exact unless the case says [counts]
    %d            exact, never masked
"""

from __future__ import annotations

import re

FORMS = """
    total time:                          %.4fs
    total number of events:              %cu
         min: %39.2f
         avg: %39.2f
         max: %39.2f
         sum: %39.2f
        %3dth percentile: %27.2f
    events (avg/stddev):           %c.4f/%3.2f
    execution time (avg/stddev):   %.4f/%3.2f
        read:                            %cu
        write:                           %cu
        other:                           %cu
        total:                           %cu
    transactions:                        %c-6u (%.2f per sec.)
    queries:                             %c-6u (%z.2f per sec.)
    ignored errors:                      %c-6u (%z.2f per sec.)
    reconnects:                          %c-6u (%z.2f per sec.)
    events per second: %8.2f
[ %ds ] thds: %d tps: %z4.2f qps: %z4.2f (r/w/o: %z4.2f/%z4.2f/%z4.2f) lat (ms,%d%%): %4.2f \
err/s: %z4.2f reconn/s: %z4.2f
[ %ds ] thds: %d tps: %z4.2f qps: %z4.2f (r/w/o: %z4.2f/%z4.2f/%z4.2f) lat (ms,%d%%): %4.2f \
err/s %z4.2f reconn/s: %z4.2f
[ %ds ] thds: %d eps: %z4.2f lat (ms,%d%%): %4.2f
[ %ds ] queue length: %au, concurrency: %au
[ %ds ] queue length: %au concurrency: %au
[ %ds ] %4.2f MiB/sec
[ %ds ] reads: %z4.2f MiB/s writes: %z4.2f MiB/s fsyncs: %z4.2f/s latency (ms,%d%%): %4.3f
%d,%d,%z4.2f,%z4.2f,%z4.2f,%z4.2f,%z4.2f,%4.2f,%z4.2f,%z4.2f
    "tps": %z4.2f,
      "total": %z4.2f,
      "reads": %z4.2f,
      "writes": %z4.2f,
      "other": %z4.2f
    "latency": %4.2f,
    "errors": %z4.2f,
    "reconnects": %z4.2f
Total operations: %cu (%8.2f per second)
%c.2f MiB transferred (%4.2f MiB/sec)
    reads/s:                      %z4.2f
    writes/s:                     %z4.2f
    fsyncs/s:                     %z4.2f
    read, MiB/s:                  %z4.2f
    written, MiB/s:               %z4.2f
%d bytes written in %.2f seconds (%.2f MiB/sec).
Number of unfinished transactions on forced shutdown: %au
DEBUG:     thread #%3d: min: %.4fs  avg: %.4fs  max: %.4fs  events: %cu
DEBUG:                  total time taken by event execution: %.4fs
"""

DIRECTIVE = re.compile(r"%(?:(%)|([acz]?)(-?\d*)(?:\.(\d+))?([fud]))")


class Form:
    """One line: a regular expression, and what each directive turns into."""

    def __init__(self, text: str) -> None:
        self.text = text
        # literal, (directive, flag, width, left, type), literal, ...
        self.parts: list[str | tuple[str, str, int, bool, str]] = []
        pattern, at = "", 0
        for m in DIRECTIVE.finditer(text):
            literal = text[at : m.start()] + ("%" if m.group(1) else "")
            self.parts.append(literal)
            pattern += re.escape(literal)
            at = m.end()
            if m.group(1):
                continue
            flag, width, decimals, kind = m.groups()[1:]
            number = r"-?\d+\.\d{%s}" % decimals if kind == "f" else r"-?\d+"
            left = width.startswith("-")
            blanks = abs(int(width or 0))
            # without a width there are no blanks to take; with one they belong to the figure
            pattern += "(%s)" % (number if not blanks else number + " *" if left else " *" + number)
            self.parts.append((m.group(0), flag, blanks, left, kind))
        self.parts.append(text[at:])
        self.regex = re.compile(pattern + re.escape(text[at:]))

    def apply(self, line: str, counts: bool) -> str | None:
        """The masked line; None when it does not have this form to the letter."""
        m = self.regex.fullmatch(line)
        if not m:
            return None
        figures, out = iter(m.groups()), []
        for part in self.parts:
            if isinstance(part, str):
                out.append(part)
                continue
            directive, flag, width, left, kind = part
            figure = next(figures)
            number = figure.strip(" ")
            if figure != (number.ljust(width) if left else number.rjust(width)):
                return None
            out.append(masked(directive, flag, kind, figure, counts))
        return "".join(out)


def masked(directive: str, flag: str, kind: str, figure: str, counts: bool) -> str:
    """What a figure becomes: itself, its directive, or its directive with a remark."""
    exact = kind == "d" or (flag == "c" and not counts)
    if exact:
        return figure
    if flag == "z" and float(figure) == 0:
        return directive + "=0"
    return directive


TABLE = [Form(line) for line in FORMS.replace("\\\n", "").strip("\n").split("\n")]


def mask_line(line: str, counts: bool) -> str:
    """The line as its form, or as it is when it has none."""
    for form in TABLE:
        out = form.apply(line, counts)
        if out is not None:
            return out
    return line

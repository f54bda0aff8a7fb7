/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A stream of JSON objects, one a line: the run, then each interval and checkpoint when it ends, the summary,
 * verdict with the histograms, the end.  A line is written in one call, so a reader that follows the file sees whole
 * lines and a crash loses the interval in progress.
 */
#include "report/json.h"
#include "report/json_doc.h"
#include "report/writer.h"

static void line(struct report_file *f)
{
    str_adds(&f->text, "}\n");
    report_file_flush(f);
}

static void begin(struct report_file *f)
{
    str_adds(&f->text, "{\"kind\":\"run\",\"schema\":\"" JSON_LINE_SCHEMA "\",\"run\":");
    json_doc_run(&f->text, f->info);
    line(f);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    bool first = true;

    str_adds(&f->text, "{");
    json_doc_snapshot(&f->text, &first, s);
    line(f);
    if (s->kind != SNAPSHOT_FINAL)
        return;
    str_adds(&f->text, "{\"kind\":\"histograms\",\"histograms\":");
    json_doc_histograms(&f->text, &s->hists);
    line(f);
}

static void end_stream(struct report_file *f, const struct report_end *end)
{
    str_adds(&f->text, "{\"kind\":\"end\",\"verdict\":");
    json_doc_verdict(&f->text, end);
    str_adds(&f->text, ",\"end\":");
    json_doc_end(&f->text, end);
    line(f);
}

const struct writer writer_jsonl = {.name = "jsonl", .suffixes = " .jsonl .ndjson ", .begin = begin,
                                    .snapshot = snapshot, .end = end_stream};

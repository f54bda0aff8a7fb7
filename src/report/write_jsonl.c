/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A stream of JSON objects, one a line: the run and its environment, then each mark, command,
 * interval and checkpoint when it ends, the phases between marks, the stages, the summary, the
 * histograms, the profile, verdict and end.  A line is written in one call, so a reader that
 * follows the file sees whole lines and a crash loses the interval in progress.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "report/json.h"
#include "report/json_doc.h"
#include "report/writer.h"
#include "telemetry/environment.h"

struct stream {
    bool environment; /* said */
    size_t steps;     /* of --tx-find, likewise */
    size_t actions;   /* room in: */
    bool *action;     /* which of them were */
};

static void close_line(struct report_file *f)
{
    str_adds(&f->text, "}\n");
    report_file_flush(f);
}

/* With the run's labels, if it has any: lines of several runs are collected into one place. */
static void write_line(struct report_file *f)
{
    if (f->info->labels) {
        str_adds(&f->text, ",\"labels\":");
        json_doc_labels(&f->text, f->info);
    }
    close_line(f);
}

static void begin(struct report_file *f)
{
    f->state = mem_alloc(sizeof(struct stream));
    str_adds(&f->text, "{\"kind\":\"run\",\"schema\":\"" JSON_LINE_SCHEMA "\",\"run\":");
    json_doc_run(&f->text, f->info);
    close_line(f);
}

/* Once, before the first report. */
static void environment(struct report_file *f)
{
    struct stream *t = f->state;

    if (t->environment || !f->info->record || f->info->record->n == 0)
        return;
    t->environment = true;
    str_adds(&f->text, "{\"kind\":\"environment\",\"environment\":");
    json_doc_environment(&f->text, f->info->record);
    write_line(f);
}

static void marks(struct report_file *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++) {
        bool first = false;
        str_adds(&f->text, "{\"kind\":\"mark\"");
        json_doc_mark(&f->text, &first, s, &s->marks[i]);
        write_line(f);
    }
}

/* Writes the commands that have ended, once each; at the `last` call all. */
static void actions(struct report_file *f, bool last)
{
    struct stream *t = f->state;

    if (t->actions < f->info->actions) {
        t->actions = f->info->actions;
        free(t->action);
        t->action = mem_array(t->actions, sizeof *t->action);
    }
    for (size_t i = 0; i < f->info->actions; i++) {
        const struct report_action *a = &f->info->action[i];
        bool first = false;
        if (t->action[i] || (!last && a->state != ACTION_ENDED && a->state != ACTION_FAILED))
            continue;
        t->action[i] = true;
        str_adds(&f->text, "{\"kind\":\"command\"");
        json_doc_action(&f->text, &first, a);
        write_line(f);
    }
}

static void phases(struct report_file *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nphases; i++) {
        bool first = false;
        str_adds(&f->text, "{\"kind\":\"phase\"");
        json_doc_phase(&f->text, &first, &s->phases[i]);
        write_line(f);
    }
}

static void steps(struct report_file *f, const struct find_record *r)
{
    struct stream *t = f->state;
    size_t n = r ? atomic_load_explicit(&r->nsteps, memory_order_acquire) : 0;

    for (; t->steps < n; t->steps++) {
        bool first = false;
        str_adds(&f->text, "{\"kind\":\"find_step\"");
        json_doc_find_step(&f->text, &first, r, t->steps);
        write_line(f);
    }
}

static void stages(struct report_file *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nstages; i++) {
        bool first = false;
        str_adds(&f->text, "{\"kind\":\"stage\"");
        json_doc_stage(&f->text, &first, &s->stages[i], i + 1);
        write_line(f);
    }
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    bool first = true;

    environment(f);
    marks(f, s);
    actions(f, s->kind == SNAPSHOT_FINAL);
    phases(f, s);
    steps(f, s->find);
    stages(f, s);
    str_adds(&f->text, "{");
    json_doc_snapshot(&f->text, &first, s);
    write_line(f);
    if (s->kind != SNAPSHOT_FINAL)
        return;
    str_adds(&f->text, "{\"kind\":\"histograms\",\"histograms\":");
    json_doc_histograms(&f->text, &s->hists);
    write_line(f);
}

static void end_stream(struct report_file *f, const struct report_end *end)
{
    struct stream *t = f->state;

    environment(f);
    actions(f, true);
    if (f->info->profile && f->info->profile->ended) {
        str_adds(&f->text, "{\"kind\":\"profile\",\"profile\":");
        json_doc_profile(&f->text, f->info->profile);
        write_line(f);
    }
    str_adds(&f->text, "{\"kind\":\"end\",\"verdict\":");
    json_doc_verdict(&f->text, end);
    str_adds(&f->text, ",\"end\":");
    json_doc_end(&f->text, end);
    write_line(f);
    free(t->action);
    free(t);
    f->state = NULL;
}

const struct writer writer_jsonl = {.name = "jsonl",
                                    .suffixes = " .jsonl .ndjson ",
                                    .record = true,
                                    .begin = begin,
                                    .snapshot = snapshot,
                                    .end = end_stream};

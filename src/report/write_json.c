/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * json: one JSON document a run, valid at every moment of it.  jsonl: a stream of lines, below.
 * html: the live page with these lines inside, at the end.
 *
 * tail_note: after the last interval there is a tail that closes the document, and says "running".
 * The next interval overwrites it, with a new tail, in one call; so the document parses and holds
 * all intervals however the program ends.  The tail has blanks at its end for the longest reason:
 * when the disk is full, a tail with that reason replaces the old one.  Into a pipe the tail is
 * written once, at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"
#include "report/live.h"
#include "report/writer.h"
#include "telemetry/environment.h"

#define RESERVE 320 /* blanks: the room for a reason in the tail */

/* The members after the intervals; the first ones are lists. */
enum { CHECKPOINTS, MARKS, PHASES, STAGES, SUMMARY, HISTOGRAMS, PARTS };

struct document {
    off_t tail_at;
    struct str fallback; /* replaces the tail, and has the same length */
    bool opened;         /* an interval was written, and all that is before it */
    struct str part[PARTS];
};

/* The members before the intervals; they are known at the first interval, or at the end. */
static void open_list(struct str *out, const struct report_info *info)
{
    str_adds(out, "\"environment\":");
    json_doc_environment(out, info->record);
    str_adds(out, ",\n\"intervals\":[");
}

/* Everything after the intervals. */
static void tail(struct str *out, const struct report_file *f, const struct report_end *end)
{
    static const char *const lists[] = {"checkpoints", "marks", "phases", "stages"};
    const struct document *d = f->state;
    const struct str *summary = &d->part[SUMMARY], *histograms = &d->part[HISTOGRAMS];

    if (!d->opened)
        open_list(out, f->info);
    str_adds(out, "\n],\n");
    for (int i = 0; i <= STAGES; i++)
        if (i < STAGES || d->part[STAGES].len)
            str_printf(out, "\"%s\":[%s],\n", lists[i], str_cstr(&d->part[i]));
    str_adds(out, "\"commands\":[");
    for (size_t i = 0; i < f->info->actions; i++) {
        str_adds(out, i ? ",\n" : "\n");
        json_object(out, action_figures, NULL, &f->info->action[i]);
    }
    str_adds(out, "],\n");
    str_printf(out, "\"summary\":%s,\n\"verdict\":", summary->len ? summary->s : "null");
    json_doc_verdict(out, end);
    str_adds(out, ",\n\"profile\":");
    json_doc_profile(out, f->info->profile);
    str_printf(out, ",\n\"histograms\":%s,\n\"end\":", histograms->len ? histograms->s : "null");
    json_object(out, end_figures, NULL, end);
    str_adds(out, "}");
}

/* Blanks up to `len`, the last of them a newline; a newline in any case. */
static void pad(struct str *out, size_t len)
{
    while (out->len + 1 < len)
        str_adds(out, " ");
    str_adds(out, "\n");
}

static const struct report_end running = {.status = "running", .why = ""};
static const struct report_end cut = {
    .status = "incomplete", .why = "", .error = "the file could not be written to its end"};

/* Writes the piece in f->text and a new tail over the old tail; into a pipe the piece alone. */
static void write_piece(struct report_file *f, const struct report_end *end)
{
    struct document *d = f->state;
    struct str *text = &f->text;
    size_t len = text->len;

    if (!f->out.regular) {
        report_file_flush(f);
        return;
    }
    tail(text, f, end);
    pad(text, text->len + (end == &running ? RESERVE : 1));
    int rc = d->fallback.len ? out_replace_end(&f->out, d->tail_at, text->s, text->len,
                                               d->fallback.s, d->fallback.len)
                             : out_append(&f->out, text->s, text->len);
    if (rc == 0) {
        d->tail_at += (off_t)len;
        str_reset(&d->fallback);
        tail(&d->fallback, f, &cut);
        pad(&d->fallback, text->len - len);
    }
    str_reset(text);
}

static void begin_document(struct report_file *f)
{
    f->state = mem_alloc(sizeof(struct document));
    str_adds(&f->text, "{\"schema\":\"" JSON_DOC_SCHEMA "\",\n\"run\":");
    json_doc_run(&f->text, f->info);
    str_adds(&f->text, ",\n");
    write_piece(f, &running);
}

/* Appends n records of a snapshot to a list. */
static void add(struct str *list, const struct figure *t, const struct snapshot *s,
                const void *record, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        str_adds(list, list->len ? ",\n" : "\n");
        json_object(list, t, s, (const char *)record + i * size);
    }
}

static void document_snapshot(struct report_file *f, const struct snapshot *s)
{
    struct document *d = f->state;

    add(&d->part[MARKS], mark_figures, s, s->marks, s->nmarks, sizeof *s->marks);
    if (s->kind == SNAPSHOT_INTERVAL) {
        if (!d->opened)
            open_list(&f->text, f->info);
        str_adds(&f->text, d->opened ? ",\n" : "\n");
        d->opened = true;
        json_doc_report(&f->text, s);
        write_piece(f, &running);
    } else if (s->kind == SNAPSHOT_CHECKPOINT) {
        str_adds(&d->part[CHECKPOINTS], d->part[CHECKPOINTS].len ? ",\n" : "\n\n");
        json_doc_report(&d->part[CHECKPOINTS], s);
        write_piece(f, &running);
    } else {
        add(&d->part[PHASES], phase_figures, s, s->phases, s->nphases, sizeof *s->phases);
        add(&d->part[STAGES], stage_figures, s, s->stages, s->nstages, sizeof *s->stages);
        json_doc_report(&d->part[SUMMARY], s);
        json_doc_histograms(&d->part[HISTOGRAMS], &s->hists);
    }
}

static void end_document(struct report_file *f, const struct report_end *end)
{
    struct document *d = f->state;

    if (!f->out.regular) {
        tail(&f->text, f, end);
        str_adds(&f->text, "\n");
    }
    write_piece(f, end);
    str_free(&d->fallback);
    for (int i = 0; i < PARTS; i++)
        str_free(&d->part[i]);
    free(d);
    f->state = NULL;
}

const struct writer_ops write_json = {begin_document, document_snapshot, end_document, NULL};

/*
 * --- A stream of JSON objects, one a line ---
 *
 * The run and its environment, then each mark, command, interval and checkpoint when it ends, the
 * phases between marks, the stages, the summary, the histograms, the profile, verdict and end.  A
 * line is written in one call, so a reader that follows the file sees whole lines and a crash loses
 * the interval in progress.
 */

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

static void begin_stream(struct report_file *f)
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

/* A line of a record. */
static void record_line(struct report_file *f, const char *kind, const struct figure *t,
                        const struct snapshot *s, const void *of)
{
    str_printf(&f->text, "{\"kind\":\"%s\"", kind);
    json_members(&f->text, t, s, of);
    write_line(f);
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
        if (t->action[i] || (!last && a->state != ACTION_ENDED && a->state != ACTION_FAILED))
            continue;
        t->action[i] = true;
        record_line(f, "command", action_figures, NULL, a);
    }
}

static void stream_snapshot(struct report_file *f, const struct snapshot *s)
{
    const struct find_record *r = s->find;
    struct stream *t = f->state;
    size_t n = r ? atomic_load_explicit(&r->nsteps, memory_order_acquire) : 0;

    environment(f);
    for (size_t i = 0; i < s->nmarks; i++)
        record_line(f, "mark", mark_figures, s, &s->marks[i]);
    actions(f, s->kind == SNAPSHOT_FINAL);
    for (size_t i = 0; i < s->nphases; i++)
        record_line(f, "phase", phase_figures, s, &s->phases[i]);
    for (; t->steps < n; t->steps++)
        record_line(f, "find_step", step_figures, s, &r->step[t->steps]);
    for (size_t i = 0; i < s->nstages; i++)
        record_line(f, "stage", stage_figures, s, &s->stages[i]);
    str_adds(&f->text, "{");
    json_doc_snapshot(&f->text, s);
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
    json_object(&f->text, end_figures, NULL, end);
    write_line(f);
    free(t->action);
    free(t);
    f->state = NULL;
}

const struct writer_ops write_jsonl = {begin_stream, stream_snapshot, end_stream, NULL};

/*
 * --- The page of a run ---
 *
 * The whole live page, and behind it the lines of jsonl as data, which the page shows instead of
 * asking for them.  A file that was cut off shows what is in it.
 */

static void begin_page(struct report_file *f)
{
    static const char tag[] = "<script type=\"application/x-ndjson\" id=\"run\">\n";

    out_append(&f->out, (const char *)live_page, live_page_size);
    out_append(&f->out, tag, sizeof tag - 1);
    begin_stream(f);
}

static void end_page(struct report_file *f, const struct report_end *end)
{
    end_stream(f, end);
    out_append(&f->out, "</script>\n", 10);
}

/* JSON without a character that ends a script. */
static void make_inert(struct str *text)
{
    struct str inert = STR_INIT;

    for (const char *at = str_cstr(text); *at;) {
        size_t n = strcspn(at, "<");
        str_add(&inert, at, n);
        str_adds(&inert, at[n] ? "\\u003c" : "");
        at += n + (at[n] == '<');
    }
    str_free(text);
    *text = inert;
}

const struct writer_ops write_html = {begin_page, stream_snapshot, end_page, make_inert};

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One JSON document a run, valid at every moment of it.
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
#include "report/json_doc.h"
#include "report/writer.h"

#define RESERVE 320 /* blanks: the room for a reason in the tail */

struct document {
    off_t tail_at;
    struct str fallback; /* replaces the tail, and has the same length */
    bool opened;         /* everything up to the beginning of the list of intervals is written */
    bool any;            /* an interval was written */
    struct str checkpoints, marks, phases, stages, summary, histograms;
};

/* The members before the intervals; they are known at the first interval, or at the end. */
static void open_list(struct str *out, const struct report_info *info)
{
    str_adds(out, "\"environment\":");
    json_doc_environment(out, info->record);
    str_adds(out, ",\n\"intervals\":[");
}

static void actions(struct str *out, const struct report_info *info)
{
    str_adds(out, "\"commands\":[");
    for (size_t i = 0; i < info->actions; i++) {
        bool first = true;
        str_adds(out, i ? ",\n{" : "\n{");
        json_doc_action(out, &first, &info->action[i]);
        str_adds(out, "}");
    }
    str_adds(out, "],\n");
}

/* Everything after the intervals. */
static void tail(struct str *out, const struct report_file *f, const struct report_end *end)
{
    const struct document *d = f->state;

    if (!d->opened)
        open_list(out, f->info);
    str_printf(out, "\n],\n\"checkpoints\":[%s],\n", str_cstr(&d->checkpoints));
    str_printf(out, "\"marks\":[%s],\n", str_cstr(&d->marks));
    str_printf(out, "\"phases\":[%s],\n", str_cstr(&d->phases));
    if (d->stages.len)
        str_printf(out, "\"stages\":[%s],\n", str_cstr(&d->stages));
    actions(out, f->info);
    str_printf(out, "\"summary\":%s,\n\"verdict\":", d->summary.len ? d->summary.s : "null");
    json_doc_verdict(out, end);
    str_adds(out, ",\n\"profile\":");
    json_doc_profile(out, f->info->profile);
    str_printf(out,
               ",\n\"histograms\":%s,\n\"end\":", d->histograms.len ? d->histograms.s : "null");
    json_doc_end(out, end);
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

/* Writes the piece and a new tail over the old tail. */
static int put_text(struct report_file *f, const struct str *text)
{
    struct document *d = f->state;

    if (!d->fallback.len)
        return out_append(&f->out, text->s, text->len);
    return out_replace_end(&f->out, d->tail_at, text->s, text->len, d->fallback.s, d->fallback.len);
}

static void write_piece(struct report_file *f, const char *piece, const struct report_end *end)
{
    struct document *d = f->state;
    struct str text = STR_INIT;
    size_t len;

    str_adds(&text, piece);
    len = text.len;
    tail(&text, f, end);
    pad(&text, text.len + (end == &running ? RESERVE : 1));
    if (put_text(f, &text) == 0) {
        d->tail_at += (off_t)len;
        str_reset(&d->fallback);
        tail(&d->fallback, f, &cut);
        pad(&d->fallback, text.len - len);
    }
    str_free(&text);
}

static void begin(struct report_file *f)
{
    f->state = mem_alloc(sizeof(struct document));
    str_adds(&f->text, "{\"schema\":\"" JSON_DOC_SCHEMA "\",\n\"run\":");
    json_doc_run(&f->text, f->info);
    str_adds(&f->text, ",\n");
    if (f->out.regular)
        write_piece(f, f->text.s, &running);
    else
        out_append(&f->out, f->text.s, f->text.len);
    str_reset(&f->text);
}

static void object(struct str *out, const struct snapshot *s)
{
    bool first = true;

    str_adds(out, "{");
    json_doc_snapshot(out, &first, s);
    str_adds(out, "}");
}

static void interval(struct report_file *f, const struct snapshot *s)
{
    struct document *d = f->state;

    if (!d->opened)
        open_list(&f->text, f->info);
    d->opened = true;
    str_adds(&f->text, d->any ? ",\n" : "\n");
    d->any = true;
    object(&f->text, s);
    if (f->out.regular)
        write_piece(f, f->text.s, &running);
    else
        out_append(&f->out, f->text.s, f->text.len);
    str_reset(&f->text);
}

static void add_marks(struct document *d, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++) {
        bool first = true;
        str_adds(&d->marks, d->marks.len ? ",\n{" : "\n{");
        json_doc_mark(&d->marks, &first, s, &s->marks[i]);
        str_adds(&d->marks, "}");
    }
}

static void add_phases(struct document *d, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nphases; i++) {
        bool first = true;
        str_adds(&d->phases, d->phases.len ? ",\n{" : "\n{");
        json_doc_phase(&d->phases, &first, &s->phases[i]);
        str_adds(&d->phases, "}");
    }
}

static void add_stages(struct document *d, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nstages; i++) {
        bool first = true;
        str_adds(&d->stages, d->stages.len ? ",\n{" : "\n{");
        json_doc_stage(&d->stages, &first, &s->stages[i], i + 1);
        str_adds(&d->stages, "}");
    }
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    struct document *d = f->state;

    add_marks(d, s);
    if (s->kind == SNAPSHOT_INTERVAL) {
        interval(f, s);
    } else if (s->kind == SNAPSHOT_CHECKPOINT) {
        struct str all = STR_INIT;
        str_printf(&all, "%s%s\n", str_cstr(&d->checkpoints), d->checkpoints.len ? "," : "\n");
        object(&all, s);
        str_free(&d->checkpoints);
        d->checkpoints = all;
        if (f->out.regular)
            write_piece(f, "", &running);
    } else {
        add_phases(d, s);
        add_stages(d, s);
        object(&d->summary, s);
        json_doc_histograms(&d->histograms, &s->hists);
    }
}

static void end_document(struct report_file *f, const struct report_end *end)
{
    struct document *d = f->state;

    if (f->out.regular) {
        write_piece(f, "", end);
    } else {
        tail(&f->text, f, end);
        str_adds(&f->text, "\n");
        report_file_flush(f);
    }
    str_free(&d->fallback);
    str_free(&d->checkpoints);
    str_free(&d->marks);
    str_free(&d->phases);
    str_free(&d->stages);
    str_free(&d->summary);
    str_free(&d->histograms);
    free(d);
    f->state = NULL;
}

const struct writer writer_json = {.name = "json",
                                   .suffixes = " .json ",
                                   .record = true,
                                   .begin = begin,
                                   .snapshot = snapshot,
                                   .end = end_document};

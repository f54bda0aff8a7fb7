/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables (RFC 4180, lines end in LF): a line of names, then rows of one kind, so that a column can
 * be summed: intervals in csv, checkpoints in checkpoints-csv, the summary in summary-csv, the
 * stages of the rate in stages-csv.  All have the same columns, which depend on --percentile,
 * --server-events, --server-status and --label only; stages-csv has some more at its end, and so
 * has summary-csv with --worker-batch.  A
 * missing value is empty; the column `missing` has the reason, `at_least` the names of lower
 * bounds, and `marks` the marks since the previous row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/text.h"
#include "report/writer.h"

/* Quoted when need be; line breaks, which no reason should have, as blanks. */
static void cell(struct str *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        str_adds(out, text);
        return;
    }
    str_adds(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            str_adds(out, "\"\"");
        else if (*text == '\n' || *text == '\r')
            str_adds(out, " ");
        else
            str_add(out, text, 1);
    }
    str_adds(out, "\"");
}

/* The figures of the first report: the columns of the table, even when later figures differ. */
struct columns {
    char **name;
    size_t n;
    struct str marks; /* those that are in no row yet */
};

struct row {
    struct str *out, missing, lower;
    const struct snapshot *s;
    int absent_section; /* section that is already in `missing` */
    const struct columns *columns;
    size_t at; /* the next column */
};

static void full_name(struct str *out, const struct field *f)
{
    const char *section = field_section_name(f->section);

    str_printf(out, "%s%s%s", section, *section ? "_" : "", f->name);
}

static void column_name(void *arg, const struct field *f)
{
    struct columns *c = arg;
    struct str name = STR_INIT;

    full_name(&name, f);
    c->name = mem_grow(c->name, c->n + 1, sizeof *c->name);
    c->name[c->n++] = mem_strdup(str_cstr(&name));
    str_free(&name);
}

/* Steps to the figure's column over those that have no figure now; false: it has no column. */
static bool find_column(struct row *r, const struct field *f)
{
    struct str name = STR_INIT;
    size_t i;

    full_name(&name, f);
    for (i = r->at; i < r->columns->n && strcmp(r->columns->name[i], str_cstr(&name)) != 0; i++)
        continue;
    str_free(&name);
    if (i == r->columns->n)
        return false;
    for (; r->at <= i; r->at++)
        str_adds(r->out, ",");
    return true;
}

static void reason(struct str *out, const char *section, const char *name, const char *why)
{
    str_printf(out, "%s%s%s%s: %s", out->len ? "; " : "", section, *section && *name ? "_" : "",
               name, why);
}

static void why_empty(struct row *r, const struct field *f)
{
    const char *section = field_section_name(f->section);

    if (!field_section_missing(r->s, f->section)) {
        reason(&r->missing, section, f->name, f->missing);
    } else if (r->absent_section != (int)f->section) {
        reason(&r->missing, section, "", f->missing);
        r->absent_section = f->section;
    }
}

static void column(void *arg, const struct field *f)
{
    struct row *r = arg;

    if (!find_column(r, f))
        return;
    if (f->missing)
        why_empty(r, f);
    else if (f->type == FIELD_COUNT)
        str_printf(r->out, "%llu", (unsigned long long)f->count);
    else
        json_number(r->out, f->number);
    if (f->lower)
        reason(&r->lower, field_section_name(f->section), f->name, f->lower);
}

/* Sections of figures by name are empty unless requested. */
static void why_no_column(struct row *r, enum field_section section)
{
    const char *why = field_section_missing(r->s, section);

    if (why && (section == FIELD_EVENTS || section == FIELD_STATUS))
        reason(&r->missing, field_section_name(section), "", why);
}

#define STAGE_COLUMNS                                                                              \
    ",stage,stage_text,stage_begin_s,stage_end_s,stage_first_per_s,stage_last_per_s,"              \
    "stage_sustained,stage_why"

#define BATCH_COLUMNS                                                                              \
    ",worker_batch_batches,worker_batch_answers,worker_batch_held_mean_s,worker_batch_held_max_s"

static struct columns *names(struct str *out, const struct snapshot *s,
                             const struct report_info *info, const char *more)
{
    struct columns *c = mem_alloc(sizeof *c);

    fields_each(s, column_name, c);
    str_adds(out, "kind");
    for (size_t i = 0; i < c->n; i++) {
        str_adds(out, ",");
        cell(out, c->name[i]);
    }
    str_adds(out, ",missing,at_least,marks");
    for (size_t i = 0; i < info->labels; i++)
        str_printf(out, ",label_%s", info->label[i].name);
    str_printf(out, "%s\n", more);
    return c;
}

/* "1.234 deploy; 2.500 back" */
static void gather_marks(struct str *all, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++)
        str_printf(all, "%s%.3f %s", all->len ? "; " : "", dur_sec(mark_elapsed(s, &s->marks[i])),
                   s->marks[i].text);
}

static void begin(struct report_file *f)
{
    (void)f; /* the names come with the first report: they depend on its percentiles */
}

static bool has_batches(const struct snapshot *s, enum snapshot_kind rows)
{
    return s->batches.asked && rows == SNAPSHOT_FINAL;
}

static void figures(struct row *r)
{
    fields_each(r->s, column, r);
    for (; r->at < r->columns->n; r->at++)
        str_adds(r->out, ",");
    for (int section = 0; section < FIELD_SECTIONS; section++)
        why_no_column(r, (enum field_section)section);
    if (has_batches(r->s, r->s->kind) && !r->s->batches.batches)
        reason(&r->missing, "worker_batch", "held", SNAPSHOT_NONE_HELD);
    str_adds(r->out, ",");
    cell(r->out, str_cstr(&r->missing));
    str_adds(r->out, ",");
    cell(r->out, str_cstr(&r->lower));
    str_free(&r->missing);
    str_free(&r->lower);
}

static void batch_cells(struct str *out, const struct snapshot_batches *b)
{
    str_printf(out, ",%llu,%llu,", (unsigned long long)b->batches, (unsigned long long)b->answers);
    if (b->batches)
        json_number(out, b->held_mean_s);
    str_adds(out, ",");
    if (b->batches)
        json_number(out, b->held_max_s);
}

static void one_row(struct report_file *f, const struct snapshot *s, const char *kind)
{
    struct columns *c = f->state;
    struct row r = {.out = &f->text, .s = s, .absent_section = -1, .columns = c};

    str_adds(&f->text, kind);
    figures(&r);
    str_adds(&f->text, ",");
    cell(&f->text, str_cstr(&c->marks));
    str_reset(&c->marks);
    for (size_t i = 0; i < f->info->labels; i++) {
        str_adds(&f->text, ",");
        cell(&f->text, f->info->label[i].value);
    }
}

/* A row when the report is of the table's kind. */
static void report(struct report_file *f, const struct snapshot *s, enum snapshot_kind wanted,
                   const char *kind)
{
    struct columns *c;

    if (!f->state)
        f->state = names(&f->text, s, f->info, has_batches(s, wanted) ? BATCH_COLUMNS : "");
    c = f->state;
    gather_marks(&c->marks, s);
    if (s->kind == wanted) {
        one_row(f, s, kind);
        if (has_batches(s, wanted))
            batch_cells(&f->text, &s->batches);
        str_adds(&f->text, "\n");
    }
    if (f->text.len)
        report_file_flush(f);
}

static void interval(struct report_file *f, const struct snapshot *s)
{
    report(f, s, SNAPSHOT_INTERVAL, "interval");
}

static void checkpoint(struct report_file *f, const struct snapshot *s)
{
    report(f, s, SNAPSHOT_CHECKPOINT, "checkpoint");
}

static void summary(struct report_file *f, const struct snapshot *s)
{
    report(f, s, SNAPSHOT_FINAL, "summary");
}

static void stage_cells(struct str *out, const struct snapshot_stage *v, size_t number)
{
    const struct snapshot *s = v->s;

    str_printf(out, ",%zu,", number);
    cell(out, v->text);
    str_adds(out, ",");
    json_number(out, dur_sec(s->elapsed_ns - s->interval_ns));
    str_adds(out, ",");
    json_number(out, dur_sec(s->elapsed_ns));
    str_adds(out, ",");
    json_number(out, v->first);
    str_adds(out, ",");
    json_number(out, v->last);
    str_printf(out, ",%s,", !v->judged || v->unknown ? "" : v->sustained ? "yes" : "no");
    cell(out, v->judged ? v->why : "nothing was due");
}

static void stages(struct report_file *f, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    f->state = names(&f->text, s, f->info, STAGE_COLUMNS);
    for (size_t i = 0; i < s->nstages; i++) {
        one_row(f, s->stages[i].s, "stage");
        stage_cells(&f->text, &s->stages[i], i + 1);
        str_adds(&f->text, "\n");
    }
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct columns *c = f->state;

    (void)e;
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        free(c->name[i]);
    free(c->name);
    str_free(&c->marks);
    free(c);
    f->state = NULL;
}

const struct writer writer_csv = {.name = "csv",
                                  .suffixes = " .csv ",
                                  .needs = WRITER_INTERVALS,
                                  .begin = begin,
                                  .snapshot = interval,
                                  .end = end};
const struct writer writer_summary_csv = {.name = "summary-csv",
                                          .suffixes = " .summary.csv ",
                                          .begin = begin,
                                          .snapshot = summary,
                                          .end = end};
const struct writer writer_checkpoints_csv = {.name = "checkpoints-csv",
                                              .suffixes = " .checkpoints.csv ",
                                              .needs = WRITER_CHECKPOINTS,
                                              .begin = begin,
                                              .snapshot = checkpoint,
                                              .end = end};
const struct writer writer_stages_csv = {.name = "stages-csv",
                                         .suffixes = " .stages.csv ",
                                         .begin = begin,
                                         .snapshot = stages,
                                         .end = end};

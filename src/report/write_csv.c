/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables (RFC 4180, lines end in LF): a line of names, then rows of one kind, so that a column can
 * be summed: intervals in csv, checkpoints in checkpoints-csv, the summary in summary-csv, the
 * stages of the rate in stages-csv.  All have the same columns, which depend on --percentile,
 * --server-events, --server-status and --label only; stages-csv has some more at its end, and so
 * has summary-csv with --workers=batch.  A missing value is empty; the column `missing` has the
 * reason, `at_least` the names of lower bounds, and `marks` the marks since the previous row.
 *
 * steps-csv, ranks-csv and hosts-csv are tables of records of a report: a row for each step of
 * --tx-find, for each load host, for each database host.  Their columns are the rows of
 * records.c.
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

/* --- records: a column for each row of their table, objects within flattened --- */

struct table {
    const struct figure_table *figures;
    const char *prefix; /* of the columns */
    bool quoted;        /* texts always are */
    const char *yes, *no;
};

static void one_cell(struct str *out, const struct table *t, const struct figure *f,
                     const struct value *v)
{
    str_adds(out, ",");
    if (v->kind == VALUE_TRUTH) {
        str_adds(out, v->number != 0 ? t->yes : t->no);
    } else if (v->kind == VALUE_TEXT && t->quoted && !f->text) {
        str_adds(out, "\"");
        for (const char *p = v->text; *p; p++)
            str_add(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
        str_adds(out, "\"");
    } else if (v->kind == VALUE_TEXT) {
        cell(out, v->text);
    } else if (v->kind == VALUE_COUNT) {
        str_printf(out, "%llu", (unsigned long long)v->count);
    } else if (v->kind == VALUE_NUMBER) {
        json_number(out, v->number);
    }
}

/* The names (`s` NULL) or the values of the columns that `wanted` (bits) has; `of` NULL: a record
 * that is not there, whose cells are empty. */
static void cells(struct str *out, const struct table *t, const struct figure_table *rows,
                  const char *prefix, unsigned wanted, bool names, const struct snapshot *s,
                  const void *of)
{
    struct str buf = STR_INIT;

    for (size_t i = 0; i < rows->n; i++) {
        const struct figure *f = &rows->row[i];
        struct value v = {.kind = VALUE_NONE};
        bool there = of && (!f->when || f->when(s, of));
        if (!f->name || f->json_only || (i < 32 && !(wanted & 1u << i)))
            continue;
        str_reset(&buf);
        if (f->cells) {
            f->cells(out, s, names ? NULL : of);
        } else if (f->of) {
            str_printf(&buf, "%s%s_", prefix, f->name);
            cells(out, t, f->of, str_cstr(&buf), f->columns, names, s,
                  there ? figures_inside(f, s, of) : NULL);
        } else if (names && strcmp(f->name, "number") == 0) {
            str_printf(out, ",%.*s", (int)strlen(prefix) - 1, prefix); /* "stage" */
        } else if (names) {
            str_printf(out, ",%s%s", prefix, f->name);
        } else {
            if (there)
                v = figures_value(f, s, of, &buf);
            one_cell(out, t, f, &v);
        }
    }
    str_free(&buf);
}

static void record_names(struct str *out, const struct table *t, const struct snapshot *s)
{
    cells(out, t, t->figures, t->prefix, ~0u, true, s, NULL);
}

static void record_cells(struct str *out, const struct table *t, const struct snapshot *s,
                         const void *of)
{
    cells(out, t, t->figures, t->prefix, ~0u, false, s, of);
}

static const struct table stage_table = {&stage_figures, "stage_", false, "yes", "no"};
static const struct table batch_table = {&batch_figures, "worker_batch_", false, "", ""};
static const struct table step_table = {&step_figures, "", true, "1", "0"};
static const struct table rank_table = {&rank_figures, "", true, "1", "0"};
static const struct table host_table = {&host_figures, "", true, "1", "0"};

/* --- sections --- */

/* The figures of the first report: the columns of the table, even when later figures differ. */
struct columns {
    char **name;
    size_t n;
    struct str marks; /* those that are in no row yet */
    size_t written;   /* steps of --tx-find */
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

static void column(void *arg, const struct field *f)
{
    struct row *r = arg;

    if (!find_column(r, f))
        return;
    if (f->missing && !field_section_missing(r->s, f->section)) {
        reason(&r->missing, field_section_name(f->section), f->name, f->missing);
    } else if (f->missing) {
        if (r->absent_section != (int)f->section)
            reason(&r->missing, field_section_name(f->section), "", f->missing);
        r->absent_section = f->section;
    } else if (f->type == FIELD_COUNT) {
        str_printf(r->out, "%llu", (unsigned long long)f->count);
    } else {
        json_number(r->out, f->number);
    }
    if (f->lower)
        reason(&r->lower, field_section_name(f->section), f->name, f->lower);
}

static struct columns *names(struct str *out, const struct snapshot *s,
                             const struct report_info *info, const struct table *more)
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
    if (more)
        record_names(out, more, s);
    str_adds(out, "\n");
    return c;
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
    /* sections of figures by name are empty unless requested */
    for (int section = FIELD_EVENTS; section <= FIELD_STATUS; section++) {
        const char *why = field_section_missing(r->s, (enum field_section)section);
        if (why)
            reason(&r->missing, field_section_name((enum field_section)section), "", why);
    }
    if (has_batches(r->s, r->s->kind) && !r->s->batches.batches)
        reason(&r->missing, "worker_batch", "held", SNAPSHOT_NONE_HELD);
    str_adds(r->out, ",");
    cell(r->out, str_cstr(&r->missing));
    str_adds(r->out, ",");
    cell(r->out, str_cstr(&r->lower));
    str_free(&r->missing);
    str_free(&r->lower);
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
        f->state = names(&f->text, s, f->info, has_batches(s, wanted) ? &batch_table : NULL);
    c = f->state;
    for (size_t i = 0; i < s->nmarks; i++) /* "1.234 deploy; 2.500 back" */
        str_printf(&c->marks, "%s%.3f %s", c->marks.len ? "; " : "",
                   dur_sec(mark_elapsed(s, &s->marks[i])), s->marks[i].text);
    if (s->kind == wanted) {
        one_row(f, s, kind);
        if (has_batches(s, wanted))
            record_cells(&f->text, &batch_table, s, &s->batches);
        str_adds(&f->text, "\n");
    }
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

static void stages(struct report_file *f, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    f->state = names(&f->text, s, f->info, &stage_table);
    for (size_t i = 0; i < s->nstages; i++) {
        one_row(f, s->stages[i].s, "stage");
        record_cells(&f->text, &stage_table, s, &s->stages[i]);
        str_adds(&f->text, "\n");
    }
    report_file_flush(f);
}

/* --- tables of records --- */

/* "interval,1.5": what a host's row is of */
static void of_report(struct str *out, const struct snapshot *s)
{
    str_printf(out, "%s,", s->kind == SNAPSHOT_FINAL ? "summary" : "interval");
    json_number(out, dur_sec(s->elapsed_ns));
}

static void begin_ranks(struct report_file *f)
{
    str_adds(&f->text, "kind,elapsed_s");
    record_names(&f->text, &rank_table, NULL);
    str_adds(&f->text, "\n");
    report_file_flush(f);
}

static void ranks(struct report_file *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nranks; i++) {
        of_report(&f->text, s);
        record_cells(&f->text, &rank_table, s, &s->rank[i]);
        str_adds(&f->text, "\n");
    }
    report_file_flush(f);
}

static void begin_hosts(struct report_file *f)
{
    str_adds(&f->text, "kind,elapsed_s");
    record_names(&f->text, &host_table, NULL);
    str_adds(&f->text, "\n");
    report_file_flush(f);
}

/* The whole run's in the summary. */
static void hosts(struct report_file *f, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_INTERVAL && s->kind != SNAPSHOT_FINAL)
        return;
    for (size_t i = 0; i < s->hosts; i++) {
        of_report(&f->text, s);
        record_cells(&f->text, &host_table, s, &s->host[i]);
        str_adds(&f->text, "\n");
    }
    report_file_flush(f);
}

/* Those that no report has told yet; the names with the first, because they depend on the
 * objective. */
static void steps(struct report_file *f, const struct snapshot *s)
{
    struct columns *c = f->state;
    size_t n = s->find ? atomic_load_explicit(&s->find->nsteps, memory_order_acquire) : 0;
    struct str row = STR_INIT;

    if (!s->find)
        return;
    if (!c) {
        f->state = c = mem_alloc(sizeof *c);
        record_names(&row, &step_table, s);
        str_printf(&f->text, "%s\n", str_cstr(&row) + 1);
    }
    for (; c->written < n; c->written++) {
        str_reset(&row);
        record_cells(&row, &step_table, s, &s->find->step[c->written]);
        str_printf(&f->text, "%s\n", str_cstr(&row) + 1);
    }
    str_free(&row);
    report_file_flush(f);
}

/* Most tables write their names with the first report. */
static void no_begin(struct report_file *f)
{
    (void)f;
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
                                  .begin = no_begin,
                                  .snapshot = interval,
                                  .end = end};
const struct writer writer_summary_csv = {.name = "summary-csv",
                                          .suffixes = " .summary.csv ",
                                          .begin = no_begin,
                                          .snapshot = summary,
                                          .end = end};
const struct writer writer_checkpoints_csv = {.name = "checkpoints-csv",
                                              .suffixes = " .checkpoints.csv ",
                                              .needs = WRITER_CHECKPOINTS,
                                              .begin = no_begin,
                                              .snapshot = checkpoint,
                                              .end = end};
const struct writer writer_stages_csv = {.name = "stages-csv",
                                         .suffixes = " .stages.csv ",
                                         .begin = no_begin,
                                         .snapshot = stages,
                                         .end = end};
const struct writer writer_steps_csv = {.name = "steps-csv",
                                        .suffixes = " .steps.csv ",
                                        .needs = WRITER_STEPS,
                                        .begin = no_begin,
                                        .snapshot = steps,
                                        .end = end};
const struct writer writer_ranks_csv = {.name = "ranks-csv",
                                        .suffixes = " .ranks.csv ",
                                        .begin = begin_ranks,
                                        .snapshot = ranks,
                                        .end = end};
const struct writer writer_hosts_csv = {.name = "hosts-csv",
                                        .suffixes = " .hosts.csv ",
                                        .begin = begin_hosts,
                                        .snapshot = hosts,
                                        .end = end};

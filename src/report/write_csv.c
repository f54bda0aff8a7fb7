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
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/text.h"
#include "report/writer.h"

/* Quoted when need be, or `always`, and then as it is; else line breaks, which no reason should
 * have, become blanks. */
static void cell(struct str *out, const char *text, bool always)
{
    const char *quote = always || strpbrk(text, ",\"\n\r") ? "\"" : "";

    str_adds(out, quote);
    for (; *text; text++) {
        if (*text == '"')
            str_adds(out, "\"\"");
        else if (!always && (*text == '\n' || *text == '\r'))
            str_adds(out, " ");
        else
            str_add(out, text, 1);
    }
    str_adds(out, quote);
}

/* --- records: a column for each row of their table, objects within flattened --- */

static const struct table {
    const struct figure *figures;
    const char *prefix; /* of the columns */
    bool quoted;        /* texts always are */
    const char *yes, *no;
} tables[] = {[CSV_SUMMARY] = {batch_figures, "worker_batch_", false, "", ""},
              [CSV_STAGES] = {stage_figures, "stage_", false, "yes", "no"},
              [CSV_STEPS] = {step_figures, "", true, "1", "0"},
              [CSV_RANKS] = {rank_figures, "", true, "1", "0"},
              [CSV_HOSTS] = {host_figures, "", true, "1", "0"}};

/* A list is names, each between blanks; NULL has all. */
static bool is_listed(const char *list, const char *name)
{
    const char *found = list ? strstr(list, name) : NULL;

    return !list || (found && found[-1] == ' ' && found[strlen(name)] == ' ');
}

/* The names or the values of the columns, of those in `only` if there is such a list; `of` NULL: a
 * record that is not there, whose cells are empty. */
static void cells(struct str *out, const struct table *t, const struct figure *rows,
                  const char *prefix, const char *only, bool names, const struct snapshot *s,
                  const void *of)
{
    struct str buf = STR_INIT;

    for (const struct figure *f = rows; !figure_ends(f); f++) {
        struct value v = {.kind = VALUE_NONE};
        bool there = of && (!f->gap.when || f->gap.when(s, of));
        if (!f->name || f->csv.kept == NOT_IN_CSV || f->csv.kept == ONLY_IN_TEXT ||
            !is_listed(only, f->name))
            continue;
        str_reset(&buf);
        if (f->csv.cells) {
            f->csv.cells(out, s, names ? NULL : of);
        } else if (f->inside.of) {
            str_printf(&buf, "%s%s_", prefix, f->name);
            cells(out, t, f->inside.of, str_cstr(&buf), f->csv.only, names, s,
                  there ? figures_inside(f, s, of) : NULL);
        } else if (names) {
            str_printf(out, ",%s%s", f->csv.name ? "" : prefix,
                       f->csv.name ? f->csv.name : f->name);
        } else {
            if (there)
                v = figures_value(f, s, of, &buf);
            str_adds(out, ",");
            if (v.kind == VALUE_TRUTH)
                str_adds(out, v.number != 0 ? t->yes : t->no);
            else if (v.kind == VALUE_TEXT)
                cell(out, v.text, t->quoted && !f->value.text);
            else if (v.kind != VALUE_NONE)
                json_value(out, &v);
        }
    }
    str_free(&buf);
}

static void record_names(struct str *out, const struct table *t, const struct snapshot *s)
{
    cells(out, t, t->figures, t->prefix, NULL, true, s, NULL);
}

static void record_row(struct str *out, const struct table *t, const struct snapshot *s,
                       const void *of)
{
    cells(out, t, t->figures, t->prefix, NULL, false, s, of);
    str_adds(out, "\n");
}

/* --- sections --- */

struct columns {
    struct str names; /* of the first report, each between line ends: the table keeps its columns
                         even when later figures differ */
    struct str marks; /* those that are in no row yet */
    size_t written;   /* steps of --tx-find */
};

static void column_name(void *arg, const struct field *f)
{
    const char *section = field_section_name(f->section);
    struct columns *c = arg;

    str_printf(&c->names, "%s%s%s\n", section, *section ? "_" : "", f->name);
}

struct row {
    struct str *out, missing, lower;
    const struct snapshot *s;
    int absent_section; /* section that is already in `missing` */
    const char *at;     /* the next column, from its line end on */
};

static void reason(struct str *out, const char *section, const char *name, const char *why)
{
    str_printf(out, "%s%s%s%s: %s", out->len ? "; " : "", section, *section && *name ? "_" : "",
               name, why);
}

/* Steps to the figure's column over those that have no figure now, if it has a column. */
static void column(void *arg, const struct field *f)
{
    const char *section = field_section_name(f->section), *column;
    struct row *r = arg;
    struct str name = STR_INIT;

    str_printf(&name, "\n%s%s%s\n", section, *section ? "_" : "", f->name);
    column = strstr(r->at, str_cstr(&name));
    str_free(&name);
    if (!column)
        return;
    for (; r->at <= column; r->at = strchr(r->at + 1, '\n'))
        str_adds(r->out, ",");
    if (f->missing && !field_section_missing(r->s, f->section)) {
        reason(&r->missing, section, f->name, f->missing);
    } else if (f->missing) {
        if (r->absent_section != (int)f->section)
            reason(&r->missing, section, "", f->missing);
        r->absent_section = f->section;
    } else if (f->value.kind == VALUE_TEXT) {
        cell(r->out, f->value.text, false);
    } else {
        json_value(r->out, &f->value);
    }
    if (f->lower)
        reason(&r->lower, section, f->name, f->lower);
}

static bool has_batches(const struct report_file *f, const struct snapshot *s)
{
    return s->batches.asked && f->writer->variant == CSV_SUMMARY;
}

static void names(struct report_file *f, const struct snapshot *s)
{
    struct columns *c = f->state = mem_alloc(sizeof *c);
    struct str *out = &f->text;

    str_adds(&c->names, "\n");
    fields_each(s, column_name, c);
    str_adds(out, "kind");
    for (char *name = c->names.s + 1, *end; *name; name = end + 1) {
        end = strchr(name, '\n');
        *end = '\0';
        str_adds(out, ",");
        cell(out, name, false);
        *end = '\n';
    }
    str_adds(out, ",missing,at_least,marks");
    for (size_t i = 0; i < f->info->labels; i++)
        str_printf(out, ",label_%s", f->info->label[i].name);
    if (has_batches(f, s) || f->writer->variant == CSV_STAGES)
        record_names(out, &tables[f->writer->variant], s);
    str_adds(out, "\n");
}

/* Without a line end. */
static void one_row(struct report_file *f, const struct snapshot *s, const char *kind)
{
    struct columns *c = f->state;
    struct row r = {.out = &f->text, .s = s, .absent_section = -1, .at = c->names.s};

    str_adds(&f->text, kind);
    fields_each(s, column, &r);
    for (; r.at[1]; r.at = strchr(r.at + 1, '\n'))
        str_adds(&f->text, ",");
    /* sections of figures by name are empty unless requested */
    for (int section = FIELD_EVENTS; section <= FIELD_STATUS; section++) {
        const char *why = field_section_missing(s, (enum field_section)section);
        if (why)
            reason(&r.missing, field_section_name((enum field_section)section), "", why);
    }
    if (has_batches(f, s) && !s->batches.batches)
        reason(&r.missing, "worker_batch", "held", SNAPSHOT_NONE_HELD);
    for (int i = 0; i < 3; i++) {
        str_adds(&f->text, ",");
        cell(&f->text, str_cstr((struct str *[]){&r.missing, &r.lower, &c->marks}[i]), false);
    }
    str_reset(&c->marks);
    str_free(&r.missing);
    str_free(&r.lower);
    for (size_t i = 0; i < f->info->labels; i++) {
        str_adds(&f->text, ",");
        cell(&f->text, f->info->label[i].value, false);
    }
}

/* --- each table --- */

/* A row when the report is of the table's kind. */
static void report(struct report_file *f, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval",
                                       [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary"};
    static const enum snapshot_kind wanted[] = {[CSV_INTERVALS] = SNAPSHOT_INTERVAL,
                                                [CSV_CHECKPOINTS] = SNAPSHOT_CHECKPOINT,
                                                [CSV_SUMMARY] = SNAPSHOT_FINAL};

    if (!f->state)
        names(f, s);
    struct columns *c = f->state;
    for (size_t i = 0; i < s->nmarks; i++) /* "1.234 deploy; 2.500 back" */
        str_printf(&c->marks, "%s%.3f %s", c->marks.len ? "; " : "",
                   snapshot_since_s(s, s->marks[i].at), s->marks[i].text);
    if (s->kind != wanted[f->writer->variant])
        return;
    one_row(f, s, kind[s->kind]);
    if (has_batches(f, s))
        record_row(&f->text, &tables[CSV_SUMMARY], s, &s->batches);
    else
        str_adds(&f->text, "\n");
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
        record_names(&row, &tables[CSV_STEPS], s);
        str_printf(&f->text, "%s\n", str_cstr(&row) + 1);
    }
    for (; c->written < n; c->written++) {
        str_reset(&row);
        record_row(&row, &tables[CSV_STEPS], s, &s->find->step[c->written]);
        str_adds(&f->text, str_cstr(&row) + 1);
    }
    str_free(&row);
}

/* Those of a list of hosts, each behind "interval,1.5": the whole run's in the summary. */
static void hosts(struct report_file *f, const struct snapshot *s, const char *list)
{
    const struct figure *row = figures_named(snapshot_figures, list);
    const void *of;

    for (size_t i = 0; s->kind != SNAPSHOT_CHECKPOINT && (of = figures_item(row, s, i)); i++) {
        str_adds(&f->text, s->kind == SNAPSHOT_FINAL ? "summary," : "interval,");
        json_number(&f->text, dur_sec(s->elapsed_ns));
        record_row(&f->text, &tables[f->writer->variant], s, of);
    }
}

static void begin(struct report_file *f)
{
    if (f->writer->variant < CSV_RANKS) /* these write their names with the first report */
        return;
    str_adds(&f->text, "kind,elapsed_s");
    record_names(&f->text, &tables[f->writer->variant], NULL);
    str_adds(&f->text, "\n");
    report_file_flush(f);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    switch (f->writer->variant) {
    case CSV_STAGES:
        if (s->kind != SNAPSHOT_FINAL)
            break;
        names(f, s);
        for (size_t i = 0; i < s->nstages; i++) {
            one_row(f, s->stages[i].s, "stage");
            record_row(&f->text, &tables[CSV_STAGES], s, &s->stages[i]);
        }
        break;
    case CSV_STEPS: steps(f, s); break;
    case CSV_RANKS: hosts(f, s, "ranks"); break;
    case CSV_HOSTS: hosts(f, s, "hosts"); break;
    default: report(f, s);
    }
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct columns *c = f->state;

    (void)e;
    if (!c)
        return;
    str_free(&c->names);
    str_free(&c->marks);
    free(c);
    f->state = NULL;
}

const struct writer_ops write_csv = {begin, snapshot, end, NULL};

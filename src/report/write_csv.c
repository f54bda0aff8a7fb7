/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table (RFC 4180, lines end in LF): a line of names, then one line for each interval, checkpoint and the summary.
 * The columns depend on --percentile, --server-events and --server-status only.  What has no value is empty; why stands in the column `missing`, lower
 * bounds are named in `at_least`, and the marks that came since the last interval stand in `marks`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/text_marks.h"
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

/* The figures of the first line: the columns of the table, whatever figures come later. */
struct columns {
    char **name;
    size_t n;
};

struct row {
    struct str *out, missing, lower;
    const struct snapshot *s;
    int said; /* section whose absence was said */
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
    str_printf(out, "%s%s%s%s: %s", out->len ? "; " : "", section, *section && *name ? "_" : "", name, why);
}

static void why_empty(struct row *r, const struct field *f)
{
    const char *section = field_section_name(f->section);

    if (!field_section_missing(r->s, f->section)) {
        reason(&r->missing, section, f->name, f->missing);
    } else if (r->said != (int)f->section) {
        reason(&r->missing, section, "", f->missing);
        r->said = f->section;
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

/* Sections of figures by name are empty unless asked for. */
static void why_no_column(struct row *r, enum field_section section)
{
    const char *why = field_section_missing(r->s, section);

    if (why && (section == FIELD_EVENTS || section == FIELD_STATUS))
        reason(&r->missing, field_section_name(section), "", why);
}

static struct columns *names(struct str *out, const struct snapshot *s)
{
    struct columns *c = mem_alloc(sizeof *c);

    fields_each(s, column_name, c);
    str_adds(out, "kind");
    for (size_t i = 0; i < c->n; i++) {
        str_adds(out, ",");
        cell(out, c->name[i]);
    }
    str_adds(out, ",missing,at_least,marks\n");
    return c;
}

/* "1.234 deploy; 2.500 back" */
static void marks(struct str *out, const struct snapshot *s)
{
    struct str all = STR_INIT;

    for (size_t i = 0; i < s->nmarks; i++)
        str_printf(&all, "%s%.3f %s", i ? "; " : "", dur_sec(mark_elapsed(s, &s->marks[i])), s->marks[i].text);
    cell(out, str_cstr(&all));
    str_free(&all);
}

static void begin(struct report_file *f)
{
    (void)f; /* the names come with the first line: they depend on its percentiles */
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval", [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary"};
    struct row r = {.out = &f->text, .s = s, .said = -1};

    if (!f->state)
        f->state = names(&f->text, s);
    r.columns = f->state;
    str_adds(&f->text, kind[s->kind]);
    fields_each(s, column, &r);
    for (; r.at < r.columns->n; r.at++)
        str_adds(&f->text, ",");
    for (int section = 0; section < FIELD_SECTIONS; section++)
        why_no_column(&r, (enum field_section)section);
    str_adds(&f->text, ",");
    cell(&f->text, str_cstr(&r.missing));
    str_adds(&f->text, ",");
    cell(&f->text, str_cstr(&r.lower));
    str_adds(&f->text, ",");
    marks(&f->text, s);
    str_adds(&f->text, "\n");
    str_free(&r.missing);
    str_free(&r.lower);
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct columns *c = f->state;

    (void)e;
    for (size_t i = 0; c && i < c->n; i++)
        free(c->name[i]);
    if (c)
        free(c->name);
    free(c);
    f->state = NULL;
}

const struct writer writer_csv = {.name = "csv", .suffixes = " .csv ", .begin = begin, .snapshot = snapshot,
                                  .end = end};

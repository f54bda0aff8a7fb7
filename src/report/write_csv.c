/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table (RFC 4180, lines end in LF): a line of names, then one line for each interval, checkpoint and the summary.
 * The columns depend on --percentile only.  What has no value is empty; why stands in the column `missing`, lower
 * bounds are named in `at_least`.
 */
#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/json.h"
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

struct row {
    struct str *out, missing, lower;
    const struct snapshot *s;
    int said; /* section whose absence was said */
};

static void column_name(void *arg, const struct field *f)
{
    const char *section = field_section_name(f->section);

    str_printf(arg, ",%s%s%s", section, *section ? "_" : "", f->name);
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

    str_adds(r->out, ",");
    if (f->missing)
        why_empty(r, f);
    else if (f->type == FIELD_COUNT)
        str_printf(r->out, "%llu", (unsigned long long)f->count);
    else
        json_number(r->out, f->number);
    if (f->lower)
        reason(&r->lower, field_section_name(f->section), f->name, f->lower);
}

static void names(struct str *out, const struct snapshot *s)
{
    str_adds(out, "kind");
    fields_each(s, column_name, out);
    str_adds(out, ",missing,at_least\n");
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
        names(&f->text, s);
    f->state = f; /* said */
    str_adds(&f->text, kind[s->kind]);
    fields_each(s, column, &r);
    str_adds(&f->text, ",");
    cell(&f->text, str_cstr(&r.missing));
    str_adds(&f->text, ",");
    cell(&f->text, str_cstr(&r.lower));
    str_adds(&f->text, "\n");
    str_free(&r.missing);
    str_free(&r.lower);
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    (void)f;
    (void)e;
}

const struct writer writer_csv = {.name = "csv", .suffixes = " .csv ", .begin = begin, .snapshot = snapshot,
                                  .end = end};

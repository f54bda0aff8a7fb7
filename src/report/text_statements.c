/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_statements.h.  The text of a kind is at the end of its line, so that it may have any
 * length; a text that is too long is cut here, but complete in the result files.  Transaction
 * control comes after the statements, then all that is outside transactions.
 */
#include "report/text_statements.h"

#include <math.h>
#include <string.h>

#define TEXT_MOST 104

static bool within_transactions(enum stmt_class class)
{
    return class != STMT_CLASS_CONNECT && class != STMT_CLASS_PREPARE;
}

double statement_share(const struct snapshot *s, const struct stmt_figures *f)
{
    return within_transactions(f->class) && s->transactions_s > 0
               ? dur_sec(f->sum_ns) / s->transactions_s * 100
               : NAN;
}

const char *statement_name(const struct stmt_figures *f)
{
    return f->name                        ? f->name
           : f->class == STMT_CLASS_OTHER ? "(all others)"
                                          : stmt_class_name(f->class);
}

/* One line: blanks and line ends of the text are one blank each.  What is longer than `room`
 * bytes is cut. */
static void add_text(struct str *out, const char *text, size_t width)
{
    struct str whole = STR_INIT;
    size_t n = 0;

    for (; *text; text++) {
        if ((unsigned char)*text > ' ')
            str_add(&whole, text, 1);
        else if (whole.len && whole.s[whole.len - 1] != ' ')
            str_adds(&whole, " ");
    }
    if (whole.len && whole.s[whole.len - 1] == ' ')
        whole.len--;
    n = whole.len <= width ? whole.len : width - strlen("...");
    while (n && n < whole.len && ((unsigned char)whole.s[n] & 0xc0) == 0x80) /* no half of one */
        n--;
    str_add(out, whole.len ? whole.s : "", n);
    str_adds(out, n < whole.len ? "...\n" : "\n");
    str_free(&whole);
}

/* The parts of a line. */
struct layout {
    bool full, errors; /* all columns; that of errors */
    size_t width;      /* for the kind */
};

static struct layout layout(const struct snapshot *s, enum text_detail detail)
{
    struct layout l = {.full = detail == TEXT_FULL, .width = TEXT_MOST};

    for (size_t i = 0; i < s->nstatements; i++)
        l.errors = l.errors || s->statements[i].errors;
    if (!l.full)
        l.width = l.errors ? 18 : 25;
    l.errors = l.errors || l.full;
    return l;
}

static void title(struct str *out, const struct layout *l)
{
    if (l->full)
        str_adds(out, "       count   errors       rows       min       avg       p50       p95"
                      "       p99       max   share  kind\n");
    else
        str_printf(out, "     count%s      avg      p95      p99      max  share  kind\n",
                   l->errors ? " errors" : "");
}

static void time_cell(struct str *out, const struct layout *l, double v)
{
    if (l->full)
        str_printf(out, " %9.3f", v);
    else
        str_printf(out, " %8.*f", v < 1000 ? 3 : v < 100000 ? 1 : 0, v);
}

static void add_line(struct str *out, const struct snapshot *s, const struct stmt_figures *f,
                     const struct layout *l)
{
    double share = statement_share(s, f);

    if (l->full)
        str_printf(out, "  %10llu %8llu %10llu", (unsigned long long)f->count,
                   (unsigned long long)f->errors, (unsigned long long)f->rows);
    else
        str_printf(out, "  %8llu", (unsigned long long)f->count);
    if (!l->full && l->errors)
        str_printf(out, " %6llu", (unsigned long long)f->errors);
    if (l->full)
        time_cell(out, l, dur_ms(f->min));
    time_cell(out, l, dur_ms(f->sum_ns) / (double)f->count);
    if (l->full)
        time_cell(out, l, dur_ms(f->p50));
    time_cell(out, l, dur_ms(f->p95));
    time_cell(out, l, dur_ms(f->p99));
    time_cell(out, l, dur_ms(f->max));
    if (isnan(share))
        str_printf(out, "%*s-  ", l->full ? 7 : 6, "");
    else
        str_printf(out, " %*.1f%%  ", l->full ? 6 : 5, share);
    add_text(out, statement_name(f), l->width);
}

static int group_of(const struct stmt_figures *f)
{
    return !within_transactions(f->class) ? 2 : f->class == STMT_CLASS_TRANSACTION;
}

void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    struct layout l;

    if (!s->statements)
        return;
    l = layout(s, detail);
    str_adds(out, "Statements by kind (times in ms, share of the time in transactions):\n");
    if (s->nstatements)
        title(out, &l);
    else
        str_adds(out, "    none was executed\n");
    for (int group = 0; group <= 2; group++)
        for (size_t i = 0; i < s->nstatements; i++)
            if (group_of(&s->statements[i]) == group)
                add_line(out, s, &s->statements[i], &l);
    str_adds(out, "\n");
}

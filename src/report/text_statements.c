/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_statements.h.  The text of a kind stands at the end of its line, so that it may have any length; what is very
 * long is cut here and whole in the result files.  Control of transactions comes after the statements, then what is no part
 * of transactions.
 */
#include "report/text_statements.h"

#include <math.h>
#include <string.h>

#define TEXT_MOST 100

static bool within_transactions(enum kind_class class)
{
    return class != KIND_CLASS_CONNECT && class != KIND_CLASS_PREPARE;
}

double statement_share(const struct snapshot *s, const struct kind_figures *f)
{
    return within_transactions(f->class) && s->transactions_s > 0 ? dur_sec(f->sum_ns) / s->transactions_s * 100 : NAN;
}

const char *statement_name(const struct kind_figures *f)
{
    return f->name ? f->name : f->class == KIND_CLASS_OTHER ? "(all others)" : kind_class_name(f->class);
}

/* One line: blanks and line ends of the text are one blank each. */
static void add_text(struct str *out, const char *text)
{
    size_t n = 0, most = out->len + TEXT_MOST;
    bool blank = false;

    for (; text[n] && out->len < most; n++) {
        if ((unsigned char)text[n] <= ' ') {
            blank = true;
            continue;
        }
        if (blank)
            str_adds(out, " ");
        blank = false;
        str_add(out, text + n, 1);
    }
    while (text[n] && ((unsigned char)text[n] & 0xc0) == 0x80) /* the rest of a character */
        str_add(out, text + n++, 1);
    str_adds(out, text[n] ? "...\n" : "\n");
}

static void line(struct str *out, const struct snapshot *s, const struct kind_figures *f)
{
    double share = statement_share(s, f);

    str_printf(out, "  %10llu %8llu %10llu %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f ", (unsigned long long)f->count,
               (unsigned long long)f->errors, (unsigned long long)f->rows, dur_ms(f->min),
               dur_ms(f->sum_ns) / (double)f->count, dur_ms(f->p50), dur_ms(f->p95), dur_ms(f->p99), dur_ms(f->max));
    if (isnan(share))
        str_adds(out, "      -  ");
    else
        str_printf(out, "%6.1f%%  ", share);
    add_text(out, statement_name(f));
}

static int group_of(const struct kind_figures *f)
{
    return !within_transactions(f->class) ? 2 : f->class == KIND_CLASS_TRANSACTION;
}

void text_statements(struct str *out, const struct snapshot *s)
{
    if (!s->statements)
        return;
    str_adds(out, "Statements by kind (times in ms, share of the time in transactions):\n");
    if (!s->nstatements)
        str_adds(out, "    none was executed\n");
    else
        str_adds(out, "       count   errors       rows       min       avg       p50       p95       p99       max   share  "
                      "kind\n");
    for (int group = 0; group <= 2; group++)
        for (size_t i = 0; i < s->nstatements; i++)
            if (group_of(&s->statements[i]) == group)
                line(out, s, &s->statements[i]);
    str_adds(out, "\n");
}

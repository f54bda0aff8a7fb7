/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_table.h.
 */
#include "report/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/fields.h"

/* --- labels and values --- */

void text_wrap(struct str *out, const char *text, size_t used, size_t indent, size_t width)
{
    size_t at = used;
    bool first = true;

    while (*(text += strspn(text, " "))) {
        size_t n = strcspn(text, " "), word = 0;
        for (size_t i = 0; i < n; i++) /* columns: bytes that begin a character */
            word += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (!first && at + 1 + word > width) {
            str_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            str_adds(out, " ");
            at++;
        }
        for (size_t i = 0; i < n; i++)
            str_add(out, text[i] == *TEXT_BOUND ? " " : text + i, 1);
        at += word;
        text += n;
        first = false;
    }
}

void text_label(struct str *out, const char *label)
{
    int n = (int)strlen(label), colon = n > 0;

    str_printf(out, "    %s%s%*s", label, colon ? ":" : "",
               n + colon < TEXT_INDENT - 4 ? TEXT_INDENT - 4 - n - colon : 0, "");
}

void text_value(struct str *out, const char *label, size_t width, const char *fmt, ...)
{
    struct str text = STR_INIT;
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    text_label(out, label);
    if (strlen(label) >= TEXT_INDENT - 5) /* a name of the user's */
        str_adds(out, " ");
    if (width == TEXT_UNBOUND)
        str_adds(out, str_cstr(&text));
    else
        text_wrap(out, str_cstr(&text), TEXT_INDENT, TEXT_INDENT, width);
    str_adds(out, "\n");
    str_free(&text);
}

size_t text_lines_width(const struct text_lines *l)
{
    return l->detail == TEXT_FULL ? TEXT_UNBOUND : TEXT_WIDTH;
}

void text_missing(struct text_lines *l, const char *label, const char *reason)
{
    size_t i = 0;

    if (l->detail == TEXT_FULL) {
        text_line(l->out, label, "n/a (%s)", reason);
        return;
    }
    while (i < l->reasons && strcmp(l->missing[i].reason, reason) != 0)
        i++;
    if (i == TEXT_REASONS)
        i--;
    if (i == l->reasons)
        l->missing[l->reasons++].reason = reason;
    str_printf(&l->missing[i].labels, "%s%s", l->missing[i].labels.len ? ", " : "", label);
}

void text_lines_end(struct text_lines *l)
{
    for (size_t i = 0; i < l->reasons; i++) {
        text_item(l->out, "n/a", "%s (%s)", str_cstr(&l->missing[i].labels), l->missing[i].reason);
        str_free(&l->missing[i].labels);
    }
    l->reasons = 0;
    str_adds(l->out, "\n");
}

/* --- rows of figures --- */

void text_heads(struct str *out, const struct text_column *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        str_printf(out, " %*s", c[i].width, c[i].head);
}

void text_row(struct str *out, const struct text_column *c, size_t n, const struct figure *table,
              const struct snapshot *s, const void *of)
{
    for (; n > 0; c++, n--) {
        struct value v = figures_value(figures_named(table, c->figure), s, of, NULL);
        if (v.kind == VALUE_NONE)
            str_printf(out, " %*s", c->width, "n/a");
        else
            str_printf(out, " %*.*f", c->width, c->decimals, v.number * c->scale);
    }
}

void text_name(struct str *out, const char *name, int width)
{
    str_printf(out, "    %-*s", width, name);
    if (strlen(name) > (size_t)width)
        str_printf(out, "\n    %*s", width, "");
}

const char *text_ms(char buf[40], int64_t ns)
{
    snprintf(buf, 40, "%s%.3f", ns >= HIST_OVER_NS ? ">" : "", dur_ms(ns));
    return ns < 0 ? strcpy(buf, "n/a") : buf;
}

const char *text_point(char buf[40], int64_t ns, double point, uint64_t n, bool *few)
{
    text_ms(buf, ns);
    if (ns >= 0 && text_few(point, n)) {
        strcat(buf, TEXT_FEW_MARK);
        *few = true;
    }
    return buf;
}

void text_few_line(struct str *out, bool few)
{
    str_adds(out, few ? "    " TEXT_FEW "\n" : "");
}

void text_missing_ranks(struct str *out, const struct snapshot *s, const char *before)
{
    for (size_t i = 0; i < s->nranks; i++) {
        if (!s->rank[i].late && !s->rank[i].lost)
            continue;
        str_printf(out, "%s%d%s", before, s->rank[i].rank, s->rank[i].lost ? " (lost)" : "");
        before = ", ";
    }
}

const char *text_digits(char buf[40], double v, int digits)
{
    int decimals = 0;

    for (double bound = pow(10, digits - 1); decimals < 3 && v < bound; bound /= 10)
        decimals++;
    snprintf(buf, 40, "%.*f", decimals, v);
    return isfinite(v) ? buf : strcpy(buf, "n/a");
}

const char *text_fit(char buf[32], double v, int width, int decimals)
{
    static const char suffix[] = "kMGTPE";

    for (int d = decimals; d >= 0; d--)
        if (snprintf(buf, 32, "%.*f", d, v) <= width)
            return buf;
    for (const char *c = suffix; *c; c++) {
        v /= 1000;
        for (int d = 2; d >= 0; d--)
            if (fabs(v) < 999.5 && (d || fabs(v) >= 1) &&
                snprintf(buf, 32, "%.*f%c", d, v, *c) <= width)
                return buf;
    }
    snprintf(buf, 32, "%.*s", width < 31 ? width : 31, "########");
    return buf;
}

#define SERIES_ACROSS 6 /* figures side by side in 80 columns */

void text_series(struct str *out, int width, const struct snapshot *s,
                 const struct text_series *series, size_t n)
{
    struct point {
        double p;
        size_t offset; /* in struct snapshot_series */
    } point[3 + SNAPSHOT_MAX_PERCENTILES] = {{50, offsetof(struct snapshot_series, p50)},
                                             {95, offsetof(struct snapshot_series, p95)},
                                             {99, offsetof(struct snapshot_series, p99)}};
    size_t points = 3;
    char buf[40], head[32];
    bool few = false;

    for (size_t i = 0; s && i < s->percentiles; i++) {
        size_t at = 0;
        while (at < points && point[at].p < s->percentile[i])
            at++;
        if (at < points && point[at].p == s->percentile[i])
            continue;
        memmove(&point[at + 1], &point[at], (points++ - at) * sizeof *point);
        point[at] = (struct point){s->percentile[i],
                                   offsetof(struct snapshot_series, pct) + i * sizeof(int64_t)};
    }
    for (size_t from = 0, to = 0; from < points; from = to) { /* maximum and mean follow the last */
        bool last = points - from + 2 <= SERIES_ACROSS;
        to = last ? points : from + SERIES_ACROSS - 2;
        str_printf(out, "    %-*s", width, "ms");
        for (size_t i = from; i < to; i++) {
            snprintf(head, sizeof head, "p%.12g", point[i].p);
            str_printf(out, " %10s", head);
        }
        str_adds(out, last ? "    maximum       mean\n" : "\n");
        for (const struct text_series *r = series; r < series + n; r++) {
            int64_t ns;
            text_name(out, r->label, width);
            for (size_t i = from; i < to; i++) {
                memcpy(&ns, (const char *)r->v + point[i].offset, sizeof ns);
                str_printf(out, " %10s", text_point(buf, ns, point[i].p, r->v->n, &few));
            }
            if (last) {
                str_printf(out, " %10s", text_ms(buf, r->v->max));
                str_printf(out, " %10s", text_ms(buf, r->v->n ? (int64_t)r->v->mean : -1));
            }
            str_adds(out, "\n");
        }
    }
    text_few_line(out, few);
}

/* --- intervals as a table ---
 *
 * A header chooses the columns: text_cells() lists the candidates; those whose figure was missing
 * in all rows since the last header are dropped, and the rest compete for the width by priority.
 * Between headers the columns stay, a missing figure is n/a in its place, and one that is too wide
 * loses digits or gets a suffix (text_fit), so that nothing moves the columns. */

#define TIME_WIDTH 7
#define WARMUP     "  warm-up" /* after a row */

struct text_table {
    struct text_screen (*ask)(void *arg);
    void *arg;
    struct text_screen screen;
    struct text_cell column[TEXT_COLUMNS_MAX]; /* the cells at the last header */
    size_t columns;
    struct text_cell cell[TEXT_COLUMNS_MAX]; /* of the interval at hand */
    size_t cells;
    unsigned rows; /* since the last header */
    size_t lost;   /* load hosts, in the latest row or header */
    bool begun, warmup, told_few;
    int time_width;
    size_t narrow_width;        /* the width that was last reported as too small */
    struct str explained_names; /* ",name," of the columns whose absence was explained */
};

struct text_table *text_table_new(struct text_screen (*ask)(void *arg), void *arg)
{
    struct text_table *t = mem_alloc(sizeof *t);

    t->ask = ask;
    t->arg = arg;
    return t;
}

void text_table_free(struct text_table *t)
{
    if (t)
        str_free(&t->explained_names);
    free(t);
}

void text_table_restart(struct text_table *t)
{
    t->rows = TEXT_TABLE_ROWS;
}

/* True when it may have a column: it has a figure, or will probably have one. */
static bool worth_showing(const struct text_cell *cell)
{
    return !cell->missing || cell->passing || cell->seen;
}

/* The cell that is next in priority after `last` (NULL: the first); NULL: there is none. */
static const struct text_cell *next_of(const struct text_table *t, const struct text_cell *last)
{
    const struct text_cell *best = NULL;

    for (const struct text_cell *c = t->cell; c < t->cell + t->cells; c++) {
        if (last && (c->priority < last->priority || (c->priority == last->priority && c <= last)))
            continue;
        if (!best || c->priority < best->priority)
            best = c;
    }
    return best;
}

struct choice {
    bool picked[TEXT_COLUMNS_MAX];
    size_t left_out; /* requested, but no room */
    size_t wanted;   /* the width for all that was requested */
};

/* Fills the screen by priority; columns that were not requested only when all requested ones fit.
 * With `all`: as if every figure were available. */
static void choose(const struct text_table *t, bool all, struct choice *c)
{
    size_t used = (size_t)t->time_width + (t->warmup ? strlen(WARMUP) : 0);
    bool first = true;

    *c = (struct choice){.wanted = used};
    for (const struct text_cell *p = next_of(t, NULL); p; p = next_of(t, p)) {
        size_t width = (size_t)p->width;
        if (!all && !worth_showing(p))
            continue;
        if (p->priority < TEXT_EXTRA)
            c->wanted += width;
        if (p->priority >= TEXT_EXTRA && c->left_out)
            break;
        if (first || used + width <= t->screen.width) {
            c->picked[p - t->cell] = true;
            used += width;
        } else if (p->priority < TEXT_EXTRA) {
            c->left_out++;
        }
        first = false;
    }
}

/* Writes a line for each reason, with the columns that are missing because of it; each column once
 * in the life of the table. */
static void explain_columns(struct text_table *t, struct str *out, const struct choice *ideal)
{
    const char *reason[TEXT_COLUMNS_MAX]; /* NULL: nothing to explain */
    struct str name[TEXT_COLUMNS_MAX];

    for (size_t i = 0; i < t->cells; i++) {
        const struct text_cell *c = &t->cell[i];
        name[i] = (struct str)STR_INIT;
        str_printf(&name[i], ",%s%s%s,", c->group, *c->group ? " " : "", c->name);
        reason[i] = ideal->picked[i] && !worth_showing(c) &&
                            !strstr(str_cstr(&t->explained_names), str_cstr(&name[i]))
                        ? c->missing
                        : NULL;
    }
    for (size_t i = 0; i < t->cells; i++) {
        struct str line = STR_INIT;
        const char *group = "", *why = reason[i];
        for (size_t k = i; why && k < t->cells; k++) {
            const struct text_cell *c = &t->cell[k];
            bool titled = strcmp(c->group, group) != 0;
            if (!reason[k] || strcmp(reason[k], why) != 0)
                continue;
            str_printf(&line, "%s%s%s%s", line.len ? ", " : "n/a: ", titled ? c->group : "",
                       titled && *c->group ? " " : "", c->name);
            group = c->group;
            str_adds(&t->explained_names, str_cstr(&name[k]));
            reason[k] = NULL;
        }
        if (line.len) {
            str_printf(&line, " (%s)", why);
            text_wrap(out, line.s, 0, 5, t->screen.width);
            str_adds(out, "\n");
        }
        str_free(&line);
        str_free(&name[i]);
    }
}

/* "  -- server --" over `width` columns; without dashes when there is no room for two of them on
 * either side. */
static void group_title(struct str *out, const char *group, int width)
{
    static const char dashes[] =
        "--------------------------------------------------------------------------------";
    int len = (int)strlen(group), left = (width - 2 - len - 2) / 2,
        right = width - 2 - len - 2 - left;

    if (len >= width) { /* whole words of it */
        int n = width - 1;
        while (n > 0 && group[n] != ' ')
            n--;
        str_printf(out, " %-*.*s", width - 1, n, group);
    } else if (!len || left < 1)
        str_printf(out, "%*s%s%*s", (width - len + 1) / 2, "", group, (width - len) / 2, "");
    else
        str_printf(out, "  %.*s %s %.*s", left, dashes, group, right, dashes);
}

static void header_line(const struct text_table *t, struct str *out, struct str *line)
{
    while (line->len && line->s[line->len - 1] == ' ')
        line->s[--line->len] = 0;
    if (line->len)
        str_printf(out, "%s%s%s\n", t->screen.colour ? "\033[1m" : "", line->s,
                   t->screen.colour ? "\033[0m" : "");
    str_free(line);
}

static size_t lost_ranks(const struct snapshot *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->nranks; i++)
        n += s->rank[i].lost;
    return n;
}

static void header(struct text_table *t, struct str *out, const struct snapshot *s)
{
    struct str groups = STR_INIT, names = STR_INIT;
    const char *group = "";
    int width = 0;
    struct choice now, ideal;
    int digits = snprintf(NULL, 0, "%.*f", s->stamp_decimals, dur_sec(s->elapsed_ns));

    t->screen = t->ask(t->arg);
    t->warmup = s->warmup;
    t->time_width = digits + 2 > TIME_WIDTH ? digits + 2 : TIME_WIDTH;
    choose(t, true, &ideal);
    choose(t, false, &now);
    explain_columns(t, out, &ideal);
    if (now.left_out && t->narrow_width != t->screen.width) {
        str_printf(out, "%zu column%s hidden; widen to %zu\n", now.left_out,
                   now.left_out > 1 ? "s" : "", now.wanted);
        t->narrow_width = t->screen.width;
    }
    for (size_t i = 0; i < t->cells; i++) {
        struct text_cell *c = &t->cell[i];
        c->dropped = ideal.picked[i] && !worth_showing(c);
        c->shown = now.picked[i];
        c->seen = !c->missing;
    }
    memcpy(t->column, t->cell, sizeof t->column);
    t->columns = t->cells;
    t->lost = lost_ranks(s);
    if (s->nranks) { /* "3 load hosts, without rank 1 (lost)" */
        str_printf(out, "%zu load hosts", s->nranks);
        text_missing_ranks(out, s, ", without rank ");
        str_adds(out, "\n");
    }
    /* two lines: titles, one over each run of columns that have the same, and names */
    str_printf(&groups, "%*s", t->time_width, "");
    str_printf(&names, "%*s", t->time_width, "time s");
    for (const struct text_cell *c = t->cell; c < t->cell + t->cells; c++) {
        if (!c->shown)
            continue;
        if (width && strcmp(c->group, group) != 0) {
            group_title(&groups, group, width);
            width = 0;
        }
        group = c->group;
        width += c->width;
        str_printf(&names, "%*s", c->width, c->name);
    }
    if (width)
        group_title(&groups, group, width);
    header_line(t, out, &groups);
    header_line(t, out, &names);
    t->begun = true;
    t->rows = 0;
}

/* Finds the column of each cell.  False: a column on the screen has no cell, or a figure became
 * available that has no column. */
static bool match_columns(struct text_table *t)
{
    size_t shown = 0;
    bool returned = false;

    for (struct text_cell *c = t->cell; c < t->cell + t->cells; c++) {
        struct text_cell *column = t->column;
        while (column < t->column + t->columns && column->order != c->order)
            column++;
        if (column == t->column + t->columns) {
            returned = returned || !c->missing;
            continue;
        }
        returned = returned || (!c->missing && column->dropped);
        column->seen = column->seen || !c->missing;
        c->seen = column->seen;
        c->shown = column->shown;
        shown += c->shown;
    }
    for (size_t i = 0; i < t->columns; i++)
        shown -= t->column[i].shown;
    return !returned && shown == 0;
}

void text_table_interval(struct text_table *t, struct str *out, const struct snapshot *s, bool sql)
{
    static const char *const start[] = {
        [TEXT_PLAIN] = "", [TEXT_WARN] = "\033[33m", [TEXT_BAD] = "\033[1;31m"};
    char time[40], number[32];
    bool few = false;

    t->cells = text_cells(s, sql, t->cell);
    if (!match_columns(t) || !t->begun || t->rows >= TEXT_TABLE_ROWS || s->warmup != t->warmup)
        header(t, out, s);
    snprintf(time, sizeof time, "%.*f", s->stamp_decimals, dur_sec(s->elapsed_ns));
    str_printf(out, "%*s", t->time_width, time);
    for (const struct text_cell *c = t->cell; c < t->cell + t->cells; c++) {
        bool coloured = t->screen.colour && !c->missing && c->colour != TEXT_PLAIN;
        char text[40] = "n/a";
        if (!c->shown)
            continue;
        if (!c->missing)
            snprintf(text, sizeof text, "%s%s%s", c->lower ? ">" : "",
                     text_fit(number, c->v, c->width - 1 - c->lower - c->few, c->decimals),
                     c->few ? TEXT_FEW_MARK : "");
        few = few || (c->few && !c->missing);
        str_printf(out, "%*s%s%s%s", c->width - (int)strlen(text), "",
                   coloured ? start[c->colour] : "", text, coloured ? "\033[0m" : "");
    }
    str_adds(out, s->warmup ? WARMUP "\n" : "\n");
    if (few && !t->told_few) /* once is enough for a table of them */
        str_printf(out, "%*s  " TEXT_FEW "\n", t->time_width, "");
    t->told_few = t->told_few || few;
    /* which load hosts' figures the row lacks: late ones each time, lost ones once */
    bool tell = lost_ranks(s) != t->lost;
    for (size_t i = 0; i < s->nranks; i++)
        tell = tell || s->rank[i].late;
    t->lost = lost_ranks(s);
    if (tell) {
        str_printf(out, "%*s", t->time_width, "");
        text_missing_ranks(out, s, "  without rank ");
        str_adds(out, "\n");
    }
    t->rows++;
}

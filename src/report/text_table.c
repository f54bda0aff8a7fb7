/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_table.h.  A header chooses the columns: text_cells() lists the candidates; those whose
 * figure was missing in all rows since the last header are dropped, and the rest compete for the
 * width by priority.  Between headers the columns stay, a missing figure is n/a in its place, and
 * one that is too wide loses digits or gets a suffix (text_fit), so that nothing moves the columns.
 */
#include "report/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/text_lines.h"
#include "report/text_ranks.h"

#define TIME_WIDTH 7
#define WARMUP     "  warm-up" /* after a row */

/* A column at the last header; text_cell.order says which one it is. */
struct column {
    double order;
    int width;
    bool shown, seen; /* seen: it had a figure since then */
};

struct text_table {
    struct text_screen (*ask)(void *arg);
    void *arg;
    struct text_screen screen;
    struct column col[TEXT_COLUMNS_MAX];
    size_t n;
    unsigned rows; /* since the last header */
    size_t lost;   /* load hosts, in the latest row or header */
    bool begun, warmup;
    int time_width;
    size_t narrow_width;        /* the width that was last reported as too small */
    struct str explained_names; /* ",name," of the columns whose absence was explained */
    struct text_cell cell[TEXT_COLUMNS_MAX]; /* of the interval at hand */
    size_t cells;
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

static struct column *column_of(struct text_table *t, const struct text_cell *cell)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->col[i].order == cell->order)
            return &t->col[i];
    return NULL;
}

static bool is_there(const struct text_table *t, const struct column *col)
{
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].order == col->order)
            return true;
    return false;
}

/* True when it may have a column: it has a figure, or will probably have one. */
static bool worth_showing(struct text_table *t, const struct text_cell *cell)
{
    const struct column *col = column_of(t, cell);

    return !cell->missing || cell->passing || (col && col->seen);
}

static bool needs_header(struct text_table *t, const struct snapshot *s)
{
    if (!t->begun || t->rows >= TEXT_TABLE_ROWS || s->warmup != t->warmup)
        return true;
    for (size_t i = 0; i < t->n; i++)
        if (t->col[i].shown && !is_there(t, &t->col[i]))
            return true;
    for (size_t i = 0; i < t->cells; i++) {
        const struct column *col = column_of(t, &t->cell[i]);
        if (!t->cell[i].missing && (!col || col->width == 0))
            return true;
    }
    return false;
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
static void choose(struct text_table *t, bool all, struct choice *c)
{
    size_t used = (size_t)t->time_width + (t->warmup ? strlen(WARMUP) : 0);
    bool first = true;

    *c = (struct choice){.wanted = used};
    for (const struct text_cell *p = next_of(t, NULL); p; p = next_of(t, p)) {
        size_t width = (size_t)p->width;
        if (!all && !worth_showing(t, p))
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

static void full_name(struct str *out, const struct text_cell *c)
{
    str_printf(out, "%s%s%s", c->group, *c->group ? " " : "", c->name);
}

static bool explained(const struct text_table *t, const struct text_cell *c)
{
    struct str name = STR_INIT;
    bool found;

    str_adds(&name, ",");
    full_name(&name, c);
    str_adds(&name, ",");
    found = strstr(str_cstr(&t->explained_names), str_cstr(&name)) != NULL;
    str_free(&name);
    return found;
}

/* Writes a line for each reason, with the columns that are missing because of it. */
static void explain_columns(struct text_table *t, struct str *out, const struct choice *ideal)
{
    bool done[TEXT_COLUMNS_MAX] = {false};

    for (size_t i = 0; i < t->cells; i++)
        done[i] = !ideal->picked[i] || worth_showing(t, &t->cell[i]) || explained(t, &t->cell[i]);
    for (size_t i = 0; i < t->cells; i++) {
        struct str line = STR_INIT;
        const char *group = "";
        for (size_t k = i; !done[i] && k < t->cells; k++) {
            if (done[k] || strcmp(t->cell[k].missing, t->cell[i].missing) != 0)
                continue;
            str_printf(&line, "%s%s%s%s", line.len ? ", " : "n/a: ",
                       strcmp(t->cell[k].group, group) != 0 ? t->cell[k].group : "",
                       *t->cell[k].group && strcmp(t->cell[k].group, group) != 0 ? " " : "",
                       t->cell[k].name);
            group = t->cell[k].group;
            str_adds(&t->explained_names, ",");
            full_name(&t->explained_names, &t->cell[k]);
            str_adds(&t->explained_names, ",");
            done[k] = k != i;
        }
        if (line.len) {
            str_printf(&line, " (%s)", t->cell[i].missing);
            text_wrap(out, line.s, 0, 5, t->screen.width);
            str_adds(out, "\n");
        }
        str_free(&line);
    }
}

static void no_room(struct text_table *t, struct str *out, const struct choice *c)
{
    if (c->left_out && t->narrow_width != t->screen.width) {
        str_printf(out, "%zu more column%s a width of %zu\n", c->left_out,
                   c->left_out > 1 ? "s need" : " needs", c->wanted);
        t->narrow_width = t->screen.width;
    }
}

static const struct text_cell *cell_of(const struct text_table *t, const struct column *col)
{
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].order == col->order)
            return &t->cell[i];
    return NULL;
}

/* "  -- server --" over `width` columns; without dashes when there is no room for two of them on
 * either side. */
static void group_title(struct str *out, const char *group, int width)
{
    static const char dashes[] =
        "--------------------------------------------------------------------------------";
    int len = (int)strlen(group), left = (width - 2 - len - 2) / 2,
        right = width - 2 - len - 2 - left;

    if (len >= width)
        str_printf(out, " %.*s", width - 1, group);
    else if (!len || left < 1)
        str_printf(out, "%*s%s%*s", (width - len + 1) / 2, "", group, (width - len) / 2, "");
    else
        str_printf(out, "  %.*s %s %.*s", left, dashes, group, right, dashes);
}

static void trim(struct str *out)
{
    while (out->len && out->s[out->len - 1] == ' ')
        out->s[--out->len] = 0;
}

/* The line of titles: one over each run of columns that have the same. */
static void groups_line(const struct text_table *t, struct str *out)
{
    const char *group = "";
    int width = 0;

    str_printf(out, "%*s", t->time_width, "");
    for (size_t i = 0; i < t->n; i++) {
        const struct text_cell *c = t->col[i].shown ? cell_of(t, &t->col[i]) : NULL;
        if (!c)
            continue;
        if (width && strcmp(c->group, group) != 0) {
            group_title(out, group, width);
            width = 0;
        }
        group = c->group;
        width += t->col[i].width;
    }
    if (width)
        group_title(out, group, width);
}

static void names_line(const struct text_table *t, struct str *out)
{
    str_printf(out, "%*s", t->time_width, "time s");
    for (size_t i = 0; i < t->n; i++)
        if (t->col[i].shown)
            str_printf(out, "%*s", t->col[i].width, cell_of(t, &t->col[i])->name);
}

static void header_line(const struct text_table *t, struct str *out,
                        void (*print)(const struct text_table *, struct str *))
{
    struct str line = STR_INIT;

    print(t, &line);
    trim(&line);
    if (line.len)
        str_printf(out, "%s%s%s\n", t->screen.colour ? "\033[1m" : "", line.s,
                   t->screen.colour ? "\033[0m" : "");
    str_free(&line);
}

static size_t lost_ranks(const struct snapshot *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->nranks; i++)
        n += s->rank[i].lost;
    return n;
}

/* "3 load hosts, without rank 1 (lost)", above the columns */
static void load_hosts(struct text_table *t, struct str *out, const struct snapshot *s)
{
    t->lost = lost_ranks(s);
    if (s->nranks == 0)
        return;
    str_printf(out, "%zu load hosts", s->nranks);
    text_missing_ranks(out, s, ", without rank ");
    str_adds(out, "\n");
}

/* Below a row that lacks figures: of hosts that are late each time, of lost ones once. */
static void missing_hosts(struct text_table *t, struct str *out, const struct snapshot *s)
{
    size_t lost = lost_ranks(s);
    bool tell = lost != t->lost;

    for (size_t i = 0; i < s->nranks; i++)
        tell = tell || s->rank[i].late;
    t->lost = lost;
    if (!tell)
        return;
    str_printf(out, "%*s", t->time_width, "");
    text_missing_ranks(out, s, "  without rank ");
    str_adds(out, "\n");
}

static void header(struct text_table *t, struct str *out, const struct snapshot *s)
{
    struct choice now, ideal;
    int digits = snprintf(NULL, 0, "%.*f", s->stamp_decimals, dur_sec(s->elapsed_ns));

    t->screen = t->ask(t->arg);
    t->warmup = s->warmup;
    t->time_width = digits + 2 > TIME_WIDTH ? digits + 2 : TIME_WIDTH;
    choose(t, true, &ideal);
    choose(t, false, &now);
    explain_columns(t, out, &ideal);
    no_room(t, out, &now);
    for (size_t i = 0; i < t->cells;
         i++) { /* a width of 0: it was dropped, and returns as soon as it can */
        if (ideal.picked[i] && !worth_showing(t, &t->cell[i]))
            t->cell[i].width = 0;
    }
    t->n = t->cells;
    for (size_t i = 0; i < t->cells; i++)
        t->col[i] = (struct column){
            .order = t->cell[i].order, .width = t->cell[i].width, .shown = now.picked[i]};
    load_hosts(t, out, s);
    header_line(t, out, groups_line);
    header_line(t, out, names_line);
    t->begun = true;
    t->rows = 0;
}

static const char *cell_text(char buf[40], const struct text_cell *c, int width)
{
    char number[32];

    if (c->missing)
        return strcpy(buf, "n/a");
    snprintf(buf, 40, "%s%s", c->lower ? ">" : "",
             text_fit(number, c->v, width - 1 - c->lower, c->decimals));
    return buf;
}

static void write_cell(const struct text_table *t, struct str *out, const struct text_cell *c,
                       int width)
{
    static const char *const start[] = {
        [TEXT_PLAIN] = "", [TEXT_WARN] = "\033[33m", [TEXT_BAD] = "\033[1;31m"};
    bool coloured = t->screen.colour && !c->missing && c->colour != TEXT_PLAIN;
    char buf[40];
    const char *text = cell_text(buf, c, width);

    str_printf(out, "%*s", width - (int)strlen(text), "");
    str_printf(out, "%s%s%s", coloured ? start[c->colour] : "", text, coloured ? "\033[0m" : "");
}

void text_table_interval(struct text_table *t, struct str *out, const struct snapshot *s, bool sql)
{
    char time[40];

    t->cells = text_cells(s, sql, t->cell);
    if (needs_header(t, s))
        header(t, out, s);
    snprintf(time, sizeof time, "%.*f", s->stamp_decimals, dur_sec(s->elapsed_ns));
    str_printf(out, "%*s", t->time_width, time);
    for (size_t i = 0; i < t->n; i++) {
        const struct text_cell *c = cell_of(t, &t->col[i]);
        if (c && !c->missing)
            t->col[i].seen = true;
        if (t->col[i].shown)
            write_cell(t, out, c, t->col[i].width);
    }
    str_adds(out, s->warmup ? WARMUP "\n" : "\n");
    missing_hosts(t, out, s);
    t->rows++;
}

void text_table_restart(struct text_table *t)
{
    t->rows = TEXT_TABLE_ROWS;
}

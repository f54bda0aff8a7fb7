/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code of all ranks.  A row keeps its place once any rank has met it, as in the table of
 * one process, because reports subtract rows by their places; what finds no place is counted in the
 * last row.  Counts are added up anew for each report.
 */
#include "engine/ranks.h"

#include <string.h>

static bool is_same(const struct error_row *a, const struct error_row *b)
{
    return a->code == b->code && strcmp(a->sqlstate, b->sqlstate) == 0 &&
           strcmp(a->class, b->class) == 0;
}

/* That of the others has no code: it is the last one of a full table. */
static struct error_row *others(struct ranks *k)
{
    static const struct error_row none = {.class = "other"};
    struct error_row *last = &k->row[ERROR_ROWS_MAX];

    if (k->rows <= ERROR_ROWS_MAX) {
        *last = none;
        k->rows = ERROR_ROWS_MAX + 1;
    }
    return last;
}

static struct error_row *place_of(struct ranks *k, const struct error_row *row, bool is_others)
{
    size_t n = k->rows < ERROR_ROWS_MAX ? k->rows : ERROR_ROWS_MAX;

    for (size_t i = 0; i < n && !is_others; i++)
        if (is_same(&k->row[i], row))
            return &k->row[i];
    if (is_others || n == ERROR_ROWS_MAX)
        return others(k);
    k->row[n] = *row;
    k->row[n].count = 0;
    k->rows = n + 1;
    return &k->row[n];
}

static void add(struct ranks *k, const struct error_row *row, bool is_others)
{
    struct error_row *to = place_of(k, row, is_others);

    if (to->count == 0) {
        to->first = row->first;
        to->last = row->last;
        if (!*to->text)
            memcpy(to->text, row->text, sizeof to->text);
    }
    to->first = row->first < to->first ? row->first : to->first;
    to->last = row->last > to->last ? row->last : to->last;
    to->count += row->count;
}

void ranks_merge_rows(struct ranks *k, struct error_row *row, size_t *n)
{
    for (size_t i = 0; i < k->rows; i++)
        k->row[i].count = 0;
    for (size_t i = 0; i < *n; i++)
        add(k, &row[i], i == ERROR_ROWS_MAX);
    for (int m = 1; m < k->n; m++)
        for (size_t i = 0; i < k->of[m].now.errors; i++)
            add(k, &k->of[m].now.error[i], i == ERROR_ROWS_MAX);
    *n = k->rows;
    memcpy(row, k->row, k->rows * sizeof *row);
}

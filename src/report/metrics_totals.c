/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_totals.h.
 */
#include "report/metrics_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct metrics_total {
    char *key;
    double shown; /* the total */
    double whole; /* up to the last checkpoint, as the checkpoints say */
};

static struct metrics_total *find(const struct metrics_totals *t, const char *key)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->total[i].key, key) == 0)
            return &t->total[i];
    return NULL;
}

static struct metrics_total *find_or_make(struct metrics_totals *t, const char *key)
{
    struct metrics_total *one = find(t, key);

    if (one)
        return one;
    t->total = mem_grow(t->total, t->n + 1, sizeof *t->total);
    t->total[t->n] = (struct metrics_total){.key = mem_strdup(key)};
    return &t->total[t->n++];
}

double metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                    bool intervals, double growth)
{
    struct metrics_total *one = find_or_make(t, key);

    if (kind == SNAPSHOT_INTERVAL) {
        one->shown += growth;
        return one->shown;
    }
    one->whole += growth;
    if ((kind == SNAPSHOT_FINAL || !intervals) && one->whole > one->shown)
        one->shown = one->whole;
    return one->shown;
}

const double *metrics_total(const struct metrics_totals *t, const char *key,
                            enum snapshot_kind kind)
{
    struct metrics_total *one = find(t, key);

    if (one && kind == SNAPSHOT_FINAL && one->whole > one->shown)
        one->shown = one->whole;
    return one ? &one->shown : NULL;
}

void metrics_totals_free(struct metrics_totals *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->total[i].key);
    free(t->total);
}

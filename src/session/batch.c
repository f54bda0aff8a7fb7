/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See batch.h.
 */
#include "session/batch.h"

#include <stdlib.h>

#include "base/mem.h"

struct batch {
    struct hist_counts all; /* since the start */
};

struct batch *batch_new(void)
{
    struct batch *b = mem_alloc(sizeof *b);

    hist_counts_init(&b->all, HIST_BUCKETS);
    return b;
}

void batch_free(struct batch *b)
{
    if (!b)
        return;
    hist_counts_fini(&b->all);
    free(b);
}

static double seconds(int64_t ns)
{
    return ns > 0 ? dur_sec(ns) : 0;
}

void batch_line(struct batch *b, struct str *out, const struct snapshot *s, bool service)
{
    const struct hist_counts *h = service ? s->hists.service : s->hists.response;
    double mean;

    if (h)
        hist_counts_merge(&b->all, h);
    mean = b->all.total ? hist_mean(&b->all) / NS_PER_SEC : 0;
    str_printf(out, "min: %.4f  avg: %.4f  max: %.4f  percentile: %.4f\n",
               seconds(hist_min(&b->all)), mean, seconds(hist_max(&b->all)),
               s->percentiles ? seconds(hist_percentile(&b->all, s->percentile[0])) : 0);
}

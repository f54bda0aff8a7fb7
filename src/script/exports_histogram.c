/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sb_histogram_* part of the script API: log-scale buckets of a script's own figures, printed
 * as the program prints its latency histogram.  sysbench.histogram is made of these calls.
 */
#include "script/exports.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/text.h"
#include "script/context.h"
#include "script/progress.h"

struct histogram {
    size_t size;
    double log_min, per_log; /* value of bucket i: exp(i / per_log + log_min) */
    _Atomic uint64_t count[];
};

sb_histogram_t *sb_histogram_new(size_t size, double min, double max)
{
    struct histogram *h;

    if (size < 2 || !(min > 0) || !(max > min) || !isfinite(max) || size > SIZE_MAX / 16)
        return NULL;
    h = calloc(1, sizeof *h + size * sizeof h->count[0]);
    if (!h)
        return NULL;
    h->size = size;
    h->log_min = log(min);
    h->per_log = (double)(size - 1) / (log(max) - log(min));
    return h;
}

void sb_histogram_delete(sb_histogram_t *h)
{
    free(h);
}

static size_t bucket_of(const struct histogram *h, double value)
{
    double i = value > 0 ? floor((log(value) - h->log_min) * h->per_log + 0.5) : 0;

    if (!(i > 0))
        return 0;
    return i < (double)(h->size - 1) ? (size_t)i : h->size - 1;
}

void sb_histogram_update(sb_histogram_t *h, double value)
{
    if (h)
        atomic_fetch_add_explicit(&h->count[bucket_of(h, value)], 1, memory_order_relaxed);
}

static double value_of(const void *arg, size_t i)
{
    const struct histogram *h = arg;

    return exp((double)i / h->per_log + h->log_min);
}

void sb_histogram_print(sb_histogram_t *h)
{
    struct script_context *cx = context_get();
    struct str out = STR_INIT;
    uint64_t *count;

    if (!h)
        return;
    count = mem_array(h->size, sizeof *count);
    for (size_t i = 0; i < h->size; i++)
        count[i] = atomic_load_explicit(&h->count[i], memory_order_relaxed);
    text_distribution(&out, count, h->size, value_of, h);
    if (cx && cx->progress)
        progress_hide(cx->progress);
    if (out.len)
        log_print("%s", str_cstr(&out));
    str_free(&out);
    free(count);
}

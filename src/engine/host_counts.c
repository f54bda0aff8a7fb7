/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See host_counts.h.
 */
#include "engine/host_counts.h"

#include <stdlib.h>

#include "base/mem.h"

struct host_counts *host_counts_new(size_t n)
{
    struct host_counts *h = mem_array(n, sizeof *h);

    for (size_t i = 0; i < n; i++)
        hist_counts_init(&h[i].response, HIST_BUCKETS);
    return h;
}

void host_counts_free(struct host_counts *h, size_t n)
{
    for (size_t i = 0; h && i < n; i++)
        hist_counts_fini(&h[i].response);
    free(h);
}

void host_counts_copy(struct host_counts *to, const struct host_counts *from, size_t n)
{
    for (size_t i = 0; to && from && i < n; i++) {
        struct hist_counts keep = to[i].response;

        to[i] = from[i];
        to[i].response = keep;
        hist_counts_copy(&to[i].response, &from[i].response);
    }
}

void host_counts_add(struct host_counts *to, const struct host_counts *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < CNT_MAX; k++)
            to[i].count[k] += from[i].count[k];
        to[i].lost += from[i].lost;
        to[i].connections += from[i].connections;
        to[i].clients += from[i].clients;
        hist_counts_merge(&to[i].response, &from[i].response);
    }
}

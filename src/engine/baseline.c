/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory of a baseline (figures.h): it owns its histograms and per-client figures, so a copy is
 * a deep one, and copying one over another allocates nothing.
 */
#include "engine/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void baseline_init(struct baseline *b, size_t clients)
{
    memset(b, 0, sizeof *b);
    hist_counts_init(&b->stock, HIST_STOCK_SIZE);
    hist_counts_init(&b->response, HIST_BUCKETS);
    hist_counts_init(&b->service, HIST_BUCKETS);
    hist_counts_init(&b->lag, HIST_BUCKETS);
    b->events = mem_array(clients, sizeof *b->events);
    b->lat_sum = mem_array(clients, sizeof *b->lat_sum);
}

void baseline_fini(struct baseline *b)
{
    hist_counts_fini(&b->stock);
    hist_counts_fini(&b->response);
    hist_counts_fini(&b->service);
    hist_counts_fini(&b->lag);
    free(b->events);
    free(b->lat_sum);
    host_counts_free(b->host, b->nhosts);
}

void baseline_copy(struct baseline *to, const struct baseline *from, size_t clients)
{
    struct baseline keep = *to;

    *to = *from;
    to->stock = keep.stock;
    to->response = keep.response;
    to->service = keep.service;
    to->lag = keep.lag;
    to->events = keep.events;
    to->lat_sum = keep.lat_sum;
    to->host = keep.host;
    to->nhosts = keep.nhosts;
    hist_counts_copy(&to->stock, &from->stock);
    hist_counts_copy(&to->response, &from->response);
    hist_counts_copy(&to->service, &from->service);
    hist_counts_copy(&to->lag, &from->lag);
    memcpy(to->events, from->events, clients * sizeof *to->events);
    memcpy(to->lat_sum, from->lat_sum, clients * sizeof *to->lat_sum);
    host_counts_copy(to->host, from->host, to->nhosts);
}

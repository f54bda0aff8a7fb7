/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See baseline.h.
 */
#include "engine/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- what is sent to the leader of several ranks, and how it is added up --- */

static const struct record_field baseline_fields[] = {
    RECORD_EACH(struct baseline, RECORD_NONE, at),
    RECORD_EACH(struct baseline, RECORD_SUM, count, offered, dropped, lost),
    RECORD_EACH(struct baseline, RECORD_LEAST, oldest),
    RECORD_EACH(struct baseline, RECORD_SUM, undone, sampled),
    {RECORD_OF(struct baseline, self, &sample_record)},
};
const struct tally baseline_tally = {
    RECORD("baseline", baseline_fields),
    4,
    {offsetof(struct baseline, stock), offsetof(struct baseline, response),
     offsetof(struct baseline, service), offsetof(struct baseline, lag)}};

static const struct record_field host_fields[] = {
    RECORD_EACH(struct host_counts, RECORD_SUM, count, lost, connections, clients),
};
const struct tally host_tally = {
    RECORD("host", host_fields), 1, {offsetof(struct host_counts, response)}};

/* --- the figures of one host --- */

struct host_counts *host_counts_new(size_t n)
{
    struct host_counts *h = mem_array(n, sizeof *h);

    for (size_t i = 0; i < n; i++)
        tally_init(&host_tally, &h[i]);
    return h;
}

/* --- a baseline --- */

#define HISTS      baseline_tally.hists /* the first one is stock's */
#define HIST(b, i) tally_hist(&baseline_tally, b, i)

void baseline_init(struct baseline *b, size_t clients)
{
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < HISTS; i++)
        hist_counts_init(HIST(b, i), i ? HIST_BUCKETS : HIST_STOCK_SIZE);
    b->events = mem_array(clients, sizeof *b->events);
    b->lat_sum = mem_array(clients, sizeof *b->lat_sum);
}

void baseline_fini(struct baseline *b)
{
    tally_fini(&baseline_tally, b);
    free(b->events);
    free(b->lat_sum);
    for (size_t i = 0; b->host && i < b->nhosts; i++)
        tally_fini(&host_tally, &b->host[i]);
    free(b->host);
}

void baseline_copy(struct baseline *to, const struct baseline *from, size_t clients)
{
    struct baseline keep = *to;

    *to = *from;
    to->events = memcpy(keep.events, from->events, clients * sizeof *to->events);
    to->lat_sum = memcpy(keep.lat_sum, from->lat_sum, clients * sizeof *to->lat_sum);
    to->host = keep.host;
    to->nhosts = keep.nhosts;
    for (size_t i = 0; i < HISTS; i++) {
        *HIST(to, i) = *HIST(&keep, i);
        hist_counts_copy(HIST(to, i), HIST(from, i));
    }
    for (size_t i = 0; to->host && from->host && i < to->nhosts; i++) {
        record_copy(&host_tally.numbers, &to->host[i], &from->host[i]);
        hist_counts_copy(&to->host[i].response, &from->host[i].response);
    }
}

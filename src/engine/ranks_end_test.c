/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ranks tell once at their end: to bytes and back, and added up.
 */
#include "engine/ranks.h"

#include <string.h>

#include "base/test.h"

static void fill(struct rank_end *v, int n)
{
    rank_end_init(v);
    v->run_end = n;
    v->schedule_end = 2 * n;
    v->planned = 3 * n;
    v->begun = 4 * n;
    v->worst_wake = 5 * n;
    v->clients_left = 6 * n;
    v->forced = n;
    v->retries = (struct snapshot_retries){.transactions = (uint64_t)n,
                                           .retries = 8 * (uint64_t)n,
                                           .most = 9 * (uint64_t)n,
                                           .failed = 10 * (uint64_t)n,
                                           .unknown = 11 * (uint64_t)n};
    v->connections = (struct snapshot_connections){.connected = 12 * (unsigned)n,
                                                   .refused = 13 * (unsigned)n,
                                                   .refused_with = 14 * n,
                                                   .plain = 15 * (size_t)n};
    v->batches = (struct sched_batches){16 * (uint64_t)n, 17 * (uint64_t)n, 18 * (uint64_t)n,
                                        19 * (uint64_t)n};
    v->workers = 20 * n;
    v->saturated = 21 * n;
    v->saturated_pct = 22.5 * n;
    hist_counts_put(&v->first, 100, (uint64_t)n);
    hist_counts_put(&v->last, 30000, (uint64_t)n);
    v->last.clamped = (uint64_t)n;
    hist_counts_put(&v->connect, 5, 1);
    hist_counts_put(&v->again, 6, 2);
    hist_counts_put(&v->during, 7, 3);
    hist_counts_put(&v->after, 8, 4);
    v->outages = 2;
    v->more_outages = 1;
    v->outage[0] = (struct outage){.first_error = 10 * NS_PER_SEC * n,
                                   .last_error = 11 * NS_PER_SEC * n,
                                   .silent_from = 10 * NS_PER_SEC * n,
                                   .success = 12 * NS_PER_SEC * n,
                                   .connected = 12 * NS_PER_SEC * n,
                                   .drained = 13 * NS_PER_SEC * n,
                                   .over = 13 * NS_PER_SEC * n,
                                   .errors = 7,
                                   .lost = 3,
                                   .in_time = NS_PER_MS,
                                   .before = {1, 2, 3, 4, 5},
                                   .after = {6, 7, 8, 9, 10}};
    v->outage[1] = (struct outage){.first_error = 1000 * NS_PER_SEC * n, .errors = 1};
}

static bool same_hist(const struct hist_counts *a, const struct hist_counts *b)
{
    return a->total == b->total && a->clamped == b->clamped &&
           memcmp(a->count, b->count, a->size * sizeof *a->count) == 0;
}

static void check_same(const struct rank_end *a, const struct rank_end *b)
{
    CHECK_INT(a->run_end, b->run_end);
    CHECK_INT(a->schedule_end, b->schedule_end);
    CHECK_INT(a->planned, b->planned);
    CHECK_INT(a->begun, b->begun);
    CHECK_INT(a->worst_wake, b->worst_wake);
    CHECK_INT(a->clients_left, b->clients_left);
    CHECK_INT(a->forced, b->forced);
    CHECK(memcmp(&a->retries, &b->retries, sizeof a->retries) == 0);
    CHECK_INT(a->connections.connected, b->connections.connected);
    CHECK_INT(a->connections.refused, b->connections.refused);
    CHECK_INT(a->connections.refused_with, b->connections.refused_with);
    CHECK_INT(a->connections.plain, b->connections.plain);
    CHECK(memcmp(&a->batches, &b->batches, sizeof a->batches) == 0);
    CHECK_INT(a->workers, b->workers);
    CHECK_INT(a->saturated, b->saturated);
    CHECK(a->saturated_pct == b->saturated_pct);
    CHECK(same_hist(&a->first, &b->first) && same_hist(&a->last, &b->last));
    CHECK(same_hist(&a->connect, &b->connect) && same_hist(&a->again, &b->again));
    CHECK(same_hist(&a->during, &b->during) && same_hist(&a->after, &b->after));
    CHECK_INT(a->outages, b->outages);
    CHECK_INT(a->more_outages, b->more_outages);
    CHECK(memcmp(a->outage, b->outage, a->outages * sizeof *a->outage) == 0);
}

static void test_bytes(void)
{
    struct rank_end v, got;
    struct put out = {0};
    struct get in;

    fill(&v, 3);
    rank_end_put(&out, &v);
    in = get_of(out.s.s, out.s.len);
    rank_end_init(&got);
    CHECK_INT(rank_end_get(&got, &in), 0);
    CHECK(get_end(&in));
    check_same(&got, &v);
    rank_end_fini(&got);
    for (size_t n = 0; n < out.s.len; n++) {
        rank_end_init(&got);
        in = get_of(out.s.s, n);
        CHECK_INT(rank_end_get(&got, &in), -1);
        rank_end_fini(&got);
    }
    rank_end_fini(&v);
    put_free(&out);
}

/* Instants and extremes are the greatest, counts are added. */
static void test_sum(void)
{
    struct rank_end a, b;

    fill(&a, 2);
    fill(&b, 5);
    rank_end_add(&a, &b);
    CHECK_INT(a.run_end, 5);
    CHECK_INT(a.schedule_end, 10);
    CHECK_INT(a.planned, 15);
    CHECK_INT(a.begun, 20);
    CHECK_INT(a.worst_wake, 25);
    CHECK_INT(a.clients_left, 7 * 6);
    CHECK_INT(a.forced, 7);
    CHECK_INT(a.retries.transactions, 7);
    CHECK_INT(a.retries.retries, 7 * 8);
    CHECK_INT(a.retries.most, 5 * 9);
    CHECK_INT(a.retries.failed, 7 * 10);
    CHECK_INT(a.retries.unknown, 7 * 11);
    CHECK_INT(a.connections.connected, 7 * 12);
    CHECK_INT(a.connections.refused, 7 * 13);
    CHECK_INT(a.connections.refused_with, 5 * 14);
    CHECK_INT(a.connections.plain, 7 * 15);
    CHECK_INT(a.batches.n, 7 * 16);
    CHECK_INT(a.batches.answers, 7 * 17);
    CHECK_INT(a.batches.sum, 7 * 18);
    CHECK_INT(a.batches.most, 5 * 19);
    CHECK_INT(a.first.count[100], 7);
    CHECK_INT(a.last.clamped, 7);
    CHECK_INT(a.after.total, 8);
    CHECK_INT(a.outages, 3); /* at 20 s, 50 s and from 2000 s on: the last one has no end */
    CHECK_INT(a.more_outages, 2);
    CHECK_INT(a.outage[2].errors, 2);
    rank_end_fini(&a);
    rank_end_fini(&b);
}

TEST_MAIN(ranks_end_test)
{
    test_bytes();
    test_sum();
    return test_done("ranks_end_test");
}

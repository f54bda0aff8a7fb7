/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ranks tell once at their end: to bytes and back, and added up.
 */
#include "engine/ranks.h"

#include "base/test.h"

static void fill(struct rank_end *v, int64_t n)
{
    rank_end_init(v);
    for (int i = 0; i < END_MAX; i++)
        v->n[i] = n * (i + 1);
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
    CHECK(memcmp(a->n, b->n, sizeof a->n) == 0);
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
    CHECK_INT(a.n[END_RUN], 5 * (END_RUN + 1));
    CHECK_INT(a.n[END_WAKE], 5 * (END_WAKE + 1));
    CHECK_INT(a.n[END_MOST_RETRIES], 5 * (END_MOST_RETRIES + 1));
    CHECK_INT(a.n[END_HELD_MOST], 5 * (END_HELD_MOST + 1));
    CHECK_INT(a.n[END_RETRIES], 7 * (END_RETRIES + 1));
    CHECK_INT(a.n[END_CONNECTED], 7 * (END_CONNECTED + 1));
    CHECK_INT(a.n[END_BATCHES], 7 * (END_BATCHES + 1));
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

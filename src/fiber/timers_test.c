/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The heap of instants against a plain array that is searched: the same sequence of adding,
 * removing and expiring must give the same instants, for many random sequences.
 */
#include "fiber/worker.h"

#include "base/rng.h"
#include "base/test.h"

#define N 200

static void check_heap(const struct timers *t)
{
    int wrong = 0;

    for (size_t k = TIMERS_ROOT; k < TIMERS_ROOT + t->n; k++)
        wrong += t->heap[k].timer->place != k ||
                 (k > TIMERS_ROOT && t->heap[k].at < t->heap[k / 4 + 2].at);
    CHECK_INT(wrong, 0);
}

static mono_ns earliest(const struct timer *e, const mono_ns *at)
{
    mono_ns first = MONO_NEVER;

    for (int i = 0; i < N; i++)
        if (timer_is_set(&e[i]) && at[i] < first)
            first = at[i];
    return first;
}

static void against_search(uint64_t seed)
{
    struct timer e[N] = {0};
    struct timers t;
    struct rng rng;
    mono_ns now = 0, at[N];

    rng_seed_pair(&rng, seed, 1);
    timers_init(&t, N);
    for (int step = 0; step < 3000; step++) {
        struct timer *x = &e[rng_next(&rng) % N], *due;
        if (timer_is_set(x))
            timers_remove(&t, x);
        else
            timers_add(&t, x, at[x - e] = now + (mono_ns)(rng_next(&rng) % 1000));
        CHECK_INT(timers_first(&t), earliest(e, at));
        now += (mono_ns)(rng_next(&rng) % 10);
        for (;;) {
            mono_ns first = earliest(e, at);
            due = timers_due(&t, now);
            CHECK((due != NULL) == (first <= now));
            if (!due)
                break;
            CHECK_INT(at[due - e], first);
            CHECK(!timer_is_set(due));
        }
    }
    check_heap(&t);
    timers_fini(&t);
}

static void edges(void)
{
    struct timer a = {0}, b = {0};
    struct timers t;

    timers_init(&t, 2);
    CHECK_INT(timers_first(&t), MONO_NEVER);
    CHECK(timers_due(&t, MONO_NEVER) == NULL);
    timers_remove(&t, &a);
    timers_add(&t, &a, 5);
    timers_add(&t, &b, 5);
    CHECK(timers_due(&t, 4) == NULL);
    CHECK(timers_due(&t, 5) != NULL);
    CHECK(timers_due(&t, 5) != NULL);
    CHECK(timers_due(&t, 5) == NULL);
    CHECK_INT(t.n, 0);
    timers_fini(&t);
}

TEST_MAIN(timers_test)
{
    edges();
    for (uint64_t seed = 1; seed <= 20; seed++)
        against_search(seed);
    return test_done("timers");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters: the sum over clients, the layout that keeps clients out of each other's cache lines,
 * and counters_note under stress: writers begin and end events as fast as they can while a reader
 * looks for a reading in which more had ended than begun.
 */
#include "stats/counters.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/test.h"

static void test_sum(void)
{
    struct counters *c = mem_array_aligned(3, sizeof *c);
    uint64_t sum[CNT_MAX] = {0};

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < CNT_MAX; k++)
            counters_add(&c[i], (enum counter)k, (uint64_t)(i * 100 + k));
    }
    counters_add(&c[1], CNT_BYTES_READ, UINT64_C(1) << 40);
    CHECK_INT(counters_get(&c[2], CNT_FAILED), 200 + CNT_FAILED);
    counters_sum(c, 3, sum);
    for (int k = 0; k < CNT_MAX; k++)
        CHECK_INT(sum[k], 300 + 3 * k + (k == CNT_BYTES_READ ? INT64_C(1) << 40 : 0));
    counters_sum(c, 1, sum); /* adds to the existing sum */
    CHECK_INT(sum[CNT_STARTED], 300 + 4 * CNT_STARTED);
    counters_sum(c, 0, sum);
    CHECK_INT(sum[CNT_STARTED], 300 + 4 * CNT_STARTED);
    free(c);
}

/* Numbers that scripts pass to sb_counter_inc, and a client's own cache lines. */
static void test_abi(void)
{
    static const int number[] = {CNT_OTHER, CNT_READ,      CNT_WRITE,      CNT_EVENT,
                                 CNT_ERROR, CNT_RECONNECT, CNT_BYTES_READ, CNT_BYTES_WRITTEN};

    for (int i = 0; i < 8; i++)
        CHECK_INT(number[i], i);
    CHECK_INT(sizeof(struct counters) % CACHE_LINE, 0);
    CHECK_INT(_Alignof(struct counters), CACHE_LINE);
}

enum { WRITERS = 2, LOOKS = 300000 };

struct stress {
    struct counters *counters; /* one per writer */
    atomic_bool stop;
};

struct writer {
    struct stress *s;
    int id;
    uint64_t done, failed;
};

static void *write_events(void *arg)
{
    struct writer *w = arg;
    struct counters *c = &w->s->counters[w->id];

    do {
        bool fails = (w->done + w->failed) % 10 == 9;
        counters_add(c, CNT_STARTED, 1);
        counters_add(c, fails ? CNT_FAILED : CNT_DONE, 1);
        if (fails)
            w->failed++;
        else
            w->done++;
    } while (!atomic_load_explicit(&w->s->stop, memory_order_relaxed));
    return NULL;
}

/* How often a reader saw more ends than starts, or a figure that went back. */
static void look_at_counters(const struct counters *c, long *early, long *backwards)
{
    uint64_t sum[CNT_MAX], last[CNT_MAX] = {0};

    for (int i = 0; i < LOOKS; i++) {
        memset(sum, 0, sizeof sum);
        counters_sum(c, WRITERS, sum);
        *early += sum[CNT_DONE] + sum[CNT_FAILED] > sum[CNT_STARTED];
        for (int k = 0; k < CNT_MAX; k++)
            *backwards += sum[k] < last[k];
        memcpy(last, sum, sizeof last);
    }
}

static void test_no_end_before_start(void)
{
    struct stress s = {mem_array_aligned(WRITERS, sizeof *s.counters), false};
    struct writer writers[WRITERS];
    uint64_t sum[CNT_MAX] = {0}, done = 0, failed = 0;
    pthread_t threads[WRITERS];
    long early = 0, backwards = 0;

    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){&s, i, 0, 0};
        CHECK_INT(pthread_create(&threads[i], NULL, write_events, &writers[i]), 0);
    }
    look_at_counters(s.counters, &early, &backwards);
    atomic_store(&s.stop, true);
    for (int i = 0; i < WRITERS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        done += writers[i].done;
        failed += writers[i].failed;
    }
    CHECK_INT(early, 0);
    CHECK_INT(backwards, 0);
    counters_sum(s.counters, WRITERS, sum);
    CHECK_INT(sum[CNT_STARTED], done + failed);
    CHECK_INT(sum[CNT_DONE], done);
    CHECK_INT(sum[CNT_FAILED], failed);
    free(s.counters);
}

TEST_MAIN(counters_test)
{
    test_sum();
    test_abi();
    test_no_end_before_start();
    return test_done("counters_test");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The histograms against their definitions: every bucket limit against the layout, stock's grid
 * against its formula on both sides of each limit, percentiles against the sorted sample itself for
 * distributions that differ in shape and range, and recording from several threads against the
 * number of calls.
 */
#include "stats/hist.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/test.h"

/* Those of a test, empty when it begins. */
static struct hist *h;
static struct hist_counts c;

static void fresh(size_t size)
{
    free(h);
    hist_counts_fini(&c);
    h = mem_alloc(sizeof *h);
    hist_counts_init(&c, size);
}

static void test_layout(void)
{
    int64_t expect_low = 0;
    int bad = 0;

    for (size_t i = 0; i < HIST_BUCKETS; i++) {
        int64_t low = hist_bucket_low(i), high = hist_bucket_high(i);
        if (low > HIST_MAX_NS)
            break;
        bad += low != expect_low || high < low || hist_index(low) != i || hist_index(high) != i;
        bad += high - low > low / 1024; /* known to better than 1/1024, to 1 ns below 2048 */
        expect_low = high + 1;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(expect_low, HIST_MAX_NS + 1);

    CHECK_INT(hist_index(0), 0);
    CHECK_INT(hist_index(-1), 0);
    CHECK_INT(hist_index(INT64_MIN), 0);
    CHECK_INT(hist_index(2047), 2047);
    CHECK_INT(hist_index(2048), 2048);
    CHECK_INT(hist_index(2049), 2048);
    CHECK_INT(hist_index(4095), 3071);
    CHECK_INT(hist_index(4096), 3072);
    CHECK_INT(hist_index(INT64_MAX), hist_index(HIST_MAX_NS));
    CHECK(hist_index(HIST_MAX_NS) < HIST_BUCKETS);
    CHECK_INT(hist_bucket_high(hist_index(HIST_MAX_NS)), HIST_MAX_NS);
    CHECK_INT((INT64_C(1) << 42) - 1, hist_bucket_high(HIST_BUCKETS - 1));
}

/* The formula of hist.h, written a second time. */
static int formula(int64_t ns)
{
    double m = 1023 / (log(1e5) - log(0.001));
    double i = floor((log((double)ns / 1e6) - log(0.001)) * m + 0.5);

    return ns <= 0 || i < 0 ? 0 : i > 1023 ? 1023 : (int)i;
}

static void test_stock_grid(void)
{
    double m = 1023 / (log(1e5) - log(0.001));
    uint64_t x = 1;
    int bad = 0, limits = 0;

    for (int i = 1; i < HIST_STOCK_SIZE; i++) {
        int64_t near = (int64_t)(exp((i - 0.5) / m + log(0.001)) * 1e6);
        for (int64_t ns = near - 3; ns <= near + 3; ns++) {
            bad += (int)hist_stock_index(ns) != formula(ns);
            limits +=
                hist_stock_index(ns) == (size_t)i && hist_stock_index(ns - 1) == (size_t)i - 1;
        }
    }
    CHECK_INT(limits, HIST_STOCK_SIZE - 1); /* each limit was inside the window */
    for (int64_t ns = 0; ns < 200000; ns++)
        bad += (int)hist_stock_index(ns) != formula(ns);
    for (int i = 0; i < 200000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t ns = (int64_t)(x >> (20 + (x >> 59) % 44));
        bad += (int)hist_stock_index(ns) != formula(ns);
    }
    for (int e = 0; e < 63; e++) {
        for (int64_t ns = (INT64_C(1) << e) - 2; ns <= (INT64_C(1) << e) + 2; ns++)
            bad += (int)hist_stock_index(ns) != formula(ns);
    }
    CHECK_INT(bad, 0);
    CHECK_INT(hist_stock_index(INT64_MIN), 0);
    CHECK_INT(hist_stock_index(-1), 0);
    CHECK_INT(hist_stock_index(999), 0);
    CHECK_INT(hist_stock_index(INT64_C(100000000000)), 1023);
    CHECK_INT(hist_stock_index(INT64_MAX), 1023);
    CHECK_NEAR(hist_stock_value_ms(0), 0.001, 1e-12);
    CHECK_NEAR(hist_stock_value_ms(1023), 100000.0, 1e-6);
}

/* Values that are familiar from the reports of stock runs. */
static void test_stock_familiar_values(void)
{
    static const struct {
        int64_t ns;
        const char *text;
    } seen[] = {
        {INT64_C(99500000), "99.33"},
        {INT64_C(101000000), "101.13"},
        {INT64_C(1101000), "1.10"},
        {INT64_C(1120000), "1.12"},
    };
    char text[32];

    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        snprintf(text, sizeof text, "%.2f", hist_stock_value_ms(hist_stock_index(seen[i].ns)));
        CHECK_STR(text, seen[i].text);
    }
    CHECK_NEAR(hist_stock_value_ms(501) / hist_stock_value_ms(500), 1.0182, 0.0001);
}

static void test_stock_percentile(void)
{
    struct hist_stock *stock = mem_alloc(sizeof *stock);

    fresh(HIST_STOCK_SIZE);
    CHECK_NEAR(hist_stock_percentile_ms(&c, 95), 0.0, 0);
    hist_stock_record(stock, 5000000);
    hist_counts_add_stock(&c, stock);
    CHECK_NEAR(hist_stock_percentile_ms(&c, 49), 0.0, 0); /* floor(0.49 + 0.5) = 0 */
    CHECK_NEAR(hist_stock_percentile_ms(&c, 50), 5.0, 5.0 * 0.0092);

    for (int i = 0; i < 99; i++)
        hist_stock_record(stock, i < 94 ? 1000000 : 80000000); /* in all 94, 1 and 5 */
    hist_counts_clear(&c);
    hist_counts_add_stock(&c, stock);
    CHECK_INT(c.total, 100);
    for (int p = 94; p <= 100; p++) {
        int64_t ns = p == 94 ? 1000000 : p == 95 ? 5000000 : 80000000;
        CHECK_NEAR(hist_stock_percentile_ms(&c, p), hist_stock_value_ms(hist_stock_index(ns)), 0);
    }
    free(stock);
}

enum shape { CONSTANT, UNIFORM, EXPONENTIAL, LOGNORMAL, BIMODAL, HEAVY_TAIL, TINY, SHAPES };

static int64_t draw(enum shape shape, struct rng *r)
{
    double u = rng_double(r);

    switch (shape) {
    case CONSTANT: return 123456789;
    case UNIFORM: return 1000 + (int64_t)(u * 1e6);
    case EXPONENTIAL: return (int64_t)(-log1p(-u) * 3e6);
    case LOGNORMAL:
        return (int64_t)(2e6 * exp(2.5 * sqrt(-2 * log1p(-u)) * cos(6.283185307 * rng_double(r))));
    case BIMODAL:
        return u < 0.97 ? 200000 + (int64_t)(u * 1000) : INT64_C(2000000000) + (int64_t)(u * 1e9);
    case HEAVY_TAIL: return (int64_t)fmin(1e3 / (1 - u) / (1 - u), 3.5e12);
    default: return (int64_t)(u * 50);
    }
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void test_percentiles(void)
{
    enum { N = 20011 };
    static const double ps[] = {0.001, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
    int64_t *raw = mem_array(N, sizeof *raw);

    for (int shape = 0; shape < SHAPES; shape++) {
        double sum = 0;
        struct rng r;

        fresh(HIST_BUCKETS);
        rng_seed_pair(&r, 42, (uint64_t)shape);
        for (int i = 0; i < N; i++) {
            raw[i] = draw(shape, &r);
            sum += (double)raw[i];
            hist_record(h, raw[i]);
        }
        qsort(raw, N, sizeof *raw, compare_ns);
        hist_counts_add(&c, h);
        CHECK_INT(c.total, N);
        CHECK_INT(c.clamped, 0);
        for (size_t i = 0; i < sizeof ps / sizeof *ps; i++) {
            int64_t exact = raw[(int)ceil(ps[i] / 100 * N) - 1], got = hist_percentile(&c, ps[i]);
            TEST_REPORT(got >= exact && (double)(got - exact) <= (double)exact / 1024,
                        "shape %d p%g: got %lld, want %lld", shape, ps[i], (long long)got,
                        (long long)exact);
        }
        CHECK(hist_min(&c) <= raw[0] && (double)hist_min(&c) >= (double)raw[0] * (1 - 1.0 / 1024));
        CHECK_INT(hist_max(&c), hist_percentile(&c, 100));
        CHECK_NEAR(hist_mean(&c), sum / N * (1 + 1.0 / 2048), sum / N / 2048);
    }
    free(raw);
}

/* Ranks where p/100*n is a whole number that binary arithmetic misses. */
static void test_ranks(void)
{
    fresh(HIST_BUCKETS);
    for (int i = 1; i <= 1000; i++)
        hist_record(h, i); /* buckets of 1 ns: the value is the rank */
    hist_counts_add(&c, h);
    for (int tenth = 1; tenth <= 1000; tenth++)
        CHECK_INT(hist_percentile(&c, tenth / 10.0), tenth);
    CHECK_INT(hist_percentile(&c, 99.91), 1000);
    CHECK_INT(hist_percentile(&c, 1e-9), 1);
}

static void test_empty(void)
{
    fresh(HIST_BUCKETS);
    hist_counts_add(&c, h);
    CHECK_INT(c.total, 0);
    CHECK_INT(hist_percentile(&c, 50), -1);
    CHECK_INT(hist_percentile(&c, 100), -1);
    CHECK_INT(hist_min(&c), -1);
    CHECK_INT(hist_max(&c), -1);
    CHECK(isnan(hist_mean(&c)));
    hist_counts_put(&c, hist_index(0), 3);
    CHECK_NEAR(hist_mean(&c), 0, 0);
    hist_counts_put(&c, hist_index(8), 1);
    CHECK_NEAR(hist_mean(&c), 2, 0);
}

/* In each group of buckets its first and its last one: alone, and all of them. */
static void test_each_group(void)
{
    struct hist_counts all, none;
    size_t last = hist_index(HIST_MAX_NS), before = 0, left = 0;

    fresh(HIST_BUCKETS);
    hist_counts_init(&all, HIST_BUCKETS);
    hist_counts_init(&none, HIST_BUCKETS);
    for (size_t i = 0; i <= last; i += i % HIST_GROUP_SIZE ? 1 : HIST_GROUP_SIZE - 1) {
        int64_t low = hist_bucket_low(i), high = hist_bucket_high(i);
        hist_counts_clear(&c);
        hist_counts_put(&c, i, 3);
        CHECK_INT(c.total, 3);
        CHECK_INT(c.groups, UINT64_C(1) << i / HIST_GROUP_SIZE);
        CHECK_INT(hist_min(&c), low);
        CHECK_INT(hist_max(&c), high);
        CHECK_INT(hist_percentile(&c, 0.1), high);
        CHECK_INT(hist_percentile(&c, 100), high);
        CHECK_NEAR(hist_mean(&c), (double)high, 0); /* not below the percentiles of the same */
        hist_counts_merge(&all, &c);
        /* those before it leave it alone */
        hist_counts_diff(&none, &all, &c);
        CHECK_INT(none.total, all.total - 3);
        CHECK_INT(none.count[i], 0);
        CHECK_INT(hist_max(&none), i ? hist_bucket_high(before) : -1);
        before = i;
    }
    CHECK(last - before < HIST_GROUP_SIZE);
    all.clamped = 5;
    hist_add_counts(h, &all);
    hist_add_counts(h, &c);
    hist_counts_clear(&none);
    CHECK_INT(none.total + none.clamped + none.groups, 0);
    hist_counts_add(&none, h);
    hist_counts_merge(&all, &c);
    CHECK_INT(none.total, all.total);
    CHECK_INT(none.clamped, 5);
    CHECK_INT(none.groups, all.groups);
    CHECK(memcmp(none.count, all.count, HIST_BUCKETS * sizeof *all.count) == 0);
    hist_counts_copy(&none, &c); /* what was in it is gone */
    CHECK_INT(none.total, 3);
    CHECK_INT(none.clamped, 0);
    CHECK_INT(none.groups, c.groups);
    CHECK(memcmp(none.count, c.count, HIST_BUCKETS * sizeof *c.count) == 0);
    hist_counts_diff(&all, &c, &c);
    CHECK_INT(all.total + all.clamped, 0);
    for (size_t i = 0; i < HIST_BUCKETS; i++)
        left += all.count[i] != 0;
    CHECK_INT(hist_max(&all), -1);
    CHECK_INT(hist_min(&all), -1);
    CHECK_INT(left, 0);
    hist_counts_fini(&c);
    CHECK(!c.count);
    CHECK_INT(c.size, 0);
    hist_counts_fini(&all);
    hist_counts_fini(&none);
}

static void test_clamping(void)
{
    fresh(HIST_BUCKETS);
    hist_record(h, -5);
    hist_record(h, 0);
    hist_record(h, HIST_MAX_NS);
    hist_counts_add(&c, h);
    CHECK_INT(hist_max(&c), HIST_MAX_NS);
    hist_counts_clear(&c);
    hist_record(h, HIST_MAX_NS + 1);
    hist_record_shared(h, INT64_MAX);
    hist_counts_add(&c, h);
    CHECK_INT(c.total, 5);
    CHECK_INT(c.clamped, 2);
    CHECK_INT(c.count[0], 2);
    CHECK_INT(c.count[hist_index(HIST_MAX_NS)], 3);
    CHECK_INT(hist_max(&c), HIST_OVER_NS);
    CHECK_INT(hist_percentile(&c, 60), HIST_OVER_NS);
    CHECK_INT(hist_percentile(&c, 40), 0);
    CHECK_INT(hist_min(&c), 0);
}

static void test_merge_and_diff(void)
{
    struct hist *part[3];
    struct hist_counts parts, before, now;
    struct rng r;

    rng_seed_pair(&r, 7, 7);
    fresh(HIST_BUCKETS);
    hist_counts_init(&parts, HIST_BUCKETS);
    hist_counts_init(&before, HIST_BUCKETS);
    hist_counts_init(&now, HIST_BUCKETS);
    for (int i = 0; i < 3; i++)
        part[i] = mem_alloc(sizeof *part[i]);
    for (int i = 0; i < 30000; i++) {
        int64_t ns = i % 999 ? draw(i % 50 ? LOGNORMAL : HEAVY_TAIL, &r) : HIST_MAX_NS + i;
        hist_record(part[i % 3], ns);
        hist_record(h, ns);
        if (i == 9999)
            hist_counts_add(&before, h);
    }
    hist_counts_add(&c, h);
    for (int i = 0; i < 3; i++) {
        hist_counts_clear(&now);
        hist_counts_add(&now, part[i]);
        hist_counts_merge(&parts, &now);
        free(part[i]);
    }
    CHECK_INT(parts.total, 30000);
    CHECK_INT(parts.total, c.total);
    CHECK_INT(c.clamped, 30); /* i = 0 is exactly HIST_MAX_NS */
    CHECK_INT(parts.clamped, c.clamped);
    CHECK(memcmp(parts.count, c.count, HIST_BUCKETS * sizeof *c.count) == 0);

    hist_counts_diff(&now, &c, &before);
    CHECK_INT(now.total, 20000);
    CHECK_INT(now.clamped, 20);
    hist_counts_merge(&now, &before);
    CHECK_INT(now.total, 30000);
    CHECK(memcmp(now.count, c.count, HIST_BUCKETS * sizeof *c.count) == 0);
    hist_counts_copy(&now, &c);
    hist_counts_diff(&now, &now, &c);
    CHECK_INT(now.total, 0);
    CHECK_INT(hist_max(&now), -1);

    hist_counts_fini(&parts);
    hist_counts_fini(&before);
    hist_counts_fini(&now);
}

enum { THREADS = 4, PER_THREAD = 100000 };

struct shared {
    struct hist *hist;
    struct hist_stock *stock;
    struct hist *own[THREADS];
    atomic_int running;
};

struct shared_arg {
    struct shared *s;
    int id;
};

static void *record_many(void *arg)
{
    struct shared_arg *a = arg;
    struct rng r;

    rng_seed_pair(&r, 99, (uint64_t)a->id);
    for (int i = 0; i < PER_THREAD; i++) {
        int64_t ns = draw(i % 1000 ? EXPONENTIAL : CONSTANT, &r);
        hist_record_shared(a->s->hist, ns);
        hist_stock_record_shared(a->s->stock, ns);
        hist_record(a->s->own[a->id], ns);
    }
    atomic_fetch_sub(&a->s->running, 1);
    return NULL;
}

/* A reader beside the writers: each reading contains the one before it. */
static void watch(struct shared *s)
{
    struct hist_counts a, b;
    int bad = 0;

    hist_counts_init(&a, HIST_BUCKETS);
    hist_counts_init(&b, HIST_BUCKETS);
    do {
        hist_counts_copy(&a, &b);
        hist_counts_clear(&b);
        for (int i = 0; i < THREADS; i++)
            hist_counts_add(&b, s->own[i]);
        for (size_t i = 0; i < HIST_BUCKETS; i++)
            bad += b.count[i] < a.count[i];
    } while (atomic_load(&s->running));
    CHECK_INT(bad, 0);
    hist_counts_fini(&a);
    hist_counts_fini(&b);
}

static void test_threads(void)
{
    struct shared s = {mem_alloc(sizeof *s.hist), mem_alloc(sizeof *s.stock), {NULL}, THREADS};
    struct shared_arg args[THREADS];
    struct hist_counts shared, own, stock;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        s.own[i] = mem_alloc(sizeof *s.own[i]);
        args[i] = (struct shared_arg){&s, i};
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, record_many, &args[i]), 0);
    watch(&s);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    hist_counts_init(&shared, HIST_BUCKETS);
    hist_counts_init(&own, HIST_BUCKETS);
    hist_counts_init(&stock, HIST_STOCK_SIZE);
    hist_counts_add(&shared, s.hist);
    hist_counts_add_stock(&stock, s.stock);
    for (int i = 0; i < THREADS; i++) {
        hist_counts_add(&own, s.own[i]);
        free(s.own[i]);
    }
    CHECK_INT(shared.total, THREADS * PER_THREAD);
    CHECK_INT(stock.total, THREADS * PER_THREAD);
    CHECK(memcmp(shared.count, own.count, HIST_BUCKETS * sizeof *own.count) == 0);
    hist_counts_fini(&shared);
    hist_counts_fini(&own);
    hist_counts_fini(&stock);
    CHECK(own.total == 0 && own.size == 0 && !own.count);
    free(s.hist);
    free(s.stock);
}

TEST_MAIN(hist_test)
{
    hist_stock_setup();
    hist_stock_setup();
    test_layout();
    test_stock_grid();
    test_stock_familiar_values();
    test_stock_percentile();
    test_percentiles();
    test_ranks();
    test_empty();
    test_each_group();
    test_clamping();
    test_merge_and_diff();
    test_threads();
    fresh(HIST_BUCKETS);
    free(h);
    hist_counts_fini(&c);
    return test_done("hist_test");
}

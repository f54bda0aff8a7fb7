/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Schedules against their definitions.  Even: exact, checked by multiplying back in integers, and
 * the inverse at each boundary.  Poisson: a distribution from a seed (moments, Kolmogorov-Smirnov,
 * dispersion of counts), no drift after hours.  Jitter: uniform, repeatable, without influence on
 * the rate.  Aligned: the start times that were measured with the patch that it imitates.
 */
#include "pace/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

typedef unsigned __int128 u128;

static const double rates[] = {0.1,     0.3,    1,    2.5,           3,  7, 1200,
                               99999.9, 100000, 1e-3, 333333.333333, 1e9};
static const uint64_t indexes[] = {0,    1,    2,     3,      9,        10,
                                   1199, 1200, 86400, 999999, 1u << 31, 99999999999};

static dur_ns even(double rate, uint64_t k)
{
    struct rates *r = rates_constant(rate);
    dur_ns at = rates_start(r, k);

    rates_free(r);
    return at;
}

static uint64_t due_even(double rate, dur_ns t)
{
    struct rates *r = rates_constant(rate);
    uint64_t n = rates_due(r, t);

    rates_free(r);
    return n;
}

/* ns - 1 < k*1e9/R <= ns, with R in millionths, by multiplication only. */
static int is_first_ns_after(double rate, uint64_t k, dur_ns ns)
{
    u128 want = (u128)k * 1000000000000000u, m = rates_micro(rate);

    return want <= (u128)ns * m && (ns == 0 || want > (u128)(ns - 1) * m);
}

static void test_even_exact(void)
{
    uint64_t x = 1;
    long tested = 0, bad = 0;

    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        for (int i = 0; i < 20000; i++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t k = x >> (11 + (x >> 7) % 50); /* below 2^53, all magnitudes */
            if ((double)k / rates[r] > 4.6e9)
                continue; /* beyond 146 years */
            bad += !is_first_ns_after(rates[r], k, even(rates[r], k));
            tested++;
        }
    }
    CHECK_INT(bad, 0);
    CHECK(tested > 150000);
    CHECK(is_first_ns_after(333333.333333, UINT64_C(1) << 50,
                            even(333333.333333, UINT64_C(1) << 50)));
    CHECK(is_first_ns_after(1e9, UINT64_C(1) << 53, even(1e9, UINT64_C(1) << 53)));
    CHECK_INT(even(1e9, UINT64_C(1) << 53), INT64_C(1) << 53);
    CHECK_INT(even(1200, 1), 833334);
    CHECK_INT(even(1200, 3), 2500000);
    CHECK_INT(even(1200, 1200 * UINT64_C(86400) * 365), INT64_C(31536000000000000));
    CHECK_INT(even(0.1, 1), INT64_C(10000000000));
    CHECK_INT(even(0.1, 86400), INT64_C(864000000000000));
    CHECK_INT(even(2.5, 5), INT64_C(2000000000));
    CHECK_INT(even(99999.9, 999999), INT64_C(10000000000)); /* the double is below 99999.9 */
}

static void test_even_extremes(void)
{
    CHECK_INT(even(0.1, UINT64_C(1) << 53), ARRIVALS_FAR);
    CHECK_INT(even(1, UINT64_MAX), ARRIVALS_FAR);
    CHECK_INT(even(1e-6, 0), 0);
    CHECK_INT(even(1e-6, 1), INT64_C(1000000000000000));
    CHECK_INT(even(1e-6, 10000), ARRIVALS_FAR);
    CHECK_INT(due_even(1e-6, 0), 1);
    CHECK(due_even(1e9, 1) == 2);
    CHECK_INT(due_even(1e9, 0), 1);
    CHECK_INT(due_even(1e9, -1), 0);
}

static void test_due_even(void)
{
    uint64_t x = 3;
    long bad = 0;

    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        CHECK_INT(due_even(rates[r], -1), 0);
        CHECK_INT(due_even(rates[r], INT64_MIN), 0);
        CHECK(due_even(rates[r], 0) == 1);
        for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
            dur_ns at = even(rates[r], indexes[i]);
            if (at == ARRIVALS_FAR)
                continue;
            CHECK_INT(due_even(rates[r], at), indexes[i] + 1);
            CHECK_INT(due_even(rates[r], at - 1), indexes[i]);
        }
        for (int i = 0; i < 20000;
             i++) { /* at any instant, those counted are due and the next one is not */
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            dur_ns t = (dur_ns)(x >> (3 + (x >> 5) % 60));
            uint64_t n = due_even(rates[r], t);
            bad += n == 0 || n == UINT64_MAX;
            bad += t < ARRIVALS_FAR && (even(rates[r], n - 1) > t || even(rates[r], n) <= t);
        }
    }
    CHECK_INT(bad, 0);
    CHECK_INT(due_even(1200, NS_PER_SEC), 1201);
    CHECK_INT(due_even(1200, NS_PER_SEC - 1), 1200);
    CHECK_INT(due_even(0.1, 9999999999), 1);
    CHECK_INT(due_even(0.1, 10000000000), 2);
}

static void test_even_cursor(void)
{
    struct rates *rate = rates_constant(99999.9);
    struct arrivals_spec spec = {ARRIVAL_EVEN, 99999.9, 0, 0, 5, rate};
    struct arrivals a;
    int bad = 0;

    arrivals_init(&a, &spec);
    CHECK_INT(a.next, 0);
    for (uint64_t k = 0; k < 100000; k++) {
        dur_ns peek = a.next;
        bad += a.k != k || peek != rates_start(rate, k) || arrivals_next(&a) != peek;
    }
    CHECK_INT(bad, 0);
    rates_free(rate);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov distance of sorted values from uniform [0,1), times sqrt(n); 1.95 is the 0.1 %
 * point. */
static double ks_uniform(double *v, int n)
{
    double d = 0;

    qsort(v, (size_t)n, sizeof *v, compare_double);
    for (int i = 0; i < n; i++) { /* not by fmax: GCC 12 for arm64 breaks off on that at -O2 */
        double above = (i + 1.0) / n - v[i], below = v[i] - (double)i / n;
        if (above > d)
            d = above;
        if (below > d)
            d = below;
    }
    return d * sqrt(n);
}

static void test_poisson_gaps(double rate, uint64_t seed)
{
    enum { N = 100000 };
    struct arrivals_spec spec = {ARRIVAL_POISSON, rate, 0, 0, seed, NULL};
    double *u = mem_array(N, sizeof *u), sum = 0, squares = 0, product = 0, before = 0;
    struct arrivals a;
    dur_ns last = 0;
    int backwards = 0;

    arrivals_init(&a, &spec);
    for (int i = 0; i < N; i++) {
        dur_ns at = arrivals_next(&a);
        double gap = (double)(at - last) / 1e9 * rate; /* mean 1, variance 1 */
        backwards += at < last;
        sum += gap;
        squares += gap * gap;
        product += (gap - 1) * (before - 1);
        u[i] = -expm1(-gap);
        before = gap;
        last = at;
    }
    CHECK_INT(backwards, 0);
    CHECK_NEAR(sum / N, 1, 4 / sqrt(N));
    CHECK_NEAR(squares / N - sum / N * sum / N, 1, 4 * sqrt(8.0 / N));
    CHECK_NEAR(product / N, 0, 4 / sqrt(N)); /* neighbours are independent */
    CHECK(ks_uniform(u, N) < 1.95);
    free(u);
}

/* Counts in seconds: variance equals mean, where even arrivals would give 0. */
static void test_poisson_counts(void)
{
    enum { SECONDS = 2000 };
    struct arrivals_spec spec = {ARRIVAL_POISSON, 100, 0, 0, 11, NULL};
    double sum = 0, squares = 0, mean;
    struct arrivals a;

    arrivals_init(&a, &spec);
    for (int s = 0; s < SECONDS; s++) {
        double n = 0;
        while (a.next < (s + 1) * NS_PER_SEC) {
            arrivals_next(&a);
            n++;
        }
        sum += n;
        squares += n * n;
    }
    mean = sum / SECONDS;
    CHECK_NEAR(mean, 100, 4 * sqrt(100.0 / SECONDS));
    CHECK_NEAR((squares / SECONDS - mean * mean) / mean, 1, 4 * sqrt(2.0 / SECONDS));
}

/* The first gap is counted from 0: at one arrival a nanosecond it is often shorter than one. */
static void test_poisson_begins_at_0(void)
{
    struct arrivals_spec spec = {ARRIVAL_POISSON, 1e9, 0, 0, 0, NULL};
    struct arrivals a;
    int at_0 = 0;

    for (spec.seed = 0; spec.seed < 1000; spec.seed++) {
        arrivals_init(&a, &spec);
        at_0 += a.next == 0;
    }
    CHECK_NEAR(at_0 / 1000.0, 1 - exp(-1), 4 * sqrt(0.25 / 1000));
}

static void test_poisson_repeatable(void)
{
    struct arrivals_spec spec = {ARRIVAL_POISSON, 1200, 0, 0, 3, NULL}, other = spec;
    struct arrivals head, trail, copy, stranger;
    int differ = 0, same = 0;

    other.seed = 4;
    arrivals_init(&head, &spec);
    arrivals_init(&trail, &spec);
    arrivals_init(&stranger, &other);
    for (int i = 0; i < 1000; i++) {
        dur_ns at = arrivals_next(&head);
        if (i == 500)
            copy = head;
        differ += trail.next != at || arrivals_next(&trail) != at;
        same += arrivals_next(&stranger) == at;
    }
    for (int i = 501; i < 1000; i++)
        arrivals_next(&copy);
    CHECK_INT(differ, 0);
    CHECK_INT(same, 0);
    CHECK_INT(copy.next, head.next);
    CHECK_INT(copy.k, 1000);
}

/* A million gaps added in long double; and the same gaps after ten hours as after none. */
static void test_poisson_precision(void)
{
    enum { N = 1000000 };
    const dur_ns ten_hours = 36000 * NS_PER_SEC;
    struct arrivals_spec spec = {ARRIVAL_POISSON, 100000, 0, 0, 8, NULL};
    struct arrivals a, late;
    long double sum = 0;
    long bad = 0, drift = 0;
    struct rng r;

    arrivals_init(&a, &spec);
    arrivals_init(&late, &spec);
    late.next += ten_hours;
    r = a.gaps;
    sum = (long double)a.next + (long double)a.fraction;
    for (int i = 0; i < N; i++) {
        dur_ns at = arrivals_next(&a);
        bad += fabsl((long double)at - sum) > 1.0001L;
        drift += arrivals_next(&late) != at + ten_hours;
        sum -= log1pl(-(long double)rng_double(&r)) / 100000 * 1e9L;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(drift, 0);
}

static void test_poisson_extremes(void)
{
    struct arrivals_spec spec = {ARRIVAL_POISSON, 1e-300, 0, 0, 1, NULL};
    struct arrivals a;

    arrivals_init(&a, &spec);
    for (int i = 0; i < 10; i++)
        CHECK_INT(arrivals_next(&a), ARRIVALS_FAR);
    CHECK_INT(a.k, 10);
    spec.rate = 1e-9; /* once in 32 years: a few fit, then the end of time */
    arrivals_init(&a, &spec);
    for (int i = 0; i < 100; i++)
        CHECK(arrivals_next(&a) > 0);
    CHECK_INT(a.next, ARRIVALS_FAR);
}

/* One seed is one schedule, in every version of the program. */
static void test_seeds(void)
{
    static const dur_ns gaps[] = {191546, 3030903, 3128461, 3368382},
                        jitters[] = {213795, -460503, 275681, -74435};
    struct arrivals_spec poisson = {ARRIVAL_POISSON, 1000, 0, 0, 7, NULL},
                         even_ = {ARRIVAL_EVEN, 1000, NS_PER_MS, 0, 7, NULL};
    struct arrivals a;

    arrivals_init(&a, &poisson);
    for (size_t i = 0; i < 4; i++) {
        CHECK_INT(arrivals_next(&a), gaps[i]);
        CHECK_INT(arrivals_jitter(&even_, i), jitters[i]);
    }
    /* where it is in arrivals: the sum of the gaps at a rate of 1 */
    CHECK_NEAR((double)arrivals_pos(&a) / (double)RATE_ONE, (double)a.next / 1e6, 1e-5);
}

/* 100 per second from 0 on; from 1.005 s on 50; from 3.005 s on none; from 5 s on 1000: in each
 * case the earlier ones stay. */
static void test_changes(void)
{
    struct rate_change
        slow = {.at = 1005 * NS_PER_MS, .base = 201 * RATE_ONE / 2, .micro = 50000000, .due = 101},
        none = {.before = &slow, .at = 3005 * NS_PER_MS, .base = 401 * RATE_ONE / 2, .due = 201},
        fast = {.before = &none,
                .at = 5 * NS_PER_SEC,
                .base = 401 * RATE_ONE / 2,
                .micro = 1000000000,
                .due = 201};
    static const struct {
        uint64_t k;
        dur_ns first, slow, none, fast; /* us */
    } t[] = {
        {0, 0, 0, 0, 0},
        {99, 990000, 990000, 990000, 990000},
        {100, 1000000, 1000000, 1000000, 1000000},
        {101, 1010000, 1015000, 1015000, 1015000},
        {200, 2000000, 2995000, 2995000, 2995000},
        {201, 2010000, 3015000, -1, 5000500},
        {202, 2020000, 3035000, -1, 5001500},
        {1000, 10000000, 18995000, -1, 5799500},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        dur_ns first = t[i].first * 1000;
        rate_pos pos = (rate_pos)t[i].k * RATE_ONE;
        CHECK_INT(rate_change_start(NULL, first, pos), first);
        CHECK_INT(rate_change_start(&slow, first, pos), t[i].slow * 1000);
        CHECK_INT(rate_change_start(&none, first, pos),
                  t[i].none < 0 ? RATES_FAR : t[i].none * 1000);
        CHECK_INT(rate_change_start(&fast, first, pos), t[i].fast * 1000);
        if (t[i].slow > 1005000) { /* one more is due from its instant on */
            CHECK_INT(rate_change_due(&slow, t[i].slow * 1000), t[i].k + 1);
            CHECK_INT(rate_change_due(&slow, t[i].slow * 1000 - 1), t[i].k);
        }
    }
    /* the first ns at which the integral is there */
    CHECK_INT(rate_change_start(&slow, 2 * NS_PER_SEC, slow.base), slow.at);
    CHECK_INT(rate_change_start(&slow, 2 * NS_PER_SEC, slow.base + 1), slow.at + 1);
    CHECK_INT(rate_change_start(&slow, 2 * NS_PER_SEC, slow.base + 100000000), slow.at + 1);
    CHECK_INT(rate_change_start(&slow, 2 * NS_PER_SEC, slow.base + 100000001), slow.at + 2);
    CHECK_INT(rate_change_start(&slow, 2 * NS_PER_SEC, ~(rate_pos)0 >> 1), RATES_FAR);
    CHECK(rate_change_pos(&slow, slow.at) == slow.base);
    CHECK(rate_change_pos(&slow, slow.at + 1) == slow.base + 100000000);
    CHECK(rate_change_pos(&none, MONO_NEVER) == none.base);
    CHECK(rate_change_pos(&slow, MONO_NEVER) == rate_change_pos(&slow, RATES_FAR));
    CHECK(rate_change_pos(&slow, RATES_FAR - 1) < rate_change_pos(&slow, RATES_FAR));
    CHECK_INT(rate_change_due(&slow, slow.at), 101);
    CHECK_INT(rate_change_due(&none, NS_PER_SEC * 100), 201);
    CHECK_INT(rate_change_due(&fast, fast.at), 201);
    CHECK_INT(rate_change_due(&fast, fast.at + 500000), 202);
    /* a start that is due at the very instant of a change is of what follows */
    struct rate_change whole = {
        .at = NS_PER_SEC, .base = 100 * RATE_ONE, .micro = 10000000, .due = 100};
    CHECK_INT(rate_change_start(&whole, NS_PER_SEC, 100 * RATE_ONE), NS_PER_SEC);
    CHECK_INT(rate_change_start(&whole, NS_PER_SEC + 1, 100 * RATE_ONE), NS_PER_SEC);
    CHECK_INT(rate_change_start(&whole, NS_PER_SEC - 1, 100 * RATE_ONE), NS_PER_SEC - 1);
    CHECK_INT(rate_change_start(&whole, 1010 * NS_PER_MS, 101 * RATE_ONE), 1100 * NS_PER_MS);
    CHECK_INT(rate_change_due(&whole, NS_PER_SEC), 101);
}

static void test_jitter_window(void)
{
    static const dur_ns windows[] = {1, 2, 3, 1000, 999999, INT64_C(3600000000000)};

    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        struct arrivals_spec spec = {ARRIVAL_EVEN, 1000, windows[w], 0, 77, NULL};
        dur_ns low = INT64_MAX, high = INT64_MIN;
        CHECK_INT(arrivals_jitter_window(&spec), windows[w]);
        for (uint64_t k = 0; k < 20000; k++) {
            dur_ns j = arrivals_jitter(&spec, k);
            low = j < low ? j : low;
            high = j > high ? j : high;
        }
        CHECK(2 * low >= -windows[w] && 2 * high < windows[w]);
        CHECK((double)(high - low) >= (double)(windows[w] - 1) * 0.999);
    }
}

static void test_jitter_uniform(void)
{
    enum { N = 100000 };
    struct arrivals_spec spec = {ARRIVAL_EVEN, 1000, 1000000, 0, 77, NULL}, other = spec;
    double *u = mem_array(N, sizeof *u), sum = 0, product = 0, across = 0, before = 0.5;

    other.seed = 78;
    for (int i = 0; i < N; i++) {
        double o = (double)(arrivals_jitter(&other, (uint64_t)i) + 500000) / 1e6;
        u[i] = (double)(arrivals_jitter(&spec, (uint64_t)i) + 500000) / 1e6;
        sum += u[i];
        product += (u[i] - 0.5) * (before - 0.5);
        across += (u[i] - 0.5) * (o - 0.5);
        before = u[i];
    }
    CHECK_NEAR(sum / N, 0.5, 4 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(product / N, 0, 4.0 / 12 / sqrt(N));
    CHECK_NEAR(across / N, 0, 4.0 / 12 / sqrt(N));
    CHECK(ks_uniform(u, N) < 1.95);
    free(u);
}

/* A cursor yields schedule plus jitter, from the first instant on, at the same rate. */
static void test_jitter_in_schedule(void)
{
    enum { N = 50000 };
    struct arrivals_spec spec = {ARRIVAL_EVEN, 1000, 5000000, 0, 21, NULL}, poisson = spec;
    struct rates *rate = rates_constant(1000);
    struct arrivals a, plain;
    double shift = 0;
    int bad = 0, mirrored = 0;

    spec.rates = rate;
    arrivals_init(&a, &spec);
    for (uint64_t k = 0; k < N; k++) {
        dur_ns base = even(1000, k), want = base + arrivals_jitter(&spec, k);
        dur_ns got = arrivals_next(&a);
        mirrored += want < 0;
        bad += got != (want < 0 ? -want : want);
        shift += (double)(got - base);
    }
    CHECK_INT(bad, 0);
    CHECK(mirrored > 0); /* the window reaches over the start line for the first arrivals */
    CHECK_NEAR(shift / N, 0,
               4 * 5e6 / sqrt(12.0 * N)); /* not later, not earlier: the rate is kept */

    poisson.shape = ARRIVAL_POISSON;
    arrivals_init(&a, &poisson);
    poisson.jitter = 0;
    arrivals_init(&plain, &poisson);
    bad = 0;
    for (uint64_t k = 0; k < N; k++) {
        dur_ns want = arrivals_next(&plain) + arrivals_jitter(&spec, k);
        bad += arrivals_next(&a) != (want < 0 ? -want : want);
    }
    CHECK_INT(bad, 0); /* jitter does not disturb the gaps */
    rates_free(rate);
}

/* 4 threads at 20/s: P = 200 ms; in ms 0 50 100 150, then four each at 400, 600, 800. */
static void test_aligned(void)
{
    struct arrivals_spec spec = {ARRIVAL_ALIGNED, 20, 1, 4, 9, NULL};
    struct arrivals a, b;
    int bad = 0, moved = 0;

    arrivals_init(&a, &spec);
    for (uint64_t k = 0; k < 400; k++) {
        dur_ns want = k < 4 ? (dur_ns)k * 50 * NS_PER_MS : (dur_ns)(k / 4 + 1) * 200 * NS_PER_MS;
        bad += a.next != want || arrivals_next(&a) != want; /* a 1 ns window moves nothing */
    }
    CHECK_INT(bad, 0);

    spec.jitter = 0; /* the default: a tenth of P, 20 ms */
    CHECK_INT(arrivals_jitter_window(&spec), 20 * NS_PER_MS);
    arrivals_init(&a, &spec);
    arrivals_init(&b, &spec);
    for (uint64_t k = 0; k < 400; k++) {
        dur_ns base = a.next, at = arrivals_next(&a);
        bad += at < base - 10 * NS_PER_MS || at >= base + 10 * NS_PER_MS || (k < 4 && at != base);
        bad += at != base + arrivals_jitter(&spec, k) || arrivals_next(&b) != at;
        moved += at < base - 5 * NS_PER_MS || at > base + 5 * NS_PER_MS;
    }
    CHECK_INT(bad, 0);
    CHECK_NEAR(moved, 198, 40); /* half of the 396 */

    /* one thread, and a period that is not a whole number of ns: rounded once, as the patch did */
    spec = (struct arrivals_spec){ARRIVAL_ALIGNED, 3, 1, 1, 9, NULL};
    arrivals_init(&a, &spec);
    CHECK_INT(arrivals_next(&a), 0);
    CHECK_INT(arrivals_next(&a), 2 * INT64_C(333333333));
    CHECK_INT(arrivals_next(&a), 3 * INT64_C(333333333));
    CHECK(arrivals_pos(&a) == 3 * RATE_ONE);
    spec = (struct arrivals_spec){ARRIVAL_ALIGNED, 1e9, 1, 1, 9, NULL};
    CHECK_INT(arrivals_aligned(&spec, 2), 3); /* periods of a ns, and never shorter */
    spec.rate = 1e10;
    CHECK_INT(arrivals_aligned(&spec, 2), 3);
    spec = (struct arrivals_spec){ARRIVAL_ALIGNED, 1e-12, 0, 1000000, 9, NULL};
    arrivals_init(&a, &spec);
    CHECK_INT(arrivals_next(&a), 0);
    CHECK_INT(a.next, INT64_C(4611686018427)); /* the period, cut at 146 years, / n */
    a.k = 2000000;
    arrivals_next(&a);
    CHECK_INT(a.next, ARRIVALS_FAR);
}

TEST_MAIN(arrivals_test)
{
    test_even_exact();
    test_even_extremes();
    test_due_even();
    test_even_cursor();
    test_poisson_gaps(1200, 1);
    test_poisson_gaps(0.1, 2);
    test_poisson_gaps(100000, 3);
    test_poisson_counts();
    test_poisson_begins_at_0();
    test_poisson_repeatable();
    test_poisson_precision();
    test_poisson_extremes();
    test_seeds();
    test_changes();
    test_jitter_window();
    test_jitter_uniform();
    test_jitter_in_schedule();
    test_aligned();
    return test_done("arrivals_test");
}

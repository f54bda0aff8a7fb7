/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Drop-in means the same numbers: the values of the golden file that are called stock's, and those
 * below, were printed by sysbench 1.0.20 from scripts of our own, run at top level, where its
 * stream is the same in every process: they never change.  They cover each distribution with
 * default options, odd ranges, and (as a running hash over 120,000 draws from ranges of all sizes)
 * five sets of options.  What stock does not have (64-bit ranges, zipfian, varstring) is tested as
 * a distribution.
 */
#include "base/dist.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct str out;

typedef uint64_t draw_fn(const struct dist_params *, struct rng *, uint64_t, uint64_t);

static const struct dist_spec defaults = DIST_SPEC_DEFAULT;

/* The stream of stock's main thread. */
static struct rng main_stream(void)
{
    struct rng_seeder s;
    struct rng r;

    rng_seeder_init(&s, 1);
    rng_seed(&r, &s);
    return r;
}

static struct dist_params setup(const struct dist_spec *spec)
{
    struct dist_params p = {0};
    struct err e = {0};

    CHECK_INT(dist_setup(&p, spec, &e), 0);
    return p;
}

/* 24 draws from 1..1000000, each distribution in a process of its own. */
static void test_stock_sequences(void)
{
    static draw_fn *const draw[] = {dist_uniform, dist_gaussian, dist_special, dist_pareto};
    struct dist_params p = setup(&defaults);

    for (size_t g = 0; g < COUNT(draw); g++) {
        struct rng r = main_stream();
        for (int i = 0; i < 24; i++)
            str_printf(&out, "%llu\n", (unsigned long long)draw[g](&p, &r, 1, 1000000));
        golden(&out, "stock's sequence %zu", g);
    }
}

/* Ranges at the edge of 32 bits and inverted ones, one after the other from one stream. */
static void test_stock_odd_ranges(void)
{
    static draw_fn *const u = dist_uniform, *const g = dist_gaussian, *const s = dist_special,
                          *const x = dist_pareto;
    const struct {
        draw_fn *draw;
        double a, b;
    } range[] = {{g, 5, 4},          {u, 5, 4},          {s, 5, 4},          {x, 5, 4},
                 {u, 5, 1},          {g, 5, 1},          {s, 5, 1},          {x, 5, 1},
                 {u, 1, 4294967295}, {g, 1, 4294967295}, {s, 0, 4294967295}, {x, 1, 4294967295},
                 {s, 1, 2},          {u, 0, 4294967294}, {u, -3, -1}};
    struct dist_params p = setup(&defaults);
    struct rng r = main_stream();

    for (size_t k = 0; k < COUNT(range); k++) {
        uint64_t a = dist_argument(range[k].a), b = dist_argument(range[k].b);
        str_printf(&out, "%.0f to %.0f:", range[k].a, range[k].b);
        for (int i = 0; i < 4; i++)
            str_printf(&out, " %llu", (unsigned long long)range[k].draw(&p, &r, a, b));
        str_adds(&out, "\n");
    }
    golden(&out, "stock's odd ranges");
}

/* 6,000 ranges of 20 draws; hash' = (hash * 31 + value) mod 4294967291, as the script
 * computed it. */
static uint64_t hash_draws(const struct dist_params *p)
{
    static draw_fn *const draws[] = {dist_uniform, dist_gaussian, dist_special, dist_pareto};
    struct rng r = main_stream();
    uint64_t x = 7, hash = 0;

    for (int i = 1; i <= 6000; i++) {
        uint64_t a, b;
        a = (x = x * 16807 % 2147483647) % 4000000000;
        b = (x = x * 16807 % 2147483647) % 4000000000;
        if (i % 3 == 0) {
            a = (x = x * 16807 % 2147483647) % 100;
            b = a + (x = x * 16807 % 2147483647) % 100000;
        }
        for (int j = 0; j < 20; j++)
            hash = (hash * 31 + draws[i % 4](p, &r, a, b)) % 4294967291;
    }
    return hash;
}

static void test_stock_options(void)
{
    static const struct dist_spec spec[] = {{"special", 12, 1, 75, 0.2, 0.8},
                                            {"special", 5, 13, 30, 0.37, 0.8},
                                            {"special", 7, 100, 99, 0.9, 0.8},
                                            {"special", 1, 0, 100, 0.5, 0.8},
                                            {"special", 100, 50, 0, 0.01, 0.8}};

    for (size_t g = 0; g < COUNT(spec); g++) {
        struct dist_params p = setup(&spec[g]);
        str_printf(&out, "%llu\n", (unsigned long long)hash_draws(&p));
    }
    golden(&out, "hashes of stock's draws by five sets of options");
}

static struct rng template_stream;

static void add_string(const char *fmt)
{
    char text[256];
    size_t len = strlen(fmt);

    memset(text, '!', sizeof text);
    dist_string(&template_stream, fmt, len, text);
    CHECK_INT(text[len], '!');
    text[len] = '\0';
    str_printf(&out, "%s\n", text);
}

static void test_stock_strings(void)
{
    struct dist_params p = setup(&defaults);
    struct rng *r = &template_stream;

    *r = main_stream();
    golden_each("###-@@@-x#|###########-###########|no template|@@@@@@@@@@|#|", add_string);
    CHECK(rng_next(r) == UINT64_C(18242659245596823026));
    CHECK_NEAR(rng_double(r), 0.91451550888686328, 0);
    CHECK_INT(dist_default(&p, r, 1, 10000), 5433);
    *r = main_stream();
    golden_each("###########-###########-###########-###########-###########-"
                "###########-###########-###########-###########-###########|"
                "###########-###########-###########-###########-###########",
                add_string);
    golden(&out, "stock's strings; the last two of each single-threaded prepare's first row");
}

/* n draws in 100 equal cells of a..b; every value inside, every cell near its share. */
static void check_flat(const struct dist_params *p, uint64_t a, uint64_t b)
{
    enum { N = 100000, CELLS = 100 };
    int cell[CELLS] = {0}, outside = 0;
    uint64_t low_bits = 0;
    struct rng r;
    double chi2 = 0;

    rng_seed_pair(&r, 5, a ^ b);
    for (int i = 0; i < N; i++) {
        uint64_t v = dist_uniform(p, &r, a, b);
        outside += v < a || v > b;
        cell[(unsigned)((unsigned __int128)(v - a) * CELLS / ((unsigned __int128)(b - a) + 1)) %
             CELLS]++;
        low_bits += v & 1;
    }
    for (int c = 0; c < CELLS; c++)
        chi2 += (cell[c] - N / CELLS) * (double)(cell[c] - N / CELLS) / (N / CELLS);
    CHECK_INT(outside, 0);
    CHECK_NEAR(chi2, CELLS - 1, 4 * sqrt(2.0 * CELLS));
    CHECK_NEAR((double)low_bits / N, 0.5, 0.01);
}

static void test_64_bits(void)
{
    const uint64_t big = UINT64_C(1) << 40, all = UINT64_MAX;
    static draw_fn *const draws[] = {dist_uniform, dist_gaussian, dist_special, dist_pareto,
                                     dist_zipfian};
    struct dist_spec sharp = {"special", 12, 100, 75, 0.99, 0.0};
    struct dist_params p = setup(&defaults), extreme = setup(&sharp);
    struct rng r, twin;
    double sum = 0;

    check_flat(&p, 0, UINT32_MAX); /* stock: always 0 */
    check_flat(&p, 0, UINT64_C(1) << 32);
    check_flat(&p, 1, UINT64_C(5000000000));
    check_flat(&p, UINT64_C(4294967297), UINT64_C(4294967396)); /* stock: 1..100 */
    check_flat(&p, big, big * 3 + 17);
    check_flat(&p, 0, all);
    check_flat(&p, all - 99, all);

    rng_seed_pair(&r, 1, 2);
    for (size_t d = 0; d < sizeof draws / sizeof *draws; d++) {
        int outside = 0;
        for (int i = 0; i < 20000; i++) {
            uint64_t v = draws[d](i % 2 ? &p : &extreme, &r, big, 2 * big);
            outside += v < big || v > 2 * big;
            v = draws[d](i % 2 ? &p : &extreme, &r, all - 1, all);
            outside += v < all - 1;
            draws[d](i % 2 ? &p : &extreme, &r, 0, all);
        }
        CHECK_INT(outside, 0);
    }
    for (int i = 0; i < 20000; i++)
        sum += (double)dist_gaussian(&p, &r, 0, big);
    CHECK_NEAR(sum / 20000 / (double)big, 0.5, 4.0 / 12 / sqrt(20000));

    /* one draw of the stream per value, on both sides of 2^32 */
    rng_seed_pair(&r, 3, 4);
    twin = r;
    dist_uniform(&p, &r, 1, 10);
    dist_uniform(&p, &r, 1, big);
    rng_next(&twin);
    rng_next(&twin);
    CHECK(rng_next(&r) == rng_next(&twin));
}

/* The largest u there is, at which rounding would step over b. */
static void test_upper_end(void)
{
    struct dist_spec sharp = {"pareto", 1, 100, 75, 0.99, 0.8};
    struct dist_params p = setup(&sharp);
    static draw_fn *const draws[] = {dist_uniform, dist_gaussian, dist_special, dist_pareto};
    static const uint64_t ends[] = {
        0, 1, 1000, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 53, UINT64_MAX};

    for (size_t d = 0; d < sizeof draws / sizeof *draws; d++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            struct rng r = {{UINT64_MAX, 0}}; /* the first value is all ones */
            uint64_t v = draws[d](&p, &r, 0, ends[i]);
            CHECK(v <= ends[i]);
            CHECK((double)v >= 0.99 * (double)ends[i]);
        }
    }
}

/* The observed frequency of each k against 1/k^theta, as chi^2 over cells of at least 20. */
static void check_zipfian(double theta, int n)
{
    enum { N = 200000 };
    struct dist_spec spec = {"zipfian", 12, 1, 75, 0.2, theta};
    struct dist_params p = setup(&spec);
    int *seen = mem_array((size_t)n + 1, sizeof *seen), cells = 0, outside = 0;
    double norm = 0, chi2 = 0, expect = 0, got = 0;
    struct rng r;

    rng_seed_pair(&r, 17, (uint64_t)n);
    for (int i = 0; i < N; i++) {
        uint64_t v = dist_default(&p, &r, 1001, 1000 + (uint64_t)n);
        if (v < 1001 || v > 1000 + (uint64_t)n)
            outside++;
        else
            seen[v - 1000]++;
    }
    CHECK_INT(outside, 0);
    for (int k = 1; k <= n; k++)
        norm += pow(k, -theta);
    for (int k = 1; k <= n; k++) {
        expect += N * pow(k, -theta) / norm;
        got += seen[k];
        if (expect >= 20) {
            chi2 += (got - expect) * (got - expect) / expect;
            cells++;
            expect = got = 0;
        }
    }
    TEST_REPORT(fabs(chi2 - cells) <= 4 * sqrt(2.0 * cells) + 4,
                "zipfian %g of %d: chi2 %g in %d cells", theta, n, chi2, cells);
    free(seen);
}

static void test_zipfian(void)
{
    static const double thetas[] = {0, 0.1, 0.5, 0.8, 0.99, 1, 1.0000001, 1.5, 3};
    struct dist_spec steep = {"zipfian", 12, 1, 75, 0.2, 1000};
    struct dist_params p;
    struct rng r = main_stream();
    int ones = 0;

    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; i++) {
        check_zipfian(thetas[i], 1000);
        check_zipfian(thetas[i], 2);
        check_zipfian(thetas[i], 37);
    }
    check_zipfian(0.8, 1);
    check_zipfian(0.8, 100000);

    p = setup(&steep);
    ones = 0;
    for (int i = 0; i < 1000; i++)
        ones += dist_zipfian(&p, &r, 1, UINT64_MAX) == 1;
    CHECK_INT(ones, 1000);
}

static void test_default_by_name(void)
{
    static const struct {
        const char *name;
        draw_fn *draw;
    } kinds[] = {{"uniform", dist_uniform},
                 {"gaussian", dist_gaussian},
                 {"special", dist_special},
                 {"pareto", dist_pareto},
                 {"zipfian", dist_zipfian}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct dist_spec spec = defaults;
        struct dist_params p;
        struct rng a = main_stream(), b = a;
        int differ = 0;
        spec.type = kinds[i].name;
        p = setup(&spec);
        for (int k = 0; k < 100; k++)
            differ += dist_default(&p, &a, 3, 99999) != kinds[i].draw(&p, &b, 3, 99999);
        CHECK_INT(differ, 0);
    }
}

/* One draw for the length, one for each character. */
static void test_varstring(void)
{
    struct rng r = main_stream(), twin = r;
    struct dist_params p = setup(&defaults);
    char text[20];

    for (int n = 0; n < 1000; n++) {
        const size_t len = dist_varstring(&r, 5, 20, text);
        CHECK_INT(len, dist_uniform(&p, &twin, 5, 20));
        for (size_t i = 0; i < len; i++)
            CHECK_INT(text[i], dist_uniform(&p, &twin, 48, 122));
    }
    CHECK_INT(dist_varstring(&r, 0, 0, text), 0);
}

static void test_setup_refuses(void)
{
    static const struct dist_spec bad[] = {
        {"normal", 12, 1, 75, 0.2, 0.8},      {"", 12, 1, 75, 0.2, 0.8},
        {"Uniform", 12, 1, 75, 0.2, 0.8},     {"uniform", 0, 1, 75, 0.2, 0.8},
        {"uniform", -3, 1, 75, 0.2, 0.8},     {"uniform", 2000000, 1, 75, 0.2, 0.8},
        {"uniform", 12, 101, 75, 0.2, 0.8},   {"uniform", 12, -1, 75, 0.2, 0.8},
        {"uniform", 12, 1, 101, 0.2, 0.8},    {"uniform", 12, 1, 75, 0, 0.8},
        {"uniform", 12, 1, 75, 1, 0.8},       {"uniform", 12, 1, 75, NAN, 0.8},
        {"uniform", 12, 1, 75, 0.2, -0.1},    {"uniform", 12, 1, 75, 0.2, NAN},
        {"uniform", 12, 1, 75, 0.2, INFINITY}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct dist_params p;
        struct err e = {0};
        CHECK_INT(dist_setup(&p, &bad[i], &e), -1);
        CHECK_INT(e.kind, ERR_USAGE);
        str_printf(&out, "%s\n", e.msg);
        CHECK_INT(dist_setup(&p, &bad[i], NULL), -1);
    }
    golden(&out, "refused");
}

static void test_argument(void)
{
    static const double v[] = {0,
                               1.9,
                               -0.5,
                               -1,
                               -1.9,
                               4294967297,
                               99999999999999,
                               100000000000000,
                               8000000000000000,
                               1e300,
                               INFINITY,
                               NAN,
                               -1e300};

    for (size_t i = 0; i < COUNT(v); i++)
        str_printf(&out, "%.0f: %lld\n", v[i], (long long)dist_argument(v[i]));
    golden(&out, "stock's arguments");
}

TEST_MAIN(dist_test)
{
    test_stock_sequences();
    test_stock_odd_ranges();
    test_stock_options();
    test_stock_strings();
    test_64_bits();
    test_upper_end();
    test_zipfian();
    test_default_by_name();
    test_varstring();
    test_setup_refuses();
    test_argument();
    str_free(&out);
    golden_done("dist");
    return test_done("dist_test");
}

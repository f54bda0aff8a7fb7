/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rates that change: planned starts to the ns against numbers that tests/data/rates/values.py
 * computes another way, and that counting and planning agree at every start.
 */
#include "pace/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_golden.h"

static const struct rates_play as_it_is = {1, 1};

static struct rates *parse(const char *spec)
{
    struct err e = {0};
    struct rates *r = rates_parse(spec, &as_it_is, &e);

    CHECK_STR(e.msg, "");
    return r;
}

static const struct {
    const char *spec;
    uint64_t k;
    int64_t at;
} values[] = {
#include "pace/rates_values.inc"
};

static void test_values(void)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        struct rates *r = parse(values[i].spec);
        CHECK_INT(rates_start(r, values[i].k), values[i].at);
        rates_free(r);
    }
}

static const struct {
    const char *spec;
    dur_ns t;
    uint64_t high, low;
} sines[] = {
#include "pace/rates_sine.inc"
};

/* The integral of a sine to less than one of its units, wherever in the period. */
static void test_sine(void)
{
    for (size_t i = 0; i < COUNT(sines); i++) {
        struct rates *r = parse(sines[i].spec);
        rate_pos want = (rate_pos)sines[i].high << 64 | sines[i].low,
                 got = rates_pos(r, sines[i].t);
        CHECK(got <= want + 1 && want <= got + 1);
        rates_free(r);
    }
}

/* At each start one more is due than just before it; starts never go back. */
static void check_inverse(const struct rates *r, uint64_t from, uint64_t n, uint64_t step)
{
    dur_ns before = -1;
    int bad = 0;

    for (uint64_t k = from; k < from + n * step; k += step) {
        dur_ns at = rates_start(r, k);
        bad += at < before || rates_due(r, at) < k + 1 || (at > 0 && rates_due(r, at - 1) > k);
        before = at;
    }
    CHECK_INT(bad, 0);
}

static void test_inverse(void)
{
    static const struct {
        const char *spec;
        uint64_t n, step;
    } t[] = {
        {"0-1000:60s", 30000, 1},
        {"1000-0:60s", 30000, 1},
        {"0-1000000:2s,0:1s,1000000-0:2s", 100000, 20},
        {"500:60s,500-2000:5m,2000:60s,0:10s,500:60s", 60000, 9},
        {"sine(1000,1000,60s)", 100000, 7},
        {"0.1:1h,sine(0.5,0.5,100s):10h,1000000", 30000, 3},
        {"square(0,1000,1s,20%)", 10000, 1},
        {"spike(10,1000,60s,5s):1h,0:1h,3", 30000, 7},
        {"0:10s,3.7:1h,0.000001-1:1h,0:10s", 15000, 1},
        {"999999.999999:1h,333.333333:10h,sine(1000,999.5,7s)", 100000, 36011},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        struct rates *r = parse(t[i].spec);
        check_inverse(r, 0, t[i].n, t[i].step);
        rates_free(r);
    }
}

static void starts(struct str *out, const struct rates *r, uint64_t k)
{
    dur_ns at = rates_start(r, k);

    if (at == RATES_FAR)
        str_adds(out, " far");
    else
        str_printf(out, " %lld", (long long)at);
}

/* Everything that is told of a schedule. */
static void describe(struct str *out, const struct rates *r)
{
    static const uint64_t edges[] = {249,   250,    499,           500,
                                     30000, 405000, 4611686017000, 4611686018000};
    static const dur_ns ends[] = {-1, 0, 1, NS_PER_SEC, 1500 * NS_PER_MS};

    str_printf(out, "end %lld, most %.9g, round %.9g, mean", (long long)rates_end(r), rates_most(r),
               rates_round(rates_most(r) + 6e-14));
    for (size_t i = 0; i < COUNT(ends); i++)
        str_printf(out, " %.9g", rates_mean(r, ends[i]));
    str_printf(out, " whole %.9g%s\n", rates_mean(r, MONO_NEVER),
               rates_are_starts(r) ? ", starts" : "");
    for (size_t i = 0; i < rates_stages(r); i++) {
        const struct rate_stage *v = rates_stage(r, i);
        dur_ns length = v->until == MONO_NEVER ? 16 * NS_PER_SEC : v->until - v->from;
        str_printf(out, "%s: %lld to %lld, %.9g to %.9g; rates", v->text, (long long)v->from,
                   (long long)v->until, v->first, v->last);
        for (int part = 0; part <= 8; part++) {
            dur_ns at = v->from + length / 8 * part;
            str_printf(out, "%s%.8g %.8g", part ? ", " : " ", at ? rates_at(r, at - 1) : 0,
                       rates_at(r, at));
        }
        str_printf(out, "; due %llu %llu; pos %lld\n",
                   (unsigned long long)rates_due(r, v->from + length - 1),
                   (unsigned long long)rates_due(r, v->from + length),
                   (long long)(rates_pos(r, v->from + length / 3) >> 8));
    }
    str_printf(out, "due %llu of %llu, reach %lld %lld; starts",
               (unsigned long long)rates_due(r, 0), (unsigned long long)rates_due(r, MONO_NEVER),
               (long long)rates_reach(r, rates_pos(r, 1500 * NS_PER_MS) + 1),
               (long long)rates_reach(r, ~(rate_pos)0 >> 2));
    for (uint64_t k = 0; k < 2000; k += k < 4 ? 1 : k / 2)
        starts(out, r, k);
    for (size_t i = 0; i < COUNT(edges); i++)
        starts(out, r, edges[i]);
    starts(out, r, UINT64_C(1) << 62);
    str_adds(out, "\n");
}

/* The schedule of a specification, or why it is none. */
static void spell(const char *spec, const struct rates_play *play, const char *title)
{
    struct err e = {0};
    struct rates *r = rates_parse(spec, play, &e);
    struct str out = STR_INIT;

    if (r)
        describe(&out, r);
    else
        str_printf(&out, "%s\n", e.msg);
    golden(&out, "%.200s", title);
    rates_free(r);
    str_free(&out);
}

static void spell_spec(const char *spec)
{
    spell(spec, &as_it_is, spec);
}

/* Every shape, pauses, parts that are empty, ramps; then what is refused. */
static void test_specs(void)
{
    golden_each("500|0.5:8s|100-500:8s|500-100:8s|sine(300,200,8s)|sine(300,200,8s):2s|"
                "sine(300,0,8s):2s|square(100,500,8s)|square(500,100,8s,25%):6s|"
                "square(500,100,8s,25%):16s|spike(10,1000,60s,5s)|square(0,1000,1s)|"
                "square(0,1000,1s,25%)|square(3,1,1s)|square(3,0.5,1s)|spike(0,1000,10s,2s)|"
                "square(1000,0,1s)|sine(1000,500,1s)|500:60s,500-2000:5m,0:10s,500:60s|500:60s,0|"
                "square(0,1000,1s,0%):3s,square(1000,0,1s,100%):1s,5:1s|"
                "square(0,1000,1s,100%):1s,spike(0,10,1s,1s):1s|100:1s,0-200:1s,sine(1000,500,4s)|"
                "1:1s,2|1:366d|300:30s,300|500:0s|500-2000,4|50-20|50-x|500:1s,,3|500:60s;100:5s|"
                "500:60s, 100:5s|60s:500|60s:x|1,000|sine(1000,500)|1e3:60s|@|@/nowhere/noon.csv|"
                "500,3|2G:1s|5x:1s|5:1y|5:9000h|sine(1,2,3s)|sine(1,2)|sine(1,1,2s|sine(1,1,2s)x|"
                "saw(1,1,2s)|square(1,2,3s,4%,5)|square(1,2)|square(1,2,3s,x)|sine(1,2,3s,4s)|"
                "spike(1,2,3s)|spike(1,2,3s,4s,5s)|spike(1,2,3s,0s)|sine(x,1,3s)|sine(1,x,3s)|"
                "sine(1,1,0s)|sine(1,1,3s):0s|sine(1,1,3s):|-5:1s|5-:1s|x-5:1s|5:1s,sine(1,1,2s),7|"
                "spike(1,2,3s,4s)",
                spell_spec);
}

static void spell_number(const char *text)
{
    struct str out = STR_INIT;
    struct err e = {0};
    double rate = -1;
    int rc = rates_number(text, &rate, &e);

    CHECK_INT(e.kind, rc ? ERR_USAGE : 0);
    str_printf(&out, "%d %.15g %s\n", rc, rate, rc ? e.msg : "");
    golden(&out, "number \"%s\"", text);
    str_free(&out);
}

static void test_numbers(void)
{
    golden_each(
        "0|500|0.5|.5|5.|9|10k|1.5K|0.000001k|2M|1G|0.000001|999999999.999999|1000000000|"
        "1000000k|1000000000.000001|1000000.000001k|1.000001G|9223372036854.775799|"
        "9223372036854.775800|9223372036854.77580|9223372036854|9223372036855||.|k|0.0000001|"
        "1..2|1.2.3|1kk|1 |1:|1/|-1",
        spell_number);
}

/* As many stages, as long and as short ones, as are allowed; what is shown of a long text. */
static void test_bounds(void)
{
    enum { MOST = 10000 };
    static char many[MOST * 6 + 8];
    struct err e = {0};
    struct rates *r;

    for (int i = 0; i < MOST; i++)
        memcpy(many + 6 * i, "1:1ns,", 6);
    strcpy(many + 6 * MOST, "7");
    CHECK(!rates_parse(many, &as_it_is, &e));
    CHECK_STR(e.msg, "more than 10000 stages");
    many[6 * MOST - 1] = '\0';
    r = parse(many);
    CHECK_INT(rates_stages(r), MOST);
    CHECK_INT(rates_end(r), MOST);
    CHECK_INT(rates_due(r, MONO_NEVER), 1);
    rates_free(r);
    /* 70 characters of which 64 and 63 are shown */
    static const char digits[] =
        "0000000001000000000100000000010000000001000000000100000000010000000001";
    char text[100];
    snprintf(text, sizeof text, "1.%.68s:1s", digits);
    spell(text, &as_it_is, "long");
    memset(text, '0', 69);
    strcpy(text + 69, "7:1s");
    spell(text, &as_it_is, "shown in part");
    spell("1:31622400000001us", &as_it_is, "longer than a year");
}

/* --- traces --- */

static char trace[64]; /* a file */

/* The same of a file, without its random name. */
static void play(const char *text, double scale, double speed, const char *title)
{
    struct rates_play p = {scale, speed};
    struct err e = {0};
    struct str out = STR_INIT;
    char spec[80];
    FILE *f = fopen(trace, "w");

    fputs(text, f);
    fclose(f);
    snprintf(spec, sizeof spec, "@%s", trace);
    struct rates *r = rates_parse(spec, &p, &e);
    if (r)
        describe(&out, r);
    else
        str_printf(&out, "%s\n",
                   e.msg + (strncmp(e.msg, trace, strlen(trace)) == 0 ? strlen(trace) : 0));
    golden(&out, "%.60s x%g, speed %g", title, scale, speed);
    rates_free(r);
    str_free(&out);
}

static void test_traces(void)
{
    static const struct {
        const char *text;
        double scale, speed;
    } t[] = {
        {"seconds,rate\n# noon\n1, 100\r\n\n2,300.5\n3,0\n", 1, 1},
        {"seconds,rate\n# noon\n1, 100\r\n\n2,300.5\n3,0\n", 2, 10},
        {"  # seconds,rate\n\n \t\n0 ,  1000000000 \n # 7,7\n\t1000000000,.5\n", 1, 1},
        {"0,4\n0.3,6\n", 0.5, 0.5},
        {"0\n.5\n0.5\n1.5\n", 1, 1},
        {"0\n.5\n0.5\n1.5\n", 2.5, 2},
        {"3\n", 1, 1},
        {"0\n0\n", 1, 1},
        {"0\n1\n", 0.5, 1},
        {"0\n1\n", 500000000, 1},
        {"0\n", 0.999999, 1},
        {"0\n", 1000000001, 1},
        {"0,500000001\n", 2, 1},
        {"", 1, 1},
        {"a\nb\n", 1, 1},
        {"0,1\n0,2\n", 1, 1},
        {"1\n0\n", 1, 1},
        {"0,1\n1\n", 1, 1},
        {"0,-1\n", 1, 1},
        {"0,1e9\n", 1, 1},
        {"0;1\n", 1, 1},
        {"0,2000000000\n", 1, 1},
        {"0,0\n", 1, 1},
        {"# only\n \n", 1, 1},
        {"0\n0,1\n", 1, 1},
        {"1,1\n\n0,2\n", 1, 1},
        {"0,1x\n", 1, 1},
        {"0,1.0000001\n", 1, 1},
        {"0.0000000001\n", 1, 1},
        {"1000000000.000001\n", 1, 1},
        {"a\n0\nb\n", 1, 1},
        {"0,1000000000.000001\n", 1, 1},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        char title[100], *end = title;
        for (const char *p = t[i].text; *p; p++)
            *end++ = *p < ' ' ? '|' : *p;
        *end = '\0';
        play(t[i].text, t[i].scale, t[i].speed, title);
    }
    char many[20 * 1100], *end = many; /* more than its memory has room for at first */
    for (int i = 0; i < 1100; i++)
        end += sprintf(end, "%d.%03d\n", i / 1000, i % 1000);
    play(many, 1, 1, "many");
}

TEST_MAIN(rates_test)
{
    char directory[] = "/tmp/sb-rates-XXXXXX";

    CHECK(mkdtemp(directory) != NULL);
    snprintf(trace, sizeof trace, "%s/trace.csv", directory);
    test_values();
    test_sine();
    test_inverse();
    test_specs();
    test_numbers();
    test_bounds();
    test_traces();
    unlink(trace);
    rmdir(directory);
    golden_done("rates_test");
    return test_done("rates_test");
}

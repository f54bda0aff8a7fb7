/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns: wrapping, the text of a block for figures that it does not have; the table of
 * intervals on a terminal: which columns, their widths, when there is a header.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_golden.h"
#include "report/test_fixture.h"
#include "report/text_table.h"

static struct str out;

static struct text_screen ask(void *arg)
{
    return *(struct text_screen *)arg;
}

/* The next row of a table, with what is above and below it. */
static void row(struct text_table *t, const struct snapshot *s)
{
    text_table_interval(t, &out, s, true);
}

/* --- lines --- */

static void wrapping(void)
{
    static const struct {
        const char *text;
        size_t used, indent, width;
    } t[] = {{"", 0, 0, 10},
             {"one", 0, 2, 10},
             {"one two three", 0, 2, 10},
             {"one two three", 4, 2, 10},
             {"one two three", 3, 0, 10},
             {"  one   two  ", 0, 0, 10},
             {"a-word-that-is-longer-than-the-line b", 0, 1, 10},
             {"x a-word-that-is-longer", 0, 1, 10},
             {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9",
              0, 0, 10},
             {"rd\0371.5 wr\0372.5", 0, 0, 10}};

    for (size_t i = 0; i < COUNT(t); i++) {
        text_wrap(&out, t[i].text, t[i].used, t[i].indent, t[i].width);
        str_adds(&out, "\n");
    }
    golden(&out, "wrapped; width is in characters");
}

static void blocks(void)
{
    static const char *const reason[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    text_item(&out, "sustained",
              "no - %d clients were busy all the time, and nothing else could be done", 16);
    for (int detail = TEXT_BRIEF; detail <= TEXT_FULL; detail++) {
        struct text_lines l = {.out = &out, .detail = (enum text_detail)detail};
        text_missing(&l, "CPU", "mariadbd has ended");
        text_missing(&l, "storage, bytes", "another user's");
        text_missing(&l, "threads", "mariadbd has ended");
        text_lines_end(&l);
        text_lines_end(&l); /* nothing is left */
    }
    /* more reasons than there is room for: every figure is named nevertheless */
    struct text_lines l = {.out = &out};
    for (size_t i = 0; i < COUNT(reason); i++)
        text_missing(&l, reason[i], reason[i]);
    text_lines_end(&l);
    golden(&out, "lines of a block");
}

/* Percentiles in ascending order, listed ones once; what does not fit is continued below; a bound,
 * no sample, a name that is too long; one of fewer samples than it needs is their maximum, and is
 * marked. */
static void series(void)
{
    static const uint64_t n[] = {1, 2, 19, 20, 99, 100, 999, 1000};
    const struct snapshot s = {.percentiles = 4, .percentile = {99.99, 10, 95, 99.9}};
    const struct snapshot_series some = {.n = 100000,
                                         .p50 = 1500000,
                                         .p95 = 2 * NS_PER_MS,
                                         .p99 = HIST_OVER_NS,
                                         .max = HIST_OVER_NS,
                                         .mean = 1234567,
                                         .pct = {4 * NS_PER_MS, 1000, 9, 3 * NS_PER_MS}};
    const struct snapshot_series none = {
        .p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .pct = {-1, -1, -1, -1}};
    const struct text_series rows[] = {{"service", &some}, {"a-longer-name", &none}};

    text_series(&out, 10, &s, rows, 2);
    text_series(&out, 10, NULL, rows, 1);
    golden(&out, "series");
    for (size_t i = 0; i < COUNT(n); i++) {
        struct snapshot_series v = some;
        v.n = n[i];
        text_series(&out, 10, &s, &(struct text_series){"lag", &v}, 1);
        golden(&out, "series of %llu", (unsigned long long)n[i]);
    }
}

static void numbers(void)
{
    static const double digits[][2] = {{0, 3},     {0.12345, 3}, {9.876, 3},    {98.76, 3},
                                       {987.6, 3}, {98765.4, 5}, {9.876, 5},    {123.4, 4},
                                       {1e9, 4},   {NAN, 4},     {HUGE_VAL, 4}, {12.3456, 4}};
    static const struct {
        double v;
        int room, decimals;
    } fit[] = {{0, 5, 2},       {1.2345, 5, 3}, {12.345, 5, 3},  {123.45, 5, 3}, {99999, 5, 2},
               {99999.6, 5, 2}, {123456, 5, 0}, {1234567, 5, 0}, {123456, 4, 0}, {1e12, 5, 1},
               {1e15, 5, 0},    {9.9e17, 5, 0}, {123456, 3, 0},  {1400, 2, 0},   {999.4e3, 4, 0},
               {1e30, 5, 0},    {999999, 4, 0}};
    char buf[40];

    for (size_t i = 0; i < COUNT(digits); i++)
        str_printf(&out, "%.10g in %g digits: %s\n", digits[i][0], digits[i][1],
                   text_digits(buf, digits[i][0], (int)digits[i][1]));
    for (size_t i = 0; i < COUNT(fit); i++)
        str_printf(&out, "%.10g in %d, %d decimals: %s\n", fit[i].v, fit[i].room, fit[i].decimals,
                   text_fit(buf, fit[i].v, fit[i].room, fit[i].decimals));
    golden(&out, "numbers");
}

/* --- table --- */

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") > longest)
            longest = strcspn(text, "\n");
    return longest;
}

static void widths(void)
{
    static const size_t width[] = {20, 30, 67, 80, 120};

    for (size_t i = 0; i < COUNT(width); i++) {
        struct text_screen screen = {.width = width[i]};
        struct text_table *table = text_table_new(ask, &screen);
        struct snapshot s = fixture_second(1);
        row(table, &s);
        CHECK(longest_line(out.s) <= (width[i] < 30 ? 30 : width[i]));
        golden(&out, "width %zu", width[i]);
        text_table_free(table);
    }
}

/* No line exceeds the width, for any choice of columns and figures of any size. */
static void all_widths(void)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);

    for (size_t width = 20; width <= 500; width += 7) {
        struct text_screen screen = {.width = width};
        struct text_table *table = text_table_new(ask, &screen);
        for (uint64_t factor = 1, i = 0; i < 5; factor *= 1000, i++) {
            f = fixture(SNAPSHOT_INTERVAL, 1);
            f->s.nranks = 0;
            f->s.latency.n = f->s.rate.service.n = f->s.rate.lag.n = 100000;
            f->s.events *= factor;
            f->s.rate.late *= factor;
            f->s.server.d.rss_bytes *= factor;
            f->s.latency.p99 *= (int64_t)(factor > 1000000 ? 1000000 : factor);
            f->probe.perf.f[0].count *= (double)factor * 1e3;
            f->probe.host.cs *= (double)factor;
            row(table, &f->s);
        }
        CHECK(longest_line(out.s) <= (width < 37 ? 37 : width)); /* the sentence about that */
        CHECK(!strstr(out.s, "#"));
        str_reset(&out);
        text_table_free(table);
    }
}

/* A title over narrow columns has whole words. */
static void narrow_title(struct text_table *table)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct snapshot s = fixture_second(1);

    f->probe = (struct probe_delta){.statuses = 2, .has_waits = true, .status = f->probe.status};
    f->probe.status_name = (const struct status_name[]){{"active", true}, {"numbackends", true}};
    f->probe.status.others.why = f->probe.status.waits.why = "hidden";
    f->probe.status.others.known = f->probe.status.waits.known = 0;
    s.probe = &f->probe;
    row(table, &s);
}

/* Waits that nobody asked for have neither columns nor a line of what is missing. */
static void only_waits(void)
{
    struct text_screen screen = {.width = 200};
    struct text_table *table = text_table_new(ask, &screen);
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct snapshot s = fixture_second(1);

    f->probe = (struct probe_delta){.has_waits = true, .status = f->probe.status};
    f->probe.status.others.why = "not asked for";
    s.probe = &f->probe;
    text_table_interval(table, &out, &s, false);
    CHECK(strstr(out.s, "time s") && !strstr(out.s, "status") && !strstr(out.s, "n/a"));
    str_reset(&out);
    text_table_free(table);
}

/* The first line, and after each 20 rows; at once when something else was printed. */
static void headers(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(ask, &screen);

    for (int i = 1; i <= 45; i++) {
        struct snapshot s = fixture_second(i);
        bool first = i % TEXT_TABLE_ROWS == 1;
        if (i == 41)
            screen.width = 45; /* the window was resized meanwhile */
        text_table_interval(table, &out, &s, false);
        CHECK((strstr(out.s, "time s") != NULL) == first);
        CHECK(!first || strstr(out.s, " eps ") != NULL);
        CHECK(longest_line(out.s) <= screen.width);
        str_reset(&out);
        screen.width = 80;
    }
    text_table_restart(table);
    text_table_interval(table, &out, &(struct snapshot){.interval_ns = NS_PER_SEC}, false);
    golden(&out, "restarted");
    text_table_free(table);
}

/* An unavailable figure has no column and one reason; a figure that returns has a header at
 * once. */
static void leaving(struct text_table *table)
{
    struct snapshot s = fixture_second(1);

    s.server.d.have = 0;
    sample_set_reason(&s.server.d, "mariadbd (pid 7) has ended");
    row(table, &s); /* from the beginning */
    s = fixture_second(2);
    row(table, &s);                 /* there it is */
    for (int i = 3; i <= 50; i++) { /* and ends */
        s = fixture_second(i);
        s.server.d.have = 0;
        sample_set_reason(&s.server.d, "mariadbd (pid 7) has ended");
        row(table, &s);
    }
}

/* No transaction ended: n/a in its column, which stays. */
static void nothing_ended(struct text_table *table)
{
    struct snapshot s = fixture_second(1);

    s.events = 0;
    s.latency = (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1};
    row(table, &s);
}

static void lists(struct text_table *table)
{
    static const double p[] = {99.9, 95, 10, 100};
    struct snapshot s = fixture_second(1);

    s.percentiles = COUNT(p);
    memcpy(s.percentile, p, sizeof p);
    s.latency.pct[0] = 4000000;
    s.latency.pct[2] = 100000;
    s.latency.pct[3] = -1;
    row(table, &s);
}

/* A lower bound, and percentiles of few samples, whose line comes once. */
static void marked(struct text_table *table)
{
    struct snapshot s = fixture_second(1);

    s.server.d.lower = SAMPLE_SWITCHES;
    s.latency.n = s.rate.response.n = 50;
    s.rate.lag.n = 20;
    s.latency.p99 = 1234567890;
    row(table, &s);
    row(table, &s);
}

static void colours(void)
{
    struct text_screen screen = {.width = 80, .colour = true};
    struct text_table *table = text_table_new(ask, &screen);
    struct snapshot s = fixture_second(1);

    s.rate.late = 50; /* 5 % */
    s.self.d.user_ns = 1900000000;
    row(table, &s);
    s.self.d.user_ns = 1752000000;
    row(table, &s);
    screen.colour = false;
    text_table_restart(table);
    row(table, &s);
    golden(&out, "colours, and none");
    text_table_free(table);
}

/* Rows of the warm-up are marked within the width; measuring begins with a header of its own. */
static void warm_up(struct text_table *table)
{
    struct snapshot s = fixture_second(1);

    s.warmup = true;
    row(table, &s);
    s.warmup = false;
    row(table, &s);
}

/* A test that counts bytes has columns of them; a fraction of a second and a long run
 * their digits. */
static void others(struct text_table *table)
{
    struct snapshot s = {.interval_ns = NS_PER_SEC / 4,
                         .elapsed_ns = 123456789 * NS_PER_MS,
                         .stamp_decimals = 2,
                         .events = 25};

    s.count[CNT_BYTES_READ] = s.total[CNT_BYTES_READ] = 3 << 20;
    row(table, &s);
}

/* How many there are is above the columns, who is missing below a row: a lost one once, and a late
 * one each time. */
static void load_hosts(struct text_table *table)
{
    static struct snapshot_rank rank[3] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
    struct snapshot s = fixture_second(1);

    s.rank = rank, s.nranks = 3;
    row(table, &s);
    rank[1].late = true;
    row(table, &s);
    row(table, &s);
    rank[1].late = false, rank[0].late = true;
    row(table, &s);
    rank[0].late = false, rank[2].lost = true;
    row(table, &s);
    row(table, &s);
    text_table_restart(table);
    row(table, &s);
}

TEST_MAIN(text_table_test)
{
    static const struct {
        void (*f)(struct text_table *table);
        const char *title;
        size_t width;
    } t[] = {{narrow_title, "narrow title", 300},
             {leaving, "a server that leaves", 80},
             {nothing_ended, "nothing ended", 80},
             {lists, "percentiles", 97},
             {marked, "marked", 300},
             {warm_up, "warm-up", 80},
             {others, "bytes, a long run", 80},
             {load_hosts, "load hosts", 80}};

    wrapping();
    blocks();
    series();
    numbers();
    widths();
    all_widths();
    headers();
    only_waits();
    colours();
    for (size_t i = 0; i < COUNT(t); i++) {
        struct text_screen screen = {.width = t[i].width};
        struct text_table *table = text_table_new(ask, &screen);
        t[i].f(table);
        golden(&out, "%s", t[i].title);
        text_table_free(table);
    }
    str_free(&out);
    golden_done("text_table");
    return test_done("text_table");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns: wrapping, the text of a block for figures that it does not have; the table of
 * intervals on a terminal: which columns, their widths, when there is a header.
 */
#include "report/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text_table_test.h"

/* --- lines --- */

static void wrapping(void)
{
    static const struct {
        const char *text;
        size_t used, indent, width;
        const char *want;
    } t[] = {
        {"", 0, 0, 10, ""},
        {"one", 0, 2, 10, "one"},
        {"one two three", 0, 2, 10, "one two\n  three"},
        {"one two three", 4, 2, 10, "one\n  two\n  three"},
        {"one two three", 3, 0, 10, "one two\nthree"},
        {"  one   two  ", 0, 0, 10, "one two"},
        {"a-word-that-is-longer-than-the-line b", 0, 1, 10,
         "a-word-that-is-longer-than-the-line\n b"},
        {"x a-word-that-is-longer", 0, 1, 10, "x\n a-word-that-is-longer"},
        /* characters, not bytes */
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9", 0, 0,
         10, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n\xc3\xa9"},
        {"rd\0371.5 wr\0372.5", 0, 0, 10, "rd 1.5\nwr 2.5"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str out = STR_INIT;
        text_wrap(&out, t[i].text, t[i].used, t[i].indent, t[i].width);
        CHECK_STR(str_cstr(&out), t[i].want);
        str_free(&out);
    }
}

static void items(void)
{
    struct str out = STR_INIT;

    text_item(&out, "sustained",
              "no - %d clients were busy all the time, and nothing else could be done", 16);
    CHECK_STR(out.s,
              "    sustained:                           no - 16 clients were busy all the time,\n"
              "                                         and nothing else could be done\n");
    str_free(&out);
}

static void missing(struct str *out, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};

    str_adds(out, "Block:\n");
    text_missing(&l, "CPU", "mariadbd has ended");
    text_missing(&l, "storage, bytes", "another user's");
    text_missing(&l, "threads", "mariadbd has ended");
    text_lines_end(&l);
    text_lines_end(&l); /* nothing is left */
}

static void blocks(void)
{
    struct str out = STR_INIT;

    missing(&out, TEXT_BRIEF);
    CHECK_STR(out.s,
              "Block:\n"
              "    n/a:                                 CPU, threads (mariadbd has ended)\n"
              "    n/a:                                 storage, bytes (another user's)\n\n\n");
    str_reset(&out);
    missing(&out, TEXT_FULL);
    CHECK_STR(out.s, "Block:\n"
                     "    CPU:                                 n/a (mariadbd has ended)\n"
                     "    storage, bytes:                      n/a (another user's)\n"
                     "    threads:                             n/a (mariadbd has ended)\n\n\n");
    str_free(&out);
}

/* More reasons than there is room for: every figure is named nevertheless. */
static void many_reasons(void)
{
    static const char *const reason[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    struct str out = STR_INIT;
    struct text_lines l = {.out = &out};

    for (size_t i = 0; i < 10; i++)
        text_missing(&l, reason[i], reason[i]);
    text_lines_end(&l);
    CHECK(strstr(out.s, "g (g)\n") != NULL);
    CHECK(strstr(out.s, "h, i, j (h)\n") != NULL);
    str_free(&out);
}

/* Percentiles in ascending order, listed ones once; what does not fit is continued below; a bound,
 * no sample, a name that is too long. */
static void latency_rows(void)
{
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
    struct str out = STR_INIT;

    text_series(&out, 10, &s, rows, 2);
    CHECK_STR(out.s, "    ms                p10        p50        p95        p99\n"
                     "    service         0.001      1.500      2.000 >3600000.000\n"
                     "    a-longer-name\n"
                     "                      n/a        n/a        n/a        n/a\n"
                     "    ms              p99.9     p99.99    maximum       mean\n"
                     "    service         3.000      4.000 >3600000.000      1.235\n"
                     "    a-longer-name\n"
                     "                      n/a        n/a        n/a        n/a\n");
    str_reset(&out);
    text_series(&out, 10, NULL, rows, 1);
    CHECK_STR(out.s, "    ms                p50        p95        p99    maximum       mean\n"
                     "    service         1.500      2.000 >3600000.000 >3600000.000      1.235\n");
    str_free(&out);
}

/* A percentile of fewer samples than it needs is their maximum, and is marked; one line says so. */
static void few(void)
{
    static const struct {
        uint64_t n;
        const char *want; /* of p50, p95, p99, p99.9 */
    } t[] = {
        {1, "1.500*     2.000*     3.000*     4.000* "},
        {2, "1.500     2.000*     3.000*     4.000* "},
        {19, "1.500     2.000*     3.000*     4.000* "},
        {20, "1.500      2.000     3.000*     4.000* "},
        {99, "1.500      2.000     3.000*     4.000* "},
        {100, "1.500      2.000      3.000     4.000* "},
        {999, "1.500      2.000      3.000     4.000* "},
        {1000, "1.500      2.000      3.000      4.000 "},
    };
    const struct snapshot listed = {.percentiles = 1, .percentile = {99.9}};
    struct str out = STR_INIT;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot_series v = {.n = t[i].n,
                                    .p50 = 1500000,
                                    .p95 = 2 * NS_PER_MS,
                                    .p99 = 3 * NS_PER_MS,
                                    .pct = {4 * NS_PER_MS}};
        text_series(&out, 10, &listed, &(struct text_series){"lag", &v}, 1);
        CHECK(strstr(out.s, t[i].want));
        CHECK((strstr(out.s, "\n    * of fewer samples") != NULL) == (t[i].n < 1000));
        str_reset(&out);
    }
    str_free(&out);
}

/* The same in the table of a terminal, whose line comes once; a narrow column loses a digit. */
static void few_in_table(void)
{
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.latency.n = s.rate.response.n = 50;
    s.rate.lag.n = 20;
    s.latency.p99 = 1234567890;
    for (int i = 0; i < 2; i++) {
        text_table_interval(table, &out, &s, true);
        CHECK(strstr(out.s, "  0.710  1.840  1235* "));
        CHECK(strstr(out.s, "  3.000 0.210* "));
        CHECK((strstr(out.s, "* of fewer samples") != NULL) == (i == 0));
        str_reset(&out);
    }
    text_table_free(table);
    str_free(&out);
}

static void figure_rows(void)
{
    static const struct text_column columns[] = {{"n", 3, 0}, {"share", 6, 2}};
    static const struct {
        double v;
        int digits;
        const char *want;
    } t[] = {{0, 3, "0.000"},     {0.12345, 3, "0.123"}, {9.876, 3, "9.88"},
             {98.76, 3, "98.8"},  {987.6, 3, "988"},     {98765.4, 5, "98765"},
             {9.876, 5, "9.876"}, {123.4, 4, "123.4"},   {1e9, 4, "1000000000"},
             {NAN, 4, "n/a"},     {HUGE_VAL, 4, "n/a"},  {12.3456, 4, "12.35"}};
    struct str out = STR_INIT;
    char buf[40];

    text_heads(&out, columns, 2);
    text_row(&out, columns, 2, (const double[]){12, NAN});
    CHECK_STR(out.s, "   n  share  12    n/a");
    str_free(&out);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_STR(text_digits(buf, t[i].v, t[i].digits), t[i].want);
}

static void numbers(void)
{
    static const struct {
        double v;
        int room, decimals;
        const char *want;
    } t[] = {
        {0, 5, 2, "0.00"},       {1.2345, 5, 3, "1.234"},  {12.345, 5, 3, "12.35"},
        {123.45, 5, 3, "123.5"}, {99999, 5, 2, "99999"},   {99999.6, 5, 2, "100k"},
        {123456, 5, 0, "123k"},  {1234567, 5, 0, "1.23M"}, {123456, 4, 0, "123k"},
        {1e12, 5, 1, "1.00T"},   {1e15, 5, 0, "1.00P"},    {9.9e17, 5, 0, "990P"},
        {123456, 3, 0, "###"},   {1400, 2, 0, "1k"},       {999.4e3, 4, 0, "999k"},
        {1e30, 5, 0, "#####"},   {999999, 4, 0, "1.0M"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char buf[32];
        CHECK_STR(text_fit(buf, t[i].v, t[i].room, t[i].decimals), t[i].want);
    }
}

static void all_lines(void)
{
    numbers();
    latency_rows();
    few();
    few_in_table();
    figure_rows();
    wrapping();
    items();
    blocks();
    many_reasons();
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
    static const struct {
        size_t width;
        const char *want;
    } t[] = {
        {20, "9 columns hidden; widen to 73\n time s     tps\n      1 1000.00\n"},
        {30, "7 columns hidden; widen to 73\n"
             "                response, ms\n"
             " time s     tps    p50    p95\n"
             "      1 1000.00  0.710  1.840\n"},
        {67, "1 column hidden; widen to 73\n"
             "                 -- response, ms ---              - server - client\n"
             " time s     tps    p50    p95    p99  late err/s  usr%  sys%   cpu%\n"
             "      1 1000.00  0.710  1.840  3.210     3  2.00  20.0  10.0    5.0\n"},
        {80, "                 -- response, ms ---                    ---- server ---- client\n"
             " time s     tps    p50    p95    p99  late err/s unfin  usr%  sys% cs/tx   cpu%\n"
             "      1 1000.00  0.710  1.840  3.210     3  2.00     4  20.0  10.0  2.50    5.0\n"},
        {120, "                 -- response, ms ---                                -- p99 ms --"
              "  --------- server ---------- client\n"
              " time s     tps    p50    p95    p99  late err/s unfin  fail  drop    svc    lag"
              "  usr%  sys% cs/tx  thr  rssM   cpu%\n"
              "      1 1000.00  0.710  1.840  3.210     3  2.00     4     0     0  3.000  0.210"
              "  20.0  10.0  2.50   21   512    5.0\n"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct text_screen screen = {.width = t[i].width};
        struct text_table *table = text_table_new(text_ask, &screen);
        struct snapshot s = second(1);
        struct str out = STR_INIT;
        text_table_interval(table, &out, &s, true);
        text_expect(&out, t[i].want);
        str_free(&out);
        text_table_free(table);
    }
}

/* No line exceeds the width, for any choice of columns and figures of any size. */
static void all_widths(void)
{
    static const struct perf_spec event[] = {{.name = "instructions:u"},
                                             {.name = "sched:sched_switch"}};
    static const struct status_name status[] = {{"Threads_running", true},
                                                {"Some_new_counter", false}};
    static const uint64_t factor[] = {1, 1000, 1000000, 1000000000, UINT64_C(1000000000000)};
    struct probe_delta probe = {.events = 2,
                                .event = event,
                                .how = "",
                                .has_host = true,
                                .statuses = 2,
                                .status_name = status};
    struct str out = STR_INIT;

    probe.host = (struct host_delta){
        .wall_ns = NS_PER_SEC, .have = HOST_ALL, .us = 12.5, .free = 4e9, .cs = 1e12};
    probe.perf.f[0] = (struct perf_figure){.have = true, .count = 1e15, .ratio = 1};
    probe.perf.f[1] = (struct perf_figure){.have = true, .count = 5, .ratio = 1};
    probe.status = (struct status_delta){.wall_ns = NS_PER_SEC, .have = 3, .v = {17, 1e13}};
    for (size_t width = 20; width <= 500; width += 7) {
        struct text_screen screen = {.width = width};
        struct text_table *table = text_table_new(text_ask, &screen);
        for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
            struct snapshot s = second((int)i + 1);
            s.probe = &probe;
            s.events *= factor[i];
            s.rate.late *= factor[i];
            s.server.d.rss_bytes *= factor[i];
            s.latency.p99 *= (int64_t)(factor[i] > 1000000 ? 1000000 : factor[i]);
            text_table_interval(table, &out, &s, true);
        }
        CHECK(longest_line(out.s) <=
              (width < 36 ? 36 : width)); /* the sentence about its being narrow */
        CHECK(!strstr(out.s, "#"));
        if (width >= 400) {
            CHECK(strstr(out.s, " sched:sched_switch/tx") != NULL);
            CHECK(strstr(out.s, " Some_new_counter/s") != NULL);
            CHECK(strstr(out.s, "hidden; widen") == NULL);
        }
        str_reset(&out);
        text_table_free(table);
    }
    str_free(&out);
}

/* A title over narrow columns has whole words. */
static void narrow_title(void)
{
    static const struct status_name status[] = {{"active", true}, {"numbackends", true}};
    struct probe_delta probe = {.statuses = 2,
                                .status_name = status,
                                .status = {.wall_ns = NS_PER_SEC,
                                           .have = 3,
                                           .v = {3, 4},
                                           .others.why = "hidden",
                                           .waits.why = "hidden"}};
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.probe = &probe;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, " client server\n") && strstr(out.s, " active  conn\n"));
    text_table_free(table);
    str_free(&out);
}

/* The first line, and after each 20 rows; at once when something else was printed. */
static void headers(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct str out = STR_INIT;

    for (int i = 1; i <= 45; i++) {
        struct snapshot s = second(i);
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
    CHECK(strstr(out.s, "time s") != NULL);
    str_free(&out);
    text_table_free(table);
}

/* An unavailable figure has no column and one reason; a figure that returns has a header at
 * once. */
static void leaving(void)
{
    static const char gone[] = "mariadbd (pid 7) has ended";
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;
    int dropped = 0, said = 0;

    s.server.d.have = 0;
    sample_set_reason(&s.server.d, gone);
    text_table_interval(table, &out, &s, true); /* from the beginning */
    CHECK(strstr(out.s, "n/a: server usr%, sys%, cs/tx (mariadbd (pid 7) has ended)\n") != NULL);
    CHECK(strstr(out.s, " usr%  sys%") == NULL);
    str_reset(&out);
    s = second(2);
    text_table_interval(table, &out, &s, true); /* there it is */
    CHECK(strstr(out.s, "time s") != NULL && strstr(out.s, "  usr%  sys%") != NULL);
    str_reset(&out);
    for (int i = 3; i <= 50; i++) { /* and ends */
        s = second(i);
        s.server.d.have = 0;
        sample_set_reason(&s.server.d, gone);
        text_table_interval(table, &out, &s, true);
        if (i < 22)
            CHECK(strstr(out.s, "   n/a   n/a") != NULL);
        dropped += strstr(out.s, "time s") && !strstr(out.s, "usr%");
        said += strstr(out.s, gone) != NULL;
        str_reset(&out);
    }
    CHECK_INT(dropped, 1);
    CHECK_INT(said, 0); /* it was reported before */
    str_free(&out);
    text_table_free(table);
}

/* No transaction ended: n/a in its column, which stays. */
static void nothing_ended(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.events = 0;
    s.latency = (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1};
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, "      1    0.00    n/a    n/a    n/a     3") != NULL);
    CHECK(strstr(out.s, " p50 ") != NULL && !strstr(out.s, "n/a:"));
    str_free(&out);
    text_table_free(table);
}

static void lists(void)
{
    struct text_screen screen = {.width = 97};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.percentiles = 4;
    s.percentile[0] = 99.9;
    s.percentile[1] = 95;
    s.percentile[2] = 10;
    s.percentile[3] = 100;
    s.latency.pct[0] = 4000000;
    s.latency.pct[2] = 100000;
    s.latency.pct[3] = -1;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, " time s     tps    p10    p50    p95    p99  p99.9   p100") != NULL);
    CHECK(strstr(out.s, "      1 1000.00  0.100  0.710  1.840  3.210  4.000    n/a") != NULL);
    str_free(&out);
    text_table_free(table);
}

static void lower_bounds(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.server.d.lower = SAMPLE_SWITCHES;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, "  20.0  10.0 >2.50    5.0\n") != NULL);
    str_free(&out);
    text_table_free(table);
}

static void colours(void)
{
    struct text_screen screen = {.width = 80, .colour = true};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.rate.late = 50; /* 5 % */
    s.self.d.user_ns = 1900000000;
    text_table_interval(table, &out, &s, true);
    CHECK(strncmp(out.s, "\033[1m", 4) == 0);
    CHECK(strstr(out.s, "    \033[33m50\033[0m") != NULL);
    CHECK(strstr(out.s, "   \033[1;31m97.0\033[0m") != NULL);
    str_reset(&out);
    s.self.d.user_ns = 1752000000;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, "   \033[33m89.6\033[0m") != NULL);
    str_reset(&out);
    screen.colour = false;
    text_table_restart(table);
    text_table_interval(table, &out, &s, true);
    CHECK(!strchr(out.s, '\033'));
    str_free(&out);
    text_table_free(table);
}

/* Rows of the warm-up are marked within the width; measuring begins with a header of its own. */
static void warm_up(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.warmup = true;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, "  warm-up\n") != NULL);
    CHECK(longest_line(out.s) <= 80);
    str_reset(&out);
    s.warmup = false;
    text_table_interval(table, &out, &s, true);
    CHECK(strstr(out.s, "time s") != NULL && !strstr(out.s, "warm-up"));
    str_free(&out);
    text_table_free(table);
}

/* A test that counts bytes has columns of them; a fraction of a second and a long run
 * their digits. */
static void others(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(text_ask, &screen);
    struct snapshot s = {.interval_ns = NS_PER_SEC / 4,
                         .elapsed_ns = 123456789 * NS_PER_MS,
                         .stamp_decimals = 2,
                         .events = 25};
    struct str out = STR_INIT;

    s.count[CNT_BYTES_READ] = s.total[CNT_BYTES_READ] = 3 << 20;
    text_table_interval(table, &out, &s, false);
    text_expect(&out,
                "     time s     eps err/s      qps      r/s      w/s      o/s readM/s writM/s\n"
                "  123456.79  100.00  0.00      0.0      0.0      0.0      0.0   12.00    0.00\n");
    str_free(&out);
    text_table_free(table);
}

/* How many there are is above the columns, who is missing below a row: a lost one once, and a late
 * one each time. */
static void load_hosts(void)
{
    static struct snapshot_rank rank[3] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
    struct text_screen screen = {.width = 80};
    struct text_table *t = text_table_new(text_ask, &screen);
    struct snapshot s = second(1);
    struct str out = STR_INIT;

    s.rank = rank, s.nranks = 3;
    text_table_interval(t, &out, &s, true);
    CHECK(strncmp(str_cstr(&out), "3 load hosts\n", 13) == 0);
    CHECK(!strstr(str_cstr(&out), "without"));
    rank[1].late = true;
    for (int i = 0; i < 2; i++) {
        str_reset(&out);
        text_table_interval(t, &out, &s, true);
        CHECK(strstr(str_cstr(&out), "\n         without rank 1\n"));
    }
    rank[1].late = false, rank[0].late = true;
    str_reset(&out);
    text_table_interval(t, &out, &s, true);
    CHECK(strstr(str_cstr(&out), "\n         without rank 0\n"));
    rank[0].late = false, rank[2].lost = true;
    str_reset(&out);
    text_table_interval(t, &out, &s, true);
    CHECK(strstr(str_cstr(&out), "\n         without rank 2 (lost)\n"));
    str_reset(&out);
    text_table_interval(t, &out, &s, true);
    CHECK(!strstr(str_cstr(&out), "without"));
    text_table_restart(t);
    str_reset(&out);
    text_table_interval(t, &out, &s, true);
    CHECK(strncmp(str_cstr(&out), "3 load hosts, without rank 2 (lost)\n", 36) == 0);
    str_free(&out);
    text_table_free(t);
}

static void all_table(void)
{
    widths();
    all_widths();
    narrow_title();
    headers();
    leaving();
    nothing_ended();
    lists();
    lower_bounds();
    colours();
    warm_up();
    others();
    load_hosts();
}

TEST_MAIN(text_table_test)
{
    all_lines();
    all_table();
    return test_done("text_table");
}

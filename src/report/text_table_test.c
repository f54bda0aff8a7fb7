/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns: wrapping, the text of a block for figures that it does not have; the table of
 * intervals on a terminal: which columns, their widths, when there is a header.
 */
#include "report/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test.h"

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
    const struct snapshot_series some = {.n = 3,
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

static void all_lines(void)
{
    latency_rows();
    figure_rows();
    wrapping();
    items();
    blocks();
    many_reasons();
}

/* --- table --- */

static struct text_screen table_ask(void *arg)
{
    return *(struct text_screen *)arg;
}

static struct snapshot_series series(int64_t p50, int64_t p95, int64_t p99)
{
    return (struct snapshot_series){.n = 9,
                                    .p50 = p50 * 1000,
                                    .p95 = p95 * 1000,
                                    .p99 = p99 * 1000,
                                    .max = p99 * 1000,
                                    .mean = 1e6};
}

/* One second with a rate and a server: 2 CPUs, the server 20 % and 10 % of them, we 5 %. */
static struct snapshot second(int n)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = n * NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .ncpu = 2,
                         .events = 1000,
                         .reads = 3000,
                         .errors = 2,
                         .has_latency = true,
                         .has_rate = true};

    s.latency = s.rate.response = series(710, 1840, 3210);
    s.rate.service = series(700, 1800, 3000);
    s.rate.lag = series(10, 40, 210);
    s.rate.offered = s.rate.done = 1000;
    s.rate.late = 3;
    s.rate.unfinished = 4;
    s.server.on = s.self.on = true;
    s.server.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                       .have = SAMPLE_ALL,
                                       .cpu_ns = 600000000,
                                       .user_ns = 400000000,
                                       .sys_ns = 200000000,
                                       .vol_switches = 2500,
                                       .rss_bytes = 512 << 20,
                                       .threads = 21};
    s.self.d = (struct sample_delta){.wall_ns = NS_PER_SEC,
                                     .have = SAMPLE_ALL,
                                     .cpu_ns = 100000000,
                                     .user_ns = 60000000,
                                     .sys_ns = 40000000};
    return s;
}

static void table_expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_reset(out);
}

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
        {20, "8 more columns need a width of 67\n time s     tps\n      1 1000.00\n"},
        {30, "6 more columns need a width of 67\n"
             "                response, ms\n"
             " time s     tps    p50    p95\n"
             "      1 1000.00  0.710  1.840\n"},
        {67, "                 -- response, ms ---              - server - client\n"
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
        struct text_table *table = text_table_new(table_ask, &screen);
        struct snapshot s = second(1);
        struct str out = STR_INIT;
        text_table_interval(table, &out, &s, true);
        table_expect(&out, t[i].want);
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
        struct text_table *table = text_table_new(table_ask, &screen);
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
            CHECK(strstr(out.s, "more column") == NULL);
        }
        str_reset(&out);
        text_table_free(table);
    }
    str_free(&out);
}

/* The first line, and after each 20 rows; at once when something else was printed. */
static void headers(void)
{
    struct text_screen screen = {.width = 80};
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_screen screen = {.width = 90};
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
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
    struct text_table *table = text_table_new(table_ask, &screen);
    struct snapshot s = {.interval_ns = NS_PER_SEC / 4,
                         .elapsed_ns = 123456789 * NS_PER_MS,
                         .stamp_decimals = 2,
                         .events = 25};
    struct str out = STR_INIT;

    s.count[CNT_BYTES_READ] = s.total[CNT_BYTES_READ] = 3 << 20;
    text_table_interval(table, &out, &s, false);
    table_expect(&out,
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
    struct text_table *t = text_table_new(table_ask, &screen);
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
    rank[1].late = false, rank[2].lost = true;
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

/* --- columns --- */

static struct text_screen columns_ask(void *arg)
{
    return *(struct text_screen *)arg;
}

static void columns_expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_reset(out);
}

static struct host_delta machine(void)
{
    return (struct host_delta){.wall_ns = NS_PER_SEC,
                               .have = HOST_ALL,
                               .running = 3,
                               .blocked = 1,
                               .swpd = 7168,
                               .free = 102400,
                               .buff = 5120,
                               .cache = 204800,
                               .si = 2046,
                               .so = 1023,
                               .bi = 4092,
                               .bo = 8184,
                               .in = 12345,
                               .cs = 54321,
                               .us = 41.5,
                               .sy = 12.5,
                               .id = 35,
                               .wa = 10.5,
                               .st = 0.5,
                               .disk_read = 1048576,
                               .disk_written = 2621440,
                               .net_received = 524288,
                               .net_sent = 786432,
                               .stalled_pct = {21, 61, 1.5},
                               .mhz = 812.4,
                               .throttled_pct = 0.5,
                               .watts = {35, 5},
                               .battery_watts = 12.5};
}

/* The machine's columns: vmstat's names in vmstat's order, then the others. */
static void machine_columns(void)
{
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(columns_ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = 2 * NS_PER_SEC,
                         .events = 10,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    columns_expect(
        &out,
        "                                                            host    ----- memory, MiB ------  --- paging, KiB/s ----  ------------------ host ------------------  disk, MiB/s   net, MiB/s    ---- psi % -----               ---- host ----  -------- power, W ---------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s    r   b  swpd   free  buff  cache   si   so     bi     bo   in/s   cs/s   us%   sy%   id%   wa%   st%     rd     wr     rx     tx   cpu    io   mem   MHz throt%   in/tx  hcs/tx    pkg   dram    bat    J/tx\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 2046 1023   4092   8184  12345  54321  41.5  12.5  35.0  10.5   0.5   1.00   2.50   0.50   0.75  21.0  61.0   1.5   812    0.5 1234.50 5432.10   35.0    5.0   12.5  3.5000\n");
    str_free(&out);
    text_table_free(table);
}

/* Events per transaction have names of their own, and as many digits as one needs. */
static void event_columns(void)
{
    static const struct perf_spec event[] = {{.name = "context-switches"},
                                             {.name = "syscalls"},
                                             {.name = "page-faults"},
                                             {.name = "cpu-migrations"},
                                             {.name = "instructions:u"},
                                             {.name = "cycles:u"},
                                             {.name = "branches:u"},
                                             {.name = "branch-misses:u"},
                                             {.name = "L1-icache-load-misses:u"},
                                             {.name = "iTLB-load-misses:u"}};
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(columns_ask, &screen);
    struct probe_delta probe = {.how = "",
                                .events = 10,
                                .event = event,
                                .derived = PERF_IPC | PERF_ICACHE | PERF_ITLB | PERF_BRANCH};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 1000,
                         .probe = &probe};
    struct str out = STR_INIT;

    probe.perf.d = (struct perf_derived){.ipc = 1.25,
                                         .icache_per_instruction = 0.01234,
                                         .itlb_per_instruction = 0.000123,
                                         .branch_miss_pct = 2.5};
    for (size_t i = 0; i < probe.events; i++)
        probe.perf.f[i] =
            (struct perf_figure){.have = true, .count = 1000.0 * (double)(i + 1), .ratio = 1};
    text_table_interval(table, &out, &s, true);
    columns_expect(
        &out,
        "                                                           ----------------------------------------------------- server events ------------------------------------------------------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s   ipc brmis% icache/ins  itlb/ins csw/tx sysc/tx flt/tx migr/tx ins:u/tx cyc:u/tx  br:u/tx brmis:u/tx icache:u/tx itlb:u/tx\n"
        "      1 1000.00  0.00      0.0      0.0      0.0      0.0  1.25   2.50    0.01234  0.000123   1.00    2.00   3.00   4.000      5.0      6.0      7.0        8.0         9.0      10.0\n");
    str_free(&out);
    text_table_free(table);
}

/* Counters of the server's status are per second, gauges as they are. */
static void status_columns(void)
{
    static const struct status_name status[] = {{"Threads_running", true},
                                                {"Threads_connected", true},
                                                {"Queries", false},
                                                {"Innodb_row_lock_waits", false},
                                                {"Innodb_row_lock_time", false},
                                                {"Innodb_buffer_pool_reads", false},
                                                {"blks_read", false},
                                                {"blks_hit", false},
                                                {"Some_counter", false}};
    struct text_screen screen = {.width = 300};
    struct text_table *table = text_table_new(columns_ask, &screen);
    struct probe_delta probe = {.how = "", .statuses = 9, .status_name = status};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = &probe};
    struct str out = STR_INIT;

    probe.status = (struct status_delta){
        .wall_ns = 2 * NS_PER_SEC, .have = 0x1ff, .v = {10, 20, 30, 41, 50, 60, 70, 80, 90}};
    text_table_interval(table, &out, &s, true);
    columns_expect(
        &out,
        "                                                           ------------------------------ server status ------------------------------\n"
        " time s     tps err/s      qps      r/s      w/s      o/s  run  conn  quer/s lockw/s lockms/s bpread/s blkrd/s blkhit/s Some_counter/s\n"
        "      1    5.00  0.00      0.0      0.0      0.0      0.0   10    20    15.0    20.5     25.0     30.0    35.0     40.0          45.00\n");
    str_free(&out);
    text_table_free(table);
}

/* The columns that a narrower and narrower terminal gives up, one after the other.  Narrow ones
 * that were left out may come back in the place of a wide one, and go again. */
static void given_up(const struct probe_delta *probe, const char *want)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .events = 5,
                         .probe = probe};
    struct text_screen screen = {.width = 360};
    struct str before = STR_INIT, lost = STR_INIT;
    char *save = NULL;

    for (; screen.width > 20; screen.width--) {
        struct text_table *table = text_table_new(columns_ask, &screen);
        struct str out = STR_INIT, now = STR_INIT;
        text_table_interval(table, &out, &s, true);
        const char *names = strstr(out.s, " time s ");
        str_printf(&now, "%.*s ", (int)strcspn(names, "\n"), names);
        for (char *w = before.s ? strtok_r(before.s, " ", &save) : NULL; w;
             w = strtok_r(NULL, " ", &save)) {
            char word[40];
            snprintf(word, sizeof word, " %s ", w);
            if (!strstr(now.s, word))
                str_printf(&lost, "%s ", w);
        }
        str_free(&before);
        before = now;
        str_free(&out);
        text_table_free(table);
    }
    CHECK_STR(str_cstr(&lost), want);
    str_free(&before);
    str_free(&lost);
}

static void columns_given_up(void)
{
    static const struct status_name postgres[] = {
        {"active", true},         {"numbackends", true},  {"xact_commit", false},
        {"xact_rollback", false}, {"deadlocks", false},   {"conflicts", false},
        {"tup_returned", false},  {"tup_fetched", false}, {"tup_inserted", false},
        {"tup_updated", false},   {"tup_deleted", false}, {"temp_bytes", false},
        {"blks_read", false},     {"blks_hit", false}};
    struct probe_delta status = {.how = "", .statuses = 14, .status_name = postgres};
    struct probe_delta host = {.how = "", .has_host = true, .host = machine()};

    status.status = (struct status_delta){.wall_ns = NS_PER_SEC, .have = 0x3fff};
    given_up(&status,
             "o/s w/s r/s qps blkhit/s blkrd/s tempM/s tupdel/s tempM/s tupupd/s tempM/s tupins/s "
             "tempM/s tupfet/s tempM/s tupret/s tempM/s confl/s dead/s rollb/s dead/s commit/s "
             "rollb/s dead/s conn active conn ");
    given_up(&host,
             "o/s w/s r/s qps hcs/tx in/tx bo bi so si buff si swpd si J/tx swpd si bat swpd si "
             "dram swpd si pkg swpd si throt% swpd si MHz si cache MHz si free MHz si in/s MHz si "
             "tx MHz si rx MHz si b mem b st% b cs/s st% b io b cpu b rd cpu b wr cpu b wa% b r b "
             "id% r b sy% r b us% r b ");
}

/* What colours a figure: above the first limit, above the second. */
static void machine_colours(void)
{
    struct text_screen screen = {.width = 300, .colour = true};
    struct text_table *table = text_table_new(columns_ask, &screen);
    struct probe_delta probe = {.how = "", .has_host = true, .host = machine()};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .elapsed_ns = NS_PER_SEC,
                         .interval_ns = NS_PER_SEC,
                         .probe = &probe};
    struct str out = STR_INIT;

    text_table_interval(table, &out, &s, true);
    str_reset(&out);
    text_table_interval(table, &out, &s, true);
    columns_expect(
        &out,
        "      1    0.00  0.00      0.0      0.0      0.0      0.0    3   1     7    100     5    200 \033[33m2046\033[0m \033[33m1023\033[0m   4092   8184  12345  54321  41.5  12.5  35.0  \033[33m10.5\033[0m   0.5   1.00   2.50   0.50   0.75  \033[33m21.0\033[0m  \033[1;31m61.0\033[0m   \033[33m1.5\033[0m   812    \033[33m0.5\033[0m     n/a     n/a   35.0    5.0   12.5     n/a\n");
    str_free(&out);
    text_table_free(table);
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

static void all_columns(void)
{
    machine_columns();
    event_columns();
    status_columns();
    machine_colours();
    columns_given_up();
    numbers();
}

TEST_MAIN(text_table_test)
{
    all_lines();
    all_table();
    all_columns();
    return test_done("text_table");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stock's lines, byte for byte, in the dialect of each generation, with our additions where they
 * were asked for; which blocks follow stock's report, and in which order; the rate and its verdict.
 */
#include <stdlib.h>

#include "base/test_golden.h"
#include "report/test_fixture.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

static struct str out;

/* --- stock --- */

static struct snapshot figures(void)
{
    return (struct snapshot){
        .kind = SNAPSHOT_FINAL,
        .elapsed_ns = 4 * NS_PER_SEC + 12300000,
        .interval_ns = 2 * NS_PER_SEC,
        .threads = 9,
        .threads_running = 8,
        .events = 101,
        .reads = 1400,
        .writes = 400,
        .other = 200,
        .errors = 3,
        .reconnects = 1,
        .count = {[CNT_COMMIT] = 100},
        .percentiles = 1,
        .percentile = {95},
        .latency_pct_ms = {4.18},
        .latency_min_ms = 0.38,
        .latency_avg_ms = 0.86,
        .latency_max_ms = 5123.4,
        .latency_sum_ms = 86150.4,
        .events_avg = 50.5,
        .events_stddev = 40,
        .exec_avg_s = 10.0431,
        .exec_stddev_s = 0.004,
    };
}

static void several(struct snapshot *s)
{
    static const double p[] = {50, 95, 99, 99.9}, ms[] = {0.5, 4.18, 5, 1234.5};

    s->percentiles = 4;
    memcpy(s->percentile, p, sizeof p);
    memcpy(s->latency_pct_ms, ms, sizeof ms);
}

static void no_percentile(struct snapshot *s)
{
    s->percentiles = 0;
}

static void no_event(struct snapshot *s)
{
    *s = (struct snapshot){
        .interval_ns = NS_PER_SEC, .threads_running = 8, .percentiles = 1, .percentile = {95}};
}

static void unfinished(struct snapshot *s)
{
    s->unfinished_forced = 7;
}

static void queued(struct snapshot *s)
{
    s->has_rate = s->stock_rate = true;
    s->queue_length = 5;
    s->concurrency = 2;
}

static void plain(struct snapshot *s)
{
    s->has_rate = s->plain_rate = true;
}

static void later(struct snapshot *s) /* --report-interval=0.25 */
{
    s->elapsed_ns = 10000 * NS_PER_SEC;
    s->stamp_decimals = 2;
    s->warmup = true;
}

static const struct {
    const char *name;
    void (*change)(struct snapshot *s);
} stock[] = {{"several percentiles", several},
             {"no percentile", no_percentile},
             {"no event", no_event},
             {"unfinished", unfinished},
             {"stock's rate", queued},
             {"an old rate", plain},
             {"later", later}};

static void one_stock(const struct snapshot *s, enum generation g, enum text_form form,
                      const char *name)
{
    text_interval(&out, s, form, NULL, g, NULL);
    text_cumulative(&out, s, form, g);
    golden(&out, "generation %d, %s, %s", g, form == TEXT_SQL ? "SQL" : "generic", name);
}

static void all_stock(void)
{
    static const struct snapshot_client c[] = {
        {.events = 2, .sum_ns = NS_PER_SEC, .min_ns = 1, .max_ns = 2},
        {.min_ns = -1, .max_ns = -1}};

    for (enum generation g = 0; g < GENERATION_MAX; g++) {
        struct snapshot s = figures();
        one_stock(&s, g, TEXT_SQL, "plain");
        one_stock(&s, g, TEXT_GENERIC, "plain");
        for (size_t i = 0; i < COUNT(stock); i++) {
            s = figures();
            stock[i].change(&s);
            one_stock(&s, g, i % 2 ? TEXT_SQL : TEXT_GENERIC, stock[i].name);
        }
        s.clients = c, s.nclients = 2;
        text_checkpoint_stamp(&out, &s, g);
        text_interval(&out, &s, TEXT_GENERIC, "1.00 MB/sec,", g, NULL);
        text_threads(&out, &s, g);
        golden(&out, "generation %d, stamps and threads", g);
        /* of cpu, threads and mutex */
        CHECK(!text_end_only(TEXT_SQL, g));
        CHECK_INT(text_end_only(TEXT_GENERIC, g), generation_facts(g)->statements_always);
    }
}

/* Labels of every length; the last digit stays in its column. */
static void columns(void)
{
    static const double t[][2] = {{1, 0}, {100, 0.25}, {99.9, 0.25}, {0.5, 12345.678}, {99.999, 1}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct snapshot s = {
            .percentiles = 1, .percentile = {t[i][0]}, .latency_pct_ms = {t[i][1]}};
        text_percentile_lines(&out, &s, 53);
        CHECK_INT(out.len, 54 * (i + 1));
    }
    golden(&out, "lines of percentiles");
}

static void histogram(void)
{
    struct hist_counts h;

    hist_counts_init(&h, HIST_STOCK_SIZE);
    text_histogram(&out, &h);
    CHECK_INT(out.len, 0);
    hist_counts_put(&h, 0, 1);
    hist_counts_put(&h, 100, 40);
    hist_counts_put(&h, 1023, 3);
    text_histogram(&out, &h);
    golden(&out, "histogram");
    hist_counts_fini(&h);
}

/* --- the rate --- */

/* The response time at the percentiles that stock's part lacks, and no key that a parser could take
 * for stock's, or that has two meanings. */
static void rated_line(void)
{
    static const struct {
        size_t n;
        double p[3];
    } t[] = {{1, {95}}, {3, {99, 50, 95}}, {2, {99.9, 99}}, {0, {0}}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct snapshot s = fixture_second(1);
        s.percentiles = t[i].n;
        memcpy(s.percentile, t[i].p, sizeof t[i].p);
        text_interval(&out, &s, TEXT_GENERIC, NULL, GENERATION_1_0, NULL);
    }
    golden(&out, "interval lines of a rate");
}

/* A line that becomes too long lacks its less useful figures, and they do not come back. */
static void fitted(void)
{
    static const size_t most[] = {350, 250, 160, 1, 350};
    struct snapshot s = fixture_second(1);
    struct text_fit fit = {.kept = SIZE_MAX};
    struct str all = STR_INIT;

    s.clients_missing = 4;
    for (size_t i = 0; i < COUNT(most); i++) {
        str_adds(&out, "before it\n");
        fit.most = most[i];
        text_interval(&out, &s, TEXT_SQL, NULL, GENERATION_1_0, &fit);
        CHECK(out.len - 11 <= most[i] || most[i] == 1);
        str_printf(&all, "%s%zu hidden\n", out.s + 10, fit.hidden);
        str_reset(&out);
    }
    golden(&all, "less and less room");
    str_free(&all);
}

static void rate(struct snapshot *s, const char *title)
{
    text_rate(&out, s);
    golden(&out, "rate: %s", title);
}

static void rates(void)
{
    static struct snapshot_stage stage[9] = {{.text = "10:1s"}, {.text = "20-30:2s"}};
    struct snapshot s = fixture_second(4);
    const struct snapshot_rate q = {.target = 50,
                                    .achieved = NAN,
                                    .total_offered = 203,
                                    .total_done = 190,
                                    .total_failed = 4,
                                    .total_dropped = 3,
                                    .total_late = 17,
                                    .events_least = 94,
                                    .events_most = 96,
                                    .response = s.rate.response,
                                    .service = s.rate.service,
                                    .lag = s.rate.lag};

    s.rate = q;
    rate(&s, "plain");
    s.rate.waiting = 4;
    s.rate.in_flight = 1;
    s.rate.oldest_ns = 1234567890;
    s.rate.withdrawn = 1;
    s.rate.shared = true;
    s.rate.total_lost = 2;
    s.rate.achieved = 48;
    s.rate.target = 0.09;
    s.rate.target_changed = true;
    rate(&s, "unfinished, lost, low, by hand");
    s.rate = q;
    s.rate.target_changed = true;
    s.stages = stage;
    s.nstages = 2;
    rate(&s, "stages, and by hand");
    for (size_t i = 2; i < COUNT(stage); i++)
        stage[i].text[0] = (char)('0' + i);
    s.nstages = COUNT(stage);
    s.stages_lost = 2;
    s.rate.target_changed = false;
    s.rate.target = 0;
    rate(&s, "many stages");
    s.find = &(struct find_record){.end = FIND_NONE};
    rate(&s, "a search");
    s.has_rate = false;
    rate(&s, "nobody asked");
}

/* Whether the rate was sustained, and why not or with which reservation. */
static void verdicts(void)
{
    static const struct {
        uint64_t offered;
        struct report_end end;
    } t[] = {{0, {.sustained = true, .why = ""}},
             {1, {.sustained = true, .why = "", .interrupted = ""}},
             {1, {.why = "one failed"}},
             {2, {.sustained = true, .why = "late"}},
             {2, {.sustained = true, .why = "after a backlog"}},
             {2, {.unknown = true, .why = "x"}},
             {2, {.why = "", .since_stage = 1, .since = "9:1s"}},
             {2, {.why = "", .interrupted = "A"}}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct snapshot s = {.has_rate = true, .rate.total_offered = t[i].offered};
        text_verdict(&out, &s, &t[i].end);
    }
    golden(&out, "verdicts");
}

/* --- additions --- */

/* The first words of the lines that are not indented, and "sustained". */
static void blocks(const struct snapshot *s, const struct report_info *i, const char *title)
{
    static const struct report_end sustained = {.sustained = true, .why = ""};
    struct str all = STR_INIT;
    char *rest;

    if (s)
        text_additions(&all, s, &sustained, i, TEXT_BRIEF, TEXT_WIDTH);
    else
        text_ending(&all, i);
    rest = all.s;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *word = line + strspn(line, " ");
        if (*word && (word == line || strncmp(word, "sustained:", 10) == 0))
            str_printf(&out, "%.*s|", (int)strcspn(word, ":"), word);
    }
    str_printf(&out, " of %s\n", title);
    str_free(&all);
}

static void all_blocks(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .interval_ns = NS_PER_SEC, .ncpu = 1};
    static const struct report_info nothing = {0}, *const info = &fixture_info;

    blocks(&s, &nothing, "nothing");
    blocks(&s, info, "the run");
    s.has_rate = true;
    blocks(&s, info, "a rate");
    s.retries.transactions = 1;
    blocks(&s, info, "retries");
    s.retries.transactions = 0;
    s.self.on = s.server.on = true;
    s.server.describe = s.self.describe = "db";
    blocks(&s, info, "a server");
    s.elapsed_ns = 2 * NS_PER_SEC; /* a checkpoint before: one span above the line, one below it */
    blocks(&s, info, "after a checkpoint");
    blocks(&s, &nothing, "after a checkpoint, no more");
    s.has_rate = false;
    blocks(&s, &nothing, "after a checkpoint, without a rate");
    s.has_rate = true;
    s.elapsed_ns = s.interval_ns;
    s.stock_rate = true;
    blocks(&s, info, "stock's rate");
    s.stock_rate = false;
    s.kind = SNAPSHOT_CHECKPOINT; /* the run goes on */
    blocks(&s, info, "a checkpoint");
    blocks(NULL, info, "an ending");
    blocks(NULL, &nothing, "an ending, nothing");
    golden(&out, "blocks");
}

TEST_MAIN(text_test)
{
    all_stock();
    columns();
    histogram();
    rated_line();
    fitted();
    rates();
    verdicts();
    all_blocks();
    str_free(&out);
    golden_done("text");
    return test_done("text");
}

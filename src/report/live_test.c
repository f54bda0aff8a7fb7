/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The data of the live page: rows and their numbers, the ring's two limits, what is missing, marks
 * and states; and a reader beside the writer.
 */
#include "report/live.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/test_golden.h"
#include "report/test_fixture.h"

static struct report_label label[] = {{(char *)(uintptr_t) "env", (char *)(uintptr_t) "lab"}};
static const struct report_info with_intervals = {.version = "1",
                                                  .test = "t",
                                                  .command = "run",
                                                  .label = label,
                                                  .labels = 1,
                                                  .wall = 5 * NS_PER_SEC,
                                                  .intervals = true};

static struct snapshot interval(unsigned k, dur_ns length)
{
    return (struct snapshot){.kind = SNAPSHOT_INTERVAL,
                             .at = 1000 * NS_PER_SEC + k * length,
                             .wall = 2000 * NS_PER_SEC + k * length,
                             .elapsed_ns = k * length,
                             .interval_ns = length,
                             .threads_running = 4,
                             .events = k,
                             .ncpu = 1};
}

static const char *json(struct live *l, uint64_t after)
{
    static struct str text;

    str_reset(&text);
    live_json(l, after, &text);
    return str_cstr(&text);
}

static bool has(struct live *l, uint64_t after, const char *part)
{
    return strstr(json(l, after), part) != NULL;
}

/* How many rows there are, and the number of the first. */
static unsigned rows(struct live *l, uint64_t after, unsigned *first)
{
    const char *p = strstr(json(l, after), "\"rows\":[");
    unsigned n = 0;

    *first = 0;
    for (p = p + strlen("\"rows\":"); (p = strpbrk(p + 1, "[]")) && *p == '['; p = strchr(p, ']'))
        if (n++ == 0)
            *first = (unsigned)atoi(p + 1);
    return n;
}

static struct live *fresh(struct marks *m)
{
    return live_new(&with_intervals, m, true);
}

/* Rows are those that the reader lacks; one that knows another run gets all. */
static void numbers(void)
{
    struct marks *m = marks_new();
    struct live *l = fresh(m);
    unsigned first;

    golden_text(json(l, 0), "nothing yet");
    for (unsigned k = 1; k <= 5; k++) {
        struct snapshot s = interval(k, NS_PER_SEC);
        live_snapshot(l, &s);
    }
    struct snapshot other = interval(6, NS_PER_SEC);
    other.kind = SNAPSHOT_CHECKPOINT;
    live_snapshot(l, &other);
    golden_text(json(l, 3), "after row 3; a checkpoint does not count");
    other.kind = SNAPSHOT_FINAL;
    live_snapshot(l, &other);
    golden_text(json(l, 5), "no row after the fifth");
    CHECK(rows(l, 0, &first) == 5 && first == 1);
    CHECK(rows(l, 6, &first) == 5);
    live_free(l);
    marks_free(m);
}

/* Ten minutes of seconds; of tenths of a second as many as there is room for. */
static void limits(void)
{
    struct marks *m = marks_new();
    struct live *l = fresh(m), *dense = fresh(m);
    struct snapshot s;
    unsigned first;

    for (unsigned k = 1; k <= 700; k++) {
        s = interval(k, NS_PER_SEC);
        live_snapshot(l, &s);
    }
    CHECK_INT(rows(l, 0, &first), 601);
    CHECK_INT(first, 100);
    CHECK_INT(rows(l, 50, &first), 601);
    for (unsigned k = 1; k <= 3000; k++) {
        s = interval(k, NS_PER_SEC / 10);
        live_snapshot(dense, &s);
    }
    CHECK_INT(rows(dense, 0, &first), LIVE_ROWS);
    CHECK_INT(first, 3000 - LIVE_ROWS + 1);
    live_free(l);
    live_free(dense);
    marks_free(m);
}

static void checkpoints(void)
{
    static const struct report_info info = {.version = "1", .test = "t", .command = "run"};
    struct marks *m = marks_new();
    struct live *l = live_new(&info, m, false);
    struct snapshot s = interval(1, NS_PER_SEC);

    s.kind = SNAPSHOT_CHECKPOINT;
    s.warmup = true;
    live_snapshot(l, &s);
    golden_text(json(l, 0), "checkpoints alone");
    live_free(l);
    marks_free(m);
}

/* Texts of servers are data of the page. */
static void events(void)
{
    const struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct marks *m = marks_new();
    struct live *l = fresh(m);
    struct snapshot s = interval(1, NS_PER_SEC);

    s.by_code = f->error, s.nby_code = 1;
    s.at = f->s.at, s.elapsed_ns = f->s.elapsed_ns;
    s.incident = f->s.incident + 5, s.incidents = s.incidents_told = 1;
    live_snapshot(l, &s);
    golden_text(json(l, 0), "an error and an incident");
    s.rank = f->rank, s.nranks = 3;
    s.host = f->host, s.hosts = 2;
    live_snapshot(l, &s);
    CHECK(has(l, 0, "\"ranks\":[{\"rank\":0,\"host\":\"load1\","));
    CHECK(has(l, 0, "\"hosts\":[{\"host\":\"db\\\"1\\\",x:3306\",\"clients\":"));
    s.kind = SNAPSHOT_FINAL; /* has what the text has at the end */
    s.phases = &(struct snapshot_phase){.s = &s}, s.nphases = 1;
    live_snapshot(l, &s);
    CHECK(
        has(l, 0, "\"phases\":[{\"begin_s\":20,\"end_s\":21,\"marks\":[],\"figures\":{\"kind\":"));
    s.kind = SNAPSHOT_INTERVAL;
    s.hosts = 0; /* as in a run that follows */
    live_snapshot(l, &s);
    CHECK(!has(l, 0, "\"hosts\":"));
    live_free(l);
    marks_free(m);
}

static void states(void)
{
    static const struct report_end end = {.status = "completed",
                                          .measured = true,
                                          .has_rate = true,
                                          .sustained = true,
                                          .accounts_balance = true,
                                          .offered = 1,
                                          .why = ""};
    struct marks *m = marks_new();
    struct live *l = fresh(m);

    CHECK_STR(live_mark(l, "early", 5), "the run is not under way");
    live_enter(l, LIVE_WARMING_UP, clock_mono() + 3600 * NS_PER_SEC);
    CHECK(has(l, 0, "\"state\":\"warming up\""));
    CHECK(!live_mark(l, "a \"b\"", 5));
    live_enter(l, LIVE_WARMING_UP, clock_mono());
    CHECK(has(l, 0, "\"state\":\"running\"") && has(l, 0, "\"end\":null"));
    CHECK(!live_mark(l, "", 0));
    live_enter(l, LIVE_ENDING, 0);
    CHECK(has(l, 0, "\"state\":\"ending\""));
    CHECK_STR(live_mark(l, "late", 4), "the run is not under way");
    CHECK_INT(marks_count(m), 2);
    CHECK(has(l, 0, "\"source\":\"page\",\"text\":\"a \\\"b\\\"\"}"));
    CHECK(has(l, 0, "\"text\":\"mark\"}]}"));
    live_end(l, &end);
    CHECK(has(l, 0, "\"state\":\"ended\"") && has(l, 0, "\"status\":\"completed\""));
    CHECK(has(l, 0, "\"verdict\":{\"sustained\":true"));
    for (int i = 0; i < 150; i++)
        marks_add(m, MARK_SCRIPT, 0, i < 50 ? "gone" : "kept", 4);
    CHECK(has(l, 0, "\"marks_total\":152,"));
    CHECK(!has(l, 0, "\"gone\"") && has(l, 0, "\"kept\""));
    live_free(l);
    marks_free(m);
}

/* The page must not say that a mark is set which no report will have. */
static void too_many_marks(void)
{
    struct marks *m = marks_new();
    struct live *l = fresh(m);

    live_enter(l, LIVE_WARMING_UP, clock_mono());
    for (int i = 1; i < MARKS_MOST; i++)
        marks_add(m, MARK_SCRIPT, 0, "x", 1);
    CHECK(!live_mark(l, "last", 4));
    CHECK_STR(live_mark(l, "one more", 8), "the run has too many marks to keep another");
    CHECK_INT(marks_count(m), MARKS_MOST);
    live_free(l);
    marks_free(m);
}

struct reader {
    struct live *live;
    _Atomic bool over;
    unsigned long answers, wrong;
};

/* Every answer is whole: its rows follow each other up to `last`. */
static void *read_on(void *arg)
{
    struct reader *r = arg;
    struct str text = STR_INIT;

    while (!atomic_load(&r->over)) {
        const char *p;
        unsigned long last, expect;
        str_reset(&text);
        live_json(r->live, 0, &text);
        last = strtoul(strstr(str_cstr(&text), "\"last\":") + 7, NULL, 10);
        p = strstr(str_cstr(&text), "\"rows\":[") + 7;
        expect = p[1] == '[' ? strtoul(p + 2, NULL, 10) : last + 1;
        for (; (p = strpbrk(p + 1, "[]")) && *p == '['; p = strchr(p, ']'))
            r->wrong += strtoul(p + 1, NULL, 10) != expect++;
        r->wrong += expect != last + 1;
        r->answers++;
    }
    str_free(&text);
    return NULL;
}

static void reader_beside_writer(void)
{
    struct marks *m = marks_new();
    struct reader r = {.live = fresh(m)};
    pthread_t t;

    pthread_create(&t, NULL, read_on, &r);
    for (unsigned k = 1; k <= 5000; k++) {
        struct snapshot s = interval(k, NS_PER_SEC / 10);
        live_snapshot(r.live, &s);
    }
    atomic_store(&r.over, true);
    pthread_join(t, NULL);
    CHECK_INT(r.wrong, 0);
    live_free(r.live);
    marks_free(m);
}

TEST_MAIN(live_test)
{
    numbers();
    limits();
    checkpoints();
    events();
    states();
    too_many_marks();
    reader_beside_writer();
    live_free(NULL);
    golden_done("live");
    return test_done("live_test");
}

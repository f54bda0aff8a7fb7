/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of metrics keep the conventions; running totals; both formats letter by letter.
 * formats_test has the metric of each figure, and those of a whole run, which parsers read in
 * tests/t/report_metrics.t.
 */
#include <math.h>
#include <stdlib.h>

#include "base/test_golden.h"
#include "report/metrics.h"
#include "report/test_fixture.h"

static bool is_snake_case(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && !strstr(name, "__") &&
           name[strlen(name) - 1] != '_' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

/* Abbreviations, units that are no base units, types, and what the formats add themselves. */
static bool has_word_to_avoid(const char *name)
{
    static const char *const words[] = {"s",       "ms",    "us",      "ns",    "pct",
                                        "percent", "hz",    "kb",      "total", "sum",
                                        "counter", "gauge", "summary", "count", "bucket"};
    char copy[128], *save = NULL, before[128] = "";
    bool bad = false;

    snprintf(copy, sizeof copy, "%s", name);
    for (char *w = strtok_r(copy, "_", &save); w; w = strtok_r(NULL, "_", &save)) {
        bad = bad || strcmp(w, before) == 0; /* no word twice in a row */
        snprintf(before, sizeof before, "%s", w);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            bad = bad || strcmp(w, words[i]) == 0;
    }
    return bad;
}

static void one(void *arg, const struct field *f)
{
    struct metric m;

    (void)arg;
    metric_of(f, &m);
    if (m.how == METRIC_NONE)
        return;
    TEST_REPORT(is_snake_case(m.family) && !has_word_to_avoid(m.family), "bad name %s", m.family);
    TEST_REPORT(m.help && *m.help, "%s has no help", m.family);
}

/* --- the two texts --- */

static void fill(struct metrics *m)
{
    static char name[] = "env", value[] = "a\\b\"c\nd\xff";
    const struct report_label label[] = {{name, value}};
    const struct metrics_label user = {"mode", "user"}, system = {"mode", "system"};

    metrics_labels(m, "x.lua", label, 1);
    metrics_add(m, METRICS_INFO, "run", "says \"what\"", "", NULL, 0, figures_whole(1));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "a\\b\nc", "", &user, 1, figures_number(0.1));
    metrics_add(m, METRICS_GAUGE, "empty", "nothing", "", NULL, 0, figures_number(NAN));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "", "", &system, 1, figures_number(2));
    metrics_add(m, METRICS_GAUGE, "threads", "t", "", NULL, 0, figures_whole(UINT64_MAX));
}

static void texts(void)
{
    struct metrics m = {0};
    struct str out = STR_INIT;

    for (int form = METRICS_PROMETHEUS; form <= METRICS_OPENMETRICS; form++) {
        fill(&m);
        metrics_render(&m, (enum metrics_form)form, &out);
        metrics_clear(&m);
    }
    golden(&out, "both formats");
    str_free(&out);
    metrics_free(&m);
}

#define INTERVAL   SNAPSHOT_INTERVAL
#define CHECKPOINT SNAPSHOT_CHECKPOINT
#define FINAL      SNAPSHOT_FINAL

static const struct {
    const char *key;
    enum snapshot_kind kind;
    bool intervals;
    double growth, total;
} reports[] = {
    {"a", INTERVAL, true, 5, 5},
    {"b", INTERVAL, true, 1, 1},
    {"c", INTERVAL, true, 2, 2},
    {"a", INTERVAL, true, 5, 10},
    {"c", INTERVAL, true, 3, 5},
    {"a", CHECKPOINT, true, 12, 10}, /* more is known, and said in the summary */
    {"b", CHECKPOINT, true, 1, 1},
    {"a", INTERVAL, true, 1, 11},
    {"a", FINAL, true, 1, 13},
    {"b", FINAL, true, 0, 1},
    {"c", FINAL, true, 4, 5}, /* a total never falls */
    {"d", CHECKPOINT, false, 7, 7},
    {"d", CHECKPOINT, false, 2, 9},
    {"d", FINAL, false, 1, 10},
    {"e", CHECKPOINT, true, 7, 0},
};

/* Several at a time, each by its key. */
static void totals_by_key(void)
{
    struct metrics_totals t = {0};
    const double *e;

    CHECK(metrics_grow(&t, "a", FINAL, true, NAN) == NULL);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const double *now;
        double total = *metrics_grow(&t, reports[i].key, reports[i].kind, reports[i].intervals,
                                     reports[i].growth);
        CHECK_NEAR(total, reports[i].total, 0);
        now = metrics_grow(&t, reports[i].key, INTERVAL, true, NAN);
        CHECK(now && *now == total);
    }
    CHECK_INT(t.n, 5);
    CHECK(metrics_grow(&t, "f", INTERVAL, true, NAN) == NULL);
    e = metrics_grow(&t, "e", CHECKPOINT, true, NAN);
    CHECK(e && *e == 0);
    e = metrics_grow(&t, "e", FINAL, true,
                     NAN); /* without growth of its own: what the checkpoints saw */
    CHECK(e && *e == 7);
    metrics_totals_free(&t);
}

TEST_MAIN(metrics_test)
{
    fields_each(&fixture(SNAPSHOT_FINAL, 1)->s, one, NULL);
    totals_by_key();
    texts();
    golden_done("metrics");
    return test_done("metrics");
}

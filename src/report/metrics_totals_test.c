/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Totals of growth that intervals, checkpoints and the summary report: several at a time, each by
 * its key.
 */
#include "report/metrics_totals.h"

#include "base/test.h"

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

TEST_MAIN(metrics_totals_test)
{
    struct metrics_totals t = {0};
    const double *e;

    CHECK(metrics_total(&t, "a", FINAL) == NULL);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const double *now;
        double total = metrics_grow(&t, reports[i].key, reports[i].kind, reports[i].intervals,
                                    reports[i].growth);
        CHECK_NEAR(total, reports[i].total, 0);
        now = metrics_total(&t, reports[i].key, INTERVAL);
        CHECK(now && *now == total);
    }
    CHECK_INT(t.n, 5);
    CHECK(metrics_total(&t, "f", INTERVAL) == NULL);
    e = metrics_total(&t, "e", CHECKPOINT);
    CHECK(e && *e == 0);
    e = metrics_total(&t, "e", FINAL); /* without growth of its own: what the checkpoints saw */
    CHECK(e && *e == 7);
    metrics_totals_free(&t);
    return test_done("metrics_totals");
}

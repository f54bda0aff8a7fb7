/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of --batch: figures of the whole run, from the histograms of its intervals.
 */
#include "session/console.h"

#include "base/test.h"

static struct hist_counts interval, service;

static const char *line(struct hist_counts *b, int64_t ns, uint64_t n, bool of_service)
{
    static char text[200];
    struct snapshot s = {.percentiles = 1,
                         .percentile = {95},
                         .hists = {.response = &interval, .service = &service}};
    struct str out = STR_INIT;

    hist_counts_clear(&interval);
    hist_counts_put(&interval, hist_index(ns), n);
    batch_line(b, &out, &s, of_service);
    snprintf(text, sizeof text, "%s", str_cstr(&out));
    str_free(&out);
    return text;
}

TEST_MAIN(batch_test)
{
    struct hist_counts all, *b = &all;

    hist_counts_init(b, HIST_BUCKETS);
    hist_counts_init(&interval, HIST_BUCKETS);
    hist_counts_init(&service, HIST_BUCKETS);
    CHECK_STR(line(b, 1, 0, false), "min: 0.0000  avg: 0.0000  max: 0.0000  percentile: 0.0000\n");
    CHECK_STR(line(b, 20 * NS_PER_MS, 3, false),
              "min: 0.0200  avg: 0.0200  max: 0.0200  percentile: 0.0200\n");
    CHECK_STR(line(b, 40 * NS_PER_MS, 1, false),
              "min: 0.0200  avg: 0.0250  max: 0.0400  percentile: 0.0400\n");
    CHECK_STR(line(b, 1, 0, false), "min: 0.0200  avg: 0.0250  max: 0.0400  percentile: 0.0400\n");
    hist_counts_clear(b);
    hist_counts_put(&service, hist_index(10 * NS_PER_MS), 1);
    CHECK_STR(line(b, 20 * NS_PER_MS, 3, true),
              "min: 0.0100  avg: 0.0100  max: 0.0100  percentile: 0.0100\n");
    hist_counts_fini(b);
    hist_counts_fini(&interval);
    hist_counts_fini(&service);
    return test_done("batch");
}

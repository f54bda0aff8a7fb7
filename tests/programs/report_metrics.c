/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the metrics of a made-up report in which every figure exists, as OpenMetrics text: all
 * that the program can emit, independent of this machine and its kernel.  The tests compare the
 * documents and the dashboard with it.
 */
#include <stdio.h>

#include "report/report.h"

/* The last text has everything; earlier ones are ignored. */
static void print(void *ended, const struct str *prometheus, const struct str *openmetrics)
{
    (void)prometheus;
    if (*(bool *)ended)
        fputs(str_cstr(openmetrics), stdout);
}

static const struct perf_spec event[] = {{.name = "instructions:u"}};
static const struct status_name status[] = {{"Threads_running", true}, {"Queries", false}};

static const struct probe_delta probe = {.events = 1,
                                         .event = event,
                                         .derived = PERF_IPC | PERF_ICACHE | PERF_ITLB |
                                                    PERF_BRANCH | PERF_WORK,
                                         .how = "made up",
                                         .perf.f = {{.have = true, .count = 1, .ratio = 1}},
                                         .has_host = true,
                                         .host = {.wall_ns = NS_PER_SEC,
                                                  .have = ~0u,
                                                  .cpus = 2,
                                                  .disk = {{.known = true}, {.known = true}}},
                                         .statuses = 2,
                                         .status_name = status,
                                         .status.have = 3};

static const struct snapshot_server process = {
    .on = true, .describe = "made up", .d = {.wall_ns = NS_PER_SEC, .have = ~0u}};

static const struct stmt_figures statement[] = {{.name = "made up", .count = 1}};
static const struct mark mark[] = {{.text = "made up"}};
static const struct error_row row = {.class = "other", .text = "made up", .count = 1};
static const struct snapshot_error error[] = {{.row = &row, .count = 1}};
static const struct outage outage[] = {{.success = 1, .over = 1, .errors = 1}};
static const struct snapshot_outages outages = {.row = outage, .n = 1};
static const struct snapshot_incident incident[] = {{.kind = INCIDENT_SERVER_RESTARTED}};
static const struct snapshot_host host[] = {{.name = "made up"}};

int main(void)
{
    struct snapshot part = {.interval_ns = NS_PER_SEC, .has_rate = true};
    const struct snapshot_stage stage[] = {{.s = &part, .text = "made up", .judged = true}};
    struct snapshot s = {.kind = SNAPSHOT_FINAL,
                         .events = 1,
                         .interval_ns = NS_PER_SEC,
                         .has_latency = true,
                         .has_rate = true,
                         .may_miss = true,
                         .server = process,
                         .self = process,
                         .machine = {.known = true, .others_pct = 30, .stolen_pct = 1},
                         .ncpu = 2,
                         .probe = &probe,
                         .statements = statement,
                         .nstatements = 1,
                         .marks = mark,
                         .nmarks = 1,
                         .by_code = error,
                         .nby_code = 1,
                         .outages = &outages,
                         .incident = incident,
                         .incidents = 1,
                         .host = host,
                         .hosts = 1,
                         .stages = stage,
                         .nstages = 1,
                         .connections = {.limited = true, .plain = 1, .connect.n = 1, .away.n = 1},
                         .batches = {.asked = true, .batches = 1, .answers = 1}};
    const struct snapshot_rank rank = {
        .host = "made up", .clients = 1, .per_s = 1, .cpu_pct = 1, .cpus = 1, .has_clock = true};
    const struct report_info info = {.version = "0", .test = "-", .command = "run"};
    const struct report_end end = {.status = "completed", .why = ""};
    struct snapshot_client client = {.events = 1};
    struct report_files *r = NULL;
    struct err e = {0};
    bool ended = false;

    s.total[CNT_BYTES_READ] = 1;
    s.rate.shared = true;
    s.rank = &rank;
    s.nranks = 1;
    s.clients = &client;
    s.nclients = 1;
    report_files_publish(&r, print, &ended);
    if (report_files_open(r, &info, &e))
        return 1;
    report_files_snapshot(r, &s);
    ended = true;
    report_files_close(r, &end);
    report_files_free(r);
    return 0;
}

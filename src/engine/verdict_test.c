/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Verdicts for tables of readings: the result, and the whole sentence with its figures.
 */
#include "engine/verdict.h"

#include <math.h>

#include "base/test.h"

#define MS (double)NS_PER_MS

/* 16 clients at 1,000/s for a minute, each transaction 2 ms: nothing to say. */
#define WELL                                                                                       \
    .clients = 16, .cpus = 8, .target = 1000, .tolerance_pct = 1, .offered = 60000, .done = 60000, \
    .service_n = 60000, .service_mean = 2 * MS, .longest = 9 * NS_PER_MS,                          \
    .scheduled = 60 * NS_PER_SEC, .begun = 60 * NS_PER_SEC, .lag_max = NS_PER_MS / 2

/* Each case is WELL with the listed changes. */
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct {
    const char *name;
    struct verdict_readings r;
    bool sustained;
    const char *why;
} cases[] = {
    {"all is well", {WELL}, true, ""},
    {"half a per cent is missing", {WELL, .done = 59700, .unfinished = 300}, true, ""},
    {"nothing was due",
     {WELL, .offered = 0, .done = 0, .service_n = 0, .service_mean = NAN},
     true,
     ""},
    {"too few clients",
     {WELL, .done = 53040, .unfinished = 6960, .service_mean = 18.1 * MS, .late = 53000},
     false,
     "all 16 clients were busy (limit about 884/s); raise --threads"},
    {"a read-only server, whose errors are ignored",
     {WELL, .done = 500, .unfinished = 59500, .service_mean = 18.1 * MS, .late = 400,
      .errors = 59100, .error = "read-only", .error_code = "1290 (HY000)", .error_count = 58860},
     false,
     "read-only server: 1290 (HY000) 58,860 times; fix this first"},
    {"few errors explain nothing",
     {WELL, .done = 53040, .unfinished = 6960, .service_mean = 18.1 * MS, .late = 53000,
      .errors = 3, .error = "deadlock", .error_code = "1213 (40001)", .error_count = 3},
     false,
     "all 16 clients were busy (limit about 884/s); raise --threads"},
    {"the server was away",
     {WELL, .done = 50000, .unfinished = 10000, .late = 3000, .errors = 90, .away = 10 * NS_PER_SEC,
      .away_error = "connection", .away_code = "2002 (HY000)", .away_count = 60},
     false,
     "no transaction succeeded for 10.000 s (no connection: 2002 (HY000) 60 times); see Outages"},
    {"away, and errors of the load that are more frequent",
     {WELL, .done = 50000, .unfinished = 10000, .late = 3000, .errors = 990,
      .away = 10 * NS_PER_SEC, .error = "duplicate", .error_code = "23505", .error_count = 900,
      .away_error = "cancelled", .away_code = "57014", .away_count = 90},
     false,
     "no transaction succeeded for 10.000 s (cancelled statements: 57014 90 times); see Outages"},
    {"away, and done afterwards",
     {WELL, .late = 3000, .errors = 1, .away = 2 * NS_PER_SEC, .away_error = "shutdown",
      .away_code = "57P01", .away_count = 1},
     true,
     "no transaction succeeded for 2.000 s (server shutting down or starting: 57P01 once); see "
     "Outages"},
    {"away, but for a moment",
     {WELL, .done = 53040, .unfinished = 6960, .service_mean = 18.1 * MS, .late = 53000,
      .errors = 1, .away = NS_PER_SEC / 10, .away_error = "connection", .away_code = "2013 (HY000)",
      .away_count = 1},
     false,
     "all 16 clients were busy (limit about 884/s); raise --threads"},
    {"failed by a class that is named",
     {WELL, .done = 59000, .failed = 1000, .errors = 1001, .error = "other", .error_code = "1364",
      .error_count = 1001},
     false,
     "1000 of 60000 transactions failed (errors: 1364 1,001 times); fix this first"},
    {"one client",
     {WELL, .clients = 1, .done = 37500, .unfinished = 22500, .service_mean = 1.6 * MS,
      .late = 37000},
     false,
     "the only client was busy (limit about 625/s); raise --threads"},
    {"a limit of thousands",
     {WELL, .target = 2000000, .offered = 120000000, .done = 80000000, .unfinished = 40000000,
      .service_mean = 0.013 * MS, .longest = NS_PER_MS, .late = 80000000},
     false,
     "all 16 clients were busy (limit about 1,230,769/s); raise --threads"},
    {"a limit below one",
     {WELL, .clients = 2, .target = 2, .offered = 120, .done = 40, .unfinished = 80, .late = 40,
      .service_n = 40, .service_mean = 3000 * MS, .longest = 4 * NS_PER_SEC},
     false,
     "both clients were busy (limit about 0.67/s); raise --threads"},
    {"think time is part of a client's time",
     {WELL, .clients = 10, .offered = 3000, .done = 1100, .unfinished = 1900, .late = 1090,
      .service_n = 1100, .service_mean = 7 * MS, .think = 20 * NS_PER_MS, .longest = 14 * NS_PER_MS,
      .scheduled = 3 * NS_PER_SEC, .begun = 3 * NS_PER_SEC},
     false,
     "all 10 clients were busy or thinking (limit about 370/s); raise --threads or lower "
     "--think-time"},
    {"dropped for its age",
     {WELL, .done = 30000, .service_mean = 32 * MS, .late = 29000},
     false,
     "all 16 clients were busy (limit about 500/s); raise --threads"},
    {"a burst of slowness",
     {WELL, .late = 4000, .late_idle = 10, .lag_max = NS_PER_SEC, .longest = 1500 * NS_PER_MS},
     true,
     "all 16 clients were busy for a while (limit about 8,000/s, but one transaction took "
     "1500.000 ms); raise --threads"},
    {"slow until the end",
     {WELL, .done = 59000, .unfinished = 1000, .longest = 1200 * NS_PER_MS, .late = 5},
     false,
     "all 16 clients were busy for a while (limit about 8,000/s, but one transaction took "
     "1200.000 ms); raise --threads"},
    {"close to the limit",
     {WELL, .service_mean = 15 * MS, .late = 9000, .longest = 20 * NS_PER_MS,
      .lag_max = 30 * NS_PER_MS},
     true,
     "all 16 clients were busy for a while (limit about 1,067/s); raise --threads"},
    {"idle clients woke up late",
     {WELL, .late = 900, .late_idle = 800, .worst_wake = 12345678, .lag_max = 12345678},
     true,
     "the load generator woke up late, by up to 12.346 ms (800 of 900 late starts had an "
     "idle client); give it more CPU time"},
    {"idle clients woke up late, nobody knows how late",
     {WELL, .late = 9, .late_idle = 9, .done = 500, .offered = 500, .worst_wake = 0, .lag_max = -1},
     true,
     "the load generator woke up late (9 of 9 late starts had an idle client); give it more CPU "
     "time"},
    {"the latest start had an idle client",
     {WELL, .late = 900, .late_idle = 4, .worst_wake = 900 * NS_PER_MS, .lag_max = 950 * NS_PER_MS},
     true,
     "the load generator woke up late, by up to 900.000 ms (4 of 900 late starts had an "
     "idle client); give it more CPU time"},
    {"stopped until after the end",
     {WELL, .offered = 1500, .done = 1254, .unfinished = 246, .target = 500, .clients = 4,
      .late = 5, .late_idle = 4, .worst_wake = 898 * NS_PER_MS, .lag_max = 898 * NS_PER_MS,
      .service_n = 1254, .service_mean = 0.001 * MS, .longest = 27000, .scheduled = 3 * NS_PER_SEC,
      .begun = 3400 * NS_PER_MS},
     false,
     "the load generator woke up late, by up to 898.000 ms (4 of 5 late starts had an idle "
     "client); give it more CPU time"},
    {"stopped amid transactions",
     {WELL, .done = 59500, .unfinished = 500, .late = 16, .late_idle = 9, .tolerance_pct = 0.5,
      .worst_wake = 890 * NS_PER_MS, .longest = 900 * NS_PER_MS, .begun = 60900 * NS_PER_MS},
     false,
     "the load generator woke up late, by up to 890.000 ms (9 of 16 late starts had an "
     "idle client); give it more CPU time"},
    {"a late client is not why a slow server is",
     {WELL, .done = 53040, .unfinished = 6960, .service_mean = 18.1 * MS, .late = 53000,
      .late_idle = 3, .worst_wake = 20 * NS_PER_SEC, .lag_max = 20 * NS_PER_SEC},
     false,
     "all 16 clients were busy (limit about 884/s); raise --threads"},
    {"nor of what it cannot account for",
     {WELL, .done = 50000, .unfinished = 10000, .late = 9000, .late_idle = 3,
      .worst_wake = 30 * NS_PER_MS, .lag_max = 9 * NS_PER_SEC, .longest = 9 * NS_PER_SEC},
     false,
     "all 16 clients were busy for a while (limit about 8,000/s, but one transaction took "
     "9000.000 ms); raise --threads"},
    {"of clients that are left nothing is known",
     {WELL, .done = 50000, .unfinished = 10000, .late = 9000, .clients_left = true,
      .late_idle = 8000, .longest = 9 * NS_PER_SEC},
     false,
     "all 16 clients were busy for a while (limit about 8,000/s, but one transaction took "
     "9000.000 ms); raise --threads"},
    {"all CPUs",
     {WELL, .done = 50000, .unfinished = 10000, .self_cpu_pct = 760},
     false,
     "the load generator used 95% of its 8 CPUs; give it more CPUs or lower the rate"},
    {"throttled",
     {WELL, .done = 50000, .unfinished = 10000, .self_cpu_pct = 100, .throttled = 9 * NS_PER_SEC},
     false,
     "a CPU quota stopped the load generator for 9.000 s; raise the quota of its control group "
     "or lower the rate"},
    {"throttled for too short a time to matter",
     {WELL, .done = 50000, .unfinished = 10000, .self_cpu_pct = 760, .throttled = NS_PER_SEC},
     false,
     "the load generator used 95% of its 8 CPUs; give it more CPUs or lower the rate"},
    {"the only CPU",
     {WELL, .cpus = 1, .done = 50000, .unfinished = 10000, .self_cpu_pct = 99.4},
     false,
     "the load generator used 99% of its 1 CPU; give it more CPUs or lower the rate"},
    {"fewer threads than CPUs",
     {WELL, .clients = 2, .done = 50000, .unfinished = 10000, .self_cpu_pct = 196},
     false,
     "the load generator used 98% of the CPU time of its 2 threads; raise --threads"},
    {"one worker",
     {WELL, .workers = 1, .done = 50000, .unfinished = 10000, .self_cpu_pct = 97},
     false,
     "the load generator used 97% of the CPU time of its 1 worker; raise --workers"},
    {"workers enough",
     {WELL, .workers = 8, .late = 9000, .late_idle = 9000, .self_cpu_pct = 750},
     true,
     "the load generator used 94% of its 8 CPUs; give it more CPUs or lower the rate"},
    {"piled up",
     {WELL, .clients = 2000, .trailing = 1500, .service_mean = 30 * MS},
     false,
     "1255 transactions piled up in the server and ended after the schedule; lower the "
     "rate or speed up the server"},
    {"as many as chance brings",
     {WELL, .clients = 2000, .trailing = 245, .service_mean = 30 * MS},
     true,
     ""},
    {"failed",
     {WELL, .done = 59000, .failed = 1000},
     false,
     "1000 of 60000 transactions failed; fix their errors first"},
    {"withdrawn",
     {WELL, .done = 0, .withdrawn = 60000, .unfinished = 60000, .service_n = 0,
      .service_mean = NAN},
     false,
     "the script withdrew 60000 of 60000 transactions; check its event loop"},
    {"both",
     {WELL, .done = 58000, .failed = 1500, .withdrawn = 500, .unfinished = 500},
     false,
     "of 60000 transactions 1500 failed and the script withdrew 500; fix these first"},
    {"nothing ended",
     {WELL, .done = 0, .unfinished = 60000, .service_n = 0, .service_mean = NAN, .longest = -1,
      .lag_max = -1},
     false,
     "no transaction ended; raise --time or check the server"},
    {"all that was due was dropped behind transactions that did not end",
     {WELL, .done = 0, .unfinished = 16, .service_n = 0, .service_mean = NAN, .longest = -1,
      .lag_max = -1},
     false,
     "no transaction ended; raise --time or check the server"},
    {"--events took longer than planned",
     {WELL, .begun = 66 * NS_PER_SEC, .service_mean = 17.6 * MS, .late = 59000},
     false,
     "all 16 clients were busy (limit about 909/s); raise --threads"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict v;
        verdict_of(&cases[i].r, &v);
        if (v.sustained != cases[i].sustained || strcmp(v.why, cases[i].why))
            printf("in the case \"%s\":\n", cases[i].name);
        CHECK_INT(v.sustained, cases[i].sustained);
        CHECK_STR(v.why, cases[i].why);
    }
    return test_done("verdict");
}

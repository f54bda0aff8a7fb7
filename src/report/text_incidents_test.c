/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sentences about what happened in a run, in intervals and at the end.
 */
#include "report/text_incidents.h"

#include "base/test.h"

#define S NS_PER_SEC

static const struct snapshot_incident all[] = {
    {.kind = INCIDENT_SERVER_RESTARTED, .at = 1012 * S + 345 * NS_PER_MS, .was = 123, .is = 456},
    {.kind = INCIDENT_CLOCK_SET, .at = 1013 * S, .duration = -3600 * S},
    {.kind = INCIDENT_SUSPENDED, .at = 1014 * S, .duration = 12 * S},
    {.kind = INCIDENT_STOPPED, .at = 1015 * S, .duration = 2 * S + 500 * NS_PER_MS},
    {.kind = INCIDENT_CPUS, .at = 1016 * S, .was = 4, .is = 3},
    {.kind = INCIDENT_STOPPED, .at = 1017 * S, .duration = S, .rank = 1, .host = "load2"},
    {.kind = INCIDENT_RANK_LOST,
     .at = 1018 * S,
     .rank = 2,
     .host = "",
     .why = "the connection was closed"},
};

TEST_MAIN(text_incidents_test)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL,
                         .at = 1020 * S,
                         .elapsed_ns = 20 * S,
                         .incident = all,
                         .incidents = sizeof all / sizeof *all,
                         .incidents_told = 3};
    struct str out = STR_INIT;

    text_incidents(&out, &s); /* a report without any line of ours */
    text_incident_lines(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    s.server.on = true;
    text_incident_lines(&out, &s);
    CHECK_STR(str_cstr(&out), "[ 15.000s ] sysbench stopped: for at least 2.500 s\n"
                              "[ 16.000s ] CPUs online: 4 -> 3\n"
                              "[ 17.000s ] rank 1 (load2): sysbench stopped: for at least 1.000 s\n"
                              "[ 18.000s ] rank 2: lost: the connection was closed\n");
    str_reset(&out);
    text_incidents(&out, &s);
    CHECK_STR(str_cstr(&out),
              "Incidents:\n"
              "    server restarted at 12.3 s: pid 123 -> 456\n"
              "    wall clock set at 13.0 s: by -3600.000 s\n"
              "    system suspended until 14.0 s: for 12.000 s\n"
              "    sysbench stopped until 15.0 s: for at least 2.500 s\n"
              "    CPUs online at 16.0 s: 4 -> 3\n"
              "    rank 1 (load2): sysbench stopped until 17.0 s: for at least 1.000 s\n"
              "    rank 2: lost at 18.0 s: the connection was closed\n\n");
    str_reset(&out);
    s.server.on = false;
    s.nranks = 2; /* the report of several load hosts is ours */
    text_incident_lines(&out, &s);
    CHECK(out.len > 0);
    str_free(&out);
    return test_done("text_incidents");
}

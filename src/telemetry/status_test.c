/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Differences of a server's own counters: growth, levels, resets, and answers that did not come.
 */
#include "telemetry/status.h"

#include "base/test.h"

static const struct status_name names[] = {
    {"Threads_running", true}, {"Queries", false}, {"Bytes_sent", false}};

int main(void)
{
    struct status_reading b = {.at = NS_PER_SEC, .have = 7, .v = {3, 100, 5000}};
    struct status_reading a = {.at = 3 * NS_PER_SEC, .have = 7, .v = {2, 350, 4000}},
                          none = {.at = 3 * NS_PER_SEC};
    struct status_delta d;

    status_diff(names, 3, &b, &a, &d);
    CHECK_INT(d.wall_ns, 2 * NS_PER_SEC);
    CHECK_INT(d.have, 3); /* the third went backwards */
    CHECK_NEAR(d.v[0], 2, 0);
    CHECK_NEAR(d.v[1], 250, 0);
    CHECK(d.why[0]);
    snprintf(none.why, sizeof none.why, "no answer");
    status_diff(names, 3, &b, &none, &d);
    CHECK_INT(d.have, 0);
    CHECK_STR(d.why, "no answer");
    status_diff(names, 3, &none, &a, &d); /* a level needs only the later one */
    CHECK_INT(d.have, 1);
    CHECK_STR(d.why, "no answer");
    status_diff(names, 3, &b, &b, &d);
    CHECK_INT(d.have, 1);
    CHECK(strstr(d.why, "had ended") != NULL);
    return test_done("status");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is noticed between two readings: clocks that were set, a suspended machine, CPUs that went
 * away, a restarted server, and nothing when there was nothing.
 */
#include "engine/collect.h"

#include "base/test.h"

#define S NS_PER_SEC

static const struct machine_state calm = {
    .at = 100 * S, .wall_ahead = 1700000000 * S, .suspended = 5 * S, .cpus = 4};

/* The incidents after one reading more. */
static void look(struct incidents *i, const struct machine_state *next, const struct sample *server)
{
    *i = (struct incidents){0};
    incidents_look(i, &calm, NULL);
    CHECK_INT(i->n, 0);
    incidents_look(i, next, server);
}

static void check_clocks(void)
{
    struct machine_state m = calm;
    struct incidents i;

    m.at = 101 * S;
    m.wall_ahead += 50 * NS_PER_MS; /* NTP slews */
    look(&i, &m, NULL);
    CHECK_INT(i.n, 0);
    m.wall_ahead = calm.wall_ahead - 3600 * S;
    look(&i, &m, NULL);
    CHECK_INT(i.n, 1);
    CHECK_INT(i.v[0].kind, INCIDENT_CLOCK_SET);
    CHECK_INT(i.v[0].duration, -3600 * S);
    CHECK_INT(i.v[0].at, 101 * S);
    incidents_look(&i, &m, NULL); /* once */
    CHECK_INT(i.n, 1);
}

/* The wall clock went on while the machine slept: that is no second incident. */
static void check_suspended(void)
{
    struct machine_state m = calm;
    struct incidents i;

    m.wall_ahead += 60 * S;
    m.suspended += 60 * S;
    look(&i, &m, NULL);
    CHECK_INT(i.n, 1);
    CHECK_INT(i.v[0].kind, INCIDENT_SUSPENDED);
    CHECK_INT(i.v[0].duration, 60 * S);
    m.wall_ahead += 2 * S; /* and was set as well */
    look(&i, &m, NULL);
    CHECK_INT(i.n, 2);
    CHECK_INT(i.v[1].kind, INCIDENT_CLOCK_SET);
    CHECK_INT(i.v[1].duration, 2 * S);
}

static void check_changes(void)
{
    struct sample server = {.at = 5000 * S, .changed = 4999 * S, .found = 1, .was = 123, .is = 456};
    struct machine_state m = calm;
    struct incidents i;

    m.at = 110 * S;
    m.cpus = 3;
    look(&i, &m, &server); /* the server's host has a clock of its own */
    CHECK_INT(i.n, 2);
    CHECK(i.v[0].kind == INCIDENT_CPUS && i.v[0].was == 4 && i.v[0].is == 3);
    CHECK(i.v[1].kind == INCIDENT_SERVER_RESTARTED && i.v[1].was == 123 && i.v[1].is == 456);
    CHECK_INT(i.v[1].at, 109 * S);
    incidents_look(&i, &m, &server);
    CHECK_INT(i.n, 2);
    server.found = 2;
    server.moved = 1;
    incidents_look(&i, &m, &server);
    CHECK_INT(i.n, 3);
    CHECK_INT(i.v[2].kind, INCIDENT_SERVER_CHANGED);
}

static void check_late(void)
{
    struct incidents i = {0};

    incidents_late(&i, 7 * S, S / 2);
    CHECK_INT(i.n, 0);
    incidents_late(&i, 7 * S, 3 * S);
    CHECK_INT(i.n, 1);
    CHECK(i.v[0].kind == INCIDENT_STOPPED && i.v[0].duration == 3 * S && i.v[0].at == 7 * S);
    for (int k = 0; k < 2 * SNAPSHOT_MAX_INCIDENTS; k++)
        incidents_late(&i, 7 * S, 3 * S);
    CHECK_INT(i.n, SNAPSHOT_MAX_INCIDENTS);
}

/* The real clocks: two readings of a machine that is left alone. */
static void check_real(void)
{
    struct incidents i = {0};
    struct machine_state a, b;

    machine_read(&a, clock_mono());
    machine_read(&b, clock_mono());
    CHECK(a.cpus > 0 && a.cpus == b.cpus && a.suspended >= 0 && b.wall_ahead > 0);
    incidents_look(&i, &a, NULL);
    incidents_look(&i, &b, NULL);
    CHECK_INT(i.n, 0);
}

TEST_MAIN(incidents_test)
{
    check_clocks();
    check_suspended();
    check_changes();
    check_late();
    check_real();
    return test_done("incidents");
}

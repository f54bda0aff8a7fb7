/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is noticed between two readings: clocks that were set, a suspended machine, CPUs that went
 * away, a restarted server, and nothing when there was nothing.
 */
#include "engine/collect.h"

#include <time.h>

#include "base/test_golden.h"

#define S NS_PER_SEC

static const struct machine_state calm = {
    .at = 100 * S, .wall_ahead = 1700000000 * S, .suspended = 5 * S, .cpus = 4};

static struct incidents all;

static void tell(const char *name)
{
    golden_line("%s: %zu incidents", name, all.n);
    for (size_t i = 0; i < all.n; i++)
        golden_line("  kind %d at %g s, %g s long, %d is %d", (int)all.v[i].kind,
                    dur_sec(all.v[i].at), dur_sec(all.v[i].duration), all.v[i].was, all.v[i].is);
}

/* The incidents after one reading more, and after the same once more. */
static void look(const char *name, const struct machine_state *next, const struct sample *server)
{
    all = (struct incidents){0};
    incidents_look(&all, &calm, NULL);
    CHECK_INT(all.n, 0);
    incidents_look(&all, next, server);
    incidents_look(&all, next, server);
    tell(name);
}

static void check_machine(void)
{
    /* its host has a clock of its own */
    struct sample server = {.at = 5000 * S, .changed = 4999 * S, .found = 1, .was = 123, .is = 456};
    struct machine_state m = calm;

    m.at = 101 * S;
    m.wall_ahead += 50 * NS_PER_MS;
    look("NTP slews", &m, NULL);
    m.wall_ahead = calm.wall_ahead - 3600 * S;
    look("a clock is set", &m, NULL);
    m.wall_ahead = calm.wall_ahead + 60 * S;
    m.suspended += 60 * S;
    look("the machine sleeps, and the wall clock goes on", &m, NULL);
    m.wall_ahead += 2 * S;
    look("... and is set as well", &m, NULL);
    m = calm;
    m.at = 110 * S;
    m.cpus = 3;
    look("a CPU goes away, and the server restarts", &m, &server);
    server.found = 2;
    server.moved = 1;
    incidents_look(&all, &m, &server);
    tell("... and is another one");
}

/* Those of several hosts in the order of time. */
static void check_order(void)
{
    all = (struct incidents){.n = 4,
                             .v = {{.at = 3 * S, .was = 4},
                                   {.at = 2 * S, .was = 3, .rank = 1},
                                   {.at = S, .was = 1, .rank = 2},
                                   {.at = 2 * S, .was = 2}}};
    incidents_sort(&all);
    tell("in order");
}

static void check_late(void)
{
    all = (struct incidents){0};
    incidents_late(&all, 7 * S, S / 2);
    incidents_late(&all, 7 * S, 3 * S);
    tell("late");
    for (int k = 0; k < 2 * SNAPSHOT_MAX_INCIDENTS; k++)
        incidents_late(&all, 7 * S, 3 * S);
    CHECK_INT(all.n, SNAPSHOT_MAX_INCIDENTS);
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

static dur_ns ran(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (dur_ns)t.tv_sec * S + t.tv_nsec;
}

/* A reading that had a CPU for as long as it took was not stopped. */
static void check_meter(void)
{
    struct late_meter m;
    dur_ns busy = 0;

    late_begin(&m, NULL);
    for (dur_ns from = ran(); busy < S / 20;)
        busy = ran() - from;
    CHECK(m.schedstat < 0 || late_add(&m, busy) < busy / 2);
    CHECK(late_add(&m, 5 * S) > 4 * S && m.late > 4 * S);
    late_fini(&m);
}

TEST_MAIN(incidents_test)
{
    check_machine();
    check_order();
    check_late();
    check_meter();
    check_real();
    golden_done("incidents_test");
    return test_done("incidents");
}

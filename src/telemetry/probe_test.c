/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that is read beside the processes: which parts were requested, and why those of the server
 * are missing when it is not known, has ended or was restarted.
 */
#include "telemetry/probe.h"

#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/test.h"

static int asked;

static void answer(void *arg, struct status_reading *out)
{
    asked++;
    *out = (struct status_reading){.at = *(mono_ns *)arg, .have = 1, .v = {100.0 * asked}};
}

static const struct status_name queries[] = {{"Queries", false}};

static void nothing(void)
{
    struct probe *p = probe_new(&(struct probe_config){.keep = 0});
    struct probe_reading r[2];
    struct probe_delta d;

    for (int i = 0; i < 2; i++) {
        probe_read(p, NULL, &r[i]);
        CHECK(r[i].host.at == 0 && r[i].perf.at == 0 && !r[i].syscalls.have && !r[i].status.have);
    }
    probe_diff(p, &r[0], &r[1], NULL, &d);
    CHECK(d.events == 0 && !d.event && !d.has_syscalls && !d.has_host && !d.governor);
    CHECK(d.statuses == 0 && !d.status_name);
    CHECK_STR(d.how, "");
    CHECK(!probe_counters(p));
    probe_attach(p, &(struct perf_whom){.pids = &(pid_t){getpid()}, .n = 1});
    CHECK(!probe_counters(p));
    CHECK_STR(probe_syscalls_why(p), "the server's processes are not known");
    probe_free(p);
    probe_free(NULL);
}

static void host_and_status(void)
{
    mono_ns at = NS_PER_SEC;
    const struct status_source source = {.arg = &at, .name = queries, .n = 1, .read = answer};
    struct probe *p = probe_new(&(struct probe_config){.host = true, .status = &source});
    struct probe_reading r[2];
    struct probe_delta d;
    char governor[32];

    probe_read(p, NULL, &r[0]);
    at = 3 * NS_PER_SEC;
    probe_read(p, NULL, &r[1]);
    CHECK_INT(asked, 2);
    probe_diff(p, &r[0], &r[1], NULL, &d);
    CHECK(d.has_host && d.events == 0 && !d.has_syscalls);
    CHECK_INT(d.host.wall_ns, r[1].host.at - r[0].host.at);
    CHECK_INT(d.host.cpus, sysconf(_SC_NPROCESSORS_ONLN));
    CHECK_INT(d.host.have, r[0].host.have & r[1].host.have);
    host_governor("/sys", governor, sizeof governor);
    CHECK_STR(d.governor, governor);
    CHECK_INT(d.statuses, 1);
    CHECK(d.status_name == queries);
    CHECK_INT(d.status.have, 1);
    CHECK_INT(d.status.wall_ns, 2 * NS_PER_SEC);
    CHECK_NEAR(d.status.v[0], 100, 0);
    probe_free(p);
}

/* What a difference of the server's readings makes of its counters. */
static const struct {
    struct sample_delta server;
    const char *why; /* NULL: they have figures, or reasons of their own */
} lives[] = {
    {{.wall_ns = 1, .have = SAMPLE_CPU, .processes = 1}, NULL},
    {{.wall_ns = 1, .have = SAMPLE_CPU, .processes = 1, .lower = SAMPLE_CPU}, NULL},
    {{.wall_ns = 0}, "the load had ended before this interval"},
    {{.wall_ns = -1, .broken = true, .processes = 1}, "the load had ended before this interval"},
    {{.wall_ns = 1, .broken = true, .processes = 1},
     "another process took the server's place in this interval"},
    {{.wall_ns = 1, .broken = true, .have = SAMPLE_CPU}, "a process of the server has ended"},
    {{.wall_ns = 1, .processes = 1}, "a process of the server has ended"},
    {{.wall_ns = 1}, "a process of the server has ended"},
};

static void counters(bool system)
{
    struct probe_config c = {.events = 2, .system = system, .syscalls = 3};
    struct probe_reading r[2];
    struct probe_delta d;
    pid_t self = getpid();
    volatile unsigned long work = 0;

    c.event[0] = (struct perf_spec){
        .name = "task-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
    c.event[1] = (struct perf_spec){.name = "none", .type = PERF_TYPE_SOFTWARE, .why = "not here"};
    struct probe *p = probe_new(&c);
    CHECK(!probe_counters(p) == !system);
    for (int i = 0; i < 2; i++) {
        probe_read(p, NULL, &r[i]);
        for (int k = 0; k < 1000000; k++)
            work += (unsigned long)k;
    }
    CHECK(work > 0);
    probe_diff(p, &r[0], &r[1], NULL, &d);
    CHECK_INT(d.events, 2);
    CHECK_INT(d.system, system);
    CHECK_INT(d.derived, 0);
    CHECK(d.has_syscalls && !d.has_host && d.statuses == 0);
    CHECK_STR(d.syscalls.why, "the server's processes are not known");
    CHECK_STR(d.event[0].name, "task-clock");
    CHECK(system || !d.perf.f[0].have);
    if (!system)
        for (int i = 0; i < 2; i++)
            CHECK_STR(d.perf.f[i].why, "the server's processes are not known");
    probe_attach(p, &(struct perf_whom){.pids = &self, .n = 1, .ways = PERF_BY_THREAD});
    CHECK(probe_counters(p) != NULL);
    for (int i = 0; i < 2; i++) {
        probe_read(p, NULL, &r[i]);
        for (int k = 0; k < 1000000; k++)
            work += (unsigned long)k;
    }
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        const struct sample_delta *s = &lives[i].server;
        bool lost = lives[i].why && !system;
        probe_diff(p, &r[0], &r[1], s, &d);
        CHECK_STR(d.how, perf_count_how(probe_counters(p)));
        CHECK_INT(d.events_cost_ns, r[1].perf.cost_ns);
        CHECK(d.events_cost_ns > 0 || !d.perf.f[0].have);
        if (lost) {
            CHECK(!d.perf.f[0].have && !d.perf.f[1].have);
            CHECK_STR(d.perf.f[0].why, lives[i].why);
            CHECK_STR(d.perf.f[1].why, s->processes ? lives[i].why : lives[i].why);
        } else {
            CHECK(d.perf.f[0].have == (r[1].perf.have & 1));
            CHECK(d.perf.f[0].have ? d.perf.f[0].count > 0 : d.perf.f[0].why != NULL);
            CHECK_STR(d.perf.f[1].why, "not here");
        }
        CHECK_INT(d.perf.f[0].lower, !system && d.perf.f[0].have && s->lower & SAMPLE_CPU);
        CHECK(!d.perf.f[1].lower);
        if (probe_syscalls_why(p))
            CHECK_STR(d.syscalls.why, probe_syscalls_why(p));
        else if (lives[i].why)
            CHECK_STR(d.syscalls.why, lives[i].why);
        else
            CHECK(!d.syscalls.why);
    }
    /* a server that was found again */
    CHECK(r[0].perf.have == r[1].perf.have);
    probe_attach(p, &(struct perf_whom){.pids = &self, .n = 1, .ways = PERF_BY_THREAD});
    probe_read(p, NULL, &r[0]);
    CHECK_INT(r[0].perf.have, r[1].perf.have);
    if (!system && r[0].perf.have)
        CHECK(r[0].perf.v[0].value >= r[1].perf.v[0].value && /* what was counted stays */
              strstr(perf_count_how(probe_counters(p)), "; since the server was restarted"));
    probe_free(p);
}

TEST_MAIN(probe_test)
{
    nothing();
    host_and_status();
    counters(false);
    counters(true);
    return test_done("probe");
}

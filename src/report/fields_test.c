/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of figures: missing ones have reasons, names are unique, and there are always the same.
 * formats_test has the value of each; here are the cases in which one is missing or a lower bound.
 */
#include "report/fields.h"

#include "base/test_golden.h"
#include "report/test_fixture.h"

#define MOST 256

static struct str out;

/* Those that are missing or lower bounds, with their reasons; a section as a whole on one line. */
static void reason(void *arg, const struct field *f)
{
    const char *section = field_section_name(f->section);
    const char *whole = field_section_missing(arg, f->section);
    static const char *last;

    if (f->missing && f->missing == whole) {
        if (whole != last)
            str_printf(&out, "%s: %s\n", section, whole);
    } else if (f->missing || f->lower) {
        str_printf(&out, "%s%s%s: %s%s%s\n", section, *section ? "." : "", f->name,
                   f->missing ? f->missing : "at least: ", f->missing ? "" : f->lower,
                   f->missing && field_passing(f->missing) ? " (passing)" : "");
    }
    last = f->missing;
}

static void reasons_of(struct snapshot *s, const char *title)
{
    fields_each(s, reason, s);
    golden(&out, "%s", title);
}

static void reasons(void)
{
    const struct snapshot_series none = {
        .p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN, .pct = {-1, -1}};
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct snapshot *s = &f->s;

    reasons_of(s, "whole");
    s->server.d.have = SAMPLE_CPU | SAMPLE_SWITCHES;
    s->server.d.lower = SAMPLE_SWITCHES;
    s->server.has_before = false;
    s->self.d.have = 0;
    sample_set_reason(&s->server.d, "context switches, memory: not permitted");
    s->rate.response = none;
    s->latency.max = HIST_OVER_NS;
    reasons_of(s, "parts that cannot be read");
    f->probe.host.have = HOST_STAT | HOST_POWER;
    f->probe.host.watts[POWER_MEMORY] = NAN;
    f->probe.host.us = f->probe.host.running_mean = NAN;
    f->probe.host.cpus = 0;
    f->probe.perf.f[1] = (struct perf_figure){.why = "no PMU"};
    f->probe.perf.f[2].lower = true;
    f->probe.perf.d.ipc = NAN;
    f->probe.status.have = 1;
    f->probe.status.others.why = "not now"; /* at the end; meanwhile it was known */
    f->probe.status.others.most++;
    f->probe.status.waits.known /= 2;
    f->probe.status.waits.untold = 1; /* what is known is a part */
    f->probe.status.waits.who[0] = '\0';
    s->server.d.lower |= SAMPLE_CPU; /* some of what others used may be the server's */
    s->machine.known = false;
    reasons_of(s, "telemetry with gaps");
    f->probe.status.others.hides = "rights"; /* of some of the time */
    f->probe.status.waits.known = f->probe.status.others.known = 0;
    f->probe.status.waits.why = f->probe.status.others.no_work = "hidden";
    f->probe.perf.f[0] = (struct perf_figure){.why = "another reason"};
    f->probe.host.wall_ns = 0;
    s->events = 0;
    reasons_of(s, "no transaction");
    s = &fixture(SNAPSHOT_FINAL, 1)->s;
    s->sampled_more = -(int64_t)s->events; /* the processes were first read when all was over */
    reasons_of(s, "read too late");
    s = &fixture(SNAPSHOT_INTERVAL, 1)->s;
    s->has_rate = s->has_latency = s->server.on = s->may_miss = s->rate.shared = false;
    s->server.why_off = "gone";
    s->interval_ns = 0;
    s->probe = NULL;
    s->total[CNT_BYTES_WRITTEN] = s->total[CNT_BYTES_READ] = 0;
    reasons_of(s, "an interval without length, nothing asked");
    s->kind = SNAPSHOT_PHASE;
    reasons_of(s, "a phase");
}

static void lone(void)
{
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);

    f->s.total[CNT_BYTES_WRITTEN] = UINT64_MAX;
    CHECK(fields_find(&f->s, "total.written_bytes").value.count == UINT64_MAX);
    CHECK(!fields_find(&f->s, "client.cpu_before_pct").help); /* the server's alone */
    CHECK_STR(fields_find(&f->s, "no_such").missing, "");
    CHECK_NEAR(fields_find(&f->s, "client.machine_others_pct").value.number, 40, 1e-9);
    f->probe.status.waits.untold = 1; /* all of it that others may be in the way of */
    f->probe.status.waits.behind = 0;
    CHECK(fields_find(&f->s, "server_status.lock_waited_for_others_s").missing);
    CHECK(fields_find(&f->s, "server_status.lock_blockers").missing);
    CHECK(!fields_find(&f->s, "server_status.lock_waited_s").missing);
    f->s.server.d.lower |= SAMPLE_CPU; /* some of it may be the server's */
    CHECK(fields_find(&f->s, "client.machine_others_pct").missing);
    CHECK_NEAR(fields_find(&f->s, "client.machine_stolen_pct").value.number, 5, 1e-9);
}

/* --- names --- */

struct seen {
    struct field f[MOST];
    char name[MOST][2 * FIELD_NAME_SIZE];
    size_t n;
};

static void note(void *arg, const struct field *f)
{
    struct seen *v = arg;

    CHECK(v->n < MOST);
    v->f[v->n] = *f;
    snprintf(v->name[v->n++], sizeof v->name[0], "%d.%s", f->section, f->name);
}

/* Columns must not depend on what happens in the run. */
static void always_the_same(void)
{
    static struct seen a, b;
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct snapshot bare = {.kind = SNAPSHOT_INTERVAL, .percentiles = 2, .percentile = {97.5, 95}};

    f->s.probe = NULL;
    fields_each(&f->s, note, &a);
    fields_each(&bare, note, &b);
    CHECK_INT(a.n, b.n);
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        CHECK_STR(a.name[i], b.name[i]);
        CHECK(a.f[i].help && *a.f[i].help);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(a.name[i], a.name[k]) != 0);
        if (a.f[i].missing == NULL && b.f[i].missing == NULL)
            CHECK_INT(a.f[i].value.kind, b.f[i].value.kind);
    }
}

TEST_MAIN(fields_test)
{
    reasons();
    lone();
    always_the_same();
    str_free(&out);
    golden_done("fields");
    return test_done("fields");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the final report in the cases that differ from formats_test's whole: nothing to say,
 * one of a thing, long texts, and what is missing; those that json shows, too, in both.
 */
#include "report/text_blocks.h"

#include <math.h>
#include <string.h>

#include "base/test_golden.h"
#include "report/budget.h"
#include "report/json.h"
#include "report/metrics.h"
#include "report/test_fixture.h"
#include "report/text_table.h"
#include "telemetry/environment.h"

static struct str out;

/* One member of a report. */
static void json_row(const char *name, const struct snapshot *s)
{
    const struct figure row[] = {*figures_named(snapshot_figures, name), {.name = NULL}};

    json_members(&out, row, s, s);
}

/* --- environment --- */

static void environment(void)
{
    static const struct {
        const char *key, *value, *missing;
    } item[][5] = {{{0}},
                   {{"a.b", "v", NULL}},
                   {{"a", "", NULL}, {"b", "say \"n/a (no)\"", NULL}},
                   {{"a", "n/a (really)", NULL}}, /* in the words of a missing one, and a value */
                   {{"a", NULL, "gone"}, {"b", NULL, "no (such) file"}},
                   {{"l", "1", NULL}, {"x", "y", NULL}, {"l", NULL, "first"}, {"l", NULL, "last"}}};

    for (size_t i = 0; i < COUNT(item); i++) {
        struct environment e = {0};
        for (size_t k = 0; item[i][k].key; k++)
            if (item[i][k].value)
                environment_add(&e, item[i][k].key, "%s", item[i][k].value);
            else
                environment_missing(&e, item[i][k].key, "%s", item[i][k].missing);
        text_environment(&out, &e);
        json_doc_environment(&out, &e);
        golden(&out, "environment %zu", i);
        environment_free(&e);
    }
    json_doc_environment(&out, NULL);
    golden(&out, "no environment");
}

/* --- errors, outages, incidents --- */

/* What stock ignores without a word does not show with stock's options alone. */
static void errors(void)
{
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .by_code = f->error};
    static const struct error_row row[] = {
        {.code = 1290, .sqlstate = "HY000"}, {.code = 1290}, {.sqlstate = "40001"}, {0}};
    char buf[TEXT_ERROR_CODE_SIZE];

    for (s.nby_code = 0; s.nby_code <= 3; s.nby_code++)
        for (int rate = 0; rate < 2; rate++) {
            s.has_rate = rate;
            text_errors(&out, &s, s.nby_code == 3 ? TEXT_FULL : TEXT_BRIEF);
            golden(&out, "%zu errors%s", s.nby_code, rate ? " with a rate" : "");
        }
    s.has_rate = false;
    s.nby_code = 1;
    f->error_row[0].class = "duplicate";
    text_errors(&out, &s, TEXT_BRIEF);
    CHECK_INT(out.len, 0);
    for (size_t i = 0; i < COUNT(row); i++)
        str_printf(&out, "%s\n", text_error_code(buf, &row[i]));
    golden(&out, "codes");
}

static void outages(void)
{
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .at = 31 * NS_PER_SEC, .has_rate = true};

    text_outages(&out, &s);
    CHECK_INT(out.len, 0);
    json_row("outages", &s);
    golden(&out, "no outage");
    s.outages = &f->outages;
    text_outages(&out, &s);
    json_row("outages", &s);
    golden(&out, "outages, one to the end");
    s.has_rate = false;
    f->outages.n = 1;
    f->outages.more = 0;
    text_outages(&out, &s);
    json_row("outages", &s);
    golden(&out, "an outage without a rate");
}

static void incidents(void)
{
    struct snapshot s = fixture(SNAPSHOT_FINAL, 1)->s, bare = {.kind = SNAPSHOT_FINAL};

    bare.incident = s.incident;
    bare.incidents = s.incidents;
    text_incidents(&out, &bare, TEXT_BRIEF); /* a report without any line of ours */
    text_incident_lines(&out, &bare);
    CHECK_INT(out.len, 0);
    bare.nranks = 2; /* the report of several load hosts is ours */
    text_incident_lines(&out, &bare);
    CHECK(out.len > 0);
    str_reset(&out);

    struct snapshot_incident wide = {
        .kind = INCIDENT_STALL,
        .why = "1.5 to 1.8 s: 0.3 s standstill: 61 sessions in WALWrite; on this machine, threads "
               "waited for a CPU for 0.3 s of it"};
    bare.incident = &wide;
    bare.incidents = 1;
    text_incidents(&out, &bare, TEXT_BRIEF);
    golden(&out, "an incident wider than the report");
}

/* A counter of an interval without such errors goes on. */
static void as_metrics(void)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct metrics m = {0};

    metrics_labels(&m, "t", NULL, 0);
    f->error[0].count = f->error[1].count = 0;
    metrics_records(&m, &f->s);
    metrics_render(&m, METRICS_OPENMETRICS, &out);
    golden(&out, "errors, outages and hosts as metrics");
    metrics_free(&m);
}

/* --- statements --- */

static void statements(const struct snapshot *s, size_t width, const char *title)
{
    text_statements(&out, s, TEXT_FULL, width);
    text_statements(&out, s, TEXT_BRIEF, width);
    golden(&out, "statements: %s", title);
}

static void by_server(void)
{
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);

    text_by_server(&out, &f->s, TEXT_FULL, TEXT_WIDTH);
    text_by_server(&out, &f->s, TEXT_BRIEF, TEXT_WIDTH);
    f->probe.statements.why = "set performance_schema=ON at the start of the server";
    text_by_server(&out, &f->s, TEXT_BRIEF, TEXT_WIDTH);
    golden(&out, "statements by the server's time");
}

static void all_statements(void)
{
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct stmt_figures *v = f->statement;
    struct str text = STR_INIT;

    /* without errors; long times have fewer digits in the short form */
    *v = (struct stmt_figures){.class = STMT_CLASS_PREPARE, .count = 1000000, .rows = 5};
    v->sum_ns = 1000 * NS_PER_SEC, v->p95 = 99999 * NS_PER_MS, v->p99 = 100000 * NS_PER_MS;
    v->max = 999 * NS_PER_MS;
    f->s.nstatements = 1;
    statements(&f->s, TEXT_WIDTH, "long times");
    v->sum_ns *= 1000;
    statements(&f->s, TEXT_WIDTH, "longer ones");
    f->s.nstatements = 0;
    statements(&f->s, TEXT_WIDTH, "none");
    f->s.transactions_s = 0; /* nothing but a failure to connect */
    CHECK(isnan(statement_share(&f->s, &f->statement[1])));
    f->s.statements = NULL;
    text_statements(&out, &f->s, TEXT_FULL, TEXT_WIDTH);
    CHECK_INT(out.len, 0);

    /* a text that is cut, between its characters */
    f = fixture(SNAPSHOT_FINAL, 1);
    f->s.nstatements = 1;
    *v = f->statement[1];
    for (int i = 0; i < 99; i++)
        str_adds(&text, "x");
    str_adds(&text, "\xc3\xa9 and more");
    v->name = text.s;
    for (int errors = 0; errors < 2; errors++) { /* with a column of errors and without it */
        v->errors = (uint64_t)errors;
        statements(&f->s, TEXT_WIDTH, errors ? "a long text" : "a long text without an error");
        statements(&f->s, 130, "on a wide terminal");
    }
    statements(&f->s, 220, "on a very wide one");
    str_free(&text);
}

/* --- commands and the profile --- */

/* Lines are cut between characters. */
static void actions(void)
{
    struct report_action a = {.state = ACTION_RUNNING};
    char wide[140];

    for (size_t i = 0; i < FIXTURE_ACTIONS; i++) {
        json_object(&out, action_figures, NULL, &fixture_action[i]);
        str_adds(&out, "\n");
    }
    memset(wide, 'x', sizeof wide);
    memcpy(wide + 119, "\xc3\xa4", 2); /* one character in two bytes, of which one fits */
    wide[130] = '\0';
    a.command = wide;
    text_actions(&out, &a, 1);
    text_actions(&out, &a, 0);
    golden(&out, "commands");
}

static void profile(const struct report_profile *p, const char *title)
{
    text_profile(&out, p);
    json_doc_profile(&out, p);
    golden(&out, "profile: %s", title);
}

static void all_profile(void)
{
    struct report_profile p = fixture_profile;

    p.samples = p.stacks = p.threads = p.off_cpu_stacks = 1;
    profile(&p, "one of each");
    p.no_cfi = "not on this kind of CPU";
    p.cpu = false;
    profile(&p, "off CPU, without call frame information");
    p = fixture_profile;
    p.off_cpu = false;
    p.length = 0;
    p.by_cfi = p.by_pointers = p.partial = 0;
    p.degraded = 3;
    p.lost = 4;
    p.truncated = 5;
    p.no_names = p.no_kernel_names = p.files_incomplete = true;
    p.files = 0;
    profile(&p, "damaged");
    p = (struct report_profile){.ended = true, .cpu = true, .hz = 99, .why = "it ran elsewhere"};
    profile(&p, "nothing watched");
    p.ended = false;
    profile(&p, "not ended");
    profile(NULL, "not asked for");
}

/* --- hosts, retries, connections --- */

/* Nothing is missing without a word. */
static void hosts(void)
{
    struct snapshot s = fixture(SNAPSHOT_FINAL, 1)->s;

    s.has_rate = false;
    text_hosts(&out, &s);
    s.connections.asked = false; /* stock's options alone */
    text_hosts(&out, &s);
    s.has_rate = true;
    s.host++; /* nothing was done at all */
    s.hosts = 1;
    s.host_asked = NULL;
    text_hosts(&out, &s);
    golden(&out, "database hosts, and one where nothing was done");
    s.hosts = 0;
    text_hosts(&out, &s);
    json_row("hosts", &s);
    CHECK_INT(out.len, 0);
    s = (struct snapshot){.kind = SNAPSHOT_FINAL, .hosts_many = true};
    text_hosts(&out, &s);
    CHECK_INT(out.len, 0);
    s.connections.asked = true;
    text_hosts(&out, &s);
    json_doc_snapshot(&out, &s);
    golden(&out, "too many database hosts");
}

static void ranks(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .has_rate = true};

    text_ranks(&out, &s);
    text_missing_ranks(&out, &s, " | without rank ");
    CHECK_INT(out.len, 0);
    s = fixture(SNAPSHOT_FINAL, 1)->s;
    s.has_rate = false;
    text_ranks(&out, &s);
    golden(&out, "load hosts without a rate");
}

static void retries(void)
{
    struct snapshot s = fixture(SNAPSHOT_FINAL, 1)->s;
    const struct snapshot_series none = {.p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN};

    s.retries.failed = s.retries.unknown = 0;
    s.retries.first = s.retries.last = none;
    text_retries(&out, &s);
    json_row("retries", &s);
    golden(&out, "retries, none of which succeeded");
    text_failed(&out, &s); /* the rate has them */
    s.has_rate = false;    /* stock's report: an error that was retried is no news */
    text_retries(&out, &s);
    CHECK_INT(out.len, 0);
    text_failed(&out, &s);
    golden(&out, "failed transactions");
    s.retries.unknown = 1;
    s.retries.transactions = 0;
    text_retries(&out, &s);
    golden(&out, "a commit of unknown outcome");
    s = (struct snapshot){.has_rate = true};
    text_retries(&out, &s);
    CHECK_INT(out.len, 0);
}

static void connections(void)
{
    struct snapshot s = fixture(SNAPSHOT_FINAL, 1)->s;
    struct snapshot_connections *v = &s.connections;

    s.has_rate = false;
    text_connections(&out, &s);
    v->asked = false; /* stock's report counts reconnects and says no more */
    text_connections(&out, &s);
    v->asked = true;
    v->connect.n = 0;
    v->connected = 400;
    v->refused = v->refused_with = 0;
    v->plain = 2;
    text_connections(&out, &s);
    json_object(&out, connections_figures, &s, v);
    v->limited = false;
    json_object(&out, connections_figures, &s, v);
    golden(&out, "connections");
    s = (struct snapshot){.has_rate = true};
    text_connections(&out, &s);
    CHECK_INT(out.len, 0);
    s = (struct snapshot){.kind = SNAPSHOT_FINAL, .batches.batches = 3};
    json_row("worker_batch", &s);
    CHECK_INT(out.len, 0);
    s.batches = (struct snapshot_batches){.asked = true, .held_mean_s = NAN, .held_max_s = NAN};
    json_doc_snapshot(&out, &s);
    golden(&out, "no answer was held back");
}

static void warmups(void)
{
    struct snapshot s = fixture(SNAPSHOT_FINAL, 1)->s;

    s.warmed.rate = s.warmed.steady = false;
    text_warmup(&out, &s);
    s.warmed.has_trend = false;
    text_warmup(&out, &s);
    s.warmed.asked = false;
    text_warmup(&out, &s);
    golden(&out, "warm-up");
}

/* --- the time of a transaction --- */

static void time_of(const char *title, struct snapshot *s, struct status_delta *d)
{
    budget_fill(s, d);
    text_budget(&out, s);
    for (int i = 0; i < BUDGET_PARTS; i++)
        str_printf(&out, isfinite(d->budget_us[i]) ? " %.6g" : " n/a", d->budget_us[i]);
    str_printf(&out, "; waits %s", d->waits.most);
    golden(&out, "time of a transaction: %s", title);
}

/* 1,000 transactions of 5 ms in 2 s: 2.5 of them at a time, of which 2 are in the server. */
static void times(void)
{
    struct probe_delta probe = {.has_waits = true, .status = {.wall_ns = 2 * NS_PER_SEC}};
    struct status_delta *d = &probe.status;
    const struct status_waits before = {0};
    struct status_waits w = {.known = 2 * NS_PER_SEC, .samples = 20, .asking = NS_PER_MS};
    struct snapshot s = {.events = 1000, .probe = &probe, .service_ns = 5e6};

    d->waits.why = "it takes the PROCESS privilege";
    time_of("not known", &s, d);
    waits_add(&w, WAIT_CPU, "cpu", NS_PER_SEC);
    waits_add(&w, WAIT_LOG, "WALSync", 2 * NS_PER_SEC);
    waits_add(&w, WAIT_ROW, "row lock", NS_PER_SEC / 2);
    for (int i = 0; i < 7; i++)
        waits_add(&w, WAIT_LATCH, (const char *[]){"a", "b", "c", "d", "e", "f", "g"}[i],
                  NS_PER_SEC / 14);
    waits_diff(&before, &w, &d->waits);
    time_of("closed loop", &s, d);
    s.server = (struct snapshot_server){.on = true,
                                        .d = {.have = SAMPLE_CPU | SAMPLE_RUNQ,
                                              .cpu_ns = NS_PER_SEC * 3 / 5,
                                              .runq_wait_ns = NS_PER_SEC / 5}};
    s.has_rate = true;
    s.rate.response = (struct snapshot_series){.n = 1000, .mean = 7.5e6};
    time_of("a rate, and a server as a whole", &s, d);
    s.server.d.runq_wait_ns = 9 * NS_PER_SEC; /* after answers as well */
    time_of("its threads waited longer than there is time", &s, d);
    d->waits.of[WAIT_OTHER] = NS_PER_SEC / 2; /* states that say nothing: of a CPU as well */
    s.server.d.cpu_ns = 9 * NS_PER_SEC / 5;
    time_of("and what seemed to be neither", &s, d);
    d->waits.of[WAIT_OTHER] = 0;
    s.server.d.cpu_ns = 9 * NS_PER_SEC;
    time_of("it did more than this", &s, d);
    s.server.d.cpu_ns = s.server.d.runq_wait_ns = NS_PER_SEC / 5;
    d->others = (struct status_others){.known = NS_PER_SEC, .active = NS_PER_SEC / 10};
    time_of("others work in it", &s, d);
    d->others.known = 0;
    d->waits.ran = NS_PER_SEC / 2;
    d->waits.waited = 6 * NS_PER_SEC;
    d->waits.ran_known = 3 * NS_PER_SEC / 2;
    time_of("threads are known, and waited before their statements began", &s, d);
    waits_diff(&before, &w, &d->waits);
    d->waits.ran_known = NS_PER_SEC / 2;
    time_of("of some of the time", &s, d);
    d->waits.ran = NS_PER_SEC / 2;
    d->waits.ran_known = 3 * NS_PER_SEC / 2;
    s.service_ns = 3e6;
    time_of("threads ran as long as they did, whatever samples say", &s, d);
    waits_diff(&before, &w, &d->waits);
    time_of("less than the samples say", &s, d);
    s.undone = 5 * NS_PER_SEC;
    time_of("others failed or were withdrawn, and waited the rest", &s, d);
    s.undone = 0;
    d->waits.hits[WAIT_LOG] = 20 * 3; /* that is 6 ms */
    d->waits.squares[WAIT_LOG] = 20 * 9;
    time_of("by chance", &s, d);
    d->waits.hits[WAIT_LOG] = 20 * 5;
    d->waits.squares[WAIT_LOG] = 20 * 25;
    time_of("by more than chance", &s, d);
    d->waits.hits[WAIT_LOG] = 0;
    d->waits.known /= 3;
    time_of("not covered", &s, d);
    d->waits.known *= 3;
    s.threads = 4;
    d->waits.silent = NS_PER_SEC / 5; /* of 3 s of service, perhaps 0.8 */
    s.rate.service = (struct snapshot_series){.n = 1000, .max = NS_PER_SEC / 4};
    time_of("transactions may have waited for an answer as well", &s, d);
    s.rate.service.max--;
    time_of("they went on", &s, d);
    d->waits.silent++;
    time_of("for too long", &s, d);
    d->waits.silent = 0;
    s.events = 0;
    time_of("no transaction", &s, d);
    s.events = 1000;
    w = (struct status_waits){.known = 2 * NS_PER_SEC, .samples = 20};
    for (int i = 0; i < 2 * WAIT_NAMES; i++)
        waits_add(&w, WAIT_LATCH, (char[]){(char)('A' + i), '\0'}, NS_PER_SEC / 40);
    waits_diff(&before, &w, &d->waits);
    time_of("more names than there is room for", &s, d);
}

TEST_MAIN(text_blocks_test)
{
    environment();
    errors();
    outages();
    incidents();
    as_metrics();
    all_statements();
    by_server();
    actions();
    all_profile();
    hosts();
    ranks();
    retries();
    connections();
    warmups();
    times();
    str_free(&out);
    golden_done("text_blocks");
    return test_done("text_blocks");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of metrics knows every figure and keeps the conventions of names; running totals; both
 * formats letter by letter.  formats_test has the metrics of a whole run, which parsers read in
 * tests/t/report_metrics.t.
 */
#include <math.h>
#include <stdlib.h>

#include "base/test_golden.h"
#include "report/metrics.h"
#include "report/test_fixture.h"

static bool is_snake_case(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && !strstr(name, "__") &&
           name[strlen(name) - 1] != '_' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

/* Abbreviations, units that are no base units, types, and what the formats add themselves. */
static bool has_word_to_avoid(const char *name)
{
    static const char *const words[] = {"s",       "ms",    "us",      "ns",    "pct",
                                        "percent", "hz",    "kb",      "total", "sum",
                                        "counter", "gauge", "summary", "count", "bucket"};
    char copy[128], *save = NULL, before[128] = "";
    bool bad = false;

    snprintf(copy, sizeof copy, "%s", name);
    for (char *w = strtok_r(copy, "_", &save); w; w = strtok_r(NULL, "_", &save)) {
        bad = bad || strcmp(w, before) == 0; /* no word twice in a row */
        snprintf(before, sizeof before, "%s", w);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            bad = bad || strcmp(w, words[i]) == 0;
    }
    return bad;
}

/* The unit in a name determines the factor of a figure. */
static void check_unit(const struct field *f, const struct metric *m)
{
    size_t n = strlen(f->name);

    if (n > 4 && strcmp(f->name + n - 4, "_pct") == 0)
        CHECK_NEAR(m->factor, 0.01, 0);
    else
        CHECK_NEAR(m->factor, 1, 0);
    if (n > 2 && strcmp(f->name + n - 2, "_s") == 0 && strcmp(f->name, "target_per_s") != 0)
        CHECK(strstr(m->family, "seconds") || m->how == METRIC_PER_S);
    if (m->factor != 1)
        CHECK(strstr(m->family, "ratio") != NULL);
    if (strstr(f->name, "bytes"))
        CHECK(strcmp(m->family + strlen(m->family) - 5, "bytes") == 0);
}

struct seen {
    char family[200][96], sample[200][320];
    enum metric_how how[200];
    size_t n, figures;
};

static void check_sample(struct seen *v, const struct metric *m)
{
    char *family = v->family[v->n], *sample = v->sample[v->n];

    snprintf(family, sizeof v->family[0], "%s", m->family);
    snprintf(sample, sizeof v->sample[0], "%s{%s=%s}", m->family, m->label ? m->label : "",
             m->value);
    for (size_t i = 0; i < v->n; i++) {
        TEST_REPORT(strcmp(v->sample[i], sample) != 0, "%s twice", sample);
        if (strcmp(v->family[i], family) == 0)
            CHECK_INT(v->how[i], m->how);
    }
    v->how[v->n++] = m->how;
}

/* What a query can compute from the others, and what the latency series have. */
static bool is_left_out(const struct field *f)
{
    static const char *const ends[] = {"_per_transaction", "_mean_bytes"}, *const series[] = {
                                                                               "response_",
                                                                               "service_", "lag_"};
    static const char list[] =
        " transactions transactions_per_s queries_per_s reads writes other failed errors "
        "reconnects connection_errors read_bytes written_bytes threads.latency_sum_s "
        "rate.offered rate.done "
        "rate.failed rate.dropped rate.late rate.lost rate.unfinished server.interval_s "
        "server.transactions server.cpu_s server.cpu_before_pct client.interval_s "
        "client.transactions client.cpu_s "
        "host.interval_s host.threads_runnable_mean host.threads_blocked_mean "
        "server_events.transactions_per_billion_cycles server_status.lock_blockers "
        "server_status.lock_blocker ";
    const char *section = field_section_name(f->section);
    size_t n = strlen(f->name);
    char name[2 * FIELD_NAME_SIZE + 4];

    for (size_t i = 0; i < 2; i++)
        if (n > strlen(ends[i]) && strcmp(f->name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    for (size_t i = 0; i < 3; i++)
        if (f->section == FIELD_RATE && strncmp(f->name, series[i], strlen(series[i])) == 0)
            return true;
    snprintf(name, sizeof name, " %s%s%s ", section, *section ? "." : "", f->name);
    return f->section == FIELD_LATENCY || strstr(list, name);
}

static void one(void *arg, const struct field *f)
{
    struct seen *v = arg;
    struct metric m;

    v->figures++;
    metric_of(f, &m);
    TEST_REPORT((m.how == METRIC_NONE) == is_left_out(f), "a metric for %s_%s, or not?",
                field_section_name(f->section), f->name);
    if (m.how == METRIC_NONE)
        return;
    TEST_REPORT(is_snake_case(m.family) && !has_word_to_avoid(m.family), "bad name %s", m.family);
    TEST_REPORT(m.help && *m.help, "%s has no help", m.family);
    check_unit(f, &m);
    check_sample(v, &m);
}

static void every_figure(void)
{
    static struct seen v;

    fields_each(&fixture(SNAPSHOT_FINAL, 1)->s, one, &v);
    CHECK(v.figures > 150 && v.n > 80);
}

/* Of the tables by name: which label and which type. */
static void by_name(void)
{
    const struct figure *system_time = section_figures[FIELD_CLIENT] + 5;
    const struct {
        struct field f;
        enum metric_how how;
        const char *family, *value;
    } t[] = {
        {{.section = FIELD_EVENTS, .name = "L1-icache:u"},
         METRIC_GROWS,
         "server_events",
         "L1-icache:u"},
        {{.section = FIELD_EVENTS, .name = "a_b_counted_pct"},
         METRIC_LEVEL,
         "server_event_counted_ratio",
         "a_b"},
        {{.section = FIELD_EVENTS, .name = "ipc", .row = &derived_figures[0]},
         METRIC_LEVEL,
         "server_instructions_per_cycle",
         ""},
        {{.section = FIELD_STATUS, .name = "Threads_running", .level = true},
         METRIC_LEVEL,
         "server_status_level",
         "Threads_running"},
        {{.section = FIELD_STATUS, .name = "Queries"}, METRIC_GROWS, "server_status", "Queries"},
        {{.section = FIELD_CLIENT, .name = "cpu_system_s", .row = system_time},
         METRIC_GROWS,
         "client_cpu_seconds",
         "system"},
    };
    struct metric m;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        metric_of(&t[i].f, &m);
        CHECK_INT(m.how, t[i].how);
        CHECK_STR(m.family, t[i].family);
        CHECK_STR(m.value, t[i].value);
    }
    metric_of(&(struct field){.section = FIELD_LOAD, .name = "no_such"}, &m);
    CHECK_INT(m.how, METRIC_NONE);
    CHECK_STR(system_time->name, "cpu_system_s");
}

/* --- the two texts --- */

static void fill(struct metrics *m)
{
    static char name[] = "env", value[] = "a\\b\"c\nd\xff";
    const struct report_label label[] = {{name, value}};
    const struct metrics_label user = {"mode", "user"}, system = {"mode", "system"};

    metrics_labels(m, "x.lua", label, 1);
    metrics_add(m, METRICS_INFO, "run", "says \"what\"", "", NULL, 0, figures_whole(1));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "a\\b\nc", "", &user, 1, figures_number(0.1));
    metrics_add(m, METRICS_GAUGE, "empty", "nothing", "", NULL, 0, figures_number(NAN));
    metrics_add(m, METRICS_COUNTER, "cpu_seconds", "", "", &system, 1, figures_number(2));
    metrics_add(m, METRICS_GAUGE, "threads", "t", "", NULL, 0, figures_whole(UINT64_MAX));
}

static void texts(void)
{
    struct metrics m = {0};
    struct str out = STR_INIT;

    for (int form = METRICS_PROMETHEUS; form <= METRICS_OPENMETRICS; form++) {
        fill(&m);
        metrics_render(&m, (enum metrics_form)form, &out);
        metrics_clear(&m);
    }
    golden(&out, "both formats");
    str_free(&out);
    metrics_free(&m);
}

#define INTERVAL   SNAPSHOT_INTERVAL
#define CHECKPOINT SNAPSHOT_CHECKPOINT
#define FINAL      SNAPSHOT_FINAL

static const struct {
    const char *key;
    enum snapshot_kind kind;
    bool intervals;
    double growth, total;
} reports[] = {
    {"a", INTERVAL, true, 5, 5},
    {"b", INTERVAL, true, 1, 1},
    {"c", INTERVAL, true, 2, 2},
    {"a", INTERVAL, true, 5, 10},
    {"c", INTERVAL, true, 3, 5},
    {"a", CHECKPOINT, true, 12, 10}, /* more is known, and said in the summary */
    {"b", CHECKPOINT, true, 1, 1},
    {"a", INTERVAL, true, 1, 11},
    {"a", FINAL, true, 1, 13},
    {"b", FINAL, true, 0, 1},
    {"c", FINAL, true, 4, 5}, /* a total never falls */
    {"d", CHECKPOINT, false, 7, 7},
    {"d", CHECKPOINT, false, 2, 9},
    {"d", FINAL, false, 1, 10},
    {"e", CHECKPOINT, true, 7, 0},
};

/* Several at a time, each by its key. */
static void totals_by_key(void)
{
    struct metrics_totals t = {0};
    const double *e;

    CHECK(metrics_grow(&t, "a", FINAL, true, NAN) == NULL);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const double *now;
        double total = *metrics_grow(&t, reports[i].key, reports[i].kind, reports[i].intervals,
                                     reports[i].growth);
        CHECK_NEAR(total, reports[i].total, 0);
        now = metrics_grow(&t, reports[i].key, INTERVAL, true, NAN);
        CHECK(now && *now == total);
    }
    CHECK_INT(t.n, 5);
    CHECK(metrics_grow(&t, "f", INTERVAL, true, NAN) == NULL);
    e = metrics_grow(&t, "e", CHECKPOINT, true, NAN);
    CHECK(e && *e == 0);
    e = metrics_grow(&t, "e", FINAL, true,
                     NAN); /* without growth of its own: what the checkpoints saw */
    CHECK(e && *e == 7);
    metrics_totals_free(&t);
}

TEST_MAIN(metrics_test)
{
    every_figure();
    by_name();
    totals_by_key();
    texts();
    golden_done("metrics");
    return test_done("metrics");
}

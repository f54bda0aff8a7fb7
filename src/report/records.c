/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What reports tell beside the figures of the sections: records and lists of them, a table each
 * (fields.h).  A new member is a row here and the line that measures it.
 */
#include <stdatomic.h>
#include <string.h>

#include "report/json.h"
#include "report/rows.h"
#include "report/run_info.h"
#include "report/text.h"

/* clang-format off */

WHEN(is_final, void, s->kind == SNAPSHOT_FINAL)
TEXT(no_rate, void, s->has_rate ? NULL : "")

/* --- a series of latencies --- */

#define V struct snapshot_series
enum { SAMPLES = 1, P50 = 2, P95 = 4, P99 = 8, MAX = 16, MEAN = 32 };
enum { P50_MAX = P50 | P95 | P99 | MAX };
const struct figure series_figures[] = {
    {AT(n), .name = "samples", .lua = "n"},
    {AT(p50), .name = "p50_s", .unit = NS, .lua = "p50"},
    {AT(p95), .name = "p95_s", .unit = NS, .lua = "p95"},
    {AT(p99), .name = "p99_s", .unit = NS, .lua = "p99"},
    {AT(max), .name = "max_s", .unit = NS, .lua = "max"},
    {AT(mean), .name = "mean_s", .unit = NS, .lua = "mean"},
END};

static const struct figure outage_series_figures[] = {
    {AT(n), .name = "count"},
    {AT(p50), .name = "p50_s", .unit = NS},
    {AT(p95), .name = "p95_s", .unit = NS},
    {AT(p99), .name = "p99_s", .unit = NS},
    {AT(max), .name = "max_s", .unit = NS},
END};
#undef V

/* --- errors, incidents, outages --- */

#define V struct snapshot_error
GET(error_code, V, v->row->code ? v->row->code : NAN)
TEXT(error_state, V, *v->row->sqlstate ? v->row->sqlstate : NULL)
TEXT(error_class, V, v->row->class)
TEXT(error_words, V, v->row->text)
GET(error_total, V, v->row->count)
const struct figure error_figures[] = {
    {.get = error_code, .name = "code", .lua = "code"},
    {.text = error_state, .name = "sqlstate", .lua = "sqlstate"},
    {.text = error_class, .name = "class", .lua = "class"},
    {AT(count), .name = "count", .lua = "count"},
    {.get = error_total, .as = AS_COUNT, .lua = "total",
     SINCE("errors_by_code", "statements and connection attempts that failed")},
    {AT(first_ns), .name = "first_s", .unit = SIGNED_NS},
    {AT(last_ns), .name = "last_s", .unit = SIGNED_NS},
    {.text = error_words, .name = "text", .lua = "text"},
END};
WHEN(occurred, V, v->count > 0)
#undef V

static const char *incident_words(const struct snapshot *s UNUSED, const void *of, struct str *buf)
{
    str_reset(buf);
    incident_text(buf, of, "");
    return str_cstr(buf);
}

#define V struct snapshot_incident
TEXT(incident_kind, V, incident_name(v->kind))
GET(incident_time, V, incident_elapsed_s(s, v))
WHEN(has_host, V, v->host != NULL)
WHEN(new_incident, V, s->kind == SNAPSHOT_FINAL || v >= s->incident + s->incidents_told)
const struct figure incident_figures[] = {
    {.text = incident_kind, .name = "kind", .lua = "kind"},
    {.get = incident_time, .name = "elapsed_s", .lua = "time"},
    {AT(rank), .name = "rank", .when = has_host},
    {AT(host), .name = "host", .when = has_host},
    {.text = incident_words, .name = "text", .lua = "text"},
END};
#undef V

#define V struct outage
#define SINCE_FIRST(member) AT(member), MINUS(V, first_error)
#define MEANWHILE(member) AT(after.member), MINUS(V, before.member)
GET(first_error, V, dur_sec(v->first_error - s->outages->zero))
GET(last_error, V, dur_sec(v->last_error - s->outages->zero))
GET(silence, V, dur_sec(snapshot_silence(s, v)))
const struct figure outage_figures[] = {
    {.get = first_error, .name = "first_error_s",
     LEVEL("outage_start_seconds", "first error of the outage, since measuring began")},
    {.get = last_error, .name = "last_error_s"},
    {SINCE_FIRST(over), .name = "over_after_s",
     LEVEL("outage_duration_seconds",
           "until the load was as before; none for one that was not over")},

    {SINCE_FIRST(success), .name = "success_after_s"},
    {.get = silence, .name = "without_success_s",
     LEVEL("outage_without_success_seconds", "longest time without a transaction done")},
    {SINCE_FIRST(connected), .name = "connected_after_s"},
    {SINCE_FIRST(drained), .name = "in_time_after_s", .absent = no_rate},
    {AT(errors), .name = "errors"},
    {AT(lost), .name = "connections_lost"},
    {MEANWHILE(offered), .name = "offered", .absent = no_rate},
    {MEANWHILE(dropped), .name = "dropped", .absent = no_rate},
    {MEANWHILE(late), .name = "late", .absent = no_rate},
    {MEANWHILE(done), .name = "done"},
    {MEANWHILE(failed), .name = "failed"},
END};
#undef V

#define V struct snapshot_outages
static const struct figure outages_figures[] = {
    {LIST(V, row, n), .name = "list", .of = outage_figures},
    {AT(more), .name = "more"},
    {AT(away), .name = "connections_missing"},
    {INSIDE(V, before, outage_series_figures), .name = "latency_before", GIVEN(V, has_before)},
    {INSIDE(V, during, outage_series_figures), .name = "latency_during"},
    {INSIDE(V, after, outage_series_figures), .name = "latency_after"},
END};
#undef V

/* --- hosts: those of the database, and the load hosts --- */

#define V struct snapshot_host
/* The clients have closed their connections when the last report is made. */
TEXT(closed, void, s->kind == SNAPSHOT_FINAL ? "" : NULL)
const struct figure host_figures[] = {
    {AT(total_events), SINCE("database_transactions", "transactions done at a database host")},
    {AT(total_failed), SINCE("database_failed", "transactions that failed there")},
    {AT(total_errors), SINCE("database_errors", "statements that failed there and were ignored")},
    {AT(total_lost), SINCE("database_connections_lost", "connections that were lost there")},
    {AT(total_reconnects),
     SINCE("database_reconnects", "connections that were reestablished there")},
    {AT(connections), LEVEL("database_connections", "connections to a database host that are up")},
    {AT(name), .name = "host"},
    {AT(clients), .name = "clients",
     LEVEL("database_clients", "clients whose transactions are done there")},
    {AT(connections), .name = "connections", .absent = closed},
    {AT(events), .name = "transactions"},
    {AT(failed), .name = "failed"},
    {AT(errors), .name = "errors"},
    {AT(lost), .name = "lost"},
    {AT(reconnects), .name = "reconnects"},
    {INSIDE(V, latency, series_figures), .name = "latency", .columns = SAMPLES | P50_MAX | MEAN,
     .metric = METRIC_POINTS, .family = "database_latency_seconds",
     .about = "latency of a transaction at a database host, in the last report"},
END};
#undef V

#define V struct snapshot_rank
enum { CLOCK_COLUMNS = 2 | 4 | 8 };
WHEN(rated, void, s->has_rate)
WHEN(has_workers, V, s->kind == SNAPSHOT_FINAL && v->workers)
GET(up, V, !v->lost)
GET(cpu_ratio, V, v->cpus ? v->cpu_pct / 100 / v->cpus : NAN)
TEXT(why_lost, V, v->lost ? v->why : NULL)
static const struct figure clock_figures[] = {
    {AT(same_clock), .name = "same"},
    {AT(clock_offset), .name = "offset_s", .unit = SIGNED_NS},
    {AT(clock_uncertainty), .name = "uncertainty_s", .unit = SIGNED_NS},
    {AT(clock_drift_ppm), .name = "drift_ppm"},
END};
const struct figure rank_figures[] = {
    {.get = up, LEVEL("rank_up", "1: the load host takes part, 0: it was lost")},
    {AT(rank), .name = "rank"},
    {AT(host), .name = "host"},
    {AT(clients), .name = "threads", LEVEL("rank_threads", "clients of a load host")},
    {AT(done), .name = "done"},
    {AT(failed), .name = "failed"},
    {AT(dropped), .name = "dropped", .absent = no_rate},
    {AT(starts_late), .name = "late", .absent = no_rate},
    {AT(given_up), .name = "lost", .absent = no_rate},
    {AT(per_s), .name = "transactions_per_s",
     LEVEL("rank_transactions_per_second", "transactions that a load host did, a second")},
    {INSIDE(V, response, series_figures), .name = "response", .columns = P50_MAX},
    {INSIDE(V, lag, series_figures), .name = "lag", .when = rated, .columns = P99},
    {AT(response.p99), .unit = NS,
     LEVEL("rank_latency_p99_seconds", "99 % of the latencies of a load host were not longer")},
    {AT(lag.p99), .unit = NS,
     LEVEL("rank_lag_p99_seconds", "99 % of the starts of a load host were not later")},
    {AT(starts_late), LEVEL("rank_late_transactions", "late starts of a load host in the period")},
    {AT(cpu_pct), .name = "cpu_pct"},
    {.get = cpu_ratio,
     LEVEL("rank_cpu_ratio", "CPU time of a load host's process as a share of its CPUs")},
    {AT(cpus), .name = "cpus"},
    {AT(throttled), .name = "throttled_s", .unit = SIGNED_NS, GIVEN(V, has_throttle),
     .json_only = true},
    {AT(waited_pct), .name = "cpu_wait_pct", .json_only = true},
    {AT(workers), .name = "workers", .when = has_workers, .json_only = true},
    {AT(workers_busy), .name = "workers_saturated", .when = has_workers, .json_only = true},
    {.of = clock_figures, .name = "clock", GIVEN(V, has_clock), .columns = CLOCK_COLUMNS},
    {AT(clock_offset), .unit = SIGNED_NS, GIVEN(V, has_clock),
     LEVEL("rank_clock_offset_seconds", "the leader's clock minus that of a load host")},
    {AT(late), .name = "figures_missing"},
    {AT(lost_after), .name = "lost_after_s", .unit = SIGNED_NS, GIVEN(V, lost)},
    {.text = why_lost, .name = "why_lost", .json_only = true},
    {AT(apart), .name = "differs", .unit = OR_NONE, .json_only = true},
    {AT(apart), .name = "differs", .csv_only = true},
END};
#undef V

/* --- marks, phases, the stages of the rate --- */

/* Of a record that begins with its snapshot. */
static void whole(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    json_doc_report(out, *(struct snapshot *const *)of);
}
GET(part_begin, struct snapshot *const, dur_sec((*v)->elapsed_ns - (*v)->interval_ns))
GET(part_end, struct snapshot *const, dur_sec((*v)->elapsed_ns))

#define V struct mark
GET(mark_time, V, dur_sec(mark_elapsed(s, v)))
TEXT(mark_source, V, mark_source_name(v->source))
const struct figure mark_figures[] = {
    {.get = mark_time, .name = "elapsed_s", .lua = "time"},
    {AT(wall), .name = "wall_time_unix_s", .unit = SIGNED_NS},
    {.text = mark_source, .name = "source", .lua = "source"},
    {AT(text), .name = "text", .lua = "text"},
END};
#undef V

#define V struct snapshot_phase
const struct figure phase_figures[] = {
    {.get = part_begin, .name = "begin_s"},
    {.get = part_end, .name = "end_s"},
    {LIST(V, marks, nmarks), .of = mark_figures, .name = "marks"},
    {.json = whole, .name = "figures"},
END};
#undef V

#define V struct snapshot_stage
GET(stage_number, V, v - s->stages + 1)
GET(stage_sustained, V, !v->judged || v->unknown ? NAN : v->sustained)
TEXT(stage_why, V, !v->judged ? "nothing was due" : *v->why ? v->why : NULL)
const struct figure stage_figures[] = {
    {.get = stage_number, .as = AS_COUNT, .name = "number"},
    {AT(text), .name = "text"},
    {AT(from), .name = "planned_begin_s", .unit = NS, .json_only = true},
    {AT(until), .name = "planned_end_s", .unit = NS, .json_only = true},
    {.get = part_begin, .name = "begin_s"},
    {.get = part_end, .name = "end_s"},
    {AT(first), .name = "first_per_s"},
    {AT(last), .name = "last_per_s"},
    {.get = stage_sustained, .as = AS_TRUTH, .name = "sustained",
     LEVEL("stage_sustained", "1: the rate of a stage was sustained, 0: it was not")},
    {.text = stage_why, .name = "why"},
    {.json = whole, .name = "figures", .json_only = true},
END};
#undef V

/* As metrics they are gauges, although most are counts: a stage is over when they appear. */
#define V struct snapshot_rate
#define POINTS(family_, about_) .metric = METRIC_POINTS, .family = family_, .about = about_
const struct figure stage_rate_figures[] = {
    {AT(target), LEVEL("stage_target_per_second", "planned rate of a stage, mean")},
    {AT(achieved),
     LEVEL("stage_achieved_per_second",
           "transactions delivered a second in the time of a stage, as its verdict counts")},

    {AT(offered), LEVEL("stage_offered", "planned starts of a stage")},
    {AT(done), LEVEL("stage_done", "transactions done while a stage lasted")},
    {AT(failed), LEVEL("stage_failed", "transactions that failed while a stage lasted")},
    {AT(dropped), LEVEL("stage_dropped", "planned starts dropped while a stage lasted")},
    {AT(late), LEVEL("stage_late", "late starts of the transactions done while a stage lasted")},
END};
const struct figure stage_series_figures[] = {
    {INSIDE(struct snapshot_rate, response, series_figures),
     POINTS("stage_latency_seconds", "time of a transaction from its planned start, by stage")},
    {INSIDE(struct snapshot_rate, service, series_figures),
     POINTS("stage_service_time_seconds", "time of a transaction from its actual start, by stage")},
    {INSIDE(struct snapshot_rate, lag, series_figures),
     POINTS("stage_lag_seconds", "how late a transaction began after its planned start, by stage")},
END};
#undef V

/* --- the search for the highest rate --- */

#define V struct find_step
GET(step_number, V, v - s->find->step + 1)
GET(step_lag, V, v->lag_p99 / 1e9)
GET(step_lag_ms, V, v->lag_p99 / 1e6)
GET(step_holds, V, v->unmeasured ? NAN : v->holds)
TEXT(step_why, V, v->holds ? NULL : v->why)
TEXT(step_limit, V, v->limit ? text_find_limit(v->limit) : NULL)

static void step_bounds(struct str *out, const struct snapshot *s, const void *of)
{
    const struct find_objective *o = &s->find->objective;
    const V *v = of;

    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        double unit = b->what == FIND_TIME ? 1e9 : 1;
        char name[TEXT_FIND_SIZE];
        str_adds(out, i ? ",{" : "[{");
        json_string_member(out, "name", text_find_name(name, b));
        json_string_member(out, "unit",
                           b->what == FIND_TIME ? "s" : b->what == FIND_ERRORS_RATE ? "1/s" : "%");
        json_number_member(out, "value", v->value[i] / unit);
        json_number_member(out, "limit", b->limit / unit);
        str_adds(out, "}");
    }
    str_adds(out, o->n ? "]" : "[]");
}

/* A column for each bound, named as the objective names it, times in ms: "lag_p99_9_ms". */
static void step_columns(struct str *out, const struct snapshot *s, const void *of)
{
    static const char *const unit[] = {[FIND_TIME] = "_ms", [FIND_ERRORS_PCT] = "_pct",
                                       [FIND_ERRORS_RATE] = "_per_s", [FIND_SERVER_CPU] = "_pct",
                                       [FIND_CLIENT_CPU] = "_pct"};
    const struct find_objective *o = &s->find->objective;
    const V *v = of;

    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        char name[TEXT_FIND_SIZE];
        str_adds(out, ",");
        if (v && isfinite(v->value[i]))
            json_number(out, b->what == FIND_TIME ? v->value[i] / 1e6 : v->value[i]);
        text_find_name(name, b);
        for (char *p = name; *p; p++)
            *p = strchr(" .", *p) ? '_' : strchr("CPU", *p) ? (char)(*p + 'a' - 'A') : *p;
        if (!v)
            str_printf(out, "%s%s", name, unit[b->what]);
    }
}

const struct figure step_figures[] = {
    {.get = step_number, .as = AS_COUNT, .name = "step"},
    {AT(rate), .name = "rate_per_s"},
    {AT(brief), .name = "brief"},
    {AT(from), .name = "begin_s", .unit = SIGNED_NS},
    {AT(length), .name = "seconds", .unit = SIGNED_NS},
    {AT(offered), .name = "offered"},
    {AT(done), .name = "done"},
    {AT(failed), .name = "failed"},
    {AT(dropped), .name = "dropped"},
    {AT(errors), .name = "errors"},
    {AT(waiting), .name = "waiting"},
    {.get = step_lag, .name = "lag_p99_s", .json_only = true},
    {.get = step_lag_ms, .name = "lag_ms", .csv_only = true},
    {AT(server_busy_pct), .name = "server_busy_pct"},
    {AT(client_busy_pct), .name = "client_busy_pct"},
    {.json = step_bounds, .cells = step_columns, .name = "figures"},
    {.get = step_holds, .as = AS_TRUTH, .name = "holds"},
    {.text = step_why, .name = "why", .json_only = true},
    {.text = step_limit, .name = "limit"},
    {AT(why), .name = "why", .csv_only = true},
END};
#undef V

#define V struct find_record
static const char *const find_ends[] = {
    [FIND_GOES_ON] = "running",      [FIND_FOUND] = "found",     [FIND_NONE] = "none",
    [FIND_STEPS] = "steps",          [FIND_STOPPED] = "stopped", [FIND_STUCK] = "stuck",
    [FIND_UNMEASURED] = "unmeasured", [FIND_UNJUDGED] = "unjudged"};
TEXT(find_result, V, find_ends[v->end])
TEXT(find_why, V, v->failed ? v->failed->why : NULL)
TEXT(find_limit, V, v->failed ? text_find_limit(v->failed->limit) : NULL)
WHEN(step_done, struct find_step,
     v < s->find->step + atomic_load_explicit(&s->find->nsteps, memory_order_acquire))
const struct figure find_figures[] = {
    {AT(objective.text), .name = "objective"},
    {.text = find_result, .name = "result"},
    {AT(held), .name = "held_per_s", .unit = OR_NONE},
    {AT(confirmed), .name = "confirmed"},
    {AT(not_held), .name = "not_held_per_s", .unit = OR_NONE},
    {.text = find_why, .name = "why"},
    {.text = find_limit, .name = "limit"},
    {.offset = offsetof(V, step), .stride = sizeof(struct find_step), .inside = FIND_MAX_STEPS,
     .keep = step_done, .name = "steps", .of = step_figures},
END};
#undef V

/* --- statements, system calls --- */

#define V struct stmt_figures
TEXT(statement_kind, V, statement_name(v))
TEXT(statement_class, V, stmt_class_name(v->class))
GET(statement_mean, V, dur_sec(v->sum_ns) / (double)v->count)
GET(statement_pct, V, statement_share(s, v))
const struct figure statement_figures[] = {
    {.text = statement_kind, .name = "kind", .lua = "kind"},
    {.text = statement_class, .name = "class", .lua = "class"},
    {AT(text), .name = "text"},
    {AT(count), .name = "count", .lua = "count"},
    {AT(errors), .name = "errors", .lua = "errors"},
    {AT(rows), .name = "rows", .lua = "rows"},
    {AT(sum_ns), .name = "sum_s", .unit = SIGNED_NS, .lua = "sum"},
    {.get = statement_mean, .name = "mean_s", .lua = "mean"},
    {AT(min), .name = "min_s", .unit = SIGNED_NS, .lua = "min"},
    {AT(p50), .name = "p50_s", .unit = SIGNED_NS, .lua = "p50"},
    {AT(p95), .name = "p95_s", .unit = SIGNED_NS, .lua = "p95"},
    {AT(p99), .name = "p99_s", .unit = SIGNED_NS, .lua = "p99"},
    {AT(max), .name = "max_s", .unit = SIGNED_NS, .lua = "max"},
    {.get = statement_pct, .name = "share_pct", .lua = "share"},
END};
#undef V

#define V struct syscall_count
GET(calls_each, V, snapshot_sampled(s) ? (double)v->began / (double)snapshot_sampled(s) : NAN)
GET(calls_sum, V, (double)v->ns / 1e9)
GET(calls_mean, V, v->ended ? (double)v->ns / 1e9 / (double)v->ended : NAN)
static const struct figure calls_figures[] = {
    {AT(began), .name = "count", .lua = "count"},
    {.get = calls_each, .name = "count_per_transaction"},
    {AT(ended), .name = "ended", .lua = "ended"},
    {AT(errors), .name = "errors", .lua = "errors"},
    {.get = calls_sum, .name = "sum_s", .lua = "sum"},
    {.get = calls_mean, .name = "mean_s"},
END};
#undef V

static const char *call_name(const struct snapshot *s UNUSED, const void *of, struct str *buf)
{
    char name[24];

    str_reset(buf);
    str_adds(buf, syscall_name(((const struct syscall_figure *)of)->number, name));
    return str_cstr(buf);
}

const struct figure syscall_figures[] = {
    {.text = call_name, .name = "name", .lua = "name"},
    {RECORD_AT(struct syscall_figure, number), .name = "number", .lua = "number"},
    {INSIDE(struct syscall_figure, c, calls_figures)},
END};

#define V struct syscalls_delta
WHEN(listed, struct syscall_figure, v < s->probe->syscalls.f + s->probe->syscalls.n)
static const struct figure syscalls_figures[] = {
    {AT(kinds), .name = "kinds"},
    {INSIDE(V, all, calls_figures)},
    {.offset = offsetof(V, f), .stride = sizeof(struct syscall_figure), .inside = SYSCALLS_LISTED,
     .keep = listed, .name = "most_frequent", .of = syscall_figures},
END};
#undef V

/* --- of the whole run --- */

#define V struct snapshot_retries
static const struct figure retries_figures[] = {
    {AT(transactions), .name = "transactions"},
    {AT(retries), .name = "retries"},
    {AT(most), .name = "most"},
    {AT(failed), .name = "failed"},
    {AT(unknown), .name = "commits_unknown"},
    {INSIDE(V, first, series_figures), .name = "first_attempt"},
    {INSIDE(V, last, series_figures), .name = "until_done"},
END};
#undef V

#define V struct snapshot_connections
static const struct figure clients_figures[] = {
    {AT(clients), .name = "threads"},
    {AT(connected), .name = "connected",
     LEVEL("clients_connected", "clients with a connection at the end")},
    {AT(refused), .name = "refused",
     LEVEL("clients_refused", "clients that the server refused at first")},
    {AT(refused_with), .name = "refused_with", .unit = OR_NONE},
END};
#define SUMMARY(family_, about_) .metric = METRIC_SUMMARY, .family = family_, .about = about_
const struct figure connections_figures[] = {
    {.of = clients_figures, .name = "clients", GIVEN(V, limited)},
    {AT(plain), .name = "plain_queries"},
    {AT(plain), .unit = OR_NONE,
     LEVEL("plain_query_connections",
           "connections without prepared statements, because of a limit or a pooler")},

    {INSIDE(V, connect, series_figures), .name = "reconnect",
     SUMMARY("reconnect_seconds", "time of the attempt that replaced a lost connection")},
    {INSIDE(V, away, series_figures), .name = "away",
     SUMMARY("connection_away_seconds", "from the loss of a connection until it was replaced")},
END};
#undef V

#define V struct snapshot_warmup
TEXT(warmup_figure, V, v->rate ? "response_mean_s" : "transactions_per_s")
static const struct figure warmup_figures[] = {
    {AT(steady), .name = "steady"},
    {AT(after), .name = "lasted_s", .unit = SIGNED_NS},
    {.text = warmup_figure, .name = "figure"},
    {AT(bound_pct), .name = "bound_pct"},
    {AT(change_pct), .name = "change_pct", GIVEN(V, has_trend)},
    {AT(error_pct), .name = "error_pct", GIVEN(V, has_trend)},
END};
#undef V

#define V struct snapshot_batches
TEXT(none_held, V, v->batches ? NULL : SNAPSHOT_NONE_HELD)
const struct figure batch_figures[] = {
    {AT(batches), .name = "batches",
     SINCE("worker_batches", "times that a worker took answers that it had held back")},
    {AT(answers), .name = "answers",
     SINCE("worker_batch_answers", "answers that were held back")},
    {AT(held_mean_s), .name = "held_mean_s", .absent = none_held,
     LEVEL("worker_batch_held_mean_seconds", "for how long an answer was held back at most, mean")},
    {AT(held_max_s), .name = "held_max_s", .absent = none_held,
     LEVEL("worker_batch_held_max_seconds", "the longest such time")},
END};
#undef V

/* --- what else a snapshot has, after its sections --- */

#define V struct snapshot
TEXT(no_syscalls, V, s->probe && s->probe->has_syscalls ? s->probe->syscalls.why
                                                        : "not asked for (--server-syscalls)")
BASE(syscalls_of, V, s->probe ? &s->probe->syscalls : NULL)
BASE(outages_of, V, s->outages)
BASE(find_of, V, s->find)
WHEN(no_phase, V, s->kind != SNAPSHOT_PHASE)
WHEN(any_hosts, V, s->hosts || s->hosts_many)
TEXT(many_hosts, V, s->hosts_many ? SNAPSHOT_HOSTS_MANY : NULL)
WHEN(any_incidents, V, s->incidents > (s->kind == SNAPSHOT_FINAL ? 0 : s->incidents_told))
WHEN(any_ranks, V, s->nranks > 0)
TEXT(no_statements, V, s->statements ? NULL : "not asked for (--report-statements)")
WHEN(waited_for_steady, V, s->kind == SNAPSHOT_FINAL && s->warmed.asked)
WHEN(has_batches, V, s->kind == SNAPSHOT_FINAL && s->batches.asked)
WHEN(searched, V, s->kind == SNAPSHOT_FINAL && s->find)
const struct figure snapshot_figures[] = {
    {.base = syscalls_of, .of = syscalls_figures, .name = "server_syscalls",
     .absent = no_syscalls},
    {LIST(V, by_code, nby_code), .of = error_figures, .name = "errors_by_code", .when = no_phase,
     .keep = occurred},
    {LIST(V, host, hosts), .of = host_figures, .name = "hosts", .when = any_hosts,
     .absent = many_hosts},
    {LIST(V, incident, incidents), .of = incident_figures, .name = "incidents",
     .when = any_incidents, .keep = new_incident},
    {LIST(V, rank, nranks), .of = rank_figures, .name = "ranks", .when = any_ranks},
    {LIST(V, statements, nstatements), .of = statement_figures, .name = "statements",
     .when = is_final, .absent = no_statements},
    {.base = outages_of, .of = outages_figures, .name = "outages", .when = is_final},
    {INSIDE(V, retries, retries_figures), .name = "retries", .when = is_final},
    {INSIDE(V, connections, connections_figures), .name = "connections", .when = is_final},
    {INSIDE(V, warmed, warmup_figures), .name = "warmup", .when = waited_for_steady},
    {INSIDE(V, batches, batch_figures), .name = "worker_batch", .when = has_batches},
    {.base = find_of, .of = find_figures, .name = "find", .when = searched},
END};
#undef V

/* --- beside the snapshots --- */

#define V struct report_profile
static void profile_kinds(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    static const char *const kind[] = {"cpu", "offcpu"};
    const V *p = of;

    json_list(out, kind + !p->cpu, (size_t)p->cpu + p->off_cpu);
}

static void profile_files(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    const V *p = of;

    json_list(out, p->file, p->files);
}

TEXT(unwatched, V, v->why)
TEXT(no_end, V, v->length > 0 ? NULL : "to the end of the run")
TEXT(no_cpu, V, v->why ? v->why : v->cpu ? NULL : "cpu was not asked for")
TEXT(no_off_cpu, V, v->why ? v->why : v->off_cpu ? NULL : "offcpu was not asked for")
TEXT(no_cfi, V, v->why ? v->why : v->no_cfi)
GET(sampled_cpu, V, v->hz ? (double)v->samples / v->hz : 0)
GET(profiler_pct, V, v->watched > 0 ? 100 * dur_sec(v->cost) / dur_sec(v->watched) : 0)
GET(files_complete, V, !v->files_incomplete)
#define ROW(member, name_, ...) {AT(member), .name = name_, __VA_ARGS__}
const struct figure profile_figures[] = {
    {.json = profile_kinds, .name = "kinds"},
    ROW(hz, "frequency_hz", .unit = PLAIN),
    ROW(start, "window_start_s", .unit = SIGNED_NS),
    ROW(length, "window_length_s", .unit = SIGNED_NS, .absent = no_end),
    ROW(name, "name", .absent = unwatched),
    ROW(watched, "watched_s", .unit = SIGNED_NS, .absent = unwatched),
    ROW(samples, "samples", .absent = no_cpu),
    {.get = sampled_cpu, .name = "sampled_cpu_s", .absent = no_cpu},
    ROW(stacks, "stacks", .absent = no_cpu),
    ROW(off_cpu_time, "off_cpu_s", .unit = SIGNED_NS, .absent = no_off_cpu),
    ROW(threads, "off_cpu_threads", .absent = no_off_cpu),
    ROW(off_cpu_stacks, "off_cpu_stacks", .absent = no_off_cpu),
    ROW(switches, "switches", .absent = no_off_cpu),
    ROW(involuntary, "involuntary_switches", .absent = no_off_cpu),
    ROW(sampled, "switches_with_stack", .absent = no_off_cpu),
    ROW(by_cfi, "unwound_by_frame_information", .absent = no_cfi),
    ROW(by_pointers, "unwound_by_frame_pointers", .absent = unwatched),
    ROW(partial, "unwound_in_part", .absent = unwatched),
    ROW(degraded, "degraded_stacks", .absent = unwatched),
    ROW(lost, "lost_records", .absent = unwatched),
    ROW(truncated, "left_out_frames", .absent = unwatched),
    ROW(cost, "profiler_cpu_s", .unit = SIGNED_NS, .absent = unwatched),
    {.get = profiler_pct, .name = "profiler_cpu_pct_of_one", .absent = unwatched},
    {.json = profile_files, .name = "files"},
    {.get = files_complete, .as = AS_TRUTH, .name = "files_complete"},
END};
#undef ROW
#undef V

#define V struct report_action
TEXT(not_begun, V, v->state == ACTION_ENDED || v->state == ACTION_RUNNING ? NULL : "")
TEXT(not_ended, V, v->state == ACTION_ENDED ? NULL : "")
GET(exit_status, V, v->exit_status >= 0 ? v->exit_status : NAN)
static const char *const action_states[] = {
    [ACTION_WAITING] = "waiting", [ACTION_RUNNING] = "running", [ACTION_ENDED] = "ended",
    [ACTION_FAILED] = "not started", [ACTION_NOT_RUN] = "not run"};
TEXT(action_state, V, action_states[v->state])
const struct figure action_figures[] = {
    {AT(at_s), .name = "at_s"},
    {AT(name), .name = "name"},
    {AT(command), .name = "command"},
    {.text = action_state, .name = "state"},
    {AT(begin_s), .name = "begin_s", .absent = not_begun},
    {AT(duration_s), .name = "duration_s", .absent = not_ended},
    {.get = exit_status, .name = "exit_status", .absent = not_ended},
    {AT(signal), .name = "signal", .unit = OR_NONE, .absent = not_ended},
    {AT(stopped), .name = "terminated_with_run"},
    {AT(left), .name = "left_processes"},
    {AT(output), .name = "output", .absent = not_ended},
    {AT(output_bytes), .name = "output_bytes", .absent = not_ended},
    {AT(why), .name = "error"},
END};
#undef V

#define V struct report_end
GET(run_sustained, V, v->offered && !v->unknown && !v->searched ? v->sustained : NAN)
TEXT(run_why, V, !v->offered ? "nothing was due" : *v->why ? v->why : NULL)
GET(run_achieved, V, v->offered ? v->achieved : NAN)
WHEN(has_stage, V, v->since_stage != 0)
WHEN(was_interrupted, V, v->interrupted && *v->interrupted)
GET(end_wall, V, v->wall ? (double)v->wall / 1e9 : NAN)
const struct figure verdict_figures[] = {
    {.get = run_sustained, .as = AS_TRUTH, .name = "sustained"},
    {.text = run_why, .name = "why"},
    {.get = run_achieved, .name = "achieved_per_s"},
    {AT(since_stage), .name = "since_stage", .when = has_stage},
    {AT(interrupted), .name = "interrupted", .when = was_interrupted},
    {AT(accounts_balance), .name = "accounts_balance"},
END};
const struct figure end_figures[] = {
    {AT(status), .name = "status"},
    {AT(signal), .name = "signal", .unit = OR_NONE},
    {AT(error), .name = "error"},
    {.get = end_wall, .name = "wall_time_unix_s"},
END};
/* clang-format on */

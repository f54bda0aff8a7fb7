/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What reports tell beside the figures of the sections: records and lists of them, a table each
 * (fields.h).  A new member is a row here and the line that measures it.
 */
#include <stdatomic.h>
#include <string.h>

#include "report/json.h"
#include "report/budget.h"
#include "report/rows.h"
#include "report/run_info.h"
#include "report/text.h"

TRUTH_OF(is_final, any, s->kind == SNAPSHOT_FINAL)
TEXT_OF(no_rate, any, s->has_rate ? NULL : "")

/* --- a series of latencies --- */

const struct figure series_figures[] = {
    MEMBER("samples", AT(snapshot_series, n), HOOK("n")),
    MEMBER("p50_s", AT(snapshot_series, p50), IN(NS), HOOK("p50")),
    MEMBER("p95_s", AT(snapshot_series, p95), IN(NS), HOOK("p95")),
    MEMBER("p99_s", AT(snapshot_series, p99), IN(NS), HOOK("p99")),
    MEMBER("max_s", AT(snapshot_series, max), IN(NS), HOOK("max")),
    MEMBER("mean_s", AT(snapshot_series, mean), IN(NS), HOOK("mean")),
    END,
};

static const struct figure outage_series_figures[] = {
    MEMBER("count", AT(snapshot_series, n)),
    MEMBER("p50_s", AT(snapshot_series, p50), IN(NS)),
    MEMBER("p95_s", AT(snapshot_series, p95), IN(NS)),
    MEMBER("p99_s", AT(snapshot_series, p99), IN(NS)),
    MEMBER("max_s", AT(snapshot_series, max), IN(NS)),
    END,
};

/* --- errors, incidents, outages --- */

NUMBER_OF(error_code, snapshot_error, v->row->code ? v->row->code : NAN)
TEXT_OF(error_state, snapshot_error, *v->row->sqlstate ? v->row->sqlstate : NULL)
TEXT_OF(error_class, snapshot_error, v->row->class)
TEXT_OF(error_words, snapshot_error, v->row->text)
NUMBER_OF(error_total, snapshot_error, v->row->count)
const struct figure error_figures[] = {
    HOOKED_MEMBER("code", GET(error_code)),
    HOOKED_MEMBER("sqlstate", TEXT(error_state)),
    HOOKED_MEMBER("class", TEXT(error_class)),
    HOOKED_MEMBER("count", AT(snapshot_error, count)),
    UNNAMED(GET(error_total), AS(COUNT), HOOK("total"),
            SINCE("errors_by_code", "statements and connection attempts that failed")),
    MEMBER("first_s", AT(snapshot_error, first_ns), IN(SIGNED_NS)),
    MEMBER("last_s", AT(snapshot_error, last_ns), IN(SIGNED_NS)),
    HOOKED_MEMBER("text", TEXT(error_words)),
    END,
};
TRUTH_OF(occurred, snapshot_error, v->count > 0)

static const char *incident_words(const struct snapshot *s UNUSED, const void *of, struct str *buf)
{
    str_reset(buf);
    incident_text(buf, of, "");
    return str_cstr(buf);
}

TEXT_OF(incident_kind, snapshot_incident, incident_name(v->kind))
NUMBER_OF(incident_time, snapshot_incident, snapshot_since_s(s, v->at))
TRUTH_OF(is_span, snapshot_incident, v->kind == INCIDENT_STALL || v->kind == INCIDENT_JUMP)
TRUTH_OF(has_host, snapshot_incident, v->host != NULL)
TRUTH_OF(new_incident, snapshot_incident,
         s->kind == SNAPSHOT_FINAL || v >= s->incident + s->incidents_told)
const struct figure incident_figures[] = {
    HOOKED_MEMBER("kind", TEXT(incident_kind)),
    MEMBER("elapsed_s", GET(incident_time), HOOK("time")),
    MEMBER("duration_s", AT(snapshot_incident, duration), WHEN(is_span)),
    MEMBER("rank", AT(snapshot_incident, rank), WHEN(has_host)),
    MEMBER("host", AT(snapshot_incident, host), WHEN(has_host)),
    HOOKED_MEMBER("text", TEXT(incident_words)),
    END,
};

NUMBER_OF(first_error, outage, dur_sec(v->first_error - s->outages->zero))
NUMBER_OF(last_error, outage, dur_sec(v->last_error - s->outages->zero))
NUMBER_OF(silence, outage, dur_sec(snapshot_silence(s, v)))
const struct figure outage_figures[] = {
    MEMBER("first_error_s", GET(first_error),
           LEVEL("outage_start_seconds", "first error of the outage, since measuring began")),
    MEMBER("last_error_s", GET(last_error)),
    MEMBER("over_after_s", AT(outage, over), MINUS(outage, first_error),
           LEVEL("outage_duration_seconds",
                 "until the load was as before; none for one that was not over")),
    MEMBER("success_after_s", AT(outage, success), MINUS(outage, first_error)),
    MEMBER("without_success_s", GET(silence),
           LEVEL("outage_without_success_seconds", "longest time without a transaction done")),
    MEMBER("connected_after_s", AT(outage, connected), MINUS(outage, first_error)),
    MEMBER("in_time_after_s", AT(outage, drained), MINUS(outage, first_error), ABSENT(no_rate)),
    MEMBER("errors", AT(outage, errors)),
    MEMBER("connections_lost", AT(outage, lost)),
    MEMBER("offered", AT(outage, after.offered), MINUS(outage, before.offered), ABSENT(no_rate)),
    MEMBER("dropped", AT(outage, after.dropped), MINUS(outage, before.dropped), ABSENT(no_rate)),
    MEMBER("late", AT(outage, after.late), MINUS(outage, before.late), ABSENT(no_rate)),
    MEMBER("done", AT(outage, after.done), MINUS(outage, before.done)),
    MEMBER("failed", AT(outage, after.failed), MINUS(outage, before.failed)),
    END,
};

static const struct figure outages_figures[] = {
    MEMBER("list", LIST(snapshot_outages, row, n, outage_figures)),
    MEMBER("more", AT(snapshot_outages, more)),
    MEMBER("connections_missing", AT(snapshot_outages, away)),
    MEMBER("latency_before", OBJECT(snapshot_outages, before, outage_series_figures),
           GIVEN(snapshot_outages, has_before)),
    MEMBER("latency_during", OBJECT(snapshot_outages, during, outage_series_figures)),
    MEMBER("latency_after", OBJECT(snapshot_outages, after, outage_series_figures)),
    END,
};

/* --- hosts: those of the database, and the load hosts --- */

/* The clients have closed their connections when the last report is made. */
TEXT_OF(closed, any, s->kind == SNAPSHOT_FINAL ? "" : NULL)
static double host_share(const struct snapshot *s, const void *of)
{
    uint64_t all = 0;

    for (size_t i = 0; i < s->hosts; i++)
        all += s->host[i].events;
    return all ? 100.0 * (double)((const struct snapshot_host *)of)->events / (double)all : NAN;
}

const struct figure host_figures[] = {
    UNNAMED(AT(snapshot_host, total_events),
            SINCE("database_transactions", "transactions done at a database host")),
    UNNAMED(AT(snapshot_host, total_failed),
            SINCE("database_failed", "transactions that failed there")),
    UNNAMED(AT(snapshot_host, total_errors),
            SINCE("database_errors", "statements that failed there and were ignored")),
    UNNAMED(AT(snapshot_host, total_lost),
            SINCE("database_connections_lost", "connections that were lost there")),
    UNNAMED(AT(snapshot_host, total_reconnects),
            SINCE("database_reconnects", "connections that were reestablished there")),
    UNNAMED(AT(snapshot_host, connections),
            LEVEL("database_connections", "connections to a database host that are up")),
    MEMBER("host", AT(snapshot_host, name)),
    MEMBER("clients", AT(snapshot_host, clients),
           LEVEL("database_clients", "clients whose transactions are done there")),
    MEMBER("connections", AT(snapshot_host, connections), ABSENT(closed)),
    MEMBER("transactions", AT(snapshot_host, events)),
    MEMBER("share_pct", GET(host_share), ONLY_TEXT),
    MEMBER("failed", AT(snapshot_host, failed)),
    MEMBER("errors", AT(snapshot_host, errors)),
    MEMBER("lost", AT(snapshot_host, lost)),
    MEMBER("reconnects", AT(snapshot_host, reconnects)),
    MEMBER("latency", OBJECT(snapshot_host, latency, series_figures),
           POINTS("database_latency_seconds",
                  "latency of a transaction at a database host, in the last report")),
    END,
};

TRUTH_OF(rated, any, s->has_rate)
TRUTH_OF(has_workers, snapshot_rank, s->kind == SNAPSHOT_FINAL && v->workers)
NUMBER_OF(up, snapshot_rank, !v->lost)
NUMBER_OF(stopped_s, snapshot_rank,
          v->self.have &SAMPLE_THROTTLE ? dur_sec(v->self.throttled_ns) : (double)NAN)
NUMBER_OF(cpu_ratio, snapshot_rank, v->cpus ? v->cpu_pct / 100 / v->cpus : NAN)
TEXT_OF(why_lost, snapshot_rank, v->lost ? v->why : NULL)
static const struct figure clock_figures[] = {
    MEMBER("same", AT(snapshot_rank, same_clock), NO_CSV),
    MEMBER("offset_s", AT(snapshot_rank, clock_offset), IN(SIGNED_NS)),
    MEMBER("uncertainty_s", AT(snapshot_rank, clock_uncertainty), IN(SIGNED_NS)),
    MEMBER("drift_ppm", AT(snapshot_rank, clock_drift_ppm)),
    END,
};
const struct figure rank_figures[] = {
    UNNAMED(GET(up), LEVEL("rank_up", "1: the load host takes part, 0: it was lost")),
    MEMBER("rank", AT(snapshot_rank, rank)),
    MEMBER("host", AT(snapshot_rank, host)),
    MEMBER("threads", AT(snapshot_rank, clients), LEVEL("rank_threads", "clients of a load host")),
    MEMBER("done", AT(snapshot_rank, done)),
    MEMBER("failed", AT(snapshot_rank, failed)),
    MEMBER("dropped", AT(snapshot_rank, dropped), ABSENT(no_rate)),
    MEMBER("late", AT(snapshot_rank, starts_late), ABSENT(no_rate)),
    MEMBER("lost", AT(snapshot_rank, given_up), ABSENT(no_rate)),
    MEMBER("transactions_per_s", AT(snapshot_rank, per_s),
           LEVEL("rank_transactions_per_second", "transactions that a load host did, a second")),
    MEMBER("response", OBJECT(snapshot_rank, response, series_figures),
           COLUMNS(" p50_s p95_s p99_s max_s ")),
    MEMBER("lag", OBJECT(snapshot_rank, lag, series_figures), WHEN(rated), COLUMNS(" p99_s ")),
    UNNAMED(
        AT(snapshot_rank, response.p99), IN(NS),
        LEVEL("rank_latency_p99_seconds", "99 % of the latencies of a load host were not longer")),
    UNNAMED(AT(snapshot_rank, lag.p99), IN(NS),
            LEVEL("rank_lag_p99_seconds", "99 % of the starts of a load host were not later")),
    UNNAMED(AT(snapshot_rank, starts_late),
            LEVEL("rank_late_transactions", "late starts of a load host in the period")),
    MEMBER("cpu_pct", AT(snapshot_rank, cpu_pct)),
    UNNAMED(GET(cpu_ratio),
            LEVEL("rank_cpu_ratio", "CPU time of a load host's process as a share of its CPUs")),
    MEMBER("cpus", AT(snapshot_rank, cpus)),
    MEMBER("throttled_s", GET(stopped_s), NO_CSV),
    MEMBER("cpu_wait_pct", AT(snapshot_rank, waited_pct), NO_CSV),
    MEMBER("workers", AT(snapshot_rank, workers), WHEN(has_workers), NO_CSV),
    MEMBER("workers_saturated", AT(snapshot_rank, workers_busy), WHEN(has_workers), NO_CSV),
    MEMBER("clock", OBJECT_HERE(clock_figures), GIVEN(snapshot_rank, has_clock)),
    UNNAMED(AT(snapshot_rank, clock_offset), IN(SIGNED_NS), GIVEN(snapshot_rank, has_clock),
            LEVEL("rank_clock_offset_seconds", "the leader's clock minus that of a load host")),
    MEMBER("figures_missing", AT(snapshot_rank, late)),
    MEMBER("lost_after_s", AT(snapshot_rank, lost_after), IN(SIGNED_NS),
           GIVEN(snapshot_rank, lost)),
    MEMBER("why_lost", TEXT(why_lost), NO_CSV),
    MEMBER("differs", AT(snapshot_rank, apart), IN(OR_NONE), NO_CSV),
    MEMBER("differs", AT(snapshot_rank, apart), NO_JSON),
    END,
};

/* --- marks, phases, the stages of the rate --- */

/* Of a record that begins with its snapshot. */
static void whole(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    json_doc_report(out, *(struct snapshot *const *)of);
}
NUMBER_OF(part_begin, snapshot *const, dur_sec((*v)->elapsed_ns - (*v)->interval_ns))
NUMBER_OF(part_end, snapshot *const, dur_sec((*v)->elapsed_ns))

NUMBER_OF(mark_time, mark, snapshot_since_s(s, v->at))
TEXT_OF(mark_source, mark, mark_source_name(v->source))
const struct figure mark_figures[] = {
    MEMBER("elapsed_s", GET(mark_time), HOOK("time")),
    MEMBER("wall_time_unix_s", AT(mark, wall), IN(SIGNED_NS)),
    HOOKED_MEMBER("source", TEXT(mark_source)),
    HOOKED_MEMBER("text", AT(mark, text)),
    END,
};

const struct figure phase_figures[] = {
    MEMBER("begin_s", GET(part_begin)),
    MEMBER("end_s", GET(part_end)),
    MEMBER("marks", LIST(snapshot_phase, marks, nmarks, mark_figures)),
    MEMBER("figures", WRITE(whole)),
    END,
};

NUMBER_OF(stage_number, snapshot_stage, v - s->stages + 1)
NUMBER_OF(stage_sustained, snapshot_stage, !v->judged || v->unknown ? NAN : v->sustained)
TEXT_OF(stage_why, snapshot_stage, !v->judged ? "nothing was due" : *v->why ? v->why : NULL)
const struct figure stage_figures[] = {
    MEMBER("number", GET(stage_number), AS(COUNT), COLUMN("stage")),
    MEMBER("text", AT(snapshot_stage, text)),
    MEMBER("planned_begin_s", AT(snapshot_stage, from), IN(NS), NO_CSV),
    MEMBER("planned_end_s", AT(snapshot_stage, until), IN(NS), NO_CSV),
    MEMBER("begin_s", GET(part_begin)),
    MEMBER("end_s", GET(part_end)),
    MEMBER("first_per_s", AT(snapshot_stage, first)),
    MEMBER("last_per_s", AT(snapshot_stage, last)),
    MEMBER("sustained", GET(stage_sustained), AS(TRUTH),
           LEVEL("stage_sustained", "1: the rate of a stage was sustained, 0: it was not")),
    MEMBER("why", TEXT(stage_why)),
    MEMBER("figures", WRITE(whole), NO_CSV),
    END,
};

#define OF_STAGE(member, about) UNNAMED(AT(snapshot_rate, member), LEVEL("stage_" #member, about))
/* As metrics they are gauges, although most are counts: a stage is over when they appear. */
const struct figure stage_rate_figures[] = {
    UNNAMED(AT(snapshot_rate, target),
            LEVEL("stage_target_per_second", "planned rate of a stage, mean")),
    UNNAMED(AT(snapshot_rate, achieved),
            LEVEL("stage_achieved_per_second",
                  "transactions delivered a second in the time of a stage, as its verdict counts")),
    OF_STAGE(offered, "planned starts of a stage"),
    OF_STAGE(done, "transactions done while a stage lasted"),
    OF_STAGE(failed, "transactions that failed while a stage lasted"),
    OF_STAGE(dropped, "planned starts dropped while a stage lasted"),
    OF_STAGE(late, "late starts of the transactions done while a stage lasted"),
    END,
};
const struct figure stage_series_figures[] = {
    UNNAMED(
        OBJECT(snapshot_rate, response, series_figures),
        POINTS("stage_latency_seconds", "time of a transaction from its planned start, by stage")),
    UNNAMED(OBJECT(snapshot_rate, service, series_figures),
            POINTS("stage_service_time_seconds",
                   "time of a transaction from its actual start, by stage")),
    UNNAMED(OBJECT(snapshot_rate, lag, series_figures),
            POINTS("stage_lag_seconds",
                   "how late a transaction began after its planned start, by stage")),
    END,
};

/* --- the search for the highest rate --- */

NUMBER_OF(step_number, find_step, v - s->find->step + 1)
NUMBER_OF(step_lag, find_step, v->lag_p99 / 1e9)
NUMBER_OF(step_lag_ms, find_step, v->lag_p99 / 1e6)
NUMBER_OF(step_holds, find_step, v->unmeasured ? NAN : v->holds)
TEXT_OF(step_why, find_step, v->holds ? NULL : v->why)
TEXT_OF(step_limit, find_step, v->limit ? text_find_limit(v->limit) : NULL)

/* What a bound's value is in, in json and at the end of csv's columns. */
static const struct {
    const char *json, *csv;
    double of_json, of_csv;
} bound_unit[] = {
    [FIND_TIME] = {"s", "_ms", 1e9, 1e6},         [FIND_ERRORS_PCT] = {"%", "_pct", 1, 1},
    [FIND_ERRORS_RATE] = {"1/s", "_per_s", 1, 1}, [FIND_SERVER_CPU] = {"%", "_pct", 1, 1},
    [FIND_CLIENT_CPU] = {"%", "_pct", 1, 1},
};

static void step_bounds(struct str *out, const struct snapshot *s, const void *of)
{
    const struct find_objective *o = &s->find->objective;
    char name[TEXT_FIND_SIZE];

    str_adds(out, o->n ? "" : "[");
    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        str_adds(out, i ? ",{" : "[{");
        json_string_member(out, "name", text_find_name(name, b));
        json_string_member(out, "unit", bound_unit[b->what].json);
        json_number_member(out, "value",
                           ((const struct find_step *)of)->value[i] / bound_unit[b->what].of_json);
        json_number_member(out, "limit", b->limit / bound_unit[b->what].of_json);
        str_adds(out, "}");
    }
    str_adds(out, "]");
}

/* A column for each bound, named as the objective names it, times in ms: "lag_p99_9_ms". */
static void step_columns(struct str *out, const struct snapshot *s, const void *of)
{
    const struct find_objective *o = &s->find->objective;
    const struct find_step *v = of;
    char name[TEXT_FIND_SIZE];

    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        str_adds(out, ",");
        if (v && isfinite(v->value[i]))
            json_number(out, v->value[i] / bound_unit[b->what].of_csv);
        text_find_name(name, b);
        for (char *p = name; *p; p++)
            *p = strchr(" .", *p) ? '_' : strchr("CPU", *p) ? (char)(*p + 'a' - 'A') : *p;
        if (!v)
            str_printf(out, "%s%s", name, bound_unit[b->what].csv);
    }
}

const struct figure step_figures[] = {
    MEMBER("step", GET(step_number), AS(COUNT)),
    MEMBER("rate_per_s", AT(find_step, rate)),
    MEMBER("brief", AT(find_step, brief)),
    MEMBER("begin_s", AT(find_step, from), IN(SIGNED_NS)),
    MEMBER("seconds", AT(find_step, length), IN(SIGNED_NS)),
    MEMBER("offered", AT(find_step, offered)),
    MEMBER("done", AT(find_step, done)),
    MEMBER("failed", AT(find_step, failed)),
    MEMBER("dropped", AT(find_step, dropped)),
    MEMBER("errors", AT(find_step, errors)),
    MEMBER("waiting", AT(find_step, waiting)),
    MEMBER("lag_p99_s", GET(step_lag), NO_CSV),
    MEMBER("lag_ms", GET(step_lag_ms), NO_JSON),
    MEMBER("server_busy_pct", AT(find_step, server_busy_pct)),
    MEMBER("client_busy_pct", AT(find_step, client_busy_pct)),
    MEMBER("figures", WRITE(step_bounds), CELLS(step_columns)),
    MEMBER("holds", GET(step_holds), AS(TRUTH)),
    MEMBER("why", TEXT(step_why), NO_CSV),
    MEMBER("limit", TEXT(step_limit)),
    MEMBER("why", AT(find_step, why), NO_JSON),
    END,
};

static const char *const find_ends[] = {
    [FIND_GOES_ON] = "running",       [FIND_FOUND] = "found",      [FIND_NONE] = "none",
    [FIND_STEPS] = "steps",           [FIND_STOPPED] = "stopped",  [FIND_STUCK] = "stuck",
    [FIND_UNMEASURED] = "unmeasured", [FIND_UNJUDGED] = "unjudged"};
TEXT_OF(find_result, find_record, find_ends[v->end])
TEXT_OF(find_why, find_record, v->failed ? v->failed->why : NULL)
TEXT_OF(find_limit, find_record, v->failed ? text_find_limit(v->failed->limit) : NULL)
TRUTH_OF(step_done, find_step,
         v < s->find->step + atomic_load_explicit(&s->find->nsteps, memory_order_acquire))
const struct figure find_figures[] = {
    MEMBER("objective", AT(find_record, objective.text)),
    MEMBER("result", TEXT(find_result)),
    MEMBER("held_per_s", AT(find_record, held), IN(OR_NONE)),
    MEMBER("confirmed", AT(find_record, confirmed)),
    MEMBER("not_held_per_s", AT(find_record, not_held), IN(OR_NONE)),
    MEMBER("why", TEXT(find_why)),
    MEMBER("limit", TEXT(find_limit)),
    MEMBER("steps", ARRAY(find_record, step, FIND_MAX_STEPS, step_figures), KEEP(step_done)),
    END,
};

/* --- statements, system calls --- */

TEXT_OF(statement_kind, stmt_figures, statement_name(v))
TEXT_OF(statement_class, stmt_figures, stmt_class_name(v->class))
NUMBER_OF(statement_mean, stmt_figures, dur_sec(v->sum_ns) / (double)v->count)
NUMBER_OF(statement_pct, stmt_figures, statement_share(s, v))
const struct figure statement_figures[] = {
    HOOKED_MEMBER("kind", TEXT(statement_kind)),
    HOOKED_MEMBER("class", TEXT(statement_class)),
    MEMBER("text", AT(stmt_figures, text)),
    HOOKED_MEMBER("count", AT(stmt_figures, count)),
    HOOKED_MEMBER("errors", AT(stmt_figures, errors),
                  SINCE("statement_errors", "statements that failed, by kind")),
    HOOKED_MEMBER("rows", AT(stmt_figures, rows),
                  SINCE("statement_rows", "rows of results, or changed, by kind")),
    MEMBER("sum_s", AT(stmt_figures, sum_ns), IN(SIGNED_NS), HOOK("sum")),
    MEMBER("mean_s", GET(statement_mean), HOOK("mean")),
    MEMBER("min_s", AT(stmt_figures, min), IN(SIGNED_NS), HOOK("min")),
    MEMBER("p50_s", AT(stmt_figures, p50), IN(SIGNED_NS), HOOK("p50")),
    MEMBER("p95_s", AT(stmt_figures, p95), IN(SIGNED_NS), HOOK("p95")),
    MEMBER("p99_s", AT(stmt_figures, p99), IN(SIGNED_NS), HOOK("p99")),
    MEMBER("max_s", AT(stmt_figures, max), IN(SIGNED_NS), HOOK("max")),
    MEMBER("share_pct", GET(statement_pct), HOOK("share")),
    END,
};

NUMBER_OF(calls_mean, syscall_count, v->ended ? (double)v->ns / 1e9 / (double)v->ended : NAN)
const struct figure calls_figures[] = {
    HOOKED_MEMBER("count", AT(syscall_count, began)),
    MEMBER("count_per_transaction", AT(syscall_count, began), PER(per_transaction)),
    HOOKED_MEMBER("ended", AT(syscall_count, ended)),
    HOOKED_MEMBER("errors", AT(syscall_count, errors)),
    MEMBER("sum_s", AT(syscall_count, ns), IN(NS), HOOK("sum")),
    MEMBER("mean_s", GET(calls_mean)),
    END,
};

static const char *call_name(const struct snapshot *s UNUSED, const void *of, struct str *buf)
{
    char name[24];

    str_reset(buf);
    str_adds(buf, syscall_name(((const struct syscall_figure *)of)->number, name));
    return str_cstr(buf);
}

const struct figure syscall_figures[] = {
    HOOKED_MEMBER("name", TEXT(call_name)),
    HOOKED_MEMBER("number", AT(syscall_figure, number)),
    UNNAMED(OBJECT(syscall_figure, c, calls_figures)),
    END,
};

TRUTH_OF(listed, syscall_figure, v < s->probe->syscalls.f + s->probe->syscalls.n)
static const struct figure syscalls_figures[] = {
    MEMBER("kinds", AT(syscalls_delta, kinds)),
    UNNAMED(OBJECT(syscalls_delta, all, calls_figures)),
    MEMBER("most_frequent", ARRAY(syscalls_delta, f, SYSCALLS_LISTED, syscall_figures),
           KEEP(listed)),
    END,
};

/* --- of the whole run --- */

static const struct figure retries_figures[] = {
    MEMBER("transactions", AT(snapshot_retries, transactions)),
    MEMBER("retries", AT(snapshot_retries, retries)),
    MEMBER("most", AT(snapshot_retries, most)),
    MEMBER("failed", AT(snapshot_retries, failed)),
    MEMBER("commits_unknown", AT(snapshot_retries, unknown)),
    MEMBER("first_attempt", OBJECT(snapshot_retries, first, series_figures)),
    MEMBER("until_done", OBJECT(snapshot_retries, last, series_figures)),
    END,
};

static const struct figure clients_figures[] = {
    MEMBER("threads", AT(snapshot_connections, clients)),
    MEMBER("connected", AT(snapshot_connections, connected),
           LEVEL("clients_connected", "clients with a connection at the end")),
    MEMBER("refused", AT(snapshot_connections, refused),
           LEVEL("clients_refused", "clients that the server refused at first")),
    MEMBER("refused_with", AT(snapshot_connections, refused_with), IN(OR_NONE)),
    END,
};
const struct figure connections_figures[] = {
    MEMBER("clients", OBJECT_HERE(clients_figures), GIVEN(snapshot_connections, limited)),
    MEMBER("plain_queries", AT(snapshot_connections, plain)),
    UNNAMED(AT(snapshot_connections, plain), IN(OR_NONE),
            LEVEL("plain_query_connections",
                  "connections without prepared statements, because of a limit or a pooler")),
    MEMBER("reconnect", OBJECT(snapshot_connections, connect, series_figures),
           SUMMARY("reconnect_seconds", "time of the attempt that replaced a lost connection")),
    MEMBER(
        "away", OBJECT(snapshot_connections, away, series_figures),
        SUMMARY("connection_away_seconds", "from the loss of a connection until it was replaced")),
    END,
};

TEXT_OF(warmup_figure, snapshot_warmup, v->rate ? "response_mean_s" : "transactions_per_s")
static const struct figure warmup_figures[] = {
    MEMBER("steady", AT(snapshot_warmup, steady)),
    MEMBER("lasted_s", AT(snapshot_warmup, after), IN(SIGNED_NS)),
    MEMBER("figure", TEXT(warmup_figure)),
    MEMBER("bound_pct", AT(snapshot_warmup, bound_pct)),
    MEMBER("change_pct", AT(snapshot_warmup, change_pct), GIVEN(snapshot_warmup, has_trend)),
    MEMBER("error_pct", AT(snapshot_warmup, error_pct), GIVEN(snapshot_warmup, has_trend)),
    END,
};

TEXT_OF(none_held, snapshot_batches, v->batches ? NULL : SNAPSHOT_NONE_HELD)
const struct figure batch_figures[] = {
    MEMBER("batches", AT(snapshot_batches, batches),
           SINCE("worker_batches", "times that a worker took answers that it had held back")),
    MEMBER("answers", AT(snapshot_batches, answers),
           SINCE("worker_batch_answers", "answers that were held back")),
    MEMBER("held_mean_s", AT(snapshot_batches, held_mean_s), ABSENT(none_held),
           LEVEL("worker_batch_held_mean_seconds",
                 "for how long an answer was held back at most, mean")),
    MEMBER("held_max_s", AT(snapshot_batches, held_max_s), ABSENT(none_held),
           LEVEL("worker_batch_held_max_seconds", "the longest such time")),
    END,
};

/* --- what the server's time went to --- */

TRUTH_OF(has_waits, snapshot, s->probe && s->probe->has_waits)
PLACE_OF(waits_of, snapshot, &s->probe->status.waits)
TEXT_OF(wait_class, wait_time, wait_class_name(v->class))
NUMBER_OF(wait_sessions, wait_time, (double)v->time / (double)s->probe->status.waits.known)
TRUTH_OF(has_name, wait_time, v < s->probe->status.waits.name + s->probe->status.waits.names)
static const struct figure wait_figures[] = {
    MEMBER("name", AT(wait_time, name)),
    MEMBER("class", TEXT(wait_class)),
    MEMBER("s", AT(wait_time, time), IN(NS)),
    MEMBER("sessions", GET(wait_sessions)),
    END,
};
static const struct figure waits_figures[] = {
    MEMBER("names", ARRAY(status_waits, name, WAIT_NAMES, wait_figures), KEEP(has_name)),
    END,
};

TRUTH_OF(has_server_statements, snapshot,
         s->probe && (s->probe->statements.why || s->probe->statements.n))
PLACE_OF(server_statements_of, snapshot, &s->probe->statements)
TEXT_OF(no_server_statements, snapshot, s->probe->statements.why)
NUMBER_OF(st_share, status_statement, 100 * v->time_s / s->probe->statements.time_s)
NUMBER_OF(st_mean, status_statement, v->time_s / v->calls)
NUMBER_OF(st_rows, status_statement, v->rows / v->calls)
NUMBER_OF(st_examined, status_statement, v->examined / v->calls)
NUMBER_OF(st_buffers, status_statement, (v->hits + v->reads) / v->calls)
const struct figure server_statement_figures[] = {
    MEMBER("text", AT(status_statement, text)),
    MEMBER("several", AT(status_statement, several)),
    MEMBER("calls", AT(status_statement, calls)),
    MEMBER("time_s", AT(status_statement, time_s)),
    MEMBER("mean_s", GET(st_mean)),
    MEMBER("share_pct", GET(st_share)),
    MEMBER("rows", AT(status_statement, rows)),
    MEMBER("rows_per_call", GET(st_rows), ONLY_TEXT),
    MEMBER("rows_examined", AT(status_statement, examined)),
    MEMBER("rows_examined_per_call", GET(st_examined), ONLY_TEXT),
    MEMBER("calls_without_index", AT(status_statement, no_index)),
    MEMBER("temporary_tables", AT(status_statement, tmp_tables)),
    MEMBER("temporary_tables_on_disk", AT(status_statement, tmp_on_disk)),
    MEMBER("buffers_hit", AT(status_statement, hits)),
    MEMBER("buffers_read", AT(status_statement, reads)),
    MEMBER("buffers_per_call", GET(st_buffers), ONLY_TEXT),
    MEMBER("temporary_blocks_written", AT(status_statement, tmp_blocks)),
    MEMBER("wal_bytes", AT(status_statement, wal)),
    END,
};
TRUTH_OF(took, status_statement, v->calls > 0)
static const struct figure server_statements_figures[] = {
    MEMBER("covered_s", AT(status_statements, known), IN(SIGNED_NS)),
    MEMBER("statements", AT(status_statements, statements)),
    MEMBER("calls", AT(status_statements, calls)),
    MEMBER("time_s", AT(status_statements, time_s)),
    MEMBER("conclusion", AT(status_statements, says), IN(OR_NONE)),
    MEMBER("list", ARRAY(status_statements, of, STATEMENTS_LISTED, server_statement_figures),
           KEEP(took)),
    END,
};

/* --- what else a snapshot has, after its sections --- */

TEXT_OF(no_syscalls, snapshot,
        s->probe && s->probe->has_syscalls ? s->probe->syscalls.why
                                           : "not asked for (--server-syscalls)")
PLACE_OF(syscalls_of, snapshot, s->probe ? &s->probe->syscalls : NULL)
PLACE_OF(outages_of, snapshot, s->outages)
PLACE_OF(find_of, snapshot, s->find)
TRUTH_OF(no_phase, snapshot, s->kind != SNAPSHOT_PHASE)
TRUTH_OF(any_hosts, snapshot, s->hosts || s->hosts_many)
TEXT_OF(many_hosts, snapshot, s->hosts_many ? SNAPSHOT_HOSTS_MANY : NULL)
TRUTH_OF(any_incidents, snapshot,
         s->incidents > (s->kind == SNAPSHOT_FINAL ? 0 : s->incidents_told))
TRUTH_OF(any_ranks, snapshot, s->nranks > 0)
TEXT_OF(no_statements, snapshot, s->statements ? NULL : "not asked for (--report-statements)")
TRUTH_OF(waited_for_steady, snapshot, s->kind == SNAPSHOT_FINAL && s->warmed.asked)
TRUTH_OF(has_batches, snapshot, s->kind == SNAPSHOT_FINAL && s->batches.asked)
TRUTH_OF(searched, snapshot, s->kind == SNAPSHOT_FINAL && s->find)
const struct figure snapshot_figures[] = {
    MEMBER("server_syscalls", OBJECT_AT(syscalls_of, syscalls_figures), ABSENT(no_syscalls)),
    MEMBER("server_waits", OBJECT_AT(waits_of, waits_figures), WHEN(has_waits)),
    MEMBER("server_statements", OBJECT_AT(server_statements_of, server_statements_figures),
           WHEN(has_server_statements), ABSENT(no_server_statements)),
    MEMBER("errors_by_code", LIST(snapshot, by_code, nby_code, error_figures), WHEN(no_phase),
           KEEP(occurred)),
    MEMBER("hosts", LIST(snapshot, host, hosts, host_figures), WHEN(any_hosts), ABSENT(many_hosts)),
    MEMBER("incidents", LIST(snapshot, incident, incidents, incident_figures), WHEN(any_incidents),
           KEEP(new_incident)),
    MEMBER("ranks", LIST(snapshot, rank, nranks, rank_figures), WHEN(any_ranks)),
    MEMBER("statements", LIST(snapshot, statements, nstatements, statement_figures), WHEN(is_final),
           ABSENT(no_statements)),
    MEMBER("outages", OBJECT_AT(outages_of, outages_figures), WHEN(is_final)),
    MEMBER("retries", OBJECT(snapshot, retries, retries_figures), WHEN(is_final)),
    MEMBER("connections", OBJECT(snapshot, connections, connections_figures), WHEN(is_final)),
    MEMBER("warmup", OBJECT(snapshot, warmed, warmup_figures), WHEN(waited_for_steady)),
    MEMBER("worker_batch", OBJECT(snapshot, batches, batch_figures), WHEN(has_batches)),
    MEMBER("find", OBJECT_AT(find_of, find_figures), WHEN(searched)),
    END,
};

/* --- beside the report in the live page: what happened since measuring began, and the parts of the
 * run --- */

NUMBER_OF(live_code, snapshot_error, v->row->code)
TEXT_OF(live_state, snapshot_error, v->row->sqlstate)
static const struct figure live_error_figures[] = {
    MEMBER("count", GET(error_total), AS(COUNT)),
    MEMBER("code", GET(live_code)),
    MEMBER("sqlstate", TEXT(live_state)),
    MEMBER("class", TEXT(error_class)),
    MEMBER("text", TEXT(error_words)),
    END,
};
const struct figure live_report_figures[] = {
    MEMBER("errors_by_code", LIST(snapshot, by_code, nby_code, live_error_figures)),
    MEMBER("incidents", LIST(snapshot, incident, incidents, incident_figures)),
    END,
};
const struct figure live_info_figures[] = {
    MEMBER("commands", LIST(report_info, action, actions, action_figures)),
    END,
};
const struct figure live_part_figures[] = {
    MEMBER("phases", LIST(snapshot, phases, nphases, phase_figures)),
    MEMBER("stages", LIST(snapshot, stages, nstages, stage_figures)),
    END,
};

/* --- beside the snapshots --- */

static void profile_kinds(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    static const char *const kind[] = {"cpu", "offcpu"};
    const struct report_profile *p = of;

    json_list(out, kind + !p->cpu, (size_t)p->cpu + p->off_cpu);
}

static void profile_files(struct str *out, const struct snapshot *s UNUSED, const void *of)
{
    const struct report_profile *p = of;

    json_list(out, p->file, p->files);
}

TEXT_OF(unwatched, report_profile, v->why)
TEXT_OF(no_end, report_profile, v->length > 0 ? NULL : "to the end of the run")
TEXT_OF(no_cpu, report_profile, v->why ? v->why : v->cpu ? NULL : "cpu was not asked for")
TEXT_OF(no_off_cpu, report_profile,
        v->why       ? v->why
        : v->off_cpu ? NULL
                     : "offcpu was not asked for")
TEXT_OF(no_cfi, report_profile, v->why ? v->why : v->no_cfi)
NUMBER_OF(sampled_cpu, report_profile, v->hz ? (double)v->samples / v->hz : 0)
NUMBER_OF(profiler_pct, report_profile,
          v->watched > 0 ? 100 * dur_sec(v->cost) / dur_sec(v->watched) : 0)
NUMBER_OF(files_complete, report_profile, !v->files_incomplete)
const struct figure profile_figures[] = {
    MEMBER("kinds", WRITE(profile_kinds)),
    MEMBER("frequency_hz", AT(report_profile, hz), IN(PLAIN)),
    MEMBER("window_start_s", AT(report_profile, start), IN(SIGNED_NS)),
    MEMBER("window_length_s", AT(report_profile, length), IN(SIGNED_NS), ABSENT(no_end)),
    MEMBER("name", AT(report_profile, name), ABSENT(unwatched)),
    MEMBER("watched_s", AT(report_profile, watched), IN(SIGNED_NS), ABSENT(unwatched)),
    MEMBER("samples", AT(report_profile, samples), ABSENT(no_cpu)),
    MEMBER("sampled_cpu_s", GET(sampled_cpu), ABSENT(no_cpu)),
    MEMBER("stacks", AT(report_profile, stacks), ABSENT(no_cpu)),
    MEMBER("off_cpu_s", AT(report_profile, off_cpu_time), IN(SIGNED_NS), ABSENT(no_off_cpu)),
    MEMBER("off_cpu_threads", AT(report_profile, threads), ABSENT(no_off_cpu)),
    MEMBER("off_cpu_stacks", AT(report_profile, off_cpu_stacks), ABSENT(no_off_cpu)),
    MEMBER("switches", AT(report_profile, switches), ABSENT(no_off_cpu)),
    MEMBER("involuntary_switches", AT(report_profile, involuntary), ABSENT(no_off_cpu)),
    MEMBER("switches_with_stack", AT(report_profile, sampled), ABSENT(no_off_cpu)),
    MEMBER("unwound_by_frame_information", AT(report_profile, by_cfi), ABSENT(no_cfi)),
    MEMBER("unwound_by_frame_pointers", AT(report_profile, by_pointers), ABSENT(unwatched)),
    MEMBER("unwound_in_part", AT(report_profile, partial), ABSENT(unwatched)),
    MEMBER("degraded_stacks", AT(report_profile, degraded), ABSENT(unwatched)),
    MEMBER("lost_records", AT(report_profile, lost), ABSENT(unwatched)),
    MEMBER("left_out_frames", AT(report_profile, truncated), ABSENT(unwatched)),
    MEMBER("profiler_cpu_s", AT(report_profile, cost), IN(SIGNED_NS), ABSENT(unwatched)),
    MEMBER("profiler_cpu_pct_of_one", GET(profiler_pct), ABSENT(unwatched)),
    MEMBER("files", WRITE(profile_files)),
    MEMBER("files_complete", GET(files_complete), AS(TRUTH)),
    END,
};

TEXT_OF(not_begun, report_action,
        v->state == ACTION_ENDED || v->state == ACTION_RUNNING ? NULL : "")
TEXT_OF(not_ended, report_action, v->state == ACTION_ENDED ? NULL : "")
NUMBER_OF(exit_status, report_action, v->exit_status >= 0 ? v->exit_status : NAN)
static const char *const action_states[] = {[ACTION_WAITING] = "waiting",
                                            [ACTION_RUNNING] = "running",
                                            [ACTION_ENDED] = "ended",
                                            [ACTION_FAILED] = "not started",
                                            [ACTION_NOT_RUN] = "not run"};
TEXT_OF(action_state, report_action, action_states[v->state])
const struct figure action_figures[] = {
    MEMBER("at_s", AT(report_action, at_s)),
    MEMBER("name", AT(report_action, name)),
    MEMBER("command", AT(report_action, command)),
    MEMBER("state", TEXT(action_state)),
    MEMBER("begin_s", AT(report_action, begin_s), ABSENT(not_begun)),
    MEMBER("duration_s", AT(report_action, duration_s), ABSENT(not_ended)),
    MEMBER("exit_status", GET(exit_status), ABSENT(not_ended)),
    MEMBER("signal", AT(report_action, signal), IN(OR_NONE), ABSENT(not_ended)),
    MEMBER("terminated_with_run", AT(report_action, stopped)),
    MEMBER("left_processes", AT(report_action, left)),
    MEMBER("output", AT(report_action, output), ABSENT(not_ended)),
    MEMBER("output_bytes", AT(report_action, output_bytes), ABSENT(not_ended)),
    MEMBER("error", AT(report_action, why)),
    END,
};

const struct figure settle_figures[] = {
    MEMBER("host", AT(report_settle, host)),
    MEMBER("step", AT(report_settle, step)),
    MEMBER("outcome", AT(report_settle, outcome)),
    MEMBER("duration_s", AT(report_settle, took_s)),
    MEMBER("limit_s", AT(report_settle, limit_s)),
    MEMBER("of", AT(report_settle, of)),
    MEMBER("before", AT(report_settle, before)),
    MEMBER("after", AT(report_settle, after)),
    MEMBER("why", AT(report_settle, why), IN(OR_NONE)),
    END,
};

NUMBER_OF(run_sustained, report_end, v->offered && !v->unknown && !v->searched ? v->sustained : NAN)
TEXT_OF(run_why, report_end, !v->offered ? "nothing was due" : *v->why ? v->why : NULL)
NUMBER_OF(run_achieved, report_end, v->offered ? v->achieved : NAN)
TRUTH_OF(has_stage, report_end, v->since_stage != 0)
TRUTH_OF(was_interrupted, report_end, v->interrupted && * v->interrupted)
NUMBER_OF(end_wall, report_end, v->wall ? (double)v->wall / 1e9 : NAN)
const struct figure verdict_figures[] = {
    MEMBER("sustained", GET(run_sustained), AS(TRUTH)),
    MEMBER("why", TEXT(run_why)),
    MEMBER("achieved_per_s", GET(run_achieved)),
    MEMBER("since_stage", AT(report_end, since_stage), WHEN(has_stage)),
    MEMBER("interrupted", AT(report_end, interrupted), WHEN(was_interrupted)),
    MEMBER("accounts_balance", AT(report_end, accounts_balance)),
    END,
};
const struct figure end_figures[] = {
    MEMBER("status", AT(report_end, status)),
    MEMBER("signal", AT(report_end, signal), IN(OR_NONE)),
    MEMBER("error", AT(report_end, error)),
    MEMBER("wall_time_unix_s", GET(end_wall)),
    END,
};

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

TRUTH_OF(is_final, any, s->kind == SNAPSHOT_FINAL)
TEXT_OF(no_rate, any, s->has_rate ? NULL : "")

/* --- a series of latencies --- */

const struct figure series_figures[] = {
    FIGURE("samples", NULL, AT(snapshot_series, n), HOOK("n")),
    FIGURE("p50_s", NULL, AT(snapshot_series, p50), IN(NS), HOOK("p50")),
    FIGURE("p95_s", NULL, AT(snapshot_series, p95), IN(NS), HOOK("p95")),
    FIGURE("p99_s", NULL, AT(snapshot_series, p99), IN(NS), HOOK("p99")),
    FIGURE("max_s", NULL, AT(snapshot_series, max), IN(NS), HOOK("max")),
    FIGURE("mean_s", NULL, AT(snapshot_series, mean), IN(NS), HOOK("mean")),
    END,
};

static const struct figure outage_series_figures[] = {
    FIGURE("count", NULL, AT(snapshot_series, n)),
    FIGURE("p50_s", NULL, AT(snapshot_series, p50), IN(NS)),
    FIGURE("p95_s", NULL, AT(snapshot_series, p95), IN(NS)),
    FIGURE("p99_s", NULL, AT(snapshot_series, p99), IN(NS)),
    FIGURE("max_s", NULL, AT(snapshot_series, max), IN(NS)),
    END,
};

/* --- errors, incidents, outages --- */

NUMBER_OF(error_code, snapshot_error, v->row->code ? v->row->code : NAN)
TEXT_OF(error_state, snapshot_error, *v->row->sqlstate ? v->row->sqlstate : NULL)
TEXT_OF(error_class, snapshot_error, v->row->class)
TEXT_OF(error_words, snapshot_error, v->row->text)
NUMBER_OF(error_total, snapshot_error, v->row->count)
const struct figure error_figures[] = {
    HOOKED("code", NULL, GET(error_code)),
    HOOKED("sqlstate", NULL, TEXT(error_state)),
    HOOKED("class", NULL, TEXT(error_class)),
    HOOKED("count", NULL, AT(snapshot_error, count)),
    UNNAMED(GET(error_total), AS(COUNT), HOOK("total"),
            SINCE("errors_by_code", "statements and connection attempts that failed")),
    FIGURE("first_s", NULL, AT(snapshot_error, first_ns), IN(SIGNED_NS)),
    FIGURE("last_s", NULL, AT(snapshot_error, last_ns), IN(SIGNED_NS)),
    HOOKED("text", NULL, TEXT(error_words)),
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
NUMBER_OF(incident_time, snapshot_incident, incident_elapsed_s(s, v))
TRUTH_OF(has_host, snapshot_incident, v->host != NULL)
TRUTH_OF(new_incident, snapshot_incident,
         s->kind == SNAPSHOT_FINAL || v >= s->incident + s->incidents_told)
const struct figure incident_figures[] = {
    HOOKED("kind", NULL, TEXT(incident_kind)),
    FIGURE("elapsed_s", NULL, GET(incident_time), HOOK("time")),
    FIGURE("rank", NULL, AT(snapshot_incident, rank), WHEN(has_host)),
    FIGURE("host", NULL, AT(snapshot_incident, host), WHEN(has_host)),
    HOOKED("text", NULL, TEXT(incident_words)),
    END,
};

NUMBER_OF(first_error, outage, dur_sec(v->first_error - s->outages->zero))
NUMBER_OF(last_error, outage, dur_sec(v->last_error - s->outages->zero))
NUMBER_OF(silence, outage, dur_sec(snapshot_silence(s, v)))
const struct figure outage_figures[] = {
    FIGURE("first_error_s", NULL, GET(first_error),
           LEVEL("outage_start_seconds", "first error of the outage, since measuring began")),
    FIGURE("last_error_s", NULL, GET(last_error)),
    FIGURE("over_after_s", NULL, AT(outage, over), MINUS(outage, first_error),
           LEVEL("outage_duration_seconds",
                 "until the load was as before; none for one that was not over")),
    FIGURE("success_after_s", NULL, AT(outage, success), MINUS(outage, first_error)),
    FIGURE("without_success_s", NULL, GET(silence),
           LEVEL("outage_without_success_seconds", "longest time without a transaction done")),
    FIGURE("connected_after_s", NULL, AT(outage, connected), MINUS(outage, first_error)),
    FIGURE("in_time_after_s", NULL, AT(outage, drained), MINUS(outage, first_error),
           ABSENT(no_rate)),
    FIGURE("errors", NULL, AT(outage, errors)),
    FIGURE("connections_lost", NULL, AT(outage, lost)),
    FIGURE("offered", NULL, AT(outage, after.offered), MINUS(outage, before.offered),
           ABSENT(no_rate)),
    FIGURE("dropped", NULL, AT(outage, after.dropped), MINUS(outage, before.dropped),
           ABSENT(no_rate)),
    FIGURE("late", NULL, AT(outage, after.late), MINUS(outage, before.late), ABSENT(no_rate)),
    FIGURE("done", NULL, AT(outage, after.done), MINUS(outage, before.done)),
    FIGURE("failed", NULL, AT(outage, after.failed), MINUS(outage, before.failed)),
    END,
};

static const struct figure outages_figures[] = {
    FIGURE("list", NULL, LIST(snapshot_outages, row, n, outage_figures)),
    FIGURE("more", NULL, AT(snapshot_outages, more)),
    FIGURE("connections_missing", NULL, AT(snapshot_outages, away)),
    FIGURE("latency_before", NULL, OBJECT(snapshot_outages, before, outage_series_figures),
           GIVEN(snapshot_outages, has_before)),
    FIGURE("latency_during", NULL, OBJECT(snapshot_outages, during, outage_series_figures)),
    FIGURE("latency_after", NULL, OBJECT(snapshot_outages, after, outage_series_figures)),
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
    FIGURE("host", NULL, AT(snapshot_host, name)),
    FIGURE("clients", NULL, AT(snapshot_host, clients),
           LEVEL("database_clients", "clients whose transactions are done there")),
    FIGURE("connections", NULL, AT(snapshot_host, connections), ABSENT(closed)),
    FIGURE("transactions", NULL, AT(snapshot_host, events)),
    FIGURE("share_pct", NULL, GET(host_share), ONLY_TEXT),
    FIGURE("failed", NULL, AT(snapshot_host, failed)),
    FIGURE("errors", NULL, AT(snapshot_host, errors)),
    FIGURE("lost", NULL, AT(snapshot_host, lost)),
    FIGURE("reconnects", NULL, AT(snapshot_host, reconnects)),
    FIGURE("latency", NULL, OBJECT(snapshot_host, latency, series_figures),
           POINTS("database_latency_seconds",
                  "latency of a transaction at a database host, in the last report")),
    END,
};

TRUTH_OF(rated, any, s->has_rate)
TRUTH_OF(has_workers, snapshot_rank, s->kind == SNAPSHOT_FINAL && v->workers)
NUMBER_OF(up, snapshot_rank, !v->lost)
NUMBER_OF(cpu_ratio, snapshot_rank, v->cpus ? v->cpu_pct / 100 / v->cpus : NAN)
TEXT_OF(why_lost, snapshot_rank, v->lost ? v->why : NULL)
static const struct figure clock_figures[] = {
    FIGURE("same", NULL, AT(snapshot_rank, same_clock), NO_CSV),
    FIGURE("offset_s", NULL, AT(snapshot_rank, clock_offset), IN(SIGNED_NS)),
    FIGURE("uncertainty_s", NULL, AT(snapshot_rank, clock_uncertainty), IN(SIGNED_NS)),
    FIGURE("drift_ppm", NULL, AT(snapshot_rank, clock_drift_ppm)),
    END,
};
const struct figure rank_figures[] = {
    UNNAMED(GET(up), LEVEL("rank_up", "1: the load host takes part, 0: it was lost")),
    FIGURE("rank", NULL, AT(snapshot_rank, rank)),
    FIGURE("host", NULL, AT(snapshot_rank, host)),
    FIGURE("threads", NULL, AT(snapshot_rank, clients),
           LEVEL("rank_threads", "clients of a load host")),
    FIGURE("done", NULL, AT(snapshot_rank, done)),
    FIGURE("failed", NULL, AT(snapshot_rank, failed)),
    FIGURE("dropped", NULL, AT(snapshot_rank, dropped), ABSENT(no_rate)),
    FIGURE("late", NULL, AT(snapshot_rank, starts_late), ABSENT(no_rate)),
    FIGURE("lost", NULL, AT(snapshot_rank, given_up), ABSENT(no_rate)),
    FIGURE("transactions_per_s", NULL, AT(snapshot_rank, per_s),
           LEVEL("rank_transactions_per_second", "transactions that a load host did, a second")),
    FIGURE("response", NULL, OBJECT(snapshot_rank, response, series_figures),
           COLUMNS(" p50_s p95_s p99_s max_s ")),
    FIGURE("lag", NULL, OBJECT(snapshot_rank, lag, series_figures), WHEN(rated),
           COLUMNS(" p99_s ")),
    UNNAMED(
        AT(snapshot_rank, response.p99), IN(NS),
        LEVEL("rank_latency_p99_seconds", "99 % of the latencies of a load host were not longer")),
    UNNAMED(AT(snapshot_rank, lag.p99), IN(NS),
            LEVEL("rank_lag_p99_seconds", "99 % of the starts of a load host were not later")),
    UNNAMED(AT(snapshot_rank, starts_late),
            LEVEL("rank_late_transactions", "late starts of a load host in the period")),
    FIGURE("cpu_pct", NULL, AT(snapshot_rank, cpu_pct)),
    UNNAMED(GET(cpu_ratio),
            LEVEL("rank_cpu_ratio", "CPU time of a load host's process as a share of its CPUs")),
    FIGURE("cpus", NULL, AT(snapshot_rank, cpus)),
    FIGURE("throttled_s", NULL, AT(snapshot_rank, throttled), IN(SIGNED_NS),
           GIVEN(snapshot_rank, has_throttle), NO_CSV),
    FIGURE("cpu_wait_pct", NULL, AT(snapshot_rank, waited_pct), NO_CSV),
    FIGURE("workers", NULL, AT(snapshot_rank, workers), WHEN(has_workers), NO_CSV),
    FIGURE("workers_saturated", NULL, AT(snapshot_rank, workers_busy), WHEN(has_workers), NO_CSV),
    FIGURE("clock", NULL, OBJECT_HERE(clock_figures), GIVEN(snapshot_rank, has_clock)),
    UNNAMED(AT(snapshot_rank, clock_offset), IN(SIGNED_NS), GIVEN(snapshot_rank, has_clock),
            LEVEL("rank_clock_offset_seconds", "the leader's clock minus that of a load host")),
    FIGURE("figures_missing", NULL, AT(snapshot_rank, late)),
    FIGURE("lost_after_s", NULL, AT(snapshot_rank, lost_after), IN(SIGNED_NS),
           GIVEN(snapshot_rank, lost)),
    FIGURE("why_lost", NULL, TEXT(why_lost), NO_CSV),
    FIGURE("differs", NULL, AT(snapshot_rank, apart), IN(OR_NONE), NO_CSV),
    FIGURE("differs", NULL, AT(snapshot_rank, apart), NO_JSON),
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

NUMBER_OF(mark_time, mark, dur_sec(mark_elapsed(s, v)))
TEXT_OF(mark_source, mark, mark_source_name(v->source))
const struct figure mark_figures[] = {
    FIGURE("elapsed_s", NULL, GET(mark_time), HOOK("time")),
    FIGURE("wall_time_unix_s", NULL, AT(mark, wall), IN(SIGNED_NS)),
    HOOKED("source", NULL, TEXT(mark_source)),
    HOOKED("text", NULL, AT(mark, text)),
    END,
};

const struct figure phase_figures[] = {
    FIGURE("begin_s", NULL, GET(part_begin)),
    FIGURE("end_s", NULL, GET(part_end)),
    FIGURE("marks", NULL, LIST(snapshot_phase, marks, nmarks, mark_figures)),
    FIGURE("figures", NULL, WRITE(whole)),
    END,
};

NUMBER_OF(stage_number, snapshot_stage, v - s->stages + 1)
NUMBER_OF(stage_sustained, snapshot_stage, !v->judged || v->unknown ? NAN : v->sustained)
TEXT_OF(stage_why, snapshot_stage, !v->judged ? "nothing was due" : *v->why ? v->why : NULL)
const struct figure stage_figures[] = {
    FIGURE("number", NULL, GET(stage_number), AS(COUNT)),
    FIGURE("text", NULL, AT(snapshot_stage, text)),
    FIGURE("planned_begin_s", NULL, AT(snapshot_stage, from), IN(NS), NO_CSV),
    FIGURE("planned_end_s", NULL, AT(snapshot_stage, until), IN(NS), NO_CSV),
    FIGURE("begin_s", NULL, GET(part_begin)),
    FIGURE("end_s", NULL, GET(part_end)),
    FIGURE("first_per_s", NULL, AT(snapshot_stage, first)),
    FIGURE("last_per_s", NULL, AT(snapshot_stage, last)),
    FIGURE("sustained", NULL, GET(stage_sustained), AS(TRUTH),
           LEVEL("stage_sustained", "1: the rate of a stage was sustained, 0: it was not")),
    FIGURE("why", NULL, TEXT(stage_why)),
    FIGURE("figures", NULL, WRITE(whole), NO_CSV),
    END,
};

/* As metrics they are gauges, although most are counts: a stage is over when they appear. */
const struct figure stage_rate_figures[] = {
    UNNAMED(AT(snapshot_rate, target),
            LEVEL("stage_target_per_second", "planned rate of a stage, mean")),
    UNNAMED(AT(snapshot_rate, achieved),
            LEVEL("stage_achieved_per_second",
                  "transactions delivered a second in the time of a stage, as its verdict counts")),
    UNNAMED(AT(snapshot_rate, offered), LEVEL("stage_offered", "planned starts of a stage")),
    UNNAMED(AT(snapshot_rate, done), LEVEL("stage_done", "transactions done while a stage lasted")),
    UNNAMED(AT(snapshot_rate, failed),
            LEVEL("stage_failed", "transactions that failed while a stage lasted")),
    UNNAMED(AT(snapshot_rate, dropped),
            LEVEL("stage_dropped", "planned starts dropped while a stage lasted")),
    UNNAMED(AT(snapshot_rate, late),
            LEVEL("stage_late", "late starts of the transactions done while a stage lasted")),
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

static void step_bounds(struct str *out, const struct snapshot *s, const void *of)
{
    const struct find_objective *o = &s->find->objective;
    const struct find_step *v = of;

    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        double unit = b->what == FIND_TIME ? 1e9 : 1;
        char name[TEXT_FIND_SIZE];
        str_adds(out, i ? ",{" : "[{");
        json_string_member(out, "name", text_find_name(name, b));
        json_string_member(out, "unit",
                           b->what == FIND_TIME          ? "s"
                           : b->what == FIND_ERRORS_RATE ? "1/s"
                                                         : "%");
        json_number_member(out, "value", v->value[i] / unit);
        json_number_member(out, "limit", b->limit / unit);
        str_adds(out, "}");
    }
    str_adds(out, o->n ? "]" : "[]");
}

/* A column for each bound, named as the objective names it, times in ms: "lag_p99_9_ms". */
static void step_columns(struct str *out, const struct snapshot *s, const void *of)
{
    static const char *const unit[] = {[FIND_TIME] = "_ms",
                                       [FIND_ERRORS_PCT] = "_pct",
                                       [FIND_ERRORS_RATE] = "_per_s",
                                       [FIND_SERVER_CPU] = "_pct",
                                       [FIND_CLIENT_CPU] = "_pct"};
    const struct find_objective *o = &s->find->objective;
    const struct find_step *v = of;

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
    FIGURE("step", NULL, GET(step_number), AS(COUNT)),
    FIGURE("rate_per_s", NULL, AT(find_step, rate)),
    FIGURE("brief", NULL, AT(find_step, brief)),
    FIGURE("begin_s", NULL, AT(find_step, from), IN(SIGNED_NS)),
    FIGURE("seconds", NULL, AT(find_step, length), IN(SIGNED_NS)),
    FIGURE("offered", NULL, AT(find_step, offered)),
    FIGURE("done", NULL, AT(find_step, done)),
    FIGURE("failed", NULL, AT(find_step, failed)),
    FIGURE("dropped", NULL, AT(find_step, dropped)),
    FIGURE("errors", NULL, AT(find_step, errors)),
    FIGURE("waiting", NULL, AT(find_step, waiting)),
    FIGURE("lag_p99_s", NULL, GET(step_lag), NO_CSV),
    FIGURE("lag_ms", NULL, GET(step_lag_ms), NO_JSON),
    FIGURE("server_busy_pct", NULL, AT(find_step, server_busy_pct)),
    FIGURE("client_busy_pct", NULL, AT(find_step, client_busy_pct)),
    FIGURE("figures", NULL, WRITE(step_bounds), CELLS(step_columns)),
    FIGURE("holds", NULL, GET(step_holds), AS(TRUTH)),
    FIGURE("why", NULL, TEXT(step_why), NO_CSV),
    FIGURE("limit", NULL, TEXT(step_limit)),
    FIGURE("why", NULL, AT(find_step, why), NO_JSON),
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
    FIGURE("objective", NULL, AT(find_record, objective.text)),
    FIGURE("result", NULL, TEXT(find_result)),
    FIGURE("held_per_s", NULL, AT(find_record, held), IN(OR_NONE)),
    FIGURE("confirmed", NULL, AT(find_record, confirmed)),
    FIGURE("not_held_per_s", NULL, AT(find_record, not_held), IN(OR_NONE)),
    FIGURE("why", NULL, TEXT(find_why)),
    FIGURE("limit", NULL, TEXT(find_limit)),
    FIGURE("steps", NULL, ARRAY(find_record, step, FIND_MAX_STEPS, step_figures), KEEP(step_done)),
    END,
};

/* --- statements, system calls --- */

TEXT_OF(statement_kind, stmt_figures, statement_name(v))
TEXT_OF(statement_class, stmt_figures, stmt_class_name(v->class))
NUMBER_OF(statement_mean, stmt_figures, dur_sec(v->sum_ns) / (double)v->count)
NUMBER_OF(statement_pct, stmt_figures, statement_share(s, v))
const struct figure statement_figures[] = {
    HOOKED("kind", NULL, TEXT(statement_kind)),
    HOOKED("class", NULL, TEXT(statement_class)),
    FIGURE("text", NULL, AT(stmt_figures, text)),
    HOOKED("count", NULL, AT(stmt_figures, count)),
    HOOKED("errors", NULL, AT(stmt_figures, errors)),
    HOOKED("rows", NULL, AT(stmt_figures, rows)),
    FIGURE("sum_s", NULL, AT(stmt_figures, sum_ns), IN(SIGNED_NS), HOOK("sum")),
    FIGURE("mean_s", NULL, GET(statement_mean), HOOK("mean")),
    FIGURE("min_s", NULL, AT(stmt_figures, min), IN(SIGNED_NS), HOOK("min")),
    FIGURE("p50_s", NULL, AT(stmt_figures, p50), IN(SIGNED_NS), HOOK("p50")),
    FIGURE("p95_s", NULL, AT(stmt_figures, p95), IN(SIGNED_NS), HOOK("p95")),
    FIGURE("p99_s", NULL, AT(stmt_figures, p99), IN(SIGNED_NS), HOOK("p99")),
    FIGURE("max_s", NULL, AT(stmt_figures, max), IN(SIGNED_NS), HOOK("max")),
    FIGURE("share_pct", NULL, GET(statement_pct), HOOK("share")),
    END,
};

NUMBER_OF(calls_mean, syscall_count, v->ended ? (double)v->ns / 1e9 / (double)v->ended : NAN)
const struct figure calls_figures[] = {
    HOOKED("count", NULL, AT(syscall_count, began)),
    FIGURE("count_per_transaction", NULL, AT(syscall_count, began), PER(per_transaction)),
    HOOKED("ended", NULL, AT(syscall_count, ended)),
    HOOKED("errors", NULL, AT(syscall_count, errors)),
    FIGURE("sum_s", NULL, AT(syscall_count, ns), IN(NS), HOOK("sum")),
    FIGURE("mean_s", NULL, GET(calls_mean)),
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
    HOOKED("name", NULL, TEXT(call_name)),
    HOOKED("number", NULL, AT(syscall_figure, number)),
    UNNAMED(OBJECT(syscall_figure, c, calls_figures)),
    END,
};

TRUTH_OF(listed, syscall_figure, v < s->probe->syscalls.f + s->probe->syscalls.n)
static const struct figure syscalls_figures[] = {
    FIGURE("kinds", NULL, AT(syscalls_delta, kinds)),
    UNNAMED(OBJECT(syscalls_delta, all, calls_figures)),
    FIGURE("most_frequent", NULL, ARRAY(syscalls_delta, f, SYSCALLS_LISTED, syscall_figures),
           KEEP(listed)),
    END,
};

/* --- of the whole run --- */

static const struct figure retries_figures[] = {
    FIGURE("transactions", NULL, AT(snapshot_retries, transactions)),
    FIGURE("retries", NULL, AT(snapshot_retries, retries)),
    FIGURE("most", NULL, AT(snapshot_retries, most)),
    FIGURE("failed", NULL, AT(snapshot_retries, failed)),
    FIGURE("commits_unknown", NULL, AT(snapshot_retries, unknown)),
    FIGURE("first_attempt", NULL, OBJECT(snapshot_retries, first, series_figures)),
    FIGURE("until_done", NULL, OBJECT(snapshot_retries, last, series_figures)),
    END,
};

static const struct figure clients_figures[] = {
    FIGURE("threads", NULL, AT(snapshot_connections, clients)),
    FIGURE("connected", NULL, AT(snapshot_connections, connected),
           LEVEL("clients_connected", "clients with a connection at the end")),
    FIGURE("refused", NULL, AT(snapshot_connections, refused),
           LEVEL("clients_refused", "clients that the server refused at first")),
    FIGURE("refused_with", NULL, AT(snapshot_connections, refused_with), IN(OR_NONE)),
    END,
};
const struct figure connections_figures[] = {
    FIGURE("clients", NULL, OBJECT_HERE(clients_figures), GIVEN(snapshot_connections, limited)),
    FIGURE("plain_queries", NULL, AT(snapshot_connections, plain)),
    UNNAMED(AT(snapshot_connections, plain), IN(OR_NONE),
            LEVEL("plain_query_connections",
                  "connections without prepared statements, because of a limit or a pooler")),
    FIGURE("reconnect", NULL, OBJECT(snapshot_connections, connect, series_figures),
           SUMMARY("reconnect_seconds", "time of the attempt that replaced a lost connection")),
    FIGURE(
        "away", NULL, OBJECT(snapshot_connections, away, series_figures),
        SUMMARY("connection_away_seconds", "from the loss of a connection until it was replaced")),
    END,
};

TEXT_OF(warmup_figure, snapshot_warmup, v->rate ? "response_mean_s" : "transactions_per_s")
static const struct figure warmup_figures[] = {
    FIGURE("steady", NULL, AT(snapshot_warmup, steady)),
    FIGURE("lasted_s", NULL, AT(snapshot_warmup, after), IN(SIGNED_NS)),
    FIGURE("figure", NULL, TEXT(warmup_figure)),
    FIGURE("bound_pct", NULL, AT(snapshot_warmup, bound_pct)),
    FIGURE("change_pct", NULL, AT(snapshot_warmup, change_pct), GIVEN(snapshot_warmup, has_trend)),
    FIGURE("error_pct", NULL, AT(snapshot_warmup, error_pct), GIVEN(snapshot_warmup, has_trend)),
    END,
};

TEXT_OF(none_held, snapshot_batches, v->batches ? NULL : SNAPSHOT_NONE_HELD)
const struct figure batch_figures[] = {
    FIGURE("batches", NULL, AT(snapshot_batches, batches),
           SINCE("worker_batches", "times that a worker took answers that it had held back")),
    FIGURE("answers", NULL, AT(snapshot_batches, answers),
           SINCE("worker_batch_answers", "answers that were held back")),
    FIGURE("held_mean_s", NULL, AT(snapshot_batches, held_mean_s), ABSENT(none_held),
           LEVEL("worker_batch_held_mean_seconds",
                 "for how long an answer was held back at most, mean")),
    FIGURE("held_max_s", NULL, AT(snapshot_batches, held_max_s), ABSENT(none_held),
           LEVEL("worker_batch_held_max_seconds", "the longest such time")),
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
    FIGURE("server_syscalls", NULL, OBJECT_AT(syscalls_of, syscalls_figures), ABSENT(no_syscalls)),
    FIGURE("errors_by_code", NULL, LIST(snapshot, by_code, nby_code, error_figures), WHEN(no_phase),
           KEEP(occurred)),
    FIGURE("hosts", NULL, LIST(snapshot, host, hosts, host_figures), WHEN(any_hosts),
           ABSENT(many_hosts)),
    FIGURE("incidents", NULL, LIST(snapshot, incident, incidents, incident_figures),
           WHEN(any_incidents), KEEP(new_incident)),
    FIGURE("ranks", NULL, LIST(snapshot, rank, nranks, rank_figures), WHEN(any_ranks)),
    FIGURE("statements", NULL, LIST(snapshot, statements, nstatements, statement_figures),
           WHEN(is_final), ABSENT(no_statements)),
    FIGURE("outages", NULL, OBJECT_AT(outages_of, outages_figures), WHEN(is_final)),
    FIGURE("retries", NULL, OBJECT(snapshot, retries, retries_figures), WHEN(is_final)),
    FIGURE("connections", NULL, OBJECT(snapshot, connections, connections_figures), WHEN(is_final)),
    FIGURE("warmup", NULL, OBJECT(snapshot, warmed, warmup_figures), WHEN(waited_for_steady)),
    FIGURE("worker_batch", NULL, OBJECT(snapshot, batches, batch_figures), WHEN(has_batches)),
    FIGURE("find", NULL, OBJECT_AT(find_of, find_figures), WHEN(searched)),
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
    FIGURE("kinds", NULL, WRITE(profile_kinds)),
    FIGURE("frequency_hz", NULL, AT(report_profile, hz), IN(PLAIN)),
    FIGURE("window_start_s", NULL, AT(report_profile, start), IN(SIGNED_NS)),
    FIGURE("window_length_s", NULL, AT(report_profile, length), IN(SIGNED_NS), ABSENT(no_end)),
    FIGURE("name", NULL, AT(report_profile, name), ABSENT(unwatched)),
    FIGURE("watched_s", NULL, AT(report_profile, watched), IN(SIGNED_NS), ABSENT(unwatched)),
    FIGURE("samples", NULL, AT(report_profile, samples), ABSENT(no_cpu)),
    FIGURE("sampled_cpu_s", NULL, GET(sampled_cpu), ABSENT(no_cpu)),
    FIGURE("stacks", NULL, AT(report_profile, stacks), ABSENT(no_cpu)),
    FIGURE("off_cpu_s", NULL, AT(report_profile, off_cpu_time), IN(SIGNED_NS), ABSENT(no_off_cpu)),
    FIGURE("off_cpu_threads", NULL, AT(report_profile, threads), ABSENT(no_off_cpu)),
    FIGURE("off_cpu_stacks", NULL, AT(report_profile, off_cpu_stacks), ABSENT(no_off_cpu)),
    FIGURE("switches", NULL, AT(report_profile, switches), ABSENT(no_off_cpu)),
    FIGURE("involuntary_switches", NULL, AT(report_profile, involuntary), ABSENT(no_off_cpu)),
    FIGURE("switches_with_stack", NULL, AT(report_profile, sampled), ABSENT(no_off_cpu)),
    FIGURE("unwound_by_frame_information", NULL, AT(report_profile, by_cfi), ABSENT(no_cfi)),
    FIGURE("unwound_by_frame_pointers", NULL, AT(report_profile, by_pointers), ABSENT(unwatched)),
    FIGURE("unwound_in_part", NULL, AT(report_profile, partial), ABSENT(unwatched)),
    FIGURE("degraded_stacks", NULL, AT(report_profile, degraded), ABSENT(unwatched)),
    FIGURE("lost_records", NULL, AT(report_profile, lost), ABSENT(unwatched)),
    FIGURE("left_out_frames", NULL, AT(report_profile, truncated), ABSENT(unwatched)),
    FIGURE("profiler_cpu_s", NULL, AT(report_profile, cost), IN(SIGNED_NS), ABSENT(unwatched)),
    FIGURE("profiler_cpu_pct_of_one", NULL, GET(profiler_pct), ABSENT(unwatched)),
    FIGURE("files", NULL, WRITE(profile_files)),
    FIGURE("files_complete", NULL, GET(files_complete), AS(TRUTH)),
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
    FIGURE("at_s", NULL, AT(report_action, at_s)),
    FIGURE("name", NULL, AT(report_action, name)),
    FIGURE("command", NULL, AT(report_action, command)),
    FIGURE("state", NULL, TEXT(action_state)),
    FIGURE("begin_s", NULL, AT(report_action, begin_s), ABSENT(not_begun)),
    FIGURE("duration_s", NULL, AT(report_action, duration_s), ABSENT(not_ended)),
    FIGURE("exit_status", NULL, GET(exit_status), ABSENT(not_ended)),
    FIGURE("signal", NULL, AT(report_action, signal), IN(OR_NONE), ABSENT(not_ended)),
    FIGURE("terminated_with_run", NULL, AT(report_action, stopped)),
    FIGURE("left_processes", NULL, AT(report_action, left)),
    FIGURE("output", NULL, AT(report_action, output), ABSENT(not_ended)),
    FIGURE("output_bytes", NULL, AT(report_action, output_bytes), ABSENT(not_ended)),
    FIGURE("error", NULL, AT(report_action, why)),
    END,
};

NUMBER_OF(run_sustained, report_end, v->offered && !v->unknown && !v->searched ? v->sustained : NAN)
TEXT_OF(run_why, report_end, !v->offered ? "nothing was due" : *v->why ? v->why : NULL)
NUMBER_OF(run_achieved, report_end, v->offered ? v->achieved : NAN)
TRUTH_OF(has_stage, report_end, v->since_stage != 0)
TRUTH_OF(was_interrupted, report_end, v->interrupted && * v->interrupted)
NUMBER_OF(end_wall, report_end, v->wall ? (double)v->wall / 1e9 : NAN)
const struct figure verdict_figures[] = {
    FIGURE("sustained", NULL, GET(run_sustained), AS(TRUTH)),
    FIGURE("why", NULL, TEXT(run_why)),
    FIGURE("achieved_per_s", NULL, GET(run_achieved)),
    FIGURE("since_stage", NULL, AT(report_end, since_stage), WHEN(has_stage)),
    FIGURE("interrupted", NULL, AT(report_end, interrupted), WHEN(was_interrupted)),
    FIGURE("accounts_balance", NULL, AT(report_end, accounts_balance)),
    END,
};
const struct figure end_figures[] = {
    FIGURE("status", NULL, AT(report_end, status)),
    FIGURE("signal", NULL, AT(report_end, signal), IN(OR_NONE)),
    FIGURE("error", NULL, AT(report_end, error)),
    FIGURE("wall_time_unix_s", NULL, GET(end_wall)),
    END,
};

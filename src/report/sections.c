/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of an interval or a run, section by section (fields.h).  A new figure is a row here
 * and the line that measures it; docs/schema/make-schema then adds it to the schema.
 */
#include <string.h>

#include "report/rows.h"

const char field_no_sample[] = "no transaction ended in this period";
const char field_no_transaction[] = "no transaction was done";
const char field_read_late[] = "all transactions had ended before the first reading";
const char field_no_time[] = "the interval has no length";
const char field_no_blocker[] = "no session of others blocked";
const char field_no_power[] =
    "it has no energy counter here, or one that may have wrapped more than "
    "once since the last reading (--report-interval)";
static const char no_machine[] = "of several load hosts, or of too short a time";
static const char no_others[] =
    "of several load hosts, of too short a time, or the server's CPU time is not known in full";
static const char no_threads[] = "the threads were not counted one by one";
static const char only_now[] = "can be told at the end of an interval, checkpoint or run only";
static const char no_missing[] =
    "for runs with --min-clients, at the end of an interval, checkpoint or run";
static const char one_host[] = "there is one load host";
static const char backwards[] = "a counter of the kernel went backwards";
static const char no_reading[] = "the machine was not read in this period";

/* clang-format off */

/* --- the interval, or the run --- */

static double per_s(const struct snapshot *s, double n)
{
    return s->interval_ns > 0 ? n / dur_sec(s->interval_ns) : NAN;
}

static double connection_errors(const struct snapshot *s, const void *of UNUSED)
{
    double n = 0;

    for (size_t i = 0; i < s->nby_code; i++)
        if (strcmp(s->by_code[i].row->class, "connection") == 0)
            n += (double)s->by_code[i].count;
    return s->kind == SNAPSHOT_PHASE ? NAN : n;
}

/* Over the threads: the fewest (sign 1) or the most (-1) transactions of one. */
static double extreme(const struct snapshot *s, int sign)
{
    double best = NAN;

    for (int i = 0; s->clients && i < s->nclients; i++) {
        double n = sign * (double)s->clients[i].events;
        if (s->clients[i].unknown)
            continue;
        best = isnan(best) || n < best ? n : best;
    }
    return sign * best;
}

#define QUERIES (double)(s->reads + s->writes + s->other)
GET(transactions_rate, struct snapshot, per_s(s, (double)s->events))
GET(queries_rate, struct snapshot, per_s(s, QUERIES))
/* Nothing of these is kept for phases. */
GET(away, struct snapshot, s->kind == SNAPSHOT_PHASE ? NAN : s->connections_away)
GET(missing, struct snapshot, s->may_miss && s->kind != SNAPSHOT_PHASE ? s->clients_missing : NAN)
GET(all_transactions, struct snapshot, s->total[CNT_DONE] + s->total[CNT_EVENT])
GET(least, struct snapshot, extreme(s, 1))
GET(most, struct snapshot, extreme(s, -1))
TEXT(no_bytes, struct snapshot,
     s->total[CNT_BYTES_READ] + s->total[CNT_BYTES_WRITTEN] ? NULL : "the test counts no bytes")
/* exact figures of no transaction are not zero */
TEXT(no_event, struct snapshot, s->events ? NULL : field_no_sample)

/* A row: where the figure is, its name, what it is; FL: hooks call it the same.  ..._SO: the help
 * of the metric says the same. */
#define F(where, name_, help_, ...) {where, .name = name_, .help = help_, __VA_ARGS__}
#define FL(where, name_, help_, ...)                                                               \
    {where, .name = name_, .help = help_, .lua = name_, __VA_ARGS__}
#define LEVEL_SO(family_) .metric = METRIC_LEVEL, .family = family_
#define SINCE_SO(family_) .metric = METRIC_SINCE, .family = family_
#define GROWS_SO(family_) .metric = METRIC_GROWS, .family = family_
#define PER_S_SO(family_) .metric = METRIC_PER_S, .family = family_
#define V struct snapshot
#define LABEL(label_, value_) .label = label_, .value = value_
static const struct figure load_rows[] = {
    F(AT(wall), "wall_time_unix_s", "wall clock at the end of the interval, seconds since 1970",
      .unit = SIGNED_NS,
      LEVEL("last_report_timestamp_seconds",
            "end of the period of the last report, seconds since 1970")),
    F(AT(elapsed_ns), "elapsed_s", "time since measuring began", .unit = NS,
      LEVEL_SO("elapsed_seconds")),
    F(AT(interval_ns), "interval_s", "time that the figures cover", .unit = NS,
      LEVEL("interval_seconds", "length of the last report's period")),
    F(AT(threads_running), "threads_running", "threads that have not ended",
      LEVEL("threads_running", "clients that have not ended")),
    F(AT(events), "transactions", "transactions (events) done"),
    F(.get = transactions_rate, "transactions_per_s", "the same per second", .why = field_no_time),
    F(.get = queries_rate, "queries_per_s", "statements per second", .why = field_no_time),
    F(AT(reads), "reads", "statements that read"),
    F(AT(writes), "writes", "statements that write"),
    F(AT(other), "other", "other statements"),
    F(AT(count[CNT_FAILED]), "failed", "transactions that failed"),
    F(AT(errors), "errors", "statements that failed and were ignored"),
    F(AT(reconnects), "reconnects", "connections that were made anew"),
    F(.get = connection_errors, "connection_errors",
      "errors of class connection, failed attempts to reconnect among them", .why = only_now),
    F(.get = away, "connections_away", "connections that were lost and are not back at this moment",
      .why = only_now, LEVEL("connections_away", "connections that were lost and are not back")),
    F(.get = missing, "clients_missing", "clients that the server has refused until now",
      .why = no_missing, LEVEL_SO("clients_missing")),
    F(AT(count[CNT_BYTES_READ]), "read_bytes", "bytes that the test counted as read",
      .absent = no_bytes),
    F(AT(count[CNT_BYTES_WRITTEN]), "written_bytes", "bytes that the test counted as written",
      .absent = no_bytes),
END};
#define STATEMENTS SINCE("queries", "statements done, by what they do")
static const struct figure total_rows[] = {
    F(.get = all_transactions, "transactions", "transactions done", .as = AS_COUNT,
      SINCE("transactions", "transactions (events) done")),
    F(AT(total[CNT_READ]), "reads", "statements that read", STATEMENTS, LABEL("type", "read")),
    F(AT(total[CNT_WRITE]), "writes", "statements that write", STATEMENTS, LABEL("type", "write")),
    F(AT(total[CNT_OTHER]), "other", "other statements", STATEMENTS, LABEL("type", "other")),
    F(AT(total[CNT_FAILED]), "failed", "transactions that failed",
      SINCE_SO("failed_transactions")),
    F(AT(total[CNT_ERROR]), "errors", "statements that failed and were ignored",
      SINCE_SO("errors")),
    F(AT(total[CNT_RECONNECT]), "reconnects", "connections that were made anew",
      SINCE_SO("reconnects")),
    F(AT(total[CNT_BYTES_READ]), "read_bytes", "bytes that the test counted as read",
      .absent = no_bytes, SINCE_SO("read_bytes")),
    F(AT(total[CNT_BYTES_WRITTEN]), "written_bytes", "bytes that the test counted as written",
      .absent = no_bytes, SINCE_SO("written_bytes")),
END};
static const struct figure latency_rows[] = {
    F(AT(latency.n), "samples", "transactions in the figures that follow"),
    F(AT(latency.p50), "p50_s", "median", .unit = NS),
    F(AT(latency.p95), "p95_s", "95 %", .unit = NS),
    F(AT(latency.p99), "p99_s", "99 %", .unit = NS),
    F(AT(latency.max), "max_s", "longest, to a thousandth", .unit = NS),
    F(AT(latency.mean), "mean_s", "mean, to a thousandth", .unit = NS),
END};
static const struct figure threads_rows[] = {
    F(AT(latency_min_ms), "latency_min_s", "shortest transaction, exact", .unit = MS,
      .absent = no_event, LEVEL("latency_min_seconds", "shortest transaction")),
    F(AT(latency_max_ms), "latency_max_s", "longest, exact", .unit = MS, .absent = no_event,
      LEVEL("latency_max_seconds", "longest transaction")),
    F(AT(latency_avg_ms), "latency_mean_s", "mean, exact", .unit = MS, .absent = no_event,
      LEVEL("latency_mean_seconds", "mean time of a transaction")),
    F(AT(latency_sum_ms), "latency_sum_s", "sum, exact", .unit = MS, .absent = no_event),
    F(AT(events_avg), "transactions_mean", "transactions of a thread, mean",
      LEVEL_SO("thread_transactions_mean")),
    F(AT(events_stddev), "transactions_stddev", "their standard deviation",
      LEVEL("thread_transactions_stddev", "transactions of a thread, standard deviation")),
    F(.get = least, "transactions_least", "of the thread with fewest", .as = AS_COUNT,
      .why = no_threads,
      LEVEL("thread_transactions_min", "transactions of the thread with fewest")),
    F(.get = most, "transactions_most", "of the thread with most", .as = AS_COUNT,
      .why = no_threads, LEVEL("thread_transactions_max", "transactions of the thread with most")),
    F(AT(exec_avg_s), "execution_mean_s", "time of a thread in transactions, mean",
      LEVEL_SO("thread_execution_mean_seconds")),
    F(AT(exec_stddev_s), "execution_stddev_s", "its standard deviation",
      LEVEL("thread_execution_stddev_seconds",
            "time of a thread in transactions, standard deviation")),
END};
#undef V

GET(lost, struct snapshot_rate, v->shared ? (double)v->lost : NAN)
GET(total_lost, struct snapshot_rate, v->shared ? (double)v->total_lost : NAN)
#define V struct snapshot_rate
#define OUTCOME(value_)                                                                            \
    SINCE("scheduled_transactions", "transactions of the schedule that have ended, by outcome"),   \
        LABEL("outcome", value_)
#define STATE(value_)                                                                              \
    LEVEL("unfinished_transactions",                                                               \
          "transactions of the schedule that have not ended, by state"),                           \
        LABEL("state", value_)
#define SERIES(prefix, member, what)                                                               \
    {AT(member.n), .name = prefix "_samples", .help = what ": how many"},                          \
    {AT(member.p50), .name = prefix "_p50_s", .unit = NS, .help = what ", median"},                \
    {AT(member.p95), .name = prefix "_p95_s", .unit = NS, .help = what ", 95 %"},                  \
    {AT(member.p99), .name = prefix "_p99_s", .unit = NS, .help = what ", 99 %"},                  \
    {AT(member.max), .name = prefix "_max_s", .unit = NS, .help = what ", longest"},               \
    {AT(member.mean), .name = prefix "_mean_s", .unit = NS, .help = what ", mean"}
static const struct figure rate_rows[] = {
    F(AT(target), "target_per_s", "transactions per second that were asked for",
      .why = "--tx-find tried many rates", .lua = "target",
      LEVEL_SO("target_transactions_per_second")),
    FL(AT(offered), "offered", "transactions planned in this interval"),
    FL(AT(done), "done", "done in it"),
    FL(AT(failed), "failed", "failed in it"),
    FL(AT(dropped), "dropped", "dropped in it"),
    FL(AT(late), "late", "done in it, begun more than 1 ms after their planned start"),
    F(AT(total_offered), "total_offered", "planned since measuring began", .lua = "total.offered",
      SINCE("offered_transactions", "transactions whose planned start has come")),
    F(AT(total_done), "total_done", "done since then", .lua = "total.done", OUTCOME("done")),
    F(AT(total_failed), "total_failed", "failed since then", .lua = "total.failed",
      OUTCOME("failed")),
    F(AT(total_dropped), "total_dropped", "dropped since then", .lua = "total.dropped",
      OUTCOME("dropped")),
    F(AT(total_late), "total_late", "begun late since then", .lua = "total.late",
      SINCE("late_transactions",
            "transactions that began more than 1 ms after their planned start")),
    FL(.get = lost, "lost",
       "of load hosts that were lost: planned and not known to be done, in this interval",
       .as = AS_COUNT, .why = one_host),
    F(.get = total_lost, "total_lost", "the same since measuring began", .as = AS_COUNT,
      .why = one_host, .lua = "total.lost", OUTCOME("lost")),
    F(AT(unfinished), "unfinished", "waiting, in flight or withdrawn at this moment",
      .lua = "open.unfinished"),
    F(AT(waiting), "waiting", "due and not begun", .lua = "open.waiting", STATE("waiting")),
    F(AT(in_flight), "in_flight", "begun and not ended", .lua = "open.in_flight",
      STATE("in_flight")),
    F(AT(withdrawn), "withdrawn", "withdrawn by the script", .lua = "open.withdrawn",
      STATE("withdrawn")),
    F(AT(oldest_ns), "oldest_s", "for how long the oldest unfinished one has been due", .unit = NS,
      .why = only_now, .lua = "open.oldest",
      LEVEL("oldest_unfinished_seconds",
            "how long the oldest unfinished transaction has been due")),
    SERIES("response", response, "planned start to end"),
    SERIES("service", service, "actual start to end"),
    SERIES("lag", lag, "planned to actual start"),
END};
#undef V

/* --- the processes of the server, and our own --- */

#define V struct snapshot_server
#define CPUS (v->ncpu ? v->ncpu : s->ncpu)
/* What figures of a transaction are divided by; events or none, as in a report without a rate. */
#define SAMPLED snapshot_sampled_by(s, v)
GET(between_readings, V, SAMPLED)
GET(user_pct, V, sample_pct_system(v->d.user_ns, v->d.wall_ns, CPUS))
GET(system_pct, V, sample_pct_system(v->d.sys_ns, v->d.wall_ns, CPUS))
GET(cpu_per_transaction, V, SAMPLED ? dur_sec(v->d.cpu_ns) / (double)SAMPLED : NAN)
GET(switches_per_transaction, V,
    SAMPLED ? (double)(v->d.vol_switches + v->d.invol_switches) / (double)SAMPLED : NAN)
/* Of the interval, as the server's: CPUs that are stopped at once may add up to more than 100. */
GET(throttled_pct, V, sample_pct_one(v->d.throttled_ns, v->d.wall_ns))
/* What is not known to be the server's is not others'. */
static bool cpu_is_whole(const struct snapshot_server *v)
{
    return !v->on || v->ncpu || (v->d.have & SAMPLE_CPU && !(v->d.lower & SAMPLE_CPU));
}

GET(others_pct, V,
    s->machine.known && cpu_is_whole(&s->server) && cpu_is_whole(v) ? s->machine.others_pct : NAN)
GET(stolen_pct, V, s->machine.known ? s->machine.stolen_pct : NAN)

#define D(member) RECORD_AT(V, d.member)
#define GROWS(family_, about_) .metric = METRIC_GROWS, .family = family_, .about = about_
#define CPU_SHARE                                                                                  \
    LEVEL("cpu_ratio", "CPU time used as a share of all CPUs of the machine, by mode"),            \
        .factor = 0.01
#define CPU_TIME GROWS("cpu_seconds", "CPU time used, by mode")
#define MACHINE_SHARE(mode)                                                                        \
    LEVEL("machine_cpu_ratio", "CPU time of its machine that neither it nor the server had"),      \
        LABEL("mode", mode), .factor = 0.01
#define SWITCHES                                                                                   \
    GROWS("context_switches", "context switches: voluntary to wait, involuntary when interrupted")
#define FAULTS GROWS("page_faults", "page faults: major ones read from storage")
#define CPU SAMPLE_CPU
/* Families begin with "server_" or "client_". */
WHEN(ours, V, v == &s->self)
WHEN(servers, V, v != &s->self)
TEXT(no_before, V, v->has_before ? NULL : "its CPU time could not be read before the load")
static const struct figure process_rows[] = {
    FL(D(processes), "processes", "processes alive", LEVEL_SO("processes")),
    F(D(wall_ns), "interval_s", "time between the two readings", .unit = NS,
      .why = "the load had ended before this interval"),
    F(.get = between_readings, "transactions", "transactions between the two readings"),
    F(D(cpu_ns), "cpu_s", "CPU time, user and system", .unit = NS, .have = CPU, .lua = "cpu"),
    F(D(user_ns), "cpu_user_s", "CPU time in user mode", .unit = NS, .have = CPU, .lua = "cpu_user",
      CPU_TIME, LABEL("mode", "user")),
    F(D(sys_ns), "cpu_system_s", "CPU time in the kernel", .unit = NS, .have = CPU,
      .lua = "cpu_system", CPU_TIME, LABEL("mode", "system")),
    F(.get = user_pct, "cpu_user_pct", "user mode, % of the whole system", .have = CPU,
      .why = field_no_time, .lua = "pct_user", CPU_SHARE, LABEL("mode", "user")),
    F(.get = system_pct, "cpu_system_pct", "kernel, % of the whole system", .have = CPU,
      .why = field_no_time, .lua = "pct_system", CPU_SHARE, LABEL("mode", "system")),
    F(.get = cpu_per_transaction, "cpu_s_per_transaction", "CPU time of a transaction", .have = CPU,
      .why = field_no_transaction, .lua = "cpu_per_transaction"),
    FL(AT(before_pct), "cpu_before_pct", "CPU time just before the load, % of one CPU",
       .when = servers, .absent = no_before),
    FL(D(vol_switches), "voluntary_switches", "context switches: it waited",
       .have = SAMPLE_SWITCHES, SWITCHES, LABEL("type", "voluntary")),
    FL(D(invol_switches), "involuntary_switches", "context switches: it was interrupted",
       .have = SAMPLE_SWITCHES, SWITCHES, LABEL("type", "involuntary")),
    FL(.get = switches_per_transaction, "switches_per_transaction",
       "context switches of a transaction", .have = SAMPLE_SWITCHES, .why = field_no_transaction),
    FL(D(minor_faults), "minor_faults", "page faults without reading", .have = SAMPLE_FAULTS,
       FAULTS, LABEL("type", "minor")),
    FL(D(major_faults), "major_faults", "page faults that read", .have = SAMPLE_FAULTS, FAULTS,
       LABEL("type", "major")),
    FL(D(rss_bytes), "rss_bytes", "resident memory at the end", .have = SAMPLE_MEMORY,
       LEVEL("resident_memory_bytes", "resident memory")),
    FL(D(threads), "threads", "threads at the end", .have = SAMPLE_THREADS,
       LEVEL("threads", "threads alive")),
    F(D(read_bytes), "storage_read_bytes", "read from storage", .have = SAMPLE_IO,
      .lua = "read_bytes", GROWS("storage_read_bytes", "bytes read from storage")),
    F(D(write_bytes), "storage_written_bytes", "written to storage", .have = SAMPLE_IO,
      .lua = "write_bytes", GROWS("storage_written_bytes", "bytes written to storage")),
    F(D(runq_wait_ns), "run_queue_wait_s", "ready to run without a CPU, over all threads",
      .unit = NS, .have = SAMPLE_RUNQ, .lua = "run_queue_wait",
      GROWS("run_queue_wait_seconds", "time that threads were runnable and had no CPU")),
    F(.get = throttled_pct, "throttled_pct", "a CPU quota stopped it, % of the time",
      .when = ours, .have = SAMPLE_THROTTLE, .why = field_no_time, .factor = 0.01,
      LEVEL("throttled_ratio",
            "share of the time in which a CPU quota stopped the load generator")),
    F(D(throttled_periods), "throttled_periods", "periods in which it did", .when = ours, .have = SAMPLE_THROTTLE,
      GROWS("throttled_periods", "periods in which a CPU quota stopped the load generator")),
    FL(.get = others_pct, "machine_others_pct",
       "CPU time of its machine that neither it nor the watched server used, % of the whole system",
       .when = ours, .why = no_others, MACHINE_SHARE("others")),
    FL(.get = stolen_pct, "machine_stolen_pct",
       "CPU time of its machine that the hypervisor gave away, % of the whole system",
       .when = ours, .why = no_machine, MACHINE_SHARE("stolen")),
END};
#undef V

/* --- the server's machine --- */

/* Of a rate of the machine, what one transaction has. */
static double of_machine(const struct snapshot *s, double per_second)
{
    uint64_t events = snapshot_sampled(s);

    return events ? per_second * dur_sec(s->probe->host.wall_ns) / (double)events : NAN;
}

#define V struct host_delta
GET(interrupts_per_transaction, V, of_machine(s, v->in))
GET(host_switches, V, of_machine(s, v->cs))
GET(cpu_energy, V, of_machine(s, v->watts[POWER_CPU]))
GET(memory_energy, V, of_machine(s, v->watts[POWER_MEMORY]))
GET(battery_energy, V, of_machine(s, v->battery_watts))
TEXT(no_cpus, V, v->cpus ? NULL : "not known")

#define ROW(member, name_, lua_, help_, ...)                                                       \
    F(AT(member), name_, help_, .lua = lua_, .why = backwards, __VA_ARGS__)
#define MEAN_ROW(member, name_, lua_, help_, ...)                                                  \
    F(AT(member), name_, help_, .lua = lua_, .why = no_reading, __VA_ARGS__)
#define POWER_ROW(member, name_, source, help_)                                                    \
    FL(AT(member), name_, help_, .why = field_no_power, .have = HOST_POWER,                        \
       LABEL("resource", source), PER_S("energy_joules",                                           \
       "energy of the CPU packages and of their memory (RAPL), and from the battery"))
#define EACH(get_, name_, lua_, help_, ...)                                                        \
    F(.get = get_, name_, help_, .lua = lua_, .why = field_no_transaction, __VA_ARGS__)
#define PER_S(family_, about_) .metric = METRIC_PER_S, .family = family_, .about = about_
#define WAITING LEVEL("threads", "threads that run or are runnable, and threads blocked by a disk")
#define MEMORY(state) LEVEL("memory_bytes", "memory, by use"), LABEL("state", state)
#define SWAPPED(way) PER_S("swap_bytes", "bytes moved from and to swap"), LABEL("direction", way)
#define PAGED(way) PER_S("paged_bytes", "bytes paged from and to disks"), LABEL("direction", way)
#define SHARE(mode)                                                                                \
    .have = HOST_STAT, LEVEL("cpu_ratio", "share of all CPUs, by mode"), .factor = 0.01,           \
    LABEL("mode", mode)
#define PRESSURE(what) .have = HOST_PRESSURE, .factor = 0.01, LABEL("resource", what),             \
    LEVEL("pressure_ratio", "share of the time in which some task waited for the resource")
#define STAT .have = HOST_STAT
#define MEM .have = HOST_MEMORY, .unit = KIB
#define PAGING .have = HOST_PAGING, .unit = KIB
static const struct figure machine_rows[] = {
    ROW(wall_ns, "interval_s", NULL, "time between the two readings", .unit = NS),
    ROW(cpus, "cpus", NULL, "CPUs online", .absent = no_cpus, LEVEL_SO("cpus")),
    ROW(running, "threads_runnable", "r", "threads that run or want to, at the end (vmstat's r)",
        STAT, WAITING, LABEL("state", "runnable")),
    ROW(blocked, "threads_blocked", "b", "threads that wait for a disk, at the end (b)", STAT,
        WAITING, LABEL("state", "blocked")),
    MEAN_ROW(running_mean, "threads_runnable_mean", "r_mean",
             "threads that run or want to, mean of the readings", STAT),
    MEAN_ROW(blocked_mean, "threads_blocked_mean", "b_mean",
             "threads that wait for a disk, mean of the readings", STAT),
    ROW(swpd, "swap_used_bytes", "swpd", "swap in use at the end (swpd)", MEM,
        LEVEL("swap_used_bytes", "swap in use")),
    ROW(free, "memory_free_bytes", "free", "free memory at the end (free)", MEM, MEMORY("free")),
    ROW(buff, "memory_buffers_bytes", "buff", "buffers at the end (buff)", MEM, MEMORY("buffers")),
    ROW(cache, "memory_cache_bytes", "cache", "page cache and reclaimable slab at the end (cache)",
        MEM, MEMORY("cache")),
    MEAN_ROW(swpd_mean, "swap_used_mean_bytes", "swpd_mean", "swap in use, mean of the readings",
             MEM),
    MEAN_ROW(free_mean, "memory_free_mean_bytes", "free_mean", "free memory, mean of the readings",
             MEM),
    MEAN_ROW(buff_mean, "memory_buffers_mean_bytes", "buff_mean", "buffers, mean of the readings",
             MEM),
    MEAN_ROW(cache_mean, "memory_cache_mean_bytes", "cache_mean",
             "page cache and reclaimable slab, mean of the readings", MEM),
    ROW(si, "swapped_in_bytes_per_s", "si", "read from swap (si)", PAGING, SWAPPED("in")),
    ROW(so, "swapped_out_bytes_per_s", "so", "written to swap (so)", PAGING, SWAPPED("out")),
    ROW(bi, "blocks_in_bytes_per_s", "bi", "paged in from disks (bi)", PAGING, PAGED("in")),
    ROW(bo, "blocks_out_bytes_per_s", "bo", "paged out to disks (bo)", PAGING, PAGED("out")),
    ROW(in, "interrupts_per_s", "interrupts", "interrupts (in)", STAT,
        PER_S("interrupts", "interrupts")),
    ROW(cs, "context_switches_per_s", "cs", "context switches of all processes (cs)", STAT,
        PER_S("context_switches", "context switches of all processes")),
    EACH(interrupts_per_transaction, "interrupts_per_transaction", "interrupts_per_transaction",
         "interrupts of a transaction", STAT),
    EACH(host_switches, "context_switches_per_transaction", "cs_per_transaction",
         "context switches of all processes, of a transaction", STAT),
    ROW(us, "cpu_user_pct", "us", "user mode, % of all CPUs (us)", SHARE("user")),
    ROW(sy, "cpu_system_pct", "sy", "kernel, % of all CPUs (sy)", SHARE("system")),
    ROW(id, "cpu_idle_pct", "id", "idle, % of all CPUs (id)", SHARE("idle")),
    ROW(wa, "cpu_iowait_pct", "wa", "idle while a disk works, % of all CPUs (wa)", SHARE("iowait")),
    ROW(st, "cpu_stolen_pct", "st", "taken by the hypervisor, % of all CPUs (st)", SHARE("steal")),
    ROW(disk_read, "disk_read_bytes_per_s", "disk_read", "read from disks", .have = HOST_DISK,
        PER_S("disk_read_bytes", "bytes read from disks")),
    ROW(disk_written, "disk_written_bytes_per_s", "disk_written", "written to disks",
        .have = HOST_DISK, PER_S("disk_written_bytes", "bytes written to disks")),
    ROW(net_received, "network_received_bytes_per_s", "net_received", "received, without loopback",
        .have = HOST_NET, PER_S("network_received_bytes", "bytes received, without loopback")),
    ROW(net_sent, "network_sent_bytes_per_s", "net_sent", "sent, without loopback",
        .have = HOST_NET, PER_S("network_sent_bytes", "bytes sent, without loopback")),
    ROW(stalled_pct[HOST_PSI_CPU], "stalled_cpu_pct", "psi_cpu",
        "some task waited for a CPU, % of the time", PRESSURE("cpu")),
    ROW(stalled_pct[HOST_PSI_IO], "stalled_io_pct", "psi_io",
        "some task waited for a disk, % of the time", PRESSURE("io")),
    ROW(stalled_pct[HOST_PSI_MEMORY], "stalled_memory_pct", "psi_memory",
        "some task waited for memory, % of the time", PRESSURE("memory")),
    ROW(mhz, "cpu_frequency_hz", "mhz", "of the CPUs at the end, mean", .have = HOST_FREQUENCY,
        .unit = MHZ, LEVEL("cpu_frequency_hertz", "frequency of the CPUs, mean")),
    POWER_ROW(watts[POWER_CPU], "power_cpu_w", "cpu", "power of the CPU packages (RAPL), mean"),
    POWER_ROW(watts[POWER_MEMORY], "power_memory_w", "memory",
              "power of their memory (RAPL), mean"),
    POWER_ROW(battery_watts, "power_battery_w", "battery",
              "drawn from the battery, mean of the readings"),
    EACH(cpu_energy, "energy_cpu_j_per_transaction", "energy_cpu_j_per_transaction",
         "energy of the CPU packages, of a transaction", .have = HOST_POWER),
    EACH(memory_energy, "energy_memory_j_per_transaction", "energy_memory_j_per_transaction",
         "energy of their memory, of a transaction", .have = HOST_POWER),
    EACH(battery_energy, "energy_battery_j_per_transaction", "energy_battery_j_per_transaction",
         "energy from the battery, of a transaction", .have = HOST_POWER),
    ROW(throttled_pct, "server_throttled_pct", "throttled_pct",
        "the server's quota stopped it, % of the time", .have = HOST_THROTTLE, .factor = 0.01,
        LEVEL("server_throttled_ratio",
              "share of the time in which the server's quota stopped it")),
    ROW(throttled_periods, "server_throttled_periods", NULL, "periods in which it did",
        .have = HOST_THROTTLE,
        GROWS("server_throttled_periods", "periods in which the server's quota stopped it")),
END};
#undef V
#undef ROW

/* Of several events, each only if they were asked for. */
GET(work, struct perf_derived, snapshot_work(s))
#define ROW(member, name_, bit, help_, ...)                                                        \
    {RECORD_AT(struct perf_derived, member), .name = name_, .lua = name_,                          \
     .have = bit, .help = help_, __VA_ARGS__}
const struct figure derived_figures[] = {
    ROW(ipc, "ipc", PERF_IPC, "instructions per cycle",
        LEVEL("server_instructions_per_cycle",
              "instructions per CPU cycle of the server's threads")),
    ROW(icache_per_instruction, "icache_misses_per_instruction", PERF_ICACHE,
        "L1 instruction cache",
        LEVEL("server_icache_misses_per_instruction",
              "misses of the L1 instruction cache per instruction of the server's threads")),
    ROW(itlb_per_instruction, "itlb_misses_per_instruction", PERF_ITLB, "instruction TLB",
        LEVEL("server_itlb_misses_per_instruction",
              "misses of the instruction TLB per instruction of the server's threads")),
    ROW(branch_miss_pct, "branch_miss_pct", PERF_BRANCH, "mispredicted branches", .factor = 0.01,
        LEVEL("server_branch_miss_ratio",
              "mispredicted branches of the server's threads, share of all")),
    FL(.get = work, "transactions_per_billion_cycles", "work done by a billion cycles",
       .have = PERF_WORK),
END};
#undef ROW

/* Of --server-status, beside the server's own: sessions that are not ours, and locks. */
#define V struct status_delta
GET(active_sessions, V,
    v->others.known > 0 && !v->others.hides
        ? (double)v->others.active / (double)v->others.known
        : NAN)
TEXT(no_connected, V, v->others.why)
TEXT(no_active, V,
     v->others.hides       ? v->others.hides
     : v->others.known > 0 ? NULL
                           : v->others.why)
TEXT(no_work, V, v->others.no_work)
TEXT(no_waits, V, v->waits.known > 0 ? NULL : v->waits.why)
TEXT(no_blocker, V,
     v->waits.known <= 0 ? v->waits.why : *v->waits.who ? NULL : field_no_blocker)
#define SESSIONS(state)                                                                            \
    LEVEL("server_other_sessions", "sessions of the server that are not of this run, by state"),   \
        LABEL("state", state)
const struct figure status_figures[] = {
    FL(AT(others.connected), "other_sessions", "sessions that are not of this run, at the end",
       .absent = no_connected, SESSIONS("connected")),
    FL(.get = active_sessions, "other_sessions_active", "those of them that worked, mean over the time",
       .absent = no_active, SESSIONS("active")),
    FL(AT(others.least), "other_statements",
       "statements of sessions that are not of this run, at least; PostgreSQL: transactions",
       .absent = no_work,
       GROWS_SO("server_other_statements")),
    FL(AT(waits.waited), "lock_waited_s",
       "time that sessions of this run waited for locks, added up; estimated from samples",
       .unit = NS, .absent = no_waits,
       GROWS("server_lock_waited_seconds",
             "time that sessions of this run waited for locks, added up")),
    FL(AT(waits.behind), "lock_waited_for_others_s", "part of it behind sessions of others",
       .unit = NS, .absent = no_waits,
       GROWS("server_lock_waited_for_others_seconds", "part of it behind sessions of others")),
    FL(AT(waits.blockers), "lock_blockers",
       "sessions of others that blocked, of several at a time the one that blocked most",
       .absent = no_waits),
    FL(AT(waits.who), "lock_blocker", "the last of them, and what it did", .absent = no_blocker),
END};
#undef V

const struct figure *const section_figures[FIELD_SECTIONS] = {
    [FIELD_LOAD] = load_rows, [FIELD_TOTAL] = total_rows, [FIELD_LATENCY] = latency_rows,
    [FIELD_THREADS] = threads_rows, [FIELD_RATE] = rate_rows, [FIELD_SERVER] = process_rows,
    [FIELD_CLIENT] = process_rows, [FIELD_HOST] = machine_rows};

/* clang-format on */

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
const char field_no_power[] =
    "it has no energy counter here, or one that may have wrapped more than "
    "once since the last reading (--report-interval)";
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
GET(wall_time, struct snapshot, (double)s->wall / 1e9)
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

#define V struct snapshot
#define LABEL(label_, value_) .label = label_, .value = value_
static const struct figure load_rows[] = {
    {.get = wall_time, .name = "wall_time_unix_s",
     .help = "wall clock at the end of the interval, seconds since 1970",
     LEVEL("last_report_timestamp_seconds",
           "end of the period of the last report, seconds since 1970")},

    {AT(elapsed_ns), .name = "elapsed_s", .unit = NS, .help = "time since measuring began",
     LEVEL("elapsed_seconds", "time since measuring began")},
    {AT(interval_ns), .name = "interval_s", .unit = NS, .help = "time that the figures cover",
     LEVEL("interval_seconds", "length of the last report's period")},
    {AT(threads_running), .name = "threads_running", .help = "threads that have not ended",
     LEVEL("threads_running", "clients that have not ended")},
    {AT(events), .name = "transactions", .help = "transactions (events) done"},
    {.get = transactions_rate, .name = "transactions_per_s", .help = "the same per second",
     .why = field_no_time},
    {.get = queries_rate, .name = "queries_per_s", .help = "statements per second",
     .why = field_no_time},
    {AT(reads), .name = "reads", .help = "statements that read"},
    {AT(writes), .name = "writes", .help = "statements that write"},
    {AT(other), .name = "other", .help = "other statements"},
    {AT(errors), .name = "errors", .help = "statements that failed and were ignored"},
    {AT(reconnects), .name = "reconnects", .help = "connections that were made anew"},
    {.get = connection_errors, .name = "connection_errors",
     .help = "errors of class connection, failed attempts to reconnect among them",
     .why = only_now},
    {.get = away, .name = "connections_away", .why = only_now,
     .help = "connections that were lost and are not back at this moment",
     LEVEL("connections_away", "connections that were lost and are not back")},
    {.get = missing, .name = "clients_missing", .why = no_missing,
     .help = "clients that the server has refused until now",
     LEVEL("clients_missing", "clients that the server has refused until now")},
    {AT(count[CNT_BYTES_READ]), .name = "read_bytes", .absent = no_bytes,
     .help = "bytes that the test counted as read"},
    {AT(count[CNT_BYTES_WRITTEN]), .name = "written_bytes", .absent = no_bytes,
     .help = "bytes that the test counted as written"},
};
#define STATEMENTS SINCE("queries", "statements done, by what they do")
static const struct figure total_rows[] = {
    {.get = all_transactions, .as = AS_COUNT, .name = "transactions", .help = "transactions done",
     SINCE("transactions", "transactions (events) done")},
    {AT(total[CNT_READ]), .name = "reads", .help = "statements that read", STATEMENTS,
     LABEL("type", "read")},
    {AT(total[CNT_WRITE]), .name = "writes", .help = "statements that write", STATEMENTS,
     LABEL("type", "write")},
    {AT(total[CNT_OTHER]), .name = "other", .help = "other statements", STATEMENTS,
     LABEL("type", "other")},
    {AT(total[CNT_ERROR]), .name = "errors", .help = "statements that failed and were ignored",
     SINCE("errors", "statements that failed and were ignored")},
    {AT(total[CNT_RECONNECT]), .name = "reconnects", .help = "connections that were made anew",
     SINCE("reconnects", "connections that were made anew")},
    {AT(total[CNT_BYTES_READ]), .name = "read_bytes", .absent = no_bytes,
     .help = "bytes that the test counted as read",
     SINCE("read_bytes", "bytes that the test counted as read")},
    {AT(total[CNT_BYTES_WRITTEN]), .name = "written_bytes", .absent = no_bytes,
     .help = "bytes that the test counted as written",
     SINCE("written_bytes", "bytes that the test counted as written")},
};
static const struct figure latency_rows[] = {
    {AT(latency.n), .name = "samples", .help = "transactions in the figures that follow"},
    {AT(latency.p50), .name = "p50_s", .unit = NS, .help = "median"},
    {AT(latency.p95), .name = "p95_s", .unit = NS, .help = "95 %"},
    {AT(latency.p99), .name = "p99_s", .unit = NS, .help = "99 %"},
    {AT(latency.max), .name = "max_s", .unit = NS, .help = "longest, to a thousandth"},
    {AT(latency.mean), .name = "mean_s", .unit = NS, .help = "mean, to a thousandth"},
};
static const struct figure threads_rows[] = {
    {AT(latency_min_ms), .name = "latency_min_s", .unit = MS, .absent = no_event,
     .help = "shortest transaction, exact", LEVEL("latency_min_seconds", "shortest transaction")},
    {AT(latency_max_ms), .name = "latency_max_s", .unit = MS, .absent = no_event,
     .help = "longest, exact", LEVEL("latency_max_seconds", "longest transaction")},
    {AT(latency_avg_ms), .name = "latency_mean_s", .unit = MS, .absent = no_event,
     .help = "mean, exact", LEVEL("latency_mean_seconds", "mean time of a transaction")},
    {AT(latency_sum_ms), .name = "latency_sum_s", .unit = MS, .absent = no_event,
     .help = "sum, exact"},
    {AT(events_avg), .name = "transactions_mean", .help = "transactions of a thread, mean",
     LEVEL("thread_transactions_mean", "transactions of a thread, mean")},
    {AT(events_stddev), .name = "transactions_stddev", .help = "their standard deviation",
     LEVEL("thread_transactions_stddev", "transactions of a thread, standard deviation")},
    {.get = least, .as = AS_COUNT, .name = "transactions_least", .why = no_threads,
     .help = "of the thread with fewest",
     LEVEL("thread_transactions_min", "transactions of the thread with fewest")},
    {.get = most, .as = AS_COUNT, .name = "transactions_most", .why = no_threads,
     .help = "of the thread with most",
     LEVEL("thread_transactions_max", "transactions of the thread with most")},
    {AT(exec_avg_s), .name = "execution_mean_s", .help = "time of a thread in transactions, mean",
     LEVEL("thread_execution_mean_seconds", "time of a thread in transactions, mean")},
    {AT(exec_stddev_s), .name = "execution_stddev_s", .help = "its standard deviation",
     LEVEL("thread_execution_stddev_seconds",
           "time of a thread in transactions, standard deviation")},

};
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
    {AT(target), .name = "target_per_s", .why = "--tx-find tried many rates", .lua = "target",
     .help = "transactions per second that were asked for",
     LEVEL("target_transactions_per_second", "transactions per second that were asked for")},
    {AT(offered), .name = "offered", .help = "transactions planned in this interval",
     .lua = "offered"},
    {AT(done), .name = "done", .help = "done in it", .lua = "done"},
    {AT(failed), .name = "failed", .help = "failed in it", .lua = "failed"},
    {AT(dropped), .name = "dropped", .help = "dropped in it", .lua = "dropped"},
    {AT(late), .name = "late", .help = "done in it, begun more than 1 ms after their planned start",
     .lua = "late"},
    {AT(total_offered), .name = "total_offered", .help = "planned since measuring began",
     .lua = "total.offered",
     SINCE("offered_transactions", "transactions whose planned start has come")},
    {AT(total_done), .name = "total_done", .help = "done since then", .lua = "total.done",
     OUTCOME("done")},
    {AT(total_failed), .name = "total_failed", .help = "failed since then", .lua = "total.failed",
     OUTCOME("failed")},
    {AT(total_dropped), .name = "total_dropped", .help = "dropped since then",
     .lua = "total.dropped", OUTCOME("dropped")},
    {AT(total_late), .name = "total_late", .help = "begun late since then", .lua = "total.late",
     SINCE("late_transactions",
           "transactions that began more than 1 ms after their planned start")},

    {.get = lost, .as = AS_COUNT, .name = "lost", .why = one_host, .lua = "lost",
     .help = "of load hosts that were lost: planned and not known to be done, in this interval"},
    {.get = total_lost, .as = AS_COUNT, .name = "total_lost", .why = one_host, .lua = "total.lost",
     .help = "the same since measuring began", OUTCOME("lost")},
    {AT(unfinished), .name = "unfinished", .help = "waiting, in flight or withdrawn at this moment",
     .lua = "open.unfinished"},
    {AT(waiting), .name = "waiting", .help = "due and not begun", .lua = "open.waiting",
     STATE("waiting")},
    {AT(in_flight), .name = "in_flight", .help = "begun and not ended", .lua = "open.in_flight",
     STATE("in_flight")},
    {AT(withdrawn), .name = "withdrawn", .help = "withdrawn by the script", .lua = "open.withdrawn",
     STATE("withdrawn")},
    {AT(oldest_ns), .name = "oldest_s", .unit = NS, .why = only_now, .lua = "open.oldest",
     .help = "for how long the oldest unfinished one has been due",
     LEVEL("oldest_unfinished_seconds", "how long the oldest unfinished transaction has been due")},
    SERIES("response", response, "planned start to end"),
    SERIES("service", service, "actual start to end"),
    SERIES("lag", lag, "planned to actual start"),
};
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

#define D(member) RECORD_AT(V, d.member)
#define GROWS(family_, about_) .metric = METRIC_GROWS, .family = family_, .about = about_
#define CPU_SHARE                                                                                  \
    LEVEL("cpu_ratio", "CPU time used as a share of all CPUs of the machine, by mode"),            \
        .factor = 0.01
#define CPU_TIME GROWS("cpu_seconds", "CPU time used, by mode")
#define SWITCHES                                                                                   \
    GROWS("context_switches", "context switches: voluntary to wait, involuntary when interrupted")
#define FAULTS GROWS("page_faults", "page faults: major ones read from storage")
#define CPU SAMPLE_CPU
/* Families begin with "server_" or "client_".  The last two are our own only: OWN_ROWS. */
enum { OWN_ROWS = 2 };
static const struct figure process_rows[] = {
    {D(processes), .name = "processes", .help = "processes alive", .lua = "processes",
     LEVEL("processes", "processes alive")},
    {D(wall_ns), .name = "interval_s", .unit = NS, .help = "time between the two readings",
     .why = "the load had ended before this interval"},
    {.get = between_readings, .name = "transactions",
     .help = "transactions between the two readings"},
    {D(cpu_ns), .name = "cpu_s", .unit = NS, .have = CPU, .help = "CPU time, user and system",
     .lua = "cpu"},
    {D(user_ns), .name = "cpu_user_s", .unit = NS, .have = CPU, .help = "CPU time in user mode",
     .lua = "cpu_user", CPU_TIME, LABEL("mode", "user")},
    {D(sys_ns), .name = "cpu_system_s", .unit = NS, .have = CPU, .help = "CPU time in the kernel",
     .lua = "cpu_system", CPU_TIME, LABEL("mode", "system")},
    {.get = user_pct, .name = "cpu_user_pct", .have = CPU,
     .help = "user mode, % of the whole system", .why = field_no_time, .lua = "pct_user", CPU_SHARE,
     LABEL("mode", "user")},
    {.get = system_pct, .name = "cpu_system_pct", .have = CPU,
     .help = "kernel, % of the whole system", .why = field_no_time, .lua = "pct_system", CPU_SHARE,
     LABEL("mode", "system")},
    {.get = cpu_per_transaction, .name = "cpu_s_per_transaction", .have = CPU,
     .help = "CPU time of a transaction", .why = field_no_transaction,
     .lua = "cpu_per_transaction"},
    {D(vol_switches), .name = "voluntary_switches", .have = SAMPLE_SWITCHES,
     .lua = "voluntary_switches", .help = "context switches: it waited", SWITCHES,
     LABEL("type", "voluntary")},
    {D(invol_switches), .name = "involuntary_switches", .have = SAMPLE_SWITCHES,
     .lua = "involuntary_switches", .help = "context switches: it was interrupted", SWITCHES,
     LABEL("type", "involuntary")},
    {.get = switches_per_transaction, .name = "switches_per_transaction", .have = SAMPLE_SWITCHES,
     .help = "context switches of a transaction", .why = field_no_transaction,
     .lua = "switches_per_transaction"},
    {D(minor_faults), .name = "minor_faults", .have = SAMPLE_FAULTS,
     .help = "page faults without reading", .lua = "minor_faults", FAULTS, LABEL("type", "minor")},
    {D(major_faults), .name = "major_faults", .have = SAMPLE_FAULTS,
     .help = "page faults that read", .lua = "major_faults", FAULTS, LABEL("type", "major")},
    {D(rss_bytes), .name = "rss_bytes", .have = SAMPLE_MEMORY,
     .help = "resident memory at the end", .lua = "rss_bytes",
     LEVEL("resident_memory_bytes", "resident memory")},
    {D(threads), .name = "threads", .have = SAMPLE_THREADS, .help = "threads at the end",
     .lua = "threads", LEVEL("threads", "threads alive")},
    {D(read_bytes), .name = "storage_read_bytes", .have = SAMPLE_IO, .help = "read from storage",
     .lua = "read_bytes", GROWS("storage_read_bytes", "bytes read from storage")},
    {D(write_bytes), .name = "storage_written_bytes", .have = SAMPLE_IO,
     .help = "written to storage", .lua = "write_bytes",
     GROWS("storage_written_bytes", "bytes written to storage")},
    {D(runq_wait_ns), .name = "run_queue_wait_s", .unit = NS, .have = SAMPLE_RUNQ,
     .lua = "run_queue_wait", .help = "ready to run without a CPU, over all threads",
     GROWS("run_queue_wait_seconds", "time that threads were runnable and had no CPU")},
    {.get = throttled_pct, .name = "throttled_pct", .have = SAMPLE_THROTTLE, .why = field_no_time,
     .help = "a CPU quota stopped it, % of the time", .factor = 0.01,
     LEVEL("throttled_ratio", "share of the time in which a CPU quota stopped the load generator")},
    {D(throttled_periods), .name = "throttled_periods", .have = SAMPLE_THROTTLE,
     .help = "periods in which it did",
     GROWS("throttled_periods", "periods in which a CPU quota stopped the load generator")},
};
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

#define ROW(member, name_, lua_, ...)                                                              \
    {AT(member), .name = name_, .lua = lua_, .why = backwards, __VA_ARGS__}
#define MEAN_ROW(member, name_, lua_, ...)                                                         \
    {AT(member), .name = name_, .lua = lua_, .why = no_reading, __VA_ARGS__}
#define POWER_ROW(member, name_, source, ...)                                                      \
    {AT(member), .name = name_, .lua = name_, .why = field_no_power, .have = HOST_POWER, \
     LABEL("resource", source), __VA_ARGS__,                                                       \
     PER_S("energy_joules",                                                                        \
           "energy of the CPU packages and of their memory (RAPL), and from the battery")}
#define EACH(get_, name_, lua_, ...)                                                               \
    {.get = get_, .name = name_, .lua = lua_, .why = field_no_transaction, __VA_ARGS__}
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
#define HELP(text) .help = text
static const struct figure machine_rows[] = {
    ROW(wall_ns, "interval_s", NULL, .unit = NS, HELP("time between the two readings")),
    ROW(cpus, "cpus", NULL, .absent = no_cpus, HELP("CPUs online"), LEVEL("cpus", "CPUs online")),
    ROW(running, "threads_runnable", "r", STAT,
        HELP("threads that run or want to, at the end (vmstat's r)"), WAITING,
        LABEL("state", "runnable")),
    ROW(blocked, "threads_blocked", "b", STAT, HELP("threads that wait for a disk, at the end (b)"),
        WAITING, LABEL("state", "blocked")),
    MEAN_ROW(running_mean, "threads_runnable_mean", "r_mean", STAT,
             HELP("threads that run or want to, mean of the readings")),
    MEAN_ROW(blocked_mean, "threads_blocked_mean", "b_mean", STAT,
             HELP("threads that wait for a disk, mean of the readings")),
    ROW(swpd, "swap_used_bytes", "swpd", MEM, HELP("swap in use at the end (swpd)"),
        LEVEL("swap_used_bytes", "swap in use")),
    ROW(free, "memory_free_bytes", "free", MEM, HELP("free memory at the end (free)"),
        MEMORY("free")),
    ROW(buff, "memory_buffers_bytes", "buff", MEM, HELP("buffers at the end (buff)"),
        MEMORY("buffers")),
    ROW(cache, "memory_cache_bytes", "cache", MEM,
        HELP("page cache and reclaimable slab at the end (cache)"), MEMORY("cache")),
    MEAN_ROW(swpd_mean, "swap_used_mean_bytes", "swpd_mean", MEM,
             HELP("swap in use, mean of the readings")),
    MEAN_ROW(free_mean, "memory_free_mean_bytes", "free_mean", MEM,
             HELP("free memory, mean of the readings")),
    MEAN_ROW(buff_mean, "memory_buffers_mean_bytes", "buff_mean", MEM,
             HELP("buffers, mean of the readings")),
    MEAN_ROW(cache_mean, "memory_cache_mean_bytes", "cache_mean", MEM,
             HELP("page cache and reclaimable slab, mean of the readings")),
    ROW(si, "swapped_in_bytes_per_s", "si", PAGING, HELP("read from swap (si)"), SWAPPED("in")),
    ROW(so, "swapped_out_bytes_per_s", "so", PAGING, HELP("written to swap (so)"), SWAPPED("out")),
    ROW(bi, "blocks_in_bytes_per_s", "bi", PAGING, HELP("paged in from disks (bi)"), PAGED("in")),
    ROW(bo, "blocks_out_bytes_per_s", "bo", PAGING, HELP("paged out to disks (bo)"), PAGED("out")),
    ROW(in, "interrupts_per_s", "interrupts", STAT, HELP("interrupts (in)"),
        PER_S("interrupts", "interrupts")),
    ROW(cs, "context_switches_per_s", "cs", STAT, HELP("context switches of all processes (cs)"),
        PER_S("context_switches", "context switches of all processes")),
    EACH(interrupts_per_transaction, "interrupts_per_transaction", "interrupts_per_transaction",
         STAT, HELP("interrupts of a transaction")),
    EACH(host_switches, "context_switches_per_transaction", "cs_per_transaction", STAT,
         HELP("context switches of all processes, of a transaction")),
    ROW(us, "cpu_user_pct", "us", HELP("user mode, % of all CPUs (us)"), SHARE("user")),
    ROW(sy, "cpu_system_pct", "sy", HELP("kernel, % of all CPUs (sy)"), SHARE("system")),
    ROW(id, "cpu_idle_pct", "id", HELP("idle, % of all CPUs (id)"), SHARE("idle")),
    ROW(wa, "cpu_iowait_pct", "wa", HELP("idle while a disk works, % of all CPUs (wa)"),
        SHARE("iowait")),
    ROW(st, "cpu_stolen_pct", "st", HELP("taken by the hypervisor, % of all CPUs (st)"),
        SHARE("steal")),
    ROW(disk_read, "disk_read_bytes_per_s", "disk_read", .have = HOST_DISK, HELP("read from disks"),
        PER_S("disk_read_bytes", "bytes read from disks")),
    ROW(disk_written, "disk_written_bytes_per_s", "disk_written", .have = HOST_DISK,
        HELP("written to disks"), PER_S("disk_written_bytes", "bytes written to disks")),
    ROW(net_received, "network_received_bytes_per_s", "net_received", .have = HOST_NET,
        HELP("received, without loopback"),
        PER_S("network_received_bytes", "bytes received, without loopback")),
    ROW(net_sent, "network_sent_bytes_per_s", "net_sent", .have = HOST_NET,
        HELP("sent, without loopback"),
        PER_S("network_sent_bytes", "bytes sent, without loopback")),
    ROW(stalled_pct[HOST_PSI_CPU], "stalled_cpu_pct", "psi_cpu",
        HELP("some task waited for a CPU, % of the time"), PRESSURE("cpu")),
    ROW(stalled_pct[HOST_PSI_IO], "stalled_io_pct", "psi_io",
        HELP("some task waited for a disk, % of the time"), PRESSURE("io")),
    ROW(stalled_pct[HOST_PSI_MEMORY], "stalled_memory_pct", "psi_memory",
        HELP("some task waited for memory, % of the time"), PRESSURE("memory")),
    ROW(mhz, "cpu_frequency_hz", "mhz", .have = HOST_FREQUENCY, .unit = MHZ,
        HELP("of the CPUs at the end, mean"),
        LEVEL("cpu_frequency_hertz", "frequency of the CPUs, mean")),
    POWER_ROW(watts[POWER_CPU], "power_cpu_w", "cpu",
              HELP("power of the CPU packages (RAPL), mean")),
    POWER_ROW(watts[POWER_MEMORY], "power_memory_w", "memory",
              HELP("power of their memory (RAPL), mean")),
    POWER_ROW(battery_watts, "power_battery_w", "battery",
              HELP("drawn from the battery, mean of the readings")),
    EACH(cpu_energy, "energy_cpu_j_per_transaction", "energy_cpu_j_per_transaction",
         .have = HOST_POWER, HELP("energy of the CPU packages, of a transaction")),
    EACH(memory_energy, "energy_memory_j_per_transaction", "energy_memory_j_per_transaction",
         .have = HOST_POWER, HELP("energy of their memory, of a transaction")),
    EACH(battery_energy, "energy_battery_j_per_transaction", "energy_battery_j_per_transaction",
         .have = HOST_POWER, HELP("energy from the battery, of a transaction")),
    ROW(throttled_pct, "server_throttled_pct", "throttled_pct", .have = HOST_THROTTLE,
        .factor = 0.01, HELP("the server's quota stopped it, % of the time"),
        LEVEL("server_throttled_ratio",
              "share of the time in which the server's quota stopped it")),

    ROW(throttled_periods, "server_throttled_periods", NULL, .have = HOST_THROTTLE,
        HELP("periods in which it did"),
        GROWS("server_throttled_periods", "periods in which the server's quota stopped it")),
};
#undef V
#undef ROW

/* Of several events, each only if they were asked for. */
GET(work, struct perf_derived, snapshot_work(s))
#define ROW(member, name_, bit, help_, ...)                                                        \
    {RECORD_AT(struct perf_derived, member), .name = name_, .lua = name_,                          \
     .have = bit, .help = help_, __VA_ARGS__}
static const struct figure derived_rows[] = {
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

    {.get = work, .name = "transactions_per_billion_cycles", .have = PERF_WORK,
     .help = "work done by a billion cycles", .lua = "transactions_per_billion_cycles"},
};
FIGURES(derived_figures, derived_rows);
#undef ROW

#define SECTION(rows) {rows, sizeof rows / sizeof *rows}
const struct figure_table section_figures[FIELD_SECTIONS] = {
    [FIELD_LOAD] = SECTION(load_rows),       [FIELD_TOTAL] = SECTION(total_rows),
    [FIELD_LATENCY] = SECTION(latency_rows), [FIELD_THREADS] = SECTION(threads_rows),
    [FIELD_RATE] = SECTION(rate_rows),       [FIELD_CLIENT] = SECTION(process_rows),
    [FIELD_SERVER] = {process_rows, sizeof process_rows / sizeof *process_rows - OWN_ROWS},
    [FIELD_HOST] = SECTION(machine_rows),
};

/* clang-format on */

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
const char field_no_request[] = "no such request ended that this kernel counts";
const char field_no_blocker[] = "no session of others blocked";
const char field_untold[] = "the server does not tell who holds locks other than InnoDB's";
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
static const char no_reading[] = "the machine was not read in this period";

#define REPORT(member)  AT(snapshot, member)
#define RATE(member)    AT(snapshot_rate, member)
#define PROCESS(member) AT(snapshot_server, d.member)
#define HOST(member)    AT(host_delta, member)
#define STATUS(member)  AT(status_delta, member)

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
NUMBER_OF(transactions_rate, snapshot, per_s(s, (double)s->events))
NUMBER_OF(queries_rate, snapshot, per_s(s, QUERIES))
/* Nothing of these is kept for phases. */
NUMBER_OF(away, snapshot, s->kind == SNAPSHOT_PHASE ? NAN : s->connections_away)
NUMBER_OF(missing, snapshot, s->may_miss && s->kind != SNAPSHOT_PHASE ? s->clients_missing : NAN)
NUMBER_OF(all_transactions, snapshot, s->total[CNT_DONE] + s->total[CNT_EVENT])
NUMBER_OF(least, snapshot, extreme(s, 1))
NUMBER_OF(most, snapshot, extreme(s, -1))
TEXT_OF(no_bytes, snapshot,
        s->total[CNT_BYTES_READ] + s->total[CNT_BYTES_WRITTEN] ? NULL : "the test counts no bytes")
/* exact figures of no transaction are not zero */
TEXT_OF(no_event, snapshot, s->events ? NULL : field_no_sample)

static const struct figure load_rows[] = {
    FIGURE("wall_time_unix_s", "wall clock at the end of the interval, seconds since 1970",
           REPORT(wall), IN(SIGNED_NS),
           LEVEL("last_report_timestamp_seconds",
                 "end of the period of the last report, seconds since 1970")),
    FIGURE("elapsed_s", "time since measuring began", REPORT(elapsed_ns), IN(NS),
           LEVEL("elapsed_seconds", NULL)),
    FIGURE("interval_s", "time that the figures cover", REPORT(interval_ns), IN(NS),
           LEVEL("interval_seconds", "length of the last report's period")),
    FIGURE("threads_running", "threads that have not ended", REPORT(threads_running),
           LEVEL("threads_running", "clients that have not ended")),
    FIGURE("transactions", "transactions (events) done", REPORT(events)),
    FIGURE("transactions_per_s", "the same per second", GET(transactions_rate), WHY(field_no_time)),
    FIGURE("queries_per_s", "statements per second", GET(queries_rate), WHY(field_no_time)),
    FIGURE("reads", "statements that read", REPORT(reads)),
    FIGURE("writes", "statements that write", REPORT(writes)),
    FIGURE("other", "other statements", REPORT(other)),
    FIGURE("failed", "transactions that failed", REPORT(count[CNT_FAILED])),
    FIGURE("errors", "statements that failed and were ignored", REPORT(errors)),
    FIGURE("reconnects", "connections that were made anew", REPORT(reconnects)),
    FIGURE("connection_errors",
           "errors of class connection, failed attempts to reconnect among them",
           GET(connection_errors), WHY(only_now)),
    FIGURE("connections_away", "connections that were lost and are not back at this moment",
           GET(away), WHY(only_now),
           LEVEL("connections_away", "connections that were lost and are not back")),
    FIGURE("clients_missing", "clients that the server has refused until now", GET(missing),
           WHY(no_missing), LEVEL("clients_missing", NULL)),
    FIGURE("read_bytes", "bytes that the test counted as read", REPORT(count[CNT_BYTES_READ]),
           ABSENT(no_bytes)),
    FIGURE("written_bytes", "bytes that the test counted as written",
           REPORT(count[CNT_BYTES_WRITTEN]), ABSENT(no_bytes)),
    END,
};
#define TOTAL(name, help, counter, ...)                                                            \
    FIGURE(name, help, REPORT(total[CNT_##counter]), __VA_ARGS__)
#define STATEMENTS(type) SINCE("queries", "statements done, by what they do"), LABEL("type", type)
static const struct figure total_rows[] = {
    FIGURE("transactions", "transactions done", GET(all_transactions), AS(COUNT),
           SINCE("transactions", "transactions (events) done")),
    TOTAL("reads", "statements that read", READ, STATEMENTS("read")),
    TOTAL("writes", "statements that write", WRITE, STATEMENTS("write")),
    TOTAL("other", "other statements", OTHER, STATEMENTS("other")),
    TOTAL("failed", "transactions that failed", FAILED, SINCE("failed_transactions", NULL)),
    TOTAL("errors", "statements that failed and were ignored", ERROR, SINCE("errors", NULL)),
    TOTAL("reconnects", "connections that were made anew", RECONNECT, SINCE("reconnects", NULL)),
    TOTAL("read_bytes", "bytes that the test counted as read", BYTES_READ, ABSENT(no_bytes),
          SINCE("read_bytes", NULL)),
    TOTAL("written_bytes", "bytes that the test counted as written", BYTES_WRITTEN,
          ABSENT(no_bytes), SINCE("written_bytes", NULL)),
    END,
};
static const struct figure latency_rows[] = {
    FIGURE("samples", "transactions in the figures that follow", REPORT(latency.n)),
    FIGURE("p50_s", "median", REPORT(latency.p50), IN(NS)),
    FIGURE("p95_s", "95 %", REPORT(latency.p95), IN(NS)),
    FIGURE("p99_s", "99 %", REPORT(latency.p99), IN(NS)),
    FIGURE("max_s", "longest, to a thousandth", REPORT(latency.max), IN(NS)),
    FIGURE("mean_s", "mean, to a thousandth", REPORT(latency.mean), IN(NS)),
    END,
};
static const struct figure threads_rows[] = {
    FIGURE("latency_min_s", "shortest transaction, exact", REPORT(latency_min_ms), IN(MS),
           ABSENT(no_event), LEVEL("latency_min_seconds", "shortest transaction")),
    FIGURE("latency_max_s", "longest, exact", REPORT(latency_max_ms), IN(MS), ABSENT(no_event),
           LEVEL("latency_max_seconds", "longest transaction")),
    FIGURE("latency_mean_s", "mean, exact", REPORT(latency_avg_ms), IN(MS), ABSENT(no_event),
           LEVEL("latency_mean_seconds", "mean time of a transaction")),
    FIGURE("latency_sum_s", "sum, exact", REPORT(latency_sum_ms), IN(MS), ABSENT(no_event)),
    FIGURE("transactions_mean", "transactions of a thread, mean", REPORT(events_avg),
           LEVEL("thread_transactions_mean", NULL)),
    FIGURE("transactions_stddev", "their standard deviation", REPORT(events_stddev),
           LEVEL("thread_transactions_stddev", "transactions of a thread, standard deviation")),
    FIGURE("transactions_least", "of the thread with fewest", GET(least), AS(COUNT),
           WHY(no_threads),
           LEVEL("thread_transactions_min", "transactions of the thread with fewest")),
    FIGURE("transactions_most", "of the thread with most", GET(most), AS(COUNT), WHY(no_threads),
           LEVEL("thread_transactions_max", "transactions of the thread with most")),
    FIGURE("execution_mean_s", "time of a thread in transactions, mean", REPORT(exec_avg_s),
           LEVEL("thread_execution_mean_seconds", NULL)),
    FIGURE("execution_stddev_s", "its standard deviation", REPORT(exec_stddev_s),
           LEVEL("thread_execution_stddev_seconds",
                 "time of a thread in transactions, standard deviation")),
    END,
};

NUMBER_OF(lost, snapshot_rate, v->shared ? (double)v->lost : NAN)
NUMBER_OF(open, snapshot_rate, (double)rate_unfinished(v))
NUMBER_OF(total_lost, snapshot_rate, v->shared ? (double)v->total_lost : NAN)

#define OUTCOME(value)                                                                             \
    SINCE("scheduled_transactions", "transactions of the schedule that have ended, by outcome"),   \
        LABEL("outcome", value)
#define ENDED(outcome, help)                                                                       \
    FIGURE("total_" #outcome, help, RATE(total_##outcome), HOOK("total." #outcome),                \
           OUTCOME(#outcome))
#define UNENDED(state, help)                                                                       \
    FIGURE(#state, help, RATE(state), HOOK("open." #state),                                        \
           LEVEL("unfinished_transactions",                                                        \
                 "transactions of the schedule that have not ended, by state"),                    \
           LABEL("state", #state))
#define SERIES(prefix, member, what)                                                               \
    FIGURE(prefix "_samples", what ": how many", RATE(member.n)),                                  \
        FIGURE(prefix "_p50_s", what ", median", RATE(member.p50), IN(NS)),                        \
        FIGURE(prefix "_p95_s", what ", 95 %", RATE(member.p95), IN(NS)),                          \
        FIGURE(prefix "_p99_s", what ", 99 %", RATE(member.p99), IN(NS)),                          \
        FIGURE(prefix "_max_s", what ", longest", RATE(member.max), IN(NS)),                       \
        FIGURE(prefix "_mean_s", what ", mean", RATE(member.mean), IN(NS))

static const struct figure rate_rows[] = {
    FIGURE("target_per_s", "transactions per second that were asked for", RATE(target),
           WHY("--tx-find tried many rates"), HOOK("target"),
           LEVEL("target_transactions_per_second", NULL)),
    HOOKED("offered", "transactions planned in this interval", RATE(offered)),
    HOOKED("done", "done in it", RATE(done)),
    HOOKED("failed", "failed in it", RATE(failed)),
    HOOKED("dropped", "dropped in it", RATE(dropped)),
    HOOKED("late", "done in it, begun more than 1 ms after their planned start", RATE(late)),
    FIGURE("total_offered", "planned since measuring began", RATE(total_offered),
           HOOK("total.offered"),
           SINCE("offered_transactions", "transactions whose planned start has come")),
    ENDED(done, "done since then"),
    ENDED(failed, "failed since then"),
    ENDED(dropped, "dropped since then"),
    FIGURE("total_late", "begun late since then", RATE(total_late), HOOK("total.late"),
           SINCE("late_transactions",
                 "transactions that began more than 1 ms after their planned start")),
    HOOKED("lost",
           "of load hosts that were lost: planned and not known to be done, in this interval",
           GET(lost), AS(COUNT), WHY(one_host)),
    FIGURE("total_lost", "the same since measuring began", GET(total_lost), AS(COUNT),
           WHY(one_host), HOOK("total.lost"), OUTCOME("lost")),
    FIGURE("unfinished", "waiting, in flight or withdrawn at this moment", GET(open), AS(COUNT),
           HOOK("open.unfinished")),
    UNENDED(waiting, "due and not begun"),
    UNENDED(in_flight, "begun and not ended"),
    UNENDED(withdrawn, "withdrawn by the script"),
    FIGURE("oldest_s", "for how long the oldest unfinished one has been due", RATE(oldest_ns),
           IN(NS), WHY(only_now), HOOK("open.oldest"),
           LEVEL("oldest_unfinished_seconds",
                 "how long the oldest unfinished transaction has been due")),
    SERIES("response", response, "planned start to end"),
    SERIES("service", service, "actual start to end"),
    SERIES("lag", lag, "planned to actual start"),
    END,
};

/* --- the processes of the server, and our own --- */

/* What figures of a transaction are divided by; events or none, as in a report without a rate. */
NUMBER_OF(between_readings, snapshot_server, snapshot_sampled_by(s, v))
NUMBER_OF(switches, snapshot_server, v->d.vol_switches + v->d.invol_switches)

double per_transaction(double v, const struct snapshot *s, const void *of)
{
    uint64_t n = snapshot_sampled_by(s, of);

    return n ? v / (double)n : NAN;
}

double per_system(double v, const struct snapshot *s, const void *of)
{
    const struct snapshot_server *p = of;

    return sample_pct_system(llround(v * 1e9), p->d.wall_ns, p->ncpu ? p->ncpu : s->ncpu);
}

double per_cpu(double v, const struct snapshot *s UNUSED, const void *of)
{
    return sample_pct_one(llround(v * 1e9), ((const struct snapshot_server *)of)->d.wall_ns);
}

double per_runnable(double v UNUSED, const struct snapshot *s UNUSED, const void *of)
{
    return sample_waited_pct(&((const struct snapshot_server *)of)->d);
}

double per_nothing(double v, const struct snapshot *s UNUSED, const void *of UNUSED)
{
    return v;
}

/* What is not known to be the server's is not others'. */
static bool cpu_is_whole(const struct snapshot_server *v)
{
    return !v->on || v->ncpu || (v->d.have & SAMPLE_CPU && !(v->d.lower & SAMPLE_CPU));
}

NUMBER_OF(others_pct, snapshot_server,
          !s->machine.known || !cpu_is_whole(&s->server) || !cpu_is_whole(v)
              ? NAN
              : s->machine.others_pct)
NUMBER_OF(stolen_pct, snapshot_server, s->machine.known ? s->machine.stolen_pct : NAN)
TRUTH_OF(ours, snapshot_server, v == &s->self)
TRUTH_OF(servers, snapshot_server, v != &s->self)
TEXT_OF(no_before, snapshot_server,
        v->has_before ? NULL : "its CPU time could not be read before the load")

/* What the server executed for the connection of --server-status and --server-waits. */
NUMBER_OF(own_cpu, snapshot_server,
          !s->probe || !(s->probe->statuses || s->probe->has_waits) ? 0
          : s->probe->status.waits.own > 0 ? dur_sec(s->probe->status.waits.own)
                                           : NAN)

/* What none of the threads that served our sessions used, nor that connection. */
NUMBER_OF(other_cpu, snapshot_server,
          !s->probe || !waits_exact(&s->probe->status.waits)
              ? NAN
              : fmax(dur_sec(v->d.cpu_ns - s->probe->status.waits.own) -
                         (double)s->probe->status.waits.ran * dur_sec(v->d.wall_ns) /
                             (double)s->probe->status.waits.ran_known,
                     0))

#define CPU_SHARE                                                                                  \
    LEVEL("cpu_ratio", "CPU time used as a share of all CPUs of the machine, by mode"), FACTOR(0.01)
#define CPU_NS(member) PROCESS(member), IN(NS), NEEDS(SAMPLE_CPU)
#define CPU_TIME       GROWS("cpu_seconds", "CPU time used, by mode")
#define MACHINE_SHARE(mode)                                                                        \
    LEVEL("machine_cpu_ratio", "CPU time of its machine that neither it nor the server had"),      \
        LABEL("mode", mode), FACTOR(0.01)
#define SWITCHES                                                                                   \
    GROWS("context_switches", "context switches: voluntary to wait, involuntary when interrupted")
#define FAULTS GROWS("page_faults", "page faults: major ones read from storage")
/* Families begin with "server_" or "client_". */
static const struct figure process_rows[] = {
    HOOKED("processes", "processes alive", PROCESS(processes), LEVEL("processes", NULL)),
    FIGURE("interval_s", "time between the two readings", PROCESS(wall_ns), IN(NS),
           WHY("the load had ended before this interval")),
    FIGURE("transactions", "transactions between the two readings", GET(between_readings)),
    FIGURE("cpu_s", "CPU time, user and system", CPU_NS(cpu_ns), HOOK("cpu")),
    FIGURE("cpu_user_s", "CPU time in user mode", CPU_NS(user_ns), HOOK("cpu_user"), CPU_TIME,
           LABEL("mode", "user")),
    FIGURE("cpu_system_s", "CPU time in the kernel", CPU_NS(sys_ns), HOOK("cpu_system"), CPU_TIME,
           LABEL("mode", "system")),
    FIGURE("cpu_user_pct", "user mode, % of the whole system", CPU_NS(user_ns), PER(per_system),
           WHY(field_no_time), HOOK("pct_user"), CPU_SHARE, LABEL("mode", "user")),
    FIGURE("cpu_system_pct", "kernel, % of the whole system", CPU_NS(sys_ns), PER(per_system),
           WHY(field_no_time), HOOK("pct_system"), CPU_SHARE, LABEL("mode", "system")),
    FIGURE("cpu_s_per_transaction", "CPU time of a transaction", CPU_NS(cpu_ns),
           PER(per_transaction), WHY(field_no_transaction), HOOK("cpu_per_transaction")),
    HOOKED("own_cpu_s_per_transaction", "of it, for this program's status connection", GET(own_cpu),
           PER(per_transaction), WHEN(servers),
           WHY("no transaction was done, or it has no thread of its own that can be seen")),
    HOOKED("other_cpu_s_per_transaction", "of it, of threads that served none of our sessions",
           GET(other_cpu), PER(per_transaction), WHEN(servers), NEEDS(SAMPLE_CPU),
           WHY("no transaction was done, or the threads of the sessions are not known")),
    HOOKED("cpu_before_pct", "CPU time just before the load, % of one CPU",
           AT(snapshot_server, before_pct), WHEN(servers), ABSENT(no_before)),
    HOOKED("voluntary_switches", "context switches: it waited", PROCESS(vol_switches),
           NEEDS(SAMPLE_SWITCHES), SWITCHES, LABEL("type", "voluntary")),
    HOOKED("involuntary_switches", "context switches: it was interrupted", PROCESS(invol_switches),
           NEEDS(SAMPLE_SWITCHES), SWITCHES, LABEL("type", "involuntary")),
    HOOKED("switches_per_transaction", "context switches of a transaction", GET(switches),
           PER(per_transaction), NEEDS(SAMPLE_SWITCHES), WHY(field_no_transaction)),
    HOOKED("minor_faults", "page faults without reading", PROCESS(minor_faults),
           NEEDS(SAMPLE_FAULTS), FAULTS, LABEL("type", "minor")),
    HOOKED("major_faults", "page faults that read", PROCESS(major_faults), NEEDS(SAMPLE_FAULTS),
           FAULTS, LABEL("type", "major")),
    HOOKED("rss_bytes", "resident memory at the end", PROCESS(rss_bytes), NEEDS(SAMPLE_MEMORY),
           LEVEL("resident_memory_bytes", "resident memory")),
    HOOKED("threads", "threads at the end", PROCESS(threads), NEEDS(SAMPLE_THREADS),
           LEVEL("threads", "threads alive")),
    FIGURE("storage_read_bytes", "read from storage", PROCESS(read_bytes), NEEDS(SAMPLE_IO),
           HOOK("read_bytes"), GROWS("storage_read_bytes", "bytes read from storage")),
    FIGURE("storage_written_bytes", "written to storage", PROCESS(write_bytes), NEEDS(SAMPLE_IO),
           HOOK("write_bytes"), GROWS("storage_written_bytes", "bytes written to storage")),
    FIGURE("run_queue_wait_s", "ready to run without a CPU, over all threads",
           PROCESS(runq_wait_ns), IN(NS), NEEDS(SAMPLE_RUNQ), HOOK("run_queue_wait"),
           GROWS("run_queue_wait_seconds", "time that threads were runnable and had no CPU")),
    FIGURE("throttled_pct", "a CPU quota stopped it, % of the time", PROCESS(throttled_ns), IN(NS),
           PER(per_cpu), WHEN(ours), NEEDS(SAMPLE_THROTTLE), WHY(field_no_time), FACTOR(0.01),
           LEVEL("throttled_ratio",
                 "share of the time in which a CPU quota stopped the load generator")),
    FIGURE("throttled_periods", "periods in which it did", PROCESS(throttled_periods), WHEN(ours),
           NEEDS(SAMPLE_THROTTLE),
           GROWS("throttled_periods", "periods in which a CPU quota stopped the load generator")),
    HOOKED("machine_others_pct",
           "CPU time of its machine that neither it nor the watched server used, % of the "
           "whole system",
           GET(others_pct), WHEN(ours), WHY(no_others), MACHINE_SHARE("others")),
    HOOKED("machine_stolen_pct",
           "CPU time of its machine that the hypervisor gave away, % of the whole system",
           GET(stolen_pct), WHEN(ours), WHY(no_machine), MACHINE_SHARE("stolen")),
    END,
};

/* --- the server's machine --- */

/* Of a rate of the machine, what one transaction has. */
static double of_machine(double v, const struct snapshot *s, const void *of)
{
    uint64_t n = snapshot_sampled(s);

    return n ? v * dur_sec(((const struct host_delta *)of)->wall_ns) / (double)n : NAN;
}

TEXT_OF(no_cpus, host_delta, v->cpus ? NULL : "not known")
TEXT_OF(no_data_disk, host_delta, v->disk[DISK_DATA].known ? NULL : v->disk[DISK_DATA].text)
TEXT_OF(no_log_disk, host_delta, v->disk[DISK_LOG].known ? NULL : v->disk[DISK_LOG].text)

#define ENERGY(source)                                                                             \
    PER_S("energy_joules",                                                                         \
          "energy of the CPU packages and of their memory (RAPL), and from the battery"),          \
        LABEL("resource", source)
#define WAITING                                                                                    \
    LEVEL("threads", "threads that run or are runnable, and "                                      \
                     "threads blocked by a disk")
#define MEMORY(state) LEVEL("memory_bytes", "memory, by use"), LABEL("state", state)
#define SWAPPED(way)  PER_S("swap_bytes", "bytes moved from and to swap"), LABEL("direction", way)
#define PAGED(way)    PER_S("paged_bytes", "bytes paged from and to disks"), LABEL("direction", way)
#define SHARE(mode)                                                                                \
    NEEDS(HOST_STAT), LEVEL("cpu_ratio", "share of all CPUs, by mode"), FACTOR(0.01),              \
        LABEL("mode", mode)
#define PRESSURE(what)                                                                             \
    NEEDS(HOST_PRESSURE), FACTOR(0.01), LABEL("resource", what),                                   \
        LEVEL("pressure_ratio", "share of the time in which some task waited for the resource")
#define DISK(r, k, figure, name, help, ...)                                                        \
    HOOKED(#r "_disk_" name, help, AT(host_delta, disk[k].of[DISK_##figure]), __VA_ARGS__,         \
           ABSENT(no_##r##_disk), LABEL("role", #r))
#define OPS(way)      WHY("this kernel does not count flushes"), PER_S("server_disk_" way, NULL)
#define DISK_IS(what) LEVEL("server_disk_" what, NULL)
#define AWAIT(way)    DISK_IS(way "_wait_seconds"), WHY(field_no_request), IN(MS)
/* the disk of the server's data or log: iostat's figures, see disks.h */
#define DISK_ROWS(r, k)                                                                            \
    FIGURE(#r "_disk", "disk that holds the server's " #r, AT(host_delta, disk[k].text),           \
           ABSENT(no_##r##_disk)),                                                                 \
        DISK(r, k, READS, "reads_per_s", "reads that ended on the disk (r/s)", OPS("reads")),      \
        DISK(r, k, WRITES, "writes_per_s", "writes that ended on the disk (w/s)", OPS("writes")),  \
        DISK(r, k, FLUSHES, "flushes_per_s", "flushes that ended on it (f/s)", OPS("flushes")),    \
        DISK(r, k, READ_BYTES, "read_bytes_per_s", "read from the disk", OPS("read_bytes")),       \
        DISK(r, k, WRITTEN_BYTES, "written_bytes_per_s", "written to it", OPS("written_bytes")),   \
        DISK(r, k, READ_WAIT, "read_wait_s", "mean time of a read (r_await)", AWAIT("read")),      \
        DISK(r, k, WRITE_WAIT, "write_wait_s", "mean time of a write (w_await)", AWAIT("write")),  \
        DISK(r, k, FLUSH_WAIT, "flush_wait_s", "mean time of a flush (f_await)", AWAIT("flush")),  \
        DISK(r, k, BUSY, "busy_pct", "time with a request, % (%util)", DISK_IS("busy_ratio"),      \
             FACTOR(0.01)),                                                                        \
        DISK(r, k, QUEUE, "queue", "requests in disk and queue, mean (aqu-sz)", DISK_IS("queue"))
#define STAT                       NEEDS(HOST_STAT)
#define MEM                        NEEDS(HOST_MEMORY), IN(KIB)
#define PAGING                     NEEDS(HOST_PAGING), IN(KIB)
#define VMSTAT(name, help, m, ...) FIGURE(name, help " (" #m ")", HOST(m), HOOK(#m), __VA_ARGS__)
#define MEAN(name, help, m, hook, ...)                                                             \
    FIGURE(name, help ", mean of the readings", HOST(m##_mean), HOOK(hook "_mean"),                \
           WHY(no_reading), __VA_ARGS__)
static const struct figure machine_rows[] = {
    FIGURE("interval_s", "time between the two readings", HOST(wall_ns), IN(NS)),
    FIGURE("cpus", "CPUs online", HOST(cpus), ABSENT(no_cpus), LEVEL("cpus", NULL)),
    FIGURE("threads_runnable", "threads that run or want to, at the end (vmstat's r)",
           HOST(running), HOOK("r"), STAT, WAITING, LABEL("state", "runnable")),
    FIGURE("threads_blocked", "threads that wait for a disk, at the end (b)", HOST(blocked),
           HOOK("b"), STAT, WAITING, LABEL("state", "blocked")),
    MEAN("threads_runnable_mean", "threads that run or want to", running, "r", STAT),
    MEAN("threads_blocked_mean", "threads that wait for a disk", blocked, "b", STAT),
    VMSTAT("swap_used_bytes", "swap in use at the end", swpd, MEM,
           LEVEL("swap_used_bytes", "swap in use")),
    VMSTAT("memory_free_bytes", "free memory at the end", free, MEM, MEMORY("free")),
    VMSTAT("memory_buffers_bytes", "buffers at the end", buff, MEM, MEMORY("buffers")),
    VMSTAT("memory_cache_bytes", "page cache and reclaimable slab at the end", cache, MEM,
           MEMORY("cache")),
    MEAN("swap_used_mean_bytes", "swap in use", swpd, "swpd", MEM),
    MEAN("memory_free_mean_bytes", "free memory", free, "free", MEM),
    MEAN("memory_buffers_mean_bytes", "buffers", buff, "buff", MEM),
    MEAN("memory_cache_mean_bytes", "page cache and reclaimable slab", cache, "cache", MEM),
    VMSTAT("swapped_in_bytes_per_s", "read from swap", si, PAGING, SWAPPED("in")),
    VMSTAT("swapped_out_bytes_per_s", "written to swap", so, PAGING, SWAPPED("out")),
    VMSTAT("blocks_in_bytes_per_s", "paged in from disks", bi, PAGING, PAGED("in")),
    VMSTAT("blocks_out_bytes_per_s", "paged out to disks", bo, PAGING, PAGED("out")),
    FIGURE("interrupts_per_s", "interrupts (in)", HOST(in), HOOK("interrupts"), STAT,
           PER_S("interrupts", "interrupts")),
    VMSTAT("context_switches_per_s", "context switches of all processes", cs, STAT,
           PER_S("context_switches", "context switches of all processes")),
    HOOKED("interrupts_per_transaction", "interrupts of a transaction", HOST(in), PER(of_machine),
           WHY(field_no_transaction), STAT),
    FIGURE("context_switches_per_transaction",
           "context switches of all processes, of a transaction", HOST(cs), PER(of_machine),
           HOOK("cs_per_transaction"), WHY(field_no_transaction), STAT),
    VMSTAT("cpu_user_pct", "user mode, % of all CPUs", us, SHARE("user")),
    VMSTAT("cpu_system_pct", "kernel, % of all CPUs", sy, SHARE("system")),
    VMSTAT("cpu_idle_pct", "idle, % of all CPUs", id, SHARE("idle")),
    VMSTAT("cpu_iowait_pct", "idle while a disk works, % of all CPUs", wa, SHARE("iowait")),
    VMSTAT("cpu_stolen_pct", "taken by the hypervisor, % of all CPUs", st, SHARE("steal")),
    FIGURE("disk_read_bytes_per_s", "read from disks", HOST(disk_read), HOOK("disk_read"),
           NEEDS(HOST_DISK), PER_S("disk_read_bytes", "bytes read from disks")),
    FIGURE("disk_written_bytes_per_s", "written to disks", HOST(disk_written), HOOK("disk_written"),
           NEEDS(HOST_DISK), PER_S("disk_written_bytes", "bytes written to disks")),
    FIGURE("network_received_bytes_per_s", "received, without loopback", HOST(net_received),
           HOOK("net_received"), NEEDS(HOST_NET),
           PER_S("network_received_bytes", "bytes received, without loopback")),
    FIGURE("network_sent_bytes_per_s", "sent, without loopback", HOST(net_sent), HOOK("net_sent"),
           NEEDS(HOST_NET), PER_S("network_sent_bytes", "bytes sent, without loopback")),
    FIGURE("stalled_cpu_pct", "some task waited for a CPU, % of the time",
           HOST(stalled_pct[HOST_PSI_CPU]), HOOK("psi_cpu"), PRESSURE("cpu")),
    FIGURE("stalled_io_pct", "some task waited for a disk, % of the time",
           HOST(stalled_pct[HOST_PSI_IO]), HOOK("psi_io"), PRESSURE("io")),
    FIGURE("stalled_memory_pct", "some task waited for memory, % of the time",
           HOST(stalled_pct[HOST_PSI_MEMORY]), HOOK("psi_memory"), PRESSURE("memory")),
    FIGURE("cpu_frequency_hz", "of the CPUs at the end, mean", HOST(mhz), HOOK("mhz"),
           NEEDS(HOST_FREQUENCY), IN(MHZ),
           LEVEL("cpu_frequency_hertz", "frequency of the CPUs, mean")),
    HOOKED("power_cpu_w", "power of the CPU packages (RAPL), mean", HOST(watts[POWER_CPU]),
           WHY(field_no_power), NEEDS(HOST_POWER), ENERGY("cpu")),
    HOOKED("power_memory_w", "power of their memory (RAPL), mean", HOST(watts[POWER_MEMORY]),
           WHY(field_no_power), NEEDS(HOST_POWER), ENERGY("memory")),
    HOOKED("power_battery_w", "drawn from the battery, mean of the readings", HOST(battery_watts),
           WHY(field_no_power), NEEDS(HOST_POWER), ENERGY("battery")),
    HOOKED("energy_cpu_j_per_transaction", "energy of the CPU packages, of a transaction",
           HOST(watts[POWER_CPU]), PER(of_machine), WHY(field_no_transaction), NEEDS(HOST_POWER)),
    HOOKED("energy_memory_j_per_transaction", "energy of their memory, of a transaction",
           HOST(watts[POWER_MEMORY]), PER(of_machine), WHY(field_no_transaction),
           NEEDS(HOST_POWER)),
    HOOKED("energy_battery_j_per_transaction", "energy from the battery, of a transaction",
           HOST(battery_watts), PER(of_machine), WHY(field_no_transaction), NEEDS(HOST_POWER)),
    FIGURE("server_throttled_pct", "the server's quota stopped it, % of a CPU, added up",
           HOST(throttled_pct), HOOK("throttled_pct"), NEEDS(HOST_THROTTLE), FACTOR(0.01),
           LEVEL("server_throttled_ratio",
                 "share of the time in which the server's quota stopped it, CPUs added up")),
    FIGURE("server_throttled_periods", "periods in which it did", HOST(throttled_periods),
           NEEDS(HOST_THROTTLE),
           GROWS("server_throttled_periods", "periods in which the server's quota stopped it")),
    DISK_ROWS(data, DISK_DATA),
    DISK_ROWS(log, DISK_LOG),
    END,
};

/* Of several events, each only if they were asked for; none if no cycles were counted. */
NUMBER_OF(work, perf_derived, 1e9 * (double)snapshot_sampled(s) / v->cycles)

const struct figure derived_figures[] = {
    HOOKED("ipc", "instructions per cycle", AT(perf_derived, ipc), NEEDS(PERF_IPC),
           LEVEL("server_instructions_per_cycle",
                 "instructions per CPU cycle of the server's threads")),
    HOOKED("icache_misses_per_instruction", "L1 instruction cache",
           AT(perf_derived, icache_per_instruction), NEEDS(PERF_ICACHE),
           LEVEL("server_icache_misses_per_instruction",
                 "misses of the L1 instruction cache per instruction of the server's threads")),
    HOOKED("itlb_misses_per_instruction", "instruction TLB", AT(perf_derived, itlb_per_instruction),
           NEEDS(PERF_ITLB),
           LEVEL("server_itlb_misses_per_instruction",
                 "misses of the instruction TLB per instruction of the server's threads")),
    HOOKED("branch_miss_pct", "mispredicted branches", AT(perf_derived, branch_miss_pct),
           NEEDS(PERF_BRANCH), FACTOR(0.01),
           LEVEL("server_branch_miss_ratio",
                 "mispredicted branches of the server's threads, share of all")),
    HOOKED("transactions_per_billion_cycles", "work done by a billion cycles", GET(work),
           NEEDS(PERF_WORK)),
    END,
};

/* Of --server-status, beside the server's own: sessions that are not ours, and locks. */
NUMBER_OF(active_sessions, status_delta,
          v->others.known > 0 && !v->others.hides
              ? (double)v->others.active / (double)v->others.known
              : NAN)
TEXT_OF(no_connected, status_delta, v->others.why)
TEXT_OF(no_active, status_delta,
        v->others.hides       ? v->others.hides
        : v->others.known > 0 ? NULL
                              : v->others.why)
TEXT_OF(no_work, status_delta, v->others.no_work)
TEXT_OF(no_waits, status_delta, v->waits.known > 0 ? NULL : v->waits.why)
NUMBER_OF(samples_pct, status_delta, 100 * (double)v->waits.asking / (double)v->waits.known)
TEXT_OF(no_budget, status_delta,
        isfinite(v->budget_us[BUDGET_REST]) ? NULL
        : v->waits.known <= 0               ? v->waits.why
        : s->hosts || s->hosts_many         ? SNAPSHOT_SEVERAL_HOSTS
        : !snapshot_sampled(s)              ? field_no_transaction
        : v->unended                        ? "transactions that had not ended took part of it"
        : v->waits.silent > 0               ? "the server did not answer for some of the time"
                                            : "too few samples, or they do not cover the time")
#define NO_CPU(name, part)                                                                         \
    TEXT_OF(name, status_delta,                                                                    \
            isfinite(v->budget_us[part]) ? NULL                                                    \
            : isfinite(v->budget_us[BUDGET_REST])                                                  \
                ? "neither the server's threads nor its process can be told from others"           \
                : no_budget(s, v, buf))
NO_CPU(no_on_cpu, BUDGET_ON_CPU)
NO_CPU(no_cpu_wait, BUDGET_CPU_WAIT)
NUMBER_OF(undone_us, status_delta, (double)s->undone / (double)snapshot_sampled(s) / 1e3)
TEXT_OF(cpu_of, status_delta,
        v->budget == BUDGET_OF_THREADS  ? "threads of this run's sessions"
        : v->budget == BUDGET_OF_SERVER ? "all threads of the server"
                                        : "samples of this run's sessions")
#define BUDGET(part, name_, what, absent)                                                          \
    HOOKED(name_ "_us_per_transaction", "time of transactions, for each that was done: " what,     \
           STATUS(budget_us[part]), ABSENT(absent))
#define WAIT(class, name_, what, ...) BUDGET(BUDGET_OF(WAIT_##class), name_, what, no_budget)
#define SESSIONS_IN(class_, name_, part_, what)                                                    \
    HOOKED("sessions_" name_ "_s",                                                                 \
           "time of this run's sessions in the server " what ", added up; waits from samples",     \
           STATUS(waits.of[WAIT_##class_]), IN(NS), ABSENT(no_waits),                              \
           GROWS("server_sessions_seconds",                                                        \
                 "time of this run's sessions in the server, added up, by what they did"),         \
           LABEL("class", name_))
/* a row for each class, with what a part of a transaction's time is for, and what sessions do */
#define WAITS(EACH)                                                                                \
    EACH(ROW, "row_lock", "for the lock of a row", "waiting for the lock of a row"),               \
        EACH(LOCK, "lock", "for another lock", "waiting for another lock"),                        \
        EACH(IO, "io", "for files", "waiting for files"),                                          \
        EACH(LOG, "log", "for the log, to commit", "waiting for the log, to commit"),              \
        EACH(LATCH, "latch", "for latches", "waiting for latches"),                                \
        EACH(CLIENT, "client", "for the client, in a statement", "waiting for the client"),        \
        EACH(OTHER, "other", "in other waits", "in other waits")
TEXT_OF(no_behind, status_delta,
        v->waits.known > 0 && v->waits.untold > 0 && v->waits.behind <= 0 ? field_untold
                                                                          : no_waits(s, v, buf))
TEXT_OF(no_blocker, status_delta,
        v->waits.known > 0 && *v->waits.who ? NULL
        : no_behind(s, v, buf)              ? no_behind(s, v, buf)
                                            : field_no_blocker)
#define SESSIONS(state)                                                                            \
    LEVEL("server_other_sessions", "sessions of the server that are not of this run, by state"),   \
        LABEL("state", state)
const struct figure status_figures[] = {
    HOOKED("other_sessions", "sessions that are not of this run, at the end",
           STATUS(others.connected), ABSENT(no_connected), SESSIONS("connected")),
    HOOKED("other_sessions_active", "those of them that worked, mean over the time",
           GET(active_sessions), ABSENT(no_active), SESSIONS("active")),
    HOOKED("other_statements",
           "statements of sessions that are not of this run, at least; PostgreSQL: transactions",
           STATUS(others.least), ABSENT(no_work), GROWS("server_other_statements", NULL)),
    HOOKED("lock_waited_s",
           "time that sessions of this run waited for locks, added up; estimated from samples",
           STATUS(waits.locks), IN(NS), ABSENT(no_waits),
           GROWS("server_lock_waited_seconds",
                 "time that sessions of this run waited for locks, added up")),
    HOOKED("lock_waited_for_others_s", "part of it behind sessions of others", STATUS(waits.behind),
           IN(NS), ABSENT(no_behind),
           GROWS("server_lock_waited_for_others_seconds", "part of it behind sessions of others")),
    HOOKED("lock_blockers", "different sessions of others that blocked, in samples",
           STATUS(waits.blockers), ABSENT(no_behind)),
    HOOKED("lock_blocker", "the last of them, and what it did", STATUS(waits.who),
           ABSENT(no_blocker)),
    HOOKED("waits", "sessions of this run in the server, mean: the three most frequent",
           STATUS(waits.most), ABSENT(no_waits)),
    SESSIONS_IN(CPU, "cpu", , "on a CPU, or ready for one"),
    WAITS(SESSIONS_IN),
    HOOKED("undone_us_per_transaction",
           "time of transactions that failed or were withdrawn, for each that was done",
           GET(undone_us), ABSENT(no_budget)),
    BUDGET(BUDGET_ON_CPU, "on_cpu", "on a CPU of the server", no_on_cpu),
    HOOKED("on_cpu_of", "whose CPU time that is", TEXT(cpu_of), ABSENT(no_on_cpu)),
    BUDGET(BUDGET_CPU_WAIT, "cpu_wait", "ready for a CPU of the server", no_cpu_wait),
    WAITS(WAIT),
    BUDGET(BUDGET_REST, "rest", "between statements, on the network and in the client", no_budget),
    HOOKED("wait_samples", "samples of what this run's sessions did", STATUS(waits.samples),
           ABSENT(no_waits)),
    HOOKED("wait_samples_pct", "time that the server needed for them, % of the time",
           GET(samples_pct), ABSENT(no_waits)),
    END,
};

const struct figure *const section_figures[FIELD_SECTIONS] = {
    [FIELD_LOAD] = load_rows,       [FIELD_TOTAL] = total_rows, [FIELD_LATENCY] = latency_rows,
    [FIELD_THREADS] = threads_rows, [FIELD_RATE] = rate_rows,   [FIELD_SERVER] = process_rows,
    [FIELD_CLIENT] = process_rows,  [FIELD_HOST] = machine_rows};

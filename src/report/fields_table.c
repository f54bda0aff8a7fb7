/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of all figures; fields_computed.c has the functions for those that are computed.  A new
 * figure is one line here; docs/schema/make-schema then adds it to the schema.
 */
#include <stddef.h>

#include "report/fields_computed.h"
#include "report/fields_table.h"

const char field_no_sample[] = "no transaction ended in this period";
const char field_only_cumulative[] = "in checkpoints and the summary only";
const char field_no_transaction[] = "no transaction was done";
const char field_read_late[] = "all transactions had ended before the first reading";
static const char no_threads[] = "the threads were not counted one by one";
static const char only_now[] = "can be told at the end of an interval, checkpoint or run only";
static const char no_missing[] =
    "for runs with --min-clients, at the end of an interval, checkpoint or run";
const char field_no_time[] = "the interval has no length";
const char field_no_power[] =
    "it has no energy counter here, or one that may have wrapped more than "
    "once since the last reading (--report-interval)";
static const char one_host[] = "there is one load host";
static const char backwards[] = "a counter of the kernel went backwards";
static const char no_reading[] = "the machine was not read in this period";

#define LOAD(name, how, member, help)                                                              \
    {                                                                                              \
        FIELD_LOAD, name, how, offsetof(struct snapshot, member), 0, NULL, help, NULL              \
    }
#define LOAD_GET(name, f, help, why)                                                               \
    {                                                                                              \
        FIELD_LOAD, name, COMPUTED, 0, 0, f, help, why                                             \
    }
#define COUNTED_BYTES(section, name, member, help)                                                 \
    {                                                                                              \
        section, name, BYTES, offsetof(struct snapshot, member), 0, NULL, help,                    \
            "the test counts no bytes"                                                             \
    }
#define TOTAL(name, k, help)                                                                       \
    {                                                                                              \
        FIELD_TOTAL, name, U64, offsetof(struct snapshot, total) + k * sizeof(uint64_t), 0, NULL,  \
            help, NULL                                                                             \
    }
#define LATENCY(name, how, member, help)                                                           \
    {                                                                                              \
        FIELD_LATENCY, name, how, offsetof(struct snapshot, member), 0, NULL, help, NULL           \
    }
#define THREADS(name, how, member, help)                                                           \
    {                                                                                              \
        FIELD_THREADS, name, how, offsetof(struct snapshot, member), 0, NULL, help, NULL           \
    }
#define RATE(name, how, member, help)                                                              \
    {                                                                                              \
        FIELD_RATE, name, how, offsetof(struct snapshot_rate, member), 0, NULL, help, NULL         \
    }
#define SERIES(prefix, member, what)                                                               \
    RATE(prefix "_samples", U64, member.n, what ": how many"),                                     \
        RATE(prefix "_p50_s", NS, member.p50, what ", median"),                                    \
        RATE(prefix "_p95_s", NS, member.p95, what ", 95 %"),                                      \
        RATE(prefix "_p99_s", NS, member.p99, what ", 99 %"),                                      \
        RATE(prefix "_max_s", NS, member.max, what ", longest"),                                   \
        RATE(prefix "_mean_s", NS_DOUBLE, member.mean, what ", mean")
#define DELTA(member) offsetof(struct snapshot_server, d.member)
/* The same figures for the server and for ourselves. */
#define PROCESS(section)                                                                             \
    {section, "processes", UINT, DELTA(processes), 0, NULL, "processes alive", NULL},                \
        {section,                                                                                    \
         "interval_s",                                                                               \
         NS,                                                                                         \
         DELTA(wall_ns),                                                                             \
         0,                                                                                          \
         NULL,                                                                                       \
         "time between the two readings",                                                            \
         "the load had ended before this interval"},                                                 \
        {section,                                                                                    \
         "transactions",                                                                             \
         COMPUTED,                                                                                   \
         0,                                                                                          \
         0,                                                                                          \
         field_between_readings,                                                                     \
         "transactions between the two readings",                                                    \
         NULL},                                                                                      \
        {section, "cpu_s", NS, DELTA(cpu_ns), SAMPLE_CPU, NULL, "CPU time, user and system", NULL},  \
        {section, "cpu_user_s", NS, DELTA(user_ns), SAMPLE_CPU, NULL, "CPU time in user mode",       \
         NULL},                                                                                      \
        {section, "cpu_system_s",           NS,  DELTA(sys_ns), SAMPLE_CPU,                          \
         NULL,    "CPU time in the kernel", NULL},                                                   \
        {section,                                                                                    \
         "cpu_user_pct",                                                                             \
         COMPUTED,                                                                                   \
         0,                                                                                          \
         SAMPLE_CPU,                                                                                 \
         field_user_pct,                                                                             \
         "user mode, % of the whole system",                                                         \
         field_no_time},                                                                             \
        {section,                                                                                    \
         "cpu_system_pct",                                                                           \
         COMPUTED,                                                                                   \
         0,                                                                                          \
         SAMPLE_CPU,                                                                                 \
         field_system_pct,                                                                           \
         "kernel, % of the whole system",                                                            \
         field_no_time},                                                                             \
        {section,                                                                                    \
         "cpu_s_per_transaction",                                                                    \
         COMPUTED,                                                                                   \
         0,                                                                                          \
         SAMPLE_CPU,                                                                                 \
         field_cpu_per_transaction,                                                                  \
         "CPU time of a transaction",                                                                \
         field_no_transaction},                                                                      \
        {section, "voluntary_switches",          U64, DELTA(vol_switches), SAMPLE_SWITCHES,          \
         NULL,    "context switches: it waited", NULL},                                              \
        {section,                                                                                    \
         "involuntary_switches",                                                                     \
         U64,                                                                                        \
         DELTA(invol_switches),                                                                      \
         SAMPLE_SWITCHES,                                                                            \
         NULL,                                                                                       \
         "context switches: it was interrupted",                                                     \
         NULL},                                                                                      \
        {section,                                                                                    \
         "switches_per_transaction",                                                                 \
         COMPUTED,                                                                                   \
         0,                                                                                          \
         SAMPLE_SWITCHES,                                                                            \
         field_switches_per_transaction,                                                             \
         "context switches of a transaction",                                                        \
         field_no_transaction},                                                                      \
        {section,                                                                                    \
         "minor_faults",                                                                             \
         U64,                                                                                        \
         DELTA(minor_faults),                                                                        \
         SAMPLE_FAULTS,                                                                              \
         NULL,                                                                                       \
         "page faults without reading",                                                              \
         NULL},                                                                                      \
        {section, "major_faults",          U64, DELTA(major_faults), SAMPLE_FAULTS,                  \
         NULL,    "page faults that read", NULL},                                                    \
        {section,                                                                                    \
         "rss_bytes",                                                                                \
         U64,                                                                                        \
         DELTA(rss_bytes),                                                                           \
         SAMPLE_MEMORY,                                                                              \
         NULL,                                                                                       \
         "resident memory at the end",                                                               \
         NULL},                                                                                      \
        {section, "threads", U64, DELTA(threads), SAMPLE_THREADS, NULL, "threads at the end", NULL}, \
        {section, "storage_read_bytes", U64, DELTA(read_bytes), SAMPLE_IO,                           \
         NULL,    "read from storage",  NULL},                                                       \
        {section, "storage_written_bytes", U64, DELTA(write_bytes), SAMPLE_IO,                       \
         NULL,    "written to storage",    NULL},                                                    \
    {                                                                                                \
        section, "run_queue_wait_s", NS, DELTA(runq_wait_ns), SAMPLE_RUNQ, NULL,                     \
            "ready to run without a CPU, over all threads", NULL                                     \
    }

#define HOST(name, how, member, bit, help)                                                         \
    {                                                                                              \
        FIELD_HOST, name, how, offsetof(struct host_delta, member), bit, NULL, help, backwards     \
    }
#define HOST_MEAN(name, how, member, bit, help)                                                    \
    {                                                                                              \
        FIELD_HOST, name, how, offsetof(struct host_delta, member), bit, NULL, help, no_reading    \
    }
#define HOST_WATTS(name, member, help)                                                             \
    {                                                                                              \
        FIELD_HOST, name, REAL, offsetof(struct host_delta, member), HOST_POWER, NULL, help,       \
            field_no_power                                                                         \
    }
#define HOST_GET(name, bit, f, help)                                                               \
    {                                                                                              \
        FIELD_HOST, name, COMPUTED, 0, bit, f, help, field_no_transaction                          \
    }

const struct field_row field_rows[] = {
    LOAD_GET("wall_time_unix_s", field_wall_time,
             "wall clock at the end of the interval, seconds since 1970", NULL),
    LOAD("elapsed_s", NS, elapsed_ns, "time since measuring began"),
    LOAD("interval_s", NS, interval_ns, "time that the figures cover"),
    LOAD("threads_running", UINT, threads_running, "threads that have not ended"),
    LOAD("transactions", U64, events, "transactions (events) done"),
    LOAD_GET("transactions_per_s", field_transactions_rate, "the same per second", field_no_time),
    LOAD_GET("queries_per_s", field_queries_rate, "statements per second", field_no_time),
    LOAD("reads", U64, reads, "statements that read"),
    LOAD("writes", U64, writes, "statements that write"),
    LOAD("other", U64, other, "other statements"),
    LOAD("errors", U64, errors, "statements that failed and were ignored"),
    LOAD("reconnects", U64, reconnects, "connections that were made anew"),
    LOAD_GET("connection_errors", field_connection_errors,
             "errors of class connection, failed attempts to reconnect among them", only_now),
    LOAD_GET("connections_away", field_connections_away,
             "connections that were lost and are not back at this moment", only_now),
    LOAD_GET("clients_missing", field_clients_missing,
             "clients that the server has refused until now", no_missing),
    COUNTED_BYTES(FIELD_LOAD, "read_bytes", count[CNT_BYTES_READ],
                  "bytes that the test counted as read"),
    COUNTED_BYTES(FIELD_LOAD, "written_bytes", count[CNT_BYTES_WRITTEN],
                  "bytes that the test counted as written"),
    {FIELD_TOTAL, "transactions", WHOLE, 0, 0, field_total_transactions, "transactions done", NULL},
    TOTAL("reads", CNT_READ, "statements that read"),
    TOTAL("writes", CNT_WRITE, "statements that write"),
    TOTAL("other", CNT_OTHER, "other statements"),
    TOTAL("errors", CNT_ERROR, "statements that failed and were ignored"),
    TOTAL("reconnects", CNT_RECONNECT, "connections that were made anew"),
    COUNTED_BYTES(FIELD_TOTAL, "read_bytes", total[CNT_BYTES_READ],
                  "bytes that the test counted as read"),
    COUNTED_BYTES(FIELD_TOTAL, "written_bytes", total[CNT_BYTES_WRITTEN],
                  "bytes that the test counted as written"),
    LATENCY("samples", U64, latency.n, "transactions in the figures that follow"),
    LATENCY("p50_s", NS, latency.p50, "median"),
    LATENCY("p95_s", NS, latency.p95, "95 %"),
    LATENCY("p99_s", NS, latency.p99, "99 %"),
    LATENCY("max_s", NS, latency.max, "longest, to a thousandth"),
    LATENCY("mean_s", NS_DOUBLE, latency.mean, "mean, to a thousandth"),
    THREADS("latency_min_s", MS, latency_min_ms, "shortest transaction, exact"),
    THREADS("latency_max_s", MS, latency_max_ms, "longest, exact"),
    THREADS("latency_mean_s", MS, latency_avg_ms, "mean, exact"),
    THREADS("latency_sum_s", MS, latency_sum_ms, "sum, exact"),
    THREADS("transactions_mean", REAL, events_avg, "transactions of a thread, mean"),
    THREADS("transactions_stddev", REAL, events_stddev, "their standard deviation"),
    {FIELD_THREADS, "transactions_least", WHOLE, 0, 0, field_transactions_least,
     "of the thread with fewest", no_threads},
    {FIELD_THREADS, "transactions_most", WHOLE, 0, 0, field_transactions_most,
     "of the thread with most", no_threads},
    THREADS("execution_mean_s", REAL, exec_avg_s, "time of a thread in transactions, mean"),
    THREADS("execution_stddev_s", REAL, exec_stddev_s, "its standard deviation"),
    {FIELD_RATE, "target_per_s", REAL, offsetof(struct snapshot_rate, target), 0, NULL,
     "transactions per second that were asked for", "--tx-find tried many rates"},
    RATE("offered", U64, offered, "transactions planned in this interval"),
    RATE("done", U64, done, "done in it"),
    RATE("failed", U64, failed, "failed in it"),
    RATE("dropped", U64, dropped, "dropped in it"),
    RATE("late", U64, late, "done in it, begun more than 1 ms after their planned start"),
    RATE("total_offered", U64, total_offered, "planned since measuring began"),
    RATE("total_done", U64, total_done, "done since then"),
    RATE("total_failed", U64, total_failed, "failed since then"),
    RATE("total_dropped", U64, total_dropped, "dropped since then"),
    RATE("total_late", U64, total_late, "begun late since then"),
    {FIELD_RATE, "lost", WHOLE, 0, 0, field_lost,
     "of load hosts that were lost: planned and not known to be done, in this interval", one_host},
    {FIELD_RATE, "total_lost", WHOLE, 0, 0, field_total_lost, "the same since measuring began",
     one_host},
    RATE("unfinished", U64, unfinished, "waiting, in flight or withdrawn at this moment"),
    RATE("waiting", U64, waiting, "due and not begun"),
    RATE("in_flight", U64, in_flight, "begun and not ended"),
    RATE("withdrawn", U64, withdrawn, "withdrawn by the script"),
    {FIELD_RATE, "oldest_s", NS, offsetof(struct snapshot_rate, oldest_ns), 0, NULL,
     "for how long the oldest unfinished one has been due", only_now},
    SERIES("response", response, "planned start to end"),
    SERIES("service", service, "actual start to end"),
    SERIES("lag", lag, "planned to actual start"),
    PROCESS(FIELD_SERVER),
    PROCESS(FIELD_CLIENT),
    {FIELD_CLIENT, "throttled_pct", COMPUTED, 0, SAMPLE_THROTTLE, field_throttled_pct,
     "a CPU quota stopped it, % of the time", field_no_time},
    {FIELD_CLIENT, "throttled_periods", U64, DELTA(throttled_periods), SAMPLE_THROTTLE, NULL,
     "periods in which it did", NULL},
    HOST("interval_s", NS, wall_ns, 0, "time between the two readings"),
    HOST("cpus", INT, cpus, 0, "CPUs online"),
    HOST("threads_runnable", REAL, running, HOST_STAT,
         "threads that run or want to, at the end (vmstat's r)"),
    HOST("threads_blocked", REAL, blocked, HOST_STAT,
         "threads that wait for a disk, at the end (b)"),
    HOST_MEAN("threads_runnable_mean", REAL, running_mean, HOST_STAT,
              "threads that run or want to, mean of the readings"),
    HOST_MEAN("threads_blocked_mean", REAL, blocked_mean, HOST_STAT,
              "threads that wait for a disk, mean of the readings"),
    HOST("swap_used_bytes", KIB, swpd, HOST_MEMORY, "swap in use at the end (swpd)"),
    HOST("memory_free_bytes", KIB, free, HOST_MEMORY, "free memory at the end (free)"),
    HOST("memory_buffers_bytes", KIB, buff, HOST_MEMORY, "buffers at the end (buff)"),
    HOST("memory_cache_bytes", KIB, cache, HOST_MEMORY,
         "page cache and reclaimable slab at the end (cache)"),
    HOST_MEAN("swap_used_mean_bytes", KIB, swpd_mean, HOST_MEMORY,
              "swap in use, mean of the readings"),
    HOST_MEAN("memory_free_mean_bytes", KIB, free_mean, HOST_MEMORY,
              "free memory, mean of the readings"),
    HOST_MEAN("memory_buffers_mean_bytes", KIB, buff_mean, HOST_MEMORY,
              "buffers, mean of the readings"),
    HOST_MEAN("memory_cache_mean_bytes", KIB, cache_mean, HOST_MEMORY,
              "page cache and reclaimable slab, mean of the readings"),
    HOST("swapped_in_bytes_per_s", KIB, si, HOST_PAGING, "read from swap (si)"),
    HOST("swapped_out_bytes_per_s", KIB, so, HOST_PAGING, "written to swap (so)"),
    HOST("blocks_in_bytes_per_s", KIB, bi, HOST_PAGING, "paged in from disks (bi)"),
    HOST("blocks_out_bytes_per_s", KIB, bo, HOST_PAGING, "paged out to disks (bo)"),
    HOST("interrupts_per_s", REAL, in, HOST_STAT, "interrupts (in)"),
    HOST("context_switches_per_s", REAL, cs, HOST_STAT, "context switches of all processes (cs)"),
    HOST_GET("interrupts_per_transaction", HOST_STAT, field_interrupts_per_transaction,
             "interrupts of a transaction"),
    HOST_GET("context_switches_per_transaction", HOST_STAT, field_host_switches,
             "context switches of all processes, of a transaction"),
    HOST("cpu_user_pct", REAL, us, HOST_STAT, "user mode, % of all CPUs (us)"),
    HOST("cpu_system_pct", REAL, sy, HOST_STAT, "kernel, % of all CPUs (sy)"),
    HOST("cpu_idle_pct", REAL, id, HOST_STAT, "idle, % of all CPUs (id)"),
    HOST("cpu_iowait_pct", REAL, wa, HOST_STAT, "idle while a disk works, % of all CPUs (wa)"),
    HOST("cpu_stolen_pct", REAL, st, HOST_STAT, "taken by the hypervisor, % of all CPUs (st)"),
    HOST("disk_read_bytes_per_s", REAL, disk_read, HOST_DISK, "read from disks"),
    HOST("disk_written_bytes_per_s", REAL, disk_written, HOST_DISK, "written to disks"),
    HOST("network_received_bytes_per_s", REAL, net_received, HOST_NET,
         "received, without loopback"),
    HOST("network_sent_bytes_per_s", REAL, net_sent, HOST_NET, "sent, without loopback"),
    HOST("stalled_cpu_pct", REAL, stalled_pct[HOST_PSI_CPU], HOST_PRESSURE,
         "some task waited for a CPU, % of the time"),
    HOST("stalled_io_pct", REAL, stalled_pct[HOST_PSI_IO], HOST_PRESSURE,
         "some task waited for a disk, % of the time"),
    HOST("stalled_memory_pct", REAL, stalled_pct[HOST_PSI_MEMORY], HOST_PRESSURE,
         "some task waited for memory, % of the time"),
    HOST("cpu_frequency_hz", MHZ, mhz, HOST_FREQUENCY, "of the CPUs at the end, mean"),
    HOST_WATTS("power_cpu_w", watts[POWER_CPU], "power of the CPU packages (RAPL), mean"),
    HOST_WATTS("power_memory_w", watts[POWER_MEMORY], "power of their memory (RAPL), mean"),
    HOST_WATTS("power_battery_w", battery_watts, "drawn from the battery, mean of the readings"),
    HOST_GET("energy_cpu_j_per_transaction", HOST_POWER, field_cpu_energy,
             "energy of the CPU packages, of a transaction"),
    HOST_GET("energy_memory_j_per_transaction", HOST_POWER, field_memory_energy,
             "energy of their memory, of a transaction"),
    HOST_GET("energy_battery_j_per_transaction", HOST_POWER, field_battery_energy,
             "energy from the battery, of a transaction"),
    HOST("server_throttled_pct", REAL, throttled_pct, HOST_THROTTLE,
         "the server's quota stopped it, % of the time"),
    HOST("server_throttled_periods", REAL, throttled_periods, HOST_THROTTLE,
         "periods in which it did"),
};

const size_t field_rows_count = sizeof field_rows / sizeof *field_rows;

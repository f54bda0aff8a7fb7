/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_table.h.  Rows of one family are adjacent.
 */
#include "report/metrics_table.h"

#include <stdio.h>
#include <string.h>

struct row {
    enum field_section section;
    const char *field;
    enum metric_how how;
    const char *family, *label, *value, *help;
    double factor; /* 0: 1 */
};

#define LEFT_OUT(section, field)                                                                   \
    {                                                                                              \
        section, field, METRIC_NONE, NULL, NULL, NULL, NULL, 0                                     \
    }
#define LEVEL(section, field, family, help)                                                        \
    {                                                                                              \
        section, field, METRIC_LEVEL, family, NULL, NULL, help, 0                                  \
    }
#define SINCE(section, field, family, help)                                                        \
    {                                                                                              \
        section, field, METRIC_SINCE, family, NULL, NULL, help, 0                                  \
    }

static const char queries[] = "statements done, by what they do";
static const char scheduled[] = "transactions of the schedule that have ended, by outcome";
static const char unfinished[] = "transactions of the schedule that have not ended, by state";

/* The same for the server and for the load generator. */
#define CPU_TIME(section, who, field, mode)                                                        \
    {                                                                                              \
        section, field, METRIC_GROWS, who "_cpu_seconds", "mode", mode, "CPU time used, by mode",  \
            0                                                                                      \
    }
#define CPU_SHARE(section, who, field, mode)                                                       \
    {                                                                                              \
        section, field, METRIC_LEVEL, who "_cpu_ratio", "mode", mode,                              \
            "CPU time used as a share of all CPUs of the machine, by mode", 0.01                   \
    }
#define BY_TYPE(section, field, family, type, help)                                                \
    {                                                                                              \
        section, field, METRIC_GROWS, family, "type", type, help, 0                                \
    }
#define GROWS(section, field, family, help)                                                        \
    {                                                                                              \
        section, field, METRIC_GROWS, family, NULL, NULL, help, 0                                  \
    }
#define PROCESS(section, who)                                                                      \
    LEVEL(section, "processes", who "_processes", "processes alive"),                              \
        LEFT_OUT(section, "interval_s"), LEFT_OUT(section, "transactions"),                        \
        LEFT_OUT(section, "cpu_s"), CPU_TIME(section, who, "cpu_user_s", "user"),                  \
        CPU_TIME(section, who, "cpu_system_s", "system"),                                          \
        CPU_SHARE(section, who, "cpu_user_pct", "user"),                                           \
        CPU_SHARE(section, who, "cpu_system_pct", "system"),                                       \
        LEFT_OUT(section, "cpu_s_per_transaction"),                                                \
        BY_TYPE(section, "voluntary_switches", who "_context_switches", "voluntary",               \
                "context switches: voluntary to wait, involuntary when interrupted"),              \
        BY_TYPE(section, "involuntary_switches", who "_context_switches", "involuntary",           \
                "context switches: voluntary to wait, involuntary when interrupted"),              \
        LEFT_OUT(section, "switches_per_transaction"),                                             \
        BY_TYPE(section, "minor_faults", who "_page_faults", "minor",                              \
                "page faults: major ones read from storage"),                                      \
        BY_TYPE(section, "major_faults", who "_page_faults", "major",                              \
                "page faults: major ones read from storage"),                                      \
        LEVEL(section, "rss_bytes", who "_resident_memory_bytes", "resident memory"),              \
        LEVEL(section, "threads", who "_threads", "threads alive"),                                \
        GROWS(section, "storage_read_bytes", who "_storage_read_bytes",                            \
              "bytes read from storage"),                                                          \
        GROWS(section, "storage_written_bytes", who "_storage_written_bytes",                      \
              "bytes written to storage"),                                                         \
        GROWS(section, "run_queue_wait_s", who "_run_queue_wait_seconds",                          \
              "time that threads were runnable and had no CPU")

#define HOST(field, how, family, label, value, help, factor)                                       \
    {                                                                                              \
        FIELD_HOST, field, how, "host_" family, label, value, help, factor                         \
    }
#define HOST_CPU(field, mode)                                                                      \
    HOST(field, METRIC_LEVEL, "cpu_ratio", "mode", mode, "share of all CPUs, by mode", 0.01)
#define HOST_MOVED(field, family, direction, help)                                                 \
    HOST(field, METRIC_PER_S, family, "direction", direction, help, 0)
#define HOST_ENERGY(field, source)                                                                 \
    HOST(field, METRIC_PER_S, "energy_joules", "resource", source,                                 \
         "energy of the CPU packages and of their memory (RAPL), and from the battery", 0)
#define HOST_STALLED(field, resource)                                                              \
    HOST(field, METRIC_LEVEL, "pressure_ratio", "resource", resource,                              \
         "share of the time in which some task waited for the resource", 0.01)

static const struct row rows[] = {
    LEVEL(FIELD_LOAD, "wall_time_unix_s", "last_report_timestamp_seconds",
          "end of the period of the last report, seconds since 1970"),
    LEVEL(FIELD_LOAD, "elapsed_s", "elapsed_seconds", "time since measuring began"),
    LEVEL(FIELD_LOAD, "interval_s", "interval_seconds", "length of the last report's period"),
    LEVEL(FIELD_LOAD, "threads_running", "threads_running", "clients that have not ended"),
    LEFT_OUT(FIELD_LOAD, "transactions"),
    LEFT_OUT(FIELD_LOAD, "transactions_per_s"),
    LEFT_OUT(FIELD_LOAD, "queries_per_s"),
    LEFT_OUT(FIELD_LOAD, "reads"),
    LEFT_OUT(FIELD_LOAD, "writes"),
    LEFT_OUT(FIELD_LOAD, "other"),
    LEFT_OUT(FIELD_LOAD, "errors"),
    LEFT_OUT(FIELD_LOAD, "reconnects"),
    LEFT_OUT(FIELD_LOAD, "connection_errors"),
    LEVEL(FIELD_LOAD, "connections_away", "connections_away",
          "connections that were lost and are not back"),
    LEVEL(FIELD_LOAD, "clients_missing", "clients_missing",
          "clients that the server has refused until now"),
    LEFT_OUT(FIELD_LOAD, "read_bytes"),
    LEFT_OUT(FIELD_LOAD, "written_bytes"),
    SINCE(FIELD_TOTAL, "transactions", "transactions", "transactions (events) done"),
    {FIELD_TOTAL, "reads", METRIC_SINCE, "queries", "type", "read", queries, 0},
    {FIELD_TOTAL, "writes", METRIC_SINCE, "queries", "type", "write", queries, 0},
    {FIELD_TOTAL, "other", METRIC_SINCE, "queries", "type", "other", queries, 0},
    SINCE(FIELD_TOTAL, "errors", "errors", "statements that failed and were ignored"),
    SINCE(FIELD_TOTAL, "reconnects", "reconnects", "connections that were made anew"),
    SINCE(FIELD_TOTAL, "read_bytes", "read_bytes", "bytes that the test counted as read"),
    SINCE(FIELD_TOTAL, "written_bytes", "written_bytes", "bytes that the test counted as written"),
    LEVEL(FIELD_THREADS, "latency_min_s", "latency_min_seconds", "shortest transaction"),
    LEVEL(FIELD_THREADS, "latency_max_s", "latency_max_seconds", "longest transaction"),
    LEVEL(FIELD_THREADS, "latency_mean_s", "latency_mean_seconds", "mean time of a transaction"),
    LEFT_OUT(FIELD_THREADS, "latency_sum_s"),
    LEVEL(FIELD_THREADS, "transactions_mean", "thread_transactions_mean",
          "transactions of a thread, mean"),
    LEVEL(FIELD_THREADS, "transactions_stddev", "thread_transactions_stddev",
          "transactions of a thread, standard deviation"),
    LEVEL(FIELD_THREADS, "transactions_least", "thread_transactions_min",
          "transactions of the thread with fewest"),
    LEVEL(FIELD_THREADS, "transactions_most", "thread_transactions_max",
          "transactions of the thread with most"),
    LEVEL(FIELD_THREADS, "execution_mean_s", "thread_execution_mean_seconds",
          "time of a thread in transactions, mean"),
    LEVEL(FIELD_THREADS, "execution_stddev_s", "thread_execution_stddev_seconds",
          "time of a thread in transactions, standard deviation"),
    LEVEL(FIELD_RATE, "target_per_s", "target_transactions_per_second",
          "transactions per second that were asked for"),
    LEFT_OUT(FIELD_RATE, "offered"),
    LEFT_OUT(FIELD_RATE, "done"),
    LEFT_OUT(FIELD_RATE, "failed"),
    LEFT_OUT(FIELD_RATE, "dropped"),
    LEFT_OUT(FIELD_RATE, "late"),
    SINCE(FIELD_RATE, "total_offered", "offered_transactions",
          "transactions whose planned start has come"),
    {FIELD_RATE, "total_done", METRIC_SINCE, "scheduled_transactions", "outcome", "done", scheduled,
     0},
    {FIELD_RATE, "total_failed", METRIC_SINCE, "scheduled_transactions", "outcome", "failed",
     scheduled, 0},
    {FIELD_RATE, "total_dropped", METRIC_SINCE, "scheduled_transactions", "outcome", "dropped",
     scheduled, 0},
    LEFT_OUT(FIELD_RATE, "lost"),
    {FIELD_RATE, "total_lost", METRIC_SINCE, "scheduled_transactions", "outcome", "lost", scheduled,
     0},
    SINCE(FIELD_RATE, "total_late", "late_transactions",
          "transactions that began more than 1 ms after their planned start"),
    LEFT_OUT(FIELD_RATE, "unfinished"),
    {FIELD_RATE, "waiting", METRIC_LEVEL, "unfinished_transactions", "state", "waiting", unfinished,
     0},
    {FIELD_RATE, "in_flight", METRIC_LEVEL, "unfinished_transactions", "state", "in_flight",
     unfinished, 0},
    {FIELD_RATE, "withdrawn", METRIC_LEVEL, "unfinished_transactions", "state", "withdrawn",
     unfinished, 0},
    LEVEL(FIELD_RATE, "oldest_s", "oldest_unfinished_seconds",
          "how long the oldest unfinished transaction has been due"),
    PROCESS(FIELD_SERVER, "server"),
    PROCESS(FIELD_CLIENT, "client"),
    {FIELD_CLIENT, "throttled_pct", METRIC_LEVEL, "client_throttled_ratio", NULL, NULL,
     "share of the time in which a CPU quota stopped the load generator", 0.01},
    GROWS(FIELD_CLIENT, "throttled_periods", "client_throttled_periods",
          "periods in which a CPU quota stopped the load generator"),
    LEFT_OUT(FIELD_HOST, "interval_s"),
    HOST("cpus", METRIC_LEVEL, "cpus", NULL, NULL, "CPUs online", 0),
    HOST("threads_runnable", METRIC_LEVEL, "threads", "state", "runnable",
         "threads that run or are runnable, and threads blocked by a disk", 0),
    HOST("threads_blocked", METRIC_LEVEL, "threads", "state", "blocked",
         "threads that run or are runnable, and threads blocked by a disk", 0),
    LEFT_OUT(FIELD_HOST, "threads_runnable_mean"),
    LEFT_OUT(FIELD_HOST, "threads_blocked_mean"),
    HOST("swap_used_bytes", METRIC_LEVEL, "swap_used_bytes", NULL, NULL, "swap in use", 0),
    HOST("memory_free_bytes", METRIC_LEVEL, "memory_bytes", "state", "free", "memory, by use", 0),
    HOST("memory_buffers_bytes", METRIC_LEVEL, "memory_bytes", "state", "buffers", "memory, by use",
         0),
    HOST("memory_cache_bytes", METRIC_LEVEL, "memory_bytes", "state", "cache", "memory, by use", 0),
    LEFT_OUT(FIELD_HOST, "swap_used_mean_bytes"),
    LEFT_OUT(FIELD_HOST, "memory_free_mean_bytes"),
    LEFT_OUT(FIELD_HOST, "memory_buffers_mean_bytes"),
    LEFT_OUT(FIELD_HOST, "memory_cache_mean_bytes"),
    HOST_MOVED("swapped_in_bytes_per_s", "swap_bytes", "in", "bytes moved from and to swap"),
    HOST_MOVED("swapped_out_bytes_per_s", "swap_bytes", "out", "bytes moved from and to swap"),
    HOST_MOVED("blocks_in_bytes_per_s", "paged_bytes", "in", "bytes paged from and to disks"),
    HOST_MOVED("blocks_out_bytes_per_s", "paged_bytes", "out", "bytes paged from and to disks"),
    HOST("interrupts_per_s", METRIC_PER_S, "interrupts", NULL, NULL, "interrupts", 0),
    HOST("context_switches_per_s", METRIC_PER_S, "context_switches", NULL, NULL,
         "context switches of all processes", 0),
    LEFT_OUT(FIELD_HOST, "interrupts_per_transaction"),
    LEFT_OUT(FIELD_HOST, "context_switches_per_transaction"),
    HOST_CPU("cpu_user_pct", "user"),
    HOST_CPU("cpu_system_pct", "system"),
    HOST_CPU("cpu_idle_pct", "idle"),
    HOST_CPU("cpu_iowait_pct", "iowait"),
    HOST_CPU("cpu_stolen_pct", "steal"),
    HOST("disk_read_bytes_per_s", METRIC_PER_S, "disk_read_bytes", NULL, NULL,
         "bytes read from disks", 0),
    HOST("disk_written_bytes_per_s", METRIC_PER_S, "disk_written_bytes", NULL, NULL,
         "bytes written to disks", 0),
    HOST("network_received_bytes_per_s", METRIC_PER_S, "network_received_bytes", NULL, NULL,
         "bytes received, without loopback", 0),
    HOST("network_sent_bytes_per_s", METRIC_PER_S, "network_sent_bytes", NULL, NULL,
         "bytes sent, without loopback", 0),
    HOST_STALLED("stalled_cpu_pct", "cpu"),
    HOST_STALLED("stalled_io_pct", "io"),
    HOST_STALLED("stalled_memory_pct", "memory"),
    HOST("cpu_frequency_hz", METRIC_LEVEL, "cpu_frequency_hertz", NULL, NULL,
         "frequency of the CPUs, mean", 0),
    HOST_ENERGY("power_cpu_w", "cpu"),
    HOST_ENERGY("power_memory_w", "memory"),
    HOST_ENERGY("power_battery_w", "battery"),
    LEFT_OUT(FIELD_HOST, "energy_cpu_j_per_transaction"),
    LEFT_OUT(FIELD_HOST, "energy_memory_j_per_transaction"),
    LEFT_OUT(FIELD_HOST, "energy_battery_j_per_transaction"),
    HOST("server_throttled_pct", METRIC_LEVEL, "server_throttled_ratio", NULL, NULL,
         "share of the time in which the server's quota stopped it", 0.01),
    HOST("server_throttled_periods", METRIC_GROWS, "server_throttled_periods", NULL, NULL,
         "periods in which the server's quota stopped it", 0),
    LEVEL(FIELD_EVENTS, "ipc", "server_instructions_per_cycle",
          "instructions per CPU cycle of the server's threads"),
    LEVEL(FIELD_EVENTS, "icache_misses_per_instruction", "server_icache_misses_per_instruction",
          "misses of the L1 instruction cache per instruction of the server's threads"),
    LEVEL(FIELD_EVENTS, "itlb_misses_per_instruction", "server_itlb_misses_per_instruction",
          "misses of the instruction TLB per instruction of the server's threads"),
    {FIELD_EVENTS, "branch_miss_pct", METRIC_LEVEL, "server_branch_miss_ratio", NULL, NULL,
     "mispredicted branches of the server's threads, share of all", 0.01},
    LEFT_OUT(FIELD_EVENTS, "transactions_per_billion_cycles"),
};

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* An event of the kernel or the CPU, by the name that the user gave. */
static bool event(const struct field *f, struct metric *m)
{
    static const char counted[] = "_counted_pct";
    size_t n = strlen(f->name);

    m->label = "event";
    if (ends_with(f->name, "_per_transaction")) {
        m->how = METRIC_NONE;
    } else if (ends_with(f->name, counted)) {
        m->how = METRIC_LEVEL;
        m->family = "server_event_counted_ratio";
        m->help = "share of the time in which there was a counter for the event";
        m->factor = 0.01;
        n -= strlen(counted);
    } else {
        m->how = METRIC_GROWS;
        m->family = "server_events";
        m->help = "events of the server's threads, scaled up where they shared a counter";
    }
    snprintf(m->value, sizeof m->value, "%.*s", (int)n, f->name);
    return true;
}

/* One of the server's own counters, by its own name. */
static bool status(const struct field *f, struct metric *m)
{
    m->how = f->level ? METRIC_LEVEL : METRIC_GROWS;
    m->family = f->level ? "server_status_level" : "server_status";
    m->help = f->level ? "the server's own levels, by its own names"
                       : "growth of the server's own counters, by its own names";
    m->label = "variable";
    snprintf(m->value, sizeof m->value, "%s", f->name);
    return true;
}

/* Percentiles and other figures that the summaries contain. */
static bool is_series(const struct field *f)
{
    return f->section == FIELD_LATENCY ||
           (f->section == FIELD_RATE &&
            (strncmp(f->name, "response_", 9) == 0 || strncmp(f->name, "service_", 8) == 0 ||
             strncmp(f->name, "lag_", 4) == 0));
}

static const struct row *find(const struct field *f)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].section == f->section && strcmp(rows[i].field, f->name) == 0)
            return &rows[i];
    return NULL;
}

bool metric_of(const struct field *f, struct metric *m)
{
    const struct row *r = find(f);

    *m = (struct metric){.how = METRIC_NONE, .factor = 1};
    if (is_series(f))
        return true;
    if (!r && f->section == FIELD_EVENTS)
        return event(f, m);
    if (!r && f->section == FIELD_STATUS)
        return status(f, m);
    if (!r)
        return false;
    m->how = r->how;
    m->family = r->family;
    m->help = r->help;
    m->label = r->label;
    m->factor = r->factor != 0 ? r->factor : 1;
    snprintf(m->value, sizeof m->value, "%s", r->value ? r->value : "");
    return true;
}

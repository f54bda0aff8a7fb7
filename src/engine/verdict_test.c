/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Verdicts for tables of readings; tests/data/verdicts.txt has the sentences.
 */
#include "engine/verdict.h"

#include <math.h>

#include "base/test.h"
#include "engine/causes.h"
#include "engine/verdict_test.h"

#define MS (double)NS_PER_MS

/* 16 clients at 1,000/s for a minute, each transaction 2 ms: nothing to say. */
#define WELL                                                                                       \
    .clients = 16, .cpus = 8, .target = 1000, .tolerance_pct = 1, .service_mean = 2 * MS,          \
    .longest = 9 * NS_PER_MS, .scheduled = 60 * NS_PER_SEC, .lag_max = NS_PER_MS / 2,              \
    .together = 1, .early = NAN, .least = NAN, .worker_pct = NAN, .script_pct = NAN,               \
    .short_pct = NAN, .self_wait = -1, .server_wait = -1, .lock_wait = -1, .server_cpu_pct = NAN,  \
    .server_waited_pct = NAN, .server_cpus = 8, .host_cpus = 8, .server_here = true,               \
    .idle_pct = NAN, .others_pct = NAN, .steal_pct = NAN

#define NONE     UINT64_MAX
#define TWO_CPUS .server_cpus = 2, .host_cpus = 2
#define MACHINE(idle, others, steal)                                                               \
    .idle_pct = (idle), .others_pct = (others), .steal_pct = (steal)
#define ERROR(class, code, n) .error = {(class), (code), (n)}
#define AWAY(class, code, n)  .away_error = {(class), (code), (n)}
#define WAITED(s, pct)        .server_wait = NS_PER_SEC * (s), .server_waited_pct = (pct)
#define BEHIND(s, behind)     .lock_wait = NS_PER_SEC * (s), .lock_behind = NS_PER_SEC * (behind)
/* One row that 128 clients wait for. */
#define HOT_ROW                                                                                    \
    WELL, .clients = 128, .done = 8400, .open = 51728, .service_mean = 914 * MS, .calm = 8 * MS,   \
          .late = 8300, .lock_wait = 7500 * NS_PER_SEC
/* A server that waits for CPUs. */
#define WAITING                                                                                    \
    WELL, .clients = 8, .done = 5400, .target = 700, .service_mean = 88 * MS, .late = 5390,        \
          .self_cpu_pct = 8, .server_cpu_pct = 14, .server_wait = 420 * NS_PER_SEC
/* A row that another session holds. */
#define HELD_ROW                                                                                   \
    WELL, .clients = 8, .target = 100, .done = NONE, .waiting = 492, .scheduled = 5 * NS_PER_SEC,  \
          .lock_rows = true, .lock_blockers = 1,                                                   \
          .lock_who = "pid 1234, psql, idle in transaction for 12 s"

/* 8 clients, of whose transactions 20 ms are usual, and what samples of 60 s saw. */
#define SLOW_BY(class, s, ...)                                                                     \
    WELL, .clients = 8, .target = 200, .done = 5000, .service_mean = 95 * MS, .calm = 80 * MS,     \
          .early = 20 * MS, .least = 70 * MS, .late = 4900, .lock_wait = 0, .lock_who = "",        \
          .waits_known = true, .in_server = (dur_ns)((s)*1e9),                                     \
          .waited[class] = {(dur_ns)((s)*1e9), __VA_ARGS__}

/* From second 40 of 60 on, its backlog's, a transaction costs 100 ms of CPU time; before, 1 ms. */
static void worse_later(const struct verdict_readings *all, dur_ns from, dur_ns to,
                        struct verdict_readings *part)
{
    const bool bad = from >= all->peak_from;

    *part = *all;
    part->part = NULL;
    part->backlog = NULL;
    part->from = from;
    part->to = to;
    part->scheduled = to - from;
    part->in_time = (uint64_t)(dur_sec(to - from) * (bad ? 9 : 40));
    part->service_mean = bad ? 800 * MS : 2 * MS;
    part->server_cpu_pct = bad ? 90 : 4;
    part->server_waited_pct = bad ? 60 : 10;
    part->ready = 0;
    part->waited[WAIT_CPU].time = (dur_ns)((bad ? 0.9 : 0.04) * (double)(to - from));
    if (all->lock_blockers) /* the work of others */
        part->waited[WAIT_CPU].time /= 9;
}
#define WORSE                                                                                      \
    WELL, .clients = 8, .target = 40, .done = 1780, .service_mean = 80 * MS, .late = 180,          \
          .part = worse_later, .peak = 600, .peak_from = 40 * NS_PER_SEC,                          \
          .peak_to = 60 * NS_PER_SEC, TWO_CPUS, .server_cpu_pct = 33, WAITED(40, 58),              \
          .threads = true, MACHINE(0, 74, 0)

/* Each case is WELL with the listed changes; complete() adds what follows from them. */
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct {
    const char *name;
    struct verdict_readings r;
} cases[] = {
    {"all is well", {WELL}},
    {"half a per cent is missing", {WELL, .done = 59700}},
    {"nothing was due", {WELL, .offered = NONE}},
    {"too few clients", {WELL, .done = 53040, .service_mean = 18.1 * MS, .late = 53000}},
    {"a read-only server, whose errors are ignored",
     {WELL, .done = 500, .service_mean = 18.1 * MS, .late = 400, .errors = 59100,
      ERROR("read-only", "1290 (HY000)", 58860)}},
    {"few errors explain nothing",
     {WELL, .done = 53040, .service_mean = 18.1 * MS, .late = 53000, .errors = 3,
      ERROR("deadlock", "1213 (40001)", 3)}},
    {"the server was away",
     {WELL, .done = 50000, .late = 3000, .errors = 90, .away = 10 * NS_PER_SEC,
      AWAY("connection", "2002 (HY000)", 60)}},
    {"away, and some failed meanwhile",
     {WELL, .clients = 8, .done = 59300, .failed = 700, .late = 20000, .errors = 103, .outages = 1,
      ERROR("connection", "08001", 103), .away = 2 * NS_PER_SEC, AWAY("connection", "08001", 103)}},
    {"away, and done afterwards",
     {WELL, .late = 3000, .errors = 1, .away = 2 * NS_PER_SEC, AWAY("shutdown", "57P01", 1)}},
    {"away, but for a moment",
     {WELL, .done = 53040, .service_mean = 18.1 * MS, .late = 53000, .errors = 1,
      .away = NS_PER_SEC / 10, AWAY("connection", "2013 (HY000)", 1)}},
    {"failed by a class that is named",
     {WELL, .done = 59000, .failed = 1000, .errors = 1001, ERROR("other", "1364", 1001)}},
    {"by max_connections",
     {WELL, .done = 59000, .failed = 1000, .errors = 1000, ERROR("overload", "1040 (08004)", 999)}},
    {"one client", {WELL, .clients = 1, .done = 37500, .service_mean = 1.6 * MS, .late = 37000}},
    {"a limit of thousands",
     {WELL, .target = 2000000, .done = 80000000, .service_mean = 0.013 * MS, .longest = NS_PER_MS,
      .late = 80000000}},
    {"threads that serve no session waited for a CPU, too",
     {WELL, .clients = 2, .target = 60, .done = 2364, .late = 2360, .service_mean = 50.7 * MS,
      .least = 50.4 * MS, .longest = 60 * NS_PER_MS, WAITED(5, 60)}},
    {"a plan that got worse", {WORSE}},
    {"... early", {WORSE, .peak_from = 2 * NS_PER_SEC}},
    {"... and what was before is of too few transactions", {WORSE, .peak_from = NS_PER_SEC / 3}},
    {"others came, and are at work on the server", {WORSE, .lock_blockers = 1}},
    {"a limit below one",
     {WELL, .clients = 2, .target = 2, .done = 40, .late = 40, .service_mean = 3000 * MS,
      .longest = 4 * NS_PER_SEC}},
    {"think time is part of a client's time",
     {WELL, .clients = 10, .done = 1100, .late = 1090, .service_mean = 7 * MS,
      .think = 20 * NS_PER_MS, .longest = 14 * NS_PER_MS, .scheduled = 3 * NS_PER_SEC}},
    {"dropped for its age",
     {WELL, .done = 30000, .dropped = 30000, .service_mean = 32 * MS, .late = 29000}},
    {"idle clients woke up late",
     {WELL, .late = 900, .late_idle = 800, .worst_wake = 12345678, .lag_max = 12345678}},
    {"idle clients woke up late, nobody knows how late",
     {WELL, .late = 9, .late_idle = 9, .offered = 500, .worst_wake = 0, .lag_max = -1}},
    {"of few starts one was a little late",
     {WELL, .target = 1, .service_mean = 48 * MS, .late = 1, .late_idle = 1,
      .lag_max = 2 * NS_PER_MS}},
    {"all CPUs", {WELL, .done = 50000, .self_cpu_pct = 760}},
    {"throttled",
     {WELL, .done = 10000, .late = 9000, .late_idle = 9000, .self_cpu_pct = 100,
      .throttled = 50 * NS_PER_SEC}},
    {"throttled, and no thread says that it waited",
     {WELL, .clients = 1, .cpus = 2, .done = 3240, .service_mean = 18.4 * MS, .late = 3240,
      .self_cpu_pct = 10, .quota = 0.1, .throttled = 57 * NS_PER_SEC}},
    {"a server's CPU that is used up: clients wait for it",
     {WELL, .done = 30000, .service_mean = 31 * MS, .late = 29000, .server_cpu_pct = 188,
      .server_cpus = 2}},
    {"a server that got more than its quota",
     {WELL, .done = 5160, .service_mean = 60 * MS, .late = 5000, .server_cpu_pct = 12,
      .server_cpus = 0.1}},
    {"fewer threads than CPUs", {WELL, .clients = 2, .done = 50000, .self_cpu_pct = 196}},
    {"one worker", {WELL, .workers = 1, .done = 50000, .self_cpu_pct = 97}},
    {"workers enough", {WELL, .workers = 8, .late = 9000, .late_idle = 9000, .self_cpu_pct = 750}},
    {"piled up", {WELL, .clients = 2000, .open = 1500, .service_mean = 30 * MS}},
    {"as many as chance brings", {WELL, .clients = 2000, .open = 245, .service_mean = 30 * MS}},
    {"a script that blocks its workers",
     {WELL, .workers = 2, .target = 40, .done = 1200, .service_mean = 100 * MS, .late = 1190,
      .self_cpu_pct = 4, .self_wait = 0, .worker_pct = 99}},
    {"both processes use up one machine",
     {WELL, .clients = 64, .done = 30000, .service_mean = 60 * MS, .early = 2 * MS,
      .least = 50 * MS, .late = 29900, .self_cpu_pct = 90, .server_cpu_pct = 105, .cpus = 2,
      TWO_CPUS}},
    {"both processes and others use up one machine",
     {WELL, .clients = 64, .done = 28080, .service_mean = 136 * MS, .calm = 60 * MS, .late = 28000,
      .late_idle = 20000, .self_wait = 3000 * NS_PER_SEC, .self_cpu_pct = 40.8,
      .server_cpu_pct = 102.8, .cpus = 2, TWO_CPUS}},
    {"more CPU time than the server has, beside others",
     {WELL, .clients = 8, .target = 600, .done = 5000, .service_mean = 93 * MS, .calm = 60 * MS,
      .late = 5000, .server_cpu_pct = 40, TWO_CPUS, WAITED(440, 95), .others_pct = 79,
      .idle_pct = 0}},
    {"attempts that fail take most of the time",
     {WELL, .clients = 8, .target = 100, .done = 5000, .service_mean = 95 * MS, .calm = 5 * MS,
      .late = 4900, .errors = 400, ERROR("deadlock", "40P01", 400), .retried = 420 * NS_PER_SEC}},
    {"the same, most of it behind another session's lock",
     {WELL, .clients = 8, .target = 100, .done = 5000, .service_mean = 95 * MS, .calm = 5 * MS,
      .late = 4900, .errors = 400, ERROR("deadlock", "40P01", 400), .retried = 420 * NS_PER_SEC,
      BEHIND(400, 390), .lock_blockers = 1, .lock_who = "id 7"}},
    {"... most of it behind each other's",
     {WELL, .clients = 8, .target = 100, .done = 5000, .service_mean = 95 * MS, .calm = 5 * MS,
      .late = 4900, .errors = 400, ERROR("deadlock", "40P01", 400), .retried = 420 * NS_PER_SEC,
      BEHIND(400, 10), .lock_blockers = 1, .lock_who = "id 7"}},
    {"locks that are not granted in time",
     {HELD_ROW, BEHIND(38, 38), .errors = 400, ERROR("lock-wait", "1205 (HY000)", 400),
      .retried = 38 * NS_PER_SEC}},
    {"... and the transactions fail",
     {HELD_ROW, BEHIND(38, 38), .done = 100, .service_mean = 390 * MS, .calm = 5 * MS,
      .waiting = 192, .failed = 200, .errors = 200, ERROR("lock-wait", "1205 (HY000)", 200)}},
    {"a pool whose threads are all runnable",
     {WELL, .clients = 512, .target = 300, .done = 9000, .open = 512, .waiting = 8488,
      .service_mean = 3400 * MS, .calm = 3000 * MS, .early = 9 * MS, .least = 3000 * MS,
      .late = 8900, .lag_max = 9 * NS_PER_SEC, .server_cpu_pct = 34, TWO_CPUS, WAITED(95, 82),
      .self_cpu_pct = 8, MACHINE(0, 78, 0)}},
    {"failed", {WELL, .done = 59000, .failed = 1000}},
    {"withdrawn", {WELL, .done = NONE, .withdrawn = 60000}},
    {"both", {WELL, .done = 58000, .failed = 1500, .withdrawn = 500}},
    {"nothing ended", {WELL, .done = NONE, .longest = -1, .lag_max = -1}},
    {"all that was due was dropped behind transactions that did not end",
     {WELL, .done = NONE, .dropped = 59984, .longest = -1, .lag_max = -1}},
    {"a server on a core that others use",
     {WAITING, TWO_CPUS, .server_waited_pct = 97, MACHINE(2, 87, 0)}},
    {"the same, when CPUs were short for moments",
     {WAITING, TWO_CPUS, .server_waited_pct = 43, MACHINE(57, 12, 0)}},
    {"the same, on a machine whose other CPUs are idle",
     {WAITING, .server_waited_pct = 97, MACHINE(85, 12, 0)}},
    {"a server that uses up the machine by itself",
     {WELL, .clients = 64, .done = 20000, .service_mean = 190 * MS, .late = 19900,
      .self_cpu_pct = 10, .server_cpu_pct = 180, TWO_CPUS, WAITED(3200, 96), MACHINE(1, 4, 0)}},
    {"a server that uses its CPUs and does not wait",
     {WELL, .clients = 8, .done = 40000, .service_mean = 12 * MS, .late = 39000,
      .server_cpu_pct = 750, WAITED(20, 4)}},
    {"a script that burns CPU beside others that do",
     {WELL, .clients = 8, .cpus = 2, .done = 1560, .service_mean = 300 * MS, .late = 1550,
      .self_cpu_pct = 30, .self_wait = 465 * NS_PER_SEC, TWO_CPUS, MACHINE(0, 84, 0)}},
    {"the same on one worker",
     {WELL, .clients = 8, .workers = 1, .cpus = 2, .done = 1560, .service_mean = 38 * MS,
      .late = 1550, .self_cpu_pct = 12, .self_wait = 52 * NS_PER_SEC}},
    {"a server on another host, which waits",
     {WAITING, .server_here = false, .server_cpus = 2, .server_waited_pct = 97, MACHINE(92, 4, 0)}},
    {"steal",
     {WELL, .done = 40000, .service_mean = 22 * MS, .late = 39000, .server_cpu_pct = 300,
      WAITED(700, 74), MACHINE(0, 10, 45)}},
    {"one hot row, and InnoDB's status",
     {HOT_ROW, .lock_rows = true, .lock_counted = true, .lock_who = ""}},
    {"one hot row, and the user may not see who holds it",
     {HOT_ROW, .lock_rows = true, .lock_why = "seeing lock waits takes the PROCESS privilege"}},
    {"one hot row, and who holds it is not known of several load hosts",
     {HOT_ROW, .lock_rows = true,
      .lock_why = "the connections of other load hosts cannot be told from those of others"}},
    {"another session holds a row from second 20 on",
     {WELL, .clients = 8, .target = 100, .done = 2000, .waiting = 3992, .service_mean = 9 * MS,
      .late = 3, .lock_wait = 200 * NS_PER_SEC, .lock_rows = true, .lock_behind = 190 * NS_PER_SEC,
      .lock_blockers = 1, .lock_who = "pid 1234, psql, idle in transaction for 12 s"}},
    {"another session holds a row all the time", {HELD_ROW, BEHIND(19, 19)}},
    {"and still held it long after the schedule", {HELD_ROW, BEHIND(33, 33)}},
    {"several others, one after the other",
     {HOT_ROW, .lock_behind = 4000 * NS_PER_SEC, .lock_blockers = 3,
      .lock_who = "id 7, root, active for 2 s"}},
    {"locks that are not of rows, of each other",
     {HOT_ROW, .lock_behind = 100 * NS_PER_SEC, .lock_blockers = 1, .lock_who = "id 7"}},
    {"the same, and it was own transactions", {HOT_ROW, .lock_ours = true}},
    {"one hot row, and who has it waits for a standby",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_LOG,
      .waited[WAIT_LOG] = {NS_PER_SEC, "SyncRep"}}},
    {"one hot row, and who has it for a lock of another kind",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_LOCK,
      .waited[WAIT_LOCK] = {NS_PER_SEC, "table metadata lock"}}},
    {"rows, in an order of each transaction's own",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_CLASSES}},
    {"one hot row, and the script keeps whoever has it",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_ROW, .script_pct = 12,
      .waits_known = true, .in_server = 7000 * NS_PER_SEC}},
    {"... or want of a CPU does",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_ROW, .script_pct = 1,
      .waits_known = true, .in_server = 7000 * NS_PER_SEC}},
    {"one hot row, and samples are too few to tell",
     {HOT_ROW, .lock_rows = true, .lock_ours = true, .lock_root = WAIT_LOG}},
    {"one hot row, and nothing known of locks",
     {WELL, .done = 6720, .service_mean = 143 * MS, .calm = 80 * MS, .early = 8 * MS,
      .least = 70 * MS, .late = 6700}},
    {"one row, and whoever comes first gets its lock",
     {WELL, .done = 6000, .in_time = 6000, .service_mean = 160 * MS, .calm = 150 * MS,
      .spread = 155 * MS, .short_pct = 2, .late = 5900}},
    {"the same times of clients that have nothing to do with each other",
     {WELL, .done = 6000, .in_time = 6000, .service_mean = 160 * MS, .calm = 150 * MS,
      .spread = 155 * MS, .short_pct = 20, .late = 5900}},
    {"the network takes 80 ms",
     {WELL, .done = 12000, .service_mean = 80 * MS, .late = 11900, .server_cpu_pct = 5,
      .server_wait = 0, .server_waited_pct = 1, MACHINE(90, 5, 0)}},
    {"a transaction takes a third of the run",
     {WELL, .clients = 40, .target = 50, .open = 15, .scheduled = NS_PER_SEC,
      .service_mean = 300 * MS}},
    {"more in flight than usual, in a short run",
     {WELL, .target = 10, .open = 15, .calm = 1000 * MS, .scheduled = 10 * NS_PER_SEC,
      .service_mean = 1100 * MS}},
    {"each one fails, and clients pause for their errors",
     {WELL, .clients = 8, .target = 100, .done = NONE, .failed = 128, .scheduled = 4 * NS_PER_SEC,
      .errors = 128, ERROR("duplicate", "1062 (23000)", 128), .server_wait = 12 * NS_PER_MS,
      .server_waited_pct = 38, .self_wait = 40 * NS_PER_MS, MACHINE(0, 99, 0)}},
    {"more attempts end in a deadlock than succeed",
     {WELL, .clients = 8, .target = 300, .done = 170, .waiting = 1022, .calm = 30 * MS,
      .scheduled = 4 * NS_PER_SEC, .service_mean = 188 * MS, .longest = 900 * NS_PER_MS,
      .late = 168, .lag_max = 3400 * NS_PER_MS, .errors = 327,
      ERROR("deadlock", "1213 (40001)", 327)}},
    {"slow transactions wait for the log", {SLOW_BY(WAIT_LOG, 460, "WALSync")}},
    {"... several names", {SLOW_BY(WAIT_LOG, 460, "WALWrite", true)}},
    {"... a standby", {SLOW_BY(WAIT_LOG, 460, "SyncRep")}},
    {"... for a third of what is beyond the usual", {SLOW_BY(WAIT_LOG, 230, "WALSync")}},
    {"... no more than the usual", {SLOW_BY(WAIT_LOG, 100, "WALSync")}},
    {"data files, where no rate can be lowered",
     {SLOW_BY(WAIT_IO, 460, "DataFileRead"), .no_rate = true}},
    {"data files", {SLOW_BY(WAIT_IO, 460, "file read")}},
    {"temporary files", {SLOW_BY(WAIT_IO, 460, "BufFileWrite")}},
    {"latches, which no unloaded system has", {SLOW_BY(WAIT_LATCH, 250, "BufferContent")}},
    {"what MariaDB has no name for", {SLOW_BY(WAIT_LATCH, 460, "latch in Updating")}},
    {"the client", {SLOW_BY(WAIT_CLIENT, 460, "ClientWrite")}},
    {"a sleep", {SLOW_BY(WAIT_OTHER, 460, "PgSleep")}},
    {"temporary files", {SLOW_BY(WAIT_IO, 460, "temporary file write")}},
    {"the server's CPUs",
     {SLOW_BY(WAIT_CPU, 460, "cpu"), WAITED(9, 2), .server_cpu_pct = 760, .server_cpus = 32,
      .server_here = false}},
    {"the server's CPUs, which it did not use",
     {SLOW_BY(WAIT_CPU, 460, "cpu"), WAITED(9, 2), .server_cpu_pct = 60}},
    {"more than clients have spent, by chance", {SLOW_BY(WAIT_LOG, 500, "WALSync")}},
    {"the log and data files",
     {SLOW_BY(WAIT_LOG, 275, "WALSync"), .waited[WAIT_IO] = {200 * NS_PER_SEC, "DataFileRead"},
      .in_server = 475 * NS_PER_SEC}},
    {"the server's wait for a CPU goes before",
     {SLOW_BY(WAIT_LOG, 460, "WALSync"), WAITED(350, 60), MACHINE(0, 80, 0)}},
    {"the load generator waits for a CPU, but hardly in transactions",
     {SLOW_BY(WAIT_LOG, 460, "WALSync"), .cpus = 2, .self_wait = 400 * NS_PER_SEC}},
    {"... and in transactions, for all that is known of the server",
     {SLOW_BY(WAIT_LOG, 60, "WALSync"), .cpus = 2, .self_wait = 400 * NS_PER_SEC}},
    {"latches, where threads are runnable that serve no session",
     {SLOW_BY(WAIT_LATCH, 400, "latch in Updating"), TWO_CPUS, WAITED(60, 82), .server_cpu_pct = 34,
      .threads = true, MACHINE(0, 78, 0)}},
    {"... or that have answered",
     {SLOW_BY(WAIT_LATCH, 440, "latch in Updating"), TWO_CPUS, WAITED(300, 82), .threads = true,
      .server_cpu_pct = 34, .ready = 300 * NS_PER_SEC, MACHINE(0, 78, 0)}},
    {"no wait in the server", {SLOW_BY(WAIT_CPU, 40, "cpu")}},
    {"a server that was stopped",
     {SLOW_BY(WAIT_CPU, 40, "cpu"), .stall = "standstill: the server was stopped"}},
    {"a standstill whose wait few samples saw",
     {SLOW_BY(WAIT_LOG, 0, ""), .waits_known = false, .lock_wait = -1, .stall = "standstill: 7"}},
    {"... but statements that did not begin",
     {SLOW_BY(WAIT_CPU, 40, "cpu"), .ready = 300 * NS_PER_SEC}},
    {"the user may not see what sessions wait for",
     {SLOW_BY(WAIT_CPU, 0, ""), .waits_known = false, .lock_wait = -1, .lock_who = NULL,
      .lock_why = "seeing what sessions wait for takes the PROCESS privilege"}},
    {"too few samples", {SLOW_BY(WAIT_LOG, 0, ""), .waits_known = false, .lock_wait = -1}},
    {"a wait that is told by no name", {SLOW_BY(WAIT_LOG, 0, ""), .in_server = 460 * NS_PER_SEC}},
    {"what clients wait for who are too few",
     {SLOW_BY(WAIT_LOG, 460, "WALSync"), .calm = 95 * MS, .early = NAN}},
    {"nothing ended, and all slept",
     {SLOW_BY(WAIT_OTHER, 470, "PgSleep"), .done = NONE, .waiting = 11992}},
    {"a server that needs most of a machine, and others",
     {WELL, .clients = 8, .target = 1000, .done = 700, .waiting = 3292, .calm = 30 * MS,
      .scheduled = 4 * NS_PER_SEC, .service_mean = 45 * MS, .late = 695, TWO_CPUS,
      .server_cpu_pct = 128, WAITED(27, 84), MACHINE(0, 35, 0)}},
};

static uint64_t count(uint64_t given, uint64_t usual)
{
    return given == NONE ? 0 : given ? given : usual;
}

/* What is 0 in a case and follows from the rest of it: all that was due was done, what was not done
 * waits, and so on. */
static void complete(struct verdict_readings *r)
{
    r->offered = count(r->offered, (uint64_t)(r->target * dur_sec(r->scheduled)));
    r->done = count(r->done, r->offered);
    r->open = count(r->open, r->offered - r->done - r->failed - r->dropped);
    r->waiting = count(r->waiting, r->offered - r->done - r->failed - r->dropped);
    r->service_n = count(r->service_n, r->done);
    r->service_mean = r->service_n ? r->service_mean : NAN;
    r->calm = r->calm ? r->calm : r->service_mean;
    r->rate_end = r->rate_end ? r->rate_end : r->target;
    r->in_time = r->in_time ? r->in_time : r->done;
    r->own = r->clients;
    r->to = r->scheduled;
}

/* Points of a run in which all happened at an even pace. */
static void points(struct backlog *b, const struct verdict_readings *r)
{
    double in_flight = (double)(r->open - r->waiting), begun = (double)(r->offered - r->dropped);
    double busy = r->service_n ? r->service_mean * (double)r->service_n : 0;

    busy += in_flight * (double)r->scheduled / 2;
    backlog_begin(b, r->scheduled);
    for (int i = 1; i <= 64; i++) {
        double part = i / 64.0;
        struct backlog_point p = {.at = r->scheduled / 64 * i,
                                  .offered = (uint64_t)((double)r->offered * part),
                                  .dropped = (uint64_t)((double)r->dropped * part),
                                  .begun = (uint64_t)((begun - (double)r->waiting) * part),
                                  .done = (uint64_t)((double)r->service_n * part),
                                  .busy = busy * part};
        p.ended = p.begun - (uint64_t)(in_flight * part);
        p.service = r->service_n ? r->service_mean * (double)p.done : 0;
        p.woken = r->late_idle ? r->own * (double)p.at - p.busy : 0;
        backlog_add(b, &p);
    }
}

static void spans(void)
{
    const struct verdict_readings r = {.to = 20 * NS_PER_SEC};
    char buf[64];

    CHECK_STR(say_when(buf, &r, 151 * NS_PER_MS, 249 * NS_PER_MS), " at second 0.2");
    CHECK_STR(say_when(buf, &r, 151 * NS_PER_MS, 251 * NS_PER_MS), " between second 0.2 and 0.3");
}

/* Of a rate that held: what is slow has a cause if at least half of its time is beyond the usual.
 */
static void slow_and_held(void)
{
    static struct backlog b;
    struct verdict_readings r = {WELL};

    complete(&r);
    points(&b, &r);
    r.backlog = &b;
    for (int waited = 50; waited <= 70; waited += 20) { /* of 120 s */
        struct verdict v = {.held = HELD_YES};
        r.lock_wait = waited * NS_PER_SEC;
        CHECK_INT(verdict_cause(&r, &v), waited == 70);
    }
}

/* 12 clients, 10 a second, each of which sleeps for 0.5 s, as usual; those of second 4.0 to 4.5
 * waited for a lock of others before.  Then more are under way, but no more than chance may bring.
 */
static double slept[101], held[101]; /* by tenths of a second */
static bool lock_known;

static void part_of_sleeps(const struct verdict_readings *all, dur_ns from, dur_ns to,
                           struct verdict_readings *part)
{
    const struct backlog_point p = backlog_at(all->backlog, from), q = backlog_at(all->backlog, to);
    const size_t i = (size_t)(from / (NS_PER_SEC / 10)), k = (size_t)(to / (NS_PER_SEC / 10));

    *part = *all;
    part->from = from;
    part->to = to;
    part->scheduled = to - from;
    part->done = part->in_time = part->service_n = q.ended - p.ended;
    part->lock_wait = part->lock_behind = lock_known ? (dur_ns)(held[k] - held[i]) : 0;
    part->in_server = part->waited[WAIT_OTHER].time = (dur_ns)(slept[k] - slept[i]);
}

static void usual_sleeps(bool print)
{
    static struct backlog b;
    struct backlog_point p = {0};
    struct verdict_readings r = {WELL,
                                 .clients = 12,
                                 .target = 10,
                                 .scheduled = 10 * NS_PER_SEC,
                                 .service_mean = 515 * MS,
                                 .calm = 502 * MS,
                                 .spread = 3 * MS,
                                 .late = 2,
                                 .peak = 10,
                                 .peaks = 1,
                                 .peak_from = 4700 * NS_PER_MS,
                                 .peak_to = NS_PER_SEC * 5,
                                 .lock_who = "id 7",
                                 .lock_blockers = 1,
                                 .waits_known = true,
                                 .waited[WAIT_OTHER] = {0, "PgSleep"},
                                 .part = part_of_sleeps};
    struct verdict v;

    complete(&r);
    backlog_begin(&b, r.scheduled);
    for (size_t i = 1; i <= 100; i++) {
        double waits = i > 40 && i <= 45 ? (double)i - 40 : 0;
        double open = (double)(p.begun - p.ended);
        p.at = (dur_ns)i * NS_PER_SEC / 10;
        p.busy += open * 100 * MS;
        held[i] = held[i - 1] + waits * 100 * MS;
        slept[i] = slept[i - 1] + fmax(open - waits, 0) * 100 * MS;
        p.offered = p.begun = i;
        p.ended = p.done = i < 5 ? 0 : i >= 45 && i < 50 ? 40 : i - 5;
        p.service = (double)p.done * r.service_mean;
        backlog_add(&b, &p);
    }
    r.backlog = &b;
    r.lock_wait = r.lock_behind = lock_known ? (dur_ns)held[100] : 0;
    r.in_server = r.waited[WAIT_OTHER].time = (dur_ns)slept[100];
    verdict_of(&r, &v);
    check_row(print, lock_known ? "usual sleeps, and a lock" : "usual sleeps, and nothing is known",
              "yes", v.why);
}

/* The bounds of numbers in words. */
static void words_of_numbers(void)
{
    static const struct {
        double v;
        const char *rate, *ms;
    } t[] = {{9.994, "9.99", "0.000"},     {10, "10", "0.000"},
             {999999, "999,999", "1.000"}, {1e6, "1,000,000", "1.00"},
             {1e8, "100,000,000", "100"},  {999999999999.4, "999,999,999,999", "1000000"},
             {1e12, "1e+12", "1000000"}};
    char buf[32];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_STR(say_rate(buf, t[i].v), t[i].rate);
        CHECK_STR(say_ms(buf, t[i].v), t[i].ms);
    }
    CHECK_NEAR(part_of(1, 0) + part_of(0, 1), 0, 0);
    CHECK_NEAR(part_of(1, 4) + part_of(5, 4), 1.25, 0);
}

TEST_MAIN(verdict_test)
{
    static const char *const words[] = {"no", "yes", "not known"};
    static struct backlog b;

    spans();
    slow_and_held();
    words_of_numbers();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict_readings r = cases[i].r;
        struct verdict v;
        complete(&r);
        points(&b, &r);
        r.backlog = &b;
        verdict_of(&r, &v);
        check_row(argc > 1, cases[i].name, words[v.held], v.why);
    }
    usual_sleeps(argc > 1);
    lock_known = true;
    usual_sleeps(argc > 1);
    return test_done("verdict");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is read of a run while it goes on, and the snapshots that are made of it: the collector, the
 * reporting thread that calls it, and the verdict.  For the files of this directory only.  Private
 * to src/engine
 *
 *     ticker (its own thread; origin and end: main) -> collect -> windows, figures -> snapshot
 */
#ifndef SB_ENGINE_COLLECT_H
#define SB_ENGINE_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/backlog.h"
#include "engine/figures.h"
#include "engine/reading.h"
#include "engine/run_state.h"
#include "engine/verdict.h"

/* A span of the run from one reading to another, and all that its snapshot points to. */
struct window {
    struct snapshot s;
    struct probe_delta probe;
    uint64_t errors[ERROR_ROWS_MAX + 1]; /* by code, in the order of the table */
    union proc_cpu_ticks cpu[2];         /* of this machine where it began and where it ended */
    struct status_span listed;           /* the server's statements */
};

/* Windows that follow each other: phases, stages (windows.c). */
#define WINDOWS_MAX SNAPSHOT_MAX_PHASES
struct windows {
    struct baseline *from; /* where the present one began; NULL: where measuring did */
    struct window *of[WINDOWS_MAX];
    size_t n, lost;
};

/* --- incidents.c: what happened to the machine or the server while a run was measured, and
 * explains its figures: a server that was restarted, a wall clock that was set, a machine that was
 * suspended, a program that was stopped, CPUs that came or went.  They are noticed when the
 * processes are read, by comparing clocks and counts with those of the reading before; nothing is
 * watched in between. --- */

/* The state of the machine at a reading. */
struct machine_state {
    mono_ns at;
    dur_ns wall_ahead;        /* of the wall clock before the monotonic one */
    dur_ns suspended;         /* since the system was started */
    int cpus;                 /* online */
    union proc_cpu_ticks cpu; /* all 0: unknown */
};

struct incidents {
    bool any;
    struct machine_state last;
    unsigned found; /* as in the last sample of the server */
    struct snapshot_incident v[SNAPSHOT_MAX_INCIDENTS];
    size_t n;
    size_t told; /* those of earlier reports */
};

/* One that is kept, unless there are too many; its members. */
void incidents_keep(struct incidents *i, const struct snapshot_incident *v);
#define incidents_add(i, ...) incidents_keep(i, &(struct snapshot_incident){__VA_ARGS__})

void machine_read(struct machine_state *m, mono_ns now);

/* Compares with the previous reading; the first one only takes note.  `server` is NULL without a
 * server. */
void incidents_look(struct incidents *i, const struct machine_state *now,
                    const struct sample *server);

/* In the order of time: those of several load hosts come in that of their reports. */
void incidents_sort(struct incidents *i);

/* The reporting thread got the CPU this long after the instant for which it slept, or did not run
 * for so long in a reading. */
void incidents_late(struct incidents *i, mono_ns now, dur_ns late);

/* How long this program did not run, by a thread that slept and woke up late, or took longer than
 * what it did can take: without the time in which the kernel says that the thread ran, or was ready
 * and had no CPU.  Of one thread. */
struct late_meter {
    int schedstat;      /* -1: the kernel does not say */
    dur_ns ran, waited; /* for a CPU, in all */
    dur_ns late;        /* sum of what late_add() found */
};
void late_begin(struct late_meter *m, const struct clock *clock); /* a test's clock: no schedstat */
dur_ns late_add(struct late_meter *m, dur_ns late);               /* without that time, 0 or more */
void late_fini(struct late_meter *m);

/* --- stalls.c: no transaction ended although some were under way, for at least 0.2 s and much
 * longer than chance would have it (rule_note).  With --server-status, which can tell why; of one
 * load host. --- */

#define STALLS_TOLD 20 /* further ones are counted */
#define STALL_TEXT  320
#define STALL_STEP  (50 * NS_PER_MS) /* between two looks */

struct stalls {
    mono_ns from;         /* of the one that goes on; 0: none does */
    mono_ns latest, seen; /* its end of a transaction, and the last look that saw it */
    dur_ns least;         /* a shorter one is chance */
    mono_ns begin, end;   /* of the last one that is over */
    /* as in struct late_meter, and how long tasks of this machine waited for a CPU: at the last two
     * looks when none went on */
    struct stall_machine {
        dur_ns late, waited, pressed;
    } calm[2];
    size_t client; /* that ended a transaction not long ago */
    size_t n;
    unsigned more;
    dur_ns more_time;
    char text[STALLS_TOLD][STALL_TEXT], rest[64];
};

struct stall_look {
    mono_ns now, began; /* measuring */
    mono_ns latest;     /* end of a transaction */
    mono_ns first;      /* of those that are clients' latest, the first since one began */
    mono_ns earliest;   /* begin of one under way */
    unsigned under_way;
    uint64_t ended; /* transactions until then; of interest when none went on */
    bool over;      /* the run */
};

/* True: one is over, and long enough.  Pure. */
bool stalls_see(struct stalls *s, const struct stall_look *v);

/* --- jumps.c: an interval is far above all before it.  Where stalls are watched. --- */

struct collect;
struct jumps {
    double target;
    struct jump {
        unsigned n;
        double most[3], before; /* the largest; of these the third before the last came */
    } p99, open;
    double busy;      /* ns that clients spent in transactions, and in what time */
    double under_way; /* of those under way */
    dur_ns time, waited;
};

/* True: v is four times the third largest, and larger by `least`.  Pure. */
bool jump_see(struct jump *j, double v, double least);
void jumps_look(struct collect *c, const struct snapshot *s);

/* --- the trail: what the verdict needs of the processes, and of what clients counted, along the
 * run, so that a part of it can be judged by its own figures.  Taken with the reports, or, where
 * these are rare, with a point of the backlog; when it is full, every second one is dropped. --- */

#define TRAIL_POINTS 64

struct trail_point {
    dur_ns at; /* since measuring began */
    struct sample server, self;
    union proc_cpu_ticks cpu;
    struct status_reading status;
    uint64_t count[CNT_MAX];
    uint64_t errors[ERROR_ROWS_MAX + 1]; /* by code, in the order of the table */
    dur_ns retried;
};

struct trail {
    struct trail_point p[TRAIL_POINTS];
    size_t n;
    dur_ns step;                              /* between two points, or more */
    bool looks;                               /* reports are too rare */
    struct error_row row[ERROR_ROWS_MAX + 1]; /* scratch */
};

/* --- the collector --- */

/* What a snapshot points to of errors and outages. */
struct collect_errors {
    struct error_row row[ERROR_ROWS_MAX + 1];
    size_t n;
    struct snapshot_error shown[ERROR_ROWS_MAX + 1];
    struct snapshot_outages outages;
};

struct collect {
    struct run *run;
    size_t stride;               /* reports tell of client i as of i * stride */
    struct figure_table figures; /* warming: reads the warm-up, not what is measured */
    struct baseline now;         /* the current reading */
    struct baseline interval;    /* at the last interval report */
    struct baseline period;      /* at the last checkpoint, or where measuring began */
    struct baseline origin;      /* where measuring began */
    struct baseline last;        /* the final reading of the processes, and nothing else */
    struct collect_errors errors;
    struct snapshot_host *host;                    /* what snapshot.host points to */
    struct probe_delta probe;                      /* what snapshot.probe points to */
    struct stmt_figures statement[STMT_KINDS_MAX]; /* what snapshot.statements points to */
    dur_ns reading_ns;                             /* duration of the last reading of processes */
    bool drawn;                                    /* `last` is valid: no further one */
    struct rank_end end;                           /* collect_end(); then ranks_ends() */
    unsigned alive;  /* clients of this rank that had not ended then */
    bool taken;      /* `now` is a new reading of this rank, for the next report */
    bool first_read; /* the origin's processes were read before it was drawn */
    mono_ns latest;  /* of all readings */
    struct incidents incidents;
    struct stalls stalls;
    struct jumps jumps;
    struct backlog backlog;        /* of this rank */
    struct trail *trail;           /* NULL: nobody needs it, or of several ranks */
    const struct snapshot *judged; /* the final one */
    uint64_t gaps_ended;           /* transactions, when its gaps were looked at last */
    struct late_meter late;        /* of the thread that takes its points */
    struct verdict limit;          /* what snapshot.self_limit points to */

    struct windows phase, stage;
    /* marks are numbered as in their list */
    size_t marks_from, marks_cut; /* the first one of this report, the first one of the next */
    size_t phase_cut;             /* the first one that phases have not taken */
    size_t phase_marks, phase_marks_to;                /* those that the phase begins with */
    struct snapshot_phase phases[SNAPSHOT_MAX_PHASES]; /* what snapshot.phases points to */
    uint64_t stage_offered;                            /* planned starts before the stage */
    struct snapshot_stage stages[SNAPSHOT_MAX_STAGES]; /* what snapshot.stages points to */
};

void collect_init(struct collect *c, struct run *r, bool warming);
void collect_fini(struct collect *c);
/* The processes, before anything begins; optional. */
void collect_first_reading(struct collect *c);
/* The warm-up, or measuring, begins at `at`; reads the processes unless that has been done. */
void collect_origin(struct collect *c, mono_ns at);
/* The processes, for the last time. */
void collect_final_reading(struct collect *c);
/* The reading of this rank alone, c->now; `at` <= 0: now.  The next snapshot is made of it. */
void collect_own(struct collect *c, enum snapshot_kind kind, mono_ns at);
/* From the report before to a new reading; `at` <= 0: now. */
void collect_snapshot(struct collect *c, enum snapshot_kind kind, mono_ns at, struct snapshot *s);
/* The next report of this kind follows this one. */
void collect_next(struct collect *c, enum snapshot_kind kind);
/* That of all ranks, c->now, but for its wall clock; this rank's is taken unless it has been. */
void collect_reading(struct collect *c, enum snapshot_kind kind, mono_ns at);
/* trail.c: begins the backlog, and the trail, of a run that lasts so long; 0: it is not known.  A
 * point of a report that was read, or with one of the backlog; `count`: of all clients. */
void collect_begin_looks(struct collect *c, dur_ns length);
void trail_report(struct collect *c);
void trail_look(struct collect *c, mono_ns at, const uint64_t count[CNT_MAX]);
/* Lets parts of the span be judged: `v` is of c->judged. */
void trail_parts(const struct collect *c, struct verdict_readings *v);
/* A point of the backlog, not later than `before`: a schedule that must be walked is not walked
 * beyond the end of a stage before the stage is read. */
void collect_look(struct collect *c, mono_ns before);
/* What a window of any kind has, from one reading to another.  `probe` is for s->probe to point to;
 * c->figures.shown is then stock's histogram. */
void collect_fill(struct collect *c, enum snapshot_kind kind, const struct baseline *from,
                  const struct baseline *to, struct probe_delta *probe, struct snapshot *s);
/* Once the last reading is in c->now: c->end, of this rank. */
void collect_end(struct collect *c, const struct run_result *res);

/* windows.c: with c->now taken and c->interval still that of the last report; then the marks and
 * phases into the snapshot */
void phases_cut(struct collect *c, enum snapshot_kind kind);
/* The instant at which stage i of the plan ends and the next one begins; MONO_NEVER: none does.  At
 * that tick, what is due, before anything else is read, and the reading; at the end of the run,
 * with c->now taken, the last one. */
mono_ns stages_boundary(const struct run *r, size_t i);
void stages_reading(struct collect *c, uint64_t due);
/* At the end of the run: what statements took in all windows, and in the whole run. */
void windows_statements(struct collect *c);
void stages_end(struct collect *c);
/* A stage that has been judged: not known when most of it was over before its figures began. */
void stages_missed(struct collect *c, size_t stage);

/* stalls.c: whom to ask, NULL: nobody looks; a look, which tells of one that is over; the last one,
 * `over`.
 */
const struct status_source *stalls_source(const struct run *r);
void stalls_look(struct collect *c, bool over);

enum ticker_origin { ORIGIN_AHEAD, ORIGIN_WARMING, ORIGIN_MEASURING, ORIGIN_NEVER };

/* ticker.c: start before the clients; warm_up at the start line if there is one, origin there or
 * after it; stop, fini */
struct ticker {
    struct run *run;
    struct collect collect;
    /* for the lines of the warm-up, if they are wanted: nothing of it enters the other */
    struct collect warm;
    bool shows_warm_up;
    /* the collector: the ticker's, but the main thread draws the origin and the end */
    pthread_mutex_t lock;
    pthread_t thread;
    bool running;
    _Atomic uint32_t open;
    _Atomic uint32_t origin; /* futex: enum ticker_origin */
    bool said_slow, loops_told;
    mono_ns next_interval, next_beat, next_look, next_stall;
    mono_ns last_look; /* where the schedule of --events ends; 0: it has no such end */
    size_t next_checkpoint;
    size_t next_stage; /* the one that ends next */
};
int ticker_start(struct ticker *t, struct run *r, struct err *e);
void ticker_first_reading(struct ticker *t); /* before the origin is drawn; optional */
void ticker_warm_up(struct ticker *t);
void ticker_origin(struct ticker *t, mono_ns at);
/* all loops have ended: read the processes, let clients close */
void ticker_final_reading(struct ticker *t);
/* All loops of this rank have ended: tells the leader what was done since the last tick. */
void ticker_loops_ended(struct ticker *t);
void ticker_stop(struct ticker *t);
void ticker_fini(struct ticker *t);

/* There is a verdict, which needs points of the backlog. */
static inline bool ticker_looks(const struct run *r)
{
    return r->tickets && !r->finder && !(r->ranks && r->plan->rank > 0);
}

/* ticker.c, pure: from where measuring began; the next tick; past one that was reported at `now`.
 */
#define TICK_BEAT  SNAPSHOT_FINAL /* kinds of ticks that are no reports */
#define TICK_LOOK  ((enum snapshot_kind)(SNAPSHOT_PHASE + 1))
#define TICK_STALL ((enum snapshot_kind)(SNAPSHOT_PHASE + 2))
void ticks_schedule(struct ticker *t);
mono_ns ticks_next(const struct ticker *t, enum snapshot_kind *kind);
void ticks_advance(struct ticker *t, enum snapshot_kind kind, mono_ns now);

/* find.c: --tx-find.  Conducts the search for the highest rate: sets a rate, lets it settle, reads
 * the figures of a step, judges them, lets the backlog end, and asks the search (verdict.h) for
 * the next rate.  A thread of its own ("sb-find") that sleeps nearly all the time.
 *
 * Starts r->finder if the plan has a search; -1: there can be no thread. */
int find_begin(struct run *r, struct ticker *t, struct err *e);
/* The run is over, or could not begin: waits for the thread, and completes the record.  Like the
 * others it takes NULL for no search. */
void find_stop(struct finder *f);
void find_free(struct finder *f);

/* span.c: what the verdict is told of a span of the run.
 *
 * What is known of the interval of a snapshot; CPU time of this machine at its two ends. */
struct verdict_readings span_readings(const struct collect *c, const struct snapshot *s,
                                      const union proc_cpu_ticks *before,
                                      const union proc_cpu_ticks *now);
/* The shares of this machine's CPU time in the span of s->server and s->self. */
struct snapshot_machine span_machine(const struct run *r, const struct snapshot *s,
                                     const union proc_cpu_ticks *before,
                                     const union proc_cpu_ticks *now);
/* The final snapshot with the processes since measuring began, not since the last checkpoint. */
struct snapshot span_whole(const struct collect *c, const struct snapshot *s);
/* Of the final snapshot, what happened between two instants: stops and outages. */
void span_events(struct verdict_readings *v, const struct snapshot *s, mono_ns from, mono_ns to);
/* Adds what the backlog tells of a span of the schedule, and its errors. */
void span_backlog(struct verdict_readings *v, const struct collect *c, dur_ns from, dur_ns to);
void span_errors(struct verdict_readings *v, const struct snapshot *s);
/* The backlog's points are of this load host alone: it has an equal share of all starts. */
int span_ranks(const struct run *r);

/* judge.c: was the rate held, do the accounts balance */
void judge(struct collect *c, struct snapshot *s, struct run_result *res);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One run on several load hosts, as the engine sees it.  Each rank runs its share of the clients
 * and of the schedule with the code of a run that is alone; what is added here is when all ranks
 * begin and end, and whose figures are in a report.  Rank 0 is the leader, the others are members.
 * Private to src/engine
 *
 *     ranks.c         the state, messages, one start line and one end for all, ranks that are lost
 *     ranks_merge.c   a member's readings, and the leader adds them to its own; a row for each rank
 *                     in the report; which ranks differ from the others
 *     reading.c       what is sent, as tables
 *
 * Threads: messages come on the link's thread, which writes to struct ranks under its lock, raises
 * run->word and ranks->word and wakes who sleeps on them.  The main thread sleeps on the first one;
 * the ticker, which waits for readings, on the second one.
 *
 * lost_note: of a rank that is lost, the leader knows what it had told until then, and what its
 * share of the schedule offers, then and later.  What of that was neither done nor failed nor
 * dropped nor withdrawn is lost, so the identity of report/snapshot.h holds for the run.  What it
 * did after its last reading is lost, too: nobody knows of it.
 */
#ifndef SB_ENGINE_RANKS_H
#define SB_ENGINE_RANKS_H

#include "cluster/cluster.h"
#include "engine/reading.h"
#include "engine/run_state.h"

struct collect;   /* collect.h */
struct incidents; /* likewise */

/* 1 to 15 are the link's.  Readings and ends are described in reading.h, the others are a struct
 * ranks_note.  All to the leader have new sessions (sql_sessions.h). */
enum ranks_message {
    RANKS_TURN = 16, /* to a member: connect your clients */
    RANKS_READY,     /* to the leader: mine are connected */
    RANKS_OFF,       /* there will be no run; `text` says why */
    RANKS_START,     /* to members: the start line, `at` */
    RANKS_READING,   /* to the leader: of the warm-up (1) or of what is measured (0) */
    RANKS_LOOPS,     /* to the leader: none of my clients goes on, since `at` */
    RANKS_STOP,      /* the run ends early: `why`, `signal`, `text` */
    RANKS_CLOSE,     /* to members: the server was read for the last time */
    RANKS_RATE,      /* to members: from `at` on, `rate` */
    RANKS_FINAL,     /* to the leader: the last reading, then struct rank_end and statements */
    RANKS_LAST = RANKS_FINAL
};
#define RANKS_VERSION 3 /* each message begins with it */

struct ranks_note {
    mono_ns at;
    double rate;
    unsigned why; /* enum stop_reason */
    int signal;
    char text[sizeof((struct err *)0)->msg];
};

/* The shortest and the longest latency of a client, ns; -1: none. */
struct lat_range {
    int64_t min, max;
};

/* The leader's totals of a rank at a moment that is remembered. */
enum rank_moment {
    RANK_REPORT, /* this report: another reading may come meanwhile */
    RANK_SHOWN,  /* the last interval report */
    RANK_ORIGIN, /* where measuring began */
    RANK_MOMENTS
};

/* What the leader knows of a rank.  of[0] is its own. */
struct rank {
    struct reading now, warm; /* of what is measured, and of the warm-up */
    struct baseline was[RANK_MOMENTS];
    /* a member's share, of which nobody here takes a ticket; NULL: no rate */
    struct tickets *schedule;
    struct rank_end end;
    /* a member's: latencies of its clients since the leader's last checkpoint.  A member tells
     * them with the readings of checkpoints, at the end of its loops and at its end, each time
     * since the time before.  They are no totals: what comes late, or is followed by another one
     * before the leader's report, is kept here for the next checkpoint. */
    struct lat_range *range;
    uint64_t stage_due; /* planned starts of `schedule` up to the end of a stage */
    bool ready, looping, ended, lost;
    mono_ns lost_at;
    char why[120];             /* it was lost */
    uint64_t given_up;         /* transactions; lost_note */
    bool late;                 /* the report was made without its reading */
    bool reported;             /* there is an incident about its loss */
    uint64_t counted, checked; /* events in the last report, and in the last checkpoint's */
};

struct ranks {
    struct run *run;
    struct cluster *link;
    int rank, n;
    pthread_mutex_t lock;
    _Atomic uint32_t word;                    /* futex: a reading has come, or a rank is lost */
    struct rank *of;                          /* of[n]; NULL at members */
    struct error_row row[ERROR_ROWS_MAX + 1]; /* of all ranks, in the order they were met */
    size_t rows;
    struct snapshot_rank *shown; /* what snapshot.ranks points to */

    /* a member's */
    struct reading mine;
    struct reading_sent sent, warm_sent;
    bool turn, loops_sent, end_sent;
    _Atomic bool close, ended_by_leader;
    uint64_t sessions_told;
    mono_ns start; /* 0: not known yet */

    _Atomic bool began; /* past the start line: nothing is called off any more */
    _Atomic bool off;   /* there will be no run */
    char off_why[256];
};

/* True on the leader of a run with several ranks, and on the others. */
static inline bool ranks_lead(const struct run *r)
{
    return r->ranks && r->plan->rank == 0;
}

static inline bool ranks_follow(const struct run *r)
{
    return r->ranks && r->plan->rank > 0;
}

/* ranks.c.  NULL: alone.  listen: messages come from now on; or not: no further one is handled once
 * it has returned. */
struct ranks *ranks_new(struct run *r);
void ranks_listen(struct ranks *k, bool on);
void ranks_free(struct ranks *k);
/* To the leader, or to all members. */
void ranks_send(struct ranks *k, enum ranks_message type, const struct ranks_note *note);

/* The start; main thread; -1: there will be no run */
int ranks_await_turn(struct run *r, struct run_result *res, struct err *e);
int ranks_await_others(struct run *r, struct run_result *res, struct err *e);
bool ranks_are_off(const struct run *r, struct err *e);
dur_ns ranks_ahead(const struct run *r); /* how far ahead the start line must be */
void ranks_start_line(struct run *r);    /* run->t0: tells it, or is told */
void ranks_call_off(struct run *r, const struct err *e);

/* The end.  No rank closes its connections before the server was read for the last time
 * (final_reading_note in run_state.h).  So the leader goes on until no rank has a client in its
 * loop, and members wait for RANKS_CLOSE; both only until clients that are still busy would be
 * abandoned.  True: one more client seems to go on; `abandon`: when they would be. */
bool ranks_go_on(struct run *r, mono_ns abandon, mono_ns now);
void ranks_close(struct run *r);                                /* tells members to */
mono_ns ranks_loops_end(const struct run *r);                   /* as run_loops_end() */
bool ranks_failed(const struct run *r, char *why, size_t size); /* some were lost; NULL, 0 */

/* ranks_merge.c, a member's */
#define RANKS_BEAT NS_PER_SEC /* members tell a reading as often, at least */
void ranks_tell_reading(struct collect *c, enum snapshot_kind kind, mono_ns tick);
void ranks_tell_end(struct collect *c, mono_ns run_end);
/* the leader's, under the lock; -1: it cannot be read */
int ranks_take_reading(struct ranks *k, int from, struct get *in);
int ranks_take_end(struct ranks *k, int from, struct get *in);

/* The leader's.  c->now is its own reading, and then that of all. */
/* `ends`: for their ends, else for readings of that tick.  What is not there is late. */
void ranks_await(struct ranks *k, bool ends, mono_ns tick, bool warming, mono_ns until);
void ranks_merge(struct collect *c, enum snapshot_kind kind);
void ranks_schedule(struct ranks *k, const struct ticket_spec *spec);
void ranks_set_rate(struct run *r, mono_ns at, double rate);
void ranks_close_schedule(struct run *r, mono_ns at);
uint64_t ranks_offered(struct run *r, dur_ns at);    /* by the members, up to where a stage ends */
void ranks_say_late(const struct run *r, dur_ns at); /* a checkpoint is without some */
/* What the members told last, added up; 0 without any. */
struct ranks_members {
    struct reading_totals t;
    uint64_t trailing;   /* clients whose last transaction is done, and ended after the limit */
    uint64_t lost_later; /* of those lost, once merged: planned after ranks_offered()'s instant */
};
struct ranks_members ranks_members(const struct run *r, mono_ns limit);
/* Under the lock, public for tests: rows of errors of this rank become those of all; what happened
 * at a rank, as `from` tells, becomes part of the leader's list; same_kernel: as the leader's. */
void ranks_merge_rows(struct ranks *k, struct error_row *row, size_t *n);
void ranks_add_incidents(struct incidents *to, struct reading *from, int rank, const char *host,
                         bool same_kernel);
/* Says at which host happened what the leader has noticed itself. */
void ranks_own_incidents(struct incidents *i, const char *host);

/* Once all have ended: adds the ends of the members to c->end.  What ranks that were lost would
 * have told is unknown, and left out. */
void ranks_ends(struct collect *c);
mono_ns ranks_run_end(const struct run *r, mono_ns own); /* of all ranks */

/* A row for each rank, and what the members add to the leader's figures */
void ranks_fill(struct collect *c, struct snapshot *s);
/* The clients of members, of one more snapshot that was filled from c->now: a stage's. */
void ranks_add_running(const struct collect *c, struct snapshot *s);
/* The CPU of the rank that is nearest to its limit, in % of one CPU, and its CPUs. */
bool ranks_busiest(const struct snapshot *s, double *pct, int *cpus);

/* Pure functions.  Which rows differ from the others (struct snapshot_rank, apart); n samples are
 * enough to be compared; the percentile of n samples that the true 99th one is above, but for
 * RANKS_ERRORS standard errors. */
#define RANKS_LEAST_SAMPLES 1000
#define RANKS_ERRORS        3
void ranks_mark_apart(struct snapshot_rank *row, size_t n);
bool ranks_compares(uint64_t n);
double ranks_least_pct(uint64_t n);

#endif

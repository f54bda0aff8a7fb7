/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One run on several load hosts, as the engine sees it.  Each rank runs its share of the clients
 * and of the schedule with the code of a run that is alone; what is added here is when all ranks
 * begin and end, and whose figures are in a report.  Rank 0 is the leader, the others are members.
 * Private to src/engine
 *
 *     ranks.c         the state; messages that come in
 *     ranks_start.c   clients connect in turn, one start line for all
 *     ranks_stop.c    whoever ends the run ends all of it; ranks that are lost
 *     ranks_tell.c    a member's readings, and its end
 *     ranks_merge.c   the leader adds them to its own reading, with which a report begins
 *     ranks_end.c     what is told once, at the end
 *     ranks_rows.c    errors by code
 *     ranks_events.c  incidents at members
 *     ranks_show.c    a row for each rank in the report
 *     ranks_apart.c   which ranks differ from the others
 *
 * Threads: messages come on the link's thread, which writes to struct ranks under its lock, raises
 * run->word and ranks->word and wakes who sleeps on them.  The main thread sleeps on the first one;
 * the ticker, which waits for readings, on the second one.
 *
 * lost_note: of a rank that is lost, the leader knows what it had told until then, and what its
 * share of the schedule offers, then and later.  What of that was neither done nor failed nor
 * dropped nor withdrawn is lost, so  offered = done + failed + dropped + unfinished + lost  holds
 * for the run.  What it did after its last reading is lost, too: nobody knows of it.
 *
 * range_note: a member tells the shortest and the longest latency of each client with the readings
 * of checkpoints, at the end of its loops and at its end, each time since the time before.  They
 * are no totals: one that comes late, or is followed by another one before the leader's report, is
 * kept for the next checkpoint.
 *
 * close_note: no rank closes its connections before the server was read for the last time
 * (final_reading_note in run_state.h).  So the leader goes on until no rank has a client in its
 * loop, and members wait for RANKS_CLOSE; both only until clients that are still busy would be
 * abandoned.
 */
#ifndef SB_ENGINE_RANKS_H
#define SB_ENGINE_RANKS_H

#include "cluster/cluster.h"
#include "engine/reading.h"
#include "engine/run_state.h"

struct collect;   /* collect.h */
struct incidents; /* incidents.h */

/* 1 to 15 are the link's. */
enum ranks_message {
    RANKS_TURN = 16, /* to a member: connect your clients */
    RANKS_READY,     /* to the leader: mine are connected */
    RANKS_OFF,       /* there will be no run; why */
    RANKS_START,     /* to members: the start line */
    RANKS_READING,   /* to the leader: of the warm-up (1) or of what is measured (0) */
    RANKS_LOOPS,     /* to the leader: none of my clients goes on, since an instant */
    RANKS_STOP,      /* the run ends early: enum stop_reason, signal, a sentence or "" */
    RANKS_CLOSE,     /* to members: the server was read for the last time */
    RANKS_RATE,      /* to members: an instant, and the rate from then on */
    RANKS_FINAL      /* to the leader: the last reading, then struct rank_end */
};
#define RANKS_VERSION 1 /* each message begins with it */

/* What is told once, when no transaction is left.  0: nothing of the kind. */
enum rank_end_figure {
    END_RUN,     /* end_of_run() */
    END_OVER,    /* where the workload ended the schedule */
    END_PLANNED, /* latest planned start that was begun */
    END_BEGUN,   /* when the last transaction began */
    END_WAKE,    /* struct client, worst_wake */
    END_LEFT,    /* ranks with clients that were abandoned */
    END_FORCED,  /* ranks that ended by a forced shutdown */
    END_RETRIED, /* struct snapshot_retries */
    END_RETRIES,
    END_MOST_RETRIES,
    END_RETRIED_FAILED,
    END_UNKNOWN,
    END_CONNECTED, /* struct snapshot_connections */
    END_REFUSED,
    END_REFUSED_WITH,
    END_PLAIN,
    END_BATCHES, /* struct sched_batches */
    END_ANSWERS,
    END_HELD,
    END_HELD_MOST,
    END_WORKERS, /* struct run, saturated */
    END_SATURATED,
    END_SATURATED_PPM,
    END_MAX
};
struct rank_end {
    int64_t n[END_MAX];
    struct hist_counts first, last;    /* of retries */
    struct hist_counts connect, again; /* of connections: `connect`, `away` */
    struct hist_counts during, after;  /* of outages */
    struct outage outage[OUTAGES_MAX];
    size_t outages, more_outages;
};

/* The shortest and the longest latency of a client, ns; -1: none. */
struct lat_range {
    int64_t min, max;
};

/* What the leader knows of a rank.  of[0] is its own. */
struct rank {
    struct reading now, warm; /* of what is measured, and of the warm-up */
    struct baseline merged;   /* `now` as it is in the report: another one may come meanwhile */
    struct baseline shown;    /* the same of the last interval report */
    struct baseline origin;   /* where measuring began */
    /* a member's share, of which nobody here takes a ticket; NULL: no rate */
    struct tickets *schedule;
    struct rank_end end;
    /* a member's: latencies of its clients since the leader's last checkpoint (range_note) */
    struct lat_range *range;
    uint64_t stage_due; /* planned starts of `schedule` up to the end of a stage */
    bool ready, looping, ended, lost;
    mono_ns lost_at;
    char why[120];             /* it was lost */
    uint64_t given_up;         /* transactions; lost_note */
    bool late;                 /* the report was made without its reading */
    bool told;                 /* there is an incident about its loss */
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
    bool turn, loops_told, end_told;
    _Atomic bool close, told; /* told: the leader ends the run */
    mono_ns start;            /* 0: not known yet */

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

/* ranks.c.  NULL: alone.  listen: messages come from now on; unlisten: no further one is handled
 * once it has returned. */
struct ranks *ranks_new(struct run *r);
void ranks_listen(struct ranks *k);
void ranks_unlisten(struct ranks *k);
void ranks_free(struct ranks *k);
void ranks_send(struct ranks *k, int to, enum ranks_message type, const struct put *payload);
void ranks_send_all(struct ranks *k, enum ranks_message type, const struct put *payload);
void ranks_payload(struct put *out);                               /* its version */
const char *ranks_who(const struct ranks *k, int i, char out[96]); /* "rank 2 (load2)" */

/* ranks_start.c, main thread; -1: there will be no run */
int ranks_await_turn(struct run *r, struct run_result *res, struct err *e);
int ranks_await_others(struct run *r, struct run_result *res, struct err *e);
bool ranks_are_off(const struct run *r, struct err *e);
dur_ns ranks_ahead(const struct run *r); /* how far ahead the start line must be */
void ranks_start_line(struct run *r);    /* run->t0: tells it, or is told */
void ranks_call_off(struct run *r, const struct err *e);
void ranks_off(struct ranks *k, const char *why); /* any thread */

/* ranks_stop.c */
void ranks_tell_stop(struct run *r, enum stop_reason why, const char *text); /* any thread */
void ranks_on_stop(struct ranks *k, int from, struct get *in);
void ranks_lose(struct ranks *k, int rank, const char *why);
/* One more client seems to go on (close_note); `abandon`: when clients would be abandoned. */
bool ranks_go_on(struct run *r, mono_ns abandon, mono_ns now);
void ranks_close(struct run *r);                                /* tells members to */
mono_ns ranks_loops_end(const struct run *r);                   /* as run_loops_end() */
bool ranks_failed(const struct run *r, char *why, size_t size); /* some were lost */
bool ranks_any_lost(const struct run *r);
bool ranks_told(const struct run *r); /* the leader has ended this member's run */

/* ranks_tell.c */
void ranks_own_reading(const struct collect *c, bool whole, mono_ns tick, struct reading *out);
void ranks_tell_reading(struct collect *c, enum snapshot_kind kind, mono_ns tick);
void ranks_tell_end(struct collect *c, const struct run_result *res, mono_ns run_end);
#define RANKS_BEAT NS_PER_SEC /* members tell a reading as often, at least */
void ranks_on_reading(struct ranks *k, int from, struct get *in);
void ranks_on_final(struct ranks *k, int from, struct get *in);

/* ranks_merge.c, the leader's.  c->now is its own reading, and then that of all. */
void ranks_await_readings(struct ranks *k, mono_ns tick, bool warming, dur_ns at_most);
void ranks_await_ends(struct run *r);
void ranks_merge(struct collect *c, enum snapshot_kind kind);
void ranks_checked(struct ranks *k);
void ranks_schedule(struct ranks *k, const struct ticket_spec *spec);
void ranks_set_rate(struct run *r, mono_ns at, double rate);
/* By the members, up to `at`, where a stage ends.  Once they are merged: how many of the lost ones
 * were planned after it. */
uint64_t ranks_offered(struct run *r, dur_ns at);
uint64_t ranks_lost_later(const struct run *r);
void ranks_say_late(const struct run *r, dur_ns at); /* a checkpoint is without some */
void ranks_close_schedule(struct run *r, mono_ns at);
mono_ns ranks_last(const struct run *r); /* when the latest transaction of a member ended */
/* For the balance of the tickets, and transactions that ended after `limit` (judge.c). */
void ranks_add_tickets(const struct run *r, uint64_t *issued, uint64_t *returned);
uint64_t ranks_trailing(const struct run *r, mono_ns limit);
unsigned ranks_away(const struct run *r); /* connections that members have lost */
void reading_add(struct baseline *to, const struct baseline *from); /* of another rank */

/* ranks_rows.c: rows of this rank become those of all, under the lock */
void ranks_merge_rows(struct ranks *k, struct error_row *row, size_t *n);

/* ranks_events.c, under the lock: what happened at members becomes part of the leader's list.
 * Public for its test: what happened at a rank, as `from` tells; same_kernel: as the leader's. */
void ranks_merge_incidents(struct ranks *k, bool warming, struct incidents *to);
void ranks_add_incidents(struct incidents *to, struct reading *from, int rank, const char *host,
                         bool same_kernel);
/* Says at which host happened what the leader has noticed itself. */
void ranks_own_incidents(struct incidents *i, const char *host);
/* ranks_end.c */
void rank_end_init(struct rank_end *v);
void rank_end_fini(struct rank_end *v);
void rank_end_fill(struct rank_end *v, struct collect *c, const struct run_result *res);
void rank_end_put(struct put *out, struct rank_end *v);
int rank_end_get(struct rank_end *v, struct get *in);
void rank_end_add(struct rank_end *to, struct rank_end *v);
/* Once all have ended, and c->now is the last reading.  Those that follow then know of all ranks;
 * of a run that is alone they give what it has itself. */
void ranks_ends(struct collect *c, const struct run_result *res);
mono_ns ranks_run_end(const struct run *r, mono_ns own);
int64_t ranks_end(const struct run *r, enum rank_end_figure figure, int64_t own); /* the most */
void ranks_end_fill(struct collect *c, struct snapshot *s);
size_t ranks_outages(const struct ranks *k, struct outage out[OUTAGES_MAX], size_t *more);
/* ranks_statements.c */
void ranks_put_statements(const struct run *r, struct put *out);
int ranks_get_statements(struct run *r, struct get *in);

/* ranks_show.c: a row for each rank, and what the members add to the leader's figures */
void ranks_fill(struct collect *c, struct snapshot *s);
/* The clients of members, of one more snapshot that was filled from c->now: a stage's. */
void ranks_add_running(const struct collect *c, struct snapshot *s);
/* The CPU of the rank that is nearest to its limit, in % of one CPU, and its CPUs. */
bool ranks_busiest(const struct snapshot *s, double *pct, int *cpus);

/* ranks_apart.c, pure functions.  Which rows differ from the others (struct snapshot_rank, apart);
 * n samples are enough to be compared; the percentile of n samples that the true 99th one is above,
 * but for RANKS_ERRORS standard errors. */
#define RANKS_LEAST_SAMPLES 1000
#define RANKS_ERRORS        3
void ranks_mark_apart(struct snapshot_rank *row, size_t n);
bool ranks_compares(uint64_t n);
double ranks_least_pct(uint64_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a client is made of, and what its files (client*.c) offer to the rest of the engine; a
 * workload sees client.h.  Its own thread writes; the reader only loads (relaxed atomics).  Private
 * to src/engine
 */
#ifndef SB_ENGINE_CLIENT_STATE_H
#define SB_ENGINE_CLIENT_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"
#include "engine/error_backoff.h"
#include "engine/run_state.h"
#include "stats/counters.h"
#include "stats/outages.h"

/* client->word.  A client takes WORD_LOOK back when it has seen it; nobody takes WORD_STOPPED
 * back. */
enum client_word { WORD_NONE, WORD_STOPPED, WORD_LOOK };

/* The transaction in hand, if it met an error; else all 0. */
struct client_retry {
    unsigned retries;
    bool fails;        /* --on-error: it is not to be run again */
    mono_ns first_end; /* of its first attempt */
    mono_ns again;     /* when its latest attempt began */
    struct error_backoff backoff;
};

/* Its connections that were lost. */
struct client_loss {
    mono_ns at;    /* of the latest; earlier than `begun`: not in the transaction in hand */
    unsigned away; /* how many count as away in run->outages */
};

struct client {
    /* what every transaction touches: two cache lines (with thousands of clients each is a miss) */
    CACHE_ALIGNED struct run *run;
    int id; /* among this rank's */
    bool shard_shared;
    bool idle_in_time; /* the ticket was taken before its planned start */
    bool has_event;    /* of --events without a rate, since the warm-up ended */
    bool told_over;    /* the engine ended its loop, not the script */
    bool failed;       /* the loop ended with an error */
    bool troubled;     /* the transaction in hand met an error: `retry` */
    /* the transaction in hand, or the last one, was none of the warm-up (warm_up_note) */
    _Atomic bool measured;
    _Atomic bool in_statement; /* the SQL floor says so; the reporter samples it */
    bool warm_start;           /* the ticket in hand is of the warm-up's schedule */
    bool plain; /* nothing of what a run may have beside its transactions (plain_note) */
    struct counters *counters;
    struct shard *shard;                 /* of the warm-up, then of what is measured */
    struct hist_stock *stock;            /* the shard's; NULL: no percentile is wanted */
    struct stmt_stats_shard *stmt_stats; /* NULL: statements are not timed by kind */
    struct raw_ring *raw;                /* NULL: transactions are not logged one by one */
    struct rng rng;
    mono_ns planned; /* of the transaction in hand */
    /* read by the reporter */
    _Atomic mono_ns begun; /* of the transaction in hand */
    /* end of the latest transaction (at first the start line): edges need no further reading */
    _Atomic int64_t last;
    _Atomic int64_t last_undone;      /* of the latest that failed or was withdrawn */
    _Atomic uint32_t word;            /* enum client_word */
    _Atomic unsigned period;          /* written by the reporter: which one it is, in checkpoints */
    _Atomic unsigned epoch;           /* which period min and max belong to */
    _Atomic int64_t lat_min, lat_max; /* of that period, ns */
    _Atomic int64_t lat_sum;          /* since the start, ns */
    _Atomic int64_t undone;           /* the same of transactions that failed or were withdrawn */
    _Atomic int64_t woken;            /* starts that it slept for were late, sum; ns */
    _Atomic int64_t retried;          /* in attempts that failed, and the pauses after them; ns */
    /* the first transaction that was done, in the warm-up or not; 0: none yet */
    _Atomic mono_ns first_begun;
    _Atomic dur_ns first_took;
    _Atomic int64_t in_hand; /* with a rate: planned start of the ticket in hand, 0 = none */

    _Atomic unsigned host; /* row of run->hosts */
    uint64_t *before_move; /* what it counted at each host (collect.c); NULL: nothing */
    struct rng think;      /* for --think-time */
    struct client_retry retry;
    struct client_loss lost;
    /* the longest lag of a start for which this client had been idle in time */
    dur_ns worst_wake;
    _Atomic int64_t over_at; /* where the schedule ended for this client */
    mono_ns loop_end;        /* set before run->looping counts it out */
    pthread_t thread;
    int number; /* its tid: among those of all ranks */
    bool started;
    bool absent;     /* refused, and trying to connect (executor.c) */
    bool never;      /* it was still refused when the run ended */
    bool placed;     /* it has one of run->places */
    bool late;       /* it came after the start line */
    bool begun_loop; /* it was at the start line */
};

/* True when the transaction that has begun, or is about to, belongs to the warm-up. */
static inline bool client_warming(const struct client *c)
{
    return !atomic_load_explicit(&c->measured, memory_order_relaxed);
}

/* When its latest transaction ended; 0: that one failed or was withdrawn. */
static inline mono_ns client_last_done(const struct client *c)
{
    mono_ns last = atomic_load_explicit(&c->last, memory_order_relaxed);

    return last == atomic_load_explicit(&c->last_undone, memory_order_relaxed) ? 0 : last;
}

/* client.c */
void client_setup(struct client *c, struct run *r, int id);

/* client_wait.c: until the instant (true) or until *word is not 0 any more (false). */
bool client_await(struct client *c, mono_ns until, _Atomic uint32_t *word);
/* As client_await(until, &c->word), but WORD_LOOK ends it, too, and stays. */
bool client_await_change(struct client *c, mono_ns until);
/* True: the word was WORD_LOOK, and is no longer. */
bool client_look_again(struct client *c);
/* Precisely until a planned start; with --tx-spin the last part is a busy wait, which no timer of
 * the kernel beats for precision.  A worker does that for all its clients together.  False: the run
 * stopped, or the rate changed. */
bool client_sleep(struct client *c, mono_ns until);

/* client_error.c */
bool client_goes_on(const struct client *c); /* neither stopped nor at the time limit */
void client_left(struct client *c); /* its loop has ended: nobody waits for its connections */
void client_trouble_over(struct client *c, mono_ns now, bool done); /* c->troubled */
/* The accounts at an instant, for outages_new(). */
void run_outage_counts(void *arg, mono_ns now, struct outage_counts *n, dur_ns *in_time);

/* client_connect.c: clients that the server refuses at first (--min-clients) */
bool absent_allowed(const struct run *r);
void absent_say_begin(const struct run *r);

#endif

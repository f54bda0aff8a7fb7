/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server's status counters (SHOW GLOBAL STATUS, pg_stat_database) as plain data.  This directory
 * cannot query a server; session/server_status.h provides the source.  Pure arithmetic; any thread
 * may call.
 */
#ifndef SB_TELEMETRY_STATUS_H
#define SB_TELEMETRY_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "telemetry/waits.h"

#define STATUS_MAX 56

/* Growth in the interval, a level, which is no count, or growth per second or transaction. */
enum status_kind { STATUS_GROWTH, STATUS_LEVEL, STATUS_PER_S, STATUS_PER_TX };

struct status_name {
    const char *name;
    enum status_kind gauge; /* STATUS_GROWTH: it is none */
};

/* Sessions of the server that are not ours.  Sums over the readings so far; of a difference, over
 * those in between. */
struct status_others {
    const char *why;    /* NULL: the (last) reading knows; constant */
    unsigned connected; /* then */
    dur_ns known;       /* the time before readings that know */
    dur_ns active;      /* of it, the time of each session that worked, added up */
    dur_ns busy;        /* with at least one of them */
    unsigned hidden;    /* readings that saw sessions, but not what they did; `hides` says why */
    const char *hides;  /* in a difference NULL: there was none */
    /* What the server has counted (MySQL: Questions; PostgreSQL: transactions), and how much of
     * that was theirs at least and at most.  `no_work` says why that is not known; NULL: it is. */
    double counted, least, most;
    uint64_t greeted; /* connections of ours that had the server execute more than we sent */
    bool background;  /* the server's own workers are counted as well */
    const char *no_work;
};

struct status_reading {
    mono_ns at;     /* middle of question and answer */
    dur_ns cost_ns; /* between them */
    uint64_t have;  /* bit i: name i was answered */
    /* bit i: v[i] is the last known value, this answer's or an earlier one's */
    uint64_t kept;
    double v[STATUS_MAX];
    unsigned lives; /* restarts of the server so far; counters are sums over its lives */
    unsigned whole; /* answers so far that follow another one of the same life */
    struct status_others others;
    struct status_waits waits;
    char why[160];              /* when nothing was: the reason */
    const char *no[STATUS_MAX]; /* that one has of its own, NULL: none; as long as the source */
};

/* What statements took in the server while measuring lasted, by its own statistics. */
#define STATEMENT_FIGURES 11
struct status_statement {
    const char *key;  /* what it is to the server */
    const char *text; /* normalised; NULL: it is about such statistics */
    bool several;     /* a sum, and the text says of which */
    union {           /* NaN: the server does not tell */
        struct {      /* rows: returned or changed; no_index: calls; tmp_blocks: written */
            double calls, time_s, rows, examined, no_index, tmp_tables, tmp_on_disk, hits, reads,
                tmp_blocks, wal;
        };
        double v[STATEMENT_FIGURES];
    };
};

#define STATEMENTS_LISTED 10
struct status_statements {
    const char *why; /* NULL: what follows is known, or nobody asked; constant */
    dur_ns known;    /* between the two answers */
    double calls, time_s;
    size_t statements; /* so many different ones */
    size_t n;          /* listed: those that took longest, the longest first; 0: not known */
    struct status_statement of[STATEMENTS_LISTED]; /* texts live as long as the source */
    char says[600];                                /* a conclusion; "": nothing is plain */
};

/* From one list to another: each is the first at `at` or later, and not later than `by`. */
struct status_span {
    mono_ns at[2], by[2];
};

struct status_source {
    void *arg;
    const struct status_name *name; /* n of them, constant */
    size_t n;
    bool waits; /* they are sampled */
    bool quiet; /* nobody asked for them: what fails from the beginning is not told in lines */
    /* Queries the server, and waits a limited time for the answer. */
    void (*read)(void *arg, struct status_reading *out);
    /* While no transaction ends: looks at the server's process.  Then, what sessions of ours and
     * the server's own processes did from one instant to another, in words, or (false) why that is
     * not known. */
    void (*look)(void *arg);
    bool (*between)(void *arg, mono_ns from, mono_ns to, char *out, size_t size);
    /* NULL: does not know.  The server's statements are to be listed, for the first time where
     * measuring begins.  When it has ended: what they took between two lists; the first of these
     * calls makes the last list, in a limited time. */
    void (*list)(void *arg);
    void (*statements)(void *arg, const struct status_span *span, struct status_statements *out);
};

struct status_delta {
    dur_ns wall_ns;
    uint64_t have;
    double v[STATUS_MAX];           /* growth in the interval; a gauge's value at its end */
    bool lower;                     /* growth is a lower bound, and `why` says why */
    struct status_others others;    /* known 0: nothing is, and why is never NULL */
    struct status_waits waits;      /* the same */
    double budget_us[BUDGET_PARTS]; /* of a transaction, mean; NaN: not known */
    enum budget_source budget;
    bool unended; /* none of these: transactions that have not ended waited for longer */
    char why[160];
    const char *no[STATUS_MAX]; /* for one name, NULL: `why` */
};

/*
 * Makes a sum of the counters of a server that may be restarted: they begin at zero then.  One for
 * each source; initialise with {0}.
 */
struct status_lives {
    bool any;
    mono_ns at;    /* of the last answer, and then: */
    double up;     /* for how many seconds the server had run */
    bool answered; /* the last question */
    uint64_t have;
    double v[STATUS_MAX], past[STATUS_MAX]; /* as told, and what is added */
    unsigned lives, whole;
};

/* Completes an answer of a server that had run for `up` seconds, or one that did not come. */
void status_join(struct status_lives *l, const struct status_name *name, size_t n, double up,
                 struct status_reading *r);

/*
 * A counter that decreased (FLUSH STATUS) is absent.  So are all counters of an interval in which
 * the server was restarted.  Over several intervals, what is known of each life is a lower bound;
 * so is what is known if the last answer did not come.
 */
void status_diff(const struct status_name *name, size_t n, const struct status_reading *before,
                 const struct status_reading *after, struct status_delta *out);

/* Makes of growth what is shown of it, in an interval of so many transactions. */
void status_share(const struct status_name *name, size_t n, uint64_t transactions,
                  struct status_delta *d);

static inline bool status_has(const struct status_delta *d, size_t i)
{
    return d->have >> i & 1;
}

/* Why it does not. */
const char *status_why(const struct status_delta *d, size_t i);

#endif

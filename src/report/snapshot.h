/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of the time between two reports, as plain data: all figures of one snapshot cover the
 * same interval.  The engine fills it; every observer (text, Lua hooks, result files, metrics)
 * renders the same struct, so they cannot disagree.  It is constant, and valid during the call that
 * passes it.
 *
 * The identity  offered = done + failed + dropped + unfinished + lost  holds for the cumulative
 * figures of every snapshot: unfinished = waiting (due, not begun) + in_flight (begun, not ended) +
 * withdrawn (begun, and their script ended them as neither done nor failed).  lost is 0 unless one
 * of several load hosts was lost.
 *
 * The interval of a final snapshot begins at the last checkpoint, as in stock's report; its struct
 * snapshot_rate nevertheless covers the whole run, so that percentiles, spread and totals belong
 * together.
 */
#ifndef SB_REPORT_SNAPSHOT_H
#define SB_REPORT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "report/find_record.h"
#include "stats/counters.h"
#include "stats/error_table.h"
#include "stats/hist.h"
#include "stats/stmt_stats.h"
#include "stats/marks.h"
#include "stats/outages.h"
#include "telemetry/probe.h"
#include "telemetry/sample.h"

enum snapshot_kind { SNAPSHOT_INTERVAL, SNAPSHOT_CHECKPOINT, SNAPSHOT_FINAL, SNAPSHOT_PHASE };

#define SNAPSHOT_MAX_PERCENTILES 16

/* One latency series; durations in ns, -1 where there was no sample. */
struct snapshot_series {
    uint64_t n;
    int64_t p50, p95, p99, max;
    double mean;                           /* ns; NaN when n = 0 */
    int64_t pct[SNAPSHOT_MAX_PERCENTILES]; /* at snapshot.percentile[] */
    int64_t p10;                           /* for the verdict */
};

/* Transactions that were run again after an error; the whole run's, those that are over. */
struct snapshot_retries {
    uint64_t transactions; /* that were run again at least once */
    uint64_t retries;      /* how often, all together */
    uint64_t most;         /* one of them */
    uint64_t failed;       /* those that failed nevertheless */
    /* COMMITs of any transaction whose answer was lost with the connection */
    uint64_t unknown;
    /* of those that are done: until the first attempt failed, and until the last one was done */
    struct snapshot_series first, last;
};

/* The connections of the clients; the whole run's. */
struct snapshot_connections {
    bool asked; /* an option of ours asks for more than stock's report */
    bool
        limited; /* --min-clients was given; else all clients were connected, or there was no run */
    unsigned clients, connected; /* of --threads, and at the end */
    unsigned refused;            /* by the server, at first */
    int refused_with;            /* the latest error; 0: it has no number */
    size_t plain;                /* connections that gave up prepared statements */
    /* of those that were lost and are back: the attempt that succeeded, and from the loss on */
    struct snapshot_series connect, away;
};

/* --workers=batch: answers that were held back, to be taken several at once; the whole run's. */
struct snapshot_batches {
    bool asked; /* in any report; the rest in the final one */
    uint64_t batches, answers;
    double held_mean_s, held_max_s; /* for so long at most; NaN: no answer was held back */
};
#define SNAPSHOT_NONE_HELD "no answer was held back"

/* --warmup-until; the whole run's. */
struct snapshot_warmup {
    bool asked;
    bool steady; /* false: the limit of time ended it */
    bool rate;   /* what was watched: mean response time with a rate, else transactions a second */
    double bound_pct;
    dur_ns after;                 /* how long it lasted */
    bool has_trend;               /* the two that follow: of the last window */
    double change_pct, error_pct; /* of the mean, in the window */
};

/* Present when the run has a rate. */
struct snapshot_rate {
    double target;       /* transactions per second */
    bool shared;         /* by several load hosts: some of it may be lost */
    bool target_changed; /* by hand, while the run went on: the target is a mean */
    /* in this interval */
    uint64_t offered, done, failed, dropped, late;
    uint64_t lost; /* of load hosts that were lost; 0 with one host */
    /* since the start line */
    uint64_t total_offered, total_done, total_failed, total_dropped, total_late, total_lost;
    uint64_t total_late_idle; /* of total_late, those that had an idle client waiting for them */
    uint64_t withdrawn;
    /* at its end */
    uint64_t waiting, in_flight;
    /* how long the oldest planned start that has not ended has been due; 0 = none */
    dur_ns oldest_ns;
    struct snapshot_series response, service, lag;
    uint64_t events_least, events_most; /* checkpoint and final: of one client */
    /* final, and of a stage: delivered in the schedule's time, per second; what the verdict
     * compares.  NaN: it is not judged, as with a search */
    double achieved;
};

static inline uint64_t rate_unfinished(const struct snapshot_rate *q)
{
    return q->waiting + q->in_flight + q->withdrawn;
}

/* Whether the identity holds; the figures come from separate counts. */
static inline bool rate_balances(const struct snapshot_rate *q)
{
    return q->total_offered ==
           q->total_done + q->total_failed + q->total_dropped + rate_unfinished(q) + q->total_lost;
}

/* One client, over the interval; min and max are -1 without an event. */
struct snapshot_client {
    uint64_t events;
    int64_t sum_ns, min_ns, max_ns;
    bool unknown; /* its load host was lost: the rest means nothing, and averages are without it */
};

struct snapshot_server {
    bool on;              /* the user requested it, and there is something to read */
    const char *why_off;  /* NULL, or why it is not on although the user requested it */
    const char *describe; /* "mariadbd (pid 4711)" */
    int ncpu;             /* of its host; 0: of ours */
    bool has_before;      /* of the server: it was read before the load, too */
    double before_pct;    /* its CPU time then, % of one CPU */
    struct sample_delta d;
};

/* What happened to the machine or the server.  `at` is when a reading noticed it, except for a
 * restart of the server, whose new process says when it began. */
enum incident_kind {
    INCIDENT_SERVER_RESTARTED, /* was, is: process ids */
    INCIDENT_SERVER_CHANGED,   /* the same; the clients went over to one that was there before */
    INCIDENT_CLOCK_SET,        /* duration: by how much, < 0: back */
    INCIDENT_SUSPENDED,        /* duration: how long, in addition to the run's time */
    INCIDENT_STOPPED,          /* duration: how long this program did not run, at least */
    INCIDENT_CPUS,             /* was, is: CPUs online */
    INCIDENT_STALL,            /* duration, ended then; why: all of the text */
    INCIDENT_JUMP,             /* the same */
    INCIDENT_RANK_LOST         /* why */
};

struct snapshot_incident {
    enum incident_kind kind;
    mono_ns at;
    dur_ns duration;
    int was, is;
    /* of several load hosts, the one where it happened; host NULL: there is one, or it is the
     * server's */
    int rank;
    const char *host;
    const char *why;
};

#define SNAPSHOT_MAX_INCIDENTS 100 /* further ones are not kept */

/* Durations with all their digits (stats/hist.h), for files.  NULL: not kept.  An interval's
 * cover that interval, a checkpoint's the time since the one before, a final one's the whole
 * run. */
struct snapshot_hists {
    const struct hist_counts *response;      /* without a rate: the latency of each transaction */
    const struct hist_counts *service, *lag; /* with a rate only */
};

/*
 * A phase: the time between two marks, or between a mark and the beginning or the last interval
 * report of the run.  It consists of whole intervals; those with marks in them are in no phase.
 * Its snapshot's interval is the phase.
 */
#define SNAPSHOT_MAX_PHASES 100
struct snapshot_phase {
    /* kind SNAPSHOT_PHASE; the receiver of the final snapshot may complete it */
    struct snapshot *s;
    const struct mark *marks; /* that it begins with */
    size_t nmarks;            /* 0: it begins with the run */
};

/*
 * A stage of a rate that changes (--tx-rate=500:60s,2000:60s): its planned starts, and what
 * happened while it lasted.  Stages follow each other without a gap, and their counts add up to
 * those of the run: what is left over by one ends in the next, and what the last one left over is
 * done after its end.
 */
#define SNAPSHOT_MAX_STAGES 100
#define STAGE_TEXT_SIZE     96
struct snapshot_stage {
    /* kind SNAPSHOT_PHASE, from the stage's beginning to its end; rate.offered are the stage's own
     * planned starts, rate.target their mean; the receiver may complete it */
    struct snapshot *s;
    char text[STAGE_TEXT_SIZE]; /* as the user wrote it: "500-2000:5m" */
    double first, last;         /* the rate at its two ends, per second */
    dur_ns from, until;         /* of the schedule; MONO_NEVER: to the end of the run */
    bool judged;                /* false: nothing was due */
    bool sustained;
    bool unknown;          /* whether it was sustained: it was too short to tell */
    char why[VERDICT_WHY]; /* one sentence, or "" */
};

/* Errors of one code.  The times are since measuring began. */
struct snapshot_error {
    const struct error_row *row; /* its count and times are of the whole run until now */
    uint64_t count;              /* in this report, may be 0; in the final one of the whole run */
    dur_ns first_ns, last_ns;
};

/* The outages of the whole run. */
struct snapshot_outages {
    const struct outage *row;
    size_t n, more; /* more: without a row */
    unsigned away;  /* connections that were lost and not back at the end */
    mono_ns zero;   /* where measuring began */
    /* response times by when the transactions were planned (stats/outages.h); before: n/a without a
     * rate, unless histograms are kept */
    bool has_before;
    struct snapshot_series before, during, after;
};

/* A database server, when the clients are spread over several.  The hosts' transactions, failures,
 * errors and reconnects add up to those of the snapshot. */
#define SNAPSHOT_NO_HOST       "none"
#define SNAPSHOT_SEVERAL_HOSTS "this run has connections to several database hosts"
#define SNAPSHOT_HOSTS_MANY    "the list has more than 64, of which no figures by host are kept"
struct snapshot_host {
    const char *name;     /* SNAPSHOT_NO_HOST: of clients that were connected to none of the list */
    unsigned connections; /* that are up */
    unsigned clients;     /* whose transactions are done there; one that fails over moves */
    /* in this interval; final: as the totals */
    uint64_t events, failed, errors;
    uint64_t lost,
        reconnects; /* connections that were lost here, and that came here after a loss */
    uint64_t total_events, total_failed, total_errors, total_lost, total_reconnects;
    struct snapshot_series latency; /* what `events` covers; with a rate the response time */
};

/* One of several load hosts. */
struct snapshot_rank {
    int rank;         /* 0: the leader */
    const char *host; /* "" if it is not known */
    unsigned clients;
    bool lost, late; /* late: it had not told its reading, so these are figures of the one before */
    dur_ns lost_after;                                     /* since measuring began */
    const char *why;                                       /* it was lost; "" */
    uint64_t done, failed, dropped, starts_late, given_up; /* in this report; given_up: lost */
    double per_s;                                          /* done; NaN: the report has no length */
    struct snapshot_series response, lag;                  /* lag: with a rate */
    int64_t response_least, lag_least; /* ns: at least so much is the true 99th percentile,
                                          ranks_least_pct(); -1: too few samples to say */
    double cpu_pct;                    /* of one CPU; NaN: unknown */
    int cpus;                          /* that it may use; 0: unknown */
    struct sample_delta self;
    double waited_pct;         /* of the time that its threads wanted a CPU; NaN: unknown */
    int workers_busy, workers; /* final: that were nearly saturated, of all; 0: none, or unknown */
    double worker_pct;         /* the busiest of these, of a CPU */
    bool has_clock;            /* the three that follow: its clock against the leader's */
    bool same_clock;           /* both read one clock: nothing was estimated */
    dur_ns clock_offset, clock_uncertainty;
    double clock_drift_ppm;
    char apart[120]; /* final: how it differs from the others; "" */
};

struct snapshot {
    enum snapshot_kind kind;
    /* an interval of the warm-up: shown as such, and part of no result */
    bool warmup;
    /* final: nothing was done, and none of our options asks for more than stock prints then:
     * for files, not for standard output and hooks */
    bool untold;
    mono_ns at;               /* when the figures were read */
    wall_ns wall;             /* the same instant by the wall clock, as a label */
    dur_ns elapsed_ns;        /* since measuring began; with `warmup`, since the warm-up did */
    dur_ns interval_ns;       /* covered by the deltas */
    unsigned threads;         /* clients of the run */
    unsigned threads_running; /* those not yet finished */
    int stamp_decimals;       /* of a time stamp in seconds: enough for --report-interval */
    uint64_t count[CNT_MAX];  /* deltas over interval_ns */
    uint64_t total[CNT_MAX];  /* since measuring began */
    uint64_t events, reads, writes, other, errors, reconnects; /* the same under their names */
    /* transactions between the two readings of the processes, less `events`: 0 unless a reading
     * came late.  See snapshot_sampled(). */
    int64_t sampled_more;
    /* with several load hosts: the transactions of the leader, whose process `self` is */
    bool has_own;
    uint64_t own;

    /* --percentile, in the user's order; 0 of them: disabled.  Stock's latency: ms, from stock's
     * buckets (in the old generations' reports from ours); 0.0 where there was no event */
    size_t percentiles;
    double percentile[SNAPSHOT_MAX_PERCENTILES];
    double latency_pct_ms[SNAPSHOT_MAX_PERCENTILES];
    /* checkpoint and final only */
    double latency_min_ms, latency_avg_ms, latency_max_ms, latency_sum_ms;
    double events_avg, events_stddev, exec_avg_s, exec_stddev_s; /* threads fairness */
    const struct snapshot_client *clients;
    int nclients;
    const struct hist_counts *stock_hist; /* covers what the percentile covers */

    double service_ns;              /* of a transaction, mean; NaN: there was none */
    dur_ns undone;                  /* of those that failed or were withdrawn, sum */
    bool has_latency;               /* plan_keeps_all(): the two that follow */
    struct snapshot_series latency; /* what `events` covers; with a rate the response time */
    struct snapshot_hists hists;

    /* stock's second line of --rate */
    bool stock_rate;
    bool plain_rate; /* an old generation's rate, whose reports say nothing about it */
    uint64_t queue_length, concurrency;

    uint64_t unfinished_forced; /* forced shutdown: transactions abandoned in flight */

    bool has_rate;
    struct snapshot_rate rate;
    struct snapshot_server server;
    struct snapshot_server self; /* the load generator's own process */
    /* % of all CPUs of its machine: idle, neither its nor the server's, and taken by the
     * hypervisor. `known`: the machine was read at both ends, and the time between them tells
     * shares. */
    struct snapshot_machine {
        bool known;
        double idle_pct, others_pct, stolen_pct;
    } machine;
    const char *self_limit; /* it used up its CPUs: one sentence; NULL: not so, or an interval */
    int ncpu;
    /* final only: the whole run's statements by kind; NULL: not requested, or another kind of
     * report */
    const struct stmt_figures *statements;
    size_t nstatements;
    /* all time in transactions, actual start to end: what the shares are of */
    double transactions_s;

    /* those made since the last interval report, in the list of the run (stats/marks.h) */
    const struct mark *marks;
    size_t nmarks;
    /* final only: in the order of time; none without marks, or without interval reports */
    const struct snapshot_phase *phases;
    size_t nphases, phases_lost; /* lost: those beyond the room for them */
    /* final only: those that the run reached; none unless the rate changes */
    const struct snapshot_stage *stages;
    size_t nstages, stages_lost;

    /* in the order of their first errors; none in phases */
    const struct snapshot_error *by_code;
    size_t nby_code;
    unsigned connections_away;               /* that were lost and are not back at this moment */
    bool may_miss;                           /* --min-clients lets the run go on without some */
    unsigned clients_missing;                /* that the server has refused until now */
    int missing_with;                        /* the latest error; 0: it has no number */
    const struct snapshot_outages *outages;  /* final only; NULL: there was none */
    struct snapshot_retries retries;         /* final only */
    struct snapshot_connections connections; /* likewise */
    struct snapshot_warmup warmed;           /* likewise */
    struct snapshot_batches batches;
    /* since measuring began; those from `incidents_told` on since the last report */
    const struct snapshot_incident *incident;
    size_t incidents, incidents_told;

    const struct find_record *find; /* --tx-find, as far as it has got; NULL: no search */

    const struct snapshot_host *host; /* in the order of the list */
    size_t hosts;                     /* 0: the clients are not spread over several */
    bool hosts_many;                  /* ... or over so many that none has figures */
    const char *host_asked;           /* the one that --server-status asks; NULL: none */

    const struct probe_delta *probe; /* counters and the like; NULL: not requested */

    /* intervals and final: one row for each load host; 0: there is one host */
    const struct snapshot_rank *rank;
    size_t nranks;
};

/* The reports have our lines about the rate. */
static inline bool snapshot_tells_rate(const struct snapshot *s)
{
    return s->has_rate && !s->stock_rate && !s->plain_rate;
}

/* What a process's figures are divided by to be those of a transaction. */
static inline uint64_t snapshot_sampled(const struct snapshot *s)
{
    return s->events + (uint64_t)s->sampled_more;
}

/* The same for one of the processes. */
static inline uint64_t snapshot_sampled_by(const struct snapshot *s,
                                           const struct snapshot_server *v)
{
    return v == &s->self && s->has_own ? s->own : snapshot_sampled(s);
}

/* When something was, in seconds since measuring began; negative during a warm-up. */
static inline double snapshot_since_s(const struct snapshot *s, mono_ns at)
{
    return dur_sec(at - (s->at - s->elapsed_ns));
}

/* The longest time without a success in an outage; it may last until the end of the run. */
static inline dur_ns snapshot_silence(const struct snapshot *s, const struct outage *o)
{
    return (o->success ? o->success : s->at) - o->silent_from;
}

#endif

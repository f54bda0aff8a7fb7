/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plan of a run: read from the options and validated once, constant afterwards, readable by
 * every thread.  It has nothing about SQL, Lua or output formats: report/report_options.h and
 * script/lua_states.h have those options.
 */
#ifndef SB_ENGINE_PLAN_H
#define SB_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "opt/generation.h"
#include "opt/opt.h"
#include "pace/ticket.h"
#include "report/find_record.h"
#include "report/snapshot.h"

#define PLAN_MAX_CHECKPOINTS 256
#define PLAN_MAX_CLIENTS                                                                           \
    1000000 /* beyond what kernels run; some 400 bytes each before the first one starts */

enum forced_shutdown { FORCED_OFF, FORCED_ON };

/* --tx-find: the search for the highest rate that holds an objective. */
struct plan_find {
    struct find_objective objective; /* no bound: nothing is searched */
    dur_ns step, brief;              /* what is judged of a step, and of a brief one */
    size_t steps;                    /* at most */
    unsigned confirm;
    double precision_pct;
};

struct plan {
    struct clock *clock;     /* the run's clock; NULL: CLOCK_MONOTONIC */
    struct cluster *cluster; /* the other load hosts; NULL: there are none */
    int rank, ranks;         /* which of how many load hosts; 0 and 0 or 1: alone */
    int clients_all;         /* --threads: of all ranks; 0: `clients` are all */
    uint32_t common_seed;    /* what all ranks draw from; 0: alone */
    const struct generation_facts *generation; /* --compat */
    int clients;                               /* --threads, or the rank's share of them */
    uint64_t max_events;                       /* --events, of all ranks; 0 = no limit */
    dur_ns time_limit;                         /* --time; 0 = no limit */
    bool time_given;                           /* it is not the default */
    dur_ns warmup;                             /* --warmup-time */
    double warmup_steady_pct;                  /* --warmup-until=steady; 0: not given */
    enum forced_shutdown forced;
    dur_ns forced_grace;          /* after the time limit */
    bool min_clients_given;       /* it is not by default */
    bool asks_more;               /* an option asks for a report with more than stock's */
    int min_clients;              /* --min-clients: the run begins with so many */
    const char *const *host_name; /* several servers that the clients are spread over; borrowed */
    const char *server;           /* the only one, NULL: none or several; borrowed */
    size_t hosts;                 /* 0: one, or none, or too many */
    bool hosts_many;              /* more than figures are kept of */
    size_t stack_size;            /* of a client, 0 = default of this program */
    int workers;             /* --workers: threads that run the clients; 0 = each has its own */
    bool workers_left;       /* --workers=default: nobody said how the clients are to be carried */
    bool workers_by_default; /* ... and they are carried by workers: plan_workers_by_default() */
    dur_ns worker_batch;     /* --workers=batch; 0: answers are not held back */
    /* --workers=warn: a client that keeps its worker for longer is reported; 0 = none */
    dur_ns worker_stall;
    /* --think-time: pause after each transaction, the mean of it with think_exp */
    dur_ns think;
    bool think_exp;                          /* exponentially distributed */
    bool limits_retries;                     /* --trx-retries is not `unlimited` */
    unsigned trx_retries;                    /* then: retries of one transaction */
    dur_ns error_backoff;                    /* --trx-retries=backoff: longest pause; 0 = none */
    dur_ns init_timeout;                     /* --thread-init-timeout; 0 = none */
    int stamp_decimals;                      /* of the times of reports */
    dur_ns report_interval;                  /* 0 = none */
    bool watched;                            /* a rate, on a terminal, and no interval was given */
    dur_ns batch_delay;                      /* 0.4.12's --batch: between its lines; 0 = none */
    bool warmup_reports;                     /* those of the warm-up too */
    dur_ns checkpoint[PLAN_MAX_CHECKPOINTS]; /* ascending */
    size_t checkpoints;
    /* --percentile: each > 0 and <= 100, in the user's order */
    double percentile[SNAPSHOT_MAX_PERCENTILES];
    size_t percentiles; /* 0 = no latency statistics by percentile */
    /* keep latencies with all digits even without a rate: an output needs them */
    bool keep_histograms;
    bool fine_percentiles; /* those of stock's report come from these, too: old generations */
    uint32_t seed;         /* --rand-seed, 0 = from the clock */
    bool seed_by_default;  /* nobody gave it: old generations begin with the same one in each run */
    bool seed_from_clock;  /* --init-rng, --rand-init: asked for */

    /* pace; rate = 0: as fast as the clients can */
    double rate;           /* with `rates` the mean over the run */
    const char *rate_spec; /* --tx-rate as given, when it is more than a number; of the options */
    struct rates *rates;   /* stages, a shape or a trace; NULL: `rate`, always */
    bool rate_changes;     /* somebody may change it while the run lasts: run_set_rate() */
    bool tx_rate_given;    /* --tx-rate, whatever its value */
    bool stock_rate;       /* --rate=N: stock's extra lines and its full queue */
    /* --tx-rate of 0.4: the latencies of stock's reports begin with the actual start */
    bool old_rate;
    bool plain_rate; /* likewise, and the reports have nothing more about it */
    enum arrival_shape arrival;
    dur_ns jitter;
    enum overload overload;
    uint64_t burst;
    dur_ns max_lag;
    dur_ns spin;          /* busy-wait the last part of a pause */
    bool strict;          /* --tx-strict: not sustained is exit status 3 */
    double tolerance_pct; /* how much may be missing in a sustained run */
    struct plan_find find;
};

/* Those that reports tell of: the leader's are of all ranks. */
static inline int plan_told_clients(const struct plan *p)
{
    return p->rank == 0 && p->ranks > 1 ? p->clients_all : p->clients;
}

/* The clients of one rank: number i of it is i * ranks + rank of all. */
static inline int plan_share(const struct plan *p, int rank)
{
    return p->clients_all / p->ranks + (rank < p->clients_all % p->ranks);
}

static inline int plan_all_clients(const struct plan *p)
{
    return p->clients_all ? p->clients_all : p->clients;
}

/* What a user sees of a client: its number among those of all ranks. */
static inline int plan_client_number(const struct plan *p, int client)
{
    return p->ranks > 1 ? client * p->ranks + p->rank : client;
}

/* Where a client begins in a list of database hosts: the ranks' clients stand one rank behind the
 * other, so each rank uses all hosts, and the clients of all are spread as evenly as those of one.
 * (By their numbers, all clients of rank r of 2 would be at host r of 2.) */
static inline int plan_client_place(const struct plan *p, int client)
{
    int rest = p->ranks > 1 ? p->clients_all % p->ranks : 0;

    if (p->ranks <= 1)
        return client;
    return p->rank * (p->clients_all / p->ranks) + (p->rank < rest ? p->rank : rest) + client;
}

/* Of a whole, the part of this rank (pace/share.h). */
static inline struct share plan_shares(const struct plan *p)
{
    return p->ranks > 1 ? (struct share){(uint64_t)p->rank, (uint64_t)p->ranks}
                        : (struct share){0, 1};
}

#define PLAN_LEAST_INTERVAL (NS_PER_SEC / 10) /* --report-interval */
#define PLAN_MOST_POISSON   1e7               /* the highest rate of Poisson arrivals */
#define PLAN_LATE_NS        NS_PER_MS         /* a start later than this counts as late */

/* "Invalid value for --OPTION: ..."; -1 */
__attribute__((format(printf, 3, 4))) int plan_invalid(struct err *e, const char *option,
                                                       const char *fmt, ...);

/* Rows of the option groups GENERAL, RATE, LOG this module owns. */
void plan_options(struct opts *o);

/* -1: one sentence about the first invalid value.  Warnings are logged. */
int plan_from_options(struct plan *p, const struct opts *o, struct err *e);

/* This is one of several ranks, and from now on the plan is of its share.  Call it
 * once, when the options are read.  -1: the load cannot be divided so. */
int plan_divide(struct plan *p, const struct opts *o, int rank, int ranks, struct err *e);

/* The seed of --rand-seed, or one that differs even between runs begun in the same second. */
uint32_t plan_draw_seed(const struct plan *p);

/* Frees what it points to. */
void plan_fini(struct plan *p);

/* The rate of the arrivals: the plan's, capped at PLAN_MOST_POISSON for --rate.  No machine begins
 * that many transactions, and at the cap the queue is full within 13 ms; generating all arrivals of
 * a higher rate would take longer than the time they cover. */
double plan_walked_rate(const struct plan *p);

/* plan_rate.c: the rows of OPT_GROUP_RATE, and --rate, after all others; refuses what cannot be
 * combined. */
void plan_rate_options(struct opts *o);
int plan_read_rate(struct plan *p, const struct opts *o, struct err *e);
/* May the rate become this one while a run lasts?  -1 with a reason. */
int plan_check_change(const struct plan *p, double rate, struct err *e);
/* Latencies are kept with all their digits. */
static inline bool plan_keeps_all(const struct plan *p)
{
    return p->rate > 0 || p->keep_histograms || p->fine_percentiles;
}

/* There will be no figures of a server; -1 with a sentence if the objective needs them.  `why`:
 * there are none. */
int plan_find_without_server(const struct plan *p, const char *why, struct err *e);
static inline bool plan_finds(const struct plan *p)
{
    return p->find.objective.n > 0;
}

/* What runs of 0.4 and 0.5 begin with if no seed is given.  Their sequence was
 * that of the C library; ours is another one, but as constant. */
#define PLAN_OLD_SEED 1

/* --num-threads, --max-requests and --max-time take effect under their new names, with a warning
 * on stdout, as do those that are not stock's (opts_apply_old), on stderr.  With an old --compat
 * there is no warning, and each value counts; otherwise 0 requests, 0 seconds and one thread are
 * "not given". */
void plan_apply_deprecated(struct opts *o);

/* --tx-rate was a deprecated alias of --rate in 1.0; here it holds a steady rate.  A run with it
 * and no other option of ours may mean either, if SYSBENCH_COMPAT asks for 1.0's ways:
 * says on stderr what it does now. */
void plan_note_tx_rate(const struct plan *p, const struct opts *o, const char *command);

/* The least number of clients that workers carry by default. */
#define CARRY_FROM 8

/* The number of workers for so many clients on so many CPUs: at least 1, and 2 where each has 4
 * clients and a CPU. */
int carry_workers(int clients, int cpus);

/* The CPUs that this process may use. */
int carry_cpus(void);

/* Where the choice is left to us, workers carry the clients if there are CARRY_FROM or more.
 * plan_workers_by_default() sets the workers, which is only right for a workload that waits nowhere
 * but where a worker can switch to another client. */
bool plan_may_use_workers(const struct plan *p);
/* Once that is decided: --workers=batch needs them. */
int plan_check_batch(const struct plan *p, struct err *e);
void plan_workers_by_default(struct plan *p);

#endif

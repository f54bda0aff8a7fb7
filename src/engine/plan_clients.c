/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options about clients into the plan: workers and think time, transactions that meet an
 * error; and makes the plan of the whole load that of one rank's share (pace/share.h): the
 * schedule,
 * --events and the limits stay those of the whole; what divides them is in struct share.
 */
#include "engine/plan.h"

#include <string.h>

#include "base/units.h"
#include "engine/busy.h"

#define MOST_WORKERS 1024
#define MOST_RETRIES 1000000
#define MOST_THINK   (24 * 3600 * NS_PER_SEC)

/* script/lua_states.c reads lua-state; the row is here for its place in --help. */
static const struct opt_row rows[] = {
    {.name = "workers",
     .type = OPT_STRING,
     .def = "default",
     .help =
         "number of OS threads that run all clients of --threads, 'auto' for one per 3 CPUs and at most one per "
         "4 clients, 0 for one thread per client, or 'default': auto for the bundled scripts on MySQL or MariaDB with "
         "64 threads or more, else 0",
     .flags = OPT_PER_RANK | OPT_OPEN,
     .choices = "default|auto"},
    {.name = "lua-state",
     .type = OPT_STRING,
     .def = "auto",
     .help =
         "with --workers, number of Lua states {}: one per client; one per worker, in which each client has its own "
         "globals; or auto: one per worker that has 64 clients or more",
     .choices = "auto|client|worker",
     .flags = OPT_PER_RANK},
    {.name = "worker-warn",
     .type = OPT_INT,
     .def = "100",
     .help = "with --workers, report a script that blocks its worker for "
             "longer than this many milliseconds. 0 disables the reports",
     .max = 3600000,
     .flags = OPT_PER_RANK},
    {.name = "worker-batch",
     .type = OPT_INT,
     .def = "0",
     .help =
         "with workers and without a rate, hold answers back for up to this many microseconds, "
         "to take several at once. Saves CPU time of the client and adds to each latency. 0: off",
     .max = 10000,
     .flags = OPT_PER_RANK},
    {.name = "min-clients",
     .type = OPT_STRING,
     .def = "100%",
     .help =
         "begin the run with those clients that could connect when they are at least N, or PCT% of --threads; the "
         "others keep trying",
     .flags = OPT_OWN},
    {.name = "think-time",
     .type = OPT_STRING,
     .def = "0",
     .help =
         "pause of each client after a transaction: MS milliseconds, or MS:exp for exponentially distributed pauses with that mean"},
    {.name = "trx-retries",
     .type = OPT_STRING,
     .def = "unlimited",
     .help = "how often a transaction is run again after an error before it counts as failed, a "
             "number or 'unlimited'",
     .flags = OPT_OPEN,
     .choices = "unlimited"},
    {.name = "error-backoff",
     .type = OPT_INT,
     .def = "1000",
     .help = "longest pause, in milliseconds, of a client whose errors repeat without a success "
             "between them. 0 disables the pauses",
     .max = 3600000},
};

void plan_worker_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_CLIENTS, rows, sizeof rows / sizeof *rows);
}

static int read_think(struct plan *p, const char *v, struct err *e)
{
    const char *colon = strchr(v, ':');
    size_t n = colon ? (size_t)(colon - v) : strlen(v);
    char number[64];
    double ms;

    if (n < sizeof number) {
        memcpy(number, v, n);
        number[n] = '\0';
    }
    if (n >= sizeof number || (colon && strcmp(colon, ":exp") != 0) ||
        units_double(number, 0, (double)MOST_THINK / 1e6, &ms, NULL))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --think-time: '%s' (MS or MS:exp, at most a day)", v);
    p->think = (dur_ns)(ms * 1e6);
    p->think_exp = colon != NULL;
    return 0;
}

/* N, or N% of the clients, rounded up. */
static int read_min_clients(struct plan *p, const char *v, struct err *e)
{
    size_t n = strlen(v);
    bool pct = n > 1 && v[n - 1] == '%';
    char number[32] = "";
    int64_t least;

    if (n < sizeof number)
        memcpy(number, v, n - pct);
    if (units_int(number, 1, pct ? 100 : PLAN_MAX_CLIENTS, &least, NULL))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --min-clients: '%s' (1 to %d, or 1%% to 100%%)", v,
                       PLAN_MAX_CLIENTS);
    if (pct)
        least = (least * p->clients + 99) / 100;
    if (least > p->clients)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --min-clients: '%s' (there are %d clients: --threads)", v,
                       p->clients);
    p->min_clients = (int)least;
    return 0;
}

/* Held-back answers would be late in every figure of a rate. */
static int check_batch(const struct plan *p, struct err *e)
{
    long long us = p->worker_batch / NS_PER_US;

    if (us && p->rate > 0)
        return err_set(e, ERR_USAGE,
                       "--workers=batch=%lld cannot be combined with a rate: it delays the answers "
                       "whose latency a rate measures",
                       us);
    if (us && !p->workers && !p->workers_left)
        return err_set(e, ERR_USAGE,
                       "--workers=batch=%lld needs workers, and --workers=0 asks for threads", us);
    return 0;
}

int plan_check_batch(const struct plan *p, struct err *e)
{
    if (p->worker_batch == 0 || p->workers)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--workers=batch=%lld needs --workers=N: without it, only the bundled scripts use workers",
        (long long)(p->worker_batch / NS_PER_US));
}

int plan_count_workers(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "workers");
    int64_t n = 0;

    p->workers_left = strcmp(v, "default") == 0;
    if (strcmp(v, "auto") == 0) {
        n = carry_workers(p->clients, carry_cpus());
    } else if (!p->workers_left && units_int(v, 0, MOST_WORKERS, &n, NULL)) {
        err_set(e, ERR_USAGE, "Invalid value for --workers: '%s' (default, auto, or 0 to %d)", v,
                MOST_WORKERS);
        return opt_explain(o, "workers", e);
    }
    p->workers = n < p->clients ? (int)n : p->clients;
    return 0;
}

int plan_read_workers(struct plan *p, const struct opts *o, struct err *e)
{
    if (plan_count_workers(p, o, e))
        return -1;
    p->worker_stall = opt_int(o, "worker-warn") * NS_PER_MS;
    p->worker_batch = opt_int(o, "worker-batch") * NS_PER_US;
    if (check_batch(p, e))
        return -1;
    p->min_clients_given = opt_given(o, "min-clients");
    p->asks_more = opts_own_given(o, "compat tx-rate tx-jitter workers lua-state");
    if (read_min_clients(p, opt_str(o, "min-clients"), e))
        return -1;
    return read_think(p, opt_str(o, "think-time"), e);
}

void plan_use_driver(struct plan *p, const char *driver)
{
    p->carry_from = carry_from(driver);
}

bool plan_may_use_workers(const struct plan *p)
{
    return p->workers_left && (p->worker_batch || (p->carry_from && p->clients >= p->carry_from));
}

void plan_workers_by_default(struct plan *p)
{
    p->workers = carry_workers(p->clients, carry_cpus());
    p->workers_by_default = true;
    p->worker_stall = 0; /* 1.0 has no such reports, and our scripts do not block */
}

int plan_read_retry(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "trx-retries");
    int64_t n = 0;

    p->limits_retries = strcmp(v, "unlimited") != 0;
    if (p->limits_retries && units_int(v, 0, MOST_RETRIES, &n, NULL)) {
        err_set(e, ERR_USAGE, "Invalid value for --trx-retries: '%s' (unlimited, or 0 to %d)", v,
                MOST_RETRIES);
        return opt_explain(o, "trx-retries", e);
    }
    p->trx_retries = (unsigned)n;
    p->error_backoff = opt_int(o, "error-backoff") * NS_PER_MS;
    return 0;
}

int plan_divide(struct plan *p, const struct opts *o, int rank, int ranks, struct err *e)
{
    int may_be_absent = p->clients - p->min_clients;
    struct share share = {(uint64_t)rank, (uint64_t)ranks};

    if (plan_finds(p))
        return err_set(e, ERR_USAGE,
                       "--tx-find searches with one load host, and this run has %d (--cluster)",
                       ranks);
    if (p->warmup_steady_pct > 0)
        return err_set(
            e, ERR_USAGE,
            "--warmup-until=steady is for one load host, and this run has %d (--cluster)", ranks);
    if (p->clients < ranks)
        return err_set(e, ERR_USAGE,
                       "--threads=%d is too few for %d ranks: each needs at least one client",
                       p->clients, ranks);
    p->rank = rank;
    p->ranks = ranks;
    p->clients_all = p->clients;
    p->clients = plan_share(p, rank);
    p->min_clients = p->clients - (int)share_of(share, (uint64_t)may_be_absent);
    return plan_count_workers(p, o, e);
}

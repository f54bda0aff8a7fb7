/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options about clients into the plan: workers and think time, transactions that meet an
 * error; and makes the plan of the whole load that of one rank's share (pace/share.h): the
 * schedule, --events and the limits stay those of the whole; what divides them is in struct share.
 */
#include "engine/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "engine/busy.h"

#define MOST_WORKERS 1024
#define MOST_RETRIES 1000000
#define MOST_THINK   (24 * 3600 * NS_PER_SEC)

/* script/lua_states.c reads lua-state; the row is here for its place in --help. */
/* clang-format off */
static const struct opt_row rows[] = {
    {OPT_ROW("workers", STRING, "default", OPT_PER_RANK | OPT_OPEN,
         "number of OS threads that run all clients of --threads, 'auto' for one per 3 CPUs and at most one per 4 clients, 0 for one thread per client, or 'default': auto for the bundled scripts on MySQL or MariaDB with 64 threads or more, else 0"), .choices = "default|auto"},
    {OPT_ROW("lua-state", STRING, "auto", OPT_PER_RANK,
         "with --workers, number of Lua states {}: one per client; one per worker, in which each client has its own globals; or auto: one per worker that has 64 clients or more"), .choices = "auto|client|worker"},
    {OPT_ROW("worker-warn", INT, "100", OPT_PER_RANK,
         "with --workers, warn when a script blocks its worker for longer than this many milliseconds. 0: off"), .max = 3600000},
    {OPT_ROW("worker-batch", INT, "0", OPT_PER_RANK,
         "with workers and without a rate, batch replies: wait up to this many microseconds before reading them. Saves CPU time of the client and adds to each latency. 0: off"), .max = 10000},
    {OPT_ROW("min-clients", STRING, "100%", OPT_OWN,
         "begin the run with those clients that could connect when they are at least N, or PCT% of --threads; the others keep trying")},
    {OPT_ROW("think-time", STRING, "0", 0,
         "pause of each client after a transaction: MS milliseconds, or MS:exp for exponentially distributed pauses with that mean")},
    {OPT_ROW("trx-retries", STRING, "unlimited", OPT_OPEN,
         "how often a transaction is run again after an error before it counts as failed, a number or 'unlimited'"), .choices = "unlimited"},
    {OPT_ROW("error-backoff", INT, "1000", 0,
         "longest pause, in milliseconds, of a client whose errors repeat without a success between them. 0 disables the pauses"), .max = 3600000},
};
/* clang-format on */

void plan_worker_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_CLIENTS, rows, sizeof rows / sizeof *rows);
}

int plan_check_batch(const struct plan *p, struct err *e)
{
    char us[24];

    snprintf(us, sizeof us, "%lld", (long long)(p->worker_batch / NS_PER_US));
    return plan_refuse(
        &(struct plan_refusal){p->worker_batch && !p->workers,
                               {"--workers=batch=", us, " needs --workers=N: without it, ",
                                "only the bundled scripts use workers"}},
        1, e);
}

static int count_workers(struct plan *p, const struct opts *o, struct err *e)
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

int plan_read_clients(struct plan *p, const struct opts *o, struct err *e)
{
    const char *least = opt_str(o, "min-clients"), *think = opt_str(o, "think-time");
    const char *retries = opt_str(o, "trx-retries"), *colon = strchr(think, ':');
    size_t len = strlen(least), think_len = colon ? (size_t)(colon - think) : strlen(think);
    bool pct = len > 1 && least[len - 1] == '%';
    char number[64] = "";
    int64_t n = 0;
    double ms;

    if (count_workers(p, o, e))
        return -1;
    p->worker_stall = opt_int(o, "worker-warn") * NS_PER_MS;
    p->worker_batch = opt_int(o, "worker-batch") * NS_PER_US;
    p->min_clients_given = opt_given(o, "min-clients");
    p->asks_more = opts_own_given(o, "compat tx-rate tx-jitter workers lua-state");
    p->error_backoff = opt_int(o, "error-backoff") * NS_PER_MS;

    /* N, or N% of the clients, rounded up */
    if (len < sizeof number)
        memcpy(number, least, len - pct);
    if (units_int(number, 1, pct ? 100 : PLAN_MAX_CLIENTS, &n, NULL))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --min-clients: '%s' (1 to %d, or 1%% to 100%%)", least,
                       PLAN_MAX_CLIENTS);
    n = pct ? (n * p->clients + 99) / 100 : n;
    if (n > p->clients)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --min-clients: '%s' (there are %d clients: --threads)",
                       least, p->clients);
    p->min_clients = (int)n;

    /* MS or MS:exp */
    snprintf(number, sizeof number, "%.*s", (int)think_len, think);
    if (think_len >= sizeof number || (colon && strcmp(colon, ":exp") != 0) ||
        units_double(number, 0, (double)MOST_THINK / 1e6, &ms, NULL))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --think-time: '%s' (MS or MS:exp, at most a day)", think);
    p->think = (dur_ns)(ms * 1e6);
    p->think_exp = colon != NULL;

    n = 0;
    p->limits_retries = strcmp(retries, "unlimited") != 0;
    if (p->limits_retries && units_int(retries, 0, MOST_RETRIES, &n, NULL)) {
        err_set(e, ERR_USAGE, "Invalid value for --trx-retries: '%s' (unlimited, or 0 to %d)",
                retries, MOST_RETRIES);
        return opt_explain(o, "trx-retries", e);
    }
    p->trx_retries = (unsigned)n;
    return 0;
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

int plan_divide(struct plan *p, const struct opts *o, int rank, int ranks, struct err *e)
{
    int may_be_absent = p->clients - p->min_clients;
    struct share share = {(uint64_t)rank, (uint64_t)ranks};
    char n[24], clients[24];
    const struct plan_refusal pairs[] = {
        {plan_finds(p),
         {"--tx-find searches with one load host, and this run has ", n, " (--cluster)"}},
        {p->warmup_steady_pct > 0,
         {"--warmup-until=steady is for one load host, and this run has ", n, " (--cluster)"}},
        {p->clients < ranks,
         {"--threads=", clients, " is too few for ", n, " ranks: each needs at least one client"}}};

    snprintf(n, sizeof n, "%d", ranks);
    snprintf(clients, sizeof clients, "%d", p->clients);
    if (plan_refuse(pairs, sizeof pairs / sizeof *pairs, e))
        return -1;
    p->rank = rank;
    p->ranks = ranks;
    p->clients_all = p->clients;
    p->clients = plan_share(p, rank);
    p->min_clients = p->clients - (int)share_of(share, (uint64_t)may_be_absent);
    return count_workers(p, o, e);
}

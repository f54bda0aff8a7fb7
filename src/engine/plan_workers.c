/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options on how clients are carried and how long they think, into the plan.
 */
#include "engine/plan.h"

#include <string.h>
#include <unistd.h>

#include "base/units.h"

/* One worker keeps a server on three further cores busy. */
#define CPUS_PER_WORKER 4
#define MOST_WORKERS    1024
/* From so many clients of a worker on, --lua-state=auto lets them share one.  Measured: at 16 it
 * makes no difference but for memory; at 64 none for a point select and a fifth of the CPU time for
 * 14 selects; at 512 half of it and a quarter (docs/workers.md). */
#define CLIENTS_TO_SHARE 64
/* From so many clients on workers are the default.  Measured: docs/workers.md. */
#define CLIENTS_TO_CARRY 256
#define MOST_THINK       (24 * 3600 * NS_PER_SEC)

static const struct opt_row rows[] = {
    {"workers", OPT_STRING, "default",
     "number of OS threads that run all clients of --threads, 'auto' for one per "
     "4 CPUs, 0 for one thread per client, or 'default': auto for the bundled scripts with 256 threads or more, else 0",
     OPT_OPEN, 0, 0, "default|auto"},
    {"lua-state", OPT_STRING, "auto",
     "with --workers, Lua states {}: one per client, one per "
     "worker (its clients keep globals of their own), or auto: one per worker from 64 clients on",
     0, 0, 0, "auto|client|worker"},
    {"worker-warn", OPT_INT, "100",
     "with --workers, report a script that blocks its worker for "
     "longer than this many milliseconds. 0 disables the reports",
     0, 0, 3600000, NULL},
    {"think-time", OPT_STRING, "0",
     "pause of a client after each transaction, MS milliseconds or MS:exp for "
     "exponentially distributed pauses of that mean",
     0, 0, 0, NULL},
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

static int auto_workers(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return cpus > CPUS_PER_WORKER ? (int)((cpus + CPUS_PER_WORKER - 1) / CPUS_PER_WORKER) : 1;
}

/* Its values are those of the row. */
static void read_lua_state(struct plan *p, const char *v)
{
    bool many = p->workers && p->clients >= p->workers * CLIENTS_TO_SHARE;
    bool share = strcmp(v, "worker") == 0 || (strcmp(v, "auto") == 0 && many);

    p->lua_states = share ? p->workers : 0;
}

static bool left_to_us(const struct opts *o)
{
    return strcmp(opt_str(o, "workers"), "default") == 0;
}

int plan_check_lua_state(const struct plan *p, const struct opts *o, const char *why, struct err *e)
{
    if (p->workers || strcmp(opt_str(o, "lua-state"), "worker") != 0)
        return 0;
    if (*why)
        return err_set(e, ERR_USAGE,
                       "--lua-state=worker is for clients on workers, and there cannot be any: %s",
                       why);
    if (left_to_us(o))
        return err_set(
            e, ERR_USAGE,
            "--lua-state=worker is for clients on workers, and without --workers only the bundled "
            "scripts have them, with %d threads or more",
            CLIENTS_TO_CARRY);
    return err_set(
        e, ERR_USAGE,
        "--lua-state=worker is for clients on workers, and --workers=0 gives each a thread "
        "and a Lua state of its own");
}

int plan_read_workers(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "workers");
    int64_t n;

    if (strcmp(v, "auto") == 0) {
        n = auto_workers();
    } else if (strcmp(v, "default") == 0) {
        n = 0;
    } else if (units_int(v, 0, MOST_WORKERS, &n, NULL)) {
        err_set(e, ERR_USAGE, "Invalid value for --workers: '%s' (default, auto, or 0 to %d)", v,
                MOST_WORKERS);
        return opt_explain(o, "workers", e);
    }
    p->workers = n < p->clients ? (int)n : p->clients;
    p->worker_hold = opt_int(o, "worker-warn") * NS_PER_MS;
    read_lua_state(p, opt_str(o, "lua-state"));
    if (!plan_may_carry(p, o) && plan_check_lua_state(p, o, "", e))
        return -1;
    return read_think(p, opt_str(o, "think-time"), e);
}

bool plan_may_carry(const struct plan *p, const struct opts *o)
{
    return left_to_us(o) && p->clients >= CLIENTS_TO_CARRY;
}

void plan_carry_by_default(struct plan *p, const struct opts *o)
{
    p->workers = auto_workers();
    p->carried_by_default = true;
    p->worker_hold = 0; /* its reports are not among 1.0's lines; our scripts do not block */
    read_lua_state(p, opt_str(o, "lua-state"));
}

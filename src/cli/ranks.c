/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See ranks.h.
 */
#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cluster/codec.h"
#include "cluster/cluster.h"
#include "engine/busy.h"
#include "opt/mask.h"
#include "session/process.h"

/* Whatever else is typed ends at once, on each rank by itself. */
static bool has_ranks(const struct app *a)
{
    return a->command && strcmp(a->command, "help") != 0;
}

static void be_member(struct app *a)
{
    process_silence_stdout();
    log_as_member(ranks_cli_name(a, a->plan.rank));
}

const char *ranks_cli_name(const struct app *a, int rank)
{
    static char name[2][300];
    static int next;
    const char *host = a->plan.cluster ? cluster_host(a->plan.cluster, rank) : NULL;

    next = !next;
    if (host && *host)
        snprintf(name[next], sizeof name[next], "rank %d (%.255s)", rank, host);
    else
        snprintf(name[next], sizeof name[next], "rank %d", rank);
    return name[next];
}

bool ranks_follows(const struct app *a)
{
    return has_ranks(a) && a->cluster.way != CLUSTER_OFF && a->cluster.rank > 0;
}

int ranks_read(struct app *a, struct err *e)
{
    if (cluster_options_read(&a->cluster, a->opts, e))
        return -1;
    if (ranks_follows(a)) {
        process_silence_stdout();
        log_as_member(ranks_cli_name(a, a->cluster.rank));
    }
    return 0;
}

/* What one process does by itself. */
static int check_test(const struct app *a, int ranks, struct err *e)
{
    if (a->testname && strcmp(a->testname, "fileio") == 0)
        return err_set(
            e, ERR_USAGE,
            "the 'fileio' test measures the files of one host, and this run has %d ranks "
            "(--cluster)",
            ranks);
    return 0;
}

/* How many CPUs this rank can keep busy. */
static int wanted_cpus(const struct app *a)
{
    int threads = a->plan.workers > 0 ? a->plan.workers : a->plan.clients;
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);

    return threads < all ? threads : all;
}

/* Open MPI binds each of one or two ranks to a single core. */
static void warn_bound(const struct app *a)
{
    int cpus = carry_cpus(), wanted = wanted_cpus(a);

    if (a->cluster.way == CLUSTER_MPI && strcmp(a->command, "run") == 0 && cpus < wanted)
        log_stderr("WARNING: this rank was started with %d of the %ld CPUs of its host, but its "
                   "load can use %d: let the launcher bind none (Open MPI: mpirun --bind-to none)",
                   cpus, sysconf(_SC_NPROCESSORS_ONLN), wanted);
}

void ranks_take_rank(struct app *a, struct cluster *c)
{
    a->plan.cluster = c;
    a->plan.clock = cluster_clock(c);
    a->plan.rank = cluster_rank(c);
    if (ranks_is_member(a))
        be_member(a);
}

int ranks_join(struct app *a, struct err *e)
{
    struct cluster *c = NULL;
    int ranks, rc;

    if (!has_ranks(a) || a->cluster.way == CLUSTER_OFF)
        return 0;
    rc = cluster_join(&c, &a->cluster, e);
    cluster_options_forget(&a->cluster);
    if (!c)
        return rc;
    ranks_take_rank(a, c);
    ranks = cluster_size(c);
    uniq_divide(&a->uniq, (uint32_t)a->plan.rank, (uint32_t)ranks);
    if (check_test(a, ranks, e) || plan_divide(&a->plan, a->opts, a->plan.rank, ranks, e))
        return -1;
    warn_bound(a);
    return 0;
}

/* --- a command of a script --- */

static void tell(struct app *a, int to, unsigned type, bool done, const char *text)
{
    char *shown = secret_shown_message(text); /* what was typed may be in it */
    struct put p = {0};

    put_u64(&p, RANKS_CLI_VERSION);
    put_bool(&p, done);
    put_str(&p, shown);
    cluster_send(a->plan.cluster, to, type, p.s.s, p.s.len);
    put_free(&p);
    free(shown);
}

/* 0: the rank has done its part; else *e says why not. */
static int await_done(struct app *a, int from, unsigned type, struct err *e)
{
    struct str text = STR_INIT;
    struct get in;
    char why[sizeof e->msg] = "";
    bool done, right;

    if (cluster_await(a->plan.cluster, from, type, MONO_NEVER, &text, e))
        return err_add(e, "'%s' is not complete", a->command);
    in = get_of(text.s, text.len);
    right = get_u64(&in) == RANKS_CLI_VERSION;
    done = get_bool(&in);
    get_str(&in, why, sizeof why);
    right = right && get_end(&in);
    str_free(&text);
    if (right && done)
        return 0;
    return err_set(e, ERR_FAILED, "%s: %s", ranks_cli_name(a, from),
                   right && *why ? why : "an answer that cannot be read");
}

/* The leader waits for all, whatever became of its own part. */
static int gather(struct app *a, int rc, struct err *e)
{
    for (int r = 1; r < a->plan.ranks; r++) {
        struct err theirs = {0};
        if (await_done(a, r, RANKS_DONE, &theirs) == 0)
            continue;
        if (rc)
            log_fatal("%s", theirs.msg);
        else
            *e = theirs;
        rc = -1;
    }
    for (int r = 1; r < a->plan.ranks; r++)
        tell(a, r, RANKS_ALL_DONE, true, "");
    return rc;
}

int ranks_call_script(struct app *a, struct err *e)
{
    struct err leader = {0};
    int rc;

    if (ranks_agree(a, e))
        return -1;
    rc = script_call_command(a->script, a->command, e);
    if (!a->plan.cluster)
        return rc;
    if (!ranks_is_member(a))
        return gather(a, rc, e);
    tell(a, 0, RANKS_DONE, rc == 0, e->msg);
    if (await_done(a, 0, RANKS_ALL_DONE, &leader) && rc == 0) {
        *e = leader;
        rc = -1;
    }
    return rc;
}

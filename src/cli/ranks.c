/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One command on several load hosts: meeting the other ranks, agreeing with them on what will be
 * done, and ending together.
 *
 *     the options are valid     ranks_join      all ranks are connected; this one knows its share
 *     so are the test's         ranks_agree     all do the same, with the same seed
 *     the command               run_execute() with plan->cluster, or ranks_call_script()
 *     its end                   ranks_refer, the message, ranks_leave
 *
 * Only the leader reports.  A member writes nothing to stdout, and its warnings and errors begin
 * with "rank 2 (load2): ".  Alone, all of this does nothing.
 *
 * All ranks must do the same, or the sum of their figures means nothing.  So each member tells the
 * leader its version, test, command, script and the value in effect of each option; the leader
 * compares them with its own, and answers with the seed that all draw from, or with the first
 * difference.  What may differ are the options of OPT_PER_RANK.  Passwords are not sent.
 *
 * How ranks end that do not agree, and under MPI also those that do not even come so far: mpirun
 * shows on one terminal what all ranks write.  A command line that is refused is refused by all of
 * them, so only the leader says it.  And a rank that just ended would leave the others waiting for
 * it until --cluster=timeout.  So a rank whose command line was refused meets the others all the
 * same: a member to tell the leader why, and to hear that the leader says it; the leader after it
 * has said its own, to tell the members.  A member says it itself only when the leader did not
 * come, or has no answer.  With --cluster=HOST:PORT each rank has a terminal of its own, and says
 * what it refuses there.
 */
#include "cli/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "cluster/codec.h"
#include "engine/plan.h"
#include "opt/secret.h"
#include "session/process.h"

#include "config.h"

/* 16 to 199 are the engine's. */
enum {
    RANKS_AGREE = 200, /* to the leader: what this rank would do, or why it will not */
    RANKS_AGREED,      /* to members: the seed, or why there is no run */
    RANKS_DONE,        /* to the leader: this rank has done its part of the command */
    RANKS_ALL_DONE,    /* to members */
};
#define RANKS_CLI_VERSION 2 /* each of these messages begins with it */

/* Whatever else is typed ends at once, on each rank by itself. */
static bool has_ranks(const struct app *a)
{
    return a->command && strcmp(a->command, "help") != 0;
}

/* A member that has not met the others. */
static void log_as_rank(int rank)
{
    char name[24];

    snprintf(name, sizeof name, "rank %d", rank);
    log_as_member(name);
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
        log_as_rank(a->cluster.rank);
    }
    return 0;
}

void ranks_take_rank(struct app *a, struct cluster *c)
{
    a->plan.cluster = c;
    a->plan.clock = cluster_clock(c);
    a->plan.rank = cluster_rank(c);
    if (ranks_is_member(a)) {
        process_silence_stdout();
        log_as_member(cluster_name(c, a->plan.rank));
    }
}

int ranks_join(struct app *a, struct err *e)
{
    struct cluster *c = NULL;

    if (!has_ranks(a) || a->cluster.way == CLUSTER_OFF)
        return 0;
    int rc = cluster_join(&c, &a->cluster, e);
    cluster_options_forget(&a->cluster);
    if (!c)
        return rc;
    ranks_take_rank(a, c);
    int ranks = cluster_size(c);
    uniq_divide(&a->uniq, (uint32_t)a->plan.rank, (uint32_t)ranks);
    if (a->testname && strcmp(a->testname, "fileio") == 0)
        return err_set(e, ERR_USAGE,
                       "the 'fileio' test measures the files of one host, and this run has %d "
                       "ranks (--cluster)",
                       ranks);
    if (plan_divide(&a->plan, a->opts, a->plan.rank, ranks, e))
        return -1;
    /* Open MPI binds each of one or two ranks to a single core */
    int threads = a->plan.workers > 0 ? a->plan.workers : a->plan.clients;
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = threads < all ? threads : all;
    if (a->cluster.way == CLUSTER_MPI && strcmp(a->command, "run") == 0 && carry_cpus() < wanted)
        log_stderr("WARNING: this rank was started with %d of the %d CPUs of its host, but its "
                   "load can use %d: let the launcher bind none (Open MPI: mpirun --bind-to none)",
                   carry_cpus(), all, wanted);
    return 0;
}

/* --- messages: whether all is well, or else why not; then what there is to say --- */

static void begin(const struct app *a, struct str *p, bool fine, const char *why)
{
    char *shown = arguments_shown(a, fine ? "" : why); /* what was typed may be in it */

    put_u64(p, RANKS_CLI_VERSION);
    put_bool(p, fine);
    put_str(p, shown);
    free(shown);
}

/* False: *why says why not; "": the message cannot be read. */
static bool is_fine(struct get *in, char *why, size_t size)
{
    bool right = get_u64(in) == RANKS_CLI_VERSION, fine = get_bool(in);

    get_str(in, why, size);
    right = right && !in->bad;
    if (!right)
        *why = '\0';
    return right && fine;
}

/* To the leader, or to all members. */
static void send_all(struct app *a, unsigned type, struct str *p)
{
    int first = ranks_is_member(a) ? 0 : 1;
    int last = first ? cluster_size(a->plan.cluster) - 1 : 0;

    for (int r = first; r <= last; r++)
        cluster_send(a->plan.cluster, r, type, p->s, p->len);
    str_free(p);
}

/* --- what all must have alike --- */

/* The next option from *i on that all ranks have alike. */
static bool next_option(const struct opts *o, size_t *i, struct opt_view *v)
{
    while (opts_at(o, (*i)++, v))
        if (!(v->flags & (OPT_PER_RANK | OPT_SECRET | OPT_SECRET_WITHIN)) &&
            !secret_by_name(v->shown))
            return true;
    return false;
}

/* Of a schedule that comes from a file: the integral of the rate at some instants. */
static uint64_t schedule_sum(const struct plan *p)
{
    enum { INSTANTS = 500 };
    dur_ns length = p->time_limit ? p->time_limit : 3600 * NS_PER_SEC;
    uint64_t sum = 0;

    for (int i = 1; p->rates && i <= INSTANTS; i++) {
        rate_pos at = rates_pos(p->rates, length / INSTANTS * i);
        sum = (sum ^ (uint64_t)at ^ (uint64_t)(at >> 64)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

/* Which database hosts, as numbers in the order of the list: "1 2 1" has the first one twice. Names
 * may differ, but figures by host are added up by these numbers. */
static char *host_numbers(const struct app *a)
{
    struct str s = STR_INIT;

    for (size_t i = 0; i < a->servers.positions; i++)
        str_printf(&s, "%s%u", i ? " " : "", a->servers.number[i] + 1);
    char *text = mem_strdup(str_cstr(&s));
    str_free(&s);
    return text;
}

static int compare_options(const struct app *a, struct get *in, const char *who, struct err *e)
{
    bool mine = true, theirs = true;
    int rc = 0;

    for (size_t i = 0; rc == 0 && !in->bad && (mine || theirs);) {
        struct opt_view v = {.shown = ""};
        char *name = get_strdup(in), *value = *name ? get_strdup(in) : mem_strdup("");
        mine = next_option(a->opts, &i, &v);
        theirs = *name != '\0';
        if (in->bad || (!mine && !theirs))
            ;
        else if (mine && strcmp(v.shown, name) == 0)
            rc = strcmp(v.value, value) == 0
                     ? 0
                     : err_set(e, ERR_FAILED, "%s has --%s=%s, and rank 0 has --%s=%s", who, name,
                               value, name, v.value);
        else if (theirs)
            rc = err_set(e, ERR_FAILED, "%s has an option --%s, and rank 0 %s%s", who, name,
                         mine ? "has --" : "has none", mine ? v.shown : "");
        else
            rc = err_set(e, ERR_FAILED, "%s has no option --%s, and rank 0 has it", who, v.shown);
        free(name);
        free(value);
    }
    return rc;
}

/* What ranks_agree() puts in. */
static int compare(const struct app *a, struct get *in, const char *who, struct err *e)
{
    const char *own = a->testname ? a->testname : "";
    char *version = get_strdup(in), *test = get_strdup(in), *command = get_strdup(in);
    uint64_t script = get_u64(in), schedule = get_u64(in), hosts = get_u64(in);
    char *numbers = get_strdup(in), *own_numbers = host_numbers(a);
    uint64_t own_hosts = a->servers.positions;
    int rc = 0;

    if (in->bad)
        rc = err_set(e, ERR_FAILED, "%s sent options that cannot be read", who);
    else if (strcmp(version, PACKAGE_VERSION) != 0)
        rc = err_set(e, ERR_FAILED, "%s is version %s, and rank 0 is version %s", who, version,
                     PACKAGE_VERSION);
    else if (strcmp(test, own) != 0 || strcmp(command, a->command) != 0)
        rc = err_set(e, ERR_FAILED, "%s was asked for '%s %s', and rank 0 for '%s %s'", who, test,
                     command, own, a->command);
    else if (script != (a->script ? script_checksum(a->script) : 0))
        rc = err_set(e, ERR_FAILED,
                     "the script '%s' of %s, or a file that it loads, is not the one of rank 0",
                     own, who);
    else
        rc = compare_options(a, in, who, e);
    if (rc == 0 && !get_end(in))
        rc = err_set(e, ERR_FAILED, "%s sent options that cannot be read", who);
    if (rc == 0 && schedule != schedule_sum(&a->plan))
        rc = err_set(e, ERR_FAILED, "%s has read another schedule for --tx-rate=%s than rank 0",
                     who, a->plan.rate_spec);
    if (rc == 0 && hosts != own_hosts && (hosts > 1 || own_hosts > 1)) /* of one: kept together */
        rc = err_set(e, ERR_FAILED,
                     "%s has %llu database host%s, and rank 0 has %llu: all ranks need the same "
                     "ones in the same order",
                     who, (ull)hosts, hosts == 1 ? "" : "s", (ull)own_hosts);
    else if (rc == 0 && hosts == own_hosts && strcmp(numbers, own_numbers) != 0)
        rc = err_set(e, ERR_FAILED,
                     "%s has its database hosts in the order %.60s, and rank 0 in the order %.60s: "
                     "all ranks need the same ones in the same order",
                     who, numbers, own_numbers);
    free(own_numbers);
    free(version);
    free(test);
    free(command);
    free(numbers);
    return rc ? -1 : 0;
}

/* --- agreeing --- */

/* False: the rank said why not, or nothing that can be read; *e is filled. */
static bool agrees(struct get *in, const char *who, struct err *e)
{
    char why[sizeof e->msg];

    if (is_fine(in, why, sizeof why))
        return true;
    err_set(e, ERR_FAILED, "%s %s%s", who, *why ? "ended: " : "is another version of this program",
            why);
    return false;
}

/* What this rank has to say of the command: its leader's answer, with the seed, or why it will not
 * go on. */
static void tell(struct app *a, int rc, const struct err *e)
{
    struct str p = STR_INIT;

    a->agreed = true;
    begin(a, &p, rc == 0, e->msg);
    if (rc == 0)
        put_u64(&p, a->plan.common_seed);
    send_all(a, ranks_is_member(a) ? RANKS_AGREE : RANKS_AGREED, &p);
}

/* The leader's word to a member.  0: the seed is known; -1: the ranks do not go on, and *e is
 * ERR_REPORTED where the leader has said why, or else the leader is lost. */
static int await_agreed(struct app *a, struct err *e)
{
    struct str text = STR_INIT;
    int rc = 0;

    /* the leader itself waits as long for the slowest */
    if (cluster_await(a->plan.cluster, 0, RANKS_AGREED, clock_mono() + 2 * a->cluster.timeout,
                      &text, e))
        return err_add(e, "before the ranks could agree");
    struct get in = get_of(text.s, text.len);
    if (agrees(&in, cluster_name(a->plan.cluster, 0), e)) {
        a->plan.common_seed = (uint32_t)get_u64(&in);
    } else {
        rc = -1;
        if (a->cluster.way == CLUSTER_MPI)
            e->kind = ERR_REPORTED; /* by the leader, on the same terminal */
    }
    str_free(&text);
    return rc;
}

int ranks_agree(struct app *a, struct err *e)
{
    mono_ns until = clock_mono() + a->cluster.timeout;
    struct str text = STR_INIT;
    struct str p = STR_INIT;
    int rc = 0;

    if (!a->plan.cluster)
        return 0;
    if (ranks_is_member(a)) {
        char *numbers = host_numbers(a);
        struct opt_view v;
        begin(a, &p, true, ""); /* what compare() reads */
        put_str(&p, PACKAGE_VERSION);
        put_str(&p, a->testname);
        put_str(&p, a->command);
        put_u64(&p, a->script ? script_checksum(a->script) : 0);
        put_u64(&p, schedule_sum(&a->plan));
        put_u64(&p, a->servers.positions);
        put_str(&p, numbers);
        free(numbers);
        for (size_t i = 0; next_option(a->opts, &i, &v);) {
            put_str(&p, v.shown);
            put_str(&p, v.value);
        }
        put_str(&p, "");
        send_all(a, RANKS_AGREE, &p);
        a->agreed = true;
        return await_agreed(a, e);
    }
    for (int r = 1; rc == 0 && r < a->plan.ranks; r++) {
        const char *who = cluster_name(a->plan.cluster, r);

        if (cluster_await(a->plan.cluster, r, RANKS_AGREE, until, &text, e)) {
            rc = err_add(e, "before the ranks could agree");
            break;
        }
        struct get in = get_of(text.s, text.len);
        rc = agrees(&in, who, e) ? compare(a, &in, who, e) : -1;
    }
    str_free(&text);
    if (rc == 0)
        a->plan.common_seed = plan_draw_seed(&a->plan);
    tell(a, rc, e);
    return rc;
}

/* --- a command of a script --- */

static void tell_done(struct app *a, unsigned type, bool done, const char *why)
{
    struct str p = STR_INIT;

    begin(a, &p, done, why);
    send_all(a, type, &p);
}

/* 0: the rank has done its part; else *e says why not. */
static int await_done(struct app *a, int from, unsigned type, struct err *e)
{
    struct str text = STR_INIT;
    char why[sizeof e->msg];

    if (cluster_await(a->plan.cluster, from, type, MONO_NEVER, &text, e))
        return err_add(e, "'%s' is not complete", a->command);
    struct get in = get_of(text.s, text.len);
    bool done = is_fine(&in, why, sizeof why);
    str_free(&text);
    return done ? 0
                : err_set(e, ERR_FAILED, "%s: %s", cluster_name(a->plan.cluster, from),
                          *why ? why : "an answer that cannot be read");
}

int ranks_call_script(struct app *a, struct err *e)
{
    struct err theirs = {0};

    if (ranks_agree(a, e))
        return -1;
    int rc = script_call_command(a->script, a->command, e);
    if (!a->plan.cluster)
        return rc;
    if (ranks_is_member(a)) {
        tell_done(a, RANKS_DONE, rc == 0, e->msg);
        if (await_done(a, 0, RANKS_ALL_DONE, &theirs) && rc == 0) {
            *e = theirs;
            rc = -1;
        }
        return rc;
    }
    for (int r = 1; r < a->plan.ranks; r++) { /* whatever became of the leader's own part */
        theirs = (struct err){0};
        if (await_done(a, r, RANKS_DONE, &theirs) == 0)
            continue;
        if (rc)
            log_fatal("%s", theirs.msg);
        else
            *e = theirs;
        rc = -1;
    }
    tell_done(a, RANKS_ALL_DONE, true, "");
    return rc;
}

/* --- the end --- */

/* Of a command line that was refused.  The first message stays the one that matters, whatever
 * happens here. */
static void meet_refused(struct app *a, bool leads)
{
    struct err ignored = {0};
    struct cluster_spec spec;
    struct cluster *c = NULL;

    if (!a->refused || a->plan.cluster)
        return;
    for (int i = 1; i < a->argc; i++) /* they were read up to the one that was refused */
        if (strncmp(a->args[i], "--cluster", strlen("--cluster")) == 0)
            opts_set_arg(a->opts, a->args[i], &ignored);
    cluster_options_guess(&spec, a->opts);
    if (spec.way != CLUSTER_MPI || leads != (spec.rank == 0))
        return;
    a->cluster = spec;
    if (!leads)
        log_as_rank(a->cluster.rank);
    cluster_join(&c, &a->cluster, &ignored);
    if (c)
        ranks_take_rank(a, c);
}

void ranks_refer(struct app *a, struct err *e)
{
    struct err answer = {0};

    if (e->kind == ERR_NONE)
        return;
    meet_refused(a, false);
    if (!a->plan.cluster || a->agreed || !ranks_is_member(a) || a->cluster.way != CLUSTER_MPI)
        return;
    tell(a, -1, e);
    if (await_agreed(a, &answer) && answer.kind == ERR_REPORTED)
        e->kind = ERR_REPORTED;
}

void ranks_leave(struct app *a, const struct err *e)
{
    if (e->kind != ERR_NONE)
        meet_refused(a, true);
    if (a->plan.cluster && !a->agreed)
        tell(a, -1, e);
    cluster_leave(a->plan.cluster);
    a->plan.cluster = NULL;
}

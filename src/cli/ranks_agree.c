/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All ranks must do the same, or the sum of their figures means nothing.  So each member tells the
 * leader its version, test, command, script and the value in effect of each option; the leader
 * compares them with its own, and answers with the seed that all draw from, or with the first
 * difference.
 *
 * What may differ is how a rank reaches the server, how it carries its clients, and where its
 * output goes: `own` below.  Passwords are among these, so none is sent.
 */
#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "cluster/codec.h"
#include "opt/mask.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* Of each rank. */
static const char own[] =
    " cluster cluster-rank cluster-size cluster-timeout cluster-silence cluster-address"
    " workers worker-warn worker-batch lua-state thread-stack-size verbosity config-file"
    " report-file report-style raw-log metrics-listen label at do host-stats report-environment"
    " server server-host server-via server-events events-of server-syscalls server-status server-profile"
    " server-profile-file server-profile-window server-profile-hz"
    " source-address defaults-file defaults-extra-file defaults-group-suffix"
    " mysql-host mysql-port mysql-socket mysql-user mysql-password mysql-password-file"
    " mysql-ssl-key mysql-ssl-ca mysql-ssl-capath mysql-ssl-cert"
    " pgsql-host pgsql-port pgsql-user pgsql-password pgsql-password-file ";

static bool is_own(const struct opt_view *v)
{
    char word[128];

    if (v->flags & (OPT_SECRET | OPT_SECRET_WITHIN) || secret_by_name(v->shown))
        return true;
    snprintf(word, sizeof word, " %s ", v->shown);
    return strstr(own, word) != NULL;
}

/* The next option from *i on that all ranks have alike. */
static bool next_option(const struct opts *o, size_t *i, struct opt_view *v)
{
    while (opts_at(o, (*i)++, v))
        if (!is_own(v))
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
    char *text;

    for (size_t i = 0; i < a->servers.positions; i++)
        str_printf(&s, "%s%u", i ? " " : "", a->servers.number[i] + 1);
    text = mem_strdup(str_cstr(&s));
    str_free(&s);
    return text;
}

static void put_hosts(struct put *p, const struct app *a)
{
    char *numbers = host_numbers(a);

    put_u64(p, a->servers.positions);
    put_str(p, numbers);
    free(numbers);
}

/* Of one host each, nothing is kept apart. */
static int compare_hosts(const struct app *a, uint64_t n, const char *numbers, const char *who,
                         struct err *e)
{
    uint64_t own_n = a->servers.positions;
    char *own_numbers = host_numbers(a);
    int rc = 0;

    if (n != own_n && (n > 1 || own_n > 1))
        rc = err_set(e, ERR_FAILED,
                     "%s has %llu database host%s, and rank 0 has %llu: all ranks need the same "
                     "ones in the same order",
                     who, (unsigned long long)n, n == 1 ? "" : "s", (unsigned long long)own_n);
    else if (n == own_n && strcmp(numbers, own_numbers) != 0)
        rc = err_set(e, ERR_FAILED,
                     "%s has its database hosts in the order %.60s, and rank 0 in the order %.60s: "
                     "all ranks need the same ones in the same order",
                     who, numbers, own_numbers);
    free(own_numbers);
    return rc;
}

/* What the leader compares; the other half is in compare(). */
static void put_intention(struct put *p, const struct app *a)
{
    struct opt_view v;

    put_str(p, PACKAGE_VERSION);
    put_str(p, a->testname);
    put_str(p, a->command);
    put_u64(p, a->script ? script_checksum(a->script) : 0);
    put_u64(p, schedule_sum(&a->plan));
    put_hosts(p, a);
    for (size_t i = 0; next_option(a->opts, &i, &v);) {
        put_str(p, v.shown);
        put_str(p, v.value);
    }
    put_str(p, "");
}

/* As put_intention() has written them. */
struct intention {
    char *version, *test, *command, *host_numbers;
    uint64_t script, schedule, hosts;
};

static int compare_facts(const struct app *a, const struct intention *m, const char *who,
                         struct err *e)
{
    const char *test = a->testname ? a->testname : "";

    if (strcmp(m->version, PACKAGE_VERSION) != 0)
        return err_set(e, ERR_FAILED, "%s is version %s, and rank 0 is version %s", who, m->version,
                       PACKAGE_VERSION);
    if (strcmp(m->test, test) != 0 || strcmp(m->command, a->command) != 0)
        return err_set(e, ERR_FAILED, "%s was asked for '%s %s', and rank 0 for '%s %s'", who,
                       m->test, m->command, test, a->command);
    if (m->script != (a->script ? script_checksum(a->script) : 0))
        return err_set(e, ERR_FAILED,
                       "the script '%s' of %s, or a file that it loads, is not the one of rank 0",
                       test, who);
    return 0;
}

/* An option of the leader, and the one that the member has in its place. */
static int compare_option(const struct opt_view *v, bool mine, const char *name, const char *value,
                          const char *who, struct err *e)
{
    if (mine && strcmp(v->shown, name) == 0)
        return strcmp(v->value, value) == 0
                   ? 0
                   : err_set(e, ERR_FAILED, "%s has --%s=%s, and rank 0 has --%s=%s", who, name,
                             value, name, v->value);
    return *name
               ? err_set(e, ERR_FAILED, "%s has an option --%s, and rank 0 %s%s", who, name,
                         mine ? "has --" : "has none", mine ? v->shown : "")
               : err_set(e, ERR_FAILED, "%s has no option --%s, and rank 0 has it", who, v->shown);
}

static int compare_options(const struct app *a, struct get *in, const char *who, struct err *e)
{
    bool mine = true, theirs = true;
    int rc = 0;

    for (size_t i = 0; rc == 0 && !in->bad && (mine || theirs);) {
        struct opt_view v = {.shown = ""};
        char *name = get_strdup(in), *value = *name ? get_strdup(in) : NULL;
        mine = next_option(a->opts, &i, &v);
        theirs = *name != '\0';
        if (!in->bad && (mine || theirs))
            rc = compare_option(&v, mine, name, value ? value : "", who, e);
        free(name);
        free(value);
    }
    return rc;
}

static struct intention get_intention(struct get *in)
{
    struct intention m;

    m.version = get_strdup(in);
    m.test = get_strdup(in);
    m.command = get_strdup(in);
    m.script = get_u64(in);
    m.schedule = get_u64(in);
    m.hosts = get_u64(in);
    m.host_numbers = get_strdup(in);
    return m;
}

static int compare(const struct app *a, struct get *in, const char *who, struct err *e)
{
    struct intention m = get_intention(in);
    int rc = in->bad ? 0 : compare_facts(a, &m, who, e) || compare_options(a, in, who, e);

    if (rc == 0 && (in->bad || !get_end(in)))
        rc = err_set(e, ERR_FAILED, "%s sent options that cannot be read", who);
    if (rc == 0 && m.schedule != schedule_sum(&a->plan))
        rc = err_set(e, ERR_FAILED, "%s has read another schedule for --tx-rate=%s than rank 0",
                     who, a->plan.rate_spec);
    if (rc == 0)
        rc = compare_hosts(a, m.hosts, m.host_numbers, who, e);
    free(m.version);
    free(m.host_numbers);
    free(m.test);
    free(m.command);
    return rc ? -1 : 0;
}

/* Version 1 begins with the word whether there is anything to compare. */
static void begin(struct put *p, bool fine, const char *why)
{
    put_u64(p, RANKS_CLI_VERSION);
    put_bool(p, fine);
    if (!fine) {
        char *shown = secret_shown_message(why); /* what was typed may be in it */
        put_str(p, shown);
        free(shown);
    }
}

static void send_to(struct app *a, int to, unsigned type, struct put *p)
{
    cluster_send(a->plan.cluster, to, type, p->s.s, p->s.len);
}

/* False: the rank said why not, or nothing that can be read; *e is filled. */
static bool is_fine(struct get *in, const char *who, const char *verb, struct err *e)
{
    char why[sizeof e->msg] = "";
    uint64_t version = get_u64(in);
    bool fine = get_bool(in) && version == RANKS_CLI_VERSION && !in->bad;

    if (fine)
        return true;
    if (version == RANKS_CLI_VERSION)
        get_str(in, why, sizeof why);
    err_set(e, ERR_FAILED, "%s %s%s", who, *why ? verb : "is another version of this program", why);
    return false;
}

static void answer(struct app *a, int rc, const struct err *e)
{
    struct put p = {0};

    begin(&p, rc == 0, e->msg);
    if (rc == 0)
        put_u64(&p, a->plan.common_seed);
    for (int r = 1; r < cluster_size(a->plan.cluster); r++)
        send_to(a, r, RANKS_AGREED, &p);
    put_free(&p);
}

static int hear(struct app *a, int rank, mono_ns until, struct err *e)
{
    struct str text = STR_INIT;
    const char *who = ranks_cli_name(a, rank);
    struct get in;
    int rc;

    if (cluster_await(a->plan.cluster, rank, RANKS_AGREE, until, &text, e))
        return err_add(e, "before the ranks could agree");
    in = get_of(text.s, text.len);
    rc = is_fine(&in, who, "ended: ", e) ? compare(a, &in, who, e) : -1;
    str_free(&text);
    return rc;
}

static int lead(struct app *a, struct err *e)
{
    mono_ns until = clock_mono() + a->cluster.timeout;
    int rc = 0;

    for (int r = 1; rc == 0 && r < a->plan.ranks; r++)
        rc = hear(a, r, until, e);
    if (rc == 0)
        a->plan.common_seed = plan_draw_seed(&a->plan);
    a->agreed = true;
    answer(a, rc, e);
    return rc;
}

int ranks_await_agreed(struct app *a, struct err *e)
{
    struct str text = STR_INIT;
    struct get in;
    int rc = 0;

    /* the leader itself waits as long for the slowest */
    if (cluster_await(a->plan.cluster, 0, RANKS_AGREED, clock_mono() + 2 * a->cluster.timeout,
                      &text, e))
        return err_add(e, "before the ranks could agree");
    in = get_of(text.s, text.len);
    if (is_fine(&in, ranks_cli_name(a, 0), "ended: ", e)) {
        a->plan.common_seed = (uint32_t)get_u64(&in);
    } else {
        rc = -1;
        if (a->cluster.way == CLUSTER_MPI)
            e->kind = ERR_REPORTED; /* by the leader, on the same terminal */
    }
    str_free(&text);
    return rc;
}

static int follow(struct app *a, struct err *e)
{
    struct put p = {0};

    begin(&p, true, "");
    put_intention(&p, a);
    send_to(a, 0, RANKS_AGREE, &p);
    put_free(&p);
    a->agreed = true;
    return ranks_await_agreed(a, e);
}

int ranks_agree(struct app *a, struct err *e)
{
    if (!a->plan.cluster)
        return 0;
    return ranks_is_member(a) ? follow(a, e) : lead(a, e);
}

void ranks_tell_refused(struct app *a, const struct err *e)
{
    struct put p = {0};

    if (ranks_is_member(a)) {
        begin(&p, false, e->msg);
        send_to(a, 0, RANKS_AGREE, &p);
        put_free(&p);
    } else {
        answer(a, -1, e);
    }
    a->agreed = true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See attach.h.
 */
#include "session/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "engine/run.h"
#include "telemetry/proc.h"

#define START_LIMIT    (10 * NS_PER_SEC) /* for a login on another host */
#define TARGET_LIMIT   (5 * NS_PER_SEC)
#define BEFORE_LOAD    (200 * NS_PER_MS)
#define SYSCALLS_USUAL 10

/* --- options --- */

static const struct opt_row rows[] = {
    {OPT_ROW("server", STRING, NULL, OPT_PER_RANK | OPT_OPEN,
             "report the database server's CPU and context switches with every interval: auto "
             "(the process behind the connection), off, or process ids PID[,PID...] (default: "
             "auto with --tx-rate and --tx-find, else off)"),
     .choices = "auto|off"},
    {OPT_ROW("server-host", STRING, NULL, OPT_PER_RANK,
             "which of several database hosts to monitor (default: all that are on this machine; "
             "for --server-status and the environment the first one)"),
     .of = "server", .mark = "host="},
    {OPT_ROW("server-via", STRING, NULL, OPT_PER_RANK | OPT_COMMAND,
             "read a server on another host: run pstime there through this command, for example "
             "ssh dbhost")},
    {OPT_ROW("server-events", STRING, "off", OPT_PER_RANK | OPT_OPEN,
             "count these events of the server's threads: default, or a list of names as in "
             "'perf list' (cycles:u,context-switches,syscalls,sched:sched_switch,...), or off"),
     .choices = "default|off"},
    {OPT_ROW("events-of", STRING, "server", OPT_PER_RANK,
             "count --server-events of the server's threads, or of the whole system as 'perf "
             "stat -a' does"),
     .of = "server-events", .mark = "system:", .choices = "server|system"},
    {OPT_ROW("server-syscalls", STRING, "off", OPT_PER_RANK | OPT_OPEN | OPT_MAY_BE_EMPTY,
             "count the server's system calls by name, with times and errors, and list the most "
             "frequent ones: how many of them (without a value 10), or off"),
     .choices = "on|off"},
    {OPT_ROW("server-status", BOOL, "off", OPT_PER_RANK | OPT_OPEN,
             "report the server's own counters (SHOW GLOBAL STATUS, pg_stat_database), queried "
             "on a separate connection; +NAME[,NAME...]: these, too")},
    {OPT_ROW("server-query", STRING, NULL, OPT_PER_RANK | OPT_ADDS,
             "report what a query of one number returns, as NAME[:gauge|:/s|:/tx]=SQL: its value, "
             "or its growth per second or transaction; may be given several times")},
    {OPT_ROW("settle", STRING, "off", OPT_PER_RANK | OPT_OPEN | OPT_MAY_BE_EMPTY,
             "before the clients connect, vacuum and analyze the tables, and wait for checkpoint, "
             "purge and dirty pages: at most so many seconds (without a value 60), or off"),
     .choices = "on|off"},
    {OPT_ROW("server-waits", STRING, "auto", OPT_PER_RANK,
             "sample what the run's sessions do in the server, on a separate connection: auto "
             "(with --server-status, --tx-rate and --tx-find, unless --server=off), on, or off"),
     .choices = "auto|on|off"},
    {OPT_ROW("report-environment", BOOL, "off", OPT_PER_RANK,
             "print what the results depend on: kernel, CPUs, mitigations, the server's "
             "variables, libraries and command line")},
    {OPT_ROW("host-stats", BOOL, "off", OPT_PER_RANK,
             "report the machine's CPU, memory, paging and interrupts as vmstat does, and disk "
             "and network bytes, pressure and CPU frequency")},
};

/* True when system calls are counted, whatever the number. */
static bool server_options_syscalls(const struct server_options *s)
{
    return strcmp(s->syscalls, "off") != 0;
}

void server_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
}

void server_options_read(struct server_options *s, const struct opts *o)
{
    const char *events = opt_str(o, "server-events"), *status = opt_str(o, "server-status");

    *s = (struct server_options){.server = opt_str(o, "server"),
                                 .watched = opt_str(o, "server-host"),
                                 .remote = opt_str(o, "server-via"),
                                 .events = strcmp(events, "off") == 0 ? NULL : events,
                                 .system = strcmp(opt_str(o, "events-of"), "system") == 0,
                                 .syscalls = opt_str(o, "server-syscalls"),
                                 .settle = opt_str(o, "settle"),
                                 .status = opt_bool(o, "server-status"),
                                 .waits = opt_str(o, "server-waits"),
                                 .host = opt_bool(o, "host-stats"),
                                 .environment = opt_bool(o, "report-environment")};
    s->variables = *status == '+' ? status + 1 : NULL;
    s->query = opt_list(o, "server-query", &s->queries);
    s->status |= s->queries > 0;
}

/* --- the probe --- */

static int read_events(struct probe_config *c, const struct server_options *o, struct err *e)
{
    struct perf_names names;

    if (!o->events)
        return o->system ? err_set(e, ERR_USAGE, "--events-of=system needs --server-events") : 0;
    perf_names_open(&names, NULL);
    int rc = perf_names_parse(&names, o->events, c->event, &c->events, e);
    perf_names_close(&names);
    if (rc && e)
        err_add(e, "Invalid value for --server-events");
    return rc;
}

int run_probe_check_events(const struct server_options *o, struct err *e)
{
    struct probe_config c = {0};

    return read_events(&c, o, e);
}

int run_probe_new(struct probe **out, const struct server_options *o,
                  const struct status_source *status, struct remote *remote, size_t keep,
                  struct err *e)
{
    struct probe_config c = {.status = status,
                             .remote = remote,
                             .system = o->system,
                             .keep = keep,
                             .remote_events = remote && o->events,
                             .host = o->host};
    const char *text = o->syscalls;
    char *end;
    long n = strtol(text, &end, 10);

    *out = NULL;
    if (read_events(&c, o, remote ? NULL : e) && !remote) /* the other host must know them */
        return -1;
    if (server_options_syscalls(o)) {
        if (!*text || strcmp(text, "on") == 0)
            n = SYSCALLS_USUAL;
        else if (*end || n < 1 || n > SYSCALLS_LISTED)
            return err_set(e, ERR_USAGE,
                           "Invalid value for --server-syscalls: '%s' (allowed: on, off, 1 to %d)",
                           text, SYSCALLS_LISTED);
        c.syscalls = (size_t)n;
    }
    if (c.events || c.remote_events || c.syscalls || c.host || c.status)
        *out = probe_new(&c);
    return 0;
}

/* --- another host --- */

int run_remote_open(struct remote **out, const struct server_options *o, struct err *e)
{
    const struct remote_wants wants = {.events = o->events,
                                       .system = o->system,
                                       .syscalls = server_options_syscalls(o),
                                       .cancelled = run_is_signalled};

    *out = NULL;
    if (!*o->remote || strcmp(o->server, "off") == 0)
        return 0;
    if (remote_open(out, o->remote, &wants, START_LIMIT, e))
        return err_add(e, "Invalid value for --server-events");
    return 0;
}

void run_remote_target(struct remote *v, const char *server, struct discover *d)
{
    struct str targets = STR_INIT;
    struct err e = {0};

    if (d) {
        discover_addresses(d, "listen:", &targets);
        if (!targets.len)
            log_notice("Server: n/a (--server-via finds it by the address of a TCP connection, and "
                       "there is none; "
                       "name it with --server=PID or --server=NAME)\n");
    } else {
        str_adds(&targets, server);
        for (char *p = targets.s; p && (p = strchr(p, ',')); p++)
            *p = ' ';
    }
    if (targets.len && remote_target(v, str_cstr(&targets), TARGET_LIMIT, &e))
        log_notice("Server: n/a (%s), retrying\n", e.msg);
    str_free(&targets);
}

/* --- the processes --- */

const char *attach_option(const struct server_options *o, bool needed, bool tx_rate)
{
    if (*o->server)
        return o->server;
    return needed || tx_rate || (o->events && !o->system) || server_options_syscalls(o) ||
                   *o->remote
               ? "auto"
               : "off";
}

/* keep: descriptors that the clients will open. */
static void attach_probe(struct attach *a, bool tree, size_t keep)
{
    const struct perf_whom whom = {.pids = a->pids,
                                   .n = a->npids,
                                   .tree = tree,
                                   .exact = server_exact(a->server),
                                   .keep = keep};

    if (a->probe)
        probe_attach(a->probe, &whom);
}

static size_t find_again(void *arg, pid_t *pids, size_t max, bool *tree)
{
    struct attach *a = arg;

    int n = discover_resolve(a->discover, pids, max, tree, NULL);

    return n > 0 ? (size_t)n : 0;
}

static void found_again(void *arg, const pid_t *pids, size_t n, bool tree)
{
    struct attach *a = arg;

    a->npids = n < ATTACH_MAX_PIDS ? n : ATTACH_MAX_PIDS;
    memcpy(a->pids, pids, a->npids * sizeof *pids);
    attach_probe(a, tree, 0);
    if (a->on_change)
        a->on_change(a->arg, a->pids, a->npids);
}

static void follow(struct attach *a)
{
    server_follow(a->server,
                  &(struct server_finder){.arg = a, .find = find_again, .found = found_again});
}

int attach_open(struct attach *a, const struct opts *o, struct probe *probe, struct remote *remote,
                size_t keep, struct err *e)
{
    a->probe = probe;
    a->remote = remote;
    if (strcmp(a->option, "off") == 0)
        return 0;
    if (strcmp(a->option, "auto") == 0) {
        a->discover = discover_new("/proc");
        return 0;
    }
    if (remote)
        return 0;
    int n = discover_parse(a->option, a->pids, ATTACH_MAX_PIDS, e);
    a->npids = n > 0 ? (size_t)n : 0;
    bool tree = discover_is_tree("/proc", a->pids, a->npids);
    if (n < 0 || server_open(&a->server, "/proc", a->pids, a->npids, tree, e)) {
        err_add(e, "Invalid value for --server: '%s'", a->option);
        return opt_explain(o, "server", e);
    }
    attach_probe(a, tree, keep);
    a->named = true;
    a->discover = discover_new("/proc");
    return 0;
}

struct server *attach_find(struct attach *a, bool uses_sql)
{
    struct err e = {0};
    bool tree = false;

    if (a->remote) {
        run_remote_target(a->remote, a->option, a->discover);
        return a->server = server_of_remote(a->remote);
    }
    if (a->named &&
        uses_sql) { /* followed if they are those that the clients' connections lead to */
        pid_t pids[ATTACH_MAX_PIDS];
        int n = discover_resolve(a->discover, pids, ATTACH_MAX_PIDS, &tree, &e);
        bool same = n > 0 && (size_t)n == a->npids;
        for (int i = 0; i < n; i++)
            same = same && pid_is_one_of(pids[i], a->pids, a->npids);
        if (same)
            follow(a);
    }
    if (a->named || !a->discover)
        return a->server;
    if (!uses_sql) {
        snprintf(a->why, sizeof a->why, "the test uses no database");
        return NULL;
    }
    int n = discover_resolve(a->discover, a->pids, ATTACH_MAX_PIDS, &tree, &e);
    if (n < 0 || server_open(&a->server, "/proc", a->pids, (size_t)n, tree, &e)) {
        log_notice("Server: n/a (%s)\n", e.msg);
        snprintf(a->why, sizeof a->why, "%s", e.msg);
        return NULL;
    }
    a->npids = (size_t)n;
    attach_probe(a, tree, 0);
    follow(a);
    return a->server;
}

void attach_read_before(struct attach *a)
{
    const struct timespec piece = {.tv_nsec = 10 * NS_PER_MS};
    struct sample before, after;
    struct sample_delta d;

    if (!a->server)
        return;
    server_read(a->server, &before);
    mono_ns until = clock_mono() + BEFORE_LOAD;
    while (clock_mono() < until && !run_is_signalled())
        nanosleep(&piece, NULL);
    server_read(a->server, &after);
    sample_diff(&before, &after, &d);
    a->before_pct = sample_pct_one(d.cpu_ns, d.wall_ns);
    a->has_before = d.have & SAMPLE_CPU && d.wall_ns > 0;
}

void attach_close(struct attach *a)
{
    server_close(a->server);
    discover_free(a->discover);
    a->server = NULL;
    a->discover = NULL;
}

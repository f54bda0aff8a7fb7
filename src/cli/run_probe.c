/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_probe.h.
 */
#include "cli/run_probe.h"

#include <string.h>

static const struct opt_row rows[] = {
    {"server-via", OPT_STRING, NULL,
     "the server runs on another host: run pstime there through this command (ssh dbhost)", 0, 0, 0,
     NULL},
    {"server-events", OPT_STRING, "off",
     "count these events of the server's threads: default, or a list of names "
     "as in 'perf list' (cycles:u,context-switches,syscalls,sched:sched_switch,...), or off",
     OPT_OPEN, 0, 0, "default|off"},
    {"server-status", OPT_BOOL, "off",
     "report the server's own counters (SHOW GLOBAL STATUS, pg_stat_database), queried on "
     "a separate connection",
     0, 0, 0, NULL},
    {"report-environment", OPT_BOOL, "off",
     "print what the run depends on: kernel, CPUs, mitigations, the server's variables, "
     "libraries and command line",
     0, 0, 0, NULL},
    {"host-stats", OPT_BOOL, "off",
     "report the machine's CPU, memory, paging and interrupts as vmstat does, bytes of disks "
     "and network, pressure, CPU frequency",
     0, 0, 0, NULL},
};

void run_probe_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
}

static bool wants_events(const struct opts *o)
{
    return strcmp(opt_str(o, "server-events"), "off") != 0;
}

bool run_probe_wants_server(const struct opts *o)
{
    return wants_events(o);
}

static int read_events(struct probe_config *c, const struct opts *o, struct err *e)
{
    struct perf_names names;
    int rc;

    if (!wants_events(o))
        return 0;
    perf_names_open(&names, NULL);
    rc = perf_names_parse(&names, opt_str(o, "server-events"), c->event, &c->events, e);
    perf_names_close(&names);
    if (rc && e)
        err_add(e, "Invalid value for --server-events");
    return rc;
}

int run_probe_check_events(const struct opts *o, struct err *e)
{
    struct probe_config c = {0};

    return read_events(&c, o, e);
}

bool run_probe_wants_status(const struct opts *o)
{
    return opt_bool(o, "server-status");
}

int run_probe_new(struct probe **out, const struct opts *o, const struct status_source *status,
                  struct via *via, struct err *e)
{
    struct probe_config c = {.status = status, .via = via, .via_events = via && wants_events(o)};

    *out = NULL;
    if (read_events(&c, o, via ? NULL : e) && !via) /* it is the other host that has to know them */
        return -1;
    c.host = opt_bool(o, "host-stats");
    if (c.events || c.via_events || c.host || c.status)
        *out = probe_new(&c);
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_options.h.
 */
#include "session/server_options.h"

#include <string.h>

static const struct opt_row rows[] = {
    {.name = "server",
     .type = OPT_STRING,
     .help =
         "report the database server's CPU and context switches with every interval: "
         "auto (the process behind the connection), off, or process ids PID[,PID...] (default: auto with --tx-rate "
         "and --tx-find, else off)",
     .flags = OPT_OPEN,
     .choices = "auto|off"},
    {.name = "server-host",
     .type = OPT_STRING,
     .help =
         "of several database hosts, the one that --server=auto, --server-status and the record of the environment "
         "look at (default: all of them that are on this machine; the first one)"},
    {.name = "server-via",
     .type = OPT_STRING,
     .help =
         "read a server on another host: run pstime there through this command, for example ssh dbhost"},
    {.name = "server-events",
     .type = OPT_STRING,
     .def = "off",
     .help =
         "count these events of the server's threads: default, or a list of names "
         "as in 'perf list' (cycles:u,context-switches,syscalls,sched:sched_switch,...), or off",
     .flags = OPT_OPEN,
     .choices = "default|off"},
    {.name = "events-of",
     .type = OPT_STRING,
     .def = "server",
     .help = "count --server-events of the server's threads, or of the whole system as "
             "'perf stat -a' does",
     .choices = "server|system"},
    {.name = "server-syscalls",
     .type = OPT_STRING,
     .def = "off",
     .help = "count the server's system calls by name, with times and errors, and list the most "
             "frequent ones: how many of them (without a value 10), or off",
     .flags = OPT_OPEN | OPT_MAY_BE_EMPTY,
     .choices = "on|off"},
    {.name = "server-status",
     .type = OPT_BOOL,
     .def = "off",
     .help = "report the server's own counters (SHOW GLOBAL STATUS, pg_stat_database), queried on "
             "a separate connection"},
    {.name = "report-environment",
     .type = OPT_BOOL,
     .def = "off",
     .help = "print what the results depend on: kernel, CPUs, mitigations, the server's variables, "
             "libraries and command line"},
    {.name = "host-stats",
     .type = OPT_BOOL,
     .def = "off",
     .help =
         "report the machine's CPU, memory, paging and interrupts as vmstat does, and disk and network bytes, pressure and CPU frequency"},
};

bool server_options_syscalls(const struct server_options *s)
{
    return strcmp(s->syscalls, "off") != 0;
}

void server_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
}

void server_options_read(struct server_options *s, const struct opts *o)
{
    const char *events = opt_str(o, "server-events");

    *s = (struct server_options){.server = opt_str(o, "server"),
                                 .watched = opt_str(o, "server-host"),
                                 .remote = opt_str(o, "server-via"),
                                 .events = strcmp(events, "off") == 0 ? NULL : events,
                                 .system = strcmp(opt_str(o, "events-of"), "system") == 0,
                                 .syscalls = opt_str(o, "server-syscalls"),
                                 .status = opt_bool(o, "server-status"),
                                 .host = opt_bool(o, "host-stats"),
                                 .environment = opt_bool(o, "report-environment")};
}

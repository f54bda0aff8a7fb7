/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of the group SERVER that say where the server is and what is read of it.  Those of
 * the profile are run_profile.h's.
 */
#ifndef SB_SESSION_SERVER_OPTIONS_H
#define SB_SESSION_SERVER_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

/* Strings still belong to the option table. */
struct server_options {
    const char *server;  /* --server: "auto", "off" or process ids; "": not given */
    const char *watched; /* --server-host: one of several; "": not given */
    const char *remote;  /* --server-via: a command; "": the server is on this host */
    const char *events;  /* --server-events; NULL: none are counted */
    bool system;         /* --events-of=system: of all CPUs, not of the server's threads */
    /* --server-syscalls: "off", how many are listed, or "on" and "" for the usual number */
    const char *syscalls;
    bool status;      /* --server-status */
    bool host;        /* --host-stats */
    bool environment; /* --report-environment: the record is printed */
};

/* True when system calls are counted, whatever the number. */
bool server_options_syscalls(const struct server_options *s);

void server_options_declare(struct opts *o);
void server_options_read(struct server_options *s, const struct opts *o);

#endif

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
    const char *server; /* --server: "auto", "off" or process ids; "": not given */
    const char *remote; /* --server-via: a command; "": the server is on this host */
    const char *events; /* --server-events; NULL: none are counted */
    bool status;        /* --server-status */
    bool host;          /* --host-stats */
    bool environment;   /* --report-environment: the record is printed */
};

void server_options_declare(struct opts *o);
void server_options_read(struct server_options *s, const struct opts *o);

#endif

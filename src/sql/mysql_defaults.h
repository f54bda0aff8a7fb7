/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: applies MySQL's option files: a client's `host` becomes --mysql-host, and so
 * on.
 */
#ifndef SB_SQL_MYSQL_DEFAULTS_H
#define SB_SQL_MYSQL_DEFAULTS_H

#include "base/err.h"
#include "opt/opt.h"

/* Reads the files that --defaults-file, --defaults-extra-file and --mysql-read-defaults ask for and
 * sets the options that were not given on the command line or in a --config-file; a host that was
 * given overrides a socket from a file.  Without these options nothing is read.  -1: a file or line
 * is wrong, or a name in [sysbench] is unknown (in [client] unknown names are other programs'). */
int mysql_defaults_apply(struct opts *o, struct err *e);

/* --mysql-host, as it is before or after that; the list is owned by the table. */
char **mysql_defaults_hosts(const struct opts *o, size_t *n);

#endif

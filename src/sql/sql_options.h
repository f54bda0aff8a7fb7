/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of databases (groups DB, MYSQL, PGSQL) and their values as struct sql_options.
 */
#ifndef SB_SQL_SQL_OPTIONS_H
#define SB_SQL_SQL_OPTIONS_H

#include "base/err.h"
#include "opt/opt.h"
#include "sql/sql_host.h"

void sql_options_declare(struct opts *o);

/* --db-driver, "" when none was given; *given: by the user, not by default. */
const char *sql_options_driver(const struct opts *o, bool *given);

/* --mysql-host: *n names, as opt_list() returns them. */
char **sql_options_mysql_hosts(const struct opts *o, size_t *n);

/* Strings and lists stay owned by the table, which takes up what password and option files say
 * (once: standard input cannot be read again).  -1: one sentence. */
int sql_options_read(struct sql_options *s, struct opts *o, struct err *e);

/* MySQL's option files: a client's `host` becomes --mysql-host, and so on.  Reads the files that
 * --defaults-file, --defaults-file=extra and --defaults-file=standard ask for and sets the options
 * that were not given on the command line or in a --config-file; a host that was given overrides a
 * socket from a file.  Without these options nothing is read.  -1: a file or line is wrong, or a
 * name in [sysbench] is unknown (in [client] unknown names are other programs'). */
int mysql_option_files(struct opts *o, struct err *e);

#endif

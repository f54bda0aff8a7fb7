/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of databases (groups DB, MYSQL, PGSQL) and their values as struct sql_options.
 */
#ifndef SB_SQL_SQL_OPTIONS_H
#define SB_SQL_SQL_OPTIONS_H

#include "base/err.h"
#include "opt/opt.h"
#include "sql/sql_login.h"

void sql_options_declare(struct opts *o);

/* The group of the options that only driver i of sql_driver_at() has, or OPT_GROUP_NONE. */
enum opt_group sql_options_group(size_t i);

/* --db-driver, "" when none was given; *given: by the user, not by default. */
const char *sql_options_driver(const struct opts *o, bool *given);

/* Strings and lists stay owned by the table, which takes up what password and option files say
 * (once: standard input cannot be read again).  -1: one sentence. */
int sql_options_read(struct sql_options *s, struct opts *o, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: options of databases that 0.4 and 0.5 had.  Those of MySQL have another name
 * today, or no effect; those of Drizzle lead to the MySQL driver, because Drizzle's servers spoke
 * MySQL's protocol, too (--drizzle-mysql=on) and nothing else speaks theirs.  Oracle and
 * libattachsql are refused when they are chosen (session/built.c).
 */
#ifndef SB_SQL_SQL_OLD_OPTIONS_H
#define SB_SQL_SQL_OLD_OPTIONS_H

#include "opt/opt.h"

void sql_old_options_declare(struct opts *o);

/* The driver that --db-driver=NAME stands for. */
const char *sql_old_driver(const char *name);

/* With --db-driver=drizzle, its options become those of the MySQL driver; stderr says so unless
 * --drizzle-mysql=on asked for it. */
void sql_old_apply_drizzle(struct opts *o, const char *driver);

#endif

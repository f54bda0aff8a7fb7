/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --source-address: the local addresses that connections come from.  An address has some 28,000
 * ports to connect from to one server, so more clients than that need more addresses.  Connections
 * take them in turn.
 */
#ifndef SB_SQL_SQL_SOURCE_H
#define SB_SQL_SQL_SOURCE_H

#include "base/err.h"
#include "sql/sql_login.h"

/* Before anything is opened: are all of them addresses of this host, and can they be used?  -1: a
 * sentence. */
int sql_source_check(const struct sql_options *o, struct err *e);

/* What PostgreSQL's driver has to say about them. */
#define SQL_SOURCE_PGSQL                                                                           \
    "--source-address cannot be used with PostgreSQL: its client library has no such option"

#endif

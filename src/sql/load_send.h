/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sends a piece of a table (sql/load_queue.h): COPY, LOAD DATA LOCAL, or INSERTs of many rows, as
 * long as the server takes them.  A piece is one transaction: the table has all of its rows, or
 * none.  The thread of the connection calls.
 */
#ifndef SB_SQL_LOAD_SEND_H
#define SB_SQL_LOAD_SEND_H

#include "sql/load_queue.h"
#include "sql/sql.h"

enum load_method { LOAD_BY_INSERT, LOAD_BY_LOAD, LOAD_BY_COPY };

struct load_way {
    enum load_method method;
    size_t packet;                          /* no INSERT is longer */
    void (*sent)(void *arg, unsigned rows); /* about every thousand; NULL: nobody asks */
    void *arg;
};

/* 0.  1: the server does not load in this way, and no row was sent.  -1: con->error says why; or
 * DB_ERROR_NONE: the server took only *rows of the rows, without an error. */
int load_send(sql_connection *con, const struct load_rows *l, const struct load_piece *p,
              const struct load_way *way, uint64_t *rows);

#endif

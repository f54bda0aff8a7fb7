/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sends a piece of a table (sql/load_queue.h): COPY, LOAD DATA LOCAL, or INSERTs of many rows, as
 * long as the server takes them.  A piece is one transaction: the table has all of its rows, or
 * none.  So it can be sent again after an error for which the user wants that (sql_runs_again).
 * When the answer to the last statement was lost, nobody knows whether the rows are there; hence
 * the second attempt begins by deleting them.  The thread of the connection calls.
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
    /* The attempt has failed, and so many rows were sent in vain: is there another?  NULL: no. */
    bool (*again)(void *arg, uint64_t rows);
    void *arg;
};

/* 0.  1: the server does not load in this way, and no row was sent.  -1: con->error says why; or
 * DB_ERROR_NONE: the server took only *rows of the rows, without an error.  The lines that drivers
 * print of failures are left out: they would quote half a megabyte of rows. */
int load_send(sql_connection *con, const struct load_rows *l, const struct load_piece *p,
              const struct load_way *way, uint64_t *rows);

#endif

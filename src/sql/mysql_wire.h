/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepared statements in MySQL's protocol, without the client library: COM_STMT_EXECUTE and its
 * answer, on a connection that the library has made and that is neither encrypted nor compressed
 * (drv_mysql.c).  A point select takes some 600 instructions here and some 3,500 in libmariadb, and
 * a few cache lines instead of some forty.
 *
 *     wire_execute()   parameters -> one packet
 *     wire_result()    the next result: its status, or its rows, which are counted
 *     wire_fetch()     a row as text, as the library would write it (mysql_row.c)
 *
 * room_note: an answer is received into a buffer that all connections of a thread share (the room),
 * because it is hardly ever looked at: most scripts drop their rows.  What a connection still needs
 * when another one wants the room (a part of a packet, rows that may be fetched) moves to memory of
 * its own; so does an answer that is larger than the room.
 *
 * The protocol is that of https://mariadb.com/kb/en/clientserver-protocol/ and of
 * https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html.
 */
#ifndef SB_SQL_MYSQL_WIRE_H
#define SB_SQL_MYSQL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/sql_bind.h"

/* Size of the room.  Rows of a range of 100 in the sysbench tables are 13 KiB. */
#define WIRE_ROOM 65536

struct wire_column {
    unsigned char type; /* enum enum_field_types */
    unsigned char decimals;
    bool is_unsigned, zerofill;
    uint32_t width; /* of a number that is filled with zeros */
};

/* What the server has said about a statement, when it was prepared or since. */
struct wire_stmt {
    uint32_t id;
    bool types_known; /* the server has the types of the parameters that are bound now */
    uint16_t ncolumns;
    struct wire_column *columns; /* owned by who has the statement */
};

/* The answers of one connection.  Its owner's thread calls. */
struct wire {
    int fd;
    uint16_t status;        /* SERVER_STATUS_..., of the last result */
    unsigned char *bytes;   /* in the room, or owned */
    struct wire_room *room; /* NULL: bytes are owned (or there are none) */
    size_t size;            /* of owned bytes */
    size_t have, at;        /* bytes that are there, and how many of them are done with */
    size_t limit, taken;  /* bytes that a statement may be answered with (0: no limit), and were */
    unsigned char number; /* of the next packet */
    unsigned char failed; /* enum wire_outcome: why the next packet cannot be had */
    size_t row, end;      /* the next row to fetch; where the rows end */
    size_t definitions;   /* of the columns, if the result has its own; 0: it has not */
    uint32_t ncolumns;    /* of this result */
    char *text;           /* of the numbers in a row, owned; NULL until one is fetched */
};

/* One result.  After all but the first two the connection is of no more use; TOO_LONG: for
 * w->limit, NO_MEMORY: for what there is; ASKS: for a file, which an EXECUTE does not name
 * (r->message does).
 */
enum wire_outcome {
    WIRE_DONE,
    WIRE_REFUSED,
    WIRE_LOST,
    WIRE_MALFORMED,
    WIRE_TOO_LONG,
    WIRE_NO_MEMORY,
    WIRE_ASKS
};

struct wire_result {
    uint32_t ncolumns; /* 0: no rows, `count` is what the statement has changed */
    uint64_t count;    /* of rows */
    bool in_rows;      /* this far it went */
    /* WIRE_REFUSED */
    unsigned errnum;
    char state[6];
    char message[512];
};

/* Sends the statement with the values that params[0..n-1] have now; false: not all of it. */
bool wire_execute(struct wire *w, const struct wire_stmt *s, const sql_bind *params, size_t n);
/* Reads the answer, or one more result of it while SERVER_MORE_RESULTS_EXISTS is in w->status.
 * What is left of the result before it has been released. */
enum wire_outcome wire_result(struct wire *w, struct wire_stmt *s, struct wire_result *r);
/* Bytes have come that belong to no answer.  Not while SERVER_MORE_RESULTS_EXISTS. */
static inline bool wire_surplus(const struct wire *w)
{
    return w->at < w->have;
}
/* Writes the next row into values[0..ncolumns-1]; they are valid until the next call here.  False
 * after the last row, or with *malformed when a row ends before its values do. */
bool wire_fetch(struct wire *w, const struct wire_stmt *s, sql_value *values, bool *malformed);
/* Drops the rows of the result. */
void wire_release(struct wire *w);
/* Tells the server to forget a statement; it does not answer. */
void wire_forget(struct wire *w, uint32_t id);
/* Frees what is owned; the descriptor is the caller's. */
void wire_fini(struct wire *w);

/* For mysql_row.c: what was received lies in memory of its own from now on; the next definition of
 * a column at *at, which moves on. */
void wire_leave_room(struct wire *w);
struct wire_column wire_next_column(const struct wire *w, size_t *at);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mysql_wire.h.  A packet is a length of three bytes, a number of one byte and so many bytes; a
 * payload of 16 MiB - 1 or more goes in several, the last of them shorter.
 *
 *     OK       00, affected rows, insert id, status, warnings          the whole answer
 *     error    ff, number, '#', state, message                         ends the answer
 *     rows     number of columns; their definitions, unless the client is to know them from the
 *              prepare (then 00 follows the number); an EOF; a packet for each row (00, NULL bits,
 *              values); an EOF
 *     EOF      fe, warnings, status
 *
 * The numbers of a statement's packets go up from 0 in both directions; only an error that nobody
 * asked for, a server's last words, may have another.
 *
 * Offsets instead of addresses: what was received moves when the room is taken or the answer grows.
 */
#include "sql/mysql_wire.h"

#include <errno.h>
#include <mysql.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "fiber/sched.h"
#include "sql/mysql_bytes.h"

#define LONGEST     (1u << 30) /* the library's limit of a payload; next_payload() has four bytes */
#define EXECUTE     0x17       /* commands */
#define CLOSE       0x19
#define FILE_NAME   0xfb
#define PROGRESS    0xffffu /* "error" that says how far a long statement is */
#define MAX_COLUMNS 65535
#define SMALL       512 /* a packet of parameters that needs no allocation */

/* --- the room --- */

struct wire_room {
    struct wire *owner; /* whose bytes are in it; NULL: nobody's */
    unsigned char bytes[WIRE_ROOM];
};

static _Thread_local struct wire_room *room_here;
static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;

/* What was received lies in memory of its own from now on, NULL if it is nothing. */
static void take_over(struct wire *w, unsigned char *own, size_t size)
{
    if (w->room) {
        if (own)
            memcpy(own, w->bytes, w->have);
        w->room->owner = NULL;
        w->room = NULL;
    }
    w->bytes = own;
    w->size = size;
}

void wire_leave_room(struct wire *w)
{
    take_over(w, w->have > 0 ? mem_array(w->have, 1) : NULL, w->have);
}

/* False: there is no memory for that.  An answer is as long as the server likes. */
static bool grow(struct wire *w, size_t size)
{
    unsigned char *own = realloc(w->room ? NULL : w->bytes, size);

    if (own)
        take_over(w, own, size);
    return own != NULL;
}

static void free_room(void *room)
{
    struct wire_room *r = room;

    if (r->owner) /* its connection outlives the thread */
        wire_leave_room(r->owner);
    free(r);
}

static void make_key(void)
{
    if (pthread_key_create(&room_key, free_room))
        abort();
}

/* Out of line, or the compiler keeps the address of a thread's variable over a switch of fibers. */
static __attribute__((noinline)) struct wire_room *take_room(struct wire *w)
{
    struct wire_room *r = room_here;

    if (!r) {
        pthread_once(&room_once, make_key);
        r = room_here = mem_grow(NULL, 1, sizeof *r);
        r->owner = NULL;
        pthread_setspecific(room_key, r);
    }
    if (r->owner && r->owner != w)
        wire_leave_room(r->owner);
    r->owner = w;
    return r;
}

/* Where the next bytes go; at least one fits.  NULL: there is no memory. */
static unsigned char *space(struct wire *w, size_t *size)
{
    if (!w->bytes) {
        w->room = take_room(w);
        w->bytes = w->room->bytes;
        w->have = w->at = 0;
    }
    size_t all = w->room ? WIRE_ROOM : w->size;
    if (w->have == all && !grow(w, all = 2 * (all > SMALL ? all : SMALL)))
        return NULL;
    *size = all - w->have;
    return w->bytes + w->have;
}

/* At least one byte more; false: w->failed says why not. */
static bool receive(struct wire *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};

    w->failed = WIRE_TOO_LONG;
    if (w->limit && w->taken >= w->limit)
        return false;
    for (;;) {
        size_t size;
        sched_await_answer(w->fd); /* others may take the room meanwhile */
        unsigned char *to = space(w, &size);
        w->failed = to ? WIRE_LOST : WIRE_NO_MEMORY;
        if (!to)
            return false;
        ssize_t n = sched_recv_now(w->fd, to, size);
        if (n > 0) {
            w->have += (size_t)n;
            w->taken += (size_t)n;
            return true;
        }
        if (n == 0)
            return false;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN || poll(&p, 1, -1) == 0)
            return false;
    }
}

void wire_release(struct wire *w)
{
    w->row = w->end = w->definitions = 0;
    if (w->at < w->have && w->bytes) { /* the next result has begun */
        if (w->at >= w->have - w->at) {
            memmove(w->bytes, w->bytes + w->at, w->have - w->at);
            w->have -= w->at;
            w->at = 0;
        }
        return;
    }
    if (w->room)
        w->room->owner = NULL;
    else
        free(w->bytes);
    w->bytes = NULL;
    w->room = NULL;
    w->have = w->at = w->size = 0;
}

void wire_fini(struct wire *w)
{
    w->at = w->have;
    wire_release(w);
    free(w->text);
    w->text = NULL;
}

/* --- sending --- */

static bool send_all(struct wire *w, const unsigned char *p, size_t n)
{
    struct pollfd room = {.fd = w->fd, .events = POLLOUT};

    while (n > 0) {
        /* poll() is the way to wait: it has a limit */
        ssize_t sent = send(w->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            p += sent;
            n -= (size_t)sent;
        } else if (errno != EINTR && (errno != EAGAIN || poll(&room, 1, -1) == 0)) {
            return false;
        }
    }
    return true;
}

/* The payload is p[HEADER..HEADER+n-1]. */
static bool send_payload(struct wire *w, unsigned char *p, size_t n)
{
    unsigned number = 0;

    for (;;) {
        uint32_t piece = n < PIECE ? (uint32_t)n : PIECE;
        put(p, piece | (uint64_t)(number++ & 0xff) << 24, HEADER); /* over what has been sent */
        if (!send_all(w, p, HEADER + piece))
            return false;
        if (piece < PIECE) {
            w->number = (unsigned char)number;
            return true;
        }
        p += piece;
        n -= piece;
    }
}

static size_t number_size(size_t n)
{
    return n < 251 ? 1 : n < 65536 ? 3 : n < 1u << 24 ? 4 : 9;
}

static size_t value_size(const sql_bind *b)
{
    if (sql_bind_is_null(b))
        return 0;
    if (sql_bind_kind(b->type) != SQL_BIND_BYTES)
        return 8;
    size_t n = sql_bind_length(b);
    return number_size(n) + n;
}

static unsigned char *put_value(unsigned char *p, const sql_bind *b)
{
    if (sql_bind_kind(b->type) == SQL_BIND_BYTES) {
        size_t n = sql_bind_length(b);
        switch (number_size(n)) {
        case 1: p = put(p, n, 1); break;
        case 3: p = put(put(p, 252, 1), n, 2); break;
        case 4: p = put(put(p, 253, 1), n, 3); break;
        default: p = put(put(p, 254, 1), n, 8);
        }
        memcpy(p, b->buffer, n);
        return p + n;
    }
    uint64_t bits;
    memcpy(&bits, b->buffer, sizeof bits);
    return put(p, bits, 8);
}

static unsigned type_of(const sql_bind *b)
{
    switch (b->buffer ? sql_bind_kind(b->type) : SQL_BIND_NULL) {
    case SQL_BIND_INT: return MYSQL_TYPE_LONGLONG;
    case SQL_BIND_DOUBLE: return MYSQL_TYPE_DOUBLE;
    case SQL_BIND_BYTES: return MYSQL_TYPE_STRING;
    default: return MYSQL_TYPE_NULL;
    }
}

bool wire_execute(struct wire *w, const struct wire_stmt *s, const sql_bind *params, size_t n)
{
    unsigned char small[SMALL], *packet = small, *p;
    size_t size = HEADER + 10 + (n > 0 ? (n + 7) / 8 + 1 + 2 * n : 0);

    for (size_t i = 0; i < n; i++)
        size += value_size(&params[i]);
    if (size > sizeof small)
        packet = mem_array(size, 1);
    p = put(packet + HEADER, EXECUTE, 1);
    p = put(p, s->id, 4);
    p = put(p, 0, 1); /* no cursor */
    p = put(p, 1, 4); /* once */
    if (n > 0) {
        unsigned char *nulls = p;
        memset(nulls, 0, (n + 7) / 8);
        p = put(p + (n + 7) / 8, !s->types_known, 1);
        for (size_t i = 0; !s->types_known && i < n; i++)
            p = put(p, type_of(&params[i]), 2);
        for (size_t i = 0; i < n; i++) {
            if (sql_bind_is_null(&params[i]))
                nulls[i / 8] |= (unsigned char)(1u << i % 8);
            else
                p = put_value(p, &params[i]);
        }
    }
    w->taken = 0;
    bool sent = send_payload(w, packet, (size_t)(p - packet) - HEADER);
    if (packet != small)
        free(packet);
    return sent;
}

void wire_forget(struct wire *w, uint32_t id)
{
    unsigned char packet[HEADER + 5];

    put(put(packet + HEADER, CLOSE, 1), id, 4);
    send_payload(w, packet, 5);
}

/* --- receiving --- */

/* A payload: its offset and length. */
struct payload {
    size_t at, len;
};

static __attribute__((noinline)) bool receive_until(struct wire *w, size_t n)
{
    do {
        if (!receive(w))
            return false;
    } while (w->have - w->at < n);
    return true;
}

static __attribute__((always_inline)) inline bool need(struct wire *w, size_t n)
{
    return w->have - w->at >= n || receive_until(w, n);
}

/* What comes out of turn is only taken as an error. */
static __attribute__((noinline)) bool out_of_turn(struct wire *w, uint32_t header)
{
    w->failed = WIRE_MALFORMED;
    return (header & PIECE) > 0 && w->bytes[w->at + HEADER] == 0xff;
}

/* Is it the packet that is due? */
static __attribute__((always_inline)) inline bool in_turn(struct wire *w, uint32_t header)
{
    return header >> 24 == w->number++ || out_of_turn(w, header);
}

/* Joins a payload of several packets, where the first of them lies. */
static bool join(struct wire *w, struct payload *out)
{
    for (uint32_t n = PIECE; n == PIECE;) {
        if (!need(w, HEADER))
            return false;
        uint32_t header = GET4(w->bytes + w->at);
        n = header & PIECE;
        w->failed = WIRE_MALFORMED;
        if (out->len + n > LONGEST || !need(w, HEADER + (size_t)n) || !in_turn(w, header))
            return false;
        memmove(w->bytes + out->at + out->len, w->bytes + w->at + HEADER, n);
        out->len += n;
        w->at += HEADER + (size_t)n;
    }
    return true;
}

/* The next payload.  Its length, however long it is, takes the place of the packet's header. */
static __attribute__((always_inline)) inline bool next_payload(struct wire *w, struct payload *out)
{
    if (!need(w, HEADER))
        return false;
    uint32_t header = GET4(w->bytes + w->at);
    out->len = header & PIECE;
    if (!need(w, HEADER + out->len) || !in_turn(w, header))
        return false;
    out->at = w->at + HEADER;
    w->at += HEADER + out->len;
    if (out->len == PIECE && !join(w, out))
        return false;
    put(w->bytes + out->at - HEADER, out->len, HEADER);
    return true;
}

static inline bool is_eof(const unsigned char *p, size_t len)
{
    return p[0] == 0xfe && len < 9;
}

static enum wire_outcome take_error(const unsigned char *p, size_t len, struct wire_result *r)
{
    if (len < 3)
        return WIRE_MALFORMED;
    r->errnum = GET2(p + 1);
    p += 3;
    len -= 3;
    snprintf(r->state, sizeof r->state, "HY000");
    if (len >= 6 && *p == '#') {
        memcpy(r->state, p + 1, 5);
        p += 6;
        len -= 6;
    }
    if (len > sizeof r->message - 1)
        len = sizeof r->message - 1;
    memcpy(r->message, p, len);
    r->message[len] = '\0';
    return WIRE_REFUSED;
}

struct wire_column wire_next_column(const struct wire *w, size_t *at)
{
    const unsigned char *p = w->bytes + *at;
    size_t len = GET4(p - HEADER);

    *at = behind(w->bytes, *at) + HEADER;
    if (len < 13)
        return (struct wire_column){.type = MYSQL_TYPE_NULL};
    p += len - 13; /* its own length; character set, width, type, flags, decimals, 0, 0 */
    unsigned flags = GET2(p + 8);
    return (struct wire_column){.type = p[7],
                                .decimals = p[10],
                                .is_unsigned = flags & UNSIGNED_FLAG,
                                .zerofill = flags & ZEROFILL_FLAG,
                                .width = GET4(p + 3)};
}

static enum wire_outcome take_rows(struct wire *w, struct wire_result *r)
{
    const size_t least = 1 + ((size_t)w->ncolumns + 9) / 8;
    struct payload row;

    w->row = w->at + HEADER;
    r->in_rows = true;
    for (;;) {
        w->end = w->at + HEADER;
        if (!next_payload(w, &row))
            return w->failed;
        const unsigned char *p = w->bytes + row.at;
        if (row.len >= least && p[0] == 0) {
            r->count++;
        } else if (row.len >= 5 && is_eof(p, row.len)) {
            w->status = GET2(p + 3);
            return WIRE_DONE;
        } else {
            return row.len > 0 && p[0] == 0xff ? take_error(p, row.len, r) : WIRE_MALFORMED;
        }
    }
}

static enum wire_outcome take_result(struct wire *w, struct wire_stmt *s, struct wire_result *r)
{
    const unsigned char *p, *end;
    struct payload first, d;
    uint64_t n, insert_id;

    do {
        if (!next_payload(w, &first))
            return w->failed;
        if (first.len == 0)
            return WIRE_MALFORMED;
        p = w->bytes + first.at;
    } while (p[0] == 0xff && first.len >= 3 && GET2(p + 1) == PROGRESS);
    end = p + first.len;
    if (p[0] == 0) {
        p++;
        if (!get_number(&p, end, &r->count) || !get_number(&p, end, &insert_id) || end - p < 2)
            return WIRE_MALFORMED;
        w->status = GET2(p);
        return WIRE_DONE;
    }
    if (p[0] == 0xff)
        return take_error(p, first.len, r);
    if (p[0] == FILE_NAME) {
        snprintf(r->message, sizeof r->message, "%.*s", (int)(first.len - 1), (const char *)p + 1);
        return WIRE_ASKS;
    }
    if (!get_number(&p, end, &n) || n > MAX_COLUMNS)
        return WIRE_MALFORMED;
    r->ncolumns = w->ncolumns = (uint32_t)n;
    bool remembered = p < end, defined = p == end || *p;
    if (!defined && n != s->ncolumns)
        return WIRE_MALFORMED;
    /* the definitions of the columns, and the EOF behind them */
    for (uint64_t i = defined ? 0 : n; i <= n; i++) {
        if (!next_payload(w, &d))
            return w->failed;
        if (i == 0 && n > 0)
            w->definitions = d.at;
        if (i == n && !(d.len >= 5 && is_eof(w->bytes + d.at, d.len)))
            return WIRE_MALFORMED;
    }
    if (remembered && defined) { /* they hold for later answers without any */
        size_t at = w->definitions;
        s->columns = mem_grow(s->columns, n, sizeof *s->columns);
        s->ncolumns = (uint16_t)n;
        for (uint64_t i = 0; i < n; i++)
            s->columns[i] = wire_next_column(w, &at);
    }
    return take_rows(w, r);
}

enum wire_outcome wire_result(struct wire *w, struct wire_stmt *s, struct wire_result *r)
{
    r->ncolumns = 0;
    r->count = 0;
    r->in_rows = false;
    enum wire_outcome v = take_result(w, s, r);
    if (v == WIRE_DONE && r->ncolumns > 0 && r->count > 0)
        return v;
    if (v != WIRE_DONE)
        w->status &= (uint16_t)~SERVER_MORE_RESULTS_EXIST;
    if (v > WIRE_REFUSED)
        w->at = w->have; /* nothing that follows means anything */
    wire_release(w);
    return v;
}

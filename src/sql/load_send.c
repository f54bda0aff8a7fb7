/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load_send.h.  Rows are made into the buffer that the client library sends from, or into the
 * text of an INSERT, and nowhere else.
 */
#include "sql/load_send.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define ROWS_PER_REPORT 1000u

/* The rows of a piece, one after the other. */
struct rows {
    struct load_maker maker;
    const struct load_way *way;
    uint64_t next, last;
    unsigned unreported;
    char row[LOAD_ROW_MAX]; /* one that did not fit */
    size_t len, at;
};

static void rows_init(struct rows *s, const struct load_rows *l, const struct load_piece *p,
                      const struct load_way *way)
{
    *s = (struct rows){.way = way, .next = p->first, .last = p->last};
    load_maker_init(&s->maker, l, &p->rng);
}

static void report(struct rows *s)
{
    if (s->way->sent && s->unreported)
        s->way->sent(s->way->arg, s->unreported);
    s->unreported = 0;
}

static size_t make(struct rows *s, enum load_form form, char *out)
{
    size_t n = load_row(&s->maker, s->next++, form, out);

    if (++s->unreported == ROWS_PER_REPORT || s->next > s->last)
        report(s);
    return n;
}

/* What is left of the row that did not fit. */
static size_t rest(struct rows *s, char *out, size_t room)
{
    size_t n = s->len - s->at < room ? s->len - s->at : room;

    memcpy(out, s->row + s->at, n);
    s->at += n;
    return n;
}

static size_t read_rows(void *arg, char *out, size_t room)
{
    struct rows *s = arg;
    size_t n = rest(s, out, room);

    while (s->next <= s->last && room - n >= LOAD_ROW_MAX)
        n += make(s, LOAD_TABS, out + n);
    if (s->next <= s->last && n < room) {
        s->len = make(s, LOAD_TABS, s->row);
        s->at = 0;
        n += rest(s, out + n, room - n);
    }
    return n;
}

static int send_feed(sql_connection *con, struct rows *s, const struct load_piece *p,
                     uint64_t *taken)
{
    struct sql_feed feed = {.read = read_rows, .arg = s};
    bool copy = s->way->method == LOAD_BY_COPY;
    char text[160];
    int n = snprintf(text, sizeof text, "%ssbtest%" PRIu64 " (id, k, c, pad)%s",
                     copy ? "COPY " : "LOAD DATA LOCAL INFILE 'rows of sysbench' INTO TABLE ",
                     p->table, copy ? " FROM STDIN" : "");

    return sql_load(con, text, (size_t)n, &feed, taken);
}

static int query(sql_connection *con, const char *text, size_t len)
{
    sql_query(con, text, len);
    return con->error == DB_ERROR_NONE ? 0 : -1;
}

/* As many rows as a statement may have; at least one, which the server may then refuse. */
static void fill(struct rows *s, struct str *text, size_t packet)
{
    size_t rows = 0;

    while (s->next <= s->last && (!rows || text->len + LOAD_ROW_MAX + 2 <= packet)) {
        if (rows++)
            str_adds(text, ",");
        str_room(text, LOAD_ROW_MAX);
        text->len += make(s, LOAD_VALUES, text->s + text->len);
    }
    str_adds(text, "");
}

static int send_inserts(sql_connection *con, struct rows *s, const struct load_piece *p)
{
    struct str text = STR_INIT;
    int rc = query(con, "BEGIN", 5);

    while (!rc && s->next <= s->last) {
        str_reset(&text);
        str_printf(&text, "INSERT INTO sbtest%" PRIu64 "(id, k, c, pad) VALUES ", p->table);
        fill(s, &text, s->way->packet);
        rc = query(con, str_cstr(&text), text.len);
    }
    str_free(&text);
    return rc ? rc : query(con, "COMMIT", 6);
}

/* LOAD DATA LOCAL leaves out a row that the table does not take, and ends as if all were well. */
static int send_load(sql_connection *con, struct rows *s, const struct load_piece *p,
                     uint64_t *taken)
{
    int rc = query(con, "BEGIN", 5);

    rc = rc ? rc : send_feed(con, s, p, taken);
    if (rc)
        return rc;
    return *taken == p->last - p->first + 1 ? query(con, "COMMIT", 6) : query(con, "ROLLBACK", 8);
}

static int send_rows(sql_connection *con, struct rows *s, const struct load_piece *p,
                     uint64_t *taken)
{
    switch (s->way->method) {
    case LOAD_BY_LOAD: return send_load(con, s, p, taken);
    case LOAD_BY_COPY: return send_feed(con, s, p, taken);
    case LOAD_BY_INSERT: break;
    }
    return send_inserts(con, s, p);
}

static int delete_rows(sql_connection *con, const struct load_piece *p)
{
    char text[160];
    int n = snprintf(text, sizeof text,
                     "DELETE FROM sbtest%" PRIu64 " WHERE id BETWEEN %" PRIu64 " AND %" PRIu64,
                     p->table, p->first, p->last);

    return query(con, text, (size_t)n);
}

/* PostgreSQL's DELETE does not wait for rows that another session has not committed yet, and a
 * table without a unique key takes them twice: the lock waits until the lost session is through. */
static int delete_under_lock(sql_connection *con, const struct load_piece *p)
{
    char text[80];
    int n = snprintf(text, sizeof text, "LOCK TABLE sbtest%" PRIu64 " IN SHARE ROW EXCLUSIVE MODE",
                     p->table);
    int rc = query(con, "BEGIN", 5);

    rc = rc ? rc : query(con, text, (size_t)n);
    rc = rc ? rc : delete_rows(con, p);
    return rc ? rc : query(con, "COMMIT", 6);
}

/* After an attempt whose answer was lost; none are there after any other. */
static int remove_rows(sql_connection *con, const struct load_piece *p)
{
    return strcmp(con->driver->sname, "pgsql") == 0 ? delete_under_lock(con, p)
                                                    : delete_rows(con, p);
}

static int attempt(sql_connection *con, struct rows *s, const struct load_piece *p, bool again,
                   uint64_t *taken)
{
    uint64_t all = p->last - p->first + 1;
    int rc = again ? remove_rows(con, p) : 0;

    *taken = all;
    rc = rc ? rc : send_rows(con, s, p, taken);
    return rc == 0 && *taken != all ? -1 : rc;
}

/* Whether the attempt that failed is worth another one.  Rows that the first one finds are somebody
 * else's, and not ours to delete.  Where a later one finds rows, the server was still at work on
 * the attempt whose answer was lost when we deleted them. */
static bool repeats(sql_connection *con, bool again)
{
    if (con->error == DB_ERROR_NONE || sql_error_class(con) != ERROR_DUPLICATE)
        return sql_runs_again(con);
    if (again)
        sql_rollback(con);
    return again;
}

int load_send(sql_connection *con, const struct load_rows *l, const struct load_piece *p,
              const struct load_way *way, uint64_t *taken)
{
    struct rows s;
    bool again = false;
    int rc;

    sql_set_manners(con, DB_QUIET);
    for (;;) {
        rows_init(&s, l, p, way);
        rc = attempt(con, &s, p, again, taken);
        if (rc >= 0 || !repeats(con, again) || !way->again ||
            !way->again(way->arg, s.next - p->first - s.unreported))
            break;
        again = true;
    }
    sql_set_manners(con, 0);
    return rc;
}

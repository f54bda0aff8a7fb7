/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepared statements.  PREPARE needs the types of the parameters, so a statement with parameters
 * is prepared when they are first bound, and one without immediately.  If that is not possible (the
 * statement moved to a new connection, or the connection was lost), the next execute prepares it
 * and returns the outcome.
 *
 * Numbers are sent in binary format, as eight bytes in network order.  So are strings, because only
 * the binary format has a length.  Dates and times are sent as text, and the server infers their
 * type.  Rows are received as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "sql/drv_pgsql.h"

/* OIDs of pg_type, which never change; with 0 the server infers the type. */
enum { TYPE_INFERRED = 0, TYPE_INT8 = 20, TYPE_FLOAT8 = 701, TYPE_VARCHAR = 1043 };

enum { FORMAT_TEXT = 0, FORMAT_BINARY = 1 };

struct pgdrv_stmt {
    char name[PGDRV_NAME]; /* see names_note */
    bool on_server;        /* prepared */
    bool at_bind;          /* prepared by the script: binding parameters completes it */
    struct str text;       /* with $1, $2, ... */

    /* arguments of PQsendQueryPrepared, nplaceholders each */
    Oid *types;
    const char **values;
    int *lengths, *formats;
    char (*wire)[8];   /* numbers in network order */
    struct str *dates; /* NUL-terminated copies */
};

/* --- names --- */

static int draw(struct sql_conn *c, bool first)
{
    if (first && c->host->random)
        return (int)(uint32_t)c->host->random(c->host->arg);
    return (int)(uint32_t)rng_next(&c->rng);
}

static void set_name(struct sql_conn *c, struct pgdrv_stmt *ps, bool first)
{
    int behind = draw(c, first), before = draw(c, first);

    snprintf(ps->name, sizeof ps->name, "sbstmt%d%d_%016llx", before, behind,
             (unsigned long long)rng_next(&c->rng));
}

static void deallocate_one(struct pgdrv_conn *pc)
{
    char text[PGDRV_NAME + 16];

    if (pc->nclosed == 0)
        return;
    snprintf(text, sizeof text, "DEALLOCATE \"%s\"", pc->closed[--pc->nclosed]);
    PQclear(PQexec(pc->lib, text)); /* if this fails, the prepare that follows fails, too */
}

static void queue_deallocate(struct pgdrv_conn *pc, struct pgdrv_stmt *ps)
{
    if (!ps->on_server)
        return;
    ps->on_server = false;
    if (pc->nclosed == pc->closed_capacity) {
        pc->closed_capacity = pc->closed_capacity * 2 + 8;
        pc->closed = mem_grow(pc->closed, pc->closed_capacity, sizeof *pc->closed);
    }
    memcpy(pc->closed[pc->nclosed++], ps->name, sizeof ps->name);
}

/* --- prepare and bind --- */

static enum sql_outcome prepare_failed(struct sql_conn *c, const PGresult *r, bool first)
{
    enum sql_outcome v = pgdrv_set_failure(c, r);

    if (v == SQL_FATAL || (first && v == SQL_IGNORABLE && !c->fail.by_policy)) {
        client_errors_code(0, c->fail.state);
        log_fatal("PQprepare() failed: %s", pgdrv_message(c, r));
        v = SQL_FATAL;
    }
    return v;
}

static bool has_state(const PGresult *r, const char *want)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

    return state && strcmp(state, want) == 0;
}

static PGresult *send_prepare(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;

    return pgdrv_answer(s->conn, PQsendPrepare(pgdrv_lib(s->conn), ps->name, str_cstr(&ps->text),
                                               (int)s->nplaceholders, ps->types));
}

static enum sql_outcome prepare_on_server(struct sql_stmt *s, bool first)
{
    struct pgdrv_stmt *ps = s->handle;
    struct sql_conn *c = s->conn;
    enum sql_outcome v = SQL_DONE;
    PGresult *r;

    deallocate_one(pgdrv_of(c));
    r = send_prepare(s);
    /* duplicate_prepared_statement: somebody else's, behind a pooler */
    if (has_state(r, "42P05") && PQtransactionStatus(pgdrv_lib(c)) == PQTRANS_IDLE) {
        PQclear(r);
        set_name(c, ps, false);
        r = send_prepare(s);
    }
    if (PQresultStatus(r) == PGRES_COMMAND_OK)
        ps->on_server = true;
    else
        v = prepare_failed(c, r, first);
    PQclear(r);
    return v;
}

static struct pgdrv_stmt *new_stmt(struct sql_stmt *s, unsigned lex)
{
    struct pgdrv_stmt *ps = mem_alloc(sizeof *ps);
    struct sql_template t;
    size_t n;

    sql_template_init(&t, s->query, s->query_len, lex);
    sql_template_number(&t, &ps->text);
    n = t.nplaceholders;
    sql_template_fini(&t);
    s->nplaceholders = n;
    if (n == 0)
        return ps;
    ps->types = mem_array(n, sizeof *ps->types);
    ps->values = mem_array(n, sizeof *ps->values);
    ps->lengths = mem_array(n, sizeof *ps->lengths);
    ps->formats = mem_array(n, sizeof *ps->formats);
    ps->wire = mem_array(n, sizeof *ps->wire);
    ps->dates = mem_array(n, sizeof *ps->dates);
    return ps;
}

enum sql_outcome pgdrv_prepare(struct sql_stmt *s, bool first)
{
    struct sql_conn *c = s->conn;
    struct pgdrv_stmt *ps;
    enum sql_outcome v;

    if (pgdrv_has_nul(c, "PQprepare", s->query, s->query_len, &v))
        return v;
    ps = new_stmt(s, c->ops->lex(c));
    ps->at_bind = first;
    set_name(c, ps, first);
    s->handle = ps;
    if (s->nplaceholders > 0)
        return SQL_DONE;
    v = prepare_on_server(s, first);
    if (v != SQL_DONE)
        pgdrv_close_stmt(s);
    return v;
}

static bool is_date(sql_bind_type_t type)
{
    return type == SQL_TYPE_TIME || type == SQL_TYPE_DATE || type == SQL_TYPE_DATETIME ||
           type == SQL_TYPE_TIMESTAMP;
}

static Oid server_type(sql_bind_type_t type)
{
    switch (sql_bind_kind(type)) {
    case SQL_BIND_INT: return TYPE_INT8;
    case SQL_BIND_DOUBLE: return TYPE_FLOAT8;
    case SQL_BIND_BYTES: return is_date(type) ? TYPE_INFERRED : TYPE_VARCHAR;
    case SQL_BIND_NULL: break;
    }
    return TYPE_INFERRED;
}

int pgdrv_bind(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;
    bool changed = false;
    enum sql_outcome v;

    for (size_t i = 0; i < s->nparams; i++) {
        Oid type = server_type(s->params[i].type);
        changed = changed || type != ps->types[i];
        ps->types[i] = type;
        ps->formats[i] = type == TYPE_INFERRED ? FORMAT_TEXT : FORMAT_BINARY;
    }
    if (ps->on_server && changed) {
        queue_deallocate(pgdrv_of(s->conn), ps);
        set_name(s->conn, ps, false);
    }
    if (ps->on_server || !ps->at_bind)
        return 0;
    v = prepare_on_server(s, true);
    return v == SQL_FATAL ? -1 : 0;
}

/* --- execute --- */

static void wire_number(char out[8], const void *value)
{
    uint64_t bits;

    memcpy(&bits, value, sizeof bits);
    for (int i = 7; i >= 0; i--, bits >>= 8)
        out[i] = (char)(bits & 0xff);
}

static void fill_value(struct pgdrv_stmt *ps, size_t i, const sql_bind *b)
{
    if (sql_bind_is_null(b)) {
        ps->values[i] = NULL;
    } else if (ps->types[i] == TYPE_VARCHAR) {
        ps->values[i] = b->buffer;
        ps->lengths[i] = (int)sql_bind_length(b);
    } else if (ps->types[i] == TYPE_INFERRED) {
        str_reset(&ps->dates[i]);
        str_add(&ps->dates[i], b->buffer, sql_bind_length(b));
        ps->values[i] = str_cstr(&ps->dates[i]);
    } else {
        wire_number(ps->wire[i], b->buffer);
        ps->values[i] = ps->wire[i];
        ps->lengths[i] = sizeof ps->wire[i];
    }
}

enum sql_outcome pgdrv_execute(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;
    struct sql_conn *c = s->conn;
    enum sql_outcome v;
    PGresult *r;
    int sent;

    if (!ps->on_server && (v = prepare_on_server(s, false)) != SQL_DONE)
        return v;
    for (size_t i = 0; i < s->nparams; i++)
        fill_value(ps, i, &s->params[i]);
    sent = PQsendQueryPrepared(pgdrv_lib(c), ps->name, (int)s->nparams, ps->values, ps->lengths,
                               ps->formats, FORMAT_TEXT);
    r = pgdrv_answer(c, sent);
    /* invalid_sql_statement_name: of one that the server has prepared */
    if (has_state(r, "26000") && PQstatus(pgdrv_lib(c)) != CONNECTION_BAD) {
        s->forgotten = true;
        pgdrv_set_failure(c, r);
        PQclear(r);
        return SQL_IGNORABLE;
    }
    return pgdrv_store_result(c, r, "PQexecPrepared", NULL, 0);
}

void pgdrv_close_stmt(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;

    queue_deallocate(pgdrv_of(s->conn), ps);
    for (size_t i = 0; ps->dates && i < s->nplaceholders; i++)
        str_free(&ps->dates[i]);
    str_free(&ps->text);
    free(ps->types);
    free(ps->values);
    free(ps->lengths);
    free(ps->formats);
    free(ps->wire);
    free(ps->dates);
    free(ps);
    s->handle = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns the --pgsql-* options into the driver's settings.  Empty values are not passed on, so that
 * libpq uses its own defaults: the PG* environment, a service file, .pgpass.  A connection string
 * in --pgsql-db is passed after our defaults and before the options that the user gave, because
 * later parameters override earlier ones.
 *
 * Errors: whether the connection survived one comes from libpq, not from the code, because a
 * function on the server can raise any code.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/client_errors.h"
#include "base/mem.h"
#include "base/str.h"
#include "interpose/interpose.h"
#include "opt/secret.h"
#include "sql/drv_pgsql.h"
#include "sql/sql_text.h"

/* --- errors --- */

enum sql_outcome pgdrv_classify(const struct pgdrv_cfg *cfg, const char *state, bool lost)
{
    const struct sql_login_pgsql *l = &cfg->login;

    for (size_t i = 0; i < l->nignore; i++) {
        const char *item = l->ignore_errors[i];
        if (strcmp(item, "all") == 0 || (lost && strcmp(item, "connection") == 0) ||
            strcasecmp(item, state) == 0)
            return lost ? SQL_LOST : SQL_IGNORABLE;
    }
    return SQL_FATAL;
}

/* Drops the newline at the end of libpq's messages. */
static void fail(struct sql_conn *c, const char *state, const char *msg)
{
    sql_fail(c, 0, state, msg);
    size_t n = strlen(c->fail.msg);
    while (n > 0 && c->fail.msg[n - 1] == '\n')
        c->fail.msg[--n] = '\0';
}

const char *pgdrv_message(const struct sql_conn *c, const PGresult *r)
{
    const char *msg = PQresultErrorMessage(r);

    return *msg ? msg : PQerrorMessage(pgdrv_lib(c));
}

enum sql_outcome pgdrv_set_failure(struct sql_conn *c, const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *msg = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    ExecStatusType status = PQresultStatus(r);
    /* an error of libpq itself: it could not read what came, or there is no memory for it */
    bool lost = PQstatus(pgdrv_lib(c)) == CONNECTION_BAD || (status == PGRES_FATAL_ERROR && !state);

    if (status == PGRES_EMPTY_QUERY) {
        state = "42601";
        msg = "the statement is empty";
    } else if (pgdrv_is_copy(status)) {
        state = "0A000";
        msg = "COPY FROM STDIN and COPY TO STDOUT are not supported";
    }
    if (lost) { /* later statements on a dead connection get the SQLSTATE of the first failure */
        char *first = pgdrv_of(c)->lost;
        if (!first[0])
            snprintf(first, sizeof pgdrv_of(c)->lost, "%s", state ? state : PGDRV_LOST);
        state = first;
    }
    fail(c, state, msg ? msg : pgdrv_message(c, r));
    if (lost && c->fail.class == ERROR_OTHER)
        c->fail.class = ERROR_CONNECTION;
    return sql_decide(c, pgdrv_classify(c->cfg, c->fail.state, lost), lost);
}

static void say(const struct sql_conn *c, const char *function, ExecStatusType status,
                const char *text, size_t len)
{
    if (c->mode & DB_QUIET)
        return;
    client_errors_code(0, c->fail.state);
    log_fatal("%s() failed: %d %s", function, (int)status, c->fail.msg);
    if (text) {
        struct str shown = STR_INIT;
        sql_excerpt(&shown, text, len, log_verbosity() >= LOG_DEBUG);
        log_fatal("failed query was: %s", str_cstr(&shown));
        str_free(&shown);
    }
}

enum sql_outcome pgdrv_report_failure(struct sql_conn *c, const PGresult *r, const char *function,
                                      const char *text, size_t len)
{
    enum sql_outcome v = pgdrv_set_failure(c, r);

    if (v == SQL_FATAL)
        say(c, function, PQresultStatus(r), text, len);
    return v;
}

enum sql_outcome pgdrv_astray(struct sql_conn *c, const char *function)
{
    fail(c, PGDRV_BROKEN, "the server has sent what no statement asked for");
    shutdown(PQsocket(pgdrv_lib(c)), SHUT_RDWR);
    enum sql_outcome v = sql_decide(c, pgdrv_classify(c->cfg, c->fail.state, true), true);
    if (v == SQL_FATAL)
        say(c, function, PGRES_FATAL_ERROR, NULL, 0);
    return v;
}

bool pgdrv_has_nul(struct sql_conn *c, const char *function, const char *text, size_t len,
                   enum sql_outcome *v)
{
    if (!memchr(text, '\0', len))
        return false;
    fail(c, "22021", "a statement cannot contain a NUL byte");
    *v = sql_decide(c, pgdrv_classify(c->cfg, c->fail.state, false), false);
    if (*v == SQL_FATAL)
        say(c, function, PGRES_FATAL_ERROR, text, len);
    return true;
}

/* libpq passes on no SQLSTATE of a failed connect.  A server that speaks another language leaves
 * the class that the caller has set. */
static const struct {
    const char *text;
    enum error_class class;
} refusals[] = {
    {"too many c", ERROR_OVERLOAD}, /* clients already; connections for role */
    {"connection slots are reserved", ERROR_OVERLOAD},
    {"no more connections allowed", ERROR_OVERLOAD}, /* PgBouncer */
    {"the database system is ", ERROR_SHUTDOWN},     /* starting up, shutting down, ... */
    {"terminating connection due to admin", ERROR_SHUTDOWN},
    {"no pg_hba.conf entry", ERROR_ACCESS}, /* whose end may say "SSL off" */
    {"authentication failed", ERROR_ACCESS},
    {"no password supplied", ERROR_ACCESS},
    {"role \"", ERROR_ACCESS},
    {"permission denied for database", ERROR_ACCESS},
    {"database \"", ERROR_MISSING},
    {"SSL", ERROR_TLS},
    {"certificate", ERROR_TLS},
};

enum sql_outcome pgdrv_connect_failed(struct sql_conn *c, const char *msg)
{
    const struct pgdrv_cfg *cfg = c->cfg;
    struct str text = STR_INIT;
    size_t len;
    const char *password = mask_find_in_uri(cfg->login.db, &len);
    const char *proof = strstr(msg, "could not calculate client proof");

    if (proof) /* libpq does not know why: tls_limit_hmac() */
        str_printf(&text,
                   "%.*sthe server asks for so many iterations of SCRAM that %g s of CPU time are "
                   "not enough (see --connect-timeout)",
                   (int)(proof - msg), msg, cfg->scram_limit);
    else
        str_adds(&text, msg);
    if (text.len) /* libpq quotes what it cannot parse */
        mask_complaint(text.s, password, len);
    fail(c, PGDRV_REFUSED, str_cstr(&text));
    str_free(&text);
    for (size_t i = sizeof refusals / sizeof *refusals; i-- > 0;) /* the first that fits */
        if (strstr(c->fail.msg, refusals[i].text))
            c->fail.class = refusals[i].class;
    if (strstr(c->fail.msg, cfg->queue_full))
        return SQL_BUSY;
    return sql_decide(c, pgdrv_classify(cfg, PGDRV_REFUSED, true), true);
}

/* --- the driver --- */

/* Says once when a password is about to be sent in clear text, without TLS, to another host:
 * send_watch.  A PasswordMessage is 'p', its length, and the password or "md5" with 32 digits;
 * SCRAM's have no NUL at the end, or more than one. */
static void look_at_sent(int fd, const void *bytes, size_t n)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    struct sockaddr_storage to = {0};
    socklen_t size = sizeof to;
    char text[INET6_ADDRSTRLEN];
    const char *p = bytes;
    uint32_t len;

    if (n < 6 || *p != 'p' || p[n - 1] != '\0')
        return;
    memcpy(&len, p + 1, sizeof len);
    if (ntohl(len) != n - 1 || strlen(p + 5) != n - 6 || (n == 41 && strncmp(p + 5, "md5", 3) == 0))
        return;
    /* not of TCP, or to this host's loopback? */
    if (getpeername(fd, (struct sockaddr *)&to, &size) != 0 ||
        (to.ss_family != AF_INET && to.ss_family != AF_INET6) ||
        getnameinfo((struct sockaddr *)&to, size, text, sizeof text, NULL, 0, NI_NUMERICHOST))
        return;
    const char *host = strncmp(text, "::ffff:", 7) == 0 ? text + 7 : text;
    bool away = strncmp(host, "127.", 4) != 0 && strcmp(host, "::1") != 0;
    if (away && !atomic_flag_test_and_set(&said))
        log_stderr("WARNING: The server at %s asked for the password in clear text, and gets it "
                   "over a connection without encryption (see --pgsql-sslmode).",
                   host);
}

#define CODE_CHARS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static int pgdrv_check(const struct sql_options *o, struct err *e)
{
    const struct sql_login_pgsql *l = &o->pgsql;

    for (size_t i = 0; i < l->nignore; i++) {
        const char *item = l->ignore_errors[i];
        if (strcmp(item, "all") != 0 && strcmp(item, "connection") != 0 &&
            !(strlen(item) == 5 && strspn(item, CODE_CHARS) == 5))
            return err_set(e, ERR_USAGE,
                           "Invalid value for --pgsql-ignore-errors: '%s' is neither a SQLSTATE of "
                           "five characters nor 'connection' nor 'all'",
                           item);
    }
    return 0;
}

char *pgdrv_dbname(const char *db)
{
    const char *p = db + strcspn(db, "= \t");

    p += strspn(p, " \t");
    if (!strchr(db, '=') || strstr(db, "://") || *p == '=')
        return mem_strdup(db);
    return mem_printf("dbname=%s", db);
}

/* "b,c,a" for the second of a,b,c. */
static char *turned(char *const *host, size_t n, size_t first)
{
    struct str s = STR_INIT;

    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%s%s", i ? "," : "", host[(first + i) % n]);
    char *text = mem_strdup(str_cstr(&s));
    str_free(&s);
    return text;
}

static int pgdrv_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg_out)
{
    const struct sql_login_pgsql *l = &o->pgsql;

    if (o->nsources) { /* a script's own choice of this driver */
        log_fatal("%s", SQL_SOURCE_PGSQL);
        return -1;
    }
    struct pgdrv_cfg *cfg = mem_alloc(sizeof *cfg);
    cfg->login = o->pgsql;
    cfg->db = pgdrv_dbname(o->pgsql.db);
    PQconninfoOption *list = strchr(cfg->db, '=') ? PQconninfoParse(cfg->db, NULL) : NULL;
    for (PQconninfoOption *c = list; c && c->keyword; c++)
        cfg->service = cfg->service || (c->val && strcmp(c->keyword, "service") == 0);
    PQconninfoFree(list);
    cfg->limited = o->connect_timeout > 0;
    cfg->scram_limit = o->connect_timeout > 0 ? o->connect_timeout : dur_sec(SQL_RECONNECT_LIMIT);
    tls_limit_hmac((dur_ns)(cfg->scram_limit * 1e9));
    atomic_store(&send_watch, look_at_sent);
    cfg->queue_full = mem_strdup(strerror(EAGAIN));
    struct sql_servers s;
    size_t n, nports;
    char **host, **port;
    sql_hosts_pgsql(l, &host, &n, &port, &nports);
    sql_servers_read(&s, o, "pgsql");
    cfg->nhosts = s.positions > 1 ? n : 1;
    cfg->from = mem_array(cfg->nhosts, sizeof *cfg->from);
    cfg->alone = mem_array(cfg->nhosts, sizeof *cfg->alone);
    for (size_t i = 0; i < cfg->nhosts; i++) {
        cfg->from[i] = (struct pgdrv_place){turned(host, n, i), turned(port, nports, i % nports)};
        cfg->alone[i] =
            (struct pgdrv_place){mem_strdup(host[i]), mem_strdup(port[nports > 1 ? i : 0])};
    }
    cfg->watches = cfg->nhosts > 1 && o->watched >= 0;
    sql_servers_free(&s);
    sql_hosts_free(host);
    sql_hosts_free(port);
    *ops = &pgdrv_ops;
    *cfg_out = cfg;
    return 0;
}

static void pgdrv_shut(void *arg)
{
    struct pgdrv_cfg *cfg = arg;

    for (size_t i = 0; i < cfg->nhosts; i++) {
        free(cfg->from[i].host);
        free(cfg->from[i].port);
        free(cfg->alone[i].host);
        free(cfg->alone[i].port);
    }
    free(cfg->from);
    free(cfg->alone);
    free(cfg->db);
    free(cfg->queue_full);
    free(cfg);
}

static void add(struct pgdrv_params *p, const char *keyword, const char *value)
{
    if (!*value)
        return;
    p->keyword[p->n] = keyword;
    p->value[p->n++] = value;
}

void pgdrv_connect_params(const struct pgdrv_cfg *cfg, const struct pgdrv_place *at,
                          unsigned seconds, struct pgdrv_params *out)
{
    const struct sql_login_pgsql *l = &cfg->login;

    *out = (struct pgdrv_params){.n = 0};
    snprintf(out->timeout, sizeof out->timeout, "%u", seconds);
    if (seconds && (cfg->limited || !getenv("PGCONNECT_TIMEOUT")))
        add(out, "connect_timeout", out->timeout);
    for (int given = cfg->service; given < 2; given++) { /* a service overrides our defaults */
        if (given)
            add(out, "dbname", cfg->db);
        if (l->host_given == given)
            add(out, "host", at->host);
        if (l->port_given == given)
            add(out, "port", at->port);
        if (l->user_given == given)
            add(out, "user", l->user);
    }
    add(out, "password", l->password);
    add(out, "sslmode", l->sslmode);
    add(out, "fallback_application_name", "sysbench");
}

static const char *pgdrv_library(void)
{
    static char text[32]; /* the same each time it is written */

    snprintf(text, sizeof text, "libpq %d.%d", PQlibVersion() / 10000, PQlibVersion() % 10000);
    return text;
}

const struct sql_driver_class sql_class_pgsql = {
    .library = pgdrv_library,
    .names = {.sname = "pgsql", .lname = "PostgreSQL driver"},
    .options = OPT_GROUP_PGSQL,
    .check = pgdrv_check,
    .open = pgdrv_open,
    .close = pgdrv_shut,
    .entry = (const void *)PQconnectdbParams,
};

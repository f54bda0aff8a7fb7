/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Classifies SQLSTATEs.  The user's list decides whether an error is ignored.  Whether the
 * connection survived comes from libpq, not from the code, because a function on the server can
 * raise any code.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/client_errors.h"
#include "base/str.h"
#include "opt/mask.h"
#include "sql/drv_pgsql.h"
#include "sql/sql_excerpt.h"

static bool is_ignored(const struct pgdrv_cfg *cfg, const char *state)
{
    for (size_t i = 0; i < cfg->nignored; i++)
        if (strcasecmp(cfg->ignored[i], state) == 0)
            return true;
    return false;
}

enum sql_outcome pgdrv_classify(const struct pgdrv_cfg *cfg, const char *state, bool lost)
{
    if (cfg->ignore_all || is_ignored(cfg, state) || (lost && cfg->ignore_lost))
        return lost ? SQL_LOST : SQL_IGNORABLE;
    return SQL_FATAL;
}

/* Drops the newline at the end of libpq's messages. */
static void fail(struct sql_conn *c, const char *state, const char *msg)
{
    size_t n;

    sql_fail(c, 0, state, msg);
    n = strlen(c->fail.msg);
    while (n > 0 && c->fail.msg[n - 1] == '\n')
        c->fail.msg[--n] = '\0';
}

const char *pgdrv_message(const struct sql_conn *c, const PGresult *r)
{
    const char *msg = PQresultErrorMessage(r);

    return *msg ? msg : PQerrorMessage(pgdrv_lib(c));
}

/* Later statements on a dead connection get the SQLSTATE of the first failure. */
static const char *lost_state(struct pgdrv_conn *pc, const char *state)
{
    if (!pc->lost[0])
        snprintf(pc->lost, sizeof pc->lost, "%s", state ? state : PGDRV_LOST);
    return pc->lost;
}

enum sql_outcome pgdrv_set_failure(struct sql_conn *c, const PGresult *r)
{
    bool lost = PQstatus(pgdrv_lib(c)) == CONNECTION_BAD;
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *msg = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);

    switch (PQresultStatus(r)) {
    case PGRES_EMPTY_QUERY:
        state = "42601";
        msg = "the statement is empty";
        break;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
        state = "0A000";
        msg = "COPY FROM STDIN and COPY TO STDOUT are not supported";
        break;
    default: break;
    }
    if (lost)
        state = lost_state(pgdrv_of(c), state);
    fail(c, state, msg ? msg : pgdrv_message(c, r));
    if (lost && c->fail.class == ERROR_OTHER)
        c->fail.class = ERROR_CONNECTION;
    return sql_decide(c, pgdrv_classify(c->cfg, c->fail.state, lost), lost);
}

static void say(const struct sql_conn *c, const char *function, ExecStatusType status,
                const char *text, size_t len)
{
    if (c->manners & DB_QUIET)
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
static void class_by_text(struct sql_failure *f)
{
    static const struct {
        const char *text;
        enum error_class class;
    } t[] = {
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

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        if (strstr(f->msg, t[i].text)) {
            f->class = t[i].class;
            return;
        }
    }
}

/* "192.0.2.2"; NULL: the socket is not TCP, or leads to this host's loopback. */
static const char *other_host(int fd, char text[INET6_ADDRSTRLEN])
{
    struct sockaddr_storage to = {0};
    socklen_t len = sizeof to;
    const char *host;

    if (getpeername(fd, (struct sockaddr *)&to, &len) != 0)
        return NULL;
    if (to.ss_family == AF_INET)
        host = inet_ntop(AF_INET, &((struct sockaddr_in *)&to)->sin_addr, text, INET6_ADDRSTRLEN);
    else if (to.ss_family == AF_INET6)
        host =
            inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&to)->sin6_addr, text, INET6_ADDRSTRLEN);
    else
        return NULL;
    if (strncmp(host, "::ffff:", 7) == 0)
        host += 7;
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ? NULL : host;
}

/* A PasswordMessage is 'p', its length, and the password or "md5" with 32 digits; SCRAM's have no
 * NUL at the end, or more than one. */
void pgdrv_look_at_sent(int fd, const void *bytes, size_t n)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[INET6_ADDRSTRLEN];
    const char *p = bytes, *host;
    uint32_t len;

    if (n < 6 || *p != 'p' || p[n - 1] != '\0')
        return;
    memcpy(&len, p + 1, sizeof len);
    if (ntohl(len) != n - 1 || strlen(p + 5) != n - 6 || (n == 41 && strncmp(p + 5, "md5", 3) == 0))
        return;
    host = other_host(fd, text);
    if (host && !atomic_flag_test_and_set(&said))
        log_stderr("WARNING: The server at %s asked for the password in clear text, and gets it "
                   "over a connection without encryption (see --pgsql-sslmode).",
                   host);
}

enum sql_outcome pgdrv_connect_failed(struct sql_conn *c, const char *msg)
{
    const struct pgdrv_cfg *cfg = c->cfg;
    struct str text = STR_INIT;
    enum sql_outcome v;
    size_t len;
    const char *password = mask_find_in_uri(cfg->login.db, &len);
    const char *proof = strstr(msg, "could not calculate client proof");

    if (proof) /* libpq does not know why: tls_hook_limit_hmac() */
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
    class_by_text(&c->fail);
    if (strstr(c->fail.msg, cfg->queue_full))
        return SQL_BUSY;
    v = sql_decide(c, pgdrv_classify(cfg, PGDRV_REFUSED, true), true);
    return v == SQL_FATAL ? SQL_FATAL : SQL_IGNORABLE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns the --pgsql-* options into the driver's settings.  Empty values are not passed on, so that
 * libpq uses its own defaults: the PG* environment, a service file, .pgpass.  A connection string
 * in
 * --pgsql-db is passed after our defaults and before the options that the user gave, because later
 * parameters override earlier ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/send_guard.h"
#include "sql/drv_pgsql.h"
#include "sql/sql_source.h"
#include "sql/tls_hook.h"

/* Limits a reconnect to an unreachable server, which would otherwise take the kernel's two minutes;
 * also what a login computes (SCRAM). */
#define RECONNECT_TIMEOUT_S "10"

#define CODE_CHARS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static bool is_sqlstate(const char *text)
{
    return strlen(text) == 5 && strspn(text, CODE_CHARS) == 5;
}

static int pgdrv_check(const struct sql_options *o, struct err *e)
{
    const struct sql_login_pgsql *l = &o->pgsql;

    for (size_t i = 0; i < l->nignore; i++) {
        const char *item = l->ignore_errors[i];
        if (strcmp(item, "all") != 0 && strcmp(item, "connection") != 0 && !is_sqlstate(item))
            return err_set(e, ERR_USAGE,
                           "Invalid value for --pgsql-ignore-errors: '%s' is neither a SQLSTATE of "
                           "five characters nor 'connection' nor 'all'",
                           item);
    }
    return 0;
}

static void read_list(struct pgdrv_cfg *cfg)
{
    const struct sql_login_pgsql *l = &cfg->login;

    cfg->ignored = mem_array(l->nignore + 1, sizeof *cfg->ignored);
    for (size_t i = 0; i < l->nignore; i++) {
        if (strcmp(l->ignore_errors[i], "all") == 0)
            cfg->ignore_all = true;
        else if (strcmp(l->ignore_errors[i], "connection") == 0)
            cfg->ignore_lost = true;
        else
            memcpy(cfg->ignored[cfg->nignored++], l->ignore_errors[i], 6);
    }
}

char *pgdrv_dbname(const char *db)
{
    const char *p = db + strcspn(db, "= \t");

    p += strspn(p, " \t");
    if (!strchr(db, '=') || strstr(db, "://") || *p == '=')
        return mem_strdup(db);
    return mem_printf("dbname=%s", db);
}

/* Does the connection string name a service? */
static bool names_service(const char *db)
{
    PQconninfoOption *list = strchr(db, '=') ? PQconninfoParse(db, NULL) : NULL;
    bool found = false;

    for (PQconninfoOption *o = list; o && o->keyword; o++)
        found = found || (o->val && strcmp(o->keyword, "service") == 0);
    PQconninfoFree(list);
    return found;
}

/* "b,c,a" for the second of a,b,c. */
static char *turned(char *const *host, size_t n, size_t first)
{
    struct str s = STR_INIT;
    char *text;

    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%s%s", i ? "," : "", host[(first + i) % n]);
    text = mem_strdup(str_cstr(&s));
    str_free(&s);
    return text;
}

static void read_hosts(struct pgdrv_cfg *cfg, const struct sql_options *o)
{
    struct sql_servers s;
    size_t n, nports;
    char **host, **port;

    sql_hosts_pgsql(&o->pgsql, &host, &n, &port, &nports);
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
}

static int pgdrv_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg_out)
{
    struct pgdrv_cfg *cfg;

    if (o->nsources) { /* a script's own choice of this driver */
        log_fatal("%s", SQL_SOURCE_PGSQL);
        return -1;
    }
    cfg = mem_alloc(sizeof *cfg);
    cfg->login = o->pgsql;
    cfg->db = pgdrv_dbname(o->pgsql.db);
    cfg->service = names_service(cfg->db);
    cfg->scram_limit = o->connect_timeout > 0 ? o->connect_timeout : atoi(RECONNECT_TIMEOUT_S);
    tls_hook_limit_hmac((dur_ns)(cfg->scram_limit * 1e9));
    atomic_store(&send_watch, pgdrv_look_at_sent);
    cfg->queue_full = mem_strdup(strerror(EAGAIN));
    read_list(cfg);
    read_hosts(cfg, o);
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
    free(cfg->ignored);
    free(cfg);
}

static void add(struct pgdrv_params *p, const char *keyword, const char *value)
{
    if (!*value)
        return;
    p->keyword[p->n] = keyword;
    p->value[p->n++] = value;
}

void pgdrv_connect_params(const struct pgdrv_cfg *cfg, const struct pgdrv_place *at, dur_ns limit,
                          bool again, struct pgdrv_params *out)
{
    const struct sql_login_pgsql *l = &cfg->login;

    *out = (struct pgdrv_params){.n = 0};
    snprintf(out->timeout, sizeof out->timeout, "%lld",
             (long long)((limit + NS_PER_SEC - 1) / NS_PER_SEC));
    if (limit)
        add(out, "connect_timeout", out->timeout); /* of each host of a list */
    else if (again && !getenv("PGCONNECT_TIMEOUT"))
        add(out, "connect_timeout", RECONNECT_TIMEOUT_S);
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

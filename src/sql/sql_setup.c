/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of the drivers in the process.  A driver's class (sql_drivers.c lists them) checks its
 * options and opens its client library; a slot holds what opening gave.  Scripts look drivers up
 * through FFI calls that carry no context, so this state is file-scope.  It changes under the lock,
 * at the first look-up of a driver, and is read-only from then on.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/near.h"
#include "sql/sql.h"
#include "sql/sql_driver.h"
#include "sql/sql_sessions.h"

#define MAX_DRIVERS 4

static struct {
    pthread_mutex_t lock; /* never held while waiting for a server */
    bool set_up;
    struct sql_options options;
    struct sql_driver_slot slots[MAX_DRIVERS];
    _Atomic bool in_use, left;
    size_t nlost; /* connections that were not recovered; why the first was not */
    struct sql_failure lost;
    size_t nlate; /* that were lost too late to try; the first loss */
    struct sql_failure late;
    _Atomic size_t nplain; /* connections that could not prepare all their statements */
} reg = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct sql_driver_class *sql_class_named(const char *sname)
{
    for (size_t i = 0; sql_class_at(i); i++)
        if (strcmp(sql_class_at(i)->names.sname, sname) == 0)
            return sql_class_at(i);
    return NULL;
}

int sql_setup(const struct sql_options *o, struct err *e)
{
    const struct sql_driver_class *class;

    assert(!reg.set_up);
    for (size_t i = 0; (class = sql_class_at(i)) != NULL; i++) {
        assert(i < MAX_DRIVERS);
        if (class->check(o, e))
            return -1;
        reg.slots[i] = (struct sql_driver_slot){.pub = class->names, .class = class};
    }
    reg.options = *o;
    reg.set_up = true;
    return 0;
}

void sql_leave(void)
{
    atomic_store(&reg.left, true);
}

bool sql_teardown(void)
{
    if (atomic_load(&reg.left))
        return false;
    for (size_t i = 0; i < MAX_DRIVERS; i++) {
        if (reg.slots[i].ready)
            reg.slots[i].class->close(reg.slots[i].cfg);
        sql_servers_free(&reg.slots[i].servers);
        reg.slots[i] = (struct sql_driver_slot){0};
    }
    sql_sessions_keep(false);
    reg.set_up = false;
    reg.nlost = reg.nlate = reg.nplain = 0;
    atomic_store(&reg.in_use, false);
    return true;
}

void sql_note_lost(const struct sql_conn *c)
{
    size_t *n = c->loss.refused ? &reg.nlost : &reg.nlate;

    pthread_mutex_lock(&reg.lock);
    if ((*n)++ == 0)
        *(c->loss.refused ? &reg.lost : &reg.late) = c->fail;
    pthread_mutex_unlock(&reg.lock);
}

void sql_stop_preparing(struct sql_conn *c, int errnum, const char *msg)
{
    bool first = c->ps_server && atomic_fetch_add(&reg.nplain, 1) == 0;

    c->ps_server = false;
    if (!first) /* not the first connection of the run */
        return;
    if (msg)
        log_warn("The server accepts no more prepared statements (error %d: %s): clients whose "
                 "statements it refuses send plain queries instead.",
                 errnum, msg);
    else
        log_warn("The server does not know a statement that it has prepared, as behind a pooler "
                 "in transaction mode: clients that meet this send plain queries instead, as "
                 "with --db-ps-mode=disable.");
}

size_t sql_plain_connections(void)
{
    return atomic_load(&reg.nplain);
}

/* "error 2013: Lost connection" */
static const char *reason(char *out, size_t size, const struct sql_failure *f)
{
    if (f->errnum)
        snprintf(out, size, "error %d: %s", f->errnum, f->msg);
    else
        snprintf(out, size, "%s", f->msg);
    return out;
}

int sql_check_recovered(struct err *e)
{
    char why[sizeof reg.lost.msg + 32];
    int rc = 0;

    pthread_mutex_lock(&reg.lock);
    if (reg.nlate)
        log_warn("%zu connection%s lost as the run ended, too late to be restored: %s", reg.nlate,
                 reg.nlate == 1 ? " was" : "s were", reason(why, sizeof why, &reg.late));
    if (reg.nlost)
        rc = err_set(e, ERR_FAILED, "%zu connection%s lost and not restored when the run ended: %s",
                     reg.nlost, reg.nlost == 1 ? " was" : "s were",
                     reason(why, sizeof why, &reg.lost));
    pthread_mutex_unlock(&reg.lock);
    return rc;
}

bool sql_in_use(void)
{
    return atomic_load(&reg.in_use);
}

static void no_such_driver(const char *name)
{
    /* the drivers for databases that users call by another name */
    static const char *const others[][2] = {
        {"mariadb", "mysql"}, {"postgres", "pgsql"}, {"postgresql", "pgsql"}, {"pg", "pgsql"}};
    const char *word = name;
    struct err e = {0};
    struct near n;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i][0]) == 0)
            word = others[i][1];
    err_set(&e, ERR_USAGE, "invalid database driver name: '%s' (allowed:", name);
    near_begin(&n, word);
    for (size_t i = 0; sql_class_at(i); i++) {
        const char *sname = sql_class_at(i)->names.sname;
        err_append(&e, "%s %s", i ? "," : "", sname);
        near_offer(&n, sname);
    }
    err_append(&e, ")");
    if (sql_class_named(word))
        err_append(&e, "; did you mean %s?", word);
    else
        near_suggest(&n, &e);
    log_fatal("%s", e.msg);
}

static struct sql_driver_slot *find(const char *name)
{
    if (!sql_class_at(0)) {
        log_fatal("No DB drivers available");
        return NULL;
    }
    if (!name || !*name)
        name = reg.options.driver ? reg.options.driver : "";
    if (!*name && sql_class_at(1)) {
        log_fatal("Multiple DB drivers are available. "
                  "Use --db-driver=name to specify which one to use");
        return NULL;
    }
    for (size_t i = 0; sql_class_at(i); i++)
        if (!*name || strcmp(name, sql_class_at(i)->names.sname) == 0)
            return &reg.slots[i];
    no_such_driver(name);
    return NULL;
}

static int open_driver(struct sql_driver_slot *d)
{
    const struct sql_options *o = &reg.options;
    struct err e = {0};

    if (d->ready)
        return 0;
    if (d->class->open(o, &d->ops, &d->cfg))
        return -1;
    if (o->check_library && !d->ops->dry && o->check_library(d->class->entry, &e)) {
        log_fatal("%s", e.msg);
        d->class->close(d->cfg);
        return -1;
    }
    d->options = o;
    if (o->driver && strcmp(o->driver, d->pub.sname) == 0)
        sql_servers_read(&d->servers, o, o->driver);
    d->limits = (struct sql_limits){.connect = (dur_ns)(o->connect_timeout * 1e9),
                                    .statement = (dur_ns)(o->query_timeout * 1e9),
                                    .answer = o->max_result_size,
                                    .reconnects = o->reconnect_rate,
                                    .hosts = 1};
    /* libpq tries the hosts of a list in one call, the other libraries have one host at a time */
    bool list = strcmp(d->pub.sname, "pgsql") == 0 && o->pgsql.host;
    for (const char *p = list ? o->pgsql.host : ""; (p = strchr(p, ',')) != NULL; p++)
        d->limits.hosts++;
    d->ready = true;
    return 0;
}

sql_driver *sql_driver_get(const char *name)
{
    assert(reg.set_up);
    pthread_mutex_lock(&reg.lock);
    struct sql_driver_slot *d = find(name);
    if (d && open_driver(d))
        d = NULL;
    pthread_mutex_unlock(&reg.lock);
    if (d)
        atomic_store(&reg.in_use, true);
    return d ? &d->pub : NULL;
}

int sql_driver_release(const sql_driver *d)
{
    for (size_t i = 0; i < MAX_DRIVERS; i++)
        if (d == &reg.slots[i].pub && d->sname)
            return 0;
    log_alert("attempt to release an invalid database driver");
    return 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which drivers there are, and their life in the process.  A driver's class says how to check its
 * options and how to open its library; a slot holds what opening gave.  Scripts ask for drivers
 * through FFI calls that carry no context, so this state is file-scope; it changes under the lock,
 * when a driver is asked for the first time, and is read-only from then on.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/near.h"
#include "sql/sql_driver.h"
#include "sql/sql_hint.h"

/* The only list of drivers. */
static const struct sql_driver_class *const classes[] = {
#ifdef HAVE_MYSQL
    &sql_class_mysql,
#endif
#ifdef HAVE_PGSQL
    &sql_class_pgsql,
#endif
    NULL,
};

#define NSLOTS (sizeof classes / sizeof *classes)

static struct {
    pthread_mutex_t lock; /* never held over a call that waits for a server */
    bool set_up;
    struct sql_options options;
    struct sql_driver_slot slots[NSLOTS];
    _Atomic bool in_use;
    size_t ngone; /* connections that were given up, and why the first of them was */
    struct sql_failure gone;
    bool refused; /* something was, and what */
    struct sql_failure first;
} reg = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    int rc = pthread_mutex_lock(&reg.lock);
    assert(rc == 0);
    (void)rc;
}

static void unlock(void)
{
    int rc = pthread_mutex_unlock(&reg.lock);
    assert(rc == 0);
    (void)rc;
}

int sql_setup(const struct sql_options *o, struct err *e)
{
    assert(!reg.set_up);
    for (size_t i = 0; classes[i]; i++) {
        if (classes[i]->check(o, e))
            return -1;
        reg.slots[i] = (struct sql_driver_slot){.pub = classes[i]->names, .class = classes[i]};
    }
    reg.options = *o;
    reg.set_up = true;
    return 0;
}

void sql_teardown(void)
{
    for (size_t i = 0; classes[i]; i++) {
        if (reg.slots[i].ready)
            reg.slots[i].class->close(reg.slots[i].cfg);
        reg.slots[i] = (struct sql_driver_slot){0};
    }
    reg.set_up = false;
    reg.ngone = 0;
    reg.refused = false;
    atomic_store(&reg.in_use, false);
}

void sql_gave_up(const struct sql_conn *c)
{
    lock();
    if (reg.ngone++ == 0)
        reg.gone = c->fail;
    unlock();
}

void sql_refused(const struct sql_conn *c)
{
    lock();
    if (!reg.refused)
        reg.first = c->fail;
    reg.refused = true;
    unlock();
}

const char *sql_hint(void)
{
    const char *hint;

    lock();
    hint = reg.refused ? sql_hint_for(reg.first.errnum, reg.first.state, reg.first.msg) : NULL;
    unlock();
    return hint;
}

int sql_all_back(struct err *e)
{
    struct sql_failure why;
    char number[32] = "";
    size_t n;

    lock();
    n = reg.ngone;
    why = reg.gone;
    unlock();
    if (n == 0)
        return 0;
    if (why.errnum)
        snprintf(number, sizeof number, "error %d: ", why.errnum);
    return err_set(e, ERR_FAILED, "%zu connection%s lost and not back when the run ended: %s%s", n,
                   n == 1 ? " was" : "s were", number, why.msg);
}

bool sql_in_use(void)
{
    return atomic_load(&reg.in_use);
}

const sql_driver *sql_driver_at(size_t i)
{
    for (size_t k = 0; classes[k]; k++)
        if (k == i)
            return &classes[k]->names;
    return NULL;
}

int sql_check_libraries(int (*check)(const void *function, struct err *e), struct err *e)
{
    for (size_t i = 0; classes[i]; i++)
        if (check(classes[i]->entry, e))
            return -1;
    return 0;
}

const char *sql_driver_library(size_t i)
{
    assert(sql_driver_at(i));
    return classes[i]->library();
}

/* What people call a database that has another name here. */
static const char *driver_of(const char *database)
{
    static const struct {
        const char *database, *driver;
    } others[] = {
        {"mariadb", "mysql"}, {"postgres", "pgsql"}, {"postgresql", "pgsql"}, {"pg", "pgsql"}};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(database, others[i].database) == 0)
            return others[i].driver;
    return database;
}

static void no_such_driver(const char *name)
{
    const char *word = driver_of(name);
    struct err e = {0};
    struct near n;
    bool known = false;

    err_set(&e, ERR_USAGE, "invalid database driver name: '%s' (allowed:", name);
    near_begin(&n, word);
    for (size_t i = 0; classes[i]; i++) {
        err_append(&e, "%s %s", i ? "," : "", classes[i]->names.sname);
        near_offer(&n, classes[i]->names.sname);
        known = known || strcmp(word, classes[i]->names.sname) == 0;
    }
    err_append(&e, ")");
    if (known)
        err_append(&e, "; did you mean %s?", word);
    else
        near_suggest(&n, &e);
    log_fatal("%s", e.msg);
}

static struct sql_driver_slot *find(const char *name)
{
    if (!classes[0]) {
        log_fatal("No DB drivers available");
        return NULL;
    }
    if (!name || !*name)
        name = reg.options.driver ? reg.options.driver : "";
    if (!*name && NSLOTS > 2) {
        log_fatal("Multiple DB drivers are available. "
                  "Use --db-driver=name to specify which one to use");
        return NULL;
    }
    for (size_t i = 0; classes[i]; i++)
        if (!*name || strcmp(name, classes[i]->names.sname) == 0)
            return &reg.slots[i];
    no_such_driver(name);
    return NULL;
}

static int make_ready(struct sql_driver_slot *d)
{
    struct err e = {0};

    if (d->ready)
        return 0;
    if (d->class->open(&reg.options, &d->ops, &d->cfg))
        return -1;
    if (reg.options.check_library && !d->ops->dry &&
        reg.options.check_library(d->class->entry, &e)) {
        log_fatal("%s", e.msg);
        d->class->close(d->cfg);
        return -1;
    }
    d->ps_server = reg.options.ps_server;
    d->ready = true;
    return 0;
}

sql_driver *sql_driver_get(const char *name)
{
    struct sql_driver_slot *d;

    assert(reg.set_up);
    lock();
    d = find(name);
    if (d && make_ready(d))
        d = NULL;
    unlock();
    if (d)
        atomic_store(&reg.in_use, true);
    return d ? &d->pub : NULL;
}

int sql_driver_release(const sql_driver *d)
{
    for (size_t i = 0; classes[i]; i++)
        if (d == &reg.slots[i].pub && d->sname)
            return 0;
    log_alert("attempt to let go of an invalid database driver");
    return 1;
}

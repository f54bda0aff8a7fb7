/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Turns the --mysql-* options into the driver's settings.  Numbers are parsed strictly: a mistyped
 * port or error number is rejected at start-up, not read as another number.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/bind_hook.h"
#include "sql/drv_mysql.h"

/* Parses a decimal number of at most `max`; false for anything else. */
static bool read_number(const char *text, unsigned long max, unsigned *out)
{
    char *end;
    unsigned long v;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    v = strtoul(text, &end, 10);
    if (errno || *end || v > max)
        return false;
    *out = (unsigned)v;
    return true;
}

static int mydrv_check(const struct sql_options *o, struct err *e)
{
    const struct sql_login_mysql *l = &o->mysql;
    unsigned n;

    for (size_t i = 0; i < l->nports; i++)
        if (!read_number(l->ports[i], 65535, &n))
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-port: '%s' is not a port number",
                           l->ports[i]);
    for (size_t i = 0; i < l->nignore; i++)
        if (strcmp(l->ignore_errors[i], "all") != 0 &&
            (!read_number(l->ignore_errors[i], 65535, &n) || n == 0))
            return err_set(e, ERR_USAGE,
                           "Invalid value for --mysql-ignore-errors: '%s' is neither an error "
                           "number nor 'all'",
                           l->ignore_errors[i]);
    return mydrv_tls_check(l, e);
}

static void read_lists(struct mydrv_cfg *cfg)
{
    const struct sql_login_mysql *l = &cfg->login;

    cfg->ports = mem_array(l->nports + 1, sizeof *cfg->ports);
    for (size_t i = 0; i < l->nports; i++)
        read_number(l->ports[i], 65535, &cfg->ports[i]);
    cfg->ignored = mem_array(l->nignore + 1, sizeof *cfg->ignored);
    for (size_t i = 0; i < l->nignore; i++) {
        if (strcmp(l->ignore_errors[i], "all") == 0)
            cfg->ignore_all = true;
        else if (read_number(l->ignore_errors[i], 65535, &cfg->ignored[cfg->nignored]))
            cfg->nignored++;
    }
}

static void mydrv_shut(void *arg)
{
    struct mydrv_cfg *cfg = arg;

    if (!cfg->login.dry_run)
        mysql_library_end();
    mydrv_tls_close(&cfg->tls);
    free(cfg->ports);
    free(cfg->ignored);
    free(cfg);
}

static int mydrv_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg_out)
{
    struct mydrv_cfg *cfg;

    if (o->mysql.nhosts == 0) {
        log_fatal("No MySQL hosts specified, aborting");
        return -1;
    }
    if (o->mysql.nports == 0) {
        log_fatal("No MySQL ports specified, aborting");
        return -1;
    }
    if (o->mysql.debug && log_verbosity() < LOG_DEBUG)
        log_set_verbosity(LOG_DEBUG);
    if (!o->mysql.dry_run && mysql_library_init(0, NULL, NULL)) {
        log_fatal("mysql_library_init() failed");
        return -1;
    }
    cfg = mem_alloc(sizeof *cfg);
    cfg->login = o->mysql;
    cfg->sources = o->sources;
    cfg->nsources = o->nsources;
    if (o->nsources)
        bind_hook_for((const void *)mysql_real_connect);
    cfg->trace = o->mysql.debug;
    cfg->refused = o->alerts ? LOG_ALERT : LOG_FATAL;
    read_lists(cfg);
    mydrv_tls_open(&cfg->tls, &cfg->login);
    if (!o->mysql.dry_run && mydrv_auth_open(cfg)) {
        mydrv_shut(cfg);
        return -1;
    }
    if (cfg->trace && !o->mysql.dry_run)
        log_debug("mysql_library_init(0, (nil), (nil))");
    *ops = o->mysql.dry_run ? &sql_ops_null : &mydrv_ops;
    *cfg_out = cfg;
    return 0;
}

struct mydrv_endpoint mydrv_endpoint_at(const struct mydrv_cfg *cfg, uint64_t position)
{
    const struct sql_login_mysql *l = &cfg->login;

    if (l->nsockets > 0)
        return (struct mydrv_endpoint){.host = "localhost",
                                       .socket = l->sockets[position % l->nsockets]};
    return (struct mydrv_endpoint){
        .host = l->hosts[position / l->nports % l->nhosts],
        .port = cfg->ports[position % l->nports],
        .source =
            cfg->nsources ? cfg->sources[position / l->nports / l->nhosts % cfg->nsources] : NULL};
}

static const char *mydrv_library(void)
{
    static char text[64]; /* the same each time it is written */

    snprintf(text, sizeof text, "%s %s", SB_MYSQL_LIB, mysql_get_client_info());
    return text;
}

const struct sql_driver_class sql_class_mysql = {
    .library = mydrv_library,
    .names = {.sname = "mysql", .lname = "MySQL driver"},
    .options = OPT_GROUP_MYSQL,
    .check = mydrv_check,
    .open = mydrv_open,
    .close = mydrv_shut,
    .entry = (const void *)mysql_real_connect,
};

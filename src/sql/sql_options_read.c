/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_options.h: from the option table, once the command line and all files are in it, to
 * struct sql_options.  Combinations that make no sense are refused here, before anything connects.
 */
#include <string.h>

#include "base/units.h"
#include "opt/generation.h"
#include "opt/password_file.h"
#include "sql/mysql_defaults.h"
#include "sql/sql_old_options.h"
#include "sql/sql_servers.h"
#include "sql/sql_options.h"
#include "sql/sql_source.h"

/* Off, on or a mode (opt.h). */
static enum sql_ssl_mode ssl_mode(const struct opts *o)
{
    static const char *const names[] = {[SQL_SSL_PREFERRED] = "preferred",
                                        [SQL_SSL_REQUIRED] = "required",
                                        [SQL_SSL_VERIFY_CA] = "verify-ca",
                                        [SQL_SSL_VERIFY_IDENTITY] = "verify-identity"};
    const char *text = opt_str(o, "mysql-ssl");

    if (!opt_bool(o, "mysql-ssl"))
        return SQL_SSL_DISABLED;
    for (int m = SQL_SSL_VERIFY_IDENTITY; m >= SQL_SSL_PREFERRED; m--)
        if (opt_same_word(text, names[m]))
            return (enum sql_ssl_mode)m;
    return SQL_SSL_ON;
}

static void read_mysql(struct sql_login_mysql *m, const struct opts *o)
{
    m->hosts = mysql_defaults_hosts(o, &m->nhosts);
    for (size_t i = 0; i < m->nhosts; i++)
        sql_host_trim(m->hosts[i]);
    m->ports = opt_list(o, "mysql-port", &m->nports);
    m->sockets = opt_list(o, "mysql-socket", &m->nsockets);
    m->user = opt_str(o, "mysql-user");
    m->password = opt_str(o, "mysql-password");
    m->db = opt_str(o, "mysql-db");
    m->ssl = ssl_mode(o);
    m->ssl_key = opt_str(o, "mysql-ssl-key");
    m->ssl_ca = opt_str(o, "mysql-ssl-ca");
    m->ssl_capath = opt_str(o, "mysql-ssl-capath");
    m->ssl_cert = opt_str(o, "mysql-ssl-cert");
    m->ssl_cipher = opt_str(o, "mysql-ssl-cipher");
    m->tls_version = opt_str(o, "mysql-tls-version");
    m->cleartext = opt_bool(o, "mysql-cleartext");
    m->local_infile = opt_bool(o, "mysql-local-infile");
    m->compression = opt_bool(o, "mysql-compression");
    m->algorithms = opt_list(o, "mysql-compression-algorithms", &m->nalgorithms);
    m->debug = opt_bool(o, "mysql-debug");
    m->dry_run = opt_bool(o, "mysql-dry-run");
    m->ignore_errors = opt_list(o, "mysql-ignore-errors", &m->nignore);
}

static void read_pgsql(struct sql_login_pgsql *p, const struct opts *o)
{
    p->host = opt_str(o, "pgsql-host");
    p->port = opt_str(o, "pgsql-port");
    p->user = opt_str(o, "pgsql-user");
    p->password = opt_str(o, "pgsql-password");
    p->db = opt_str(o, "pgsql-db");
    p->sslmode = opt_str(o, "pgsql-sslmode");
    p->host_given = opt_given(o, "pgsql-host");
    p->port_given = opt_given(o, "pgsql-port");
    p->user_given = opt_given(o, "pgsql-user");
    p->ignore_errors = opt_list(o, "pgsql-ignore-errors", &p->nignore);
}

static const char *driver_option(const struct opts *o, bool *given)
{
    *given = opt_given(o, "db-driver");
    return opt_str(o, "db-driver");
}

const char *sql_options_driver(const struct opts *o, bool *given)
{
    return sql_old_driver(driver_option(o, given));
}

/* As in libpq: one port for all hosts, or a port for each.  Beyond that, one host may have several.
 */
static int check_ports(const struct sql_login_pgsql *p, struct err *e)
{
    size_t nports, nhosts;
    char **port = sql_hosts_split(p->port, &nports);
    char **host = sql_hosts_split(p->host, &nhosts);
    int64_t number;
    int rc = 0;

    for (size_t i = 0; nports > 1 && rc == 0 && i < nports; i++)
        if (units_int(port[i], 1, 65535, &number, NULL))
            rc = err_set(e, ERR_USAGE,
                         "Invalid value for --pgsql-port: '%s' ('%s' is no port from 1 to 65535)",
                         p->port, port[i]);
    if (rc == 0 && nports > 1 && nhosts > 1 && nports != nhosts)
        rc =
            err_set(e, ERR_USAGE,
                    "--pgsql-port=%s has %zu ports and --pgsql-host=%s has %zu hosts: one port, or "
                    "one for each host, is needed",
                    p->port, nports, p->host, nhosts);
    sql_hosts_free(port);
    sql_hosts_free(host);
    return rc;
}

/* Of the driver in use.  Sockets come before hosts, and a dry run connects to none. */
static int check_hosts(const struct sql_options *s, struct err *e)
{
    size_t n;
    char **host;
    int rc;

    if (strcmp(s->driver, "mysql") == 0 && !s->mysql.nsockets && !s->mysql.dry_run)
        return sql_hosts_check("mysql", s->mysql.hosts, s->mysql.nhosts, e);
    if (strcmp(s->driver, "pgsql") != 0)
        return 0;
    host = sql_hosts_split(s->pgsql.host, &n);
    rc = sql_hosts_check("pgsql", host, n, e);
    sql_hosts_free(host);
    return rc;
}

/* Elsewhere ",," is as good as ","; here the item that is missing may be the one that matters. */
static bool has_empty_item(const char *list)
{
    size_t n = strlen(list);

    return n && (list[0] == ',' || list[n - 1] == ',' || strstr(list, ",,"));
}

static int read_policy(struct sql_policy *p, const struct opts *o, struct err *e)
{
    size_t n;
    char **items = opt_list(o, "on-error", &n);
    const char *text = opt_str(o, "on-error");

    if (has_empty_item(text))
        return err_set(e, ERR_USAGE, "Invalid value for --on-error: '%s' (an item is empty)", text);
    return sql_policy_read(p, items, n, e);
}

#define LONGEST_S (24 * 3600.0)

static int read_seconds(double *to, const struct opts *o, const char *name, struct err *e)
{
    *to = opt_double(o, name);
    if (*to == 0 || (*to >= 0.001 && *to <= LONGEST_S))
        return 0;
    return err_set(e, ERR_USAGE, "Invalid value for --%s: '%s' (0, or 0.001 to %.0f seconds)", name,
                   opt_str(o, name), LONGEST_S);
}

static int read_limits(struct sql_options *s, const struct opts *o, struct err *e)
{
    s->reconnect_rate = (double)opt_int(o, "reconnect-rate");
    return read_seconds(&s->connect_timeout, o, "connect-timeout", e) ||
                   read_seconds(&s->query_timeout, o, "query-timeout", e)
               ? -1
               : 0;
}

static int read_statements(struct sql_options *s, const struct opts *o, const char *mode,
                           struct err *e)
{
    s->ps_server = strcmp(mode, "auto") == 0;
    s->ps_lazy = strcmp(opt_str(o, "db-ps-prepare"), "lazy") == 0;
    if (s->ps_lazy && !s->ps_server)
        return err_set(e, ERR_USAGE,
                       "--db-ps-prepare=lazy cannot be used with --db-ps-mode=disable, which "
                       "prepares no statement");
    return 0;
}

/* COPY is PostgreSQL's, LOAD DATA is MySQL's. */
static int check_prepare_method(const struct sql_options *s, const struct opts *o, struct err *e)
{
    const char *method = opt_str(o, "prepare-method");
    const char *other = strcmp(s->driver, "pgsql") == 0 ? "load" : "copy";

    if (strcmp(method, other) != 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "Invalid value for --prepare-method: the driver %s has no %s (allowed: auto, "
                   "insert, %s)",
                   s->driver, method, strcmp(other, "load") == 0 ? "copy" : "load");
}

int sql_options_read(struct sql_options *s, struct opts *o, struct err *e)
{
    const char *mode = opt_str(o, "db-ps-mode");
    bool given;

    memset(s, 0, sizeof *s);
    s->watched = -1;
    if (!opt_is_choice(o, "db-ps-mode")) {
        err_set(e, ERR_USAGE, "Invalid value for db-ps-mode: %s", mode);
        return opt_explain(o, "db-ps-mode", e);
    }
    if (password_file_read(o, "mysql-password", e) || password_file_read(o, "pgsql-password", e) ||
        mysql_defaults_apply(o, e) || read_statements(s, o, mode, e) ||
        read_policy(&s->policy, o, e) || read_limits(s, o, e))
        return -1;
    sql_old_apply_drizzle(o, driver_option(o, &given));
    s->driver = sql_options_driver(o, &s->driver_given);
    if (check_prepare_method(s, o, e))
        return -1;
    s->idle_connections = (size_t)opt_int(o, "idle-connections");
    s->debug = opt_bool(o, "db-debug");
    s->alerts = generation_of(o)->old;
    read_mysql(&s->mysql, o);
    read_pgsql(&s->pgsql, o);
    s->sources = opt_list(o, "source-address", &s->nsources);
    return check_ports(&s->pgsql, e) || check_hosts(s, e) || sql_source_check(s, e) ? -1 : 0;
}

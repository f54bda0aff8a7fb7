/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_options.h: the rows of the option table, then their values, once the command line and all
 * files are in it.  Names, defaults and descriptions of stock 1.0 are interface (wrappers parse
 * --help); 1.1's options are accepted beside them.  Combinations that make no sense are refused
 * here, before anything connects.
 *
 * Options that 0.4 and 0.5 had: those of MySQL have another name today, or no effect; those of
 * Drizzle lead to the MySQL driver, because Drizzle's servers spoke MySQL's protocol, too
 * (--drizzle-mysql=on), and nothing else speaks theirs.  Oracle and libattachsql are refused when
 * they are chosen (session/built.c).
 */
#include "sql/sql_options.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "opt/generation.h"
#include "opt/secret.h"
#include "sql/sql_driver.h"

static const struct opt_row db_rows[] = {
    {OPT_ROW("db-ps-mode", STRING, "auto", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "prepared statements usage mode"),
     .choices = "auto|disable"},
    {OPT_ROW("db-ps-prepare", STRING, "eager", OPT_OWN,
             "prepare a statement on the server when the script prepares it, or (lazy) at its "
             "first execution"),
     .of = "db-ps-mode", .mark = "prepare=", .choices = "eager|lazy"},
    {OPT_ROW("idle-connections", INT, "0", OPT_COUNT | OPT_OWN,
             "open this many additional connections that stay idle during the run"),
     .max = 1000000},
    {OPT_ROW("prepare-method", STRING, "auto", OPT_OWN, "how prepare of the OLTP tests sends rows"),
     .choices = "auto|insert|load|copy"},
    {OPT_ROW("prepare-resume", BOOL, "off", OPT_OWN,
             "continue an interrupted prepare of the OLTP tests: keep the rows that are there, "
             "add those that are missing"),
     .of = "prepare-method", .mark = "resume"},
    {OPT_ROW("on-error", LIST, NULL, OPT_OWN | OPT_OPEN,
             "action for a class of errors, CLASS:ACTION with the actions retry, reconnect, fail "
             "and fatal, or a preset {}; the driver's list of ignored errors decides about the "
             "other classes"),
     .choices = SQL_POLICY_PRESETS},
    {OPT_ROW("connect-timeout", DOUBLE, "0", OPT_SECONDS | OPT_OWN,
             "give up an attempt to connect after this many seconds. 0: the client library's "
             "default for the first connect, 10 s for reconnects"),
     .max = 86400},
    {OPT_ROW("query-timeout", DOUBLE, "0", OPT_SECONDS | OPT_OWN,
             "close the connection of a statement that has no answer after this many seconds: an "
             "error of class cancelled. 0 for no limit"),
     .max = 86400},
    {OPT_ROW("max-result-size", SIZE, "1G", OPT_OWN,
             "close the connection of a statement whose answer is longer: an error of class "
             "cancelled. 0 for no limit"),
     .min = 0, .max = 1e15},
    {OPT_ROW("reconnect-rate", INT, "1000", OPT_COUNT | OPT_OWN,
             "limit of the attempts to reconnect, per second over all clients. 0 for no limit"),
     .of = "connect-timeout", .mark = "rate=", .max = 1000000},
    {OPT_ROW("source-address", LIST, NULL, OPT_OWN | OPT_PER_RANK,
             "connect from these addresses of this host, in turn (MySQL and MariaDB)")},
    {OPT_ROW("db-debug", BOOL, "off", 0, "print database-specific debug information")},
};

static const struct opt_row mysql_rows[] = {
    {OPT_ROW("mysql-host", LIST, "localhost", OPT_MAY_BE_EMPTY | OPT_PER_RANK,
             "MySQL server host")},
    {OPT_ROW("mysql-port", LIST, "3306", OPT_MAY_BE_EMPTY | OPT_PER_RANK, "MySQL server port")},
    {OPT_ROW("mysql-socket", LIST, NULL, OPT_MAY_BE_EMPTY | OPT_PER_RANK, "MySQL socket")},
    {OPT_ROW("mysql-user", STRING, "sbtest", OPT_MAY_BE_EMPTY | OPT_PER_RANK, "MySQL user")},
    {OPT_ROW("mysql-password", STRING, "", OPT_MAY_BE_EMPTY | OPT_PER_RANK, "MySQL password")},
    {OPT_ROW("mysql-password-file", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "read the MySQL password from this file, or - for standard input")},
    {OPT_ROW("mysql-db", STRING, "sbtest", OPT_MAY_BE_EMPTY, "MySQL database name")},
    {OPT_ROW("mysql-url", STRING, NULL, OPT_OWN | OPT_PER_RANK | OPT_SECRET_WITHIN,
             "connect as this URI says, mysql://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE; "
             "options override it")},
    {OPT_ROW("mysql-ssl", BOOL, "off", 0,
             "use SSL connections, if available in the client library; or a mode {}"),
     .choices = "disabled|preferred|required|verify-ca|verify-identity"},
    {OPT_ROW("mysql-ssl-key", STRING, NULL, OPT_MAY_BE_EMPTY | OPT_PER_RANK,
             "path name of the client private key file")},
    {OPT_ROW("mysql-ssl-ca", STRING, NULL, OPT_MAY_BE_EMPTY | OPT_PER_RANK,
             "path name of the CA file")},
    {OPT_ROW("mysql-ssl-capath", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "path name of a directory of CA files")},
    {OPT_ROW("mysql-ssl-cert", STRING, NULL, OPT_MAY_BE_EMPTY | OPT_PER_RANK,
             "path name of the client public key certificate file")},
    {OPT_ROW("mysql-ssl-cipher", STRING, "", OPT_MAY_BE_EMPTY,
             "use specific cipher for SSL connections")},
    {OPT_ROW("mysql-tls-version", STRING, NULL, OPT_OWN,
             "TLS versions to use, e.g. TLSv1.2,TLSv1.3")},
    {OPT_ROW("mysql-cleartext", BOOL, "off", OPT_OWN,
             "send the password in clear text to a server that asks for it, also without TLS")},
    {OPT_ROW("mysql-local-infile", BOOL, "on", OPT_OWN,
             "LOAD DATA LOCAL sends the file that the statement names")},
    {OPT_ROW("mysql-protocol", STRING, "auto", OPT_OWN,
             "who executes prepared statements {}: sysbench where it can, or always the client "
             "library"),
     .choices = "auto|library"},
    {OPT_ROW("mysql-compression", BOOL, "off", 0,
             "use compression, if available in the client library")},
    {OPT_ROW("mysql-compression-algorithms", LIST, "zlib", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "compression algorithms to use"),
     .choices = "zlib|zstd|uncompressed"},
    {OPT_ROW("mysql-debug", BOOL, "off", 0, "trace all client library calls")},
    {OPT_ROW("mysql-ignore-errors", LIST, "1213,1020,1205", OPT_MAY_BE_EMPTY | OPT_OPEN,
             "list of errors to ignore, or \"all\""),
     .choices = "all"},
    {OPT_ROW("mysql-dry-run", BOOL, "off", 0,
             "Dry run, pretend that all MySQL client API calls are successful without executing "
             "them")},
    {OPT_ROW("defaults-file", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "read the groups [client] and [sysbench] of this MySQL option file")},
    {OPT_ROW("defaults-extra-file", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "read this option file as well, after the files of --defaults-file=standard"),
     .of = "defaults-file", .mark = "extra="},
    {OPT_ROW("defaults-group-suffix", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "also read the groups whose names end in this suffix"),
     .of = "defaults-file", .mark = "suffix="},
    {OPT_ROW("mysql-read-defaults", BOOL, "off", OPT_OWN,
             "read /etc/my.cnf, /etc/mysql/my.cnf and ~/.my.cnf"),
     .of = "defaults-file", .mark = "standard"},
};

static const struct opt_row pgsql_rows[] = {
    {OPT_ROW("pgsql-host", STRING, "localhost", OPT_MAY_BE_EMPTY | OPT_PER_RANK,
             "PostgreSQL server host, or a list of hosts")},
    {OPT_ROW("pgsql-port", INT, "5432", OPT_OR_TEXT | OPT_PER_RANK,
             "PostgreSQL server port, or a list of ports"),
     .min = 1, .max = 65535},
    {OPT_ROW("pgsql-user", STRING, "sbtest", OPT_MAY_BE_EMPTY | OPT_PER_RANK, "PostgreSQL user")},
    {OPT_ROW("pgsql-password", STRING, "", OPT_MAY_BE_EMPTY | OPT_PER_RANK, "PostgreSQL password")},
    {OPT_ROW("pgsql-password-file", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "read the PostgreSQL password from this file, or - for standard input")},
    {OPT_ROW("pgsql-db", STRING, "sbtest", OPT_MAY_BE_EMPTY | OPT_SECRET_WITHIN,
             "PostgreSQL database name")},
    {OPT_ROW("pgsql-sslmode", STRING, NULL, OPT_MAY_BE_EMPTY, "PostgreSQL SSL mode"),
     .choices = "disable|allow|prefer|require|verify-ca|verify-full"},
    {OPT_ROW("pgsql-ignore-errors", LIST, "40P01,40001,23505",
             OPT_MAY_BE_EMPTY | OPT_OPEN | OPT_OWN,
             "list of SQLSTATEs to ignore, \"connection\" for lost connections, or \"all\""),
     .choices = "all|connection"},
};

/* --- of 0.4 and 0.5 --- */

static const struct opt_row old_mysql_rows[] = {
    {OPT_ROW("mysql-table-engine", STRING, "innodb", OPT_OLD | OPT_MAY_BE_EMPTY,
             "storage engine of the tables; today an option of the test: --mysql-storage-engine"),
     .now = "mysql-storage-engine"},
    {OPT_ROW("mysql-engine-trx", STRING, "auto", OPT_OLD | OPT_MAY_BE_EMPTY,
             "does the engine have transactions? {}"),
     .choices = "yes|no|auto"},
    {OPT_ROW("myisam-max-rows", INT, "1000000", OPT_OLD | OPT_COUNT, "MAX_ROWS of MyISAM tables")},
    {OPT_ROW("mysql-create-options", STRING, "", OPT_OLD | OPT_MAY_BE_EMPTY,
             "text to append to CREATE TABLE; today an option of the test: --create-table-options"),
     .now = "create-table-options"},
    {OPT_ROW("mysql-table-options", STRING, "", OPT_OLD | OPT_MAY_BE_EMPTY,
             "the name of --mysql-create-options in scripts of 0.5"),
     .now = "create-table-options"},
};

static const struct opt_row drizzle_rows[] = {
    {OPT_ROW("drizzle-host", LIST, "localhost", OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle server host")},
    {OPT_ROW("drizzle-port", LIST, "4427", OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle server port")},
    {OPT_ROW("drizzle-socket", LIST, NULL, OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle socket")},
    {OPT_ROW("drizzle-user", STRING, "", OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle user")},
    {OPT_ROW("drizzle-password", STRING, "", OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle password")},
    {OPT_ROW("drizzle-db", STRING, "sbtest", OPT_OLD | OPT_MAY_BE_EMPTY, "Drizzle database name")},
    {OPT_ROW("drizzle-mysql", BOOL, "off", OPT_OLD, "speak MySQL's protocol")},
    {OPT_ROW("drizzle-buffer", STRING, "none", OPT_OLD | OPT_MAY_BE_EMPTY,
             "how results are buffered: no effect here {}"),
     .choices = "none|field|row|all"},
    {OPT_ROW("drizzle-table-engine", STRING, "innodb", OPT_OLD | OPT_MAY_BE_EMPTY,
             "storage engine of the tables")},
    {OPT_ROW("drizzle-engine-trx", STRING, "auto", OPT_OLD | OPT_MAY_BE_EMPTY,
             "does the engine have transactions? {}"),
     .choices = "yes|no|auto"},
    {OPT_ROW("drizzle-max-rows", INT, "1000000", OPT_OLD | OPT_COUNT, "MAX_ROWS of MyISAM tables")},
    {OPT_ROW("drizzle-create-options", STRING, "", OPT_OLD | OPT_MAY_BE_EMPTY,
             "text to append to CREATE TABLE")},
};

/* Accepted, so that the refusal names the driver. */
#define GONE(name_, type, def)                                                                     \
    OPT_ROW(name_, type, def, OPT_OLD | OPT_MAY_BE_EMPTY, "no such driver here")
static const struct opt_row gone_rows[] = {
    {GONE("oracle-user", STRING, "sbtest")},  {GONE("oracle-password", STRING, "")},
    {GONE("oracle-db", STRING, "sbtest")},    {GONE("attachsql-host", STRING, "localhost")},
    {GONE("attachsql-port", INT, "4427")},    {GONE("attachsql-socket", STRING, NULL)},
    {GONE("attachsql-user", STRING, "")},     {GONE("attachsql-password", STRING, "")},
    {GONE("attachsql-db", STRING, "sbtest")},
};

void sql_options_declare(struct opts *o)
{
    const struct sql_driver_class *first = sql_class_at(0), *class;
    struct str choices = STR_INIT;

    /* its choices are the drivers that were compiled in, its default is the first of them */
    for (size_t i = 0; (class = sql_class_at(i)) != NULL; i++)
        str_printf(&choices, "%s%s", i ? "|" : "", class->names.sname);
    const struct opt_row driver = {
        OPT_ROW("db-driver", STRING, first ? first->names.sname : NULL,
                OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
                "specifies database driver to use {}; mariadb is mysql, postgres and postgresql "
                "are pgsql"),
        .choices = first ? str_cstr(&choices) : NULL};
    opts_add(o, OPT_GROUP_DB, &driver, 1);
    str_free(&choices);
    opts_add(o, OPT_GROUP_DB, db_rows, COUNT(db_rows));
    opts_add(o, OPT_GROUP_MYSQL, mysql_rows, COUNT(mysql_rows));
    opts_add(o, OPT_GROUP_PGSQL, pgsql_rows, COUNT(pgsql_rows));
    opts_add(o, OPT_GROUP_DB, old_mysql_rows, COUNT(old_mysql_rows));
    opts_add(o, OPT_GROUP_DB, drizzle_rows, COUNT(drizzle_rows));
    opts_add(o, OPT_GROUP_DB, gone_rows, COUNT(gone_rows));
}

static const char *typed_driver(const struct opts *o, bool *given)
{
    *given = opt_given(o, "db-driver");
    return opt_str(o, "db-driver");
}

const char *sql_options_driver(const struct opts *o, bool *given)
{
    static const char *const other[][2] = {
        {"drizzle", "mysql"}, {"mariadb", "mysql"}, {"postgresql", "pgsql"}, {"postgres", "pgsql"}};
    const char *name = typed_driver(o, given);

    for (size_t i = 0; i < COUNT(other); i++)
        if (strcmp(name, other[i][0]) == 0)
            return other[i][1];
    return name;
}

/* --- values --- */

/* With --db-driver=drizzle, its options become those of the MySQL driver; stderr says so unless
 * --drizzle-mysql=on asked for it. */
static void apply_drizzle(struct opts *o)
{
    static const char *const names[][2] = {
        {"drizzle-port", "mysql-port"},
        {"drizzle-socket", "mysql-socket"},
        {"drizzle-user", "mysql-user"},
        {"drizzle-password", "mysql-password"},
        {"drizzle-db", "mysql-db"},
        {"drizzle-table-engine", "mysql-table-engine"},
        {"drizzle-engine-trx", "mysql-engine-trx"},
        {"drizzle-max-rows", "myisam-max-rows"},
        {"drizzle-create-options", "mysql-create-options"},
    };
    struct str hosts = STR_INIT;
    size_t n, sockets;
    char **host = opt_list(o, "drizzle-host", &n);

    if (!opt_bool(o, "drizzle-mysql"))
        log_stderr("NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on");
    /* MySQL's libraries take "localhost" for a socket; Drizzle's took it for an address */
    opt_list(o, "drizzle-socket", &sockets);
    for (size_t i = 0; i < n; i++)
        str_printf(&hosts, "%s%s", i ? "," : "",
                   !sockets && strcasecmp(host[i], "localhost") == 0 ? "127.0.0.1" : host[i]);
    opt_set(o, "mysql-host", str_cstr(&hosts), NULL);
    str_free(&hosts);
    for (size_t i = 0; i < COUNT(names); i++)
        if (i < 5 || opt_given(o, names[i][0]))
            opt_set(o, names[i][1], opt_str(o, names[i][0]), NULL);
}

char **sql_options_mysql_hosts(const struct opts *o, size_t *n)
{
    return opt_list(o, "mysql-host", n);
}

const char *const sql_tls_options[SQL_TLS_TEXTS] = {"mysql-ssl-key",    "mysql-ssl-cert",
                                                    "mysql-ssl-ca",     "mysql-ssl-capath",
                                                    "mysql-ssl-cipher", "mysql-tls-version"};

/* The mode of TLS when --mysql-ssl says nothing: what the other options need, as in the servers'
 * own clients. */
static enum sql_ssl_mode ssl_implied(const char *const tls[SQL_TLS_TEXTS])
{
    enum sql_ssl_mode mode = SQL_SSL_DISABLED;

    for (int i = 0; i < SQL_TLS_TEXTS; i++)
        if (tls[i] && *tls[i] && mode != SQL_SSL_VERIFY_CA)
            mode = i == SQL_TLS_CA || i == SQL_TLS_CAPATH ? SQL_SSL_VERIFY_CA : SQL_SSL_REQUIRED;
    return mode;
}

static void read_logins(struct sql_login_mysql *m, struct sql_login_pgsql *p, const struct opts *o)
{
    static const char *const modes[] = {[SQL_SSL_PREFERRED] = "preferred",
                                        [SQL_SSL_REQUIRED] = "required",
                                        [SQL_SSL_VERIFY_CA] = "verify-ca",
                                        [SQL_SSL_VERIFY_IDENTITY] = "verify-identity"};
    const char *ssl = opt_str(o, "mysql-ssl");

    m->hosts = sql_options_mysql_hosts(o, &m->nhosts);
    for (size_t i = 0; i < m->nhosts; i++)
        sql_host_trim(m->hosts[i]);
    m->ports = opt_list(o, "mysql-port", &m->nports);
    m->sockets = opt_list(o, "mysql-socket", &m->nsockets);
    m->user = opt_str(o, "mysql-user");
    m->password = opt_str(o, "mysql-password");
    m->db = opt_str(o, "mysql-db");
    m->ssl = opt_bool(o, "mysql-ssl") ? SQL_SSL_ON : SQL_SSL_DISABLED; /* or a mode (opt.h) */
    for (int i = SQL_SSL_PREFERRED; m->ssl && i <= SQL_SSL_VERIFY_IDENTITY; i++)
        if (opt_same_word(ssl, modes[i]))
            m->ssl = (enum sql_ssl_mode)i;
    for (int i = 0; i < SQL_TLS_TEXTS; i++)
        m->tls[i] = opt_str(o, sql_tls_options[i]);
    if (!opt_given(o, "mysql-ssl"))
        m->ssl = ssl_implied(m->tls);
    m->cleartext = opt_bool(o, "mysql-cleartext");
    m->local_infile = opt_bool(o, "mysql-local-infile");
    m->library = strcmp(opt_str(o, "mysql-protocol"), "library") == 0;
    m->compression = opt_bool(o, "mysql-compression");
    m->algorithms = opt_list(o, "mysql-compression-algorithms", &m->nalgorithms);
    m->debug = opt_bool(o, "mysql-debug");
    m->dry_run = opt_bool(o, "mysql-dry-run");
    m->ignore_errors = opt_list(o, "mysql-ignore-errors", &m->nignore);
    m->port_given = opt_given(o, "mysql-port");
    m->password_given = opt_given(o, "mysql-password");
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

/* Are options of a login given for PostgreSQL only, and no driver? */
static bool other_driver(const struct sql_options *s, const struct opts *o)
{
    static const char *const of[] = {"host", "port", "user", "password", "password-file", "db"};
    bool pgsql = false, mysql = s->mysql.nsockets > 0;
    char name[40];

    for (size_t i = 0; i < COUNT(of); i++) {
        snprintf(name, sizeof name, "pgsql-%s", of[i]);
        pgsql = pgsql || opt_given(o, name);
        snprintf(name, sizeof name, "mysql-%s", of[i]);
        mysql = mysql || opt_given(o, name);
    }
    return pgsql && !mysql && !s->driver_given && strcmp(s->driver, "mysql") == 0;
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

/* Of statements and errors. */
static int read_policy(struct sql_options *s, const struct opts *o, struct err *e)
{
    const char *policy = opt_str(o, "on-error");
    size_t n = strlen(policy);

    s->ps_lazy = strcmp(opt_str(o, "db-ps-prepare"), "lazy") == 0;
    if (s->ps_lazy && !s->ps_server)
        return err_set(e, ERR_USAGE,
                       "--db-ps-mode=prepare=lazy cannot be used with --db-ps-mode=disable, which "
                       "prepares no statement");
    /* elsewhere ",," is as good as ","; here the item that is missing may be the one that matters
     */
    if (n && (policy[0] == ',' || policy[n - 1] == ',' || strstr(policy, ",,")))
        return err_set(e, ERR_USAGE, "Invalid value for --on-error: '%s' (an item is empty)",
                       policy);
    char **items = opt_list(o, "on-error", &n);
    if (sql_policy_read(&s->policy, items, n, e))
        return -1;
    s->reconnect_rate = (double)opt_int(o, "reconnect-rate");
    s->max_result_size = opt_int(o, "max-result-size");
    return read_seconds(&s->connect_timeout, o, "connect-timeout", e) ||
                   read_seconds(&s->query_timeout, o, "query-timeout", e)
               ? -1
               : 0;
}

/* Ports as in libpq: one for all hosts, or one for each; beyond that, one host may have several.
 * Hosts are those of the driver in use; sockets come before hosts, and a dry run connects to none.
 */
static int check_hosts(const struct sql_options *s, struct err *e)
{
    const struct sql_login_pgsql *p = &s->pgsql;
    size_t nports, nhosts;
    char **port = sql_hosts_split(p->port, &nports), **host = sql_hosts_split(p->host, &nhosts);
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
    if (rc == 0 && strcmp(s->driver, "pgsql") == 0)
        rc = sql_hosts_check("pgsql", host, nhosts, e);
    if (rc == 0 && strcmp(s->driver, "mysql") == 0 && !s->mysql.nsockets && !s->mysql.dry_run)
        rc = sql_hosts_check("mysql", s->mysql.hosts, s->mysql.nhosts, e);
    sql_hosts_free(port);
    sql_hosts_free(host);
    return rc;
}

/* An address is tried out on a socket, because only the kernel knows which ones are this host's:
 * all of 127.0.0.0/8 is, and with net.ipv4.ip_nonlocal_bind any.  NULL: it is; else what is wrong.
 */
static const char *not_ours(const char *address)
{
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *a;
    int why = 0;

    if (getaddrinfo(address, NULL, &wanted, &a))
        return "is not an IP address";
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen))
        why = errno;
    fd_close(fd);
    freeaddrinfo(a);
    if (!why || (fd >= 0 && why == EADDRINUSE)) /* that its ports are taken now is not wrong */
        return NULL;
    return why == EADDRNOTAVAIL ? "is not an address of this host" : strerror(why);
}

/* --source-address: an address has some 28,000 ports to connect from to one server, so more clients
 * than that need more addresses, which connections take in turn. */
static int check_sources(const struct sql_options *o, struct err *e)
{
    const struct sql_login_mysql *m = &o->mysql;

    if (o->nsources == 0)
        return 0;
    if (strcmp(o->driver, "pgsql") == 0)
        return err_set(e, ERR_USAGE, SQL_SOURCE_PGSQL);
    for (size_t i = 0; i < o->nsources; i++) {
        const char *why = not_ours(o->sources[i]);
        if (why)
            return err_set(e, ERR_USAGE, "Invalid value for --source-address: '%s' %s",
                           o->sources[i], why);
    }
    if (m->nsockets)
        return err_set(e, ERR_USAGE,
                       "--source-address=%s needs a TCP connection, and --mysql-socket=%s is none",
                       o->sources[0], m->sockets[0]);
    /* the client library connects to "localhost" through its default socket */
    for (size_t i = 0; i < m->nhosts; i++)
        if (strcmp(m->hosts[i], "localhost") == 0)
            return err_set(e, ERR_USAGE,
                           "--source-address=%s needs a TCP connection, and --mysql-host=localhost "
                           "is none: did you mean --mysql-host=127.0.0.1?",
                           o->sources[0]);
    return 0;
}

int sql_options_read(struct sql_options *s, struct opts *o, struct err *e)
{
    const char *mode = opt_str(o, "db-ps-mode");

    *s = (struct sql_options){.watched = -1, .ps_server = strcmp(mode, "auto") == 0};
    if (!opt_is_choice(o, "db-ps-mode")) {
        err_set(e, ERR_USAGE, "Invalid value for db-ps-mode: %s", mode);
        return opt_explain(o, "db-ps-mode", e);
    }
    if (password_file_read(o, "mysql-password", e) || password_file_read(o, "pgsql-password", e) ||
        mysql_option_files(o, e) || read_policy(s, o, e))
        return -1;
    s->driver = sql_options_driver(o, &s->driver_given);
    if (strcmp(typed_driver(o, &s->driver_given), "drizzle") == 0)
        apply_drizzle(o);
    else if (strcmp(typed_driver(o, &s->driver_given), s->driver) != 0)
        opt_set(o, "db-driver", s->driver, NULL); /* what scripts see */
    /* COPY is PostgreSQL's, LOAD DATA is MySQL's */
    bool pgsql = strcmp(s->driver, "pgsql") == 0;
    const char *method = opt_str(o, "prepare-method");
    if (strcmp(method, pgsql ? "load" : "copy") == 0)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for --prepare-method: the driver %s has no %s (allowed: auto, "
            "insert, %s)",
            s->driver, method, pgsql ? "copy" : "load");
    s->idle_connections = (size_t)opt_int(o, "idle-connections");
    s->debug = opt_bool(o, "db-debug");
    s->alerts = generation_of(o)->refusal_is_alert;
    read_logins(&s->mysql, &s->pgsql, o);
    s->other_driver = other_driver(s, o);
    s->sources = opt_list(o, "source-address", &s->nsources);
    return check_hosts(s, e) || check_sources(s, e) ? -1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names, defaults and descriptions of stock 1.0 are interface (wrappers parse --help); 1.1's
 * options are accepted beside them.
 */
#include "cli/options.h"

#include <string.h>

#include "base/log.h"
#include "cli/actions.h"
#include "cli/mysql_defaults.h"
#include "cli/run_files.h"
#include "cli/run_probe.h"
#include "cli/run_profile.h"
#include "cli/secrets.h"
#include "engine/plan.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#if defined(HAVE_MYSQL)
#define DEFAULT_DRIVER "mysql"
#elif defined(HAVE_PGSQL)
#define DEFAULT_DRIVER "pgsql"
#else
#define DEFAULT_DRIVER NULL
#endif

/* As sql/sql_setup.c lists them. */
#if defined(HAVE_MYSQL) && defined(HAVE_PGSQL)
#define DRIVERS "mysql|pgsql"
#else
#define DRIVERS DEFAULT_DRIVER
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct opt_row server_rows[] = {
    {"server", OPT_STRING, NULL,
     "report the database server's CPU and context switches with every interval: "
     "auto (the process behind the connection), off, or process ids PID[,PID...] (default: auto with --tx-rate, "
     "else off)",
     OPT_OPEN, 0, 0, "auto|off"},
};

static const struct opt_row random_rows[] = {
    {"rand-type", OPT_STRING, "special", "random numbers distribution {} to use by default",
     OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, 0, 0, DIST_NAMES},
    {"rand-spec-iter", OPT_INT, "12", "number of iterations used for numbers generation", 0, 0, 0,
     NULL},
    {"rand-spec-pct", OPT_INT, "1",
     "percentage of values to be treated as 'special' (for special distribution)", 0, 0, 0, NULL},
    {"rand-spec-res", OPT_INT, "75",
     "percentage of 'special' values to use (for special distribution)", 0, 0, 0, NULL},
    {"rand-seed", OPT_INT, "0",
     "seed for random number generator. When 0, the current time is used as an RNG "
     "seed.",
     0, 0, 0, NULL},
    {"rand-pareto-h", OPT_DOUBLE, "0.2", "shape parameter for the Pareto distribution", 0, 0, 0,
     NULL},
    {"rand-zipfian-exp", OPT_DOUBLE, "0.8",
     "shape parameter (exponent, theta) for the Zipfian distribution", 0, 0, 0, NULL},
};

static const struct opt_row db_rows[] = {
    {"db-driver", OPT_STRING, DEFAULT_DRIVER, "specifies database driver to use",
     OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, 0, 0, DRIVERS},
    {"db-ps-mode", OPT_STRING, "auto", "prepared statements usage mode",
     OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, 0, 0, "auto|disable"},
    {"idle-connections", OPT_INT, "0",
     "open this many further connections before the run, which do nothing", OPT_COUNT | OPT_OWN, 0,
     1000000, NULL},
    {"db-debug", OPT_BOOL, "off", "print database-specific debug information", 0, 0, 0, NULL},
};

static const struct opt_row mysql_rows[] = {
    {"mysql-host", OPT_LIST, "localhost", "MySQL server host", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-port", OPT_LIST, "3306", "MySQL server port", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-socket", OPT_LIST, NULL, "MySQL socket", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-user", OPT_STRING, "sbtest", "MySQL user", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-password", OPT_STRING, "", "MySQL password", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-password-file", OPT_STRING, NULL,
     "read the MySQL password from this file, or - for standard input", OPT_OWN, 0, 0, NULL},
    {"mysql-db", OPT_STRING, "sbtest", "MySQL database name", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-ssl", OPT_BOOL, "off",
     "use SSL connections, if available in the client library; or a mode {}", 0, 0, 0,
     "disabled|preferred|required|verify-ca|verify-identity"},
    {"mysql-ssl-key", OPT_STRING, NULL, "path name of the client private key file",
     OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-ssl-ca", OPT_STRING, NULL, "path name of the CA file", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-ssl-capath", OPT_STRING, NULL, "path name of a folder of CA files", OPT_OWN, 0, 0,
     NULL},
    {"mysql-ssl-cert", OPT_STRING, NULL, "path name of the client public key certificate file",
     OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-ssl-cipher", OPT_STRING, "", "use specific cipher for SSL connections",
     OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"mysql-tls-version", OPT_STRING, NULL, "TLS versions to use, e.g. TLSv1.2,TLSv1.3", OPT_OWN, 0,
     0, NULL},
    {"mysql-compression", OPT_BOOL, "off", "use compression, if available in the client library", 0,
     0, 0, NULL},
    {"mysql-compression-algorithms", OPT_LIST, "zlib", "compression algorithms to use",
     OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, 0, 0, "zlib|zstd|uncompressed"},
    {"mysql-debug", OPT_BOOL, "off", "trace all client library calls", 0, 0, 0, NULL},
    {"mysql-ignore-errors", OPT_LIST, "1213,1020,1205", "list of errors to ignore, or \"all\"",
     OPT_MAY_BE_EMPTY | OPT_OPEN, 0, 0, "all"},
    {"mysql-dry-run", OPT_BOOL, "off",
     "Dry run, pretend that all MySQL client API calls are successful without "
     "executing them",
     0, 0, 0, NULL},
    {"defaults-file", OPT_STRING, NULL,
     "read the groups [client] and [sysbench] of this MySQL option file", OPT_OWN, 0, 0, NULL},
    {"defaults-extra-file", OPT_STRING, NULL, "the same, beside the files of --mysql-read-defaults",
     OPT_OWN, 0, 0, NULL},
    {"defaults-group-suffix", OPT_STRING, NULL, "read the groups with this suffix too", OPT_OWN, 0,
     0, NULL},
    {"mysql-read-defaults", OPT_BOOL, "off", "read /etc/my.cnf, /etc/mysql/my.cnf and ~/.my.cnf",
     OPT_OWN, 0, 0, NULL},
};

static const struct opt_row pgsql_rows[] = {
    {"pgsql-host", OPT_STRING, "localhost", "PostgreSQL server host", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"pgsql-port", OPT_INT, "5432", "PostgreSQL server port", 0, 1, 65535, NULL},
    {"pgsql-user", OPT_STRING, "sbtest", "PostgreSQL user", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"pgsql-password", OPT_STRING, "", "PostgreSQL password", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"pgsql-password-file", OPT_STRING, NULL,
     "read the PostgreSQL password from this file, or - for standard input", OPT_OWN, 0, 0, NULL},
    {"pgsql-db", OPT_STRING, "sbtest", "PostgreSQL database name", OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"pgsql-sslmode", OPT_STRING, NULL, "PostgreSQL SSL mode", OPT_MAY_BE_EMPTY, 0, 0,
     "disable|allow|prefer|require|verify-ca|verify-full"},
    {"pgsql-ignore-errors", OPT_LIST, "40P01,40001,23505",
     "list of SQLSTATEs to ignore, \"connection\" for lost "
     "connections, or \"all\"",
     OPT_MAY_BE_EMPTY | OPT_OPEN | OPT_OWN, 0, 0, "all|connection"},
};

void options_declare(struct opts *o)
{
    plan_options(o);
    run_files_options(o);
    actions_options(o);
    opts_add(o, OPT_GROUP_SERVER, server_rows, COUNT(server_rows));
    run_probe_options(o);
    run_profile_options(o);
    opts_add(o, OPT_GROUP_RANDOM, random_rows, COUNT(random_rows));
    opts_add(o, OPT_GROUP_DB, db_rows, COUNT(db_rows));
    opts_add(o, OPT_GROUP_MYSQL, mysql_rows, COUNT(mysql_rows));
    opts_add(o, OPT_GROUP_PGSQL, pgsql_rows, COUNT(pgsql_rows));
}

/* An old name counts only with a value that differs from "not used"; then it overrides the new one.
 */
void options_apply_deprecated(struct opts *o)
{
    static const struct {
        const char *old, *now;
        int64_t above;
    } names[] = {
        {"num-threads", "threads", 1}, {"max-requests", "events", 0}, {"max-time", "time", 0}};

    for (size_t i = 0; i < COUNT(names); i++) {
        int64_t v = opt_int(o, names[i].old);
        bool negative_counts = strcmp(names[i].old, "max-time") != 0;
        if (!opt_given(o, names[i].old) || !(v > names[i].above || (negative_counts && v < 0)))
            continue;
        log_print("WARNING: --%s is deprecated, use --%s instead\n", names[i].old, names[i].now);
        opt_set(o, names[i].now, opt_str(o, names[i].old), NULL);
    }
}

void options_note_tx_rate(const struct opts *o, const char *command)
{
    if (!command || strcmp(command, "run") != 0)
        return;
    if (opt_double(o, "tx-rate") <= 0 || opts_own_given(o, "tx-rate"))
        return;
    log_stderr(
        "NOTE: --tx-rate holds an even rate and adds lines to the reports (see "
        "sysbench-rate(7)); use --rate=N for the Poisson arrivals that it stood for in sysbench 1.0");
}

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
    m->hosts = opt_list(o, "mysql-host", &m->nhosts);
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

int options_sql(struct sql_options *s, struct opts *o, struct err *e)
{
    const char *mode = opt_str(o, "db-ps-mode");

    memset(s, 0, sizeof *s);
    if (!opt_is_choice(o, "db-ps-mode")) {
        err_set(e, ERR_USAGE, "Invalid value for db-ps-mode: %s", mode);
        return opt_explain(o, "db-ps-mode", e);
    }
    if (secrets_from_file(o, "mysql-password", e) || secrets_from_file(o, "pgsql-password", e) ||
        mysql_defaults_apply(o, e))
        return -1;
    s->driver = opt_str(o, "db-driver");
    s->ps_server = strcmp(mode, "auto") == 0;
    s->debug = opt_bool(o, "db-debug");
    read_mysql(&s->mysql, o);
    read_pgsql(&s->pgsql, o);
    return 0;
}

int options_dist(struct dist_params *d, const struct opts *o, struct err *e)
{
    struct dist_spec spec = {
        .type = opt_str(o, "rand-type"),
        .iter = opt_int(o, "rand-spec-iter"),
        .pct = opt_int(o, "rand-spec-pct"),
        .res = opt_int(o, "rand-spec-res"),
        .pareto_h = opt_double(o, "rand-pareto-h"),
        .zipfian_exp = opt_double(o, "rand-zipfian-exp"),
    };

    return dist_setup(d, &spec, e) ? opt_explain(o, "rand-type", e) : 0;
}

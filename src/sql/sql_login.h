/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How to reach a server: the options of databases as plain data.  sql_options.h reads them,
 * sql_setup() (sql.h) takes them.
 */
#ifndef SB_SQL_SQL_LOGIN_H
#define SB_SQL_SQL_LOGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sql/sql_policy.h"

/* --mysql-ssl.  ON is stock's: encrypted where the server can, verified where a CA is given. */
enum sql_ssl_mode {
    SQL_SSL_DISABLED,
    SQL_SSL_ON,
    SQL_SSL_PREFERRED,
    SQL_SSL_REQUIRED,
    SQL_SSL_VERIFY_CA,
    SQL_SSL_VERIFY_IDENTITY
};

/* Options of all drivers, copied by sql_setup(); strings and lists still belong to the option
 * table. */
struct sql_login_mysql {
    char **hosts;
    size_t nhosts;
    char **ports;
    size_t nports;
    char **sockets;
    size_t nsockets;
    const char *user, *password, *db;
    enum sql_ssl_mode ssl;
    const char *ssl_key, *ssl_ca, *ssl_capath, *ssl_cert, *ssl_cipher, *tls_version; /* "": none */
    bool cleartext, local_infile, compression, debug, dry_run;
    /* with many connections, memory matters more than the speed of long statements */
    bool small_buffers;
    char **algorithms; /* of compression, in order of preference */
    size_t nalgorithms;
    char **ignore_errors;
    size_t nignore; /* numbers, or "all" */
};

/* libpq fills empty values from its environment variables, service file and defaults. */
struct sql_login_pgsql {
    const char *host, *port, *user, *password, *sslmode;
    const char *db;                          /* a name, or a connection string */
    bool host_given, port_given, user_given; /* by the user: overrides a connection string */
    char **ignore_errors;
    size_t nignore; /* SQLSTATEs, "connection" or "all" */
};

struct sql_options {
    const char *driver; /* --db-driver; "" when none was given */
    bool driver_given;
    bool ps_server; /* --db-ps-mode=auto */
    bool ps_lazy;   /* --db-ps-prepare=lazy */
    bool debug;     /* --db-debug */
    bool alerts;    /* a refused statement is an ALERT, as in 0.4 and 0.5, and no FATAL */
    /* --idle-connections: connections of nobody beside the clients' */
    size_t idle_connections;
    struct sql_policy policy;              /* --on-error */
    double connect_timeout, query_timeout; /* s; 0: none */
    double reconnect_rate;                 /* a second, after losses; 0: no limit */
    char **sources;                        /* --source-address (sql_options.h) */
    size_t nsources;
    /* --server-host: position of the server that auxiliary connections are made to, and to no
     * other; -1: they begin at the first */
    int64_t watched;
    struct sql_login_mysql mysql;
    struct sql_login_pgsql pgsql;
    /* NULL, or called once for each client library before its first use, with the address of one
     * of its functions; -1 with a sentence: do not use it. */
    int (*check_library)(const void *function, struct err *e);
};

/* What PostgreSQL's driver has to say about --source-address. */
#define SQL_SOURCE_PGSQL                                                                           \
    "--source-address cannot be used with PostgreSQL: its client library has no such option"

#endif

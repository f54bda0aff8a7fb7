/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a connection is given: how to reach a server, as the options say, and the client that it
 * works for: counters, a clock, and a say in what takes time.  For sql.h and the drivers behind it.
 */
#ifndef SB_SQL_SQL_HOST_H
#define SB_SQL_SQL_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"
#include "opt/opt.h"
#include "sql/sql_policy.h"
#include "sql/sql_types.h"
#include "stats/counters.h"
#include "stats/stmt_stats.h"

/* --- how to reach a server: the options as plain data, which sql_options.h reads --- */

/* --mysql-ssl.  ON is stock's: encrypted where the server can, verified where a CA is given. */
enum sql_ssl_mode {
    SQL_SSL_DISABLED,
    SQL_SSL_ON,
    SQL_SSL_PREFERRED,
    SQL_SSL_REQUIRED,
    SQL_SSL_VERIFY_CA,
    SQL_SSL_VERIFY_IDENTITY
};

/* The texts of TLS, the files first, and the names of their options. */
enum {
    SQL_TLS_KEY,
    SQL_TLS_CERT,
    SQL_TLS_CA,
    SQL_TLS_CAPATH,
    SQL_TLS_CIPHER,
    SQL_TLS_VERSION,
    SQL_TLS_TEXTS,
    SQL_TLS_FILES = SQL_TLS_CIPHER
};
extern const char *const sql_tls_options[SQL_TLS_TEXTS];

/* Options of all drivers, copied by sql_setup(); strings and lists still belong to the option
 * table. */
struct sql_login_mysql {
    char **hosts;
    size_t nhosts;
    char **ports;
    size_t nports;
    char **sockets;
    size_t nsockets;
    bool port_given, password_given; /* given: an empty password is one, too */
    const char *user, *password, *db;
    enum sql_ssl_mode ssl;
    const char *tls[SQL_TLS_TEXTS]; /* ""; NULL: none */
    bool cleartext, local_infile, compression, debug, dry_run;
    /* with many connections, memory matters more than the speed of long statements */
    bool small_buffers;
    bool library;      /* --mysql-protocol=library: it executes prepared statements, too */
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
    const char *driver;              /* --db-driver; "" when none was given */
    bool driver_given, other_driver; /* other_driver: pgsql was probably meant */
    bool ps_server;                  /* --db-ps-mode=auto */
    bool ps_lazy;                    /* --db-ps-mode=prepare=lazy */
    bool debug;                      /* --db-debug */
    bool alerts; /* a refused statement is an ALERT, as in 0.4 and 0.5, and no FATAL */
    /* --idle-connections: connections of nobody beside the clients' */
    size_t idle_connections;
    struct sql_policy policy;              /* --on-error */
    double connect_timeout, query_timeout; /* s; 0: none */
    int64_t max_result_size;               /* bytes; 0: no limit */
    double reconnect_rate;                 /* a second, after losses; 0: no limit */
    char **sources;                        /* --source-address (sql_options.h) */
    size_t nsources;
    /* --server=host: position of the server that auxiliary connections are made to, and to no
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

struct sql_ops;

/* What a driver file offers to the list of those that were compiled in. */
struct sql_driver_class {
    sql_driver names;
    enum opt_group options;       /* its own options; OPT_GROUP_NONE (0): it has none */
    const char *(*library)(void); /* "libmariadb 3.3.20": the library that is loaded */
    const void *entry;            /* a function of that library */
    /* Checks the options: -1 and a sentence.  Called for every driver at start-up; must not call
     * the library. */
    int (*check)(const struct sql_options *o, struct err *e);
    /* Initializes the library; sets *ops and *cfg.  -1 after a FATAL line. */
    int (*open)(const struct sql_options *o, const struct sql_ops **ops, void **cfg);
    void (*close)(void *cfg);
};

/* sql_drivers.c: that list, index 0.. until NULL. */
const struct sql_driver_class *sql_class_at(size_t i);

/* The one of that short name; NULL: it was not compiled in. */
const struct sql_driver_class *sql_class_named(const char *sname);

/* --- what a connection is given by the client that it works for --- */

/* A failure of a statement or of a connection attempt, whatever follows from it. */
struct sql_error {
    int errnum;
    const char *state, *text; /* valid during the call */
    enum error_class class;
    enum error_action action; /* what follows from it */
    bool lost;  /* an established connection is gone; presence() tells when it is back */
    int server; /* at which it happened, of the list; -1: there is no list of them */
};

enum sql_presence { SQL_ARRIVED, SQL_LEFT, SQL_CLOSED };

/* The client that a connection works for.  All functions may be NULL. */
struct sql_host {
    struct counters *counters;  /* never NULL */
    _Atomic bool *in_statement; /* the client executes one, or connects; NULL: nobody asks */
    struct stmt_stats_shard *stmt_stats; /* NULL: statements are not timed */
    struct rng *random;                  /* the client's stream, for draws that stock makes of it */
    /* --- what takes time --- */
    void *client;
    /* false once the run has ended: stop reconnecting; NULL: only auxiliary ones do */
    bool (*keep_trying)(void *client);
    void (*pause)(void *client, dur_ns d); /* sleep between attempts, woken when the run ends */
    /* A connection attempt begins (false: do not, the run has ended) or has ended with this socket
     * (-1: it failed). */
    bool (*connecting)(void *client, bool begins, int fd);
    /* a lost connection is up again: how long this attempt took, and since when it was away */
    void (*reconnected)(void *client, dur_ns took, dur_ns away);
    /* the first connection cannot be made: try again after a pause? */
    bool (*refused)(void *client, int errnum);
    /* the connection was lost before the answer to a COMMIT: it is not known whether it was done */
    void (*commit_lost)(void *client);
    /* --- the rest --- */
    void *arg;
    mono_ns (*now)(void *arg); /* the clock; NULL: clock_mono() */
    /* where in the list of servers its next connection begins (sql_servers.h); NULL: connections
     * take turns, and auxiliary ones begin at the first or at --server=host */
    uint64_t (*place)(void *arg);
    /* This connection is up at that server of the list (-1: there is none), with that socket (-1:
     * unknown); is, with a list, no longer; or is closed for good (-1: after a loss). */
    void (*presence)(void *arg, const void *connection, enum sql_presence p, int server, int fd);
    /* each failure, once; not that a listen queue was full, which is retried */
    void (*error)(void *arg, const struct sql_error *e);
    /* a failure that does not end the run has been dealt with: the transaction was rolled back, or
     * the connection replaced.  Not for those of a connection attempt.  `holds`: the script does
     * that itself, so locks may be held: no time to pause */
    void (*after_error)(void *arg, enum error_action action, bool holds);
    /* Statements are counted by their first word, as in 0.4 and 0.5, and not by what they did. */
    bool by_word;
    /* Connections may run sql_load(): the server may ask them for rows, and for nothing else. */
    bool loads;
    /* belongs to no client: its failures are not the run's, and its owner limits its waits */
    bool auxiliary;
};

#endif

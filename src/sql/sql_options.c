/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_options.h: the rows of the option table; sql_options_read.c reads their values.  Names,
 * defaults and descriptions of stock 1.0 are interface (wrappers parse
 * --help); 1.1's options are accepted beside them.
 */
#include "sql/sql_options.h"

#include "sql/sql_old_options.h"
#include "sql/sql_driver.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct opt_row db_rows[] = {
    {.name = "db-ps-mode",
     .type = OPT_STRING,
     .def = "auto",
     .help = "prepared statements usage mode",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "auto|disable"},
    {.name = "db-ps-prepare",
     .type = OPT_STRING,
     .def = "eager",
     .help =
         "prepare a statement on the server when the script prepares it, or (lazy) at its first execution",
     .flags = OPT_OWN,
     .choices = "eager|lazy"},
    {.name = "idle-connections",
     .type = OPT_INT,
     .def = "0",
     .help = "open this many additional connections that stay idle during the run",
     .flags = OPT_COUNT | OPT_OWN,
     .max = 1000000},
    {.name = "prepare-method",
     .type = OPT_STRING,
     .def = "auto",
     .help = "how prepare of the OLTP tests sends rows",
     .flags = OPT_OWN,
     .choices = "auto|insert|load|copy"},
    {.name = "prepare-resume",
     .type = OPT_BOOL,
     .def = "off",
     .help =
         "prepare of the OLTP tests keeps the rows that are there and adds those that are missing",
     .flags = OPT_OWN},
    {.name = "on-error",
     .type = OPT_LIST,
     .help =
         "what follows from a class of errors, CLASS:ACTION with the actions retry, reconnect, "
         "fail and fatal, or a preset {}; the driver's list of ignored errors decides about the "
         "other classes",
     .flags = OPT_OWN | OPT_OPEN,
     .choices = SQL_POLICY_PRESETS},
    {.name = "connect-timeout",
     .type = OPT_DOUBLE,
     .def = "0",
     .help =
         "give up an attempt to connect after this many seconds. 0 leaves the first attempts to the client "
         "library, and ends those after a loss after 10 seconds",
     .flags = OPT_SECONDS | OPT_OWN,
     .max = 86400},
    {.name = "query-timeout",
     .type = OPT_DOUBLE,
     .def = "0",
     .help =
         "close the connection of a statement that has no answer after this many seconds: an error of class "
         "cancelled. 0 for no limit",
     .flags = OPT_SECONDS | OPT_OWN,
     .max = 86400},
    {.name = "reconnect-rate",
     .type = OPT_INT,
     .def = "1000",
     .help = "limit of the attempts to reconnect, per second over all clients. 0 for no limit",
     .flags = OPT_COUNT | OPT_OWN,
     .max = 1000000},
    {.name = "source-address",
     .type = OPT_LIST,
     .help = "connect from these addresses of this host, in turn (MySQL and MariaDB)",
     .flags = OPT_OWN},
    {.name = "db-debug",
     .type = OPT_BOOL,
     .def = "off",
     .help = "print database-specific debug information"},
};

static const struct opt_row mysql_rows[] = {
    {.name = "mysql-host",
     .type = OPT_LIST,
     .def = "localhost",
     .help = "MySQL server host",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-port",
     .type = OPT_LIST,
     .def = "3306",
     .help = "MySQL server port",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-socket", .type = OPT_LIST, .help = "MySQL socket", .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-user",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "MySQL user",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-password",
     .type = OPT_STRING,
     .def = "",
     .help = "MySQL password",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-password-file",
     .type = OPT_STRING,
     .help = "read the MySQL password from this file, or - for standard input",
     .flags = OPT_OWN},
    {.name = "mysql-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "MySQL database name",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-ssl",
     .type = OPT_BOOL,
     .def = "off",
     .help = "use SSL connections, if available in the client library; or a mode {}",
     .choices = "disabled|preferred|required|verify-ca|verify-identity"},
    {.name = "mysql-ssl-key",
     .type = OPT_STRING,
     .help = "path name of the client private key file",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-ssl-ca",
     .type = OPT_STRING,
     .help = "path name of the CA file",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-ssl-capath",
     .type = OPT_STRING,
     .help = "path name of a folder of CA files",
     .flags = OPT_OWN},
    {.name = "mysql-ssl-cert",
     .type = OPT_STRING,
     .help = "path name of the client public key certificate file",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-ssl-cipher",
     .type = OPT_STRING,
     .def = "",
     .help = "use specific cipher for SSL connections",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-tls-version",
     .type = OPT_STRING,
     .help = "TLS versions to use, e.g. TLSv1.2,TLSv1.3",
     .flags = OPT_OWN},
    {.name = "mysql-cleartext",
     .type = OPT_BOOL,
     .def = "off",
     .help = "send the password in clear text to a server that asks for it, also without TLS",
     .flags = OPT_OWN},
    {.name = "mysql-local-infile",
     .type = OPT_BOOL,
     .def = "on",
     .help = "LOAD DATA LOCAL sends the file that the statement names",
     .flags = OPT_OWN},
    {.name = "mysql-compression",
     .type = OPT_BOOL,
     .def = "off",
     .help = "use compression, if available in the client library"},
    {.name = "mysql-compression-algorithms",
     .type = OPT_LIST,
     .def = "zlib",
     .help = "compression algorithms to use",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "zlib|zstd|uncompressed"},
    {.name = "mysql-debug",
     .type = OPT_BOOL,
     .def = "off",
     .help = "trace all client library calls"},
    {.name = "mysql-ignore-errors",
     .type = OPT_LIST,
     .def = "1213,1020,1205",
     .help = "list of errors to ignore, or \"all\"",
     .flags = OPT_MAY_BE_EMPTY | OPT_OPEN,
     .choices = "all"},
    {.name = "mysql-dry-run",
     .type = OPT_BOOL,
     .def = "off",
     .help = "Dry run, pretend that all MySQL client API calls are successful without "
             "executing them"},
    {.name = "defaults-file",
     .type = OPT_STRING,
     .help = "read the groups [client] and [sysbench] of this MySQL option file",
     .flags = OPT_OWN},
    {.name = "defaults-extra-file",
     .type = OPT_STRING,
     .help = "the same, in addition to the files of --mysql-read-defaults",
     .flags = OPT_OWN},
    {.name = "defaults-group-suffix",
     .type = OPT_STRING,
     .help = "also read the groups whose names end in this suffix",
     .flags = OPT_OWN},
    {.name = "mysql-read-defaults",
     .type = OPT_BOOL,
     .def = "off",
     .help = "read /etc/my.cnf, /etc/mysql/my.cnf and ~/.my.cnf",
     .flags = OPT_OWN},
};

static const struct opt_row pgsql_rows[] = {
    {.name = "pgsql-host",
     .type = OPT_STRING,
     .def = "localhost",
     .help = "PostgreSQL server host",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "pgsql-port",
     .type = OPT_INT,
     .def = "5432",
     .help = "PostgreSQL server port",
     .flags = OPT_OR_TEXT,
     .min = 1,
     .max = 65535},
    {.name = "pgsql-user",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "PostgreSQL user",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "pgsql-password",
     .type = OPT_STRING,
     .def = "",
     .help = "PostgreSQL password",
     .flags = OPT_MAY_BE_EMPTY},
    {.name = "pgsql-password-file",
     .type = OPT_STRING,
     .help = "read the PostgreSQL password from this file, or - for standard input",
     .flags = OPT_OWN},
    {.name = "pgsql-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "PostgreSQL database name",
     .flags = OPT_MAY_BE_EMPTY | OPT_SECRET_WITHIN},
    {.name = "pgsql-sslmode",
     .type = OPT_STRING,
     .help = "PostgreSQL SSL mode",
     .flags = OPT_MAY_BE_EMPTY,
     .choices = "disable|allow|prefer|require|verify-ca|verify-full"},
    {.name = "pgsql-ignore-errors",
     .type = OPT_LIST,
     .def = "40P01,40001,23505",
     .help = "list of SQLSTATEs to ignore, \"connection\" for lost "
             "connections, or \"all\"",
     .flags = OPT_MAY_BE_EMPTY | OPT_OPEN | OPT_OWN,
     .choices = "all|connection"},
};

/* Its choices are the drivers that were compiled in, its default is the first of them. */
static void declare_driver(struct opts *o)
{
    const struct sql_driver_class *first = sql_class_at(0), *class;
    struct str choices = STR_INIT;

    for (size_t i = 0; (class = sql_class_at(i)) != NULL; i++)
        str_printf(&choices, "%s%s", i ? "|" : "", class->names.sname);
    opts_add(o, OPT_GROUP_DB,
             &(struct opt_row){.name = "db-driver",
                               .type = OPT_STRING,
                               .def = first ? first->names.sname : NULL,
                               .help = "specifies database driver to use",
                               .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
                               .choices = first ? str_cstr(&choices) : NULL},
             1);
    str_free(&choices);
}

void sql_options_declare(struct opts *o)
{
    declare_driver(o);
    opts_add(o, OPT_GROUP_DB, db_rows, COUNT(db_rows));
    opts_add(o, OPT_GROUP_MYSQL, mysql_rows, COUNT(mysql_rows));
    opts_add(o, OPT_GROUP_PGSQL, pgsql_rows, COUNT(pgsql_rows));
    sql_old_options_declare(o);
}

enum opt_group sql_options_group(size_t i)
{
    const struct sql_driver_class *class = sql_class_at(i);

    return class ? class->options : OPT_GROUP_NONE;
}

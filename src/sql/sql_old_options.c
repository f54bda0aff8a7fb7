/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_old_options.h.
 */
#include "sql/sql_old_options.h"

#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/str.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct opt_row mysql_rows[] = {
    {.name = "mysql-table-engine",
     .type = OPT_STRING,
     .def = "innodb",
     .help = "storage engine of the tables; today an option of the test: --mysql-storage-engine",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .now = "mysql-storage-engine"},
    {.name = "mysql-engine-trx",
     .type = OPT_STRING,
     .def = "auto",
     .help = "does the engine have transactions? {}",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .choices = "yes|no|auto"},
    {.name = "myisam-max-rows",
     .type = OPT_INT,
     .def = "1000000",
     .help = "MAX_ROWS of MyISAM tables",
     .flags = OPT_OLD | OPT_COUNT},
    {.name = "mysql-create-options",
     .type = OPT_STRING,
     .def = "",
     .help = "text to append to CREATE TABLE; today an option of the test: --create-table-options",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .now = "create-table-options"},
    {.name = "mysql-table-options",
     .type = OPT_STRING,
     .def = "",
     .help = "the name of --mysql-create-options in scripts of 0.5",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .now = "create-table-options"},
};

static const struct opt_row drizzle_rows[] = {
    {.name = "drizzle-host",
     .type = OPT_LIST,
     .def = "localhost",
     .help = "Drizzle server host",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-port",
     .type = OPT_LIST,
     .def = "4427",
     .help = "Drizzle server port",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-socket",
     .type = OPT_LIST,
     .help = "Drizzle socket",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-user",
     .type = OPT_STRING,
     .def = "",
     .help = "Drizzle user",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-password",
     .type = OPT_STRING,
     .def = "",
     .help = "Drizzle password",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "Drizzle database name",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-mysql",
     .type = OPT_BOOL,
     .def = "off",
     .help = "speak MySQL's protocol",
     .flags = OPT_OLD},
    {.name = "drizzle-buffer",
     .type = OPT_STRING,
     .def = "none",
     .help = "how results are buffered: no effect here {}",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .choices = "none|field|row|all"},
    {.name = "drizzle-table-engine",
     .type = OPT_STRING,
     .def = "innodb",
     .help = "storage engine of the tables",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "drizzle-engine-trx",
     .type = OPT_STRING,
     .def = "auto",
     .help = "does the engine have transactions? {}",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY,
     .choices = "yes|no|auto"},
    {.name = "drizzle-max-rows",
     .type = OPT_INT,
     .def = "1000000",
     .help = "MAX_ROWS of MyISAM tables",
     .flags = OPT_OLD | OPT_COUNT},
    {.name = "drizzle-create-options",
     .type = OPT_STRING,
     .def = "",
     .help = "text to append to CREATE TABLE",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
};

/* Accepted, so that the refusal names the driver. */
static const struct opt_row gone_rows[] = {
    {.name = "oracle-user",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "oracle-password",
     .type = OPT_STRING,
     .def = "",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "oracle-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "attachsql-host",
     .type = OPT_STRING,
     .def = "localhost",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "attachsql-port",
     .type = OPT_INT,
     .def = "4427",
     .help = "no such driver here",
     .flags = OPT_OLD},
    {.name = "attachsql-socket",
     .type = OPT_STRING,
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "attachsql-user",
     .type = OPT_STRING,
     .def = "",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "attachsql-password",
     .type = OPT_STRING,
     .def = "",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "attachsql-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "no such driver here",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
};

void sql_old_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_DB, mysql_rows, COUNT(mysql_rows));
    opts_add(o, OPT_GROUP_DB, drizzle_rows, COUNT(drizzle_rows));
    opts_add(o, OPT_GROUP_DB, gone_rows, COUNT(gone_rows));
}

const char *sql_old_driver(const char *name)
{
    return strcmp(name, "drizzle") == 0 ? "mysql" : name;
}

/* The hosts.  MySQL's libraries take "localhost" for a socket; Drizzle's took it for an address. */
static void hosts(const struct opts *o, struct str *out)
{
    size_t n, sockets;
    char **host = opt_list(o, "drizzle-host", &n);

    opt_list(o, "drizzle-socket", &sockets);
    for (size_t i = 0; i < n; i++)
        str_printf(out, "%s%s", i ? "," : "",
                   !sockets && strcasecmp(host[i], "localhost") == 0 ? "127.0.0.1" : host[i]);
}

void sql_old_apply_drizzle(struct opts *o, const char *driver)
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
    struct str host = STR_INIT;

    if (strcmp(driver, "drizzle") != 0)
        return;
    if (!opt_bool(o, "drizzle-mysql"))
        log_stderr("NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on");
    hosts(o, &host);
    opt_set(o, "mysql-host", str_cstr(&host), NULL);
    str_free(&host);
    for (size_t i = 0; i < COUNT(names); i++)
        if (i < 5 || opt_given(o, names[i][0]))
            opt_set(o, names[i][1], opt_str(o, names[i][0]), NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See built.h.  Packages have Debian's names, as in the warnings of configure.
 */
#include "session/built.h"

#include <stdio.h>
#include <string.h>

#include "session/result_files.h"
#include "session/attach.h"
#include "session/run_profile.h"
#include "profile/profile.h"
#include "report/http.h"
#include "sql/sql.h"
#include "sql/sql_options.h"
#include "telemetry/perf.h"
#include "workload/fileio.h"

#define LIBRARY_MYSQL "libmariadb", "libmariadb-dev"
#define LIBRARY_PGSQL "libpq", "libpq-dev"

struct built built_here(void)
{
    return (struct built){
        .mysql = sql_class_named("mysql") != NULL,
        .pgsql = sql_class_named("pgsql") != NULL,
        .microhttpd = strcmp(http_library(), "no") != 0,
        .elfutils = strcmp(profile_library(), "no") != 0,
        .libpfm = strcmp(perf_names_libpfm(), "no") != 0,
        .libaio = fileio_has_async(),
    };
}

static int without(const char *option, const char *library, const char *package, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%s needs %s, which this program was built without: install %s "
                   "(Debian's %s) and build it again",
                   option, library, package, strchr(package, ' ') ? "names" : "name");
}

/* Options of one driver beside another one that was named are usual: wrappers pass both sets. */
static int check_driver(const struct built *b, const struct opts *o, struct err *e)
{
    bool named;
    const char *driver = sql_options_driver(o, &named);
    struct opt_view v;
    char shown[80];

    if (strcmp(driver, "oracle") == 0 || strcmp(driver, "attachsql") == 0)
        return err_set(e, ERR_USAGE,
                       "--db-driver=%s is not supported any more: there are drivers for MySQL and "
                       "PostgreSQL (mysql, pgsql)",
                       driver);
    if (strcmp(driver, "mysql") == 0 && !b->mysql)
        return without("--db-driver=mysql", LIBRARY_MYSQL, e);
    if (strcmp(driver, "pgsql") == 0 && named && !b->pgsql)
        return without("--db-driver=pgsql", LIBRARY_PGSQL, e);
    for (size_t i = 0; !named && !b->mysql && opts_at(o, i, &v); i++)
        if (v.group == OPT_GROUP_MYSQL && v.given) { /* the first that the user gave */
            snprintf(shown, sizeof shown, "--%s", v.shown);
            return without(shown, LIBRARY_MYSQL, e);
        }
    return 0;
}

int built_check(const struct built *b, const struct opts *o, const struct server_options *server,
                bool is_script, bool run, struct err *e)
{
    if (is_script && check_driver(b, o, e))
        return -1;
    if (!run)
        return 0;
    if (!b->microhttpd && *metrics_endpoint_address(o))
        return without("--metrics-listen", "libmicrohttpd", "libmicrohttpd-dev", e);
    if (!b->elfutils && run_profile_wanted(o))
        return without("--server-profile", "elfutils", "libdw-dev and libelf-dev", e);
    if (!b->libpfm && !*server->remote) /* with it the other host has to know them */
        return run_probe_check_events(server, e);
    return 0;
}

int built_check_fileio(const struct built *b, const struct opts *o, struct err *e)
{
    if (!b->libaio && opt_exists(o, "file-io-mode") && strcmp(fileio_io_mode(o), "async") == 0)
        return without("--file-io-mode=async", "libaio", "libaio-dev", e);
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The general options as a table: those that stock has, by name, and all others marked as ours.
 */
#include "cli/options.h"

#include "base/test.h"

/* What --help of sysbench 1.0 lists, except tx-rate, which has another meaning here; what 1.1 added. */
static const char *const stock[] = {
    "threads", "events", "time", "forced-shutdown", "thread-stack-size", "rate",
    "report-interval", "report-checkpoints", "debug", "validate", "help", "version",
    "config-file", "max-requests", "max-time", "num-threads", "rand-type", "rand-spec-iter",
    "rand-spec-pct", "rand-spec-res", "rand-seed", "rand-pareto-h", "verbosity", "percentile",
    "histogram", "db-driver", "db-ps-mode", "db-debug", "mysql-host", "mysql-port",
    "mysql-socket", "mysql-user", "mysql-password", "mysql-db", "mysql-ssl", "mysql-ssl-cipher",
    "mysql-compression", "mysql-debug", "mysql-ignore-errors", "mysql-dry-run", "pgsql-host",
    "pgsql-port", "pgsql-user", "pgsql-password", "pgsql-db",
    "warmup-time", "thread-init-timeout", "luajit-cmd", "rand-zipfian-exp", "mysql-ssl-key",
    "mysql-ssl-ca", "mysql-ssl-cert", "mysql-compression-algorithms", "pgsql-sslmode",
};

static bool is_stock(const char *name)
{
    for (size_t i = 0; i < sizeof stock / sizeof *stock; i++)
        if (strcmp(stock[i], name) == 0)
            return true;
    return false;
}

/* OPT_OWN is on every option that is not in the list, and on none that is. */
static void own_and_stock(void)
{
    struct opts *o = opts_new();
    struct opt_view v;

    options_declare(o);
    for (size_t i = 0; opts_at(o, i, &v); i++) {
        bool own = v.flags & OPT_OWN;
        TEST_REPORT(own != is_stock(v.shown), "--%s: %s", v.shown,
                    own ? "stock has it" : "lacks OPT_OWN");
    }
    for (size_t i = 0; i < sizeof stock / sizeof *stock; i++)
        TEST_REPORT(opt_exists(o, stock[i]), "--%s is missing", stock[i]);
    opts_free(o);
}

int main(void)
{
    own_and_stock();
    return test_done("options_test");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which values of --source-address are accepted, and what is said of the others.
 */
#include "sql/sql_source.h"

#include "base/test.h"

static char loopback[] = "127.0.0.1", second[] = "127.0.0.2", name[] = "localhost",
            elsewhere[] = "192.0.2.1", word[] = "eth0", socket_file[] = "/tmp/a.sock";

static struct sql_options options(char **sources, size_t n, char **hosts, size_t nhosts)
{
    return (struct sql_options){.driver = "mysql",
                                .sources = sources,
                                .nsources = n,
                                .mysql = {.hosts = hosts, .nhosts = nhosts}};
}

static void refused(const struct sql_options *o, const char *why)
{
    struct err e = {0};

    CHECK_INT(sql_source_check(o, &e), -1);
    CHECK_STR(e.msg, why);
}

static void accepted(void)
{
    char *sources[] = {loopback, second}, *hosts[] = {loopback};
    struct sql_options o = options(sources, 2, hosts, 1), none = options(NULL, 0, NULL, 0);
    struct err e = {0};

    CHECK_INT(sql_source_check(&o, &e), 0);
    CHECK_INT(sql_source_check(&none, &e), 0);
}

static void wrong_addresses(void)
{
    char *other[] = {loopback, elsewhere}, *no_address[] = {word}, *hosts[] = {loopback};
    struct sql_options o = options(other, 2, hosts, 1);

    refused(&o, "Invalid value for --source-address: '192.0.2.1' is not an address of this host");
    o = options(no_address, 1, hosts, 1);
    refused(&o, "Invalid value for --source-address: 'eth0' is not an IP address");
}

static void no_tcp(void)
{
    char *sources[] = {loopback}, *hosts[] = {loopback, name}, *sockets[] = {socket_file};
    struct sql_options o = options(sources, 1, hosts, 2);

    refused(&o, "--source-address=127.0.0.1 needs a TCP connection, and --mysql-host=localhost is "
                "none: did you mean --mysql-host=127.0.0.1?");
    o = options(sources, 1, hosts, 1);
    o.mysql.sockets = sockets;
    o.mysql.nsockets = 1;
    refused(&o, "--source-address=127.0.0.1 needs a TCP connection, and "
                "--mysql-socket=/tmp/a.sock is none");
}

static void postgresql(void)
{
    char *sources[] = {loopback}, *hosts[] = {loopback};
    struct sql_options o = options(sources, 1, hosts, 1);

    o.driver = "pgsql";
    refused(
        &o,
        "--source-address cannot be used with PostgreSQL: its client library has no such option");
}

TEST_MAIN(sql_source_test)
{
    accepted();
    wrong_addresses();
    no_tcp();
    postgresql();
    return test_done("sql_source");
}

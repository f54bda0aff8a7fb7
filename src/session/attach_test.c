/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding the server: the value of --server in effect, processes that are named, and those that
 * cannot be found.
 */
#include "session/attach.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"
#include "base/test_capture.h"

static const struct opt_row rows[] = {
    {.name = "server", .type = OPT_STRING, .flags = OPT_OPEN, .choices = "auto|off"},
    {.name = "tx-rate", .type = OPT_DOUBLE, .def = "0"},
};

static struct opts *options(const char *arg)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
    server_options_declare(o);
    if (arg)
        CHECK_INT(opts_set_arg(o, arg, NULL), 0);
    return o;
}

static void option(void)
{
    static const struct {
        const char *arg;
        bool needed, has_rate;
        const char *want;
    } t[] = {
        {NULL, false, false, "off"},
        {NULL, false, true, "off"}, /* --rate alone */
        {NULL, true, false, "auto"},
        {"--server=off", true, false, "off"},
        {"--tx-rate=100", false, true, "auto"},
        {"--tx-rate=0", false, false, "off"},
        {"--server=17,18", false, false, "17,18"},
        {"--server=off", false, true, "off"},
        {"--server-events=default", false, false, "auto"},
        {"--server-syscalls", false, false, "auto"},
        {"--server-via=ssh db", false, false, "auto"},
        {"--server-status", false, false, "off"}, /* queries the server itself */
        {"--host-stats", false, false, "off"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = options(t[i].arg);
        struct server_options server;
        bool tx_rate = opt_given(o, "tx-rate") && t[i].has_rate;
        server_options_read(&server, o);
        CHECK_STR(attach_option(&server, t[i].needed, tx_rate), t[i].want);
        opts_free(o);
    }
}

static void named(void)
{
    struct opts *o = options(NULL);
    struct attach a = {0};
    struct err e = {0};
    char self[20];

    snprintf(self, sizeof self, "%d", (int)getpid());
    a.option = self;
    CHECK_INT(attach_open(&a, o, NULL, NULL, 10, &e), 0);
    CHECK(a.server != NULL && a.named);
    CHECK_INT(a.npids, 1);
    CHECK_INT(a.pids[0], getpid());
    CHECK(attach_find(&a, true) == a.server);
    CHECK_STR(a.why, "");
    attach_close(&a);
    CHECK(a.server == NULL);
    opts_free(o);
}

static void refused(void)
{
    static const struct {
        const char *list, *want;
    } t[] = {
        {"x", "Invalid value for --server: 'x'"},
        {"1,,2", "Invalid value for --server: '1,,2'"},
        {"999999999", "Invalid value for --server: '999999999'"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = options(NULL);
        struct attach a = {.option = t[i].list};
        struct err e = {0};
        CHECK_INT(attach_open(&a, o, NULL, NULL, 10, &e), -1);
        CHECK(strncmp(e.msg, t[i].want, strlen(t[i].want)) == 0);
        attach_close(&a);
        opts_free(o);
    }
}

static void not_found(void)
{
    static const struct {
        const char *option;
        bool uses_sql;
        const char *why, *said;
    } t[] = {
        {"off", true, "", ""},
        {"auto", false, "the test uses no database", ""},
        {"auto", true, "no connection to the server has been seen",
         "Server: n/a (no connection to the server has been seen)\n\n"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = options(NULL);
        struct attach a = {.option = t[i].option};
        struct err e = {0};
        CHECK_INT(attach_open(&a, o, NULL, NULL, 10, &e), 0);
        CHECK_INT(a.discover != NULL, strcmp(t[i].option, "auto") == 0);
        capture();
        CHECK(attach_find(&a, t[i].uses_sql) == NULL);
        CHECK_STR(captured(), t[i].said);
        CHECK_STR(a.why, t[i].why);
        attach_close(&a);
        opts_free(o);
    }
}

TEST_MAIN(attach_test)
{
    option();
    named();
    refused();
    not_found();
    return test_done("attach");
}

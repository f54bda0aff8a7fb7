/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding the server: the value of --server in effect, processes that are named, and those that
 * cannot be found.
 */
#include "session/attach.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/test_golden.h"
#include "base/test_capture.h"

static const struct opt_row rows[] = {
    {.name = "server", .type = OPT_STRING, .flags = OPT_OPEN, .choices = "auto|off"},
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

/* What --server means without and with a need for it, without and with a rate. */
static void option(const char *arg)
{
    struct opts *o = options(*arg ? arg : NULL);
    struct server_options server;

    server_options_read(&server, o);
    golden_line("%s: %s, needed %s, with a rate %s", arg, attach_option(&server, false, false),
                attach_option(&server, true, false), attach_option(&server, false, true));
    opts_free(o);
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

static void refused(const char *list)
{
    struct opts *o = options(NULL);
    struct attach a = {.option = list};
    struct err e = {0};

    CHECK_INT(attach_open(&a, o, NULL, NULL, 10, &e), -1);
    golden_line("%s", e.msg);
    attach_close(&a);
    opts_free(o);
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
    golden_each("|--server=off|--server=17,18|--server-events=default|--server-syscalls|"
                "--server-via=ssh db|--server-status|--host-stats",
                option);
    named();
    golden_each("x|1,,2|999999999", refused);
    not_found();
    golden_done("attach_test");
    return test_done("attach");
}

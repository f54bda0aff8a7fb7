/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about a run in files besides its figures: options by type, the command line without
 * secrets, labels, and the machine's facts from a record of the environment.
 */
#include "session/run_record.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/test_golden.h"
#include "sql/sql.h"

static const struct opt_row rows[] = {
    {.name = "switch", .type = OPT_BOOL, .def = "off"},
    {.name = "mode", .type = OPT_BOOL, .def = "off", .choices = "no|full"},
    {.name = "number", .type = OPT_INT, .def = "5"},
    {.name = "size", .type = OPT_SIZE, .def = "2K"},
    {.name = "real", .type = OPT_DOUBLE, .def = "1.5"},
    {.name = "rate", .type = OPT_DOUBLE, .def = "0", .flags = OPT_OR_TEXT},
    {.name = "list", .type = OPT_LIST, .def = "a,b"},
    {.name = "plain-text", .type = OPT_STRING, .def = "x"},
    {.name = "unset", .type = OPT_STRING},
    {.name = "my-password", .type = OPT_STRING},
    {.name = "workers", .type = OPT_INT, .def = "0"},
    {.name = "lua-state", .type = OPT_STRING, .def = "auto", .of = "workers", .mark = "lua-state="},
    {.name = "label", .type = OPT_STRING, .flags = OPT_ADDS},
};

static struct opts *options(void)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_GENERAL, rows, sizeof rows / sizeof *rows);
    return o;
}

static void effective_option(const char *arg)
{
    struct plan p = {.workers = 3}; /* in place of the option's value, unless it is given */
    struct environment host = {0};
    struct run_record r = {.option = NULL};
    struct opts *o = options();
    struct command_line line = {.opts = o, .shared_lua_states = true};

    if (*arg)
        CHECK_INT(opts_set_arg(o, arg, NULL), 0);
    run_record_fill(&r, &line, &p, &host);
    golden_line("=== %s", arg);
    for (const struct report_option *v = r.info.option; v < r.info.option + r.info.options; v++)
        if (!*arg || v->given)
            golden_line("%s=%s, type %d, %g%s", v->name, v->value, (int)v->type, v->number,
                        v->given ? ", given" : "");
    run_record_free(&r);
    opts_free(o);
}

static void command_lines(void)
{
    static const char *const argv[] = {"sysbench", "t.lua", "--my-password=secret", "--number=7",
                                       "run"};
    struct opts *o = options();
    struct command_line line = {.argc = 5, .argv = (char *const *)(uintptr_t)argv, .opts = o};
    struct environment host = {0};
    struct run_record r = {.option = NULL};
    struct plan p = {.report_interval = 1};

    run_record_fill(&r, &line, &p, &host);
    CHECK_INT(r.info.argc, 5);
    CHECK_STR(r.info.argv[2], "--my-password=***");
    CHECK_STR(r.info.argv[3], "--number=7");
    CHECK_STR(r.info.test, "-");
    CHECK_STR(r.info.command, "run");
    CHECK(r.info.intervals && r.info.wall > 0 && *r.info.version);
    run_record_free(&r);
    line.test = "t.lua";
    line.command = "prepare";
    p.report_interval = 0;
    run_record_fill(&r, &line, &p, &host);
    CHECK_STR(r.info.test, "t.lua");
    CHECK_STR(r.info.command, "prepare");
    CHECK(!r.info.intervals);
    run_record_free(&r);
    opts_free(o);
}

static void labels(void)
{
    struct opts *o = options();
    struct run_record r = {.option = NULL};
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, "--label=a=1", NULL), 0);
    CHECK_INT(opts_set_arg(o, "--label=b=2", NULL), 0);
    CHECK_INT(run_record_labels(&r, o, &e), 0);
    CHECK_INT(r.info.labels, 2);
    CHECK_STR(r.info.label[1].name, "b");
    run_record_free(&r);
    CHECK_INT(opts_set_arg(o, "--label=without", NULL), 0);
    CHECK_INT(run_record_labels(&r, o, &e), -1);
    CHECK(*e.msg);
    run_record_free(&r);
    opts_free(o);
}

static const struct report_fact *fact(const struct facts *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->fact[i].name, name) == 0)
            return &v->fact[i];
    CHECK(false);
    return &v->fact[0];
}

/* Values and reasons of the record, and the reason for items that the record lacks. */
static void machine(void)
{
    struct environment host = {0};
    struct facts v;

    facts_read(&v, &host);
    CHECK_STR(fact(&v, "machine")->missing, "not reported by the system");
    CHECK_STR(fact(&v, "cpu_model")->missing, "not reported by the system");
    CHECK(fact(&v, "luajit")->value && !fact(&v, "luajit")->missing);
    environment_add(&host, "host.name", "h");
    environment_add(&host, "host.kernel", "Linux 6.1.0 #1 SMP x86_64");
    environment_missing(&host, "host.cpu.model", "nobody knows");
    environment_add(&host, "host.cpu.count", "2");
    environment_add(&host, "host.memory_bytes", "1024");
    facts_read(&v, &host);
    CHECK_STR(fact(&v, "host")->value, "h");
    CHECK_STR(fact(&v, "kernel")->value, "Linux 6.1.0 #1 SMP x86_64");
    CHECK_STR(fact(&v, "machine")->value, "x86_64");
    CHECK(fact(&v, "cpu_model")->value == NULL);
    CHECK_STR(fact(&v, "cpu_model")->missing, "nobody knows");
    CHECK_STR(fact(&v, "cpus_online")->value, "2");
    CHECK(fact(&v, "cpus_online")->number && !fact(&v, "cpus_online")->missing);
    CHECK_STR(fact(&v, "memory_bytes")->value, "1024");
    environment_free(&host);
}

/* The record of the environment: program, host, then the server's processes. */
static void environment(void)
{
    static const char *const argv[] = {"sysbench", "--my-password=secret", "run"};
    struct command_line line = {
        .argc = 3, .argv = (char *const *)(uintptr_t)argv, .opts = options()};
    struct sql_options sql = {.driver = ""};
    struct environment e = {0};
    pid_t self = getpid();
    size_t before;

    run_environment_begin(&e, &line);
    CHECK_STR(e.item[0].key, "client.version");
    CHECK_STR(environment_get(&e, "client.command"), "sysbench --my-password=*** run");
    CHECK(environment_get(&e, "host.kernel") != NULL);
    CHECK(environment_find(&e, "server.process") == NULL);
    before = e.n;
    run_environment_add_server(&e, NULL, 0, NULL, NULL);
    CHECK_INT(e.n, before);
    run_environment_add_server(&e, &self, 1, NULL, NULL);
    CHECK(strstr(environment_get(&e, "server.process"), "run_record_test") != NULL);
    CHECK(environment_find(&e, "server.variable") == NULL);
    CHECK_INT(sql_setup(&sql, NULL), 0);
    run_environment_add_server(&e, NULL, 0, NULL, "no such driver");
    CHECK_STR(environment_find(&e, "server.variable")->missing, "no connection could be made");
    sql_teardown();
    environment_free(&e);
    opts_free((struct opts *)(uintptr_t)line.opts);
}

TEST_MAIN(run_record_test)
{
    golden_each("|--switch|--mode=full|--number=7|--rate=20|--rate=20:1s,0|--plain_text=y|"
                "--my-password=secret|--workers=1|--workers=lua-state=client",
                effective_option);
    command_lines();
    labels();
    machine();
    environment();
    golden_done("run_record_test");
    return test_done("run_record");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of the script floor share: an engine of paper and a session.  The functions of
 * engine/client.h are those of test_client.c, so a test says how many events there are, when a
 * retry is refused, and sees every begin, end, failure and withdrawal.  Scripts are written to
 * files of their own; what they find out they report by raising errors.
 */
#ifndef SB_SCRIPT_SCRIPT_TEST_H
#define SB_SCRIPT_SCRIPT_TEST_H

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/test.h"
#include "engine/client.h"
#include "script/script.h"
#include "script/vm.h"
#include "sql/sql.h"

/* --- a client of paper --- */

struct client {
    int id;
    struct counters *counters;
    struct rng rng;
    int events;  /* how many are granted */
    int retries; /* how many are allowed, per client */
    int next, begun, ended, failed, cancelled;
    bool open; /* begun and not over */
    int wrong; /* calls that the contract forbids */
};

/* The generation of the sessions to come: --compat. */
extern enum generation test_generation;

/* --- a session: what cli/app.c does around a script --- */

struct session {
    char dir[64], path[96], options[400];
    char *argv[16];
    struct script_env env;
    struct dist_params dist;
    struct uniq uniq;
    struct rng_seeder seeder;
    struct script *script;
    struct err e;
    int rc;
};

static const struct opt_row general[] = {
    {.name = "threads", .type = OPT_INT, .def = "1", .help = "clients"},
    {.name = "num-threads", .type = OPT_INT, .def = "1"},
    {.name = "label", .type = OPT_STRING, .def = "", .flags = OPT_OWN | OPT_MAY_BE_EMPTY},
    {.name = "batch", .type = OPT_STRING, .def = "off", .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "debug", .type = OPT_BOOL, .def = "off"},
    {.name = "percentile", .type = OPT_LIST, .def = "95", .flags = OPT_FIRST_NUMBER},
    {.name = "luajit-cmd", .type = OPT_STRING, .flags = OPT_MAY_BE_EMPTY},
    {.name = "thread-stack-size", .type = OPT_SIZE, .def = "64K"},
    {.name = "rand-seed", .type = OPT_INT, .def = "0"},
    {.name = "mysql-host", .type = OPT_LIST, .def = "localhost"},
    {.name = "mysql-dry-run", .type = OPT_BOOL, .def = "on"},
    {.name = "mysql-engine-trx", .type = OPT_STRING, .def = "auto"},
    {.name = "events", .type = OPT_INT, .def = "0"},
    {.name = "validate", .type = OPT_BOOL, .def = "off"},
    {.name = "verbosity", .type = OPT_INT, .def = "3"},
};

/* The script is 0.4's built-in test oltp, as --compat says. */
static bool test_builtin_oltp;
/* What the commands look at is noted: --options-read. */
static bool test_notes_reads;

/* Loads `text` (NULL: `testname` as it is) and, with a command, finishes the options.  The
 * words of `options` are its options. */
static inline void begin(struct session *s, const char *text, const char *testname,
                         const char *command, const char *options)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    char *arg, *rest = s->options;

    memset(s, 0, sizeof *s);
    strcpy(s->dir, "/tmp/script_test.XXXXXX");
    if (!mkdtemp(s->dir))
        abort();
    snprintf(s->path, sizeof s->path, "%s/t.lua", s->dir);
    if (text) {
        FILE *f = fopen(s->path, "w");
        fputs(text, f);
        fclose(f);
    }
    rng_seeder_init(&s->seeder, 1);
    rng_seed(&s->env.rng, &s->seeder);
    uniq_seed(&s->uniq, &s->seeder);
    dist_setup(&s->dist, &spec, NULL);
    s->argv[s->env.argc++] = (char *)(uintptr_t) "sysbench";
    s->argv[s->env.argc++] = s->path;
    s->env.argv = s->argv;
    s->env.testname = testname ? testname : s->path;
    s->env.command = command;
    s->env.opts = opts_new();
    opts_add(s->env.opts, OPT_GROUP_GENERAL, general, sizeof general / sizeof *general);
    snprintf(s->options, sizeof s->options, "%s", options);
    while ((arg = strtok_r(rest, " ", &rest))) {
        s->argv[s->env.argc++] = arg;
        opts_set_arg(s->env.opts, arg, NULL);
    }
    if (test_notes_reads)
        opts_note_reads(s->env.opts);
    s->env.dist = &s->dist;
    s->env.uniq = &s->uniq;
    s->env.seeder = &s->seeder;
    s->env.generation = generation_facts(test_generation);
    s->env.builtin_oltp = test_builtin_oltp;
    s->env.threads = (int)opt_int(s->env.opts, "threads");
    s->rc = script_open(&s->script, &s->env, &s->e);
    if (s->rc == 0 && command)
        s->rc = script_options(s->script, &s->e);
}

static inline void end(struct session *s)
{
    script_close(s->script);
    opts_free(s->env.opts);
    unlink(s->path);
    rmdir(s->dir);
}

/* The client shares its Lua state (with nobody, here): --workers=lua-state=worker. */
static int test_shared;

/* What the last run counted; C ran its events, or began to. */
static struct counters test_counted;
static bool test_in_c;

/* A whole run with one client; c says how it went. */
static inline int run(struct session *s, struct client *c)
{
    struct workload *w = script_workload(s->script, test_shared);
    void *state = NULL;
    int rc = w->ops->init(w, &s->e), loop;

    c->counters = mem_array_aligned(1, sizeof *c->counters);
    rng_seed(&c->rng, &s->seeder);
    if (rc == 0) {
        rc = w->ops->client_open(w, c, &state, &s->e);
        test_in_c = rc == 0 && ((struct vm *)state)->mix;
        if (rc == 0) {
            loop = w->ops->client_run(w, c, state, &s->e);
            rc = w->ops->client_close(w, c, state, loop != 0, &s->e) || loop ? -1 : 0;
        }
        w->ops->client_free(w, c, state);
        rc = w->ops->done(w, &s->e) || rc ? -1 : 0;
    }
    test_counted = *c->counters;
    free(c->counters);
    CHECK_INT(c->wrong, 0);
    CHECK(!c->open);
    CHECK_INT(c->begun, c->ended + c->failed + c->cancelled);
    return rc;
}

/* A session for one run, of a text and perhaps options: how it went, with "rc
 * ended/failed/cancelled", and the message. */
static inline const char *ran(struct client *c, const char *const how[2])
{
    static char said[900];
    struct session s;
    int rc;

    begin(&s, how[0], NULL, "run", how[1] ? how[1] : "");
    CHECK_INT(s.rc, 0);
    rc = s.rc ? s.rc : run(&s, c);
    snprintf(said, sizeof said, "%d %d/%d/%d %s", rc, c->ended, c->failed, c->cancelled,
             s.e.msg + (strncmp(s.e.msg, s.path, strlen(s.path)) == 0 ? strlen(s.dir) + 1 : 0));
    end(&s);
    return said;
}

/* What becomes of a run of the script, perhaps with an option. */
#define RUN(c, want, ...) CHECK_STR(ran(c, (const char *[2]){__VA_ARGS__}), want)

/* The script is refused before it runs, with a sentence that has `why`. */
static inline void expect_refusal(const char *text, const char *why)
{
    struct session s;

    begin(&s, text, NULL, "run", "");
    CHECK_INT(s.rc, -1);
    CHECK_INT(s.e.kind, ERR_REPORTED);
    TEST_REPORT(strstr(s.e.msg, why), "%s: got %s", text, s.e.msg);
    end(&s);
}

/* The script's own checks: its top level, init() and the command `check` must not raise. */
static inline void expect_ok(const char *text)
{
    struct session s;

    begin(&s, text, NULL, "check", "");
    CHECK_STR(s.e.msg, "");
    if (s.rc == 0) {
        CHECK_INT(script_command_kind(s.script, "check", &s.e), SCRIPT_COMMAND_CALL);
        CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
        CHECK_STR(s.e.msg, "");
    }
    end(&s);
}

/* Sets up the driver that answers everything itself, up to sql_teardown().  false: none was built.
 */
static inline bool test_dry_run(void)
{
    static char *hosts[] = {(char *)(uintptr_t) "localhost"},
                *ports[] = {(char *)(uintptr_t) "3306"};
    struct sql_options o = {.driver = "mysql",
                            .mysql = {.hosts = hosts,
                                      .nhosts = 1,
                                      .ports = ports,
                                      .nports = 1,
                                      .user = "u",
                                      .password = "",
                                      .db = "d",
                                      .dry_run = true}};
    struct err e = {0};

    if (!sql_class_at(0) || strcmp(sql_class_at(0)->names.sname, "mysql") != 0) {
        printf("no driver that can be dry-run was built, SQL objects are not tested\n");
        return false;
    }
    CHECK_INT(sql_setup(&o, &e), 0);
    CHECK_STR(e.msg, "");
    return true;
}

#define CHECK_COMMAND(body) "sysbench.cmdline.commands = {check = {function() " body " end}}\n"

#endif

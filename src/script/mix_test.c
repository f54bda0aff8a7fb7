/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events that C runs, beside the same events in Lua: a bundled script, and one that says the same
 * in a text of its own.  The same calls to the driver, counts and draws are left by both, whatever
 * the server answers.
 */
#include "script/script_test.h"
#include "sql/test_driver.h"

struct outcome {
    char calls[16384], message[768];
    struct client client;
    struct counters counted;
    int rc;
    bool in_c;
};

/* What comes after the preparations; without the closing of statements, which Lua does in the order
 * of its tables. */
static void events_of(const char *calls, char *out)
{
    const char *end;

    for (; *calls; calls = *end ? end + 2 : end) {
        end = strstr(calls, "; ");
        end = end ? end : strchr(calls, '\0');
        if (strncmp(calls, "close ", 6) != 0 && strncmp(calls, "bind ", 5) != 0)
            out += sprintf(out, "%.*s; ", (int)(end - calls), calls);
    }
}

static void run_one(struct outcome *o, const char *text, const char *name, const char *option,
                    bool ps_server, const struct test_answer *answers, size_t nanswers,
                    const struct client *c)
{
    struct session s;
    char options[100];

    test_begin();
    test_world.options.ps_server = ps_server;
    test_set_up();
    test_answers(answers, nanswers);
    memset(o, 0, sizeof *o);
    o->client = *c;
    snprintf(options, sizeof options, "--tables=3 --table_size=50 %s", option ? option : "");
    begin(&s, text, text ? NULL : name, "run", options);
    CHECK_INT(s.rc, 0);
    test_calls();
    o->rc = run(&s, &o->client);
    events_of(test_calls(), o->calls);
    snprintf(o->message, sizeof o->message, "%s", s.e.msg);
    o->counted = test_counted;
    o->client.counters = NULL;
    o->in_c = test_in_c;
    end(&s);
    CHECK(test_end(NULL));
}

/* The line of oltp_common.lua that raised the error is another one. */
static const char *without_line(char *message)
{
    char *line = strstr(message, ".lua:");

    if (line)
        memmove(line + 5, line + 5 + strspn(line + 5, "0123456789"),
                strlen(line + 5 + strspn(line + 5, "0123456789")) + 1);
    return message;
}

/* Both; returns what C did. */
static const struct outcome *both(const char *name, const char *mix, const char *option,
                                  bool ps_server, const struct test_answer *answers,
                                  size_t nanswers, const struct client *c)
{
    static struct outcome in_c, in_lua;
    char text[256];

    snprintf(text, sizeof text, "require('sysbench-tx.oltp_mix')(%s)", mix);
    run_one(&in_c, NULL, name, option, ps_server, answers, nanswers, c);
    run_one(&in_lua, text, name, option, ps_server, answers, nanswers, c);
    CHECK(in_c.in_c);
    CHECK(!in_lua.in_c);
    CHECK_STR(in_c.calls, in_lua.calls);
    CHECK_STR(without_line(in_c.message), without_line(in_lua.message));
    CHECK_INT(in_c.rc, in_lua.rc);
    CHECK(memcmp(&in_c.client, &in_lua.client, sizeof in_c.client) == 0);
    CHECK(memcmp(&in_c.counted, &in_lua.counted, sizeof in_c.counted) == 0);
    return &in_c;
}

#define READ_WRITE                                                                                 \
    "{'transaction', 'point_selects', 'range_selects', 'index_updates', 'non_index_updates', "     \
    "'delete_inserts'}"

static void test_same_statements(void)
{
    static const struct {
        const char *name, *mix;
        unsigned events;
    } mixes[] = {
        {"oltp_point_select", "{'point_selects'}, {point_selects = 1}", 20},
        {"oltp_read_only", "{'point_selects', 'transaction', 'range_selects'}", 3},
        {"oltp_read_write", READ_WRITE, 2},
        {"oltp_write_only",
         "{'transaction', 'index_updates', 'non_index_updates', 'delete_inserts'}", 8},
        {"oltp_update_index", "{'index_updates'}", 20},
        {"oltp_update_non_index", "{'non_index_updates'}", 20},
        {"oltp_delete", "{'deletes'}", 20},
    };
    static const char *const options[] = {
        "--threads=1",        "--skip_trx=on",        "--point_selects=0", "--range_size=7.5",
        "--delete_inserts=2", "--range_selects=off",  "--table_size=0",    "--sum_ranges=3",
        "--index_updates=2",  "--non_index_updates=2"};

    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        for (size_t k = 0; k < (i == 2 ? 2 * sizeof options / sizeof *options : 2); k++) {
            const struct client c = {.events = (int)mixes[i].events};
            const struct outcome *o =
                both(mixes[i].name, mixes[i].mix, options[k / 2], k % 2, NULL, 0, &c);
            CHECK_STR(o->message, "");
            CHECK_INT(o->client.ended, mixes[i].events);
        }
}

/* Each statement of an event fails once, in each way. */
static void test_each_fails(void)
{
    static const struct test_answer how[] = {
        {TEST_EXECUTE, SQL_IGNORABLE, .errnum = 1213, .state = "40001", .msg = "deadlock",
         .rolled_back = true},
        {TEST_EXECUTE, SQL_IGNORABLE, .errnum = 1205, .state = "HY000", .msg = "timeout"},
        {TEST_EXECUTE, SQL_IGNORABLE, .errnum = 2013, .state = "HY000", .msg = "gone",
         .lost = true},
        {TEST_EXECUTE, SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "no table"},
        {TEST_EXECUTE, SQL_LOST, .errnum = 2013, .state = "HY000", .msg = "gone"}};
    struct test_answer answers[32];
    int retried = 0, gone_on = 0, ended = 0;

    for (size_t k = 0; k < sizeof how / sizeof *how; k++)
        for (int retries = 0; retries <= (k == 0); retries++)
            for (size_t n = 0; n < 25; n += n < 10 ? 5 : 1) {
                const struct client c = {.events = 2, .retries = retries};
                for (size_t i = 0; i < n; i++)
                    answers[i] = (struct test_answer){.call = TEST_EXECUTE};
                answers[n] = how[k];
                const struct outcome *o =
                    both("oltp_read_write", READ_WRITE, "--tables=1", true, answers, n + 1, &c);
                retried += o->rc == 0 && o->client.ended == 2 && o->client.retries == 0 && retries;
                gone_on += o->rc == 0 && o->client.ended == 1 && o->client.failed == 1;
                ended += o->rc == -1 && o->client.failed == 1 &&
                         strstr(o->message, "oltp_common.lua::") != NULL;
            }
    CHECK(retried > 12);
    CHECK(gone_on > 12);
    CHECK(ended > 12);
}

/* The new statements, of a connection that replaces a lost one, cannot be prepared: the next event
 * is Lua's, and finds what it would have found. */
static void test_not_prepared_again(void)
{
    static const struct test_answer answers[] = {
        {.call = TEST_EXECUTE},
        {TEST_EXECUTE, SQL_IGNORABLE, .errnum = 2013, .state = "HY000", .msg = "g", .lost = true},
        {TEST_PREPARE, SQL_IGNORABLE, .errnum = 1040, .state = "08004", .msg = "many"}};
    struct test_answer all[64];

    for (size_t after = 6; after < 12; after += 5)
        for (int retries = 1; retries < 3; retries++) {
            const struct client c = {.events = 3, .retries = retries};
            size_t n = 0;
            for (; n < after; n++)
                all[n] = (struct test_answer){.call = TEST_PREPARE};
            memcpy(all + n, answers, sizeof answers);
            both("oltp_write_only",
                 "{'transaction', 'index_updates', 'non_index_updates', 'delete_inserts'}",
                 "--tables=1", true, all, n + 3, &c);
        }
}

/* What asks for Lua gets it. */
static void test_lua_where_asked(void)
{
    static const char *const options[] = {"--reconnect=3", "--debug=on", "--luajit-cmd=on"};
    const struct client c = {.events = 4};
    struct outcome o;

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        run_one(&o, NULL, "oltp_point_select", options[i], true, NULL, 0, &c);
        CHECK_STR(o.message, "");
        CHECK_INT(o.client.ended, 4);
        CHECK(!o.in_c);
    }
    /* a script that changes what it has required, and says so to C itself */
    run_one(&o,
            "require('oltp_point_select')\n"
            "local n = 0\n"
            "function execute_point_selects() n = n + 1 end\n"
            "local init, done = thread_init, thread_done\n"
            "function thread_init() init() assert(not sysbench.mix({tables = 1})) end\n"
            "function thread_done() done() assert(n == 4) end\n",
            NULL, "--threads=1", true, NULL, 0, &c);
    CHECK_STR(o.message, "");
    CHECK(!o.in_c);
}

TEST_MAIN(mix_test)
{
    log_set_verbosity(-1);
    for (test_shared = 0; test_shared <= 1; test_shared++) {
        test_same_statements();
        test_each_fails();
        test_not_prepared_again();
        test_lua_where_asked();
    }
    return test_done("mix_test");
}

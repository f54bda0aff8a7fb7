/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SQL objects in a state of one client and in a shared one, over the driver that answers everything
 * itself; and what clients of one state have of their own.
 */

#include "script/script_test.h"
#include "script/shared/shared.h"

/* --- SQL objects, with the driver that answers everything by itself --- */

static void test_sql_objects(void)
{
    struct client c = {.events = 100};

    if (!test_dry_run())
        return;
    RUN(&c, "0 100/0/0 ",
        "function thread_init()\n"
        "  drv = sysbench.sql.driver() con = drv:connect() st = con:prepare('SELECT ?, ?, ?')\n"
        "  local T = sysbench.sql.type\n"
        "  i, d, s = st:bind_create(T.INT), st:bind_create(T.FLOAT), st:bind_create(T.CHAR, 5)\n"
        "  assert(i.type == T.BIGINT and d.type == T.DOUBLE and s.type == T.VARCHAR and s.max_len "
        "== 5)\n"
        "  assert(st:bind_param(i, d, s) == 0 and st:bind_param() == nil)\n"
        "  assert(tostring(drv) == '<sql_driver>' and tostring(con) == '<sql_connection>')\n"
        "  assert(tostring(st) == '<sql_statement>' and tostring(i) == '<sql_param>')\n"
        "  assert(drv:name() == 'mysql' and st.connection == con and con.sql_errno == 0)\n"
        "  assert(not pcall(st.bind_create, st, T.DATE) and not pcall(st.bind_create, st, "
        "T.CHAR))\n"
        "  assert(not pcall(i.set_rand_str, i, '#') and not pcall(i.set, i, 'x'))\n"
        "end\n"
        "function event()\n"
        "  i:set(7) d:set(1.5) s:set('too long')\n"
        "  assert(i.buffer[0] == 7LL and d.buffer[0] == 1.5 and ffi.string(s.buffer, 5) == 'too "
        "l')\n"
        "  assert(s.data_len[0] == 5ULL and i.is_null[0] == 0)\n"
        "  i:set(nil) s:set_rand_str('##') assert(i.is_null[0] == 1 and s.data_len[0] == 2ULL)\n"
        "  assert(ffi.string(s.buffer, 2):match('^%d%d$'))\n"
        "  assert(st:execute() == nil and con:query('BEGIN') == nil and con:query_row('X') == "
        "nil)\n"
        "  local temporary = drv:connect():prepare('X') temporary:execute()\n"
        "  collectgarbage()\n"
        "end\n"
        "function thread_done()\n"
        "  assert(ffi.C.sb_counter_val(sysbench.tid, 0) == 400ULL)\n"
        "  assert(st:close() and con:disconnect() == true)\n"
        "  local ok, err = pcall(con.query, con, 'X') assert(not ok and err:find('SQL API "
        "error'))\n"
        "  ok, err = pcall(sysbench.sql.driver, 'nosuch')\n"
        "  assert(not ok and err:find('failed to initialize the DB driver'))\n"
        "end\n");
    sql_teardown();
}

/* Every db_* function through ffi.C: in a shared state those that may wait are deferred. */
static void test_every_call(void)
{
    struct client c = {.events = 1};

    if (!test_dry_run())
        return;
    RUN(&c, "0 1/0/0 ",
        "ffi.cdef('int usleep(unsigned); unsigned sleep(unsigned);')\n"
        "ffi.cdef('struct timespec { long s, ns; }; "
        "int nanosleep(const struct timespec *, struct timespec *);')\n"
        "ffi.cdef('int poll(void *, unsigned long, int);')\n"
        "function event()\n"
        "  local C = ffi.C\n"
        "  local drv = C.db_create('mysql') local con = C.db_connection_create(drv)\n"
        "  assert(con ~= nil and ffi.istype('sql_connection *', con))\n"
        "  C.db_name_queries(con, 'q', 1)\n"
        "  assert(C.db_query(con, 'SELECT 1', 8) == nil and C.db_more_results(con) == false)\n"
        "  assert(C.db_next_result(con) == nil)\n"
        "  local st = C.db_prepare(con, 'SELECT ?', 8)\n"
        "  assert(st ~= nil and ffi.istype('sql_statement *', st))\n"
        "  C.db_name_statement(st, 's', 1)\n"
        "  local bind, value = ffi.new('sql_bind[1]'), ffi.new('int64_t[1]')\n"
        "  bind[0].type, bind[0].buffer = sysbench.sql.type.BIGINT, value\n"
        "  assert(C.db_bind_param(st, bind, 1) == 0 and C.db_execute(st) == nil)\n"
        "  assert(C.db_bind_result(st, bind, 1) == 0 and C.db_close(st) == 0)\n"
        "  assert(C.db_fetch_row(nil) == nil and C.db_free_results(nil) == 1)\n"
        "  assert(C.db_bulk_insert_init(con, 'INSERT INTO t VALUES', 20) == 0)\n"
        "  assert(C.db_bulk_insert_next(con, '(1)', 3) == 0 and C.db_bulk_insert_done(con) == 0)\n"
        "  C.db_undo(con) C.db_statement_free(st)\n"
        "  assert(C.db_connection_reconnect(con) == 0 and C.db_connection_close(con) == 0)\n"
        "  assert(C.usleep(1) == 0 and C.sleep(0) == 0 and C.poll(nil, 0, 0) == 0)\n"
        "  local t = ffi.new('struct timespec', 0, 1) assert(C.nanosleep(t, nil) == 0)\n"
        "  local ok, why = pcall(function() return C.db_query('no connection', 'x', 1) end)\n"
        "  assert(not ok and why:find('bad argument #1', 1, true))\n"
        "  ok, why = pcall(function() return C.usleep('x') end)\n"
        "  assert(not ok and why:find('bad argument #1', 1, true))\n"
        "  assert(not pcall(function() return C.db_nosuch end))\n"
        "end\n");
    sql_teardown();
}

/* --- several clients in one Lua state --- */

#define TOGETHER 3

/* They come and go in this order; what each finds is what it would find alone. */
static void test_together(void)
{
    static const char text[] =
        "sysbench.cmdline.options = {list = {'A list', {'a', 'b'}}}\n"
        "mine, n = sysbench.tid, 0\n"
        "string.own = function() return mine end\n"
        "local dir = sysbench.cmdline.script_path:match('.*/')\n"
        "local path = dir .. '?.u;' .. dir .. '?.lua'\n"
        "assert(package.searchpath('t', path) == dir .. 't.lua')\n"
        "function thread_init(t) assert(t == mine and opened == nil) opened = t\n"
        "  table.insert(sysbench.opt.list, t) assert(#sysbench.opt.list == 3)\n"
        "  sysbench.opt.list[4] = opened\n"
        /* not searched for again */
        "  io.open(dir .. 't.u', 'w'):close()\n"
        "  assert(package.searchpath('t', path) == dir .. 't.lua' and\n"
        "         os.remove(dir .. 't.u')) end\n"
        "function event(t)\n"
        "  n = n + 1\n"
        "  assert(t == mine and opened == t and ('x'):own() == t and\n"
        "         sysbench.opt.list[3] == t and _G.n == n)\n"
        "  if t == 1 and n == 2 then error('one fails') end\n"
        "end\n"
        "function thread_done(t) assert(n == (t == 1 and 2 or 4) and opened == t) end\n";
    struct client c[TOGETHER] = {
        {.id = 0, .events = 4}, {.id = 1, .events = 4}, {.id = 2, .events = 4}};
    void *state[TOGETHER] = {NULL};
    struct workload *w;
    struct session s;

    begin(&s, text, NULL, "run", "--threads=3");
    CHECK_INT(s.rc, 0);
    w = script_workload(s.script, 1);
    CHECK_INT(w->ops->init(w, &s.e), 0);
    for (int i = 0; i < TOGETHER; i++) {
        c[i].counters = mem_array_aligned(1, sizeof *c[i].counters);
        rng_seed(&c[i].rng, &s.seeder);
        CHECK_INT(w->ops->client_open(w, &c[i], &state[i], &s.e), 0);
    }
    CHECK_STR(s.e.msg, "");
    for (int i = TOGETHER - 1; i >= 0; i--)
        CHECK_INT(w->ops->client_run(w, &c[i], state[i], &s.e), i == 1 ? -1 : 0);
    CHECK(strstr(s.e.msg, "one fails") != NULL);
    for (int i = 0; i < TOGETHER; i++) {
        CHECK_INT(c[i].ended, i == 1 ? 1 : 4);
        CHECK_INT(c[i].failed, i == 1);
        CHECK_INT(w->ops->client_close(w, &c[i], state[i], i == 1, &s.e), 0);
        w->ops->client_free(w, &c[i], state[i]);
    }
    CHECK_INT(w->ops->done(w, &s.e), 0);
    for (int i = 0; i < TOGETHER; i++)
        free(c[i].counters);
    end(&s);
}

TEST_MAIN(shared_test)
{
    log_set_verbosity(-1);
    for (test_shared = 0; test_shared <= 1; test_shared++) {
        test_sql_objects();
        test_every_call();
    }
    test_together();
    return test_done("shared_test");
}

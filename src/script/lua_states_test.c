/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --workers=lua-state: who shares a state, and the sentence where that cannot be, or where
 * states do not fit into memory.
 */
#include "script/lua_states.h"

#include "base/test.h"

static struct opts *o;

/* From 64 clients of a worker on, or when it is asked for. */
static void shared(void)
{
    static const struct {
        const char *value;
        int clients, workers, states;
    } t[] = {
        {"auto", 64, 1, 1},   {"auto", 63, 1, 0},    {"auto", 127, 2, 0}, {"auto", 128, 2, 2},
        {"auto", 1000, 0, 0}, {"client", 999, 1, 0}, {"worker", 3, 2, 2}, {"worker", 999, 0, 0},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct plan p = {.clients = t[i].clients, .workers = t[i].workers};
        opt_set(o, "lua-state", t[i].value, NULL);
        CHECK_INT(lua_states(lua_states_read(o), &p), t[i].states);
    }
}

/* The reason is the real one. */
static void refused(void)
{
    static const struct {
        const char *value, *workers, *why;
        int has; /* workers */
        const char *complaint;
    } t[] = {
        {"auto", NULL, "", 0, ""},
        {"client", "0", "", 0, ""},
        {"auto", NULL, "library.so does not wait", 0, ""},
        {"worker", NULL, "", 1, ""},
        {"worker", NULL, "", 0,
         "--workers=lua-state=worker needs --workers=N: without it, only the bundled "
         "scripts use workers, with 8 threads or more"},
        {"worker", NULL, "library.so does not wait", 0,
         "--workers=lua-state=worker needs workers, which cannot be used here: "
         "library.so does not wait"},
        {"worker", "0", "", 0,
         "--workers=lua-state=worker and --workers=0 cannot be combined: each thread "
         "has its own Lua state"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct plan p = {.clients = 300, .workers = t[i].has};
        struct err e = {0};
        opt_set(o, "lua-state", t[i].value, NULL);
        if (t[i].workers)
            opt_set(o, "workers", t[i].workers, NULL);
        p.workers_left = t[i].workers == NULL;
        CHECK_INT(lua_states_check(lua_states_read(o), &p, t[i].why, &e), *t[i].complaint ? -1 : 0);
        CHECK_STR(e.msg, t[i].complaint);
        opts_free(o);
        o = opts_new();
        plan_options(o);
    }
}

static void memory(void)
{
    const size_t kib = 1024;
    struct err e = {0};

    CHECK_INT(memory_check(true, 200 * kib, 1000000, 0, &e), 0);
    CHECK_INT(memory_check(false, 200 * kib, 5242, 0, &e), 0);
    CHECK_INT(memory_check(false, 200 * kib, 5243, 0, &e), -1);
    CHECK_STR(e.msg,
              "--threads=5243: this LuaJIT is not a GC64 build, its objects have 1024 MiB, "
              "and about 5242 Lua states "
              "of 200 KiB fit: with --workers=1 --workers=lua-state=worker, about 26209 clients");
    CHECK_INT(memory_check(false, 200 * kib, 26000, 2, &e), 0);
    CHECK_INT(memory_check(false, 200 * kib, 30000, 2, &e), -1);
    CHECK_STR(e.msg, "--threads=30000: this LuaJIT is not a GC64 build, its objects have 1024 MiB, "
                     "and about 26204 clients "
                     "fit");
}

TEST_MAIN(lua_states_test)
{
    o = opts_new();
    plan_options(o);
    shared();
    refused();
    memory();
    opts_free(o);
    return test_done("lua_states_test");
}

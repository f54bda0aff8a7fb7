/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory check at its bounds, for states of one client and shared ones.
 */
#include "script/lua_states.h"

#include "base/test.h"

static void test_memory_check(void)
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

TEST_MAIN(memory_check_test)
{
    test_memory_check();
    return test_done("memory_check_test");
}

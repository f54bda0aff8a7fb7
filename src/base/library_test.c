/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A library is loaded once; one that is missing, or lacks a function, is named.
 */
#include "base/library.h"

#include <math.h>
#include <string.h>

#include "base/test.h"

#define LIBM(X)  X(cos) X(floor)
#define WRONG(X) X(cos) X(library_load)

TEST_MAIN(library_test)
{
    struct {
        LIBM(LIBRARY_POINTER)
    } m = {0};
    struct {
        WRONG(LIBRARY_POINTER)
    } wrong = {0};
    struct err e = {0};

    CHECK_INT(library_load("libm.so.6", "--math needs", LIBM(LIBRARY_NAME), &m, &e), 0);
    CHECK(m.cos(0) == 1 && m.floor(2.5) == 2);
    CHECK_INT(library_load("libnone.so", "--math needs", LIBM(LIBRARY_NAME), &m, &e), 0);
    CHECK_INT(library_load("libm.so.6", "--math needs", WRONG(LIBRARY_NAME), &wrong, &e), -1);
    CHECK(strstr(e.msg, "--math needs ") == e.msg && strstr(e.msg, "library_load"));
    CHECK_INT(library_load("libnone.so", "--math needs", WRONG(LIBRARY_NAME), &wrong, &e), -1);
    CHECK(strstr(e.msg, "--math needs libnone.so: cannot open") == e.msg);
    CHECK(!wrong.cos);
    return test_done("library_test");
}

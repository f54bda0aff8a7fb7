/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The client libraries among the facts are those of the drivers that there are, each under its
 * driver's name.
 */
#include "session/run_record.h"

#include <string.h>

#include "base/test.h"
#include "sql/test_driver.h"

static const char *library_of(const struct facts *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->fact[i].name, name) == 0)
            return v->fact[i].value;
    return "no such fact";
}

static void libraries(size_t drivers, const char *scripted, const char *spare)
{
    struct environment host = {0};
    struct facts v;

    test_world.ndrivers = drivers;
    facts_read(&v, &host);
    CHECK_STR(library_of(&v, "scripted_library"), scripted);
    CHECK_STR(library_of(&v, "spare_library"), spare);
    CHECK_STR(library_of(&v, "mysql_library"), "no such fact");
    CHECK_STR(library_of(&v, "pgsql_library"), "no such fact");
}

TEST_MAIN(facts_test)
{
    libraries(0, "no such fact", "no such fact");
    libraries(1, "libscripted 1.0", "no such fact");
    libraries(2, "libscripted 1.0", "libscripted 1.0");
    return test_done("facts");
}

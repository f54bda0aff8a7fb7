/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See bundled_limits.h.
 */
#include "script/bundled_limits.h"

#include <stdlib.h>
#include <string.h>

#include "script/script.h"

#define MOST_INT   2147483647.0       /* of a column, a loop */
#define MOST_EXACT 9007199254740992.0 /* Lua counts no further */

static const struct limit {
    const char *option;
    double least, most;
} limits[] = {
    {"tables", 1, MOST_INT},         {"table_size", 0, MOST_EXACT},
    {"range_size", 0, MOST_INT},     {"point_selects", 0, MOST_INT},
    {"simple_ranges", 0, MOST_INT},  {"sum_ranges", 0, MOST_INT},
    {"order_ranges", 0, MOST_INT},   {"distinct_ranges", 0, MOST_INT},
    {"index_updates", 0, MOST_INT},  {"non_index_updates", 0, MOST_INT},
    {"delete_inserts", 0, MOST_INT}, {"reconnect", 0, MOST_EXACT},
    {"random_points", 1, 1e6},       {"number_of_ranges", 1, 1e6},
    {"delta", 0, MOST_INT},
};

static const struct limit *limit_of(const struct opt_view *v)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (v->group == OPT_GROUP_TEST && v->type == OPT_DOUBLE && v->given &&
            strcmp(limits[i].option, v->name) == 0)
            return &limits[i];
    return NULL;
}

int bundled_limits_check(const struct opts *o, const char *testname, struct err *e)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++) {
        const struct limit *l = limit_of(&v);
        if (l && (v.number < l->least || v.number > l->most) && script_is_bundled(testname))
            return err_set(e, ERR_USAGE, "Invalid value for --%s: %s (allowed: %.16g to %.16g)",
                           v.shown, *v.value ? v.value : "''", l->least, l->most);
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The part of the script API that the tests of old generations need and new scripts do not: which
 * dialect is asked for, their unique numbers, how their connections behave.
 */
#include "script/exports.h"

#include <math.h>

#include "script/context.h"
#include "script/vm.h"

static const struct script_env *env_of_caller(void)
{
    struct script_context *cx = context_get();

    return cx ? &vm_of_context(cx)->script->env : NULL;
}

const char *sb_generation(void)
{
    const struct script_env *env = env_of_caller();
    const struct generation_facts *f = env ? env->generation : generation_facts(GENERATION_1_0);

    return f->name;
}

bool sb_set_option(const char *name, const char *value)
{
    struct script_context *cx = context_get();
    struct script *s = cx ? vm_of_context(cx)->script : NULL;

    if (!s || vm_of_context(cx) != s->main || s->options_fixed || !opt_exists(s->env.opts, name))
        return false;
    return opt_set(s->env.opts, name, value, NULL) == 0;
}

double sb_rand_step(double a, double b)
{
    struct script_context *cx = context_get();
    double last = b - a;

    if (!cx || !isfinite(a) || !(last >= 0))
        return isfinite(a) ? a : 0;
    return a + (double)uniq_step(cx->uniq, last < 0x1.0p63 ? (uint64_t)last + 1 : UINT64_MAX);
}

void db_set_manners(sql_connection *con, unsigned manners)
{
    sql_set_transaction_mode(con, manners);
}

void db_count_as(sql_statement *stmt, sb_counter_type type)
{
    sql_count_as(stmt, (int)type);
}

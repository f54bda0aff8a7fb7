/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See other_sessions.h.
 */
#include "session/other_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/answers.h"
#include "session/sql_texts.h"

void other_sessions_question(struct str *out, bool mysql, const struct sql_ids *ours,
                             uint64_t newest, dur_ns since)
{
    struct str list = STR_INIT;

    for (size_t i = 0; i < ours->n; i++)
        str_printf(&list, "%s%lld", i ? "," : "", (long long)ours->id[i]);
    const char *ids = str_cstr(&list);
    if (mysql)
        str_printf(out, SQL_OTHERS_MYSQL, (unsigned long long)newest, (int)(dur_sec(since) + 0.05),
                   ids);
    else
        str_printf(out, SQL_OTHERS_PGSQL, dur_sec(since), ids);
    str_free(&list);
}

bool other_sessions_take(union other_sessions_answer *a, const sql_value *column, size_t columns)
{
    union other_sessions_answer is;

    for (size_t i = 0; i < COUNT(is.v); i++)
        if (i >= columns || !answer_number(&column[i], &is.v[i]) || is.v[i] < 0)
            return false;
    *a = is;
    return true;
}

const char other_sessions_proxied[] =
    "a proxy stands before the server, so its sessions cannot be told apart";

const char *other_sessions_why(const union other_sessions_answer *a, bool mysql, uint64_t own,
                               double all)
{
    if (a->own != (double)own)
        return other_sessions_proxied;
    if (a->may_see > 0 || (mysql && a->seen >= all))
        return NULL;
    return mysql ? "this user may not see the sessions of others: that takes the PROCESS privilege"
                 : "this role may not see what others do: that takes pg_read_all_stats and "
                   "track_activities";
}

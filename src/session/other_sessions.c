/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See other_sessions.h.
 */
#include "session/other_sessions.h"

#include <stdlib.h>
#include <string.h>

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

bool other_sessions_take(struct other_sessions_answer *a, const sql_value *column, size_t columns)
{
    double v[6];

    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (i >= columns || !answer_number(&column[i], &v[i]) || v[i] < 0)
            return false;
    *a = (struct other_sessions_answer){.own = (uint64_t)v[0],
                                        .newest = (uint64_t)v[1],
                                        .may_see = v[2] > 0,
                                        .seen = v[3],
                                        .connected = (unsigned)v[4],
                                        .active = (unsigned)v[5]};
    return true;
}

const char other_sessions_proxied[] =
    "a proxy stands before the server, so its sessions cannot be told apart";

const char *other_sessions_why(const struct other_sessions_answer *a, bool mysql, uint64_t own,
                               double all)
{
    if (a->own != own)
        return other_sessions_proxied;
    if (a->may_see || (mysql && a->seen >= all))
        return NULL;
    return mysql ? "this user may not see the sessions of others: that takes the PROCESS privilege"
                 : "this role may not see what others do: that takes pg_read_all_stats and "
                   "track_activities";
}

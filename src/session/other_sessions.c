/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See other_sessions.h.
 */
#include "session/other_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "session/answers.h"

/* "Connect" is a session that logs in, an event or a thread of replication. */
static const char mysql_question[] =
    "SELECT CONNECTION_ID(), MAX(ID), EXISTS(SELECT 1 FROM information_schema.USER_PRIVILEGES "
    "WHERE PRIVILEGE_TYPE = 'PROCESS' AND REPLACE(GRANTEE, '''', '') = CURRENT_USER()), COUNT(*), "
    "SUM(other), SUM(other AND (COMMAND <> 'Sleep' OR (ID <= %llu AND TIME < %d))) "
    "FROM (SELECT ID, COMMAND, TIME, ID NOT IN (%s) AS other FROM information_schema.PROCESSLIST "
    "WHERE COMMAND NOT IN ('Daemon','Binlog Dump','Binlog Dump GTID','Connect','Slave_IO',"
    "'Slave_SQL','Slave_worker') "
    "AND USER NOT IN ('system user','event_scheduler','unauthenticated user')) p";

/* Of the sessions of others, a role may see little more than that they are there.  A new one takes
 * less than a second to log in. */
static const char pgsql_question[] =
    "SELECT pg_backend_pid(), 0, CASE WHEN count(*) FILTER (WHERE backend_type IS NULL "
    "OR state = 'disabled') = 0 THEN 1 ELSE 0 END, 0, count(*), "
    "count(*) FILTER (WHERE state IN ('active', 'fastpath function call') OR "
    "state_change > greatest(clock_timestamp() - %.3f * interval '1 s', "
    "backend_start + interval '1 s')) "
    "FROM pg_stat_activity WHERE pid <> ALL('{%s}'::bigint[]) AND usesysid IS NOT NULL AND "
    "datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'";

void other_sessions_question(struct str *out, bool mysql, const struct sql_ids *ours,
                             uint64_t newest, dur_ns since)
{
    struct str list = STR_INIT;

    for (size_t i = 0; i < ours->n; i++)
        str_printf(&list, "%s%lld", i ? "," : "", (long long)ours->id[i]);
    const char *ids = str_cstr(&list);
    if (mysql)
        str_printf(out, mysql_question, (unsigned long long)newest, (int)(dur_sec(since) + 0.05),
                   ids);
    else
        str_printf(out, pgsql_question, dur_sec(since), ids);
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

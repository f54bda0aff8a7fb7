/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened at members (incidents.h), and that one was lost, becomes part of the leader's list,
 * with rank and host.
 * Times need no conversion: members notice it by the leader's clock.  The wall clock, the sleep and
 * the CPUs of a member on the leader's kernel are the leader's, which tells of them itself; that a
 * process was stopped is of each.
 */
#include "engine/incidents.h"
#include "engine/ranks.h"

static bool is_machine(enum incident_kind kind)
{
    return kind == INCIDENT_CLOCK_SET || kind == INCIDENT_SUSPENDED || kind == INCIDENT_CPUS;
}

void ranks_add_incidents(struct incidents *to, struct reading *from, int rank, const char *host,
                         bool same_kernel)
{
    for (; from->merged < from->incidents && to->n < SNAPSHOT_MAX_INCIDENTS; from->merged++) {
        struct snapshot_incident v = from->incident[from->merged];
        if (same_kernel && is_machine(v.kind))
            continue;
        v.rank = rank;
        v.host = host ? host : "";
        to->v[to->n++] = v;
    }
}

/* Only once what is measured is reported, so that the times agree. */
static void add_loss(struct incidents *to, struct rank *v, int rank, const char *host)
{
    if (!v->lost || v->told || to->n == SNAPSHOT_MAX_INCIDENTS)
        return;
    v->told = true;
    to->v[to->n++] = (struct snapshot_incident){.kind = INCIDENT_RANK_LOST,
                                                .at = v->lost_at,
                                                .rank = rank,
                                                .host = host ? host : "",
                                                .why = v->why};
}

void ranks_merge_incidents(struct ranks *k, bool warming, struct incidents *to)
{
    for (int i = 1; i < k->n; i++) {
        struct reading *from = warming ? &k->of[i].warm : &k->of[i].now;
        struct cluster_clock_figures f;
        bool same;
        if (!warming)
            add_loss(to, &k->of[i], i, cluster_host(k->link, i));
        if (from->merged == from->incidents)
            continue;
        same = cluster_clock_figures(k->link, i, &f) && f.same_clock;
        ranks_add_incidents(to, from, i, cluster_host(k->link, i), same);
    }
}

void ranks_own_incidents(struct incidents *i, const char *host)
{
    for (size_t k = i->told; k < i->n; k++)
        if (!i->v[k].host && i->v[k].kind != INCIDENT_SERVER_RESTARTED)
            i->v[k].host = host ? host : "";
}

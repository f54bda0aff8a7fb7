/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_incidents.h.
 */
#include "report/text_incidents.h"

const char *incident_name(enum incident_kind kind)
{
    static const char *const name[] = {[INCIDENT_SERVER_RESTARTED] = "server-restarted",
                                       [INCIDENT_CLOCK_SET] = "wall-clock-set",
                                       [INCIDENT_SUSPENDED] = "suspended",
                                       [INCIDENT_STOPPED] = "stopped",
                                       [INCIDENT_CPUS] = "cpus-changed",
                                       [INCIDENT_RANK_LOST] = "rank-lost"};

    return name[kind];
}

/* `at`: the words between what happened and its details */
static void describe(struct str *out, const struct snapshot_incident *v, const char *at)
{
    double d = dur_sec(v->duration);

    if (v->host && *v->host)
        str_printf(out, "rank %d (%s): ", v->rank, v->host);
    else if (v->host)
        str_printf(out, "rank %d: ", v->rank);
    switch (v->kind) {
    case INCIDENT_SERVER_RESTARTED:
        str_printf(out, "server restarted%s: pid %d -> %d", at, v->was, v->is);
        break;
    case INCIDENT_CLOCK_SET: str_printf(out, "wall clock set%s: by %+.3f s", at, d); break;
    case INCIDENT_SUSPENDED: str_printf(out, "system suspended%s: for %.3f s", at, d); break;
    case INCIDENT_STOPPED: str_printf(out, "sysbench stopped%s: for at least %.3f s", at, d); break;
    case INCIDENT_CPUS: str_printf(out, "CPUs online%s: %d -> %d", at, v->was, v->is); break;
    case INCIDENT_RANK_LOST: str_printf(out, "lost%s: %s", at, v->why); break;
    }
}

void incident_text(struct str *out, const struct snapshot_incident *v)
{
    describe(out, v, "");
}

double incident_elapsed_s(const struct snapshot *s, const struct snapshot_incident *v)
{
    return dur_sec(v->at - (s->at - s->elapsed_ns));
}

static bool has_our_lines(const struct snapshot *s)
{
    return snapshot_tells_rate(s) || s->server.on || s->probe || s->nranks;
}

void text_incident_lines(struct str *out, const struct snapshot *s)
{
    for (size_t i = s->incidents_told; i < s->incidents && has_our_lines(s); i++) {
        str_printf(out, "[ %.3fs ] ", incident_elapsed_s(s, &s->incident[i]));
        incident_text(out, &s->incident[i]);
        str_adds(out, "\n");
    }
}

void text_incidents(struct str *out, const struct snapshot *s)
{
    if (s->incidents == 0 || !has_our_lines(s))
        return;
    str_adds(out, "Incidents:\n");
    for (size_t i = 0; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        struct str at = STR_INIT;
        str_printf(&at, " %s %.1f s",
                   v->kind == INCIDENT_SUSPENDED || v->kind == INCIDENT_STOPPED ? "until" : "at",
                   incident_elapsed_s(s, v));
        str_adds(out, "    ");
        describe(out, v, str_cstr(&at));
        str_adds(out, "\n");
        str_free(&at);
    }
    str_adds(out, "\n");
}

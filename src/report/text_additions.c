/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_additions.h.
 */
#include "report/text_additions.h"

#include "report/text_actions.h"
#include "report/text_errors.h"
#include "report/text_find.h"
#include "report/text_hosts.h"
#include "report/text_incidents.h"
#include "report/text_phases.h"
#include "report/text_profile.h"
#include "report/text_ranks.h"
#include "report/text_rate.h"
#include "report/text_retries.h"
#include "report/text_stages.h"
#include "report/text_statements.h"
#include "report/text_warmup.h"

static void text_search(struct str *out, const struct find_record *r)
{
    str_adds(out, "\n"); /* the end of the block about the rate */
    text_find(out, r);
}

void text_additions(struct str *out, const struct snapshot *s, const struct text_verdict *v,
                    const struct report_info *info, enum text_detail detail)
{
    bool final = s->kind == SNAPSHOT_FINAL;

    if (final)
        text_warmup(out, s);
    if (final && snapshot_tells_rate(s)) {
        text_rate(out, s);
        if (s->find)
            text_search(out, s->find);
        else
            text_verdict(out, s, v);
    }
    if (final) {
        text_errors(out, s, detail);
        text_outages(out, s);
        text_retries(out, s);
        text_connections(out, s);
        text_hosts(out, s);
        text_incidents(out, s);
    }
    if (final)
        text_ranks(out, s);
    text_processes(out, s, detail);
    text_statements(out, s, detail);
    if (final)
        text_actions(out, info->action, info->actions);
    if (final)
        text_stages(out, s);
    text_phases(out, s);
    if (final)
        text_profile(out, info->profile);
}

void text_ending(struct str *out, const struct report_info *info)
{
    text_actions(out, info->action, info->actions);
    text_profile(out, info->profile);
}

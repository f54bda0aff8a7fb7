/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See render.h.
 */
#include "session/render.h"

#include "report/text.h"
#include "report/text_additions.h"
#include "report/text_incidents.h"
#include "report/text_marks.h"
#include "sql/sql.h"

/* With stock's options alone the workers that run the clients are not mentioned. */
static int shown_workers(const struct plan *p)
{
    return !p->workers_by_default || (p->rate > 0 && !p->stock_rate && !p->plain_rate) ? p->workers
                                                                                       : 0;
}

/* The window in effect; the old generations show what was asked for, 0 if nothing was. */
static dur_ns shown_jitter(const struct plan *p)
{
    struct arrivals_spec spec = {
        .shape = p->arrival, .rate = p->rate, .jitter = p->jitter, .clients = plan_all_clients(p)};

    if (p->old_rate)
        return p->jitter;
    return p->rate > 0 && !p->stock_rate ? arrivals_jitter_window(&spec) : 0;
}

struct text_header render_plan_header(const struct plan *p, const struct report_options *o)
{
    return (struct text_header){
        .form = p->generation->form,
        .threads = plan_told_clients(p),
        .workers = shown_workers(p),
        .think = p->think,
        .think_exponential = p->think_exp,
        .warmup = p->warmup,
        .warmup_steady_pct = p->warmup_steady_pct,
        .rate = p->rate,
        .rate_spec = p->rate_spec,
        .stock_rate = p->stock_rate,
        .old_rate = p->old_rate,
        .arrival = p->arrival,
        .jitter = shown_jitter(p),
        .report_interval = p->batch_delay ? 0 : p->report_interval,
        .checkpoint = p->checkpoint,
        .checkpoints = p->checkpoints,
        .debug = o->debug,
        .validate = o->validate,
        .seed = p->seed_by_default ? 0 : p->seed,
        .from_timer = p->seed_from_clock,
        .forced = p->forced == FORCED_ON,
        .forced_after = p->time_limit + p->warmup + p->forced_grace,
    };
}

bool render_uses_sql(void)
{
    return sql_in_use();
}

/* The old generations report statements of every script, even if it uses no database. */
static enum text_form form(const struct render *r)
{
    bool old = generation_facts(r->generation)->old;

    return render_uses_sql() || (old && r->workload->ops->is_script) ? TEXT_SQL : TEXT_GENERIC;
}

bool render_end_only(const struct render *r)
{
    return !r->workload->ops->render_interval && text_end_only(form(r), r->generation);
}

void render_interval(const struct render *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;
    struct str middle = STR_INIT;

    if (ops->render_interval) {
        ops->render_interval(r->workload, s, &middle);
        text_interval_of(out, s, str_cstr(&middle), r->generation);
        str_free(&middle);
    } else {
        text_interval(out, s, form(r), r->generation);
    }
}

bool render_cumulative(const struct render *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;
    bool whole, own;

    if (s->kind == SNAPSHOT_FINAL && *r->result->interrupted)
        str_printf(out, "Interrupted (%s)\n\n", r->result->interrupted);
    whole = ops->render_cumulative && ops->render_cumulative(r->workload, s, r->generation, out);
    own = out->len > 0;
    if (!whole)
        text_cumulative(out, s, form(r), r->generation);
    if (r->debug)
        text_threads(out, s, r->generation);
    return own;
}

void render_additions(const struct render *r, struct str *out, const struct snapshot *s,
                      enum text_detail detail)
{
    struct text_verdict verdict = {.sustained = r->result->sustained,
                                   .unknown = r->result->unknown,
                                   .why = r->result->why,
                                   .since_stage = r->result->since_stage,
                                   .since = r->result->since,
                                   .interrupted = r->result->interrupted};

    text_additions(out, s, &verdict, r->info, detail);
}

void render_file_header(void *arg, struct str *out)
{
    const struct render *r = arg;

    text_header(out, &r->header);
}

void render_file_report(void *arg, const struct snapshot *s, struct str *out)
{
    const struct render *r = arg;

    text_marks(out, s);
    text_incident_lines(out, s);
    if (s->kind != SNAPSHOT_FINAL && render_end_only(r))
        return;
    if (s->kind == SNAPSHOT_INTERVAL) {
        render_interval(r, out, s);
        return;
    }
    if (s->kind == SNAPSHOT_CHECKPOINT)
        text_checkpoint_stamp(out, s, r->generation);
    else if (r->histogram)
        text_histogram(out, s->stock_hist);
    render_cumulative(r, out, s);
    render_additions(r, out, s, TEXT_FULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See console.h.
 */
#include "session/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "report/text.h"
#include "session/session.h"
#include "sql/sql.h"

/* --- reports as text --- */

static enum report_form form_of(const struct render *r)
{
    return r->plan->generation->form;
}

#define UNSEEDED       "Initializing random number generator from current time\n\n"
#define OLD_VALIDATES  "Additional request validation enabled.\n\n"
#define OLD_FROM_CLOCK "Initializing random number generator from timer.\n\n"

/* The beginning of a run, up to the workload's own lines. */
void render_header(const void *arg, struct str *out)
{
    static const char *const shape[] = {
        [ARRIVAL_EVEN] = "even", [ARRIVAL_POISSON] = "Poisson", [ARRIVAL_ALIGNED] = "aligned"};
    static const struct {
        const char *validates, *from_clock, *unseeded;
    } words[] = {[FORM_1_0] = {"Validation checks: on.\n\n", "", UNSEEDED},
                 [FORM_1_1] = {"Validation checks: on.\n\n", "", UNSEEDED},
                 [FORM_0_4] = {OLD_VALIDATES, OLD_FROM_CLOCK, ""},
                 [FORM_0_5] = {OLD_VALIDATES, OLD_FROM_CLOCK,
                               "Random number generator seed is 0 and will be ignored\n\n"}};
    const struct render *r = arg;
    const struct plan *p = r->plan;
    const struct arrivals_spec spec = {
        .shape = p->arrival, .rate = p->rate, .jitter = p->jitter, .clients = plan_all_clients(p)};
    const bool ours = p->rate > 0 && !p->stock_rate;
    const double jitter = (double)arrivals_jitter_window(&spec) / 1e3;

    str_printf(out, "Running the test with following options:\nNumber of threads: %d\n",
               plan_told_clients(p));
    /* with stock's options alone those that run the clients are not mentioned */
    if (p->workers && (!p->workers_by_default || (ours && !p->plain_rate)))
        str_printf(out, "Worker threads: %d\n", p->workers);
    if (p->think)
        str_printf(out, "Think time: %.12g ms%s\n", dur_ms(p->think),
                   p->think_exp ? " on average, exponential" : "");
    if (p->warmup_steady_pct > 0)
        str_printf(out, "Warmup until steady (%.12g%%), at most %.12gs\n", p->warmup_steady_pct,
                   dur_sec(p->warmup));
    else if (p->warmup)
        str_printf(out, "Warmup time: %.12gs\n", dur_sec(p->warmup));
    if (p->old_rate && form_of(r) == FORM_0_4) /* with what was asked for */
        str_printf(out, "Target transaction rate: %.0f/sec, with jitter %.0f usec\n", p->rate,
                   (double)p->jitter / 1e3);
    else if (p->stock_rate || p->old_rate)
        str_printf(out, "Target transaction rate: %.0f/sec\n", p->rate);
    else if (p->rate_spec)
        str_printf(out,
                   "Target transaction rate: %s, mean %.6g/sec, %s arrivals, jitter %.12g usec\n",
                   p->rate_spec, p->rate, shape[p->arrival], ours ? jitter : 0);
    else if (ours)
        str_printf(out, "Target transaction rate: %.12g/sec, %s arrivals, jitter %.12g usec\n",
                   p->rate, shape[p->arrival], jitter);
    if (p->report_interval && !p->batch_delay)
        str_printf(out, "Report intermediate results every %.12g second(s)\n",
                   dur_sec(p->report_interval));
    for (size_t i = 0; i < p->checkpoints; i++)
        str_printf(out, "%s%.12g%s", i ? ", " : "Report checkpoint(s) at ",
                   dur_sec(p->checkpoint[i]), i + 1 == p->checkpoints ? " seconds\n" : "");
    if (r->debug)
        str_adds(out, "Debug mode enabled.\n\n");
    if (r->validate)
        str_adds(out, words[form_of(r)].validates);
    if (p->seed_from_clock)
        str_adds(out, words[form_of(r)].from_clock);
    if (p->seed && !p->seed_by_default)
        str_printf(out, "Initializing random number generator from seed (%d).\n\n", (int)p->seed);
    else
        str_adds(out, words[form_of(r)].unseeded);
    if (p->forced == FORCED_ON)
        str_printf(out, "Forcing shutdown in %.12g seconds\n",
                   dur_sec(p->time_limit + p->warmup + p->forced_grace));
    str_adds(out, "\n");
    text_settled(out, r->info->settle, r->info->settles);
}

static enum text_form form(const struct render *r)
{
    bool always = r->plan->generation->statements_always && r->workload->ops->is_script;

    return sql_in_use() || always ? TEXT_SQL : TEXT_GENERIC;
}

/* The run has a final report only, as built-in tests of old generations. */
static bool render_end_only(const struct render *r)
{
    return !r->workload->ops->render_interval && text_end_only(form(r), r->plan->generation->id);
}

static void render_interval(const struct render *r, struct str *out, const struct snapshot *s,
                            struct text_fit *fit)
{
    const struct workload_ops *ops = r->workload->ops;
    struct str middle = STR_INIT;

    if (ops->render_interval)
        ops->render_interval(r->workload, s, &middle);
    text_interval(out, s, form(r), ops->render_interval ? str_cstr(&middle) : NULL,
                  r->plan->generation->id, fit);
    str_free(&middle);
}

bool render_cumulative(const struct render *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;

    if (s->kind == SNAPSHOT_FINAL && *r->result->interrupted)
        str_printf(out, "Interrupted (%s)\n\n", r->result->interrupted);
    bool whole = ops->render_cumulative &&
                 ops->render_cumulative(r->workload, s, r->plan->generation->id, out);
    bool own = out->len > 0;
    if (!whole)
        text_cumulative(out, s, form(r), r->plan->generation->id);
    if (r->debug)
        text_threads(out, s, r->plan->generation->id);
    return own;
}

enum { LINE_MOST = 280 };  /* of an interval, unless it is longer by stock's figures alone */
enum { PIPE_WIDTH = 122 }; /* with it a kind of statement has 60 characters */

/* Our blocks after them. */
static void render_additions(const struct render *r, struct str *out, const struct snapshot *s,
                             enum text_detail detail)
{
    struct report_end verdict = {0};
    size_t width = screen_ask(NULL).width;

    if (s->kind == SNAPSHOT_FINAL) /* the main thread fills the result until then */
        verdict = session_end(r->result);
    if (!screen_is_terminal() && width < PIPE_WIDTH)
        width = PIPE_WIDTH;
    text_additions(out, s, &verdict, r->info, detail, width);
}

void render_report(const void *arg, const struct snapshot *s, struct str *out)
{
    const struct render *r = arg;

    text_marks(out, s);
    text_incident_lines(out, s);
    if (s->kind != SNAPSHOT_FINAL && render_end_only(r))
        return;
    if (s->kind == SNAPSHOT_INTERVAL) {
        render_interval(r, out, s, NULL);
        return;
    }
    if (s->kind == SNAPSHOT_CHECKPOINT)
        text_checkpoint_stamp(out, s, r->plan->generation->id);
    else if (r->histogram)
        text_histogram(out, s->stock_hist);
    render_cumulative(r, out, s);
    render_additions(r, out, s, TEXT_FULL);
}

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 10000 };

/* --- standard output as a screen --- */

/* Open MPI's mpirun puts a terminal of its own, which has no size, between itself and each rank,
 * wherever its output goes. */
bool screen_is_terminal(void)
{
    struct winsize w;

    return isatty(STDOUT_FILENO) &&
           !(getenv("OMPI_COMM_WORLD_SIZE") && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 &&
             w.ws_col == 0 && w.ws_row == 0);
}

struct text_screen screen_ask(void *arg)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
    struct text_screen out = {.width = DEFAULT_WIDTH};
    struct winsize w;
    char *end;

    (void)arg;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col) {
        out.width = w.ws_col;
    } else if (columns && *columns) {
        long v = strtol(columns, &end, 10);
        if (!*end && v >= LEAST_WIDTH && v <= MOST_WIDTH)
            out.width = (size_t)v;
    }
    out.colour =
        screen_is_terminal() && !(none && *none) && term && *term && strcmp(term, "dumb") != 0;
    return out;
}

/* --- --batch --- */

static double seconds(int64_t ns)
{
    return ns > 0 ? dur_sec(ns) : 0;
}

void batch_line(struct hist_counts *all, struct str *out, const struct snapshot *s, bool service)
{
    const struct hist_counts *h = service ? s->hists.service : s->hists.response;

    if (h)
        hist_counts_merge(all, h);
    str_printf(out, "min: %.4f  avg: %.4f  max: %.4f  percentile: %.4f\n", seconds(hist_min(all)),
               all->total ? hist_mean(all) / NS_PER_SEC : 0, seconds(hist_max(all)),
               s->percentiles ? seconds(hist_percentile(all, s->percentile[0])) : 0);
}

/* --- observers --- */

/* `whole`: it begins with a message of more than an empty line (log.h). */
static void print(struct str *s, bool whole)
{
    log_block(str_cstr(s), s->len, whole);
    str_free(s);
}

/* True for a report of which nothing is printed. */
static bool is_silent(const struct console *c, const struct snapshot *s)
{
    return s->untold || (s->kind == SNAPSHOT_CHECKPOINT && render_end_only(c->render));
}

static void head(const struct console *c, const struct snapshot *s)
{
    struct str out = STR_INIT;

    text_marks(&out, s);
    text_incident_lines(&out, s);
    if (out.len)
        print(&out, false);
    if (is_silent(c, s))
        return;
    if (s->kind == SNAPSHOT_CHECKPOINT) {
        text_checkpoint_stamp(&out, s, c->render->plan->generation->id);
        print(&out, false);
    } else if (s->kind == SNAPSHOT_FINAL && c->render->histogram) {
        log_notice("Latency histogram (values are in milliseconds)");
        text_histogram(&out, s->stock_hist);
        if (out.len)
            log_print("%s", out.s);
        log_notice(" ");
    }
    str_free(&out);
}

static void head_on(void *self, struct run_event *event)
{
    const struct console *c = self;
    const struct plan *p = c->render->plan;
    struct str out = STR_INIT;

    switch (event->kind) {
    case RUN_HEADER: render_header(c->render, &out); break;
    case RUN_READY:
        if (!c->environment)
            return;
        text_environment(&out, c->environment);
        break;
    case RUN_STARTED:
        log_notice("Threads started!%s", form_of(c->render) == FORM_0_4 ? "" : "\n");
        return;
    case RUN_WARMING_UP:
        log_notice("Warming up %s %.12g seconds...\n",
                   p->warmup_steady_pct > 0 ? "until steady, for at most" : "for",
                   dur_sec(p->warmup));
        return;
    case RUN_FOUND: text_find_step(&out, event->find, event->step, c->table != NULL); break;
    case RUN_SNAPSHOT: head(c, event->s); return;
    default: return;
    }
    print(&out, false);
}

const struct observer_ops console_head = {.name = "console head", .on = head_on};

static void body_on(void *self, struct run_event *event)
{
    struct console *c = self;
    const struct snapshot *s = event->s;
    struct str out = STR_INIT;

    if (event->kind != RUN_SNAPSHOT)
        return;
    if (s->kind == SNAPSHOT_INTERVAL && !c->hooked_interval && c->table) {
        text_table_interval(c->table, &out, s, sql_in_use());
        log_coloured(str_cstr(&out), out.len, false);
        str_free(&out);
    } else if (s->kind == SNAPSHOT_INTERVAL && !c->hooked_interval) {
        if (c->batch.size)
            batch_line(&c->batch, &out, s, c->render->plan->old_rate);
        else if (!render_end_only(c->render))
            render_interval(c->render, &out, s, c->fit.most ? &c->fit : NULL);
        if (c->fit.hidden > c->told) {
            c->told = c->fit.hidden;
            str_printf(&out, "%zu figure%s hidden; --report-style=full, csv and json have all\n",
                       c->told, c->told == 1 ? "" : "s");
        }
        if (c->batch.size || out.len) /* whole: a line that equals the one before it, too */
            print(&out, c->batch.size > 0);
    } else if (s->kind != SNAPSHOT_INTERVAL && !c->hooked_cumulative && !is_silent(c, s)) {
        print(&out, render_cumulative(c->render, &out, s));
    }
    if (c->table && s->kind != SNAPSHOT_INTERVAL)
        text_table_restart(c->table);
}

const struct observer_ops console_body = {.name = "console body", .on = body_on};

static void tail_on(void *self, struct run_event *event)
{
    const struct console *c = self;
    const struct snapshot *s = event->s;
    int brief = c->render->plan->generation->verbosity;
    struct str out = STR_INIT;
    char lost[40] = "";

    if (event->kind == RUN_CLOSING || (event->kind == RUN_SNAPSHOT && s->untold)) {
        /* there is no final report that could contain these blocks */
        text_ending(&out, c->render->info);
        print(&out, false);
    }
    if (event->kind != RUN_SNAPSHOT || s->kind == SNAPSHOT_INTERVAL || is_silent(c, s))
        return;
    render_additions(c->render, &out, s, log_verbosity() > brief ? TEXT_FULL : TEXT_BRIEF);
    print(&out, true);
    if (s->kind != SNAPSHOT_FINAL || c->render->result->accounts_balance)
        return;
    if (s->rate.shared)
        snprintf(lost, sizeof lost, ", lost %llu", (ull)s->rate.total_lost);
    log_alert("the accounts do not balance: offered %llu, done %llu, failed %llu, dropped %llu, "
              "unfinished %llu%s",
              (ull)s->rate.total_offered, (ull)s->rate.total_done, (ull)s->rate.total_failed,
              (ull)s->rate.total_dropped, (ull)rate_unfinished(&s->rate), lost);
}

const struct observer_ops console_tail = {.name = "console tail", .on = tail_on};

static const char *style_of(const struct opts *o)
{
    return opt_str(o, "report-style");
}

bool console_wants_table(const struct opts *o)
{
    const char *style = style_of(o);

    if (strcmp(style, "auto") == 0)
        return screen_is_terminal() &&
               opts_own_given(o, generation_of(o)->tx_rate == TX_RATE_OURS
                                     ? "report-style"
                                     : "report-style compat tx-rate tx-jitter");
    return strcmp(style, "table") == 0;
}

struct text_fit console_fit(const struct opts *o)
{
    size_t most = strcmp(style_of(o), "full") == 0 ? 0 : LINE_MOST;

    return (struct text_fit){.most = most, .kept = SIZE_MAX};
}

void console_free(struct console *c)
{
    text_table_free(c->table);
    hist_counts_fini(&c->batch);
    c->table = NULL;
}

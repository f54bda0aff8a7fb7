/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See console.h.
 */
#include "session/console.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "report/text.h"
#include "report/text_additions.h"
#include "report/text_environment.h"
#include "report/text_find.h"
#include "report/text_incidents.h"
#include "report/text_marks.h"
#include "session/screen.h"

static void print_block(struct str *s)
{
    log_block(str_cstr(s), s->len);
    str_free(s);
}

/* A block that begins with a message of more than an empty line: see log.h. */
static void print_whole(struct str *s)
{
    log_block_whole(str_cstr(s), s->len);
    str_free(s);
}

/* --- the head --- */

static void header(void *self)
{
    const struct console *c = self;
    struct str s = STR_INIT;

    text_header(&s, &c->render->header);
    print_block(&s);
}

static void ready(void *self)
{
    const struct console *c = self;
    struct str s = STR_INIT;

    if (!c->environment)
        return;
    text_environment(&s, c->environment);
    print_block(&s);
}

static void started(void *self)
{
    const struct console *c = self;

    log_notice("%s", text_header_started(&c->render->header));
}

static void warming_up(void *self)
{
    const struct text_header *h = &((const struct console *)self)->render->header;

    log_notice("Warming up %s %lld seconds...\n",
               h->warmup_steady_pct > 0 ? "until steady, for at most" : "for",
               (long long)(h->warmup / NS_PER_SEC));
}

static void histogram(const struct snapshot *s)
{
    struct str out = STR_INIT;

    log_notice("Latency histogram (values are in milliseconds)");
    text_histogram(&out, s->stock_hist);
    if (out.len)
        log_print("%s", out.s);
    log_notice(" ");
    str_free(&out);
}

/* True for a report of which nothing is printed. */
static bool is_silent(const struct console *c, const struct snapshot *s)
{
    return s->untold || (s->kind == SNAPSHOT_CHECKPOINT && render_end_only(c->render));
}

static void head(void *self, const struct snapshot *s)
{
    const struct console *c = self;
    struct str out = STR_INIT;

    text_marks(&out, s);
    text_incident_lines(&out, s);
    if (out.len)
        print_block(&out);
    if (is_silent(c, s))
        return;
    if (s->kind == SNAPSHOT_CHECKPOINT) {
        text_checkpoint_stamp(&out, s, c->render->generation);
        print_block(&out);
    } else if (s->kind == SNAPSHOT_FINAL && c->render->histogram) {
        histogram(s);
    }
}

static void found(void *self, const struct find_record *r, size_t step)
{
    const struct console *c = self;
    struct str out = STR_INIT;

    text_find_step(&out, r, step, c->table != NULL);
    print_block(&out);
}

const struct observer_ops console_head = {.name = "console head",
                                          .header = header,
                                          .ready = ready,
                                          .started = started,
                                          .warming_up = warming_up,
                                          .found = found,
                                          .snapshot = head};

/* --- the body --- */

static void interval(struct console *c, const struct snapshot *s)
{
    struct str out = STR_INIT;

    if (c->table)
        text_table_interval(c->table, &out, s, render_uses_sql());
    else if (c->batch)
        batch_line(c->batch, &out, s, c->render->header.old_rate);
    else if (!render_end_only(c->render))
        render_interval(c->render, &out, s);
    if (c->batch)
        print_whole(&out); /* a line that equals the one before it, too */
    else if (out.len)
        print_block(&out);
}

static void cumulative(struct console *c, const struct snapshot *s)
{
    struct str out = STR_INIT;

    if (render_cumulative(c->render, &out, s))
        print_whole(&out);
    else
        print_block(&out);
}

static void body(void *self, const struct snapshot *s)
{
    struct console *c = self;

    if (s->kind == SNAPSHOT_INTERVAL) {
        if (!c->hooked_interval)
            interval(c, s);
        return;
    }
    if (!c->hooked_cumulative && !is_silent(c, s))
        cumulative(c, s);
    if (c->table)
        text_table_restart(c->table);
}

const struct observer_ops console_body = {.name = "console body", .snapshot = body};

/* --- the tail --- */

static void alert_accounts(const struct snapshot *s)
{
    char lost[40] = "";

    if (s->rate.shared)
        snprintf(lost, sizeof lost, ", lost %llu", (unsigned long long)s->rate.total_lost);
    log_alert(
        "the accounts do not balance: offered %llu, done %llu, failed %llu, dropped %llu, unfinished %llu%s",
        (unsigned long long)s->rate.total_offered, (unsigned long long)s->rate.total_done,
        (unsigned long long)s->rate.total_failed, (unsigned long long)s->rate.total_dropped,
        (unsigned long long)s->rate.unfinished, lost);
}

/* There is no final report that could contain these blocks. */
static void closing(void *self)
{
    const struct console *c = self;
    struct str s = STR_INIT;

    text_ending(&s, c->render->info);
    print_block(&s);
}

static void tail(void *self, const struct snapshot *s)
{
    const struct console *c = self;
    int brief = generation_facts(c->render->generation)->verbosity;
    struct str out = STR_INIT;

    if (s->untold)
        closing(self);
    if (s->kind == SNAPSHOT_INTERVAL || is_silent(c, s))
        return;
    render_additions(c->render, &out, s, log_verbosity() > brief ? TEXT_FULL : TEXT_BRIEF);
    print_whole(&out);
    if (s->kind == SNAPSHOT_FINAL && !c->render->result->accounts_balance)
        alert_accounts(s);
}

const struct observer_ops console_tail = {
    .name = "console tail", .snapshot = tail, .closing = closing};

bool console_wants_table(const struct opts *o)
{
    const char *style = opt_str(o, "report-style");

    if (strcmp(style, "auto") == 0)
        return screen_is_terminal() &&
               opts_own_given(o, generation_of(o)->old ? "report-style compat tx-rate tx-jitter"
                                                       : "report-style");
    return strcmp(style, "table") == 0;
}

void console_free(struct console *c)
{
    text_table_free(c->table);
    batch_free(c->batch);
    c->table = NULL;
    c->batch = NULL;
}

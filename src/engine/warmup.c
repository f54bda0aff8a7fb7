/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run (--warmup-time) and where it ends, and the histograms that clients write to
 * on both sides: one set for each worker, or a few that threads share, so that memory does not grow
 * with the number of clients.
 *
 * warm_up_note: the boundary between the warm-up and the measured part is drawn by transaction, not
 * by reading.  A transaction belongs to the warm-up when its planned start (without a rate: its
 * start) lies before run->measure_from, an instant that is known before it comes.  All its
 * effects belong there too, however late it ends.  So nothing needs to be read at one moment: each
 * client changes sides when its first measured transaction begins, and from then on counts,
 * histograms, longest and shortest, statements by kind and the raw log all hold the same
 * transactions.
 *
 *   histograms   a set of shards for each side; the client's pointers change
 *   counters     one set, since scripts hold pointers to it; what it said at the change is kept
 *                in `before` and subtracted by the reader
 *   statements   a shard that discards figures, before the change
 *   tickets      a schedule for each side.  That of the warm-up ends with it, and what of it
 *                nobody had begun by then is given up: measuring begins without a backlog, and
 *                with the starts that the same seed gives without a warm-up
 *
 * moved_note: with --warmup-until=steady the boundary is first where the longest warm-up would end.
 * Once a second the main thread reads what the clients have done: transactions a second, or with a
 * rate, where that figure is given, the mean response time (a rate first ramps up, and readings
 * begin behind the ramp).  When the latest readings are flat the boundary moves once, with all that
 * is counted from there, to an instant some ms ahead.  That closes the warm-up's schedule there and
 * wakes the clients that sleep until a planned start.  They look at what they hold (struct
 * ticket_line).
 *
 * The client stores `measured` (release) after all of that and before it counts the transaction as
 * begun; a reader loads it first (acquire), and counts nothing of a client that has not got there.
 * A reader of the warm-up loads it again after the counters, because the client may have moved on.
 *
 * steady_note: with readings y at times x, means X and Y, and Sxx the sum of (x-X)^2, the slope is
 * b = sum((x-X)*(y-Y)) / Sxx, and its standard error is s = sqrt(sum(r^2) / (n-2) / Sxx), with r
 * the distance of a reading from the line.  Both times the length of the window (n readings, from
 * the first one's beginning to the last one's end) and divided by Y are the change over the window
 * and its error.  The load is steady when |change| + error <= bound.
 *
 * fio's `ss=iops_slope:5%` looks at the slope alone, per reading.  There a noisy series passes as
 * soon as its line happens to be flat.  Here the noise counts: a series whose noise hides a drift
 * as large as the bound never passes, and one without noise passes exactly when it is flat enough.
 */
#include "engine/run_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "pace/rates.h"
#include "report/text.h"

#define MOST_RAMP (10 * NS_PER_SEC) /* of a warm-up that ends by itself */
#define STEP      NS_PER_SEC        /* between readings of such a warm-up */

/* Until then every client that sleeps has woken up and looked. */
#define AHEAD            (5 * NS_PER_MS)
#define AHEAD_PER_CLIENT (10 * NS_PER_US)

/* --- the two sides --- */

/* How long the warm-up takes to reach the rate; 0: it begins with it */
static dur_ns warmup_ramp(const struct plan *p)
{
    dur_ns quarter = p->warmup / 4;

    if (p->rate == 0 || p->stock_rate || p->plain_rate || p->arrival == ARRIVAL_ALIGNED)
        return 0;
    if (!(p->warmup_steady_pct > 0))
        return p->warmup;
    return quarter < MOST_RAMP ? quarter : MOST_RAMP;
}

void warmup_setup(struct run *r, const struct ticket_spec *spec)
{
    const struct plan *p = r->plan;
    double first = p->rates ? rates_at(p->rates, 0) : p->rate, rate = first > 0 ? first : p->rate;
    struct ticket_spec warm = *spec;
    dur_ns ramp = warmup_ramp(p);
    char text[100];
    struct err e = {0};

    if (!p->warmup)
        return;
    r->warm.shard = shards_new(r);
    r->warm.before = mem_array_aligned((size_t)p->clients, sizeof *r->warm.before);
    if (p->rate == 0)
        return;
    /* up to the rate with which measuring begins, then on with it; or that rate at once */
    snprintf(text, sizeof text, "0-%.6f:%.3fs,%.6f", rate, dur_sec(ramp), rate);
    if (ramp)
        r->warm.rates = rates_parse(text, &(struct rates_play){1, 1}, &e);
    warm.horizon = p->warmup;
    warm.max_tickets = 0;
    warm.one_more = false;
    warm.arrivals.seed = ~spec->arrivals.seed;
    warm.changes = false;
    warm.arrivals.rates = r->warm.rates;
    r->warm.tickets = tickets_new(&warm);
}

void warmup_teardown(struct run *r)
{
    hist_counts_fini(&r->warm.until.between);
    hist_counts_fini(&r->warm.until.before);
    shards_free(r, r->warm.shard);
    free(r->warm.before);
    tickets_free(r->warm.tickets);
    rates_free(r->warm.rates);
}

static void write_to(struct client *c, struct shard *shard)
{
    c->shard = &shard[LOAD(c->host) * c->run->nshards + (size_t)c->id % c->run->nshards];
    c->stock = c->run->plan->percentiles ? &c->shard->stock : NULL;
}

void client_write_to_host(struct client *c)
{
    write_to(c, client_warming(c) ? c->run->warm.shard : c->run->shard);
}

void warmup_client(struct client *c)
{
    const struct run *r = c->run;
    bool warm = r->plan->warmup > 0;

    write_to(c, warm ? r->warm.shard : r->shard);
    if (r->obs->stmt_stats)
        c->stmt_stats = warm ? stmt_stats_warmup_shard(r->obs->stmt_stats)
                             : stmt_stats_shard(r->obs->stmt_stats, (size_t)c->id);
    atomic_init(&c->measured, !warm);
}

void warmup_leave(struct client *c)
{
    struct run *r = c->run;
    struct counters *before = &r->warm.before[c->id];

    for (int k = 0; k < CNT_MAX; k++)
        counters_add(before, (enum counter)k, counters_get(c->counters, (enum counter)k));
    write_to(c, r->shard);
    if (r->obs->stmt_stats)
        c->stmt_stats = stmt_stats_shard(r->obs->stmt_stats, (size_t)c->id);
    /* pairs with warmup_counts(): what the client counts from now on is not in those counts */
    atomic_exchange_explicit(&c->measured, true, memory_order_acq_rel);
    client_note_plain(c);
}

enum ticket_result warmup_shed(struct run *r, mono_ns now)
{
    if (r->warm.tickets && now < r->measure_from)
        return tickets_shed(r->warm.tickets, now - r->t0);
    return tickets_shed(r->tickets, now - r->measure_from);
}

void warmup_close(struct run *r, mono_ns at)
{
    if (r->warm.tickets)
        tickets_close(r->warm.tickets, at - r->t0);
    if (r->tickets)
        tickets_close(r->tickets, at - r->measure_from);
}

void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX])
{
    const struct counters *before = r->warm.before ? &r->warm.before[client] : NULL;
    uint64_t now[CNT_MAX] = {0};
    bool measured = false;

    if (warming) {
        counters_sum(&r->counters[client], 1, now);
        /* Is it still warming, after its counters were read?  Then all that was read is of the
         * warm-up.  Writes `false` over `false`, which orders the reads before warmup_leave(); a
         * fence would do, but ThreadSanitizer does not know fences. */
        if (!atomic_compare_exchange_strong_explicit(&r->client[client].measured, &measured, false,
                                                     memory_order_acq_rel, memory_order_acquire)) {
            counters_sum(before, 1, sum);
            return;
        }
        for (int k = 0; k < CNT_MAX; k++)
            sum[k] += now[k];
    } else if (atomic_load_explicit(&r->client[client].measured, memory_order_acquire)) {
        counters_sum(&r->counters[client], 1, sum);
        for (int k = 0; before && k < CNT_MAX; k++)
            sum[k] -= counters_get(before, (enum counter)k);
    }
}

/* --- is the load steady? --- */

void steady_add(struct steady *s, double at_s, double value)
{
    s->window[s->readings++ % STEADY_READINGS] = (struct steady_reading){at_s, value};
}

bool steady_trend(const struct steady *s, struct steady_trend *t)
{
    const double n = STEADY_READINGS;
    double sxx = 0, sxy = 0, rest = 0, slope, length;
    struct steady_reading mean = {0, 0};
    size_t first = s->readings % STEADY_READINGS, last = first + STEADY_READINGS - 1;

    for (size_t i = 0; i < STEADY_READINGS; i++) {
        mean.at_s += s->window[i].at_s / STEADY_READINGS;
        mean.value += s->window[i].value / STEADY_READINGS;
    }
    if (s->readings < STEADY_READINGS || !(mean.value > 0))
        return false;
    for (size_t i = 0; i < STEADY_READINGS; i++) {
        double x = s->window[i].at_s - mean.at_s;
        sxx += x * x;
        sxy += x * (s->window[i].value - mean.value);
    }
    slope = sxy / sxx;
    for (size_t i = 0; i < STEADY_READINGS; i++) {
        double line = mean.value + slope * (s->window[i].at_s - mean.at_s);
        rest += (s->window[i].value - line) * (s->window[i].value - line);
    }
    length = s->window[last % STEADY_READINGS].at_s - s->window[first].at_s;
    length *= n / (n - 1); /* between the outer ends of both */
    t->change_pct = 100 * slope * length / mean.value;
    t->error_pct = 100 * sqrt(rest / (n - 2) / sxx) * length / mean.value;
    return true;
}

bool steady_within(const struct steady_trend *t, double bound_pct)
{
    return fabs(t->change_pct) + t->error_pct <= bound_pct;
}

/* --- a warm-up that ends by itself --- */

void warmup_until_begin(struct run *r)
{
    struct warmup_until *u = &r->warm.until;

    if (!(r->plan->warmup_steady_pct > 0))
        return;
    u->result = (struct snapshot_warmup){.asked = true,
                                         .rate = r->tickets != NULL,
                                         .bound_pct = r->plan->warmup_steady_pct,
                                         .after = r->plan->warmup};
    u->next = r->t0 + warmup_ramp(r->plan);
    if (r->tickets) {
        hist_counts_init(&u->between, HIST_BUCKETS);
        hist_counts_init(&u->before, HIST_BUCKETS);
    }
}

/* The observers know from now on where measuring begins. */
static void tell(struct run *r)
{
    struct warmup_until *u = &r->warm.until;
    struct str text = STR_INIT;

    if (u->told)
        return;
    u->told = true;
    text_warmed(&text, &u->result);
    log_stderr("Warm-up: %s", str_cstr(&text));
    str_free(&text);
    run_tell_begin(r);
}

void warmup_until_over(struct run *r)
{
    if (r->warm.until.result.asked)
        tell(r);
}

mono_ns warmup_until_look(struct run *r, mono_ns now)
{
    struct warmup_until *u = &r->warm.until;
    uint64_t count[CNT_MAX] = {0}, more;
    struct steady_trend t;

    if (!u->result.asked || u->next == MONO_NEVER || now >= r->measure_from ||
        run_stopped(r) != STOP_NONE)
        return MONO_NEVER;
    if (now < u->next)
        return u->next;
    /* a reading; a second without a transaction has no figure: the window begins anew */
    for (int i = 0; i < r->plan->clients; i++)
        warmup_counts(r, i, true, count);
    more = count[CNT_DONE] - u->done;
    u->done = count[CNT_DONE];
    double figure = (double)more / dur_sec(now - u->read_at);
    if (r->tickets) { /* the mean response time of those that ended since; NaN: none did */
        struct hist_counts all;
        hist_counts_init(&all, HIST_BUCKETS);
        for (size_t i = 0; i < r->nshards * run_hosts(r); i++)
            hist_counts_add(&all, r->warm.shard[i].response);
        hist_counts_diff(&u->between, &all, &u->before);
        figure = hist_mean(&u->between);
        hist_counts_fini(&u->before);
        u->before = all;
    }
    if (more && u->read_at && figure > 0)
        steady_add(&u->trend, (dur_sec(now - r->t0) + dur_sec(u->read_at - r->t0)) / 2, figure);
    else
        u->trend.readings = 0;
    u->read_at = now;
    u->next += ((now - u->next) / STEP + 1) * STEP;
    u->result.has_trend = steady_trend(&u->trend, &t);
    if (!u->result.has_trend)
        return u->next;
    u->result.change_pct = t.change_pct;
    u->result.error_pct = t.error_pct;
    if (!steady_within(&t, u->result.bound_pct))
        return u->next;
    /* it is steady */
    mono_ns at = now + AHEAD + (r->tickets ? r->plan->clients * AHEAD_PER_CLIENT : 0);
    u->next = MONO_NEVER;
    u->result.steady = true;
    if (at < r->measure_from) {
        /* Measuring begins at `at`, earlier than thought.  A stop may come at the same time, from
         * any thread: then it has the last word about the run's end. */
        int64_t end = r->deadline;
        r->measure_from = at;
        if (r->plan->time_limit) {
            r->deadline = at + r->plan->time_limit;
            atomic_compare_exchange_strong(&r->end, &end, r->deadline);
        }
        if (r->warm.tickets)
            tickets_close(r->warm.tickets, at - 1 - r->t0);
        if (r->tickets)
            clients_look_again(r);
        run_poke(r); /* the ticker has slept until the old boundary */
    }
    u->result.after = r->measure_from - r->t0;
    tell(r);
    return u->next;
}

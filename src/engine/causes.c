/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See causes.h.  The words first, then the bounds, then the parts, and the table at the end.
 */
#include "engine/causes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

double service_sum(const struct verdict_readings *r)
{
    return r->service_n ? r->service_mean * (double)r->service_n : 0;
}

bool is_most(const struct verdict_readings *r, dur_ns t)
{
    return t * 4 > (r->to - r->from) * 3;
}

double part_of(double part, double all)
{
    return part > 0 && all > 0 ? fmin(part / all, 1) : 0;
}

void say(struct verdict *v, const char *fmt, ...)
{
    size_t used = strlen(v->why);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(v->why + used, sizeof v->why - used, fmt, ap);
    va_end(ap);
}

const char *say_rate(char buf[32], double v)
{
    if (v < 10 || v >= 1e12) {
        snprintf(buf, 32, v < 10 ? "%.2f" : "%.3g", v);
        return buf;
    }
    return text_grouped(buf, (uint64_t)(v + 0.5));
}

const char *say_ms(char buf[32], double ns)
{
    snprintf(buf, 32, "%.*f", ns < 1e6 ? 3 : ns < 1e8, ns / 1e6);
    return buf;
}

/* Threads of the load generator that had no CPU: each is a client that did not run, or the clients
 * of a worker. */
static double own_waited(const struct verdict_readings *r)
{
    return r->self_wait > 0 ? (double)r->self_wait * r->own / own_threads(r) : 0;
}

/* What the reporting thread noticed of a stop is less than a client that had to begin then, and
 * nothing if it was not asleep.  If all clients woke up late at once, and not for want of a CPU,
 * none of them ran. */
static dur_ns stop_of(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    dur_ns gap = r->stopped > a->loss.late ? r->stopped : a->loss.late;

    if (r->backlog && r->self_wait >= 0) {
        double all = backlog_woken(r->backlog, r->from, r->to, r->own);
        all -= own_waited(r) / r->own;
        gap = all > (double)gap ? (dur_ns)all : gap;
    }
    return r->worst_wake > gap && r->worst_wake < 2 * gap ? r->worst_wake : gap;
}

/* --- words --- */

#define MOMENTS       5.0  /* per cent of its time that a thread waits for a CPU */
#define CONFINED      75.0 /* per cent that it waits: other CPUs than those that are idle */
#define MOST_FREQUENT 120

/* "read-only server: 1290 (HY000) 1,860 times" */
static const char *say_error(char buf[MOST_FREQUENT], const char *class, const char *code,
                             uint64_t count)
{
    char n[32];

    snprintf(buf, MOST_FREQUENT, "%s: %s %s%s", text_error_words(class), code,
             count == 1 ? "once" : text_grouped(n, count), count == 1 ? "" : " times");
    return buf;
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

/* The remedy that always helps. */
static const char *or_lower(const struct verdict_readings *r)
{
    return r->no_rate ? "" : " or lower the rate";
}

/* A limit lies between what was achieved and what was asked for, however it was estimated. */
static const char *limit(char buf[32], const struct account *a, double bound)
{
    return say_rate(buf, fmin(fmax(bound, a->ended), a->r->target));
}

/* Who had the CPUs of this machine, if it was there, and what to do about it.  `cpus`: that the
 * process may use; `waited`: of the time that it could run, per cent. */
static void add_machine(const struct verdict_readings *r, bool here, double cpus, double waited,
                        struct verdict *v)
{
    double server = r->server_here ? r->server_cpu_pct / r->host_cpus : (double)NAN;
    double self = r->self_cpu_pct / r->host_cpus;
    const char *most =
        r->others_pct >= server + self ? "free the machine" : "free the machine or add CPUs";
    bool others = r->others_pct > 20 && r->others_pct > r->idle_pct;

    if (!here || !isfinite(r->idle_pct))
        say(v, "; free its machine%s", or_lower(r));
    else if (r->steal_pct > 20)
        say(v,
            "; the hypervisor gave %.0f%% of this machine's CPU time to others: measure on another "
            "one",
            r->steal_pct);
    else if (r->idle_pct > 20 && cpus >= r->host_cpus && waited < CONFINED)
        say(v, ", at moments: %.0f%% of this machine's CPU time was idle; add CPUs%s", r->idle_pct,
            or_lower(r));
    else if (r->idle_pct > 20)
        say(v,
            " while %.0f%% of this machine's CPU time was idle; let it use more CPUs (affinity, "
            "control group)",
            r->idle_pct);
    else if (isfinite(server))
        say(v,
            "; of this machine's CPU time the server used %.0f%%, sysbench %.0f%%, others "
            "%.0f%%: %s%s",
            server, self, r->others_pct, others ? most : "add CPUs", others ? "" : or_lower(r));
    else
        say(v,
            "; of this machine's CPU time sysbench used %.0f%%, all others %.0f%%: free the "
            "machine%s",
            self, r->others_pct, or_lower(r));
}

const char *when(char buf[64], const struct verdict_readings *r, dur_ns from, dur_ns to)
{
    *buf = '\0';
    if (is_most(r, to - from) || to <= from)
        return buf;
    if (r->to - to < (r->to - r->from) / 20)
        snprintf(buf, 64, " from second %.1f on", dur_sec(from));
    else if (lround(10 * dur_sec(from)) == lround(10 * dur_sec(to)))
        snprintf(buf, 64, " at second %.1f", dur_sec(from));
    else
        snprintf(buf, 64, " between second %.1f and %.1f", dur_sec(from), dur_sec(to));
    return buf;
}

static double own_bound(const struct account *a)
{
    return a->ended / (verdict_self_pct(a->r) / 100);
}

void say_own_cpu(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    int n = own_width(r);
    const char *executor = r->workers ? "worker" : "thread";
    char cost[32], most[32];

    if (own_bound(a) >= r->target) /* of transactions that are slow, or of a warning */
        say(a->v, "the load generator used %.0f%% of %s%d %s%s; ", verdict_self_pct(r),
            n == r->cpus ? "its " : "the CPU time of its ", n, n == r->cpus ? "CPU" : executor,
            plural(n));
    else
        say(a->v,
            "a transaction costs the load generator %s ms of CPU time, so its %d %s%s do%s %s/s "
            "at most; ",
            say_ms(cost, r->self_cpu_pct / 100 / a->ended * 1e9), n,
            n == r->cpus ? "CPU" : executor, plural(n), n == 1 ? "es" : "",
            limit(most, a, own_bound(a)));
    if (n == r->cpus)
        say(a->v, "give it more CPUs%s", or_lower(r));
    else
        say(a->v, "raise --%ss", executor);
}

/* --- the bounds --- */

/* If nothing ended in time, it is not known what a transaction takes. */
static double clients_bound(const struct account *a)
{
    if (a->ended <= 0)
        return NAN;
    return a->r->clients / ((a->each + (double)a->r->think) / 1e9);
}

static void say_clients(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double bound = fmax(clients_bound(a), a->ended),
           needed = fmax(ceil(r->target / bound * r->clients - 0.02), r->clients + 1);
    char buf[32], took[32], many[32], target[32];

    if (r->clients == 1)
        say(a->v, "one client");
    else
        say(a->v, "%d clients", r->clients);
    if (r->think)
        say(a->v, " with %s ms of think time", say_ms(took, (double)r->think));
    say(a->v, " do%s %s/s at most", r->clients == 1 ? "es" : "", limit(buf, a, bound));
    if (!r->think)
        say(a->v, " at %s ms a transaction", say_ms(took, r->clients / bound * 1e9));
    if (r->script_pct > 50)
        say(a->v, " (%.0f%% of it in the script)", r->script_pct);
    say(a->v, "; %s are needed for %s/s", text_grouped(many, (uint64_t)needed),
        say_rate(target, r->target));
    if (r->early * 2 < a->each) /* some of them, so that others took no longer */
        say(a->v, ", unless they wait for each other (the first ones took %s ms)",
            say_ms(took, r->early));
}

/* Of the time of a worker, what goes into calls of the script that do not return: neither the CPU
 * nor waiting for one. */
static double blocked_pct(const struct verdict_readings *r)
{
    double cpu = (r->self_cpu_pct + r->self_wait_pct) / own_threads(r);

    return r->workers && isfinite(r->worker_pct) ? fmax(r->worker_pct - cpu, 0) : 0;
}

static double script_bound(const struct account *a)
{
    double pct = blocked_pct(a->r);

    return pct * 2 > a->r->worker_pct ? a->ended / (a->r->worker_pct / 100) : (double)NAN;
}

static void say_script(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double bound = script_bound(a);
    char took[32], most[32];

    say(a->v, "the script blocks its worker for %s ms a transaction",
        say_ms(took, blocked_pct(r) / 100 * r->workers / a->ended * 1e9));
    if (bound < r->target)
        say(a->v, ": %d worker%s do%s %s/s at most", r->workers, plural(r->workers),
            r->workers == 1 ? "es" : "", limit(most, a, bound));
    say(a->v, "; use --workers=0");
}

/* A transaction's share of the server's CPU time is part of its service: what is more is the work
 * of others. */
static double server_demand(const struct account *a)
{
    double each = a->r->server_cpu_pct / 100 / a->ended * 1e9;

    return each < 2 * a->r->service_mean + NS_PER_MS ? each : (double)NAN;
}

static double server_bound(const struct account *a)
{
    return a->r->server_cpus / server_demand(a) * 1e9;
}

static void say_server_cpu(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char cost[32], most[32], cpus[32];

    snprintf(cpus, sizeof cpus, "%.3g", r->server_cpus);
    if (server_bound(a) < r->target)
        say(a->v,
            "a transaction costs the server %s ms of CPU time, so its %s CPU%s do%s %s/s at most",
            say_ms(cost, server_demand(a)), cpus, r->server_cpus == 1 ? "" : "s",
            r->server_cpus == 1 ? "es" : "", limit(most, a, server_bound(a)));
    else
        say(a->v, "the server used %.0f%% of its %s CPU%s", verdict_server_pct(r), cpus,
            r->server_cpus == 1 ? "" : "s");
    say(a->v, "; give it more CPUs%s", or_lower(r));
}

/* Both share this machine. */
static double machine_bound(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    if (!r->server_here || !isfinite(server_demand(a)))
        return NAN;
    return a->ended * 100 * r->host_cpus / (r->server_cpu_pct + r->self_cpu_pct);
}

static void say_machine(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char server[32], own[32], most[32];

    say(a->v,
        "a transaction costs %s ms of CPU time in the server and %s in the load generator, so the %d "
        "CPU%s of this machine do%s %s/s at most; add CPUs%s",
        say_ms(server, server_demand(a)), say_ms(own, r->self_cpu_pct / 100 / a->ended * 1e9),
        r->host_cpus, plural(r->host_cpus), r->host_cpus == 1 ? "es" : "",
        limit(most, a, machine_bound(a)), or_lower(r));
}

/* --- the parts of what is missing or late --- */

static double outages(const struct account *a);

/* Nothing succeeded, since errors began. */
static double silent(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double waited = (double)a->loss.waited;
    double all = (a->missed ? a->missing : (double)r->late) / r->target * 1e9;

    return part_of((double)r->away, waited > 0 ? fmin(all, waited) : all);
}

/* The most frequent error is that of an outage. */
static bool of_outage(const struct verdict_readings *r)
{
    return r->outages && r->error && r->away_error && strcmp(r->error_code, r->away_code) == 0;
}

/* Failed or withdrawn transactions are what is missing, or, unless the server was away, most of all
 * that ended.  Those of an outage that explains half are the outage's. */
static double failures(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double lost = (double)(r->failed + r->withdrawn), of = a->missing;

    if (outages(a) < HALF)
        of = fmin(of, (double)r->done + lost);
    else if (of_outage(r) && !r->withdrawn)
        return 0;
    return a->missed ? part_of(lost, of) : 0;
}

static void say_failures(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    ull failed = r->failed, withdrawn = r->withdrawn, offered = r->offered;
    char buf[MOST_FREQUENT];

    if (!withdrawn && r->error)
        say(a->v, "%llu of %llu transactions failed (%s); fix this first", failed, offered,
            say_error(buf, r->error, r->error_code, r->error_count));
    else if (!withdrawn)
        say(a->v, "%llu of %llu transactions failed; fix their errors first", failed, offered);
    else if (!failed)
        say(a->v, "the script withdrew %llu of %llu transactions; check its event loop", withdrawn,
            offered);
    else
        say(a->v, "of %llu transactions %llu failed and the script withdrew %llu; fix these first",
            offered, failed, withdrawn);
}

/* Attempts that failed: half of all, or of the time beyond what transactions take. */
static double attempts(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double all = (double)(r->done + r->errors);

    if (!r->error)
        return 0;
    if (a->missed && (double)r->errors * 2 > fmin(a->missing, all))
        return 1 - silent(a);
    return a->slow * part_of((double)r->retried - (double)r->away * r->own, a->excess);
}

static double errors(const struct account *a)
{
    return of_outage(a->r) ? 0 : attempts(a);
}

static void say_errors(const struct account *a)
{
    char buf[MOST_FREQUENT];

    say(a->v, "%s; fix this first",
        say_error(buf, a->r->error, a->r->error_code, a->r->error_count));
}

void say_fatal(const struct verdict_readings *r, struct verdict *v)
{
    char buf[MOST_FREQUENT];

    *v->why = '\0';
    if (r->away_error)
        say(v, "%s; fix this first", say_error(buf, r->away_error, r->away_code, r->away_count));
}

static double outages(const struct account *a)
{
    return of_outage(a->r) ? fmax(silent(a), attempts(a)) : silent(a);
}

static void say_outages(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char buf[MOST_FREQUENT], many[48] = "";

    if (r->outages > 1)
        snprintf(many, sizeof many, "in %zu outages, ", r->outages);
    say(a->v, "no transaction succeeded %s%s%.3f s%s (%s); see Outages", many,
        r->outages > 1 ? "" : "for ", dur_sec(r->away), r->outages > 1 ? " in all" : "",
        r->away_error ? say_error(buf, r->away_error, r->away_code, r->away_count) : "errors");
}

static double bursts(const struct account *a)
{
    return a->burst;
}

static void say_bursts(const struct account *a)
{
    int n = a->r->clients;
    char who[48] = "the only client was", many[32];

    if (n > 1)
        snprintf(who, sizeof who, n == 2 ? "both clients were" : "all %s clients were",
                 text_grouped(many, (uint64_t)n));
    say(a->v, "%s busy for a while, when starts came faster than on average; raise --threads", who);
}

static double stopped(const struct account *a)
{
    return a->late * part_of((double)stop_of(a) * a->r->own, a->loss.idle);
}

static void say_stopped(const struct account *a)
{
    say(a->v,
        "the load generator did not run for at least %.3f s%s; leave it and its machine running",
        dur_sec(stop_of(a)), a->r->stopped ? ", see Incidents" : "");
}

static double throttled(const struct account *a)
{
    return a->late * part_of((double)a->r->throttled * a->r->own, a->loss.idle);
}

/* The quota was used up, so it is one of the load generator alone, or nearly. */
static double quota_bound(const struct account *a)
{
    return a->r->quota > 0 ? a->ended / (a->r->self_cpu_pct / 100 / a->r->quota) : (double)NAN;
}

static void say_throttled(const struct account *a)
{
    double bound = quota_bound(a);
    char most[32];

    say(a->v, "a CPU quota stopped the load generator for %.3f s", dur_sec(a->r->throttled));
    if (bound < a->r->target)
        say(a->v, ": its %.3g CPUs do %s/s at most", a->r->quota, limit(most, a, bound));
    say(a->v, "; raise the quota of its control group%s", or_lower(a->r));
}

static double blocked(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    if (!(blocked_pct(r) * 2 > r->worker_pct))
        return 0;
    return a->late *
           part_of(blocked_pct(r) / 100 * (double)(r->to - r->from) * r->own, a->loss.idle);
}

/* What threads waited for a CPU, where it is for want of CPUs, and not what any thread waits that
 * wakes up. */
static double own_starved(const struct verdict_readings *r)
{
    bool moments = r->self_wait_pct < MOMENTS * own_threads(r) && r->idle_pct > 20;

    return moments ? 0 : own_waited(r);
}

static double own_wait(const struct account *a)
{
    return fmin(a->late * part_of(own_starved(a->r), a->loss.idle), a->late - stopped(a)) +
           a->slow * part_of((double)a->r->self_wait, a->excess);
}

static void say_own_wait(const struct account *a)
{
    say(a->v, "threads of the load generator waited %.*f s for a CPU",
        a->r->self_wait < NS_PER_SEC ? 3 : 1, dur_sec(a->r->self_wait));
    add_machine(a->r, true, a->r->quota > 0 ? a->r->quota : a->r->cpus,
                100 * part_of(a->r->self_wait_pct, a->r->self_wait_pct + a->r->self_cpu_pct), a->v);
}

/* What is left of the starts that had an idle client. */
static double woken_late(const struct account *a)
{
    double known =
        stopped(a) + throttled(a) + blocked(a) + a->late * part_of(own_starved(a->r), a->loss.idle);

    return fmax(a->late - known, 0);
}

static void say_woken_late(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    say(a->v, "the load generator woke up late");
    if (r->worst_wake > 0)
        say(a->v, ", by up to %.3f ms", dur_ms(r->worst_wake));
    say(a->v, " (%llu of %llu late starts had an idle client); give it more CPU time",
        (ull)r->late_idle, (ull)r->late);
}

/* The time that clients spent in transactions; in those that did not end, too, if they waited for
 * locks there. */
static double in_transactions(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double ended = service_sum(r);

    if (!r->backlog || ended >= (double)r->lock_wait)
        return ended;
    return backlog_at(r->backlog, r->to).busy - backlog_at(r->backlog, r->from).busy;
}

/* Where nothing ended in time, all of the time counts. */
static double locks(const struct account *a)
{
    if (a->missed && a->ended <= 0)
        return part_of((double)a->r->lock_wait, in_transactions(a));
    return a->slow * part_of((double)a->r->lock_wait, a->excess);
}

static void say_locks(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    bool behind = r->lock_behind * 2 >= r->lock_wait && r->lock_who && *r->lock_who;
    double spent = in_transactions(a), waited = (double)r->lock_wait;

    if (spent > 0 && waited > spent) /* it is known for longer than the schedule lasted */
        waited = spent;
    say(a->v, "transactions waited %.1f s for %s, %.0f%% of their time", waited / 1e9,
        behind         ? "locks"
        : r->lock_rows ? "row locks"
                       : "locks other than row locks",
        100 * part_of(waited, spent));
    if (behind && r->lock_blockers > 1)
        say(a->v, ", most of it behind other sessions (the last: %s); end them", r->lock_who);
    else if (behind)
        say(a->v, ", most of it behind another session (%s); end it", r->lock_who);
    else if (r->lock_rows)
        say(a->v, "; spread them over more rows%s", or_lower(r));
    else
        say(a->v, "; find out who holds them");
    if (!behind && r->lock_rows && r->lock_why)
        say(a->v, ", unless another session holds them (not known: %s)", r->lock_why);
}

/* A pool queues inside the server: where its few threads are runnable all the time and seldom run,
 * all that waits in its queue waits for a CPU.  A server with a process per connection has none. */
static double server_wait(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double runnable = r->server_cpu_pct / (1 - r->server_waited_pct / 100);

    if (!isfinite(r->server_waited_pct))
        return 0;
    if (r->server_processes <= (uint64_t)r->clients && r->server_waited_pct > 50 &&
        runnable > 85 * r->server_cpus)
        return a->slow * r->server_waited_pct / 100;
    return a->slow * part_of((double)r->server_wait, a->excess);
}

static void say_server_wait(const struct account *a)
{
    say(a->v, "the server waited for a CPU for %.0f%% of the time that it could run",
        a->r->server_waited_pct);
    add_machine(a->r, a->r->server_here, a->r->server_cpus, a->r->server_waited_pct, a->v);
}

/* Much longer than a transaction takes, and than there is none. */
static double silence(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double whole = a->slow * part_of(a->silence.busy, a->excess) * (1 - outages(a)) - locks(a);

    return (double)a->silence.length > 5 * a->each && dur_sec(a->silence.length) * r->target > 10
               ? fmax(whole, 0)
               : 0;
}

static void say_find_out(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    bool asked = r->lock_wait >= 0 || r->lock_who || r->lock_why;

    say(a->v, "; find out what they waited for%s",
        r->no_sql || asked ? "" : " (--server-status shows locks)");
}

static void say_silence(const struct account *a)
{
    say(a->v, "no transaction ended for %.1f s (from second %.1f on), although some were running",
        dur_sec(a->silence.length), dur_sec(a->silence.from));
    say_find_out(a);
}

/* What is left of the time that transactions took. */
static double inside(const struct account *a)
{
    double known = locks(a) + silence(a) + server_wait(a) + own_wait(a) + errors(a);

    return fmax(a->slow * (1 - outages(a)) - known, 0);
}

static void say_inside(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char took[32], each[32], span[64];
    dur_ns from = r->from, to = r->to;
    double piled = (double)(r->open - r->waiting);

    if (r->backlog)
        backlog_worst(r->backlog, &from, &to, a->each);
    struct backlog_point p = {0}, q = {0};
    if (r->backlog)
        p = backlog_at(r->backlog, from), q = backlog_at(r->backlog, to);
    double mean = q.ended > p.ended ? (q.busy - p.busy) / (double)(q.ended - p.ended)
                                    : (double)r->service_mean;
    double script = r->no_sql               ? (double)NAN
                    : q.running > p.running ? backlog_script_pct(&p, &q)
                                            : r->script_pct;
    const char *where = r->no_sql ? "" : " in the server",
               * or = r->no_sql ? "" : " or on the network";
    if (a->crowded)
        say(a->v, "transactions waited for each other%s%s", where, or);
    else if (a->missed && piled * 2 > a->missing)
        say(a->v, "%.0f transactions piled up%s", piled, where);
    else if (script > 50)
        say(a->v, "transactions took longer in the script");
    else
        say(a->v, "transactions took longer%s%s", where, or);
    if (mean > APART * a->each)
        say(a->v, ": %s ms%s, and %s ms otherwise", say_ms(took, mean),
            when(span, a->all, from, to), say_ms(each, a->each));
    say_find_out(a);
}

static double endless(const struct account *a)
{
    return a->missed && a->ended <= 0 && a->r->offered ? 1 - outages(a) - locks(a) : 0;
}

static void say_endless(const struct account *a)
{
    say(a->v, "no transaction ended; raise --time%s", a->r->no_sql ? "" : " or check the server");
}

/* --- the table --- */

const struct row causes[CAUSES] = {
    {"failures", FIND_LIMIT_ERRORS, NULL, failures, say_failures},
    {"errors", FIND_LIMIT_ERRORS, NULL, errors, say_errors},
    {"no transaction that ended", FIND_LIMIT_LATENCY, NULL, endless, say_endless},
    /* the CAUSES_MISSING rows before this one are what is missing */
    {"outages", FIND_LIMIT_ERRORS, NULL, outages, say_outages},
    {"the number of clients", FIND_LIMIT_CLIENTS, clients_bound, NULL, say_clients},
    {"the script", FIND_LIMIT_CLIENTS, script_bound, blocked, say_script},
    {"the load generator's CPU time", FIND_LIMIT_CLIENT_CPU, own_bound, NULL, say_own_cpu},
    {"the server's CPU time", FIND_LIMIT_SERVER_CPU, server_bound, NULL, say_server_cpu},
    {"this machine's CPU time", FIND_LIMIT_SERVER_CPU, machine_bound, NULL, say_machine},
    {"starts faster than the clients can do", FIND_LIMIT_CLIENTS, NULL, bursts, say_bursts},
    {"a stopped load generator", FIND_LIMIT_CPU_WAIT, NULL, stopped, say_stopped},
    {"the load generator's CPU quota", FIND_LIMIT_CLIENT_CPU, quota_bound, throttled,
     say_throttled},
    {"the load generator's wait for a CPU", FIND_LIMIT_CPU_WAIT, NULL, own_wait, say_own_wait},
    {"a late wake-up", FIND_LIMIT_CPU_WAIT, NULL, woken_late, say_woken_late},
    {"locks", FIND_LIMIT_LATENCY, NULL, locks, say_locks},
    {"the server's wait for a CPU", FIND_LIMIT_CPU_WAIT, NULL, server_wait, say_server_wait},
    {"a standstill", FIND_LIMIT_LATENCY, NULL, silence, say_silence},
    {"slow transactions", FIND_LIMIT_LATENCY, NULL, inside, say_inside},
};

/* The bound of the whole machine counts where it is much smaller than that of either process, or
 * tells much more of what is missing. */
static bool more_than_either(const struct account *a, double machine)
{
    double either = fmin(own_bound(a), server_bound(a)), target = a->r->target;

    return machine * APART < either ||
           (a->missed && (target - either) * APART < target - machine && machine < target);
}

/* Of the rows with a bound, the one whose bound is the smallest above `least`.  A CPU that is used
 * up makes transactions wait for it, and more clients would not help: it goes before their bound,
 * which has that waiting in it. */
const struct row *causes_smallest(const struct account *a, double least, double *bound)
{
    const struct row *found = NULL;
    double first = INFINITY;

    *bound = INFINITY;
    for (size_t i = 0; i < CAUSES; i++) {
        double b = causes[i].bound ? causes[i].bound(a) : (double)NAN;
        if (causes[i].bound == machine_bound && least > 0)
            continue;
        if (causes[i].bound == machine_bound && !more_than_either(a, b))
            continue;
        bool cpu = causes[i].side != FIND_LIMIT_CLIENTS && b * USED_UP / 100 <= a->ended;
        double rank = cpu ? b * USED_UP / 100 : b;
        if (b > least && rank < first) { /* false for NaN */
            *bound = b;
            first = rank;
            found = &causes[i];
        }
    }
    return found;
}

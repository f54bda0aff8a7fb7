/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See verdict.h.  The causes are one table, the most certain ones first: what a row needs to apply,
 * and its sentence.  A cause applies when its figure accounts for half of what is missing or late,
 * so one hiccup is not blamed for a thousand late starts.  If no row applies, the sentence says
 * what was ruled out.
 */
#include "engine/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

#define BY_CHANCE 3.0  /* standard deviations */
#define USED_UP   90.0 /* per cent of the CPUs that a process may use */
#define TOO_SHORT 0.2  /* what is usually in flight, as a share of what was offered */

typedef unsigned long long ull;

enum held held_of(const struct held_readings *r, double *missing)
{
    double allowed = (double)r->offered * r->tolerance_pct / 100;
    double usual = isfinite(r->usual) ? r->usual : 0;
    double piled = fmax((double)r->open - usual - r->together, 0);
    double chance = isfinite(r->in_flight) ? BY_CHANCE * sqrt(r->in_flight) : 0;

    *missing = fmin((double)r->lost + piled, (double)r->offered);
    if ((double)r->lost + fmax(piled - (chance > allowed ? chance : 0), 0) > allowed)
        return HELD_NO;
    if (r->offered && (*missing > allowed || usual > (double)r->offered * TOO_SHORT))
        return HELD_UNKNOWN;
    return HELD_YES;
}

/* What is in flight at the end of a span without a backlog; NaN: no transaction ended. */
static double usual(const struct verdict_readings *r)
{
    return r->rate_end * r->calm / 1e9;
}

/* What is to be explained: transactions that are missing, or else starts that were late. */
static double lacking(const struct verdict_readings *r, const struct verdict *v)
{
    return v->held == HELD_YES ? fmax((double)r->late, (double)r->peak) : v->missing;
}

/* A time in which nothing was done accounts for half of that. */
static bool accounts(const struct verdict_readings *r, const struct verdict *v, dur_ns t)
{
    return t > 0 && dur_sec(t) * r->target * 2 >= lacking(r, v);
}

/* The remedy that always helps. */
static const char *or_lower(const struct verdict_readings *r)
{
    return r->no_rate ? "" : " or lower the rate";
}

/* How many transactions per second so many clients can do, each busy for `service` ns and thinking
 * after it.  NaN without a transaction. */
static double limit_of(const struct verdict_readings *r, double service)
{
    return r->clients / ((service + (double)r->think) / 1e9);
}

static int threads(const struct verdict_readings *r)
{
    return r->workers ? r->workers : r->clients;
}

/* The number of CPUs on which the load generator can run at once. */
static int width(const struct verdict_readings *r)
{
    return threads(r) < r->cpus ? threads(r) : r->cpus;
}

/* Its threads ran or wanted to, nearly all the time: clients that are busy are so with that. */
static bool wants_more_cpu(const struct verdict_readings *r)
{
    return (r->self_cpu_pct + r->self_wait_pct) / threads(r) > USED_UP;
}

double verdict_self_pct(const struct verdict_readings *r)
{
    return r->self_cpu_pct / width(r);
}

double verdict_server_pct(const struct verdict_readings *r)
{
    return r->server_cpu_pct / r->server_cpus;
}

/* All time that clients spent in transactions, ns; if none ended, at least that of one client. */
static double service_sum(const struct verdict_readings *r)
{
    return r->service_n ? r->service_mean * (double)r->service_n : (double)r->scheduled;
}

/* "1,768", "0.62": a rate as people write it. */
static const char *rate(char buf[32], double v)
{
    if (v < 10 || v >= 1e12) {
        snprintf(buf, 32, v < 10 ? "%.2f" : "%.3g", v);
        return buf;
    }
    return text_grouped(buf, (uint64_t)(v + 0.5));
}

/* "0.013", "18.1", "3000" */
static const char *ms(char buf[32], double ns)
{
    snprintf(buf, 32, "%.*f", ns < 1e6 ? 3 : ns < 1e8, ns / 1e6);
    return buf;
}

__attribute__((format(printf, 2, 3))) static void say(struct verdict *v, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(v->why, sizeof v->why, fmt, ap);
    va_end(ap);
}

#define MOST_FREQUENT 120

/* "read-only server: 1290 (HY000) 1,860 times" */
static const char *say_error(char buf[MOST_FREQUENT], const char *class, const char *code,
                             uint64_t count)
{
    char n[32];

    snprintf(buf, MOST_FREQUENT, "%s: %s %s", text_error_words(class), code,
             count == 1 ? "once" : text_grouped(n, count));
    if (count > 1)
        strcat(buf, " times");
    return buf;
}

static const char *most_frequent(char buf[MOST_FREQUENT], const struct verdict_readings *r)
{
    return say_error(buf, r->error, r->error_code, r->error_count);
}

static void say_errors(const struct verdict_readings *r, struct verdict *v)
{
    char buf[MOST_FREQUENT];

    say(v, "%s; fix this first", most_frequent(buf, r));
}

static void say_away(const struct verdict_readings *r, struct verdict *v)
{
    char buf[MOST_FREQUENT];

    say(v, "no transaction succeeded for %.3f s (%s); see Outages", dur_sec(r->away),
        r->away_error ? say_error(buf, r->away_error, r->away_code, r->away_count) : "errors");
}

static void say_lost(const struct verdict_readings *r, struct verdict *v)
{
    ull failed = r->failed, withdrawn = r->withdrawn, offered = r->offered;
    char buf[MOST_FREQUENT];

    if (!withdrawn && r->error)
        say(v, "%llu of %llu transactions failed (%s); fix this first", failed, offered,
            most_frequent(buf, r));
    else if (!withdrawn)
        say(v, "%llu of %llu transactions failed; fix their errors first", failed, offered);
    else if (!failed)
        say(v, "the script withdrew %llu of %llu transactions; check its event loop", withdrawn,
            offered);
    else
        say(v, "of %llu transactions %llu failed and the script withdrew %llu; fix these first",
            offered, failed, withdrawn);
}

/* Half of what is missing, or of all attempts. */
static bool is_half(const struct verdict_readings *r, const struct verdict *v, uint64_t attempts)
{
    return v->held != HELD_YES &&
           (double)attempts * 2 > fmin(v->missing, (double)(r->done + attempts));
}

static bool is_lost(const struct verdict_readings *r, const struct verdict *v)
{
    return v->held != HELD_YES && (double)(r->failed + r->withdrawn) * 2 > v->missing;
}

static bool is_mostly_lost(const struct verdict_readings *r, const struct verdict *v)
{
    return is_half(r, v, r->failed + r->withdrawn);
}

static bool is_away(const struct verdict_readings *r, const struct verdict *v)
{
    return accounts(r, v, r->away);
}

static bool has_errors(const struct verdict_readings *r, const struct verdict *v)
{
    return r->error && is_half(r, v, r->errors);
}

static bool is_stopped(const struct verdict_readings *r, const struct verdict *v)
{
    return accounts(r, v, r->stopped);
}

static void say_stopped(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "the load generator did not run for at least %.3f s; see Incidents, and leave it and its machine "
        "running",
        dur_sec(r->stopped));
}

static bool is_throttled(const struct verdict_readings *r, const struct verdict *v)
{
    return accounts(r, v, r->throttled);
}

static void say_throttled(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "a CPU quota stopped the load generator for %.3f s; raise the quota of its control group%s",
        dur_sec(r->throttled), or_lower(r));
}

static bool is_own_cpu(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return verdict_self_pct(r) > USED_UP ||
           (wants_more_cpu(r) && r->self_cpu_pct > r->self_wait_pct);
}

static void say_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    int n = width(r);
    const char *carrier = r->workers ? "worker" : "thread", *s = n > 1 ? "s" : "";
    const char *rest =
        verdict_self_pct(r) > USED_UP ? "" : " and waited for a CPU for most of the rest";
    char used[80];

    snprintf(used, sizeof used, "%.0f%% of %s%d", verdict_self_pct(r),
             n == r->cpus ? "its " : "the CPU time of its ", n);
    if (n == r->cpus)
        say(v, "the load generator used %s CPU%s%s; give it more CPUs%s", used, s, rest,
            or_lower(r));
    else
        say(v, "the load generator used %s %s%s%s; raise --%ss", used, carrier, s, rest, carrier);
}

/* Who had the CPUs of this machine, if it was there, and what to do about it. */
static void add_machine(const struct verdict_readings *r, bool here, struct verdict *v)
{
    size_t n = strlen(v->why);
    double server = r->server_here ? r->server_cpu_pct / r->host_cpus : (double)NAN;
    double self = r->self_cpu_pct / r->host_cpus;
    const char *most =
        r->others_pct >= server + self ? "free the machine" : "free the machine or add CPUs";
    bool others = r->others_pct > 20 && r->others_pct > r->idle_pct;

    if (!here || !isfinite(r->idle_pct))
        snprintf(v->why + n, sizeof v->why - n, "; free its machine%s", or_lower(r));
    else if (r->steal_pct > 20)
        snprintf(v->why + n, sizeof v->why - n,
                 "; the hypervisor gave %.0f%% of this machine's CPU time to others: measure on "
                 "another one",
                 r->steal_pct);
    else if (r->idle_pct > 20)
        snprintf(v->why + n, sizeof v->why - n,
                 " while %.0f%% of this machine's CPU time was idle; let it use more CPUs "
                 "(affinity, control group)",
                 r->idle_pct);
    else if (isfinite(server))
        snprintf(v->why + n, sizeof v->why - n,
                 "; of this machine's CPU time the server used %.0f%%, sysbench %.0f%%, others "
                 "%.0f%%: %s%s",
                 server, self, r->others_pct, others ? most : "add CPUs",
                 others ? "" : or_lower(r));
    else
        snprintf(v->why + n, sizeof v->why - n,
                 "; of this machine's CPU time sysbench used %.0f%%, all others %.0f%%: free the "
                 "machine%s",
                 self, r->others_pct, or_lower(r));
}

/* Its threads waited for longer than half of the time that transactions took, or were late. */
static bool is_own_wait(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return wants_more_cpu(r) ||
           ((double)r->self_wait * 2 > service_sum(r) && r->self_wait > r->scheduled / 2);
}

static void say_own_wait(const struct verdict_readings *r, struct verdict *v)
{
    say(v, "threads of the load generator waited %.1f s for a CPU", dur_sec(r->self_wait));
    add_machine(r, true, v);
}

static bool is_server_wait(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return r->server_waited_pct > 50 && (double)r->server_wait * 2 > service_sum(r);
}

static void say_server_wait(const struct verdict_readings *r, struct verdict *v)
{
    say(v, "the server waited for a CPU for %.0f%% of the time that it could run",
        r->server_waited_pct);
    add_machine(r, r->server_here, v);
}

static bool is_server_cpu(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return verdict_server_pct(r) > USED_UP;
}

static void say_server_cpu(const struct verdict_readings *r, struct verdict *v)
{
    say(v, "the server used %.0f%% of its %d CPU%s; give it more CPUs%s", verdict_server_pct(r),
        r->server_cpus, r->server_cpus > 1 ? "s" : "", or_lower(r));
}

/* A busy machine by itself slows down nothing that sleeps: somebody must have waited. */
static bool is_machine(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return r->idle_pct < 5 && r->server_wait >= 0 && r->self_wait >= 0 &&
           (double)(r->server_wait + r->self_wait) * 4 > service_sum(r);
}

static void say_machine(const struct verdict_readings *r, struct verdict *v)
{
    say(v, "no CPU of this machine was idle");
    add_machine(r, true, v);
}

static bool is_locks(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return r->lock_wait > 0 && (double)r->lock_wait * 2 > service_sum(r);
}

static void say_locks(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "transactions waited %.1f s for row locks, %.0f%% of their time; spread them over more "
        "rows%s",
        dur_sec(r->lock_wait), 100 * (double)r->lock_wait / service_sum(r), or_lower(r));
}

/* Much longer than a transaction takes, and than there is none. */
static bool is_silent(const struct verdict_readings *r, const struct verdict *v)
{
    return accounts(r, v, r->silence) && (double)r->silence > 5 * r->calm &&
           dur_sec(r->silence) * r->target > 10;
}

static void say_silent(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "no transaction ended for %.1f s (from second %.1f on), although some were running; find "
        "out what they waited for",
        dur_sec(r->silence), dur_sec(r->silent_from));
}

/*
 * Clients that were idle in time began late: most of the late starts, or a few that were so late
 * that what was due meanwhile accounts for half.  Starts that were dropped have no such witness:
 * what is left is what was not very late.
 */
static bool is_woken_late(const struct verdict_readings *r, const struct verdict *v)
{
    if (r->clients_left || r->late_idle == 0)
        return false;
    if (v->held != HELD_YES && (double)r->waiting * 2 > v->missing)
        return limit_of(r, r->service_mean) > r->target && r->worst_wake * 2 > r->longest &&
               accounts(r, v, r->worst_wake);
    if ((double)r->late_idle * 2 > fmax((double)r->late, lacking(r, v)))
        return v->held == HELD_YES || r->worst_wake <= 0 || accounts(r, v, r->worst_wake);
    return !r->dropped && accounts(r, v, r->worst_wake) && r->worst_wake * 2 > r->lag_max;
}

static void say_woken_late(const struct verdict_readings *r, struct verdict *v)
{
    char most[48] = "";

    if (r->worst_wake > 0)
        snprintf(most, sizeof most, ", by up to %.3f ms", dur_ms(r->worst_wake));
    say(v,
        "the load generator woke up late%s (%llu of %llu late starts had an idle client); give it "
        "more CPU time",
        most, (ull)r->late_idle, (ull)r->late);
}

/* They were begun, and most in time: there were clients enough. */
static bool is_piled_up(const struct verdict_readings *r, const struct verdict *v)
{
    return v->held != HELD_YES && r->service_n && (double)(r->open - r->waiting) * 2 > v->missing &&
           (double)r->late * 2 < (double)r->done;
}

static void say_piled_up(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "%.0f transactions piled up in the server and had not ended with the schedule; speed up "
        "the server%s",
        v->missing, or_lower(r));
}

static bool is_endless(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return r->service_n == 0;
}

static void say_endless(const struct verdict_readings *r, struct verdict *v)
{
    (void)r;
    say(v, "no transaction ended; raise --time or check the server");
}

/* Clients that are busy delay a start by no more than a transaction takes, unless they are busy
 * half of the time or more, as where arrivals come in bursts, or could not do the rate for a while.
 */
static bool is_busy(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return (r->clients_left || r->late_idle * 2 <= r->late) &&
           (limit_of(r, r->worst) < 2 * r->target || r->longest * 2 > r->lag_max);
}

static void say_busy(const struct verdict_readings *r, struct verdict *v)
{
    bool enough = limit_of(r, r->service_mean) > r->target;
    double service = enough ? r->worst : r->service_mean, limit = limit_of(r, service);
    bool slow = (double)r->longest > 2 * service;
    char who[48] = "the only client was", buf[32], took[32], what[96];

    if (r->clients == 2)
        snprintf(who, sizeof who, "both clients were");
    else if (r->clients > 2)
        snprintf(who, sizeof who, "all %d clients were", r->clients);
    if (r->think)
        snprintf(what, sizeof what, "raise --threads or lower --think-time");
    else if (enough && slow)
        snprintf(what, sizeof what, "find out why one transaction took %.0f ms",
                 dur_ms(r->longest));
    else
        snprintf(what, sizeof what, "raise --threads or find out why a transaction takes %s ms",
                 ms(took, service));
    say(v, "%s busy%s%s (limit about %s/s); %s", who, r->think ? " or thinking" : "",
        enough ? " for a while" : "", rate(buf, limit), what);
}

static bool is_late(const struct verdict_readings *r, const struct verdict *v)
{
    (void)v;
    return r->late > 0 && r->lag_max > r->longest;
}

static void say_late(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "starts were late by up to %.3f ms, although no transaction took longer than %.3f ms; give "
        "the load generator more CPU time",
        dur_ms(r->lag_max), dur_ms(r->longest));
}

/* In the order in which they are asked; `rules_out` names what is ruled out where the figure is
 * known and the row does not apply.  `slows`: it makes transactions slow, whether or not something
 * is missing or late. */
static const struct cause {
    const char *rules_out;
    bool (*applies)(const struct verdict_readings *r, const struct verdict *v);
    void (*say)(const struct verdict_readings *r, struct verdict *v);
    enum find_limit side;
    bool slows;
} causes[] = {
    {"failures", is_lost, say_lost, FIND_LIMIT_ERRORS, false},
    {"outages", is_away, say_away, FIND_LIMIT_ERRORS, false},
    {NULL, is_mostly_lost, say_lost, FIND_LIMIT_ERRORS, false},
    {"errors", has_errors, say_errors, FIND_LIMIT_ERRORS, false},
    {"a stopped load generator", is_stopped, say_stopped, FIND_LIMIT_CPU_WAIT, false},
    {"its CPU quota", is_throttled, say_throttled, FIND_LIMIT_CLIENT_CPU, false},
    {"its CPU time", is_own_cpu, say_own_cpu, FIND_LIMIT_CLIENT_CPU, true},
    {"the server's CPU time", is_server_cpu, say_server_cpu, FIND_LIMIT_SERVER_CPU, true},
    {"its wait for a CPU", is_server_wait, say_server_wait, FIND_LIMIT_CPU_WAIT, true},
    {NULL, is_own_wait, say_own_wait, FIND_LIMIT_CPU_WAIT, true},
    {"a busy machine", is_machine, say_machine, FIND_LIMIT_CPU_WAIT, true},
    {"row locks", is_locks, say_locks, FIND_LIMIT_LATENCY, true},
    {NULL, is_endless, say_endless, FIND_LIMIT_LATENCY, false},
    {"a server that stood still", is_silent, say_silent, FIND_LIMIT_LATENCY, false},
    {"a late wake-up", is_woken_late, say_woken_late, FIND_LIMIT_CPU_WAIT, false},
    {NULL, is_piled_up, say_piled_up, FIND_LIMIT_LATENCY, false},
    {"busy clients", is_busy, say_busy, FIND_LIMIT_CLIENTS, false},
    {NULL, is_late, say_late, FIND_LIMIT_CPU_WAIT, false},
};
#define CAUSES (sizeof causes / sizeof *causes)

/* A hint is due: the rate was missed, or more than one start in a hundred was late. */
static bool is_short(const struct verdict_readings *r, const struct verdict *v)
{
    return v->held != HELD_YES || r->late * 100 > r->done || r->peak;
}

bool verdict_cause(const struct verdict_readings *r, struct verdict *v)
{
    bool any = is_short(r, v);

    for (size_t i = 0; i < CAUSES; i++)
        if ((any || causes[i].slows) && causes[i].applies(r, v)) {
            causes[i].say(r, v);
            v->side = causes[i].side;
            return true;
        }
    return false;
}

bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    if (!is_own_cpu(r, v))
        return false;
    say_own_cpu(r, v);
    return true;
}

static bool is_known(const struct cause *c, const struct verdict_readings *r)
{
    return c->rules_out && (c->applies != is_own_cpu || r->self_cpu_pct > 0) &&
           (c->applies != is_server_cpu || isfinite(r->server_cpu_pct)) &&
           (c->applies != is_server_wait || isfinite(r->server_waited_pct)) &&
           (c->applies != is_machine || isfinite(r->idle_pct)) &&
           (c->applies != is_locks || r->lock_wait >= 0);
}

static void explain(const struct verdict_readings *r, struct verdict *v)
{
    const char *before = "why is not known; ruled out: ";

    if (verdict_cause(r, v))
        return;
    for (size_t i = 0; i < CAUSES; i++)
        if (is_known(&causes[i], r)) {
            size_t used = strlen(v->why);
            snprintf(v->why + used, sizeof v->why - used, "%s%s", before, causes[i].rules_out);
            before = ", ";
        }
}

static void say_too_short(const struct verdict_readings *r, struct verdict *v)
{
    char buf[32], took[32];

    say(v,
        "%llu of %llu had not ended with the schedule, %.1f are usual (%s/s x %s ms), and chance "
        "may account for the rest; raise --time",
        (ull)r->open, (ull)r->offered, usual(r), rate(buf, r->rate_end), ms(took, r->calm));
}

/* A backlog that was worked off in time is in the latencies all the same. */
static void add_peak(const struct verdict_readings *r, struct verdict *v)
{
    char cause[VERDICT_WHY], buf[32];
    const char *most = r->late * 20 > r->done    ? "; p95 includes it"
                       : r->late * 100 > r->done ? "; p99 includes it"
                                                 : "";

    memcpy(cause, v->why, sizeof cause);
    say(v, "after a backlog of up to %s transactions between second %.1f and %.1f%s%s%.*s",
        text_grouped(buf, r->peak), dur_sec(r->peak_from), dur_sec(r->peak_to), most,
        *cause ? ": " : "", (int)sizeof cause - 140, cause);
}

void verdict_of(const struct verdict_readings *r, struct verdict *v)
{
    const struct held_readings h = {.offered = r->offered,
                                    .lost = r->failed + r->withdrawn + r->dropped,
                                    .open = r->open,
                                    .usual = usual(r),
                                    .together = r->together,
                                    .in_flight = r->target * r->service_mean / 1e9,
                                    .tolerance_pct = r->tolerance_pct};

    *v = (struct verdict){0};
    v->held = held_of(&h, &v->missing);
    if (v->held == HELD_UNKNOWN) {
        say_too_short(r, v);
        return;
    }
    if (is_short(r, v))
        explain(r, v);
    if (v->held == HELD_YES && r->peak)
        add_peak(r, v);
}

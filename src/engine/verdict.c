/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See verdict.h.  The causes have an order, the most certain ones first: what each needs to apply,
 * and its sentence.  A cause applies when its figure accounts for half of what is missing or late,
 * so one hiccup is not blamed for a thousand late starts.  If none applies, the sentence says
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

/* What is in flight at the end of a span without a backlog; NaN: no transaction ended. */
static double usual(const struct verdict_readings *r)
{
    return r->rate_end * r->calm / 1e9;
}

enum held held_of(const struct verdict_readings *r, double *missing)
{
    double allowed = (double)r->offered * r->tolerance_pct / 100;
    double lost = (double)(r->failed + r->withdrawn + r->dropped);
    double open = isfinite(usual(r)) ? usual(r) : 0;
    double piled = fmax((double)r->open - open - r->together, 0);
    double in_flight = r->target * r->service_mean / 1e9; /* on average, in this span */
    double chance = isfinite(in_flight) ? BY_CHANCE * sqrt(in_flight) : 0;

    *missing = fmin(lost + piled, (double)r->offered);
    if (lost + fmax(piled - (chance > allowed ? chance : 0), 0) > allowed)
        return HELD_NO;
    if (r->offered && (*missing > allowed || open > (double)r->offered * TOO_SHORT))
        return HELD_UNKNOWN;
    return HELD_YES;
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

/* Half of what is missing, or of all attempts. */
static bool is_half(const struct verdict_readings *r, const struct verdict *v, uint64_t attempts)
{
    return v->held != HELD_YES &&
           (double)attempts * 2 > fmin(v->missing, (double)(r->done + attempts));
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

    snprintf(buf, MOST_FREQUENT, "%s: %s %s%s", text_error_words(class), code,
             count == 1 ? "once" : text_grouped(n, count), count == 1 ? "" : " times");
    return buf;
}

static void say_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    int n = width(r);
    const char *executor = r->workers ? "worker" : "thread", *s = n > 1 ? "s" : "";
    const char *rest =
        verdict_self_pct(r) > USED_UP ? "" : " and waited for a CPU for most of the rest";
    char used[80];

    snprintf(used, sizeof used, "%.0f%% of %s%d", verdict_self_pct(r),
             n == r->cpus ? "its " : "the CPU time of its ", n);
    if (n == r->cpus)
        say(v, "the load generator used %s CPU%s%s; give it more CPUs%s", used, s, rest,
            or_lower(r));
    else
        say(v, "the load generator used %s %s%s%s; raise --%ss", used, executor, s, rest, executor);
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

static void say_busy(const struct verdict_readings *r, struct verdict *v)
{
    bool enough = limit_of(r, r->service_mean) > r->target;
    double service = enough ? r->worst : r->service_mean, limit = limit_of(r, service);
    char who[48] = "the only client was", buf[32], took[32], what[96];

    if (r->clients == 2)
        snprintf(who, sizeof who, "both clients were");
    else if (r->clients > 2)
        snprintf(who, sizeof who, "all %d clients were", r->clients);
    if (r->think)
        snprintf(what, sizeof what, "raise --threads or lower --think-time");
    else if (enough && (double)r->longest > 2 * service)
        snprintf(what, sizeof what, "find out why one transaction took %.0f ms",
                 dur_ms(r->longest));
    else
        snprintf(what, sizeof what, "raise --threads or find out why a transaction takes %s ms",
                 ms(took, service));
    say(v, "%s busy%s%s (limit about %s/s); %s", who, r->think ? " or thinking" : "",
        enough ? " for a while" : "", rate(buf, limit), what);
}

/* In the order in which they are asked. */
enum cause {
    FAILURES,
    OUTAGES,
    MOST_FAILURES,
    ERRORS,
    STOPPED,
    QUOTA,
    OWN_CPU,
    SERVER_CPU,
    SERVER_WAIT,
    OWN_WAIT,
    MACHINE,
    LOCKS,
    ENDLESS,
    SILENT,
    WOKEN_LATE,
    PILED_UP,
    BUSY,
    LATE,
    CAUSES
};

/* `rules_out` names what is ruled out where the figure is known and the row does not apply.
 * `slows`: it makes transactions slow, whether or not something is missing or late. */
static const struct {
    const char *rules_out;
    enum find_limit side;
    bool slows;
} causes[CAUSES] = {
    [FAILURES] = {"failures", FIND_LIMIT_ERRORS, false},
    [OUTAGES] = {"outages", FIND_LIMIT_ERRORS, false},
    [MOST_FAILURES] = {NULL, FIND_LIMIT_ERRORS, false},
    [ERRORS] = {"errors", FIND_LIMIT_ERRORS, false},
    [STOPPED] = {"a stopped load generator", FIND_LIMIT_CPU_WAIT, false},
    [QUOTA] = {"its CPU quota", FIND_LIMIT_CLIENT_CPU, false},
    [OWN_CPU] = {"its CPU time", FIND_LIMIT_CLIENT_CPU, true},
    [SERVER_CPU] = {"the server's CPU time", FIND_LIMIT_SERVER_CPU, true},
    [SERVER_WAIT] = {"its wait for a CPU", FIND_LIMIT_CPU_WAIT, true},
    [OWN_WAIT] = {NULL, FIND_LIMIT_CPU_WAIT, true},
    [MACHINE] = {"a busy machine", FIND_LIMIT_CPU_WAIT, true},
    [LOCKS] = {"row locks", FIND_LIMIT_LATENCY, true},
    [ENDLESS] = {NULL, FIND_LIMIT_LATENCY, false},
    [SILENT] = {"a server that stood still", FIND_LIMIT_LATENCY, false},
    [WOKEN_LATE] = {"a late wake-up", FIND_LIMIT_CPU_WAIT, false},
    [PILED_UP] = {NULL, FIND_LIMIT_LATENCY, false},
    [BUSY] = {"busy clients", FIND_LIMIT_CLIENTS, false},
    [LATE] = {NULL, FIND_LIMIT_CPU_WAIT, false},
};

static bool applies(enum cause c, const struct verdict_readings *r, const struct verdict *v)
{
    const bool missed = v->held != HELD_YES;
    const uint64_t lost = r->failed + r->withdrawn;

    switch (c) {
    case FAILURES: return missed && (double)lost * 2 > v->missing;
    case OUTAGES: /* a backlog that was worked off: of which it made half or more */
        return accounts(r, v, r->away) ||
               (!missed && r->peak && dur_sec(r->peak_away) * r->target * 2 > (double)r->peak);
    case MOST_FAILURES: return is_half(r, v, lost);
    case ERRORS: return r->error && is_half(r, v, r->errors);
    case STOPPED: return accounts(r, v, r->stopped);
    case QUOTA: return accounts(r, v, r->throttled);
    case OWN_CPU:
        return verdict_self_pct(r) > USED_UP ||
               (wants_more_cpu(r) && r->self_cpu_pct > r->self_wait_pct);
    case SERVER_CPU: return verdict_server_pct(r) > USED_UP;
    case SERVER_WAIT:
        return r->server_waited_pct > 50 && (double)r->server_wait * 2 > service_sum(r);
    case OWN_WAIT: /* for longer than half of the time that transactions took, or were late */
        return wants_more_cpu(r) ||
               ((double)r->self_wait * 2 > service_sum(r) && r->self_wait > r->scheduled / 2);
    case MACHINE: /* a busy one slows down nothing that sleeps: somebody must have waited */
        return r->idle_pct < 5 && r->server_wait >= 0 && r->self_wait >= 0 &&
               (double)(r->server_wait + r->self_wait) * 4 > service_sum(r);
    case LOCKS: return r->lock_wait > 0 && (double)r->lock_wait * 2 > service_sum(r);
    case ENDLESS: return r->service_n == 0;
    case SILENT: /* much longer than a transaction takes, and than there is none */
        return accounts(r, v, r->silence) && (double)r->silence > 5 * r->calm &&
               dur_sec(r->silence) * r->target > 10;
    case WOKEN_LATE:
        /* Clients that were idle in time began late: most of the late starts, or a few that were so
         * late that what was due meanwhile accounts for half.  Starts that were dropped have no
         * such witness: what is left is what was not very late. */
        if (r->clients_left || r->late_idle == 0)
            return false;
        if (missed && (double)r->waiting * 2 > v->missing)
            return limit_of(r, r->service_mean) > r->target && r->worst_wake * 2 > r->longest &&
                   accounts(r, v, r->worst_wake);
        if ((double)r->late_idle * 2 > fmax((double)r->late, lacking(r, v)))
            return !missed || r->worst_wake <= 0 || accounts(r, v, r->worst_wake);
        return !r->dropped && accounts(r, v, r->worst_wake) && r->worst_wake * 2 > r->lag_max;
    case PILED_UP: /* they were begun, and most in time: there were clients enough */
        return missed && r->service_n && (double)(r->open - r->waiting) * 2 > v->missing &&
               (double)r->late * 2 < (double)r->done;
    case BUSY:
        /* clients that are busy delay a start by no more than a transaction takes, unless they are
         * busy half of the time or more, as where arrivals come in bursts, or could not do the rate
         * for a while */
        return (r->clients_left || r->late_idle * 2 <= r->late) &&
               (limit_of(r, r->worst) < 2 * r->target || r->longest * 2 > r->lag_max);
    case LATE: return r->late > 0 && r->lag_max > r->longest;
    case CAUSES: break;
    }
    return false;
}

static void say_cause(enum cause c, const struct verdict_readings *r, struct verdict *v)
{
    ull failed = r->failed, withdrawn = r->withdrawn, offered = r->offered;
    char buf[MOST_FREQUENT];

    switch (c) {
    case FAILURES:
    case MOST_FAILURES:
        if (!withdrawn && r->error)
            say(v, "%llu of %llu transactions failed (%s); fix this first", failed, offered,
                say_error(buf, r->error, r->error_code, r->error_count));
        else if (!withdrawn)
            say(v, "%llu of %llu transactions failed; fix their errors first", failed, offered);
        else if (!failed)
            say(v, "the script withdrew %llu of %llu transactions; check its event loop", withdrawn,
                offered);
        else
            say(v, "of %llu transactions %llu failed and the script withdrew %llu; fix these first",
                offered, failed, withdrawn);
        break;
    case OUTAGES:
        say(v, "no transaction succeeded for %.3f s (%s); see Outages", dur_sec(r->away),
            r->away_error ? say_error(buf, r->away_error, r->away_code, r->away_count) : "errors");
        break;
    case ERRORS:
        say(v, "%s; fix this first", say_error(buf, r->error, r->error_code, r->error_count));
        break;
    case STOPPED:
        say(v,
            "the load generator did not run for at least %.3f s; see Incidents, and leave it and "
            "its machine running",
            dur_sec(r->stopped));
        break;
    case QUOTA:
        say(v,
            "a CPU quota stopped the load generator for %.3f s; raise the quota of its control "
            "group%s",
            dur_sec(r->throttled), or_lower(r));
        break;
    case OWN_CPU: say_own_cpu(r, v); break;
    case SERVER_CPU:
        say(v, "the server used %.0f%% of its %d CPU%s; give it more CPUs%s", verdict_server_pct(r),
            r->server_cpus, r->server_cpus > 1 ? "s" : "", or_lower(r));
        break;
    case SERVER_WAIT:
        say(v, "the server waited for a CPU for %.0f%% of the time that it could run",
            r->server_waited_pct);
        add_machine(r, r->server_here, v);
        break;
    case OWN_WAIT:
        say(v, "threads of the load generator waited %.1f s for a CPU", dur_sec(r->self_wait));
        add_machine(r, true, v);
        break;
    case MACHINE:
        say(v, "no CPU of this machine was idle");
        add_machine(r, true, v);
        break;
    case LOCKS:
        say(v,
            "transactions waited %.1f s for row locks, %.0f%% of their time; spread them over more "
            "rows%s",
            dur_sec(r->lock_wait), 100 * (double)r->lock_wait / service_sum(r), or_lower(r));
        break;
    case ENDLESS: say(v, "no transaction ended; raise --time or check the server"); break;
    case SILENT:
        say(v,
            "no transaction ended for %.1f s (from second %.1f on), although some were running; "
            "find out what they waited for",
            dur_sec(r->silence), dur_sec(r->silent_from));
        break;
    case WOKEN_LATE:
        *buf = '\0';
        if (r->worst_wake > 0)
            snprintf(buf, sizeof buf, ", by up to %.3f ms", dur_ms(r->worst_wake));
        say(v,
            "the load generator woke up late%s (%llu of %llu late starts had an idle client); give "
            "it more CPU time",
            buf, (ull)r->late_idle, (ull)r->late);
        break;
    case PILED_UP:
        say(v,
            "%.0f transactions piled up in the server and had not ended with the schedule; speed "
            "up the server%s",
            v->missing, or_lower(r));
        break;
    case BUSY: say_busy(r, v); break;
    case LATE:
        say(v,
            "starts were late by up to %.3f ms, although no transaction took longer than %.3f ms; "
            "give the load generator more CPU time",
            dur_ms(r->lag_max), dur_ms(r->longest));
        break;
    case CAUSES: break;
    }
}

/* A hint is due: the rate was missed, or more than one start in a hundred was late. */
static bool is_short(const struct verdict_readings *r, const struct verdict *v)
{
    return v->held != HELD_YES || r->late * 100 > r->done || r->peak;
}

bool verdict_cause(const struct verdict_readings *r, struct verdict *v)
{
    bool any = is_short(r, v);

    for (enum cause c = 0; c < CAUSES; c++)
        if ((any || causes[c].slows) && applies(c, r, v)) {
            say_cause(c, r, v);
            v->side = causes[c].side;
            return true;
        }
    return false;
}

bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    bool used_up = applies(OWN_CPU, r, v);

    if (used_up)
        say_own_cpu(r, v);
    return used_up;
}

void verdict_of(const struct verdict_readings *r, struct verdict *v)
{
    const char *between = "why is not known; ruled out: ";
    char cause[VERDICT_WHY], buf[32], took[32], until[32];

    *v = (struct verdict){0};
    v->held = held_of(r, &v->missing);
    if (v->held == HELD_UNKNOWN) {
        say(v,
            "%llu of %llu were unfinished when the schedule ended, %.1f are usual (%s/s x %s ms), "
            "and the rest may be chance; raise --time",
            (ull)r->open, (ull)r->offered, usual(r), rate(buf, r->rate_end), ms(took, r->calm));
        return;
    }
    if (is_short(r, v) && !verdict_cause(r, v))
        for (enum cause c = 0; c < CAUSES; c++)
            if (causes[c].rules_out && (c != OWN_CPU || r->self_cpu_pct > 0) &&
                (c != SERVER_CPU || isfinite(r->server_cpu_pct)) &&
                (c != SERVER_WAIT || isfinite(r->server_waited_pct)) &&
                (c != MACHINE || isfinite(r->idle_pct)) && (c != LOCKS || r->lock_wait >= 0)) {
                size_t used = strlen(v->why);
                snprintf(v->why + used, sizeof v->why - used, "%s%s", between, causes[c].rules_out);
                between = ", ";
            }
    if (v->held == HELD_YES && r->peak) {
        /* a backlog that was worked off in time is in the latencies all the same */
        memcpy(cause, v->why, sizeof cause);
        snprintf(took, sizeof took, "%.1f", dur_sec(r->peak_from));
        snprintf(until, sizeof until, "%.1f", dur_sec(r->peak_to));
        bool moment = strcmp(took, until) == 0;
        say(v, "after a backlog of up to %s transactions %s second %s%s%s%s%s%.*s",
            text_grouped(buf, r->peak), moment ? "at" : "between", took, moment ? "" : " and ",
            moment ? "" : until,
            r->late * 20 > r->done    ? "; p95 includes it"
            : r->late * 100 > r->done ? "; p99 includes it"
                                      : "",
            *cause ? ": " : "", (int)sizeof cause - 140, cause);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See verdict.h.  Checks the causes one after the other, the most certain one first; the sentence
 * is that of the first that applies.
 */
#include "engine/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

/*
 * How many ended so long after the schedule that they were not delivered at its rate.  Transactions
 * in flight at the end of the schedule take about the mean service time, and with a steady load
 * only few take longer: the number that chance explains, the square root of the total, is
 * tolerated.  More than that had piled up in the server.
 */
static uint64_t piled_up(const struct verdict_readings *r)
{
    uint64_t n = r->trailing, chance = (uint64_t)ceil(sqrt((double)r->offered));

    n = n > r->done ? r->done : n;
    return n > chance ? n - chance : 0;
}

/* The share of what was offered that was done, without what had piled up; times the time that the
 * schedule took over the time in which it was begun: transactions that could only begin after
 * --events / rate were not delivered at that rate. */
static double delivered(const struct verdict_readings *r)
{
    double in_time = 1;

    if (r->offered == 0)
        return 1;
    if (r->begun > r->scheduled && r->scheduled > 0)
        in_time = dur_sec(r->scheduled) / dur_sec(r->begun);
    return (double)(r->done - piled_up(r)) / (double)r->offered * in_time;
}

/* How many transactions per second so many clients can do: each is busy for the service time, then
 * thinks.  NaN without a transaction. */
static double limit_of(const struct verdict_readings *r)
{
    return r->clients / ((r->service_mean + (double)r->think) / 1e9);
}

/* The number of CPUs on which the load generator can run at once. */
static int width(const struct verdict_readings *r)
{
    int threads = r->workers ? r->workers : r->clients;

    return threads < r->cpus ? threads : r->cpus;
}

/*
 * True when the lateness comes from clients that were idle in time and woke up late.  When most of
 * the missing transactions never began, clients were usually busy; but a load generator that stood
 * still leaves starts undone as well.  Then clients that had been idle woke up late, by a time that
 * accounts for half of what is missing and that no transaction took.
 */
static bool woke_late(const struct verdict_readings *r, bool sustained)
{
    uint64_t missing = r->offered - r->done;

    if (r->clients_left)
        return false;
    if (!sustained && r->unfinished * 2 > missing)
        return limit_of(r) > r->target && r->worst_wake * 2 > r->longest &&
               dur_sec(r->worst_wake) * r->target * 2 >= (double)missing;
    return r->late_idle * 2 > r->late || (r->worst_wake > 0 && r->worst_wake * 2 > r->lag_max);
}

/* True when the time in which the server was away accounts for half of what is missing, or of what
 * was late. */
static bool was_away(const struct verdict_readings *r, bool sustained)
{
    uint64_t lacking = sustained ? r->late : r->offered - r->done;

    return r->away > 0 && dur_sec(r->away) * r->target * 2 >= (double)lacking;
}

/* "1,768" */
static const char *thousands(char buf[32], uint64_t v)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (ull)v), out = 0;

    for (int i = 0; i < n; i++) {
        buf[out++] = digits[i];
        if (i + 1 < n && (n - i) % 3 == 1)
            buf[out++] = ',';
    }
    buf[out] = '\0';
    return buf;
}

/* "1,768", "0.62": a rate as people write it. */
static const char *rate(char buf[32], double v)
{
    if (v < 10 || v >= 1e12) {
        snprintf(buf, 32, v < 10 ? "%.2f" : "%.3g", v);
        return buf;
    }
    return thousands(buf, (uint64_t)(v + 0.5));
}

__attribute__((format(printf, 2, 3))) static void say(struct verdict *v, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(v->why, sizeof v->why, fmt, ap);
    va_end(ap);
}

/* An error by its class, as people say it. */
static const char *error_words(const char *class)
{
    static const struct {
        const char *class, *words;
    } t[] = {{"connection", "no connection"},
             {"overload", "too many connections"},
             {"deadlock", "deadlocks"},
             {"lock-wait", "locks not granted in time"},
             {"serialization", "serialization failures"},
             {"duplicate", "duplicate keys"},
             {"read-only", "read-only server"},
             {"cluster", "cluster not ready"},
             {"cancelled", "cancelled statements"},
             {"shutdown", "server shutting down or starting"},
             {"statement-limit", "too many prepared statements"},
             {"missing", "missing table or database"},
             {"access", "access denied"},
             {"tls", "TLS"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (strcmp(t[i].class, class) == 0)
            return t[i].words;
    return "errors";
}

#define MOST_FREQUENT 120

/* "read-only server: 1290 (HY000) 1,860 times" */
static const char *say_error(char buf[MOST_FREQUENT], const char *class, const char *code,
                             uint64_t count)
{
    char n[32];

    snprintf(buf, MOST_FREQUENT, "%s: %s %s", error_words(class), code,
             count == 1 ? "once" : thousands(n, count));
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

static void say_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    int n = width(r);
    double pct = r->self_cpu_pct / n;
    const char *carrier = r->workers ? "worker" : "thread", *s = n > 1 ? "s" : "";

    if (n == r->cpus)
        say(v,
            "the load generator used %.0f%% of its %d CPU%s; give it more CPUs or lower the rate",
            pct, n, s);
    else
        say(v, "the load generator used %.0f%% of the CPU time of its %d %s%s; raise --%ss", pct, n,
            carrier, s, carrier);
}

/* True when the time in which a CPU quota stopped the load generator accounts for half of what is
 * missing, or of what was late. */
static bool was_throttled(const struct verdict_readings *r, bool sustained)
{
    uint64_t lacking = sustained ? r->late : r->offered - r->done;

    return r->throttled > 0 && dur_sec(r->throttled) * r->target * 2 >= (double)lacking;
}

static void say_throttled(const struct verdict_readings *r, struct verdict *v)
{
    say(v,
        "a CPU quota stopped the load generator for %.3f s; raise the quota of its control group "
        "or lower the rate",
        dur_sec(r->throttled));
}

static void say_busy(const struct verdict_readings *r, struct verdict *v)
{
    double limit = limit_of(r);
    bool enough = limit > r->target;
    const char *thinking = r->think ? " or thinking" : "";
    const char *less = r->think ? " or lower --think-time" : "";
    char who[48] = "the only client was", peak[64] = "", buf[32];

    if (r->clients == 2)
        snprintf(who, sizeof who, "both clients were");
    else if (r->clients > 2)
        snprintf(who, sizeof who, "all %d clients were", r->clients);
    if (enough && (double)r->longest > 2 * r->service_mean)
        snprintf(peak, sizeof peak, ", but one transaction took %.3f ms", dur_ms(r->longest));
    say(v, "%s busy%s%s (limit about %s/s%s); raise --threads%s", who, thinking,
        enough ? " for a while" : "", rate(buf, limit), peak, less);
}

static void say_woke_late(const struct verdict_readings *r, struct verdict *v)
{
    char most[48] = "";

    if (r->worst_wake > 0)
        snprintf(most, sizeof most, ", by up to %.3f ms", dur_ms(r->worst_wake));
    say(v,
        "the load generator woke up late%s (%llu of %llu late starts had an idle client); give it "
        "more CPU time",
        most, (ull)r->late_idle, (ull)r->late);
}

static void explain_cause(const struct verdict_readings *r, struct verdict *v)
{
    uint64_t lost = r->failed + r->withdrawn, missing = r->offered - r->done, piled = piled_up(r);

    if (!v->sustained && lost * 2 > missing)
        say_lost(r, v);
    else if (was_away(r, v->sustained))
        say_away(r, v);
    else if (!v->sustained && r->error && r->errors * 2 > missing)
        say_errors(r, v);
    else if (was_throttled(r, v->sustained))
        say_throttled(r, v);
    else if (r->self_cpu_pct / width(r) > 90)
        say_own_cpu(r, v);
    else if (!v->sustained && piled * 2 > piled + missing)
        say(v,
            "%llu transactions piled up in the server and ended after the schedule; lower the "
            "rate or speed up the server",
            (ull)piled);
    else if (woke_late(r, v->sustained))
        say_woke_late(r, v);
    else if (r->service_n == 0)
        say(v, "no transaction ended; raise --time or check the server");
    else
        say_busy(r, v);
}

void verdict_of(const struct verdict_readings *r, struct verdict *v)
{
    *v = (struct verdict){.sustained = delivered(r) >= 1 - r->tolerance_pct / 100};
    /* a hint is due when the rate was missed, or when more than one start in a hundred was late */
    if (!v->sustained || r->late * 100 > r->done)
        explain_cause(r, v);
}

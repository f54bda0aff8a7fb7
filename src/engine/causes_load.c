/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The causes on the side of the load generator: its clients, its script, its CPU time and its waits
 * for a CPU.  See causes.h.
 */
#include "engine/causes.h"

#include <math.h>
#include <stdio.h>

#include "report/text.h"

#define MOMENTS 5.0   /* per cent of its time that a thread waits for a CPU */
#define EXACT   0.005 /* of a client, by which computing may be off */

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

static double own_bound(const struct account *a)
{
    return a->ended / (verdict_self_pct(a->r) / 100);
}

static void say_own_cpu(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    int n = own_width(r);
    const char *executor = r->workers ? "worker" : "thread";
    char cost[32], most[32];

    if (own_bound(a) >= r->target) /* of transactions that are slow, or of a warning */
        say(a->v, "the load generator used %.0f%% of %s%d %s%s; ", verdict_self_pct(r),
            n == r->cpus ? "its " : "the CPU time of its ", n, n == r->cpus ? "CPU" : executor,
            say_s(n));
    else
        say(a->v,
            "a transaction costs the load generator %s ms of CPU time, so its %d %s%s do%s %s/s "
            "at most; ",
            say_ms(cost, r->self_cpu_pct / 100 / a->ended * 1e9), n,
            n == r->cpus ? "CPU" : executor, say_s(n), n == 1 ? "es" : "",
            say_limit(most, a, own_bound(a)));
    if (n == r->cpus)
        say(a->v, "give it more CPUs%s", say_or_lower(r));
    else
        say(a->v, "raise --%ss", executor);
}

CAUSE(own_cpu, "the load generator's CPU time", CLIENT_CPU, .bound = own_bound);

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
    double bound = fmax(clients_bound(a), a->ended), turn = r->clients / bound;
    double mean = fmin((r->service_mean + (double)r->think) / 1e9, r->clients / a->ended);
    /* what disturbed them a little will do so again */
    double needed = r->target * (mean > turn && mean < APART * turn ? mean : turn);

    needed = fmax(ceil(needed - EXACT), r->clients + 1);
    char buf[32], took[32], many[32], target[32];

    if (r->clients == 1)
        say(a->v, "one client");
    else
        say(a->v, "%d clients", r->clients);
    if (r->think)
        say(a->v, " with %s ms of think time", say_ms(took, (double)r->think));
    say(a->v, " do%s %s/s at most", r->clients == 1 ? "es" : "", say_limit(buf, a, bound));
    if (!r->think)
        say(a->v, " at %s ms a transaction", say_ms(took, r->clients / bound * 1e9));
    if (r->script_pct > 50)
        say(a->v, " (%.0f%% of it in the script)", r->script_pct);
    else
        say_waiting(a);
    say(a->v, "; %s are needed for %s/s", text_grouped(many, (uint64_t)needed),
        say_rate(target, r->target));
    if (r->early * 2 < a->each) /* some of them, so that others took no longer */
        say(a->v, ", unless they wait for each other (the first ones took %s ms)",
            say_ms(took, r->early));
}

CAUSE(clients, "the number of clients", CLIENTS, .bound = clients_bound);

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
    say(a->v, "%s busy for a while%s; raise --threads", who,
        a->r->uneven ? ", when starts came faster than on average" : "");
}

CAUSE(bursts, "starts faster than the clients can do", CLIENTS, .part = bursts);

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

static double blocked(const struct account *a)
{
    const struct verdict_readings *r = a->r;

    if (!(blocked_pct(r) * 2 > r->worker_pct))
        return 0;
    return a->late *
           part_of(blocked_pct(r) / 100 * (double)(r->to - r->from) * r->own, a->loss.idle);
}

static void say_script(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double bound = script_bound(a);
    char took[32], most[32];

    say(a->v, "the script blocks its worker for %s ms a transaction",
        say_ms(took, blocked_pct(r) / 100 * r->workers / a->ended * 1e9));
    if (bound < r->target)
        say(a->v, ": %d worker%s do%s %s/s at most", r->workers, say_s(r->workers),
            r->workers == 1 ? "es" : "", say_limit(most, a, bound));
    say(a->v, "; use --workers=0");
}

CAUSE(script, "the script", CLIENTS, .bound = script_bound, .part = blocked);

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

CAUSE(stopped, "a stopped load generator", CPU_WAIT, .part = stopped);

/* The quota was used up, so it is one of the load generator alone, or nearly. */
static double quota_bound(const struct account *a)
{
    return a->r->quota > 0 ? a->ended / (a->r->self_cpu_pct / 100 / a->r->quota) : (double)NAN;
}

static double throttled(const struct account *a)
{
    return a->late * part_of((double)a->r->throttled * a->r->own, a->loss.idle);
}

static void say_throttled(const struct account *a)
{
    double bound = quota_bound(a);
    char most[32];

    say(a->v, "a CPU quota stopped the load generator for %.3f s", dur_sec(a->r->throttled));
    if (bound < a->r->target)
        say(a->v, ": its %.3g CPUs do %s/s at most", a->r->quota, say_limit(most, a, bound));
    say(a->v, "; raise the quota of its control group%s", say_or_lower(a->r));
}

CAUSE(throttled, "the load generator's CPU quota", CLIENT_CPU, .bound = quota_bound,
      .part = throttled);

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
           a->slow * part_of(fmin((double)a->r->self_wait, outside_server(a)), a->excess);
}

static void say_own_wait(const struct account *a)
{
    say(a->v, "threads of the load generator waited %.*f s for a CPU",
        a->r->self_wait < NS_PER_SEC ? 3 : 1, dur_sec(a->r->self_wait));
    say_machine_time(a->r, true, a->r->quota > 0 ? a->r->quota : a->r->cpus,
                     100 * part_of(a->r->self_wait_pct, a->r->self_wait_pct + a->r->self_cpu_pct),
                     a->v);
}

CAUSE(own_wait, "the load generator's wait for a CPU", CPU_WAIT, .part = own_wait);

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

CAUSE(woken_late, "a late wake-up", CPU_WAIT, .part = woken_late);

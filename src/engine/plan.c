/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options into a plan.  Error messages about stock's options are stock's (scripts match
 * them); those about our own name the option, the value and the allowed values.
 */
#include "engine/plan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "report/report_options.h"

static const struct opt_row general_rows[] = {
    {OPT_ROW("threads", INT, "1", OPT_COUNT, "number of threads to use")},
    {OPT_ROW("events", INT, "0", OPT_COUNT, "limit for total number of events")},
    {OPT_ROW("time", INT, "10", OPT_SECONDS, "limit for total execution time in seconds")},
    {OPT_ROW("warmup-time", INT, "0", OPT_SECONDS,
             "execute events for this many seconds with statistics disabled before the actual "
             "benchmark run with statistics enabled")},
    {OPT_ROW("warmup-until", STRING, "", OPT_OWN | OPT_OPEN,
             "end the warm-up when the load is steady, at the latest after --warmup-time; "
             "steady:2% sets how much it may change in 10 s (default 5%)"),
     .choices = "steady"},
    {OPT_ROW("forced-shutdown", STRING, "off", OPT_MAY_BE_EMPTY | OPT_OPEN,
             "number of seconds to wait after the --time limit before forcing shutdown, or 'off' "
             "to disable"),
     .choices = "off"},
    {OPT_ROW("thread-stack-size", SIZE, "64K", OPT_PER_RANK, "size of stack per thread")},
    {OPT_ROW("thread-init-timeout", INT, "30", OPT_SECONDS,
             "wait time in seconds for worker threads to initialize, 0 for no limit")},
    {OPT_ROW("rate", INT, "0", OPT_COUNT,
             "average transactions rate, Poisson arrivals. 0 for unlimited rate")},
    {OPT_ROW("report-interval", DOUBLE, "0", OPT_SECONDS,
             "periodically report intermediate statistics with a specified interval in seconds. "
             "0 disables intermediate reports")},
    {OPT_ROW("report-checkpoints", LIST, "", OPT_MAY_BE_EMPTY,
             "dump full statistics and reset all counters at specified points in time. The "
             "argument is a list of comma-separated values representing the amount of time in "
             "seconds elapsed from start of test when report checkpoint(s) must be performed. "
             "Report checkpoints are off by default.")},
    {OPT_ROW("debug", BOOL, "off", 0, "print more debugging info")},
    {OPT_ROW("validate", BOOL, "off", 0, "perform validation checks where possible")},
    {OPT_ROW("help", BOOL, "off", 0, "print help and exit")},
    {OPT_ROW("version", BOOL, "off", 0, "print version and exit")},
    {OPT_ROW("verbose", BOOL, "off", OPT_HIDDEN | OPT_OWN,
             "with --version: compiler, libraries, drivers")},
    {OPT_ROW("config-file", FILE, NULL, OPT_PER_RANK | OPT_MAY_BE_EMPTY,
             "File containing command line options")},
    {OPT_ROW("options-read", STRING, NULL, OPT_OWN | OPT_PER_RANK,
             "write the names of the options that prepare, or another command but run, looks at "
             "to this file")},
    {OPT_ROW("luajit-cmd", STRING, NULL, OPT_MAY_BE_EMPTY | OPT_OPEN,
             "perform a LuaJIT control command, as 'luajit -j' does {on, off, flush, v, "
             "dump=..., ...}"),
     .choices = "on|off|flush|v|dump"},
    {OPT_ROW("max-requests", INT, "0", OPT_COUNT, "deprecated alias for --events")},
    {OPT_ROW("max-time", INT, "0", OPT_SECONDS, "deprecated alias for --time")},
    {OPT_ROW("num-threads", INT, "1", OPT_COUNT, "deprecated alias for --threads")},
};

static const struct opt_row log_rows[] = {
    {OPT_ROW("verbosity", INT, "3", OPT_PER_RANK,
             "verbosity level {5 - debug, 0 - only critical messages}")},
};

static const struct opt_row latency_rows[] = {
    {OPT_ROW("percentile", LIST, "95", OPT_SHOWN_AS_INT | OPT_FIRST_NUMBER | OPT_MAY_BE_EMPTY,
             "percentile to calculate in latency statistics (1-100), or a list of them: "
             "50,95,99.9. Use the special value of 0 to disable percentile calculations")},
    {OPT_ROW("histogram", BOOL, "off", 0, "print latency histogram in report")},
};

static const struct opt_row old_rows[] = {
    {OPT_ROW("intermediate-result-timer", INT, "0", OPT_OLD | OPT_SECONDS,
             "old name of --report-interval"),
     .now = "report-interval"},
    {OPT_ROW("batch", STRING, "off", OPT_OLD | OPT_MAY_BE_EMPTY,
             "with --compat=0.4: a line of statistics every --batch-delay seconds {on, off}")},
    {OPT_ROW("batch-delay", INT, "300", OPT_OLD | OPT_SECONDS,
             "seconds between the lines of --batch")},
};

static const struct opt_row random_rows[] = {
    {OPT_ROW("init-rng", BOOL, "off", OPT_OLD, "seed the random numbers from the clock")},
    {OPT_ROW("rand-init", BOOL, "off", OPT_OLD, "the name of --init-rng in 0.5")},
    {OPT_ROW("seed-rng", INT, "0", OPT_OLD, "old name of --rand-seed"), .now = "rand-seed"},
};

/* script/lua_states.c reads lua-state; the row is here for its place in --help. */
static const struct opt_row client_rows[] = {
    {OPT_ROW("workers", STRING, "default", OPT_PER_RANK | OPT_OPEN,
             "number of OS threads that run all clients of --threads, 'auto' for one per 3 CPUs, "
             "at least two, but at most one per CPU and per 4 clients, 0 for one thread per "
             "client, or 'default': auto for the bundled scripts with 8 threads or more, else 0"),
     .choices = "default|auto"},
    {OPT_ROW("lua-state", STRING, "auto", OPT_PER_RANK,
             "with --workers, number of Lua states {}: one per client; one per worker, in which "
             "each client has its own globals; or auto: one per worker that has 64 clients or "
             "more"),
     .of = "workers", .mark = "lua-state=", .choices = "auto|client|worker"},
    {OPT_ROW("worker-warn", INT, "100", OPT_PER_RANK | OPT_MILLIS,
             "with --workers, warn when a script blocks its worker for longer than this many "
             "milliseconds. 0: off"),
     .of = "workers", .mark = "warn=", .max = 3600000},
    {OPT_ROW("worker-batch", INT, "0", OPT_PER_RANK | OPT_MICROS,
             "with workers and without a rate, batch replies: wait up to this many microseconds "
             "before reading them. Saves CPU time of the client and adds to each latency. 0: off"),
     .of = "workers", .mark = "batch=", .max = 10000},
    {OPT_ROW("min-clients", STRING, "100%", OPT_OWN,
             "begin the run with those clients that could connect when they are at least N, or "
             "PCT% of --threads; the others keep trying")},
    {OPT_ROW("think-time", STRING, "0", 0,
             "pause of each client after a transaction: MS milliseconds, or MS:exp for "
             "exponentially distributed pauses with that mean")},
    {OPT_ROW("trx-retries", STRING, "unlimited", OPT_OPEN,
             "how often a transaction is run again after an error before it counts as failed, a "
             "number or 'unlimited'"),
     .choices = "unlimited"},
    {OPT_ROW("error-backoff", INT, "1000", OPT_MILLIS,
             "longest pause, in milliseconds, of a client whose errors repeat without a success "
             "between them. 0 disables the pauses"),
     .of = "trx-retries", .mark = "backoff=", .max = 3600000},
};

void plan_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_GENERAL, general_rows, COUNT(general_rows));
    generation_options(o);
    opts_add(o, OPT_GROUP_GENERAL, old_rows, COUNT(old_rows));
    opts_add(o, OPT_GROUP_RANDOM, random_rows, COUNT(random_rows));
    opts_add(o, OPT_GROUP_CLIENTS, client_rows, COUNT(client_rows));
    plan_rate_options(o);
    opts_add(o, OPT_GROUP_LOG, log_rows, COUNT(log_rows));
    opts_add(o, OPT_GROUP_LOG_LATENCY, latency_rows, COUNT(latency_rows));
}

int plan_invalid(struct err *e, const char *option, const char *fmt, ...)
{
    char text[sizeof e->msg];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(e, ERR_USAGE, "Invalid value for --%s: %s", option, text);
}

/* Of a number that stock reads: blanks and a sign may stand before it. */
static bool read_seconds(const char *text, dur_ns *out)
{
    text += strspn(text, " \t");
    return units_duration(text + (*text == '+'), NS_PER_SEC, out, NULL) == 0 &&
           *out <= INT32_MAX * NS_PER_SEC;
}

/* "off", empty (5 % of the time), a time, "N%" of --time and --warmup-time: whole seconds, as stock
 * counts them, of whole seconds. */
static int read_forced(struct plan *p, const char *v, struct err *e)
{
    const dur_ns whole = p->time_limit + p->warmup;
    double percent = 5, grace;
    size_t n = strlen(v);

    if (strcasecmp(v, "off") == 0)
        return 0;
    if (n && v[n - 1] != '%') {
        if (!read_seconds(v, &p->forced_grace))
            percent = -1;
    } else if (n && (units_percent(v, 0, INT32_MAX, &percent, NULL))) {
        percent = -1;
    }
    if (percent < 0)
        return plan_invalid(e, "forced-shutdown",
                            "'%s' (off, seconds, or a percentage of --time such as 5%%)", v);
    if (!n || v[n - 1] == '%') {
        grace = fmin(dur_sec(whole) * percent / 100, INT32_MAX);
        if (whole % NS_PER_SEC == 0)
            grace = floor(grace);
        p->forced_grace = (dur_ns)llround(grace * 1e9);
    }
    if (p->time_limit)
        p->forced = FORCED_ON;
    else
        p->forced_grace = 0;
    return 0;
}

static int by_duration(const void *a, const void *b)
{
    dur_ns x = *(const dur_ns *)a, y = *(const dur_ns *)b;
    return (x > y) - (x < y);
}

/* --report-checkpoints; --report-interval: whole seconds as in stock, or a fraction of at least a
 * tenth. */
static int read_reports(struct plan *p, const struct opts *o, struct err *e)
{
    const double least = dur_sec(PLAN_LEAST_INTERVAL), s = opt_double(o, "report-interval");
    const char *text = opt_str(o, "report-interval");
    size_t n;
    char **item = opt_list(o, "report-checkpoints", &n);

    if (strpbrk(text, "xX")) /* hexadecimal, which was never accepted */
        return err_set(
            e, ERR_SYNTAX,
            "Invalid value for the 'report_interval' option: '%s' (a number of seconds, or a "
            "time such as "
            "500ms, 90s or 5m, is needed)",
            text);
    if (s < 0)
        return plan_invalid(e, "report-interval", "%.12g.", s);
    if ((s > 0 && s < least) || s > INT32_MAX)
        return plan_invalid(e, "report-interval", "%.12g (allowed: 0, or %.12g to %d)", s, least,
                            INT32_MAX);
    p->report_interval = opt_time(o, "report-interval");
    p->stamp_decimals = report_stamp_decimals(p->report_interval);
    p->watched = !opt_given(o, "report-interval");
    if (n > PLAN_MAX_CHECKPOINTS)
        return err_set(e, ERR_USAGE,
                       "Too many checkpoints in --report-checkpoints (up to %d can be defined)",
                       PLAN_MAX_CHECKPOINTS);
    for (size_t i = 0; i < n; i++) {
        if (!read_seconds(item[i], &p->checkpoint[i]))
            return plan_invalid(e, "report-checkpoints", "'%s'", item[i]);
        int decimals = report_stamp_decimals(p->checkpoint[i]);
        p->stamp_decimals = decimals > p->stamp_decimals ? decimals : p->stamp_decimals;
    }
    p->checkpoints = n;
    qsort(p->checkpoint, n, sizeof p->checkpoint[0], by_duration);
    return 0;
}

#define MOST_STACK   (1LL << 30)
#define LEAST_STEADY 15 /* --warmup-time: room for a ramp and a window of readings */

/* "steady", "steady:5", "steady:5%" */
static int read_warmup_until(struct plan *p, const struct opts *o, struct err *e)
{
    static const char word[] = "steady";
    const char *v = opt_str(o, "warmup-until"), *bound = v + sizeof word - 1;
    bool good = strncmp(v, word, sizeof word - 1) == 0;
    char *end;

    if (!opt_given(o, "warmup-until"))
        return 0;
    p->warmup_steady_pct = 5;
    if (good && *bound) {
        p->warmup_steady_pct = strtod(bound + 1, &end);
        good = *bound == ':' && end != bound + 1 && (!*end || strcmp(end, "%") == 0) &&
               p->warmup_steady_pct > 0 && p->warmup_steady_pct <= 100;
    }
    if (!good)
        return plan_invalid(e, "warmup-until",
                            "'%s' (steady, or steady:PCT with a percentage above 0, at most 100)",
                            v);
    if (p->warmup < LEAST_STEADY * NS_PER_SEC)
        return err_set(e, ERR_USAGE,
                       "--warmup-until=%s needs a limit: --warmup-time=N, at least %d seconds", v,
                       LEAST_STEADY);
    return 0;
}

static int read_limits(struct plan *p, const struct opts *o, struct err *e)
{
    dur_ns time = opt_time(o, "time");
    long long threads = opt_int(o, "threads"), warmup = opt_int(o, "warmup-time");
    long long init = opt_int(o, "thread-init-timeout");
    long long events = opt_int(o, "events"), stack = opt_int(o, "thread-stack-size");

    if (threads <= 0)
        return plan_invalid(e,
                            p->generation->old_names_are_current && opt_given(o, "num-threads")
                                ? "num-threads"
                                : "threads",
                            "%lld.\n", threads);
    if (threads > PLAN_MAX_CLIENTS)
        return plan_invalid(e, "threads", "%lld (at most %d).\n", threads, PLAN_MAX_CLIENTS);
    if (warmup < 0)
        return plan_invalid(e, "warmup-time", "%lld.\n", warmup);
    if (init < 0)
        return plan_invalid(e, "thread-init-timeout", "%lld.\n", init);
    if (stack <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for thread-stack-size: %lld.\n", stack);
    if (stack > MOST_STACK) /* more than stock's int holds is a slip, not a stack */
        return plan_invalid(e, "thread-stack-size", "%s (at most 1G)",
                            opt_str(o, "thread-stack-size"));
    p->clients = (int)threads;
    p->max_events = events > 0 ? (uint64_t)events : 0;
    p->time_limit = time > 0 ? time : 0;
    p->time_given = opt_given(o, "time");
    p->warmup = opt_time(o, "warmup-time");
    p->init_timeout = opt_time(o, "thread-init-timeout");
    p->stack_size = opt_given(o, "thread-stack-size") ? (size_t)stack : 0;
    return read_warmup_until(p, o, e);
}

/* --- --percentile --- */

/* Digits with at most one point among them: no sign, exponent, blank or "inf". */
static bool read_decimal(const char *text, size_t len, double *out)
{
    char *end;

    if (len == 0 || strspn(text, "0123456789.") < len)
        return false;
    *out = strtod(text, &end);
    return end == text + len;
}

/* Stock's option is one whole number, with stock's error messages; ours may have a fraction.
 * Reports of 0.4 and 0.5 have a line for one whole percentile. */
static int read_one_percentile(struct plan *p, const char *text, struct err *e)
{
    size_t n = strlen(text);
    char *end;

    errno = 0;
    long long whole = strtoll(text, &end, 10);
    bool is_whole = !errno && end != text && !*end && whole >= INT32_MIN && whole <= INT32_MAX;
    double v = (double)whole;
    if (p->generation->one_percentile) {
        if (n > 3 || strspn(text, "0123456789") < n || v < 1 || v > 100)
            return plan_invalid(e, "percentile",
                                "%s (a whole number from 1 to 100, in reports of sysbench %s)",
                                text, p->generation->version);
    } else if (!is_whole && (!strchr(text, '.') || !read_decimal(text, n, &v))) {
        return err_set(
            e, ERR_SYNTAX,
            "Invalid value for the 'percentile' option: '%s' (a number from 0 to 100, or a "
            "list such as 50,95,99.9, is needed)",
            text);
    }
    if (v < 0 || v > 100)
        return plan_invalid(e, "percentile", "%s (allowed: 0 to 100)", text);
    p->percentile[0] = v;
    p->percentiles = v > 0;
    return 0;
}

static int read_percentiles(struct plan *p, const struct opts *o, struct err *e)
{
    const char *list = opt_str(o, "percentile"), *entry = list, *why;
    size_t len;
    double v;

    if (!*list)
        return 0;
    if (p->generation->one_percentile || !strchr(list, ','))
        return read_one_percentile(p, list, e);
    for (;; entry += len + 1) {
        len = strcspn(entry, ",");
        if (len == 0)
            return plan_invalid(e, "percentile", "'%s' (an entry is empty)", list);
        why = !read_decimal(entry, len, &v) ? "is not a number"
              : v == 0  ? "switches percentiles off and cannot be one of several"
              : v > 100 ? "is more than 100"
                        : NULL;
        for (size_t i = 0; !why && i < p->percentiles; i++)
            if (p->percentile[i] == v)
                why = "is there twice";
        if (why)
            return plan_invalid(e, "percentile", "'%s' ('%.*s' %s)", list, (int)len, entry, why);
        if (p->percentiles == SNAPSHOT_MAX_PERCENTILES)
            return plan_invalid(e, "percentile", "'%s' (at most %d)", list,
                                SNAPSHOT_MAX_PERCENTILES);
        p->percentile[p->percentiles++] = v;
        if (!entry[len])
            return 0;
    }
}

/* --- options whose names have changed --- */

/* Bare, or "on"; another value is meant for an option of the script. */
static bool batch_is_on(const struct opts *o)
{
    const char *text = opt_str(o, "batch");

    return opt_given(o, "batch") && (!*text || strcmp(text, "on") == 0);
}

void plan_apply_deprecated(struct opts *o)
{
    static const struct {
        const char *old, *now;
        int64_t unused;       /* in 1.0, an old name counts only with a value above it ... */
        bool negative_counts; /* ... or with one below 0 */
    } names[] = {{"num-threads", "threads", 1, true},
                 {"max-requests", "events", 0, true},
                 {"max-time", "time", 0, false}};
    static const char *const clock[] = {"init-rng", "rand-init"};
    bool current = generation_of(o)->old_names_are_current;

    for (size_t i = 0; i < COUNT(names); i++) {
        double v = opt_double(o, names[i].old);
        if (!opt_given(o, names[i].old) ||
            !(current || v > names[i].unused || (names[i].negative_counts && v < 0)))
            continue;
        if (!current)
            log_print("WARNING: --%s is deprecated, use --%s instead\n", names[i].old,
                      names[i].now);
        opt_set(o, names[i].now, opt_str(o, names[i].old), NULL);
    }
    /* these choose between the clock and a seed that was not given: what 1.0 does anyway */
    for (size_t i = 0; !current && i < COUNT(clock); i++)
        if (opt_given(o, clock[i]))
            log_stderr("WARNING: --%s is deprecated: without --rand-seed, the seed comes from the "
                       "clock",
                       clock[i]);
    if (!current && batch_is_on(o))
        log_stderr("WARNING: --batch has no effect without --compat=0.4, use --report-interval "
                   "instead");
    opts_apply_old(o);
}

/* --rand-seed, and --batch of 0.4. */
static int read_seed(struct plan *p, const struct opts *o, struct err *e)
{
    const char *clock = opt_bool(o, "init-rng") ? "init-rng" : "rand-init";
    dur_ns delay = opt_time(o, "batch-delay");

    p->seed = (uint32_t)opt_int(o, "rand-seed");
    if (opt_bool(o, clock)) {
        if (p->seed)
            return err_set(e, ERR_USAGE, "Cannot set both --%s and --%s", clock,
                           opt_given(o, "seed-rng") ? "seed-rng" : "rand-seed");
        p->seed_from_clock = true;
    } else if (p->seed == 0 && p->generation->same_seed) {
        p->seed = PLAN_OLD_SEED;
        p->seed_by_default = true;
    }
    if (!batch_is_on(o) || !p->generation->batch_reports)
        return 0;
    if (delay < NS_PER_SEC)
        return plan_invalid(e, "batch-delay", "%.12g (at least 1 second)", dur_sec(delay));
    p->batch_delay = delay;
    p->report_interval = p->batch_delay; /* its lines stand in place of intervals */
    return 0;
}

uint32_t plan_draw_seed(const struct plan *p)
{
    wall_ns now = clock_wall();

    return p->seed ? p->seed : (uint32_t)(now ^ (now >> 32) ^ ((int64_t)getpid() << 16)) | 1;
}

void plan_note_tx_rate(const struct plan *p, const struct opts *o, const char *command)
{
    bool as_stock = getenv("SYSBENCH_COMPAT") != NULL;

    if (command && as_stock && strcmp(command, "run") == 0 && p->rate > 0 && !p->stock_rate &&
        !p->plain_rate && !p->rate_spec && !opts_own_given(o, "tx-rate"))
        log_stderr("NOTE: --tx-rate holds an even rate and adds lines to the reports (see "
                   "sysbench-rate(7)); use --rate=N for the Poisson arrivals that it stood for in "
                   "sysbench 1.0");
}

/* --- clients ---
 *
 * Reads the options about clients into the plan: workers and think time, transactions that meet an
 * error; and makes the plan of the whole load that of one rank's share (pace/share.h): the
 * schedule, --events and the limits stay those of the whole; what divides them is in struct share.
 */

/* --- how many workers ---
 *
 * Two workers took 0.45 to 0.75 of the CPU of stock's threads at 8 to 63 clients, for at least
 * their throughput, with MariaDB (a thread per connection and a pool of threads) and PostgreSQL
 * when this was chosen; docs/benchmarks.md has figures of today for 16 and 64.
 *   - One is too few where there is a second CPU: while a worker sleeps, a program of idle priority
 *     takes its CPU, which is then no idle one that the scheduler moves the server's threads to.
 *     One worker reached 0.7 to 0.8 of the throughput of threads beside such a program, two 0.95 to
 *     1.1; with PostgreSQL two are better without a neighbor, too.
 *   - A point select, the cheapest transaction, takes 8 to 16 us of CPU here and 17 to 35 us in the
 *     server.  When both fill all CPUs of a machine, the clients use a third of them.
 *   - A client waits at least three times as long for the server and for wake-ups as its turn
 *     takes.  So a worker with four clients still has time to spare, and with fewer it is a thread
 *     that makes one system call more.
 * More workers than that find fewer answers in each turn, and become threads again.
 */

#define CPUS_PER_WORKER    3
#define CLIENTS_PER_WORKER 4
#define LEAST_WORKERS      2

_Static_assert(CARRY_FROM == LEAST_WORKERS * CLIENTS_PER_WORKER,
               "the least that two workers carry");

int carry_workers(int clients, int cpus)
{
    int by_cpus = (cpus + CPUS_PER_WORKER - 1) / CPUS_PER_WORKER;
    int by_clients = clients / CLIENTS_PER_WORKER;
    int n;

    if (by_cpus < LEAST_WORKERS && cpus >= LEAST_WORKERS)
        by_cpus = LEAST_WORKERS;
    n = by_cpus < by_clients ? by_cpus : by_clients;
    return n > 1 ? n : 1;
}

int carry_cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than the set has room for */
}

#define MOST_WORKERS 1024
#define MOST_RETRIES 1000000
#define MOST_THINK   (24 * 3600 * NS_PER_SEC)

int plan_check_batch(const struct plan *p, struct err *e)
{
    if (!p->worker_batch || p->workers)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--workers=batch=%lld needs --workers=N: without it, only the bundled scripts use "
        "workers",
        (long long)(p->worker_batch / NS_PER_US));
}

static int count_workers(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "workers");
    int64_t n = 0;

    p->workers_left = strcmp(v, "default") == 0;
    if (strcmp(v, "auto") == 0) {
        n = carry_workers(p->clients, carry_cpus());
    } else if (!p->workers_left && units_int(v, 0, MOST_WORKERS, &n, NULL)) {
        plan_invalid(e, "workers", "'%s' (default, auto, or 0 to %d)", v, MOST_WORKERS);
        return opt_explain(o, "workers", e);
    }
    p->workers = n < p->clients ? (int)n : p->clients;
    return 0;
}

static int read_clients(struct plan *p, const struct opts *o, struct err *e)
{
    const char *least = opt_str(o, "min-clients"), *think = opt_str(o, "think-time");
    const char *retries = opt_str(o, "trx-retries"), *colon = strchr(think, ':');
    size_t len = strlen(least), think_len = colon ? (size_t)(colon - think) : strlen(think);
    bool pct = len > 1 && least[len - 1] == '%';
    char number[64] = "";
    int64_t n = 0;

    if (count_workers(p, o, e))
        return -1;
    p->worker_stall = opt_time(o, "worker-warn");
    p->worker_batch = opt_time(o, "worker-batch");
    p->min_clients_given = opt_given(o, "min-clients");
    p->asks_more = opts_own_given(o, "compat tx-rate tx-jitter workers lua-state");
    p->error_backoff = opt_time(o, "error-backoff");

    /* N, or N% of the clients, rounded up */
    if (len < sizeof number)
        memcpy(number, least, len - pct);
    if (units_int(number, 1, pct ? 100 : PLAN_MAX_CLIENTS, &n, NULL))
        return plan_invalid(e, "min-clients", "'%s' (1 to %d, or 1%% to 100%%)", least,
                            PLAN_MAX_CLIENTS);
    n = pct ? (n * p->clients + 99) / 100 : n;
    if (n > p->clients)
        return plan_invalid(e, "min-clients", "'%s' (there are %d clients: --threads)", least,
                            p->clients);
    p->min_clients = (int)n;

    /* MS or MS:exp */
    snprintf(number, sizeof number, "%.*s", (int)think_len, think);
    if (think_len >= sizeof number || (colon && strcmp(colon, ":exp") != 0) ||
        units_duration(number, NS_PER_MS, &p->think, NULL) || p->think > MOST_THINK)
        return plan_invalid(e, "think-time", "'%s' (MS or MS:exp, at most a day)", think);
    p->think_exp = colon != NULL;

    n = 0;
    p->limits_retries = strcmp(retries, "unlimited") != 0;
    if (p->limits_retries && units_int(retries, 0, MOST_RETRIES, &n, NULL)) {
        plan_invalid(e, "trx-retries", "'%s' (unlimited, or 0 to %d)", retries, MOST_RETRIES);
        return opt_explain(o, "trx-retries", e);
    }
    p->trx_retries = (unsigned)n;
    return 0;
}

bool plan_may_use_workers(const struct plan *p)
{
    return p->workers_left && (p->worker_batch || p->clients >= CARRY_FROM);
}

void plan_workers_by_default(struct plan *p)
{
    p->workers = carry_workers(p->clients, carry_cpus());
    p->workers_by_default = true;
    p->worker_stall = 0; /* 1.0 has no such reports, and our scripts do not block */
}

int plan_divide(struct plan *p, const struct opts *o, int rank, int ranks, struct err *e)
{
    int may_be_absent = p->clients - p->min_clients;
    struct share share = {(uint64_t)rank, (uint64_t)ranks};

    if (plan_finds(p) || p->warmup_steady_pct > 0)
        return err_set(e, ERR_USAGE, "%s one load host, and this run has %d (--cluster)",
                       plan_finds(p) ? "--tx-find searches with" : "--warmup-until=steady is for",
                       ranks);
    if (p->clients < ranks)
        return err_set(e, ERR_USAGE,
                       "--threads=%d is too few for %d ranks: each needs at least one client",
                       p->clients, ranks);
    p->rank = rank;
    p->ranks = ranks;
    p->clients_all = p->clients;
    p->clients = plan_share(p, rank);
    p->min_clients = p->clients - (int)share_of(share, (uint64_t)may_be_absent);
    return count_workers(p, o, e);
}

/* --- the plan --- */

int plan_from_options(struct plan *p, const struct opts *o, struct err *e)
{
    memset(p, 0, sizeof *p);
    p->generation = generation_of(o);
    if (read_limits(p, o, e) || read_forced(p, opt_str(o, "forced-shutdown"), e) ||
        read_reports(p, o, e) || read_percentiles(p, o, e) || read_clients(p, o, e) ||
        read_seed(p, o, e) || plan_read_rate(p, o, e))
        return -1;
    p->fine_percentiles = p->generation->one_percentile;
    p->warmup_reports =
        p->generation->warmup_reports || (p->rate > 0 && !p->stock_rate && !p->plain_rate);
    p->watched = p->watched && (p->rate > 0 || plan_finds(p)) && !p->stock_rate &&
                 p->generation->tx_rate == TX_RATE_OURS && isatty(STDOUT_FILENO);
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options into a plan.  Texts of complaints about stock's options are stock's (scripts match them);
 * those about our own name the option, the value and what would be allowed.
 */
#include "engine/plan.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"

static const struct opt_row general_rows[] = {
    {"threads", OPT_INT, "1", "number of threads to use", OPT_COUNT, 0, 0, NULL},
    {"events", OPT_INT, "0", "limit for total number of events", OPT_COUNT, 0, 0, NULL},
    {"time", OPT_INT, "10", "limit for total execution time in seconds", OPT_SECONDS, 0, 0, NULL},
    {"warmup-time", OPT_INT, "0",
     "execute events for this many seconds with statistics disabled before the actual "
     "benchmark run with statistics enabled",
     OPT_SECONDS, 0, 0, NULL},
    {"forced-shutdown", OPT_STRING, "off",
     "number of seconds to wait after the --time limit before forcing "
     "shutdown, or 'off' to disable",
     OPT_MAY_BE_EMPTY | OPT_OPEN, 0, 0, "off"},
    {"thread-stack-size", OPT_SIZE, "64K", "size of stack per thread", 0, 0, 0, NULL},
    {"thread-init-timeout", OPT_INT, "30",
     "wait time in seconds for worker threads to initialize, 0 for no limit", OPT_SECONDS, 0, 0,
     NULL},
    {"rate", OPT_INT, "0", "average transactions rate, Poisson arrivals. 0 for unlimited rate",
     OPT_COUNT, 0, 0, NULL},
    {"report-interval", OPT_DOUBLE, "0",
     "periodically report intermediate statistics with a specified interval in "
     "seconds. 0 disables intermediate reports",
     OPT_SECONDS, 0, 0, NULL},
    {"report-checkpoints", OPT_LIST, "",
     "dump full statistics and reset all counters at specified points in "
     "time. The argument is a list of comma-separated values representing the amount of time in seconds elapsed "
     "from start of test when report checkpoint(s) must be performed. Report checkpoints are off by default.",
     OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"debug", OPT_BOOL, "off", "print more debugging info", 0, 0, 0, NULL},
    {"validate", OPT_BOOL, "off", "perform validation checks where possible", 0, 0, 0, NULL},
    {"help", OPT_BOOL, "off", "print help and exit", 0, 0, 0, NULL},
    {"version", OPT_BOOL, "off", "print version and exit", 0, 0, 0, NULL},
    {"verbose", OPT_BOOL, "off", "with --version: compiler, libraries, drivers",
     OPT_HIDDEN | OPT_OWN, 0, 0, NULL},
    {"config-file", OPT_FILE, NULL, "File containing command line options", OPT_MAY_BE_EMPTY, 0, 0,
     NULL},
    {"luajit-cmd", OPT_STRING, NULL,
     "perform a LuaJIT control command, as 'luajit -j' does {on, off, flush, v, "
     "dump=..., ...}",
     OPT_MAY_BE_EMPTY | OPT_OPEN, 0, 0, "on|off|flush|v|dump"},
    {"max-requests", OPT_INT, "0", "deprecated alias for --events", OPT_COUNT, 0, 0, NULL},
    {"max-time", OPT_INT, "0", "deprecated alias for --time", OPT_SECONDS, 0, 0, NULL},
    {"num-threads", OPT_INT, "1", "deprecated alias for --threads", OPT_COUNT, 0, 0, NULL},
};

static const struct opt_row rate_rows[] = {
    {"tx-rate", OPT_DOUBLE, "0",
     "steady rate: transactions per second over all threads, fractions allowed. 0 for "
     "unlimited rate",
     OPT_COUNT, 0, 1e9, NULL},
    {"tx-jitter", OPT_DOUBLE, "0",
     "each planned start moves by a uniform draw within a window of this many "
     "microseconds centred on it",
     0, 0, 3.6e9, NULL},
    {"tx-arrival", OPT_STRING, "even", "shape of the arrivals", 0, 0, 0, "even|poisson|aligned"},
    {"tx-burst", OPT_INT, "0",
     "how many overdue transactions may be made up for; older ones are dropped. 0 for "
     "no limit",
     OPT_COUNT, 0, INT32_MAX, NULL},
    {"tx-overload", OPT_STRING, NULL,
     "what to do with transactions overdue beyond --tx-burst or --tx-max-lag "
     "{} (default: queue without such a limit, drop with one)",
     0, 0, 0, "queue|drop|abort"},
    {"tx-max-lag", OPT_DOUBLE, "0",
     "drop transactions that could not begin within this many milliseconds of "
     "their planned start. 0 for no limit",
     0, 0, 3.6e9, NULL},
    {"tx-spin", OPT_DOUBLE, "0",
     "busy-wait the last microseconds before a planned start: less lag for more "
     "client CPU",
     0, 0, 1e6, NULL},
    {"tx-strict", OPT_STRING, NULL,
     "exit with status 3 when the rate was not sustained; an optional number is the "
     "percentage of offered transactions that may be missing (default 1)",
     OPT_MAY_BE_EMPTY, 0, 0, NULL},
};

static const struct opt_row log_rows[] = {
    {"verbosity", OPT_INT, "3", "verbosity level {5 - debug, 0 - only critical messages}", 0, 0, 0,
     NULL},
};

static const struct opt_row latency_rows[] = {
    {"percentile", OPT_LIST, "95",
     "percentile to calculate in latency statistics (1-100), or a list of them: "
     "50,95,99.9. Use the special value of 0 to disable percentile calculations",
     OPT_SHOWN_AS_INT | OPT_FIRST_NUMBER | OPT_MAY_BE_EMPTY, 0, 0, NULL},
    {"histogram", OPT_BOOL, "off", "print latency histogram in report", 0, 0, 0, NULL},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void plan_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_GENERAL, general_rows, COUNT(general_rows));
    generation_options(o);
    plan_worker_options(o);
    opts_add(o, OPT_GROUP_RATE, rate_rows, COUNT(rate_rows));
    opts_add(o, OPT_GROUP_LOG, log_rows, COUNT(log_rows));
    opts_add(o, OPT_GROUP_LOG_LATENCY, latency_rows, COUNT(latency_rows));
}

static dur_ns seconds(int64_t s)
{
    return s > 0 ? s * NS_PER_SEC : 0;
}

/* "off", empty (5 % of the time), "N" seconds, "N%" of the time; whole seconds as stock counts
 * them. */
static int read_forced(struct plan *p, const char *v, struct err *e)
{
    int64_t time_s = (p->time_limit + p->warmup) / NS_PER_SEC, grace;
    char *end;

    if (strcasecmp(v, "off") == 0)
        return 0;
    if (!*v) {
        grace = time_s / 20;
    } else {
        errno = 0;
        grace = strtoll(v, &end, 10);
        if (end == v || errno || grace < 0 || grace > INT32_MAX || (*end && strcmp(end, "%") != 0))
            return err_set(
                e, ERR_USAGE,
                "Invalid value for --forced-shutdown: '%s' (off, seconds, or a percentage of "
                "--time such as 5%%)",
                v);
        if (*end == '%')
            grace = time_s * grace / 100;
        if (grace > INT32_MAX)
            grace = INT32_MAX;
    }
    if (p->time_limit == 0)
        return 0;
    p->forced = FORCED_ON;
    p->forced_grace = seconds(grace);
    return 0;
}

static int by_duration(const void *a, const void *b)
{
    dur_ns x = *(const dur_ns *)a, y = *(const dur_ns *)b;
    return (x > y) - (x < y);
}

static int read_checkpoints(struct plan *p, const struct opts *o, struct err *e)
{
    size_t n;
    char **item = opt_list(o, "report-checkpoints", &n);

    if (n > PLAN_MAX_CHECKPOINTS)
        return err_set(e, ERR_USAGE,
                       "Too many checkpoints in --report-checkpoints (up to %d can be defined)",
                       PLAN_MAX_CHECKPOINTS);
    for (size_t i = 0; i < n; i++) {
        char *end;
        long v;
        errno = 0;
        v = strtol(item[i], &end, 10);
        if (end == item[i] || *end || errno || v < 0 || v > INT32_MAX)
            return err_set(e, ERR_USAGE, "Invalid value for --report-checkpoints: '%s'", item[i]);
        p->checkpoint[i] = seconds(v);
    }
    p->checkpoints = n;
    qsort(p->checkpoint, n, sizeof p->checkpoint[0], by_duration);
    return 0;
}

/* --tx-strict, --tx-strict=0.5, --tx-strict=0.5% */
static int read_strict(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "tx-strict");
    char *end;

    p->tolerance_pct = 1.0;
    p->strict = opt_given(o, "tx-strict");
    if (!*v)
        return 0;
    p->tolerance_pct = strtod(v, &end);
    if (end == v || (*end && strcmp(end, "%") != 0) ||
        !(p->tolerance_pct >= 0 && p->tolerance_pct <= 100))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-strict: '%s' (a percentage from 0 to 100)", v);
    return 0;
}

static int needs_rate(const struct opts *o, struct err *e)
{
    static const char *const only[] = {"tx-jitter",  "tx-arrival", "tx-burst", "tx-overload",
                                       "tx-max-lag", "tx-spin",    "tx-strict"};

    for (size_t i = 0; i < COUNT(only); i++)
        if (opt_given(o, only[i]))
            return err_set(e, ERR_USAGE, "--%s needs a rate: --tx-rate=N", only[i]);
    return 0;
}

static int read_overload(struct plan *p, const struct opts *o, struct err *e)
{
    const char *policy = opt_str(o, "tx-overload");
    bool limited = p->burst || p->max_lag;

    if (!*policy)
        p->overload = limited ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    else if (strcmp(policy, "queue") == 0)
        p->overload = OVERLOAD_QUEUE;
    else
        p->overload = strcmp(policy, "drop") == 0 ? OVERLOAD_DROP : OVERLOAD_ABORT;
    if (p->overload == OVERLOAD_QUEUE && limited)
        return err_set(e, ERR_USAGE,
                       "--tx-overload=queue keeps everything that is overdue, --tx-burst and "
                       "--tx-max-lag limit it: give one or the other");
    if (p->overload != OVERLOAD_QUEUE && !limited)
        return err_set(e, ERR_USAGE,
                       "--tx-overload=%s needs a limit: --tx-burst=N or --tx-max-lag=MS", policy);
    return 0;
}

/* What is not an even schedule without jitter is walked start by start (pace/line.h), by those who
 * take and by the reporter; beyond these limits the walk would last longer than the time that is
 * walked over. */
static int check_walk(const struct plan *p, const struct opts *o, struct err *e)
{
    const double most = p->jitter || p->arrival == ARRIVAL_ALIGNED ? 1e6 : PLAN_MOST_POISSON;
    const double most_in_window = 1e5;

    if (p->arrival == ARRIVAL_EVEN && p->jitter == 0)
        return 0;
    if (p->rate > most)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-rate: %.12g (at most %.0f: only even "
                       "arrivals without jitter may be more)",
                       p->rate, most);
    if ((double)p->jitter / 1e9 * p->rate > most_in_window)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for --tx-jitter: %s (at this rate at most %.0f: a window of %.0f "
            "planned starts)",
            opt_str(o, "tx-jitter"), most_in_window / p->rate * 1e6, most_in_window);
    return 0;
}

double plan_walked_rate(const struct plan *p)
{
    return p->stock_rate && p->rate > PLAN_MOST_POISSON ? PLAN_MOST_POISSON : p->rate;
}

static int read_rate(struct plan *p, const struct opts *o, struct err *e)
{
    const char *shape = opt_str(o, "tx-arrival");
    int64_t stock = opt_int(o, "rate");

    p->rate = opt_double(o, "tx-rate");
    if (stock < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --rate: %lld.", (long long)stock);
    if (stock > 0 && p->rate > 0)
        return err_set(e, ERR_USAGE, "--rate=%lld and --tx-rate=%s cannot be combined",
                       (long long)stock, opt_str(o, "tx-rate"));
    if (p->rate > 0 && p->rate < 1e-6)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-rate: %s (allowed: 0, or 1e-6 to 1e+09)",
                       opt_str(o, "tx-rate"));
    if (p->rate == 0)
        if (needs_rate(o, e))
            return -1;
    if (stock > 0) {
        p->rate = (double)stock;
        p->stock_rate = true;
        p->arrival = ARRIVAL_POISSON;
        p->overload = OVERLOAD_ABORT;
        p->burst = PLAN_STOCK_QUEUE;
        return 0;
    }
    p->arrival = strcmp(shape, "poisson") == 0   ? ARRIVAL_POISSON
                 : strcmp(shape, "aligned") == 0 ? ARRIVAL_ALIGNED
                                                 : ARRIVAL_EVEN;
    p->jitter = (dur_ns)(opt_double(o, "tx-jitter") * 1e3);
    p->burst = (uint64_t)opt_int(o, "tx-burst");
    p->max_lag =
        (dur_ns)ceil(opt_double(o, "tx-max-lag") * 1e6); /* less than 1 ns is not "no limit" */
    p->spin = (dur_ns)(opt_double(o, "tx-spin") * 1e3);
    return read_overload(p, o, e) || read_strict(p, o, e) || check_walk(p, o, e) ? -1 : 0;
}

/* Whole seconds as ever, or a fraction of at least a tenth; the time stamps then show as many
 * digits as it has, milliseconds at most. */
static int read_interval(struct plan *p, const struct opts *o, struct err *e)
{
    const double least = dur_sec(PLAN_LEAST_INTERVAL);
    const char *text = opt_str(o, "report-interval");
    double s = opt_double(o, "report-interval"), unit;

    if (strpbrk(text, "xX")) /* hexadecimal, which it never took */
        return err_set(
            e, ERR_SYNTAX,
            "Invalid value for the 'report_interval' option: '%s' (a number of seconds is needed)",
            text);
    if (s < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --report-interval: %.12g.", s);
    if ((s > 0 && s < least) || s > INT32_MAX)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --report-interval: %.12g (allowed: 0, or %.12g to %d)", s,
                       least, INT32_MAX);
    p->report_interval = (dur_ns)llround(s * 1e9);
    unit = s;
    while (p->stamp_decimals < 3 && fabs(unit - round(unit)) > 1e-9 * s) {
        p->stamp_decimals++;
        unit *= 10;
    }
    return 0;
}

static int read_limits(struct plan *p, const struct opts *o, struct err *e)
{
    int64_t threads = opt_int(o, "threads"), warmup = opt_int(o, "warmup-time");
    int64_t init = opt_int(o, "thread-init-timeout");
    int64_t events = opt_int(o, "events");

    if (threads <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for --threads: %lld.\n", (long long)threads);
    if (threads > PLAN_MAX_CLIENTS)
        return err_set(e, ERR_USAGE, "Invalid value for --threads: %lld (at most %d).\n",
                       (long long)threads, PLAN_MAX_CLIENTS);
    if (warmup < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --warmup-time: %lld.\n", (long long)warmup);
    if (init < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --thread-init-timeout: %lld.\n",
                       (long long)init);
    if (read_interval(p, o, e))
        return -1;
    if (opt_int(o, "thread-stack-size") <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for thread-stack-size: %lld.\n",
                       (long long)opt_int(o, "thread-stack-size"));
    p->clients = (int)threads;
    p->max_events = events > 0 ? (uint64_t)events : 0;
    p->time_limit = seconds(opt_int(o, "time"));
    p->warmup = seconds(warmup);
    p->init_timeout = seconds(init);
    p->stack_size = opt_given(o, "thread-stack-size") ? (size_t)opt_int(o, "thread-stack-size") : 0;
    return 0;
}

/* Digits with at most one point among them: no sign, exponent, blank or "inf". */
static bool read_decimal(const char *text, size_t len, double *out)
{
    char *end;

    if (len == 0 || strspn(text, "0123456789.") < len)
        return false;
    *out = strtod(text, &end);
    return end == text + len;
}

/* Stock's option is one whole number, with stock's complaints; ours may have a fraction. */
static int read_one_percentile(struct plan *p, const char *text, struct err *e)
{
    char *end;
    long long whole;
    double v;

    errno = 0;
    whole = strtoll(text, &end, 10);
    if (!errno && end != text && !*end && whole >= INT32_MIN && whole <= INT32_MAX)
        v = (double)whole;
    else if (!strchr(text, '.') || !read_decimal(text, strlen(text), &v))
        return err_set(
            e, ERR_SYNTAX,
            "Invalid value for the 'percentile' option: '%s' (a number from 0 to 100, or a "
            "list such as 50,95,99.9, is needed)",
            text);
    if (v < 0 || v > 100)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: %s (allowed: 0 to 100)",
                       text);
    p->percentile[0] = v;
    p->percentiles = v > 0;
    return 0;
}

/* Why an entry of a list is refused, as the end of the sentence. */
static int refuse_entry(const char *list, const char *entry, size_t len, const char *why,
                        struct err *e)
{
    if (len == 0)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' (an entry is empty)",
                       list);
    return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' ('%.*s' %s)", list, (int)len,
                   entry, why);
}

static int add_percentile(struct plan *p, const char *list, const char *entry, size_t len,
                          struct err *e)
{
    double v;

    if (!read_decimal(entry, len, &v))
        return refuse_entry(list, entry, len, "is not a number", e);
    if (v == 0)
        return refuse_entry(list, entry, len,
                            "switches percentiles off and cannot be one of several", e);
    if (v > 100)
        return refuse_entry(list, entry, len, "is more than 100", e);
    for (size_t i = 0; i < p->percentiles; i++)
        if (p->percentile[i] == v)
            return refuse_entry(list, entry, len, "is there twice", e);
    if (p->percentiles == SNAPSHOT_MAX_PERCENTILES)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' (at most %d)", list,
                       SNAPSHOT_MAX_PERCENTILES);
    p->percentile[p->percentiles++] = v;
    return 0;
}

static int read_percentiles(struct plan *p, const struct opts *o, struct err *e)
{
    const char *text = opt_str(o, "percentile"), *entry = text;

    if (!*text)
        return 0;
    if (!strchr(text, ','))
        return read_one_percentile(p, text, e);
    for (;;) {
        size_t len = strcspn(entry, ",");
        if (add_percentile(p, text, entry, len, e))
            return -1;
        if (!entry[len])
            return 0;
        entry += len + 1;
    }
}

int plan_from_options(struct plan *p, const struct opts *o, struct err *e)
{
    memset(p, 0, sizeof *p);
    p->generation = generation_of(o);
    if (read_limits(p, o, e) || read_forced(p, opt_str(o, "forced-shutdown"), e) ||
        read_checkpoints(p, o, e) || read_rate(p, o, e) || read_percentiles(p, o, e) ||
        plan_read_workers(p, o, e))
        return -1;
    p->warmup_reports = p->generation->warmup_reports || (p->rate > 0 && !p->stock_rate);
    p->histogram = opt_bool(o, "histogram");
    if (p->histogram && !p->percentiles)
        return err_set(e, ERR_USAGE, "--histogram cannot be used with --percentile=0");
    p->debug = opt_bool(o, "debug");
    p->validate = opt_bool(o, "validate");
    p->seed = (uint32_t)opt_int(o, "rand-seed");
    return 0;
}

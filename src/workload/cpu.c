/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `cpu`: one event looks for the primes below --cpu-max-prime by trial division
 * of 64-bit integers.  It mostly measures the divider of one core.  The amount of work per event
 * has been the same since the first release, so events per second compare across versions and
 * machines; hence no cleverness (no skipping of even divisors) and always the 64-bit divide
 * instruction.  Generations differ in what they print, and in --max-requests=0.
 */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/client.h"
#include "workload/builtin.h"

struct cpu {
    struct workload w;
    uint64_t limit;
    enum report_form form;
    bool idle; /* no event at all: old_no_events() */
};

/* What is said about the limit before the run, or after it; NULL: nothing. */
static const struct {
    const char *before, *after;
    bool speed;
} words[FORM_MAX] = {
    [FORM_1_0] = {.before = "Prime", .speed = true},
    [FORM_1_1] = {.before = "Prime", .speed = true},
    [FORM_0_4] = {.after = "Maximum prime number checked in CPU test"},
    [FORM_0_5] = {.before = "Prime"},
};

static const struct opt_row rows[] = {
    {OPT_ROW("cpu-max-prime", INT, "10000", OPT_COUNT, "upper limit for primes generator")},
    {.name = NULL},
};

/* Clang divides in 32 bits when both numbers fit, which would be another benchmark. */
static inline uint64_t remainder_64(uint64_t a, uint64_t b)
{
#if defined __clang__ && defined __x86_64__
    uint64_t rest = 0;

    __asm__("divq %2" : "+a"(a), "+d"(rest) : "r"(b) : "cc");
    return rest;
#else
    return a % b;
#endif
}

static uint64_t count_primes(uint64_t limit)
{
    uint64_t found = 0;

    for (uint64_t c = 3; c < limit; c++) {
        double root = sqrt((double)(int64_t)c);
        uint64_t d = 2;
        while ((double)(int64_t)d <= root && remainder_64(c, d) != 0)
            d++;
        found += (double)(int64_t)d > root;
    }
    return found;
}

static void print_header(struct workload *w)
{
    const struct cpu *t = (const struct cpu *)w;

    log_info("Doing CPU performance benchmark\n");
    if (words[t->form].before)
        log_notice("%s numbers limit: %llu\n", words[t->form].before, (unsigned long long)t->limit);
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    const struct cpu *t = (const struct cpu *)w;

    (void)state;
    (void)e;
    while (!t->idle && client_next(c)) {
        client_begin(c);
        uint64_t found = count_primes(t->limit);
        __asm__ volatile("" : : "r"(found)); /* the result is not used, but it must be computed */
        client_end(c);
    }
    return 0;
}

static bool render_cumulative(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out)
{
    const struct cpu *t = (const struct cpu *)w;

    (void)g;
    if (words[t->form].speed)
        str_printf(out, "CPU speed:\n    events per second: %8.2f\n",
                   text_per_sec(s, (double)s->events));
    if (words[t->form].after)
        str_printf(out, "%s: %llu\n\n", words[t->form].after, (unsigned long long)t->limit);
    return false;
}

static const struct workload_ops ops = {
    .name = "cpu",
    .print_header = print_header,
    .client_run = client_run,
    .render_cumulative = render_cumulative,
};

static struct workload *open_cpu(const struct builtin_env *env, struct err *e)
{
    const struct opts *o = env->opts;
    int64_t limit = opt_int(o, "cpu-max-prime");

    if (limit <= 0) {
        err_set(e, ERR_USAGE, "Invalid value of cpu-max-prime: %lld. (at least 1)",
                (long long)limit);
        return NULL;
    }
    struct cpu *t = mem_alloc(sizeof *t);
    t->w = (struct workload){.ops = &ops, .name = ops.name};
    t->limit = (uint64_t)limit;
    t->form = env->generation->form;
    t->idle = old_no_events(env);
    return &t->w;
}

static void close_cpu(struct workload *w)
{
    free(w);
}

const struct builtin builtin_cpu = {
    .name = "cpu",
    .title = "CPU performance test",
    .example = "  sysbench cpu --threads=4 --time=30 run\n",
    .rows = rows,
    .open = open_cpu,
    .close = close_cpu,
};

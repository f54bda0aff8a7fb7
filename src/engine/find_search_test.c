/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search on servers of which the truth is known: a queue with one server, whose p99 is
 * ln(100) / (capacity - rate), with noise and hiccups; servers that hold nothing, or everything;
 * and scripted answers for each rule of votes.
 */
#include "engine/verdict.h"

#include "base/rng.h"
#include "base/test_golden.h"

#define SEEDS     1000
#define PRECISION 0.025 /* of the bracket: half of what is promised */

/* --- scripted answers --- */

/* Holds up to `edge`; `wrong` steps, counted from the first one, answer the opposite. */
struct model {
    double edge;
    unsigned long wrong;
};

static bool answer(const struct model *m, double rate, size_t step)
{
    bool held = rate <= m->edge;

    return step < 64 && m->wrong >> step & 1 ? !held : held;
}

static size_t run(struct search *s, const struct model *m, double start, size_t max)
{
    struct search_ask ask;
    size_t steps = 0;

    search_begin(s, start, PRECISION, 2, max);
    while (search_next(s, &ask)) {
        search_tell(s, &ask, answer(m, ask.rate, steps++));
        if (steps > FIND_MAX_STEPS)
            break;
    }
    return steps;
}

static void finds(double edge, double start)
{
    struct model m = {.edge = edge};
    struct search s;
    struct find_record a;
    size_t steps = run(&s, &m, start, 60);

    search_answer(&s, &a);
    CHECK_INT(a.end, FIND_FOUND);
    CHECK(a.held <= edge && edge < a.not_held);
    CHECK(a.not_held <= a.held * (1 + PRECISION));
    CHECK_INT(a.confirmed, 2);
    CHECK(steps <= 30);
    /* with just as many, too */
    CHECK_INT(run(&s, &m, start, steps), steps);
    CHECK_INT(s.end, FIND_FOUND);
}

static void exact(void)
{
    static const double edge[] = {0.7, 5, 99, 100, 101, 1234, 9999, 50123, 777777};

    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
        finds(edge[i], 100);
        finds(edge[i], edge[i]);
        finds(edge[i], edge[i] * 1.7);
        finds(edge[i], edge[i] / 30);
    }
}

/* With so many steps at most; nothing holds, all, or some. */
static void limits(double edge, const char *name)
{
    static const char *const ends[] = {
        [FIND_FOUND] = "found", [FIND_NONE] = "none", [FIND_STEPS] = "no more steps"};
    struct model m = {.edge = edge};
    struct search s;
    struct find_record a;
    size_t most = run(&s, &m, 100, 60);
    const size_t max[] = {8, most - 1, most, 60};

    for (size_t i = 0; i < sizeof max / sizeof *max; i++) {
        size_t steps = run(&s, &m, 100, max[i]);
        search_answer(&s, &a);
        golden_line("%s: %zu of %zu: %s, %g held %dx, %g not", name, steps, max[i], ends[a.end],
                    a.held, (int)a.confirmed, a.not_held);
    }
}

/* Any one step that answers the opposite changes nothing. */
static void one_hiccup(void)
{
    for (unsigned step = 0; step < 25; step++) {
        struct model m = {.edge = 1234, .wrong = 1ul << step};
        struct search s;
        struct find_record a;
        size_t steps = run(&s, &m, 100, 100);

        search_answer(&s, &a);
        CHECK_INT(a.end, FIND_FOUND);
        CHECK(a.held <= 1234 && a.not_held > 1234 && a.not_held <= a.held * (1 + PRECISION));
        CHECK(steps <= 30);
    }
}

/* All patterns of wrong answers in the first whole steps: it ends, in so many steps. */
static void always_ends(void)
{
    for (unsigned long wrong = 0; wrong < 4096; wrong++) {
        struct model m = {.edge = 1234, .wrong = wrong << 5};
        struct search s;
        struct find_record a;

        CHECK(run(&s, &m, 100, 200) <= 120);
        search_answer(&s, &a);
        CHECK(a.end == FIND_FOUND || a.end == FIND_NONE);
    }
}

static void rounding(void)
{
    CHECK_NEAR(search_rounded(1234.5), 1235, 1e-9);
    CHECK_NEAR(search_rounded(0.123456), 0.1235, 1e-12);
    CHECK(search_rounded(0) == 0);
    CHECK(search_rounded(154.2) == 154.2);
    CHECK(search_rounded(0.03906) == 0.03906);
    CHECK(search_rounded(search_rounded(141.42135)) == search_rounded(141.42135));
}

/* --- a queue with noise --- */

/* Normal, by twelve uniform draws. */
static double noise(struct rng *r)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += rng_double(r);
    return sum;
}

struct queue {
    double capacity, limit; /* per second; of the p99, s */
    double spread;          /* of what a step measures */
    double hiccups;         /* share of steps that a neighbour spoils */
};

static bool step_holds(const struct queue *q, double rate, struct rng *r)
{
    double spoiled = rng_double(r), spread = 1 + q->spread * noise(r);

    if (rate >= q->capacity || spoiled < q->hiccups)
        return false;
    return log(100) / (q->capacity - rate) * spread < q->limit;
}

/* The truth is the rate at which the p99 equals the limit. */
static bool finds_truth(const struct queue *q, uint64_t seed, size_t *steps)
{
    double truth = q->capacity - log(100) / q->limit;
    struct search s;
    struct search_ask ask;
    struct find_record a;
    struct rng r;

    rng_seed_pair(&r, seed, 1);
    search_begin(&s, 100, PRECISION, 2, 60);
    for (*steps = 0; search_next(&s, &ask); ++*steps)
        search_tell(&s, &ask, step_holds(q, ask.rate, &r));
    search_answer(&s, &a);
    return a.end == FIND_FOUND && fabs(a.held / truth - 1) <= 0.05;
}

static void seeds(const char *name, double spread, double hiccups, int least, double mean_steps)
{
    size_t sum = 0, most = 0;
    int right = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng r;
        struct queue q = {.spread = spread, .hiccups = hiccups};
        size_t steps;
        rng_seed_pair(&r, seed, 2);
        q.capacity = pow(10, 2.5 + 2.5 * rng_double(&r)); /* 316 to 100,000 a second */
        q.limit = log(100) / q.capacity * (4 + 16 * rng_double(&r));
        right += finds_truth(&q, seed, &steps);
        sum += steps;
        most = steps > most ? steps : most;
    }
    printf("%s: %d of %d within 5 %%, steps: mean %.1f, most %zu\n", name, right, SEEDS,
           (double)sum / SEEDS, most);
    CHECK(right >= least);
    CHECK((double)sum / SEEDS <= mean_steps);
    CHECK(most <= 60);
}

/* A step that said nothing counts among the steps, and its rate is asked for again. */
static void passed(void)
{
    struct search s;
    struct search_ask first, again;

    search_begin(&s, 100, PRECISION, 2, 8);
    CHECK(search_next(&s, &first));
    s.steps++;
    CHECK(search_next(&s, &again));
    CHECK(again.rate == first.rate && again.brief == first.brief);
    for (int i = 1; i < 8; i++)
        s.steps++;
    CHECK(!search_next(&s, &again));
    CHECK_INT(s.end, FIND_STEPS);
    s.end = FIND_STUCK; /* who ends it from outside has the last word */
    CHECK(!search_next(&s, &again));
    CHECK_INT(s.end, FIND_STUCK);
}

TEST_MAIN(find_search_test)
{
    rounding();
    exact();
    limits(0, "nothing holds");
    limits(1e12, "all hold");
    limits(1234, "1234 holds");
    one_hiccup();
    always_ends();
    seeds("no noise", 0, 0, SEEDS, 15);
    seeds("noise of 10 % in the p99", 0.1, 0, 995, 16);
    seeds("noise, 3 % of the steps spoiled", 0.1, 0.03, 980, 20);
    passed();
    golden_done("find_search_test");
    return test_done("find_search");
}

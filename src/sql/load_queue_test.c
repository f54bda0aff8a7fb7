/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every row of every table is handed out once, with the state that its table's stream has there,
 * whatever the order in which threads ask; tables are made before their rows and finished after
 * them; what was found is not handed out.
 */
#include "sql/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/test.h"

#define MOST 64

static struct dist_params dist;

static struct load_queue *queue(unsigned threads, uint64_t tables, uint64_t rows, uint64_t piece)
{
    struct load_plan plan = {threads, tables, rows, &dist, piece, false};
    struct load_queue *q = load_queue_new(&plan);

    for (unsigned i = 0; i < threads; i++)
        load_queue_join(q, i, &(struct rng){{i + 1, 7}});
    return q;
}

/* The state of the stream of thread `thread` after n rows. */
static struct rng state_at(const struct load_queue *q, unsigned thread, uint64_t n)
{
    struct rng r = {{thread + 1, 7}};

    load_rows_skip(load_queue_rows(q), &r, n);
    return r;
}

static void check_piece(struct load_queue *q, unsigned threads, uint64_t rows,
                        const struct load_piece *p)
{
    unsigned owner = (unsigned)((p->table - 1) % threads);
    struct rng want = state_at(q, owner, (p->table - 1) / threads * rows + p->first - 1);

    CHECK(p->rng.s[0] == want.s[0] && p->rng.s[1] == want.s[1]);
}

/* The next answer, in words: "create 2", "rows 2: 101-200", "finish 2", "end". */
static const char *next(struct load_queue *q, unsigned thread, struct load_piece *p)
{
    static char text[64];
    const char *word[] = {"end", "create", "rows", "finish"};

    load_queue_next(q, thread, p);
    if (p->work == LOAD_ROWS)
        snprintf(text, sizeof text, "rows %d: %d-%d", (int)p->table, (int)p->first, (int)p->last);
    else if (p->work == LOAD_END)
        return "end";
    else
        snprintf(text, sizeof text, "%s %d", word[p->work], (int)p->table);
    return text;
}

/* Asked and done. */
static const char *step(struct load_queue *q, unsigned thread)
{
    struct load_piece p;
    const char *text = next(q, thread, &p);

    if (p.work != LOAD_END)
        load_queue_done(q, &p);
    return text;
}

/* One thread: what stock does, in its order. */
static void test_alone(void)
{
    struct load_queue *q = queue(1, 2, 250, 100);
    static const char *const want[] = {"create 1",
                                       "rows 1: 1-100",
                                       "rows 1: 101-200",
                                       "rows 1: 201-250",
                                       "finish 1",
                                       "create 2",
                                       "rows 2: 1-100",
                                       "rows 2: 101-200",
                                       "rows 2: 201-250",
                                       "finish 2",
                                       "end",
                                       "end"};

    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_STR(step(q, 0), want[i]);
    load_queue_free(q);
}

/* One table: a thread without tables takes pieces of it; the index is for who ends last. */
static void test_shared(void)
{
    struct load_queue *q = queue(2, 1, 200, 100);
    struct load_piece a, b;

    CHECK_STR(step(q, 0), "create 1");
    CHECK_STR(next(q, 1, &a), "rows 1: 1-100");
    CHECK_STR(next(q, 0, &b), "rows 1: 101-200");
    CHECK_INT(load_queue_busy(q), 2);
    check_piece(q, 2, 200, &a);
    check_piece(q, 2, 200, &b);
    load_queue_done(q, &b);
    load_queue_done(q, &a);
    CHECK_STR(step(q, 1), "finish 1");
    CHECK_STR(step(q, 0), "end");
    CHECK_INT(load_queue_busy(q), 0);
    load_queue_free(q);
}

/* A thread begins with its own tables, helps with others after that, and two tables that fill at
 * the same time are both finished. */
static void test_own_first(void)
{
    struct load_queue *q = queue(2, 2, 100, 100);
    struct load_piece a, b;
    uint64_t have;

    CHECK_INT(load_queue_table(q, 2, &have), LOAD_ABSENT);
    CHECK_STR(step(q, 1), "create 2");
    CHECK_STR(step(q, 0), "create 1");
    CHECK_STR(next(q, 1, &b), "rows 2: 1-100");
    CHECK_STR(next(q, 0, &a), "rows 1: 1-100");
    load_queue_done(q, &a);
    load_queue_done(q, &b);
    CHECK_INT(load_queue_table(q, 2, &have), LOAD_FILLED);
    CHECK_INT(have, 100);
    CHECK_STR(step(q, 0), "finish 2");
    CHECK_INT(load_queue_table(q, 2, &have), LOAD_COMPLETE);
    CHECK_STR(step(q, 0), "finish 1");
    CHECK_STR(step(q, 1), "end");
    load_queue_free(q);
}

/* Threads with different servers do not help each other. */
static void test_apart(void)
{
    struct load_plan plan = {2, 2, 200, &dist, 100, true};
    struct load_queue *q = load_queue_new(&plan);
    struct load_piece a;

    load_queue_join(q, 0, &(struct rng){{1, 7}});
    load_queue_join(q, 1, &(struct rng){{2, 7}});
    CHECK_STR(step(q, 0), "create 1");
    CHECK_STR(step(q, 1), "create 2");
    CHECK_STR(step(q, 0), "rows 1: 1-100");
    CHECK_STR(step(q, 0), "rows 1: 101-200");
    CHECK_STR(step(q, 1), "rows 2: 1-100"); /* nor with the index of table 1 */
    CHECK_STR(next(q, 1, &a), "rows 2: 101-200");
    CHECK_STR(step(q, 0), "finish 1");
    CHECK_STR(step(q, 0), "end"); /* at once: there is nothing to wait for */
    load_queue_done(q, &a);
    CHECK_STR(step(q, 1), "finish 2");
    CHECK_STR(step(q, 1), "end");
    load_queue_free(q);
    q = load_queue_new(&plan);
    load_queue_join(q, 0, &(struct rng){{1, 7}});
    load_queue_join(q, 1, &(struct rng){{2, 7}});
    CHECK_STR(step(q, 0), "create 1");
    CHECK_STR(step(q, 0), "rows 1: 1-100");
    CHECK_STR(step(q, 0), "rows 1: 101-200");
    CHECK_STR(step(q, 0), "finish 1");
    CHECK_STR(step(q, 0), "end"); /* table 2 is not begun, and is the other's */
    CHECK_STR(step(q, 1), "create 2");
    load_queue_free(q);
}

/* Nobody waits for a thread that ends without having joined. */
static void test_gone(void)
{
    struct load_plan plan = {3, 4, 100, &dist, 100, false};
    struct load_queue *q = load_queue_new(&plan);
    static const char *const want[] = {"create 2", "rows 2: 1-100", "finish 2", "end"};

    load_queue_leave(q, 0);
    load_queue_join(q, 1, &(struct rng){{2, 7}});
    load_queue_leave(q, 2);
    load_queue_leave(q, 2);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_STR(step(q, 1), want[i]);
    load_queue_leave(q, 1);
    CHECK_STR(step(q, 1), "end");
    load_queue_free(q);
}

static void test_found(void)
{
    struct load_queue *q = queue(1, 2, 250, 100);
    struct load_piece p;
    uint64_t have;

    CHECK_STR(next(q, 0, &p), "create 1");
    CHECK(load_queue_found(q, 1, 1, 100));
    CHECK(!load_queue_found(q, 1, 101, 99));
    CHECK(load_queue_found(q, 1, 201, 50));
    CHECK(load_queue_found(q, 1, 201, 50)); /* twice is once */
    load_queue_done(q, &p);
    CHECK_INT(load_queue_table(q, 1, &have), LOAD_PARTLY);
    CHECK_INT(have, 150);
    CHECK_STR(next(q, 0, &p), "rows 1: 101-200");
    check_piece(q, 1, 250, &p);
    load_queue_done(q, &p);
    CHECK_STR(step(q, 0), "finish 1");
    CHECK_STR(next(q, 0, &p), "create 2");
    for (uint64_t first = 1; first <= 250; first += 100)
        load_queue_found(q, 2, first, first == 201 ? 50 : 100);
    load_queue_done(q, &p);
    CHECK_STR(step(q, 0), "finish 2");
    CHECK_STR(next(q, 0, &p), "end");
    CHECK_INT(p.work, LOAD_END);
    load_queue_free(q);
}

/* Behind the last row, a thread goes on with its stream where its tables have left it. */
static void test_stream(void)
{
    struct load_queue *q = queue(2, 3, 250, 100);
    struct rng r = {{0, 0}}, want = state_at(q, 0, 500);

    while (strcmp(step(q, 1), "rows 3: 101-200") != 0)
        CHECK(!load_queue_stream(q, 0, &r));
    CHECK(!load_queue_stream(q, 0, &r));
    while (strcmp(step(q, 1), "end") != 0)
        ;
    CHECK(load_queue_stream(q, 0, &r));
    CHECK(r.s[0] == want.s[0] && r.s[1] == want.s[1]);
    load_queue_free(q);
}

/* Threads that are handed nothing say how far they are. */
static void test_notes(void)
{
    struct load_plan plan = {2, 3, 100, &dist, 0, false};
    struct load_queue *q = load_queue_new(&plan);
    uint64_t have;

    load_queue_work(q, true);
    load_queue_work(q, true);
    load_queue_work(q, false);
    CHECK_INT(load_queue_busy(q), 1);
    load_queue_note(q, 1, 40, false);
    load_queue_note(q, 2, 100, false);
    load_queue_note(q, 3, 100, true);
    load_queue_note(q, 4, 1, false); /* there is none */
    load_queue_note(q, 0, 1, false);
    CHECK_INT(load_queue_table(q, 1, &have), LOAD_PARTLY);
    CHECK_INT(have, 40);
    CHECK_INT(load_queue_table(q, 2, &have), LOAD_FILLED);
    CHECK_INT(load_queue_table(q, 3, &have), LOAD_COMPLETE);
    load_queue_free(q);
}

/* Nothing is left of a table while the next one is being made: no piece of the first comes back. */
static void test_nothing_left(void)
{
    struct load_queue *q = queue(1, 1, 100, 100);
    struct load_piece p, other;

    next(q, 0, &p);
    load_queue_found(q, 1, 1, 100);
    load_queue_done(q, &p);
    CHECK_STR(next(q, 0, &p), "finish 1");
    load_queue_stop(q);
    CHECK_STR(next(q, 0, &other), "end");
    CHECK_INT(other.last, 0);
    load_queue_done(q, &p);
    load_queue_free(q);
}

static void test_empty_and_stopped(void)
{
    struct load_queue *q = queue(1, 2, 0, 100);

    CHECK_STR(step(q, 0), "create 1");
    CHECK_STR(step(q, 0), "finish 1");
    CHECK(!load_queue_stopped(q));
    load_queue_stop(q);
    CHECK(load_queue_stopped(q));
    CHECK_STR(step(q, 0), "end");
    load_queue_free(q);
}

/* Threads that really run: each row once. */
struct worker {
    struct load_queue *q;
    unsigned thread, threads;
    uint64_t rows;
    _Atomic int *handed; /* by table * rows + row */
    pthread_t id;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct load_piece p;

    for (;;) {
        load_queue_next(w->q, w->thread, &p);
        if (p.work == LOAD_END)
            return NULL;
        if (p.work == LOAD_ROWS) {
            check_piece(w->q, w->threads, w->rows, &p);
            for (uint64_t i = p.first; i <= p.last; i++)
                w->handed[(p.table - 1) * w->rows + i - 1]++;
        }
        load_queue_done(w->q, &p);
    }
}

static void check_threads(unsigned threads, uint64_t tables, uint64_t rows)
{
    struct load_queue *q = queue(threads, tables, rows, 10);
    _Atomic int *handed = calloc(tables * rows + 1, sizeof *handed);
    struct worker w[MOST];
    int wrong = 0;

    for (unsigned i = 0; i < threads; i++) {
        w[i] = (struct worker){q, i, threads, rows, handed, 0};
        CHECK_INT(pthread_create(&w[i].id, NULL, work, &w[i]), 0);
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(w[i].id, NULL);
    for (uint64_t i = 0; i < tables * rows; i++)
        wrong += handed[i] != 1;
    CHECK_INT(wrong, 0);
    free(handed);
    load_queue_free(q);
}

TEST_MAIN(load_queue_test)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    struct err e;

    dist_setup(&dist, &spec, &e);
    test_alone();
    test_shared();
    test_own_first();
    test_apart();
    test_gone();
    test_found();
    test_stream();
    test_notes();
    test_nothing_left();
    test_empty_and_stopped();
    for (unsigned threads = 1; threads <= 9; threads += 4)
        for (uint64_t tables = 1; tables <= 11; tables += 5)
            check_threads(threads, tables, 95);
    return test_done("load_queue_test");
}

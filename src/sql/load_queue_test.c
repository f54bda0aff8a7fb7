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

#include "base/test_golden.h"

#define MOST 64

static struct dist_params dist;

/* Of the queue that is tested. */
static unsigned nthreads;
static uint64_t nrows;
static bool apart;
static struct str story;

static struct load_queue *queue(unsigned threads, uint64_t tables, uint64_t rows, uint64_t piece)
{
    struct load_plan plan = {threads, tables, rows, &dist, piece, apart};
    struct load_queue *q = load_queue_new(&plan);

    nthreads = threads;
    nrows = rows;
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

static void check_piece(struct load_queue *q, const struct load_piece *p)
{
    unsigned owner = (unsigned)((p->table - 1) % nthreads);
    struct rng want = state_at(q, owner, (p->table - 1) / nthreads * nrows + p->first - 1);

    CHECK(p->rng.s[0] == want.s[0] && p->rng.s[1] == want.s[1]);
}

static struct load_piece held[4]; /* a, b, ... */

/* Step by step: "0": thread 0 asks, and what it gets is done at once; "0a": it keeps that as a;
 * "a": that is done.  A line for each answer: "0: rows 2: 101-200, busy 1". */
static void play(struct load_queue *q, const char *steps)
{
    static const char *const word[] = {"end", "create", "rows", "finish"};

    for (const char *at = steps; *at; at += strcspn(at, " "), at += *at == ' ') {
        struct load_piece here, *p = &here;
        if (*at >= 'a') {
            load_queue_done(q, &held[*at - 'a']);
            continue;
        }
        bool keeps = at[1] >= 'a';
        if (keeps)
            p = &held[at[1] - 'a'];
        load_queue_next(q, (unsigned)(*at - '0'), p);
        str_printf(&story, "%c: %s", *at, word[p->work]);
        if (p->work != LOAD_END)
            str_printf(&story, " %d", (int)p->table);
        else
            CHECK_INT(p->last, 0); /* nothing is left of what was before */
        if (p->work == LOAD_ROWS) {
            str_printf(&story, ": %d-%d", (int)p->first, (int)p->last);
            check_piece(q, p);
        }
        str_printf(&story, ", busy %u\n", load_queue_busy(q));
        if (p->work != LOAD_END && !keeps)
            load_queue_done(q, p);
    }
}

static void tell_table(struct load_queue *q, uint64_t table)
{
    static const char *const word[] = {"absent", "partly", "filled", "complete"};
    uint64_t have;
    enum load_progress p = load_queue_table(q, table, &have);

    str_printf(&story, "table %d: %s, %d rows\n", (int)table, word[p], (int)have);
}

static void over(struct load_queue *q, const char *title)
{
    load_queue_free(q);
    golden(&story, "%s", title);
}

static void test_order(void)
{
    struct load_queue *q = queue(1, 2, 250, 100);

    play(q, "0 0 0 0 0 0 0 0 0 0 0 0");
    over(q, "one thread: what stock does, in its order");
    q = queue(2, 1, 200, 100);
    play(q, "0 1a 0b b a 1 0");
    over(q, "one table: a thread without tables takes pieces; the index is for who ends last");
    q = queue(2, 2, 100, 100);
    tell_table(q, 2);
    play(q, "1 0 1b 0a a b");
    tell_table(q, 2);
    play(q, "0");
    tell_table(q, 2);
    play(q, "0 1");
    over(q, "own tables first, then those of others; two that fill at once are both finished");
    apart = true;
    q = queue(2, 2, 200, 100);
    play(q, "0 1 0 0 1 1a 0 0 a 1 1");
    over(q, "threads with different servers do not help each other, nor wait");
    q = queue(2, 2, 200, 100);
    play(q, "0 0 0 0 0 1");
    over(q, "a table of the other's that is not begun");
    apart = false;
}

/* Nobody waits for a thread that ends without having joined. */
static void test_gone(void)
{
    struct load_plan plan = {3, 4, 100, &dist, 100, false};
    struct load_queue *q = load_queue_new(&plan);

    nthreads = 3;
    nrows = 100;
    load_queue_leave(q, 0);
    load_queue_join(q, 1, &(struct rng){{2, 7}});
    load_queue_leave(q, 2);
    load_queue_leave(q, 2);
    play(q, "1 1 1 1");
    load_queue_leave(q, 1);
    play(q, "1");
    over(q, "threads that are gone");
}

static void test_found(void)
{
    struct load_queue *q = queue(1, 2, 250, 100);

    play(q, "0a");
    CHECK(load_queue_found(q, 1, 1, 100));
    CHECK(!load_queue_found(q, 1, 101, 99));
    CHECK(load_queue_found(q, 1, 201, 50));
    CHECK(load_queue_found(q, 1, 201, 50)); /* twice is once */
    play(q, "a");
    tell_table(q, 1);
    play(q, "0 0 0a");
    for (uint64_t first = 1; first <= 250; first += 100)
        load_queue_found(q, 2, first, first == 201 ? 50 : 100);
    play(q, "a 0 0");
    over(q, "rows that are found");
    q = queue(1, 1, 100, 0); /* of the usual size */
    play(q, "0a");
    load_queue_found(q, 1, 1, 100);
    play(q, "a 0a");
    load_queue_stop(q);
    play(q, "0 a");
    over(q, "all rows are found, and the queue is stopped");
}

/* Behind the last row, a thread goes on with its stream where its tables have left it. */
static void test_stream(void)
{
    struct load_queue *q = queue(2, 3, 250, 100);
    struct rng r = {{0, 0}}, want = state_at(q, 0, 500);

    for (int i = 0; i < 13; i++) {
        play(q, "1");
        CHECK(!load_queue_stream(q, 0, &r));
    }
    play(q, "1 1 1");
    CHECK(load_queue_stream(q, 0, &r));
    CHECK(r.s[0] == want.s[0] && r.s[1] == want.s[1]);
    over(q, "streams");
}

/* Threads that are handed nothing say how far they are. */
static void test_notes(void)
{
    struct load_plan plan = {2, 3, 100, &dist, 0, false};
    struct load_queue *q = load_queue_new(&plan);

    load_queue_work(q, true);
    load_queue_work(q, true);
    load_queue_work(q, false);
    CHECK_INT(load_queue_busy(q), 1);
    load_queue_note(q, 1, 40, false);
    load_queue_note(q, 2, 100, false);
    load_queue_note(q, 3, 100, true);
    load_queue_note(q, 4, 1, false); /* there is none */
    load_queue_note(q, 0, 1, false);
    for (uint64_t table = 1; table <= 3; table++)
        tell_table(q, table);
    over(q, "notes");
    q = queue(1, 2, 0, 100);
    play(q, "0 0");
    CHECK(!load_queue_stopped(q));
    load_queue_stop(q);
    CHECK(load_queue_stopped(q));
    play(q, "0");
    over(q, "empty, and stopped");
}

/* Threads that really run: each row once. */
struct worker {
    struct load_queue *q;
    unsigned thread;
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
            check_piece(w->q, &p);
            for (uint64_t i = p.first; i <= p.last; i++)
                w->handed[(p.table - 1) * nrows + i - 1]++;
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
        w[i] = (struct worker){q, i, handed, 0};
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
    test_order();
    test_gone();
    test_found();
    test_stream();
    test_notes();
    for (unsigned threads = 1; threads <= 9; threads += 4)
        for (uint64_t tables = 1; tables <= 11; tables += 5)
            check_threads(threads, tables, 95);
    golden_done("load_queue_test");
    return test_done("load_queue_test");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sequences of requests: the order of a sequential pass and its short last requests, the places of
 * rounds of fsyncs, the ratio of reads and writes, the range of random requests, and that blocks in
 * flight are not touched.  The sequences in the table were observed with stock 1.0.
 */
#include "workload/fileio.h"

#include <sched.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct fileio_options base(enum fileio_mode mode)
{
    return (struct fileio_options){.files = 3,
                                   .file_size = 333333,
                                   .block = 16384,
                                   .request = 16384,
                                   .mode = mode,
                                   .rw_ratio = 1.5f};
}

struct world {
    struct fileio_options o;
    struct fileio_modes m;
    struct rng r;
};

static void begin(struct world *w, struct fileio_options o)
{
    w->o = o;
    fileio_modes_init(&w->m, &w->o);
    rng_seed_pair(&w->r, 7, 1);
}

static struct fileio_request next(struct world *w)
{
    struct fileio_request q = {0};

    CHECK(fileio_modes_next(&w->m, &w->r, &q));
    fileio_modes_done(&w->m, &q);
    return q;
}

/* The first requests: 1 read, 2 write, 3 fsync, with file, place and size; places of random ones
 * are for random_places().  Fsyncs of 0.4 and 0.5 that are due behind a request are +, and at the
 * end. */
static void play(const char *title, struct fileio_options o, int n)
{
    bool random = o.mode == FILEIO_RNDRD || o.mode == FILEIO_RNDWR || o.mode == FILEIO_RNDRW;
    struct fileio_request q;
    struct str out = STR_INIT;
    struct world w;

    begin(&w, o);
    for (int i = 0; i < n && (!o.once || fileio_modes_claim(&w.m)); i++) {
        q = next(&w);
        if (random && q.op != FILEIO_FSYNC)
            str_printf(&out, "%d", (int)q.op);
        else
            str_printf(&out, " %d:%d:%lld:%zu", (int)q.op, q.file, (long long)q.pos, q.size);
        while (o.fsync_between && fileio_modes_next_fsync(&w.m, false, &q))
            str_printf(&out, "+%d", q.file);
    }
    while (o.fsync_between && fileio_modes_next_fsync(&w.m, true, &q))
        str_printf(&out, " end+%d", q.file);
    CHECK(!o.fsync_between || !fileio_modes_next_fsync(&w.m, true, &q)); /* nothing was written */
    golden(&out, "%s", title);
    str_free(&out);
    fileio_modes_fini(&w.m);
}

static void plays(void)
{
    static const struct {
        enum fileio_mode mode;
        float ratio;
        int freq, n;
    } table[] = {
        {FILEIO_SEQREWR, 1.5f, 5, 30}, {FILEIO_SEQRD, 1.5f, 2, 10}, {FILEIO_RNDRD, 1.5f, 1, 10},
        {FILEIO_RNDWR, 1.5f, 1, 10},   {FILEIO_RNDWR, 1.5f, 2, 50}, {FILEIO_RNDRW, 1.5f, 0, 20},
        {FILEIO_RNDRW, 1.5f, 5, 24},   {FILEIO_RNDRW, 0.0f, 0, 10}, {FILEIO_RNDRW, 0.3f, 0, 78},
        {FILEIO_RNDRW, 7.0f, 4, 48},   {FILEIO_RNDRW, 7.0f, 1, 60}};
    struct fileio_options o = base(FILEIO_SEQRD);

    play("two passes", o, 126);
    o.file_size = 100;
    play("files shorter than a block", o, 6);
    o = base(FILEIO_SEQWR);
    o.file_size = 131072;
    o.merged = 3;
    o.request = 49152;
    play("merged", o, 12);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char title[60];
        o = base(table[i].mode);
        o.rw_ratio = table[i].ratio;
        o.fsync_freq = table[i].freq;
        snprintf(title, sizeof title, "mode %d, ratio %.1f, fsync after %d", (int)o.mode,
                 (double)o.rw_ratio, o.fsync_freq);
        play(title, o, table[i].n);
    }
    o = base(FILEIO_RNDWR);
    o.fsync_between = true;
    o.fsync_freq = 4;
    play("fsyncs between requests", o, 10);
    o = base(FILEIO_SEQREWR);
    o.fsync_between = o.once = true;
    o.fsync_freq = 4;
    play("once, fsyncs at the end only", o, 100);
}

/* Where random requests may lie, and that they lie there evenly. */
static void random_places(bool validate)
{
    enum { DRAWS = 60000, BLOCKS = 61 };
    struct fileio_options o = base(FILEIO_RNDRD);
    int hits[BLOCKS + 1] = {0};
    struct world w;

    o.validate = validate;
    begin(&w, o);
    for (int i = 0; i < DRAWS; i++) {
        struct fileio_request q = next(&w);
        int64_t in_row = q.file * o.file_size + q.pos;
        CHECK(q.file >= 0 && q.file < 3);
        CHECK(q.pos >= 0 && q.pos < o.file_size);
        CHECK_INT(validate ? q.pos % 16384 : in_row % 16384, 0);
        CHECK_INT(q.size, o.file_size - q.pos < 16384 ? o.file_size - q.pos : 16384);
        hits[in_row / 16384]++;
    }
    for (int i = 0; i < BLOCKS && !validate; i++)
        CHECK_NEAR(hits[i], DRAWS * 16384 / 999999.0, 5 * 31.1); /* five standard deviations */
    fileio_modes_fini(&w.m);
}

/* --validate: blocks in flight are not drawn again. */
static void reserved(void)
{
    struct fileio_options o = base(FILEIO_RNDRW);
    struct fileio_request q[8], one;
    struct world w;

    o.files = 2;
    o.file_size = 4 * 16384 - 1; /* the last block is not whole, and still a block */
    o.validate = true;
    begin(&w, o);
    for (int i = 0; i < 8; i++) {
        CHECK(fileio_modes_next(&w.m, &w.r, &q[i]));
        for (int k = 0; k < i; k++)
            CHECK(q[k].file != q[i].file || q[k].pos != q[i].pos);
    }
    CHECK(!fileio_modes_next(&w.m, &w.r, &one));
    CHECK_INT(w.m.requests, 8);
    fileio_modes_done(&w.m, &q[5]);
    CHECK(fileio_modes_next(&w.m, &w.r, &one));
    CHECK(one.file == q[5].file && one.pos == q[5].pos);
    fileio_modes_fini(&w.m);
}

/* --validate in the sequential modes: a request that has come round to a block in flight waits, and
 * the order is kept.  Every block of a merged request counts. */
static void sequential_waits(enum fileio_mode mode, int merged)
{
    struct fileio_options o = base(mode);
    struct fileio_request held, q;
    struct world w;

    o.files = 2;
    o.file_size = 4 * 16384 - 1;
    o.merged = merged;
    o.request = (size_t)merged * 16384;
    o.validate = true;
    begin(&w, o);
    next(&w);
    CHECK(fileio_modes_next(&w.m, &w.r, &held));
    CHECK_INT(held.pos, merged * 16384);
    do
        q = next(&w);
    while (q.file != 0 || q.pos != 0); /* the other blocks, and round */
    for (int i = 0; i < 3; i++)
        CHECK(!fileio_modes_next(&w.m, &w.r, &q));
    fileio_modes_done(&w.m, &held);
    q = next(&w);
    CHECK(q.file == held.file && q.pos == held.pos && q.size == held.size);
    fileio_modes_fini(&w.m);
}

/* Clients that hold few blocks long enough for the others to come round: never two at one block. */
enum { HOLDERS = 4, HELD_BLOCKS = 6, HOLDS = 3000 };

struct holders {
    struct world w;
    _Atomic int at[HELD_BLOCKS], met;
};

static void *hold(void *arg)
{
    struct holders *h = arg;
    struct rng r;

    rng_seed_pair(&r, 3, 9);
    for (int i = 0; i < HOLDS; i++) {
        struct fileio_request q;
        while (!fileio_modes_next(&h->w.m, &r, &q))
            sched_yield();
        int first = q.file * 3 + (int)(q.pos / 16384), n = (int)((q.size + 16383) / 16384);
        for (int k = first; k < first + n; k++)
            h->met += h->at[k]++ != 0;
        sched_yield();
        for (int k = first; k < first + n; k++)
            h->at[k]--;
        fileio_modes_done(&h->w.m, &q);
    }
    return NULL;
}

static void never_two(enum fileio_mode mode, int merged)
{
    struct holders *h = mem_alloc(sizeof *h);
    struct fileio_options o = base(mode);
    pthread_t thread[HOLDERS];

    memset(h, 0, sizeof *h);
    o.files = 2;
    o.file_size = 3 * 16384;
    o.merged = merged;
    o.request = (size_t)merged * 16384;
    o.validate = true;
    begin(&h->w, o);
    for (int i = 0; i < HOLDERS; i++)
        pthread_create(&thread[i], NULL, hold, h);
    for (int i = 0; i < HOLDERS; i++)
        pthread_join(thread[i], NULL);
    CHECK_INT(h->met, 0);
    CHECK_INT(h->w.m.requests, HOLDERS * HOLDS);
    fileio_modes_fini(&h->w.m);
    free(h);
}

/* Several clients share one pass: each piece once, and rounds are whole. */
enum { CLIENTS = 4, EACH = 20000, PIECES = 63 };

struct worker {
    struct world *w;
    struct rng r;
    int piece[PIECES], fsync[3];
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *k = arg;

    for (int i = 0; i < EACH; i++) {
        struct fileio_request q;
        if (!fileio_modes_next(&k->w->m, &k->r, &q))
            abort();
        if (q.op == FILEIO_FSYNC)
            k->fsync[q.file]++;
        else
            k->piece[q.file * 21 + q.pos / 16384]++;
        fileio_modes_done(&k->w->m, &q);
    }
    return NULL;
}

static void shared(void)
{
    struct worker *k = mem_array(CLIENTS, sizeof *k);
    struct fileio_options o = base(FILEIO_SEQREWR);
    int total = 0, fsyncs[3] = {0}, pieces[PIECES] = {0};
    struct world w;

    o.fsync_freq = 5;
    begin(&w, o);
    for (int i = 0; i < CLIENTS; i++) {
        k[i].w = &w;
        pthread_create(&k[i].thread, NULL, work, &k[i]);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(k[i].thread, NULL);
        for (int p = 0; p < PIECES; p++)
            pieces[p] += k[i].piece[p];
        for (int f = 0; f < 3; f++)
            fsyncs[f] += k[i].fsync[f];
    }
    for (int p = 0; p < PIECES; p++) {
        CHECK(pieces[p] == pieces[0] || pieces[p] == pieces[0] - 1);
        total += pieces[p];
    }
    /* 8 requests a round: 5 writes and one fsync of each file */
    CHECK_INT(total, CLIENTS * EACH / 8 * 5);
    for (int f = 0; f < 3; f++)
        CHECK_INT(fsyncs[f], CLIENTS * EACH / 8);
    fileio_modes_fini(&w.m);
    free(k);
}

/* A client may go on before another one asks whether a round is due: it is not lost. */
static void old_round_is_kept(void)
{
    struct fileio_options o = base(FILEIO_RNDWR);
    struct fileio_request q;
    struct world w;

    o.fsync_between = true;
    o.fsync_freq = 4;
    begin(&w, o);
    for (int i = 0; i < 6; i++)
        next(&w);
    CHECK(fileio_modes_next_fsync(&w.m, false, &q));
    fileio_modes_fini(&w.m);
}

TEST_MAIN(fileio_modes_test)
{
    plays();
    random_places(false);
    random_places(true);
    reserved();
    sequential_waits(FILEIO_SEQRD, 1);
    sequential_waits(FILEIO_SEQREWR, 1);
    sequential_waits(FILEIO_SEQWR, 2);
    never_two(FILEIO_SEQREWR, 1);
    never_two(FILEIO_SEQWR, 2);
    never_two(FILEIO_RNDRW, 1);
    shared();
    old_round_is_kept();
    golden_done("fileio_modes_test");
    return test_done("fileio_modes_test");
}

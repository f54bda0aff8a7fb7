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
#include "base/test.h"

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

static void sequential(void)
{
    struct world w;

    begin(&w, base(FILEIO_SEQRD));
    for (int pass = 0; pass < 2; pass++) {
        for (int file = 0; file < 3; file++) {
            for (int64_t pos = 0; pos < 333333; pos += 16384) {
                struct fileio_request q = next(&w);
                CHECK_INT(q.op, FILEIO_READ);
                CHECK_INT(q.file, file);
                CHECK_INT(q.pos, pos);
                CHECK_INT(q.size, pos == 327680 ? 5653 : 16384);
            }
        }
    }
    fileio_modes_fini(&w.m);
}

static void merged(void)
{
    static const struct {
        int64_t pos;
        size_t size;
    } want[] = {{0, 49152}, {49152, 49152}, {98304, 32768}};
    struct fileio_options o = base(FILEIO_SEQWR);
    struct world w;

    o.file_size = 131072;
    o.merged = 3;
    o.request = 49152;
    begin(&w, o);
    for (int i = 0; i < 12; i++) {
        struct fileio_request q = next(&w);
        CHECK_INT(q.op, FILEIO_WRITE);
        CHECK_INT(q.file, i / 3 % 3);
        CHECK_INT(q.pos, want[i % 3].pos);
        CHECK_INT(q.size, want[i % 3].size);
    }
    fileio_modes_fini(&w.m);
}

/* A file shorter than a block. */
static void tiny(void)
{
    struct fileio_options o = base(FILEIO_SEQRD);
    struct world w;

    o.file_size = 100;
    begin(&w, o);
    for (int i = 0; i < 6; i++) {
        struct fileio_request q = next(&w);
        CHECK_INT(q.file, i % 3);
        CHECK_INT(q.pos, 0);
        CHECK_INT(q.size, 100);
    }
    fileio_modes_fini(&w.m);
}

/* One digit a request: 1 read, 2 write, 3 fsync. */
static void operations(void)
{
    static const struct {
        enum fileio_mode mode;
        float ratio;
        int freq;
        const char *ops;
    } table[] = {
        {FILEIO_SEQREWR, 1.5f, 5, "222223332222233322222333222223"},
        {FILEIO_SEQRD, 1.5f, 2, "1111111111"},
        {FILEIO_RNDRD, 1.5f, 1, "1111111111"},
        {FILEIO_RNDWR, 1.5f, 1, "2333233323"},
        {FILEIO_RNDRW, 1.5f, 0, "12121121211212112121"},
        {FILEIO_RNDRW, 1.5f, 5, "121213331212133312121333"},
        {FILEIO_RNDRW, 0.0f, 0, "2222222222"},
        {FILEIO_RNDRW, 0.3f, 0,
         "222122212221222212221222122221222122212222122212221222212221222122221222122212"},
        {FILEIO_RNDRW, 7.0f, 4, "111111213331111112133311111121333111111213331111"},
        {FILEIO_RNDRW, 7.0f, 1, "111111233311111112333111111123331111111233311111112333111111"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fileio_options o = base(table[i].mode);
        char got[128] = "";
        struct world w;
        o.rw_ratio = table[i].ratio;
        o.fsync_freq = table[i].freq;
        begin(&w, o);
        for (size_t k = 0; k < strlen(table[i].ops); k++)
            got[k] = (char)('0' + next(&w).op);
        CHECK_STR(got, table[i].ops);
        fileio_modes_fini(&w.m);
    }
}

/* A round fsyncs every file once, in order, without other requests in between. */
static void rounds(void)
{
    struct fileio_options o = base(FILEIO_RNDWR);
    struct world w;

    o.fsync_freq = 2;
    begin(&w, o);
    for (int i = 0; i < 50; i++) {
        struct fileio_request q = next(&w);
        if (i % 5 < 2) {
            CHECK_INT(q.op, FILEIO_WRITE);
        } else {
            CHECK_INT(q.op, FILEIO_FSYNC);
            CHECK_INT(q.file, i % 5 - 2);
            CHECK_INT(q.size, 0);
        }
    }
    fileio_modes_fini(&w.m);
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

/* In 0.4 and 0.5 fsyncs come between the requests: how many are due after each of 10 writes, with
 * rounds of 3 files after every 4 requests, and at the end. */
static void old_rounds(void)
{
    struct fileio_options o = base(FILEIO_RNDWR);
    struct fileio_request q;
    struct world w;
    int due[11] = {0};

    o.fsync_between = true;
    o.fsync_freq = 4;
    begin(&w, o);
    for (int i = 0; i < 10; i++) {
        CHECK_INT(next(&w).op, FILEIO_WRITE);
        while (fileio_modes_next_fsync(&w.m, false, &q))
            CHECK_INT(q.file, due[i]++);
    }
    while (fileio_modes_next_fsync(&w.m, true, &q))
        CHECK_INT(q.file, due[10]++);
    for (int i = 0; i < 11; i++)
        CHECK_INT(due[i], i == 3 || i == 7 || i == 10 ? 3 : 0);
    CHECK(!fileio_modes_next_fsync(&w.m, true, &q)); /* nothing was written since */
    fileio_modes_fini(&w.m);
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

/* 0.4, sequential: 21 requests for each of 3 files, and a round at the end only. */
static void old_single_pass(void)
{
    struct fileio_options o = base(FILEIO_SEQREWR);
    struct fileio_request q;
    struct world w;
    int n = 0, fsyncs = 0;

    o.fsync_between = o.once = true;
    o.fsync_freq = 4;
    begin(&w, o);
    for (; fileio_modes_claim(&w.m); n++) {
        next(&w);
        CHECK(!fileio_modes_next_fsync(&w.m, false, &q));
    }
    CHECK_INT(n, 63);
    while (fileio_modes_next_fsync(&w.m, true, &q))
        fsyncs++;
    CHECK_INT(fsyncs, 3);
    fileio_modes_fini(&w.m);
}

TEST_MAIN(fileio_modes_test)
{
    sequential();
    merged();
    tiny();
    operations();
    rounds();
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
    old_rounds();
    old_round_is_kept();
    old_single_pass();
    return test_done("fileio_modes_test");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of a profile that need no permission: tables, trees, the kernel's records taken apart,
 * address spaces, processes that come and go, and a whole profile of constructed records: this file
 * takes the place of rings.c.
 */
#include "profile/profile.h"

#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"
#include "profile/tree.h"
#include "profile/record.h"
#include "profile/rings.h"
#include "profile/watched.h"

#ifndef PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#endif

/* Against the plainest table there is. */
static void test_map64(void)
{
    enum { KEYS = 512 };
    static char value[KEYS];
    struct map64 m = {0};
    bool in[KEYS] = {false};
    unsigned seed = 1, n = 0;

    for (int i = 0; i < 20000; i++) {
        unsigned key = (seed = seed * 1103515245u + 12345u) >> 16 & (KEYS - 1);
        if (seed >> 8 & 1) {
            map64_set(&m, key * 4096ull, &value[key]);
            n += !in[key];
            in[key] = true;
        } else {
            CHECK(map64_take(&m, key * 4096ull) == (in[key] ? &value[key] : NULL));
            n -= in[key];
            in[key] = false;
        }
    }
    CHECK_INT(m.n, n);
    for (unsigned k = 0; k < KEYS; k++)
        CHECK(map64_get(&m, k * 4096ull) == (in[k] ? &value[k] : NULL));
    map64_free(&m);
    CHECK(map64_get(&m, 1) == NULL);
    CHECK(map64_take(&m, 1) == NULL);
}

static void letter(void *arg, uint64_t frame, struct str *s)
{
    (void)arg;
    if (frame == 99)
        str_adds(s, "[file]");
    else
        str_printf(s, "f;%d", (int)frame);
}

static void test_tree(void)
{
    struct folded f = {0};
    struct str s = STR_INIT;
    struct tree t;
    uint32_t a, b;

    tree_init(&t);
    a = tree_child(&t, 0, 1);
    b = tree_child(&t, a, 2);
    CHECK_INT(tree_child(&t, 0, 1), a);
    CHECK_INT(tree_child(&t, a, 2), b);
    CHECK(tree_child(&t, 0, 2) != b);
    tree_add(&t, b, 2.6);
    tree_add(&t, tree_child(&t, tree_child(&t, tree_child(&t, a, 99), 99), 3), 1);
    tree_fold(&t, &f, letter, NULL);
    folded_write(&f, &s);
    CHECK_STR(str_cstr(&s), "f:1;[file];f:3 1\nf:1;f:2 3\n");
    for (unsigned i = 0; i < 5000; i++) /* it grows, and finds what it had */
        tree_add(&t, tree_child(&t, tree_child(&t, 0, 1000 + i % 50), 5000 + i % 2500), 1);
    CHECK_INT(tree_child(&t, a, 2), b);
    CHECK_INT(t.n, 7 + 50 + 2500);
    str_free(&s);
    folded_free(&f);
    tree_free(&t);
}

/* A record as the kernel writes it, word by word. */
struct wire {
    uint64_t word[64];
    size_t n;
};

static const struct perf_event_header *wire(struct wire *w, uint32_t type, uint16_t misc,
                                            const void *words, size_t bytes)
{
    struct perf_event_header h = {.type = type, .misc = misc, .size = (uint16_t)(sizeof h + bytes)};

    memcpy(w->word, &h, sizeof h);
    memcpy(w->word + 1, words, bytes);
    return (const void *)w->word;
}

#define PAIR(a, b) ((uint64_t)(uint32_t)(a) | (uint64_t)(b) << 32)

static void test_samples(void)
{
    enum { PLAIN, FULL = 2 };
    uint64_t body[] = {77,
                       PAIR(10, 11),
                       123456,
                       3,
                       PERF_CONTEXT_USER,
                       0x400100,
                       0x400200,
                       PERF_SAMPLE_REGS_ABI_64,
                       0xaa,
                       0xbb,
                       16,
                       1,
                       2,
                       8};
    const struct perf_event_header *h;
    struct record r;
    struct wire w;

    h = wire(&w, PERF_RECORD_SAMPLE, 0, body, 7 * 8);
    CHECK(record_read(&r, h, PLAIN));
    CHECK_INT(r.kind, RECORD_SAMPLE);
    CHECK_INT(r.id, 77);
    CHECK_INT(r.pid, 10);
    CHECK_INT(r.tid, 11);
    CHECK_INT(r.time, 123456);
    CHECK_INT(record_time(h), 123456);
    CHECK_INT(r.links, 3);
    CHECK_INT(r.chain[2], 0x400200);
    CHECK(r.regs == NULL);
    h = wire(&w, PERF_RECORD_SAMPLE, 0, body, sizeof body);
    CHECK(record_read(&r, h, FULL));
    CHECK(r.regs && r.regs[1] == 0xbb);
    CHECK_INT(r.stack_bytes, 8);
    CHECK_INT(r.stack[0], 1);
    for (size_t cut = 0; cut < sizeof body; cut += 8) /* never beyond what is there */
        CHECK(!record_read(&r, wire(&w, PERF_RECORD_SAMPLE, 0, body, cut), FULL));
    body[3] = 1u << 30;
    CHECK(!record_read(&r, wire(&w, PERF_RECORD_SAMPLE, 0, body, sizeof body), FULL));
}

static void test_records(void)
{
    uint64_t tail[] = {PAIR(10, 11), 500, 77},
             fork[] = {PAIR(20, 10), PAIR(21, 11), 499, PAIR(10, 11), 500, 77};
    uint64_t comm[] = {PAIR(10, 11), 0, 0, PAIR(10, 11), 500, 77},
             lost[] = {77, 42, PAIR(10, 11), 500, 77};
    uint64_t map[] = {PAIR(10, 11), 0x1000, 0x2000, 0x3000, 0, 0, 0, 0, 0, 0,
                      PAIR(10, 11), 500,    77};
    uint64_t on[] = {PAIR(1, 2), PAIR(10, 11), 500, 77};
    const struct perf_event_header *h;
    struct record r;
    struct wire w;

    h = wire(&w, PERF_RECORD_SWITCH,
             PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, tail, sizeof tail);
    CHECK(record_read(&r, h, 0));
    CHECK_INT(record_time(h), 500);
    CHECK(r.kind == RECORD_SWITCH && r.out && r.preempted && r.pid == 10 && r.tid == 11 &&
          r.time == 500);
    CHECK(record_read(&r, wire(&w, PERF_RECORD_SWITCH_CPU_WIDE, 0, on, sizeof on), 0));
    CHECK(r.kind == RECORD_SWITCH && !r.out && r.tid == 11);
    CHECK(record_read(&r, wire(&w, PERF_RECORD_FORK, 0, fork, sizeof fork), 0));
    CHECK(r.kind == RECORD_FORK && r.pid == 20 && r.parent_pid == 10 && r.tid == 21 &&
          r.parent_tid == 11);
    memcpy(&comm[1], "new name", 9);
    CHECK(record_read(&r, wire(&w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm, sizeof comm),
                      0));
    CHECK(r.kind == RECORD_COMM && r.exec);
    CHECK_STR(r.text, "new name");
    memset(&comm[1], 'x', 16);
    CHECK(!record_read(&r, wire(&w, PERF_RECORD_COMM, 0, comm, 3 * 8), 0)); /* no end */
    memcpy(&map[8], "/lib/x.so", 10);
    CHECK(record_read(&r, wire(&w, PERF_RECORD_MMAP2, 0, map, sizeof map), 0));
    CHECK(r.kind == RECORD_MMAP && r.addr == 0x1000 && r.len == 0x2000 && r.offset == 0x3000);
    CHECK_STR(r.text, "/lib/x.so");
    CHECK(record_read(&r, wire(&w, PERF_RECORD_LOST, 0, lost, sizeof lost), 0));
    CHECK(r.kind == RECORD_LOST && r.lost == 42);
    CHECK(record_read(&r, wire(&w, PERF_RECORD_THROTTLE, 0, lost, sizeof lost), 0));
    CHECK_INT(r.kind, RECORD_OTHER);
    CHECK(!record_read(&r, wire(&w, PERF_RECORD_SWITCH, 0, tail, 16), 0));
}

static void test_space(void)
{
    struct space s = {0};

    CHECK(space_find(&s, 100) == NULL);
    space_add(&s, (struct mapping){.start = 100, .end = 200, .object = 1});
    space_add(&s, (struct mapping){.start = 300, .end = 400, .object = 2});
    space_add(&s, (struct mapping){.start = 200, .end = 300, .object = 3});
    CHECK_INT(s.n, 3);
    CHECK(space_find(&s, 99) == NULL && space_find(&s, 400) == NULL);
    CHECK_INT(space_find(&s, 100)->object, 1);
    CHECK_INT(space_find(&s, 299)->object, 3);
    CHECK_INT(space_find(&s, 300)->object, 2);
    space_add(&s, (struct mapping){.start = 150, .end = 350, .object = 4}); /* over all three */
    CHECK_INT(s.n, 1);
    CHECK_INT(space_find(&s, 150)->object, 4);
    for (unsigned i = 0; i < 100; i++) /* below it, from the highest down */
        space_add(&s, (struct mapping){.start = 101 - i, .end = 102 - i, .object = 5 + i});
    CHECK_INT(s.n, 101);
    for (unsigned i = 0; i < 100; i++)
        CHECK_INT(space_find(&s, 101 - i)->object, 5 + i);
    free(s.map);
}

static void test_watched(void)
{
    pid_t self = getpid();
    struct watched w = {0};
    struct record r = {
        .kind = RECORD_FORK, .pid = self, .tid = 900001, .parent_pid = self, .parent_tid = self};

    watched_begin(&w, &self, 1, true, 0);
    CHECK(watched_process(&w, self) != NULL);
    CHECK(watched_process(&w, self)->space.n > 0);
    CHECK(watched_process(&w, 900009) == NULL);
    watched_record(&w, &r); /* a thread takes its creator's name */
    CHECK(watched_thread(&w, self, 900001)->name == watched_thread(&w, self, self)->name);
    r = (struct record){.kind = RECORD_COMM, .pid = self, .tid = 900001, .text = "worker"};
    watched_record(&w, &r);
    CHECK_STR(w.name[FRAME_ADDRESS(watched_thread(&w, self, 900001)->name)], "worker");
    r = (struct record){.kind = RECORD_EXIT, .pid = self, .tid = 900001};
    watched_record(&w, &r);
    /* a child process begins with its parent's mappings */
    r = (struct record){
        .kind = RECORD_FORK, .pid = 900002, .tid = 900002, .parent_pid = self, .parent_tid = self};
    watched_record(&w, &r);
    CHECK_INT(watched_process(&w, 900002)->space.n, watched_process(&w, self)->space.n);
    r = (struct record){.kind = RECORD_MMAP,
                        .pid = 900002,
                        .tid = 900002,
                        .addr = 4096,
                        .len = 4096,
                        .text = "/x/y.so"};
    watched_record(&w, &r);
    CHECK(space_find(&watched_process(&w, 900002)->space, 5000) != NULL);
    CHECK(space_find(&watched_process(&w, self)->space, 5000) == NULL);
    r = (struct record){.kind = RECORD_EXIT, .pid = 900002, .tid = 900002};
    watched_record(&w, &r);
    CHECK(watched_process(&w, 900002) == NULL);
    r = (struct record){.kind = RECORD_FORK,
                        .pid = 900003,
                        .tid = 900003,
                        .parent_pid = 900009,
                        .parent_tid = 900009};
    watched_record(&w, &r); /* of another process */
    CHECK(watched_process(&w, 900003) == NULL);
    watched_free(&w);
}

/* The kernel's side, constructed: off its CPU from `out` to `in` us of a window of a millisecond
 * (-1: still then), `sampled` with a stack as one of so many (negative: with
 * another stack, of a commit), or without (0).  Thread 0: records are lost. */
struct away {
    pid_t tid;
    int out, in;
    bool preempted;
    int sampled;
};

static struct {
    struct profile *profile;
    const struct away *away;
    size_t n, at; /* three records each */
    mono_ns begin;
    sem_t read;
} kernel;

int rings_open(struct rings **out, const struct profile_config *c, struct err *e)
{
    (void)c;
    (void)e;
    *out = NULL;
    return 0;
}

void rings_close(struct rings *r)
{
    (void)r;
}

void rings_enable(struct rings *r, bool on)
{
    (void)r;
    (void)on;
}

bool rings_next(struct rings *r, mono_ns until, struct record *out)
{
    static const uint64_t chain[] = {/* no code is there */
                                     (uint64_t)PERF_CONTEXT_KERNEL, UINT64_C(0xffff000000000001),
                                     (uint64_t)PERF_CONTEXT_USER, 8};
    const struct away *a = &kernel.away[kernel.at / 3];
    size_t step = kernel.at % 3;

    (void)r;
    (void)until;
    if (!kernel.begin) /* the window has begun */
        kernel.begin = clock_mono();
    if (kernel.at == 3 * kernel.n) {
        profile_stop_at(kernel.profile, kernel.begin + NS_PER_MS);
        sem_post(&kernel.read);
        return false;
    }
    kernel.at++;
    *out = (struct record){.kind = step ? RECORD_SWITCH : RECORD_SAMPLE,
                           .id = 9,
                           .time = (uint64_t)(kernel.begin + (step == 2 ? a->in : a->out) * 1000),
                           .pid = getpid(),
                           .tid = a->tid,
                           .stands_for = (uint64_t)abs(a->sampled),
                           .chain = chain + (a->sampled < 0 ? 0 : 2),
                           .links = a->sampled < 0 ? 4 : 2,
                           .out = step == 1,
                           .preempted = step == 1 && a->preempted};
    if (step == 0 ? a->sampled == 0 : step == 2 && a->in < 0)
        out->kind = RECORD_OTHER;
    if (!a->tid)
        out->kind = step ? RECORD_OTHER : RECORD_LOST;
    return true;
}

static void check_off_cpu(const struct away *away, size_t n, const char *text)
{
    struct profile_config c = {.off_cpu = true, .hz = 99};
    struct err e = {0};
    struct str s = STR_INIT;
    pid_t self = getpid();
    struct folded f;

    kernel.away = away;
    kernel.n = n;
    kernel.at = 0;
    kernel.begin = 0;
    sem_init(&kernel.read, 0, 0);
    CHECK_INT(profile_open(&kernel.profile, &c, &e), 0);
    profile_start(kernel.profile, &self, 1, false, 0, MONO_NEVER);
    sem_wait(&kernel.read);
    usleep(1000); /* the window is over */
    f = profile_finish(kernel.profile)->off_cpu;
    f.window_s = 0.001; /* it began before the records */
    folded_write(&f, &s);
    CHECK_STR(str_cstr(&s), text);
    str_free(&s);
    profile_close(kernel.profile);
    sem_destroy(&kernel.read);
}

#define OFF_CPU(text, ...)                                                                         \
    do {                                                                                           \
        static const struct away a[] = {__VA_ARGS__};                                              \
        check_off_cpu(a, sizeof a / sizeof *a, text);                                              \
    } while (0)

/* How long threads were preempted is counted, whatever was sampled; only the rest is estimated. */
static void test_off_cpu(void)
{
    enum { A = 900001, B, C };

    OFF_CPU("# window_s=0.001000 unit=us\n"
            "thread;[unknown] 130\n"
            "thread;[unknown];[waiting for a CPU] 50\n",
            {A, 0, 100, false, 1}, {A, 200, 250, true, 1}, {A, 970, -1, false, 1});
    /* A waits for 30 us and is preempted for 710; sampled are 10 and 5, which is in a class with
     * another 5.  B's 400 are in a class with C's 300. */
    OFF_CPU("# window_s=0.001000 unit=us estimated from 3 of 9 waits\n"
            "# 0 samples:\nthread;[no stack sampled] 20\n"
            "# 2 samples:\nthread;[unknown] 710\n"
            "# 1 samples:\nthread;[unknown];[waiting for a CPU] 10\n"
            "# 0 samples:\nthread;[waiting for a CPU] 760\n",
            {A, 0, 20, false, 0}, {A, 100, 800, true, 0}, {A, 810, 820, false, 200},
            {A, 830, 835, true, 3}, {A, 840, 845, true, 0}, {B, 0, 20, true, 0},
            {B, 600, -1, false, 1}, {C, 100, 400, false, 0}, {C, 500, 540, true, 0});
    /* Four commits of 3 us between idle waits of 200; the only sample of A, and nearly all of B's
     * weight, are of commits.  In the class of a commit is one idle wait: 3 of 9 samples' weight.
     */
    OFF_CPU("# window_s=0.001000 unit=us estimated from 4 of 12 waits\n"
            "# 2 samples:\nthread;[unknown] 1003\n"
            "# 2 samples:\nthread;[unknown];[kernel] 12\n",
            {A, 0, 200, false, 0}, {A, 201, 204, false, -9}, {A, 210, 410, false, 0},
            {A, 411, 414, false, 0}, {A, 420, 620, false, 0}, {B, 0, 3, false, 0},
            {B, 10, 210, false, 0}, {B, 220, 223, false, -3}, {B, 230, 233, false, 3},
            {B, 300, 500, false, 1}, {C, 0, 0, false, 0}, {C, 1, 1, false, 0});
    OFF_CPU("# window_s=0.001000 unit=us\n" /* perhaps it was back while records were lost */
            "thread;[no stack sampled] 1000\n",
            {A, 0, -1, false, -1}, {0, 50, -1, false, 0});
}

TEST_MAIN(profile_test)
{
    test_map64();
    test_tree();
    test_samples();
    test_records();
    test_space();
    test_watched();
    test_off_cpu();
    return test_done("profile");
}

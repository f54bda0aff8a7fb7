/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `memory`: one event is one pass over a block.  The blocks are
 * small enough for a cache by default; a --memory-block-size beyond the last cache measures the
 * memory beyond it.
 *
 * Each client has a quota of events, total size / block size / clients, and --events does not
 * apply.  In 0.4 and 0.5 the clients share one quota, total size / block size.  With a warm-up the
 * quota counts from its end.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/client.h"
#include "workload/builtin.h"

#define WORD      sizeof(uint64_t)
#define MIB       1048576.0
#define HUGE_STEP ((size_t)4 << 20) /* sizes of huge-page blocks are multiples of this */

struct memory {
    struct workload w;
    size_t block;           /* bytes */
    size_t mapped;          /* bytes of a huge-page block, 0: from the heap */
    uint64_t total;         /* bytes; 0: no limit */
    uint64_t quota;         /* events of each client, or of all */
    _Atomic uint64_t taken; /* of the quota of all */
    enum memory_oper oper;
    bool local, random;
    bool ints;  /* a pass goes over ints, clients share the quota, units are MB: 0.4 and 0.5 */
    void **buf; /* one, or one per client */
    size_t bufs;
};

/* --- an event --- */

/*
 * One event is one pass over a block.  Every access is one atomic load
 * or store without ordering: exactly one plain instruction a word, which the compiler may neither
 * drop nor merge, and clients share the block (--memory-scope=global) on purpose.
 *
 * 1.0 and 1.1 access words of 8 bytes, in order or as many as the block has at random positions.
 * 0.4 and 0.5 accessed ints, in order or one at a random position again and again.
 */

typedef _Atomic uint64_t word;
typedef _Atomic uint32_t number;

/* The three operations on a word or an int. */
#define READ(p)  __asm__ volatile("" : : "r"(atomic_load_explicit(p, memory_order_relaxed)))
#define WRITE(p) atomic_store_explicit(p, 0, memory_order_relaxed)
#define SKIP(p)  __asm__ volatile("" : : "r"(p))

/* In order 16 words a turn, so that loads and stores are the limit and not the counting. */
#define FOUR(access, p)                                                                            \
    access(p);                                                                                     \
    access((p) + 1);                                                                               \
    access((p) + 2);                                                                               \
    access((p) + 3)
#define WORDS(name, access)                                                                        \
    static void name##_in_order(void *block, size_t bytes, struct rng *unused)                     \
    {                                                                                              \
        size_t words = bytes / sizeof(word), i = 0;                                                \
        word *p = block;                                                                           \
        (void)unused;                                                                              \
        for (; i + 16 <= words; i += 16, p += 16) {                                                \
            FOUR(access, p);                                                                       \
            FOUR(access, p + 4);                                                                   \
            FOUR(access, p + 8);                                                                   \
            FOUR(access, p + 12);                                                                  \
        }                                                                                          \
        for (; i < words; i++, p++) {                                                              \
            access(p);                                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_at_random(void *block, size_t bytes, struct rng *stream)                    \
    {                                                                                              \
        struct rng r = *stream; /* in registers */                                                 \
        size_t words = bytes / sizeof(word);                                                       \
        word *p = block;                                                                           \
        for (size_t i = 0; i < words; i++) {                                                       \
            word *at = p + (size_t)(rng_double(&r) * (double)words);                               \
            access(at);                                                                            \
        }                                                                                          \
        *stream = r;                                                                               \
    }

#define INTS(name, access)                                                                         \
    static void name##_ints(void *block, size_t bytes, struct rng *unused)                         \
    {                                                                                              \
        number *p = block, *end = p + bytes / sizeof *p;                                           \
        (void)unused;                                                                              \
        for (; p < end; p++) {                                                                     \
            access(p);                                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_one_int(void *block, size_t bytes, struct rng *r)                           \
    {                                                                                              \
        size_t n = bytes / sizeof(number);                                                         \
        number *p = (number *)block + (size_t)(rng_double(r) * (double)n);                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            access(p);                                                                             \
        }                                                                                          \
    }

WORDS(read, READ)
WORDS(write, WRITE)
WORDS(none, SKIP)
INTS(read, READ)
INTS(write, WRITE)
INTS(none, SKIP)

memory_pass *memory_pass_of(enum memory_oper oper, bool random, bool ints)
{
    static memory_pass *const pass[][2][2] = {
        [MEMORY_READ] = {{read_in_order, read_at_random}, {read_ints, read_one_int}},
        [MEMORY_WRITE] = {{write_in_order, write_at_random}, {write_ints, write_one_int}},
        [MEMORY_NONE] = {{none_in_order, none_at_random}, {none_ints, none_one_int}},
    };

    return pass[oper][ints][random];
}

/* --- the workload --- */

static const struct opt_row rows[] = {
    {OPT_ROW("memory-block-size", SIZE, "1K", OPT_LENIENT, "size of memory block for test")},
    {OPT_ROW("memory-total-size", SIZE, "100G", 0, "total size of data to transfer")},
    {OPT_ROW("memory-scope", STRING, "global", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "memory access scope {,}"),
     .choices = "global|local"},
    {OPT_ROW("memory-hugetlb", BOOL, "off", 0, "allocate memory from HugeTLB pool")},
    {OPT_ROW("memory-oper", STRING, "write", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "type of memory operations"),
     .choices = "read|write|none"},
    {OPT_ROW("memory-access-mode", STRING, "seq", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "memory access mode {,}"),
     .choices = "seq|rnd"},
    {.name = NULL},
};

static const char *const oper_name[] = {
    [MEMORY_READ] = "read", [MEMORY_WRITE] = "write", [MEMORY_NONE] = "none"};

static void print_header(struct workload *w)
{
    const struct memory *t = (const struct memory *)w;
    long long block = (long long)(t->block / 1024), total = (long long)(t->total / 1024 / 1024);
    const char *scope = t->local ? "local" : "global";

    if (t->ints) {
        log_info("Doing memory operations speed test");
        log_info("Memory block size: %lldK\n", block);
        log_info("Memory transfer size: %lldM\n", total);
        log_info("Memory operations type: %s", oper_name[t->oper]);
        log_info("Memory scope type: %s", scope);
        return;
    }
    log_notice("Running memory speed test with the following options:");
    log_notice("  block size: %lldKiB", block);
    log_notice("  total size: %lldMiB", total);
    log_notice("  operation: %s", oper_name[t->oper]);
    log_notice("  scope: %s\n", scope);
}

static int client_open(struct workload *w, struct client *c, void **state, struct err *e)
{
    const struct memory *t = (const struct memory *)w;

    (void)e;
    *state = t->buf[t->local ? client_index(c) : 0];
    if (t->local)
        /* by the thread that will use it: its pages are near its CPU */
        memset(*state, 1, t->block);
    return 0;
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct memory *t = (struct memory *)w;
    memory_pass *pass = memory_pass_of(t->oper, t->random, t->ints);
    uint64_t left = t->quota; /* of this client's */

    (void)e;
    for (;;) {
        /* a claim of the quota of all that is refused leaves no trace; in a warm-up others give
         * theirs back */
        if (t->ints && atomic_fetch_add_explicit(&t->taken, 1, memory_order_relaxed) >= t->quota) {
            atomic_fetch_sub_explicit(&t->taken, 1, memory_order_relaxed);
            return 0;
        }
        if ((!t->ints && left == 0) || !client_next(c))
            return 0;
        client_begin(c);
        if (!t->ints)
            left -= client_measuring(c);
        else if (!client_measuring(c))
            atomic_fetch_sub_explicit(&t->taken, 1, memory_order_relaxed);
        pass(state, t->block, client_rng(c));
        client_end(c);
    }
}

static double mib(const struct memory *t, uint64_t events)
{
    return (double)events * (double)t->block / MIB;
}

static void render_interval(const struct workload *w, const struct snapshot *s, struct str *out)
{
    const struct memory *t = (const struct memory *)w;

    str_printf(out, t->ints ? "%4.2f MB/sec," : "%4.2f MiB/sec",
               text_per_sec(s, mib(t, s->events)));
}

static bool render_cumulative(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out)
{
    const struct memory *t = (const struct memory *)w;
    const char *unit = t->ints ? "MB" : "MiB";
    double size = mib(t, s->events);

    (void)g;
    str_printf(out, "%s: %llu (%8.2f %s)\n\n",
               t->ints ? "Operations performed" : "Total operations", (unsigned long long)s->events,
               text_per_sec(s, (double)s->events), t->ints ? "ops/sec" : "per second");
    if (t->oper != MEMORY_NONE)
        str_printf(out, "%4.2f %s transferred (%4.2f %s/sec)\n\n", size, unit,
                   text_per_sec(s, size), unit);
    return false;
}

static const struct workload_ops ops = {
    .name = "memory",
    .print_header = print_header,
    .client_open = client_open,
    .client_run = client_run,
    .render_interval = render_interval,
    .render_cumulative = render_cumulative,
};

static int read_options(struct memory *t, const struct builtin_env *env, struct err *e)
{
    static const char *const words[] = {"memory-scope", "memory-oper", "memory-access-mode"};
    const struct opts *o = env->opts;
    int64_t block = opt_int(o, "memory-block-size");

    /* 0.4 accessed the whole ints of any block */
    if (t->ints ? block < (int64_t)sizeof(int)
                : block < (int64_t)WORD || (block & (block - 1)) != 0)
        return err_set(e, ERR_USAGE, "Invalid value for memory-block-size: %s",
                       opt_str(o, "memory-block-size"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!opt_is_choice(o, words[i])) {
            err_set(e, ERR_USAGE, "Invalid value for %s: %s", words[i], opt_str(o, words[i]));
            return opt_explain(o, words[i], e);
        }
    t->block = (size_t)block;
    t->total = (uint64_t)opt_int(o, "memory-total-size");
    /* of each client, or of all clients of this process */
    t->quota = t->total == 0 ? UINT64_MAX
               : t->ints     ? share_of(share_checked(env->share), t->total / t->block)
                             : t->total / t->block / (uint64_t)env->clients_all;
    t->local = strcmp(opt_str(o, "memory-scope"), "local") == 0;
    t->random = strcmp(opt_str(o, "memory-access-mode"), "rnd") == 0;
    while (strcmp(opt_str(o, "memory-oper"), oper_name[t->oper]) != 0)
        t->oper++;
    t->bufs = t->local ? (size_t)env->clients : 1;
    return 0;
}

static void close_memory(struct workload *w)
{
    struct memory *t = (struct memory *)w;

    for (size_t i = 0; i < t->bufs && t->buf[i]; i++) {
        if (t->mapped)
            munmap(t->buf[i], t->mapped);
        else
            free(t->buf[i]);
    }
    free(t->buf);
    free(t);
}

static struct workload *open_memory(const struct builtin_env *env, struct err *e)
{
    struct memory *t = mem_alloc(sizeof *t);

    t->w = (struct workload){.ops = &ops, .name = ops.name, .own_limit = true};
    t->ints = env->generation->memory_in_ints;
    if (read_options(t, env, e)) {
        free(t);
        return NULL;
    }
    t->buf = mem_array(t->bufs, sizeof *t->buf);
    if (opt_bool(env->opts, "memory-hugetlb"))
        t->mapped = (t->block + HUGE_STEP - 1) / HUGE_STEP * HUGE_STEP;
    for (size_t i = 0; i < t->bufs; i++) {
        void *p = NULL;
        int rc;
        if (t->mapped) {
            p = mmap(NULL, t->mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
            rc = p == MAP_FAILED ? errno : 0;
        } else {
            rc = posix_memalign(&p, (size_t)sysconf(_SC_PAGESIZE), t->block);
        }
        if (rc) {
            log_fatal("Failed to allocate %zu bytes%s. errno = %d (%s)",
                      t->mapped ? t->mapped : t->block, t->mapped ? " from HugeTLB memory" : "", rc,
                      strerror(rc));
            err_set(e, ERR_FAILED, "Failed to allocate buffer!");
            close_memory(&t->w);
            return NULL;
        }
        t->buf[i] = p;
    }
    if (!t->local)
        memset(t->buf[0], 1, t->block); /* untouched pages would all be one page of zeros */
    return &t->w;
}

const struct builtin builtin_memory = {
    .name = "memory",
    .title = "Memory functions speed test",
    .example =
        "  sysbench memory --memory-block-size=1M --memory-total-size=100G --threads=4 run\n",
    .rows = rows,
    .open = open_memory,
    .close = close_memory,
};

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `memory`: one event is one pass over a block, word by word (8 bytes), in order
 * or at random places.  The blocks are small enough for a cache by default; a --memory-block-size
 * beyond the last cache measures the memory beyond it.
 *
 * Every access is one atomic load or store without ordering: exactly one plain instruction a word,
 * which the compiler may neither drop nor merge, and clients share the block
 * (--memory-scope=global) on purpose.
 *
 * Each client has a quota of events, total size / block size / clients, and --events does not
 * apply.  With a warm-up the quota counts from its end.
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

typedef _Atomic uint64_t word;

enum oper { OPER_READ, OPER_WRITE, OPER_NONE };

struct memory {
    struct workload w;
    size_t block;   /* bytes */
    size_t mapped;  /* bytes of a huge-page block, 0: from the heap */
    uint64_t total; /* bytes; 0: no limit */
    uint64_t quota; /* events of each client */
    enum oper oper;
    bool local, random;
    word **buf; /* one, or one per client */
    size_t bufs;
};

static const struct opt_row rows[] = {
    {.name = "memory-block-size",
     .type = OPT_SIZE,
     .def = "1K",
     .help = "size of memory block for test",
     .flags = OPT_LENIENT},
    {.name = "memory-total-size",
     .type = OPT_SIZE,
     .def = "100G",
     .help = "total size of data to transfer"},
    {.name = "memory-scope",
     .type = OPT_STRING,
     .def = "global",
     .help = "memory access scope {,}",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "global|local"},
    {.name = "memory-hugetlb",
     .type = OPT_BOOL,
     .def = "off",
     .help = "allocate memory from HugeTLB pool"},
    {.name = "memory-oper",
     .type = OPT_STRING,
     .def = "write",
     .help = "type of memory operations",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "read|write|none"},
    {.name = "memory-access-mode",
     .type = OPT_STRING,
     .def = "seq",
     .help = "memory access mode {,}",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "seq|rnd"},
};

static void options(struct opts *o)
{
    opts_add(o, OPT_GROUP_TEST, rows, sizeof rows / sizeof rows[0]);
}

static void print_header(struct workload *w)
{
    static const char *const name[] = {
        [OPER_READ] = "read", [OPER_WRITE] = "write", [OPER_NONE] = "none"};
    const struct memory *t = (const struct memory *)w;

    log_notice("Running memory speed test with the following options:");
    log_notice("  block size: %lldKiB", (long long)(t->block / 1024));
    log_notice("  total size: %lldMiB", (long long)(t->total / 1024 / 1024));
    log_notice("  operation: %s", name[t->oper]);
    log_notice("  scope: %s\n", t->local ? "local" : "global");
}

/* The three operations on one word. */
static inline void read_word(word *p)
{
    __asm__ volatile("" : : "r"(atomic_load_explicit(p, memory_order_relaxed)));
}

static inline void write_word(word *p)
{
    atomic_store_explicit(p, 0, memory_order_relaxed);
}

static inline void skip_word(word *p)
{
    (void)p;
    __asm__ volatile("");
}

/* One pass in order, 16 words a turn, so that loads and stores are the limit and not the
 * counting; and one at random places: as many accesses as the block has words. */
#define FOUR(access, p) access(p), access((p) + 1), access((p) + 2), access((p) + 3)
#define PASSES(name, access)                                                                       \
    static void name##_in_order(word *p, size_t words, struct rng *unused)                         \
    {                                                                                              \
        size_t i = 0;                                                                              \
        (void)unused;                                                                              \
        for (; i + 16 <= words; i += 16, p += 16)                                                  \
            FOUR(access, p), FOUR(access, p + 4), FOUR(access, p + 8), FOUR(access, p + 12);       \
        for (; i < words; i++)                                                                     \
            access(p++);                                                                           \
    }                                                                                              \
    static void name##_at_random(word *p, size_t words, struct rng *stream)                        \
    {                                                                                              \
        struct rng r = *stream; /* in registers */                                                 \
        for (size_t i = 0; i < words; i++) {                                                       \
            access(p + (size_t)(rng_double(&r) * (double)words));                                  \
        }                                                                                          \
        *stream = r;                                                                               \
    }

PASSES(read, read_word)
PASSES(write, write_word)
PASSES(none, skip_word)

static int client_open(struct workload *w, struct client *c, void **state, struct err *e)
{
    const struct memory *t = (const struct memory *)w;

    (void)e;
    *state = t->buf[t->local ? client_id(c) : 0];
    if (t->local)
        /* by the thread that will use it: its pages are near its CPU */
        memset(*state, 1, t->block);
    return 0;
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    static void (*const pass[][2])(word *, size_t, struct rng *) = {
        [OPER_READ] = {read_in_order, read_at_random},
        [OPER_WRITE] = {write_in_order, write_at_random},
        [OPER_NONE] = {none_in_order, none_at_random},
    };
    const struct memory *t = (const struct memory *)w;
    uint64_t left = t->quota;

    (void)e;
    while (left && client_next(c)) {
        client_begin(c);
        left -= client_measuring(c);
        pass[t->oper][t->random](state, t->block / WORD, client_rng(c));
        client_end(c);
    }
    return 0;
}

static void client_free(struct workload *w, struct client *c, void *state)
{
    (void)w;
    (void)c;
    (void)state;
}

static double mib(const struct memory *t, uint64_t events)
{
    return (double)events * (double)t->block / MIB;
}

static void render_interval(const struct workload *w, const struct snapshot *s, struct str *out)
{
    str_printf(out, "%4.2f MiB/sec", text_per_sec(s, mib((const struct memory *)w, s->events)));
}

static bool render_cumulative(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out)
{
    const struct memory *t = (const struct memory *)w;

    (void)g;
    str_printf(out, "Total operations: %llu (%8.2f per second)\n\n", (unsigned long long)s->events,
               text_per_sec(s, (double)s->events));
    if (t->oper != OPER_NONE)
        str_printf(out, "%4.2f MiB transferred (%4.2f MiB/sec)\n\n", mib(t, s->events),
                   text_per_sec(s, mib(t, s->events)));
    return false;
}

static const struct workload_ops ops = {
    .name = "memory",
    .print_header = print_header,
    .client_open = client_open,
    .client_run = client_run,
    .client_free = client_free,
    .render_interval = render_interval,
    .render_cumulative = render_cumulative,
    .own_limit = true,
};

/* Index of a name in a list that ends with NULL; -1 and an error when it is missing. */
static int choice(const struct opts *o, const char *option, const char *const *names, struct err *e)
{
    const char *v = opt_str(o, option);

    for (int i = 0; names[i]; i++)
        if (strcmp(v, names[i]) == 0)
            return i;
    err_set(e, ERR_USAGE, "Invalid value for %s: %s", option, v);
    return opt_explain(o, option, e);
}

static int read_options(struct memory *t, const struct builtin_env *env, struct err *e)
{
    const struct opts *o = env->opts;
    static const char *const scopes[] = {"global", "local", NULL}, *const modes[] = {"seq", "rnd",
                                                                                     NULL};
    static const char *const opers[] = {"read", "write", "none", NULL}; /* as enum oper */
    int64_t block = opt_int(o, "memory-block-size");
    int scope, mode, oper;

    if (block < (int64_t)WORD || (block & (block - 1)) != 0)
        return err_set(e, ERR_USAGE, "Invalid value for memory-block-size: %s",
                       opt_str(o, "memory-block-size"));
    scope = choice(o, "memory-scope", scopes, e);
    oper = scope < 0 ? -1 : choice(o, "memory-oper", opers, e);
    mode = oper < 0 ? -1 : choice(o, "memory-access-mode", modes, e);
    if (mode < 0)
        return -1;
    t->block = (size_t)block;
    t->total = (uint64_t)opt_int(o, "memory-total-size");
    t->quota = t->total ? t->total / t->block / (uint64_t)env->clients : UINT64_MAX;
    t->local = scope == 1;
    t->random = mode == 1;
    t->oper = (enum oper)oper;
    t->bufs = t->local ? (size_t)env->clients : 1;
    return 0;
}

static word *from_huge_pages(struct memory *t, struct err *e)
{
    void *p;

    t->mapped = (t->block + HUGE_STEP - 1) / HUGE_STEP * HUGE_STEP;
    p = mmap(NULL, t->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
             0);
    if (p != MAP_FAILED)
        return p;
    log_fatal("Failed to allocate %zu bytes from HugeTLB memory. errno = %d (%s)", t->mapped, errno,
              strerror(errno));
    err_set(e, ERR_FAILED, "Failed to allocate buffer!");
    return NULL;
}

static word *from_heap(struct memory *t, struct err *e)
{
    void *p = NULL;
    int rc = posix_memalign(&p, (size_t)sysconf(_SC_PAGESIZE), t->block);

    if (rc == 0)
        return p;
    log_fatal("Failed to allocate %zu bytes. errno = %d (%s)", t->block, rc, strerror(rc));
    err_set(e, ERR_FAILED, "Failed to allocate buffer!");
    return NULL;
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

    t->w = (struct workload){.ops = &ops, .name = ops.name};
    if (read_options(t, env, e)) {
        free(t);
        return NULL;
    }
    t->buf = mem_array(t->bufs, sizeof *t->buf);
    for (size_t i = 0; i < t->bufs; i++) {
        t->buf[i] = opt_bool(env->opts, "memory-hugetlb") ? from_huge_pages(t, e) : from_heap(t, e);
        if (!t->buf[i]) {
            close_memory(&t->w);
            return NULL;
        }
    }
    if (!t->local)
        memset(t->buf[0], 1, t->block); /* untouched pages would all be one page of zeros */
    return &t->w;
}

const struct builtin builtin_memory = {
    .name = "memory",
    .title = "Memory functions speed test",
    .options = options,
    .open = open_memory,
    .close = close_memory,
};

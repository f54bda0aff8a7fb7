/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_kernel.h.  Each map, program and event is an empty file, so that close() and mmap() are
 * the real ones; what a number stands for is replaced when the kernel gives it again.
 */
#include "telemetry/test_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/test.h"

enum { FDS = 256, ROWS = 64, STACK_SIZE = 512, MOST = 4096 };

/* A map of arrays is memory of its file; one of hashes has rows. */
struct map {
    uint32_t type, key, value, entries;
    char *memory;
    struct row {
        bool used;
        _Alignas(8) char key[8];
        char value[16];
    } row[ROWS];
};

struct program {
    uint32_t type;
    size_t n;
    struct bpf_insn p[256];
};

struct attached {
    char where[32];
    int cpu; /* -1: all */
    bool enabled;
    const struct program *program;
};

kernel_answer *test_kernel;
struct test_now test_now;
int test_bpf_refuses = -1, test_bpf_error;

static struct map *map_of[FDS];
static struct program *program_of[FDS];
static struct attached *event_of[FDS];

/* --- maps --- */

static size_t cpus(void)
{
    return (size_t)sysconf(_SC_NPROCESSORS_CONF);
}

static size_t row_size(const struct map *m)
{
    return m->type == BPF_MAP_TYPE_PERCPU_ARRAY ? m->value * cpus() : m->value;
}

static bool is_hash(const struct map *m)
{
    return m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_LRU_HASH;
}

static char *find(struct map *m, const void *key)
{
    uint32_t number;

    if (!is_hash(m)) {
        memcpy(&number, key, sizeof number);
        return number < m->entries ? m->memory + number * row_size(m) : NULL;
    }
    for (size_t i = 0; i < ROWS; i++)
        if (m->row[i].used && memcmp(m->row[i].key, key, m->key) == 0)
            return m->row[i].value;
    return NULL;
}

static void update(struct map *m, const void *key, const void *value)
{
    char *at = find(m, key);

    for (size_t i = 0; !at && i < ROWS; i++) {
        if (m->row[i].used)
            continue;
        m->row[i].used = true;
        memcpy(m->row[i].key, key, m->key);
        at = m->row[i].value;
    }
    CHECK(at != NULL);
    if (at)
        memcpy(at, value, m->value);
}

static int new_fd(void)
{
    int fd = (int)memfd_create("test", MFD_CLOEXEC);

    CHECK(fd >= 0 && fd < FDS);
    free(map_of[fd]);
    free(program_of[fd]);
    free(event_of[fd]);
    map_of[fd] = NULL;
    program_of[fd] = NULL;
    event_of[fd] = NULL;
    return fd;
}

static int make_map(const union bpf_attr *a)
{
    int fd = new_fd();
    struct map *m = map_of[fd] = calloc(1, sizeof *m);

    m->type = a->map_type;
    m->key = a->key_size;
    m->value = a->value_size;
    m->entries = a->max_entries;
    if (is_hash(m)) {
        CHECK(m->entries > 0 && m->key <= sizeof m->row->key && m->value <= sizeof m->row->value);
        return fd;
    }
    CHECK_INT(m->key, 4);
    CHECK_INT(ftruncate(fd, (off_t)(m->entries * row_size(m) + 65536)), 0);
    m->memory = mmap(NULL, m->entries * row_size(m), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(m->memory != MAP_FAILED);
    return fd;
}

/* --- programs --- */

struct machine {
    uint64_t r[11];
    char stack[STACK_SIZE];
    bool written[STACK_SIZE];
};

/* Whether that is memory that a program may use: what it reads of its stack, it has written. */
static bool may_use(struct machine *m, uint64_t at, size_t n, bool write)
{
    uint64_t low = (uintptr_t)m->stack;

    if (at < low || at >= low + STACK_SIZE)
        return at > 65536 && at % n == 0;
    bool ok = at + n <= low + STACK_SIZE && (low + STACK_SIZE - at) % n == 0;
    for (size_t i = 0; ok && i < n; i++) {
        m->written[at - low + i] |= write;
        ok = m->written[at - low + i];
    }
    return ok;
}

static bool call(struct machine *m, int function)
{
    uint64_t *r = m->r, fd = r[1], key = r[2], value = r[3];
    struct map *map = fd < FDS ? map_of[fd] : NULL;
    bool ok = true;

    switch (function) {
    case BPF_FUNC_get_current_pid_tgid:
        r[0] = (uint64_t)test_now.pid << 32 | (uint32_t)test_now.tid;
        break;
    case BPF_FUNC_get_smp_processor_id: r[0] = test_now.cpu; break;
    case BPF_FUNC_ktime_get_ns: r[0] = test_now.ns; break;
    case BPF_FUNC_map_lookup_elem:
        ok = map && may_use(m, key, map->key, false);
        r[0] = ok ? (uintptr_t)find(map, (void *)(uintptr_t)key) : 0;
        if (r[0] && map->type == BPF_MAP_TYPE_PERCPU_ARRAY)
            r[0] += test_now.cpu * map->value;
        break;
    case BPF_FUNC_map_update_elem:
        ok = map && r[4] == BPF_ANY && may_use(m, key, map->key, false) &&
             may_use(m, value, 8, false) && may_use(m, value + map->value - 8, 8, false);
        if (ok)
            update(map, (void *)(uintptr_t)key, (void *)(uintptr_t)value);
        r[0] = 0;
        break;
    default: ok = false;
    }
    for (int i = 1; i <= 5; i++) /* a call leaves nothing in them */
        r[i] = 12345;
    return ok;
}

static bool compute(uint64_t *to, int op, uint64_t by)
{
    switch (op) {
    case BPF_MOV: *to = by; break;
    case BPF_ADD: *to += by; break;
    case BPF_SUB: *to -= by; break;
    case BPF_LSH: *to <<= by; break;
    case BPF_RSH: *to >>= by; break;
    default: return false;
    }
    return true;
}

/* False: the verifier would not have accepted that one. */
static bool step(struct machine *m, const struct program *p, size_t *at)
{
    struct bpf_insn i = p->p[(*at)++];
    uint64_t *to = &m->r[i.dst_reg % 11], from = m->r[i.src_reg % 11],
             by = BPF_SRC(i.code) == BPF_X ? from : (uint64_t)(int64_t)i.imm;
    size_t n = BPF_SIZE(i.code) == BPF_DW ? 8 : 4;
    bool jumps = false;

    switch (BPF_CLASS(i.code)) {
    case BPF_ALU64: return i.dst_reg < 10 && i.off == 0 && compute(to, BPF_OP(i.code), by);
    case BPF_LD:
        *to = (uint32_t)i.imm;
        return i.code == (BPF_LD | BPF_DW | BPF_IMM) && i.src_reg == BPF_PSEUDO_MAP_FD &&
               p->p[*at].code == 0 && p->p[*at].imm == 0 && (*at)++;
    case BPF_LDX:
        if (BPF_MODE(i.code) != BPF_MEM || !may_use(m, from + (uint64_t)(int64_t)i.off, n, false))
            return false;
        *to = 0;
        memcpy(to, (char *)(uintptr_t)from + i.off, n);
        return true;
    case BPF_ST:
    case BPF_STX:
        by = BPF_CLASS(i.code) == BPF_STX ? from : (uint64_t)(int64_t)i.imm;
        if (BPF_MODE(i.code) != BPF_MEM || !may_use(m, *to + (uint64_t)(int64_t)i.off, n, true))
            return false;
        memcpy((char *)(uintptr_t)*to + i.off, &by, n);
        return true;
    case BPF_JMP:
        switch (BPF_OP(i.code)) {
        case BPF_CALL: return i.src_reg == 0 && i.off == 0 && call(m, i.imm);
        case BPF_JA: jumps = true; break;
        case BPF_JEQ: jumps = *to == by; break;
        case BPF_JGE: jumps = *to >= by; break;
        case BPF_JLT: jumps = *to < by; break;
        default: return false;
        }
        *at += jumps ? (size_t)i.off : 0;
        return i.off >= 0;
    default: return false;
    }
}

static void run(const struct program *p, const uint64_t context[2])
{
    struct machine m = {.r = {[1] = (uintptr_t)context}};
    uint64_t end = p->type == BPF_PROG_TYPE_TRACEPOINT;
    size_t at = 0;

    for (int i = 0; i < 11; i++)
        m.r[i] = i == 1 ? m.r[1] : 12345;
    m.r[10] = (uintptr_t)(m.stack + STACK_SIZE);
    for (int i = 0; i < MOST && at < p->n; i++) {
        if (p->p[at].code == (BPF_JMP | BPF_EXIT)) {
            CHECK_INT(m.r[0], end); /* 1: others see the event, too; else nothing is recorded */
            return;
        }
        if (!step(&m, p, &at))
            break;
    }
    CHECK(!"the program ends");
}

static int load(const union bpf_attr *a)
{
    int fd = new_fd();
    struct program *p = program_of[fd] = calloc(1, sizeof *p);

    p->type = a->prog_type;
    p->n = a->insn_cnt;
    CHECK(p->n > 0 && p->n < sizeof p->p / sizeof *p->p);
    CHECK_STR((const char *)(uintptr_t)a->license, "GPL");
    memcpy(p->p, (const void *)(uintptr_t)a->insns, p->n * sizeof *p->p);
    CHECK_INT(p->p[p->n - 1].code, BPF_JMP | BPF_EXIT);
    return fd;
}

/* Copies the program: its number may be closed and given again. */
static int attach(struct attached *e, int program)
{
    bool ok = program >= 0 && program < FDS && program_of[program];

    CHECK(ok);
    if (!ok)
        return -1;
    e->program = memcpy(malloc(sizeof *e->program), program_of[program], sizeof *e->program);
    return 0;
}

static int new_event(const char *where, int cpu)
{
    int fd = new_fd();

    event_of[fd] = calloc(1, sizeof *event_of[fd]);
    event_of[fd]->cpu = cpu;
    snprintf(event_of[fd]->where, sizeof event_of[fd]->where, "%s", where);
    return fd;
}

int test_bpf_run(const char *where, const uint64_t context[2])
{
    int ran = 0;

    for (int fd = 0; fd < FDS; fd++) {
        const struct attached *e = event_of[fd];
        if (!e || !e->enabled || fcntl(fd, F_GETFD) < 0 || strcmp(e->where, where) != 0 ||
            (e->cpu >= 0 && e->cpu != (int)test_now.cpu))
            continue;
        run(e->program, context);
        ran++;
    }
    return ran;
}

/* --- system calls --- */

static long bpf(int cmd, union bpf_attr *a)
{
    struct map *m = a->map_fd < FDS ? map_of[a->map_fd] : NULL;
    void *key = (void *)(uintptr_t)a->key, *value = (void *)(uintptr_t)a->value, *at;
    int fd;

    switch (cmd) {
    case BPF_MAP_CREATE: return make_map(a);
    case BPF_PROG_LOAD: return load(a);
    case BPF_RAW_TRACEPOINT_OPEN:
        fd = new_event((const char *)(uintptr_t)a->raw_tracepoint.name, -1);
        event_of[fd]->enabled = true;
        return attach(event_of[fd], (int)a->raw_tracepoint.prog_fd) ? -1 : fd;
    case BPF_MAP_LOOKUP_ELEM:
        at = m ? find(m, key) : NULL;
        if (at)
            memcpy(value, at, row_size(m));
        return at ? 0 : -1;
    case BPF_MAP_UPDATE_ELEM:
        CHECK(m != NULL);
        if (m)
            update(m, key, value);
        return 0;
    case BPF_MAP_DELETE_ELEM:
        for (size_t i = 0; m && i < ROWS; i++)
            if (memcmp(m->row[i].key, key, m->key) == 0)
                m->row[i].used = false;
        return 0;
    default: CHECK(!"a known command of bpf(2)"); return -1;
    }
}

bool test_bpf(long number, const long a[6], long *result)
{
    const struct perf_event_attr *e = (const void *)a[0]; /* NOLINT */
    char where[32];

    if (number != SYS_bpf && number != SYS_perf_event_open)
        return false;
    if (test_bpf_refuses >= 0 && test_bpf_refuses-- == 0) {
        errno = test_bpf_error;
        *result = -1;
    } else if (number == SYS_bpf) {
        CHECK_INT(a[2], sizeof(union bpf_attr));
        *result = bpf((int)a[0], (union bpf_attr *)a[1]); /* NOLINT */
    } else {
        CHECK_INT((int)a[1], -1); /* whatever runs there */
        CHECK_INT((int)a[3], -1);
        CHECK_INT(a[4], PERF_FLAG_FD_CLOEXEC);
        CHECK_INT(e->size, sizeof *e);
        CHECK_INT(e->sample_period, e->type == PERF_TYPE_SOFTWARE);
        CHECK(e->disabled);
        snprintf(where, sizeof where, "perf %u:%llu", e->type, (unsigned long long)e->config);
        *result = new_event(where, e->type == PERF_TYPE_TRACEPOINT ? -1 : (int)a[2]);
        event_of[*result]->enabled = e->type == PERF_TYPE_TRACEPOINT;
    }
    return true;
}

int test_bpf_end(void)
{
    for (int fd = 0; fd < FDS; fd++) {
        if (map_of[fd] && map_of[fd]->memory)
            munmap(map_of[fd]->memory, map_of[fd]->entries * row_size(map_of[fd]));
        if (event_of[fd])
            free((void *)event_of[fd]->program);
        free(map_of[fd]);
        free(program_of[fd]);
        free(event_of[fd]);
        map_of[fd] = NULL;
        program_of[fd] = NULL;
        event_of[fd] = NULL;
    }
    test_bpf_refuses = -1;
    test_kernel = NULL;
    return test_failures;
}

/* In place of libc's. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long a[6], result;
    va_list ap;

    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (test_kernel && test_kernel(number, a, &result))
        return result;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    va_list ap;

    va_start(ap, request);
    long a = va_arg(ap, long);
    va_end(ap);
    if (test_kernel == test_bpf && fd >= 0 && fd < FDS && event_of[fd]) {
        if (request == PERF_EVENT_IOC_SET_BPF)
            return attach(event_of[fd], (int)a);
        CHECK_INT(request, PERF_EVENT_IOC_ENABLE);
        event_of[fd]->enabled = true;
        return 0;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    return real(fd, request, a);
}

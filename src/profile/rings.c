/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rings.h.
 */
#include "profile/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/unwind.h"
#include "telemetry/proc.h"

enum { RECORD_MAX = 65536 };

struct ring {
    int fd[2]; /* of the clock and of the switches; -1: not requested */
    uint64_t switch_id;
    struct perf_event_mmap_page *page;
    uint64_t tail, head;
    uint64_t next_time; /* of the record at the tail, when ready */
    bool ready;
    uint64_t since;  /* switches since the last that was sampled */
    uint64_t others; /* since the last adaptation, but for those of the idle task */
    double rate;     /* of them a second */
    uint64_t nth;
};

struct rings {
    struct profile_config config;
    unsigned regs; /* of the user, in a sample */
    struct ring *ring;
    size_t n;
    size_t bytes;         /* of a ring's data, a power of two */
    size_t stack_bytes;   /* of the user's stack in a sample */
    size_t returned_size; /* bytes of the record returned last */
    struct ring *from;
    mono_ns adapted; /* when */
    uint64_t dice;
    uint8_t *whole; /* a record that goes over a ring's end, in one piece */
};

static struct perf_event_attr common(const struct rings *r, uint64_t config)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .sample_type = record_sample_type(r->regs),
        .sample_id_all = 1,
        .disabled = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .sample_regs_user = unwind_registers(),
        .sample_stack_user = (uint32_t)r->stack_bytes,
        .wakeup_watermark = UINT32_MAX, /* no thread waits for these: they are read at intervals */
    };

    return a;
}

static int open_on(struct perf_event_attr *a, int cpu)
{
    return (int)syscall(SYS_perf_event_open, a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void unmap(struct rings *r)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->ring[i].page)
            munmap(r->ring[i].page, r->bytes + (size_t)sysconf(_SC_PAGESIZE));
        r->ring[i].page = NULL;
    }
}

/* Samples a second on a CPU, at most. */
static size_t sample_rate(const struct profile_config *c)
{
    return (size_t)c->hz * ((c->cpu ? 1 : 0) + (c->off_cpu ? 10 : 0));
}

/* Room for two thirds of a second, since the reader may have to wait for a CPU.  It is locked
 * memory, of which an ordinary user has little; then the rings are smaller. */
static int map_rings(struct rings *r)
{
    size_t least = 64 * 1024, most = 128 * 1024 * 1024 / r->n, want;
    int why;

    want = 2 * sample_rate(&r->config) * (r->stack_bytes + 1024) / 3 +
           (r->config.off_cpu ? 2 * 1024 * 1024 : 0);
    r->bytes = 8 * least;
    while (r->bytes < want && r->bytes < 16 * 1024 * 1024 && 2 * r->bytes <= most)
        r->bytes *= 2;
    do {
        why = 0;
        for (size_t i = 0; i < r->n && why == 0; i++) {
            struct ring *g = &r->ring[i];
            int fd = g->fd[0] >= 0 ? g->fd[0] : g->fd[1];
            void *p = mmap(NULL, r->bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
                           MAP_SHARED, fd, 0);
            g->page = p == MAP_FAILED ? NULL : p;
            if (!g->page || (g->fd[0] >= 0 && g->fd[1] >= 0 &&
                             ioctl(g->fd[1], PERF_EVENT_IOC_SET_OUTPUT, g->fd[0])))
                why = errno;
        }
        if (why == 0)
            return 0;
        unmap(r);
        r->bytes /= 2;
    } while (r->bytes >= least);
    return why;
}

/* -1, and why the kernel does not open the events. */
static int refuse(const struct profile_config *c, int why, struct err *e)
{
    long paranoid = proc_setting("/proc/sys/kernel/perf_event_paranoid", 2);

    if (why == EACCES || why == EPERM)
        return err_set(
            e, ERR_USAGE, "the kernel does not let %s (kernel.perf_event_paranoid is %ld%s",
            geteuid() ? "this user profile whole CPUs" : "root profile whole CPUs here", paranoid,
            geteuid() ? "): run as root, give the program CAP_PERFMON (setcap "
                        "cap_perfmon,cap_sys_ptrace+ep), or set it to 0 or less"
                      : "): a container needs CAP_PERFMON and a seccomp profile that allows "
                        "perf_event_open");
    if (why == ENOSYS)
        return err_set(e, ERR_USAGE, "this kernel has no perf_event_open");
    if (why == EMFILE || why == ENFILE)
        return err_set(e, ERR_USAGE,
                       "there are not enough file descriptors (ulimit -n) for %s on each CPU",
                       c->cpu && c->off_cpu ? "two events" : "an event");
    return err_set(e, ERR_USAGE, "the kernel refused the events: %s", strerror(why));
}

int rings_open(struct rings **out, const struct profile_config *c, struct err *e)
{
    enum { A_SECOND = 12 * 1024 * 1024, LEAST = 4096, MOST = 32 * 1024 };
    long most = proc_setting("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int why = 0;

    *out = NULL;
    if (c->cpu && c->hz > most)
        return err_set(e, ERR_USAGE,
                       "the kernel allows at most %ld samples a second, not %d "
                       "(kernel.perf_event_max_sample_rate)",
                       most, c->hz);
    struct rings *r = mem_alloc(sizeof *r);
    r->config = *c;
    r->regs = (unsigned)__builtin_popcountll(unwind_registers());
    /* a deep stack needs 32 KiB; with many samples a second each gets less, down to 4 KiB, because
     * copying would slow the server */
    r->stack_bytes = A_SECOND / sample_rate(c) & ~(size_t)1023;
    r->stack_bytes = !r->regs                 ? 0
                     : r->stack_bytes < LEAST ? LEAST
                     : r->stack_bytes > MOST  ? MOST
                                              : r->stack_bytes;
    r->whole = mem_alloc(RECORD_MAX);
    struct perf_event_attr clock = common(r, PERF_COUNT_SW_CPU_CLOCK);
    clock.freq = 1;
    clock.sample_freq = (uint64_t)c->hz;
    clock.exclude_idle = 1;
    struct perf_event_attr sw = common(r, PERF_COUNT_SW_CONTEXT_SWITCHES);
    sw.sample_period = 1;
    sw.context_switch = 1;
    struct perf_event_attr *names = c->cpu ? &clock : &sw;
    names->mmap = names->mmap2 = names->comm = names->comm_exec = names->task = 1;
    r->ring = mem_array((size_t)cpus, sizeof *r->ring);
    for (int cpu = 0; cpu < cpus && why == 0; cpu++) {
        struct ring *g = &r->ring[r->n];
        *g = (struct ring){.fd = {-1, -1}, .since = 1, .nth = 1};
        if ((c->cpu && (g->fd[0] = open_on(&clock, cpu)) < 0) ||
            (c->off_cpu && ((g->fd[1] = open_on(&sw, cpu)) < 0 ||
                            ioctl(g->fd[1], PERF_EVENT_IOC_ID, &g->switch_id))))
            why = errno;
        if (why == ENODEV && g->fd[0] < 0 && g->fd[1] < 0)
            why = 0; /* this one is offline */
        else
            r->n++;
    }
    if (why == 0 && r->n == 0)
        why = ENODEV;
    if (why == 0)
        why = map_rings(r);
    if (why == 0) {
        *out = r;
        return 0;
    }
    rings_close(r);
    return refuse(c, why, e);
}

void rings_close(struct rings *r)
{
    if (!r)
        return;
    unmap(r);
    for (size_t i = 0; i < 2 * r->n; i++)
        fd_close(r->ring[i / 2].fd[i % 2]);
    free(r->ring);
    free(r->whole);
    free(r);
}

void rings_enable(struct rings *r, bool on)
{
    unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

    r->adapted = clock_mono();
    for (size_t i = 0; i < 2 * r->n; i++)
        if (r->ring[i / 2].fd[i % 2] >= 0)
            ioctl(r->ring[i / 2].fd[i % 2], request, 0);
}

static const uint8_t *data_of(const struct ring *g)
{
    return (const uint8_t *)g->page + sysconf(_SC_PAGESIZE);
}

/* The record at the tail in one piece. */
static const struct perf_event_header *record_at(const struct rings *r, const struct ring *g)
{
    size_t at = g->tail & (r->bytes - 1), first = r->bytes - at;
    /* headers are never split */
    const struct perf_event_header *h = (const void *)(data_of(g) + at);

    if (h->size <= first)
        return h;
    memcpy(r->whole, h, first);
    memcpy(r->whole + first, data_of(g), h->size - first);
    return (const void *)r->whole;
}

/* Draws each n anew, for the rate of switches up to `until`. */
static void adapt(struct rings *r, mono_ns until)
{
    /* a second, so that a ring is full after a fifth of one */
    double room = 5 * (double)r->bytes / (double)(r->stack_bytes + 1024);
    dur_ns passed = until - r->adapted;

    if (!r->config.off_cpu || until == MONO_NEVER || passed < NS_PER_MS)
        return;
    for (size_t i = 0; i < r->n; i++) {
        struct ring *g = &r->ring[i];
        double now = (double)g->others / dur_sec(passed);
        uint64_t nth = 1, least;
        g->rate = now > 2 * g->rate ? now : (3 * g->rate + now) / 4;
        least = (uint64_t)(g->rate / fmin(15.0 * r->config.hz, room) + 0.5);
        r->dice = r->dice * UINT64_C(6364136223846793005) + (uint64_t)until;
        if (g->rate > fmin(25.0 * r->config.hz, room) && least > 1)
            nth = (least + (r->dice >> 33) % least) | 1;
        if (nth != g->nth && ioctl(g->fd[1], PERF_EVENT_IOC_PERIOD, &nth) == 0)
            g->nth = nth;
        g->others = 0;
    }
    r->adapted = until;
}

bool rings_next(struct rings *r, mono_ns until, struct record *out)
{
    for (;;) {
        const struct perf_event_header *h;
        struct ring *best = NULL;

        if (r->from) { /* the kernel may have back the record returned last */
            r->from->tail += r->returned_size;
            r->from->ready = false;
            __atomic_store_n(&r->from->page->data_tail, r->from->tail, __ATOMIC_RELEASE);
            r->from = NULL;
        }
        for (size_t i = 0; i < r->n; i++) {
            struct ring *g = &r->ring[i];
            if (!g->ready && g->tail == g->head)
                g->head = __atomic_load_n(&g->page->data_head, __ATOMIC_ACQUIRE);
            if (!g->ready && g->tail != g->head) {
                h = record_at(r, g);
                g->next_time = record_time(h);
                g->ready = h->size >= sizeof *h;
                if (!g->ready) /* impossible; go on with the next record */
                    g->tail = g->head;
            }
            if (g->ready && g->next_time < (uint64_t)until &&
                (!best || g->next_time < best->next_time))
                best = g;
        }
        if (!best) {
            adapt(r, until);
            return false;
        }
        h = record_at(r, best);
        r->from = best;
        r->returned_size = h->size;
        if (!record_read(out, h, r->regs))
            continue;
        /* a sample precedes the record of its own switch */
        if (out->kind == RECORD_SAMPLE && out->id == best->switch_id) {
            out->stands_for = best->since ? best->since : 1; /* 0: that of the last was lost */
            best->since = 0;
        } else if (out->kind == RECORD_SWITCH && out->out) {
            best->since++;
            best->others += out->tid > 0;
        }
        return true;
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See profile.h.
 */
#include "profile/profile.h"

#include <elfutils/version.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/tree.h"
#include "profile/watched.h"

/* The interval at which the rings are read, and the largest part of it for call frame
 * information. */
#define BEAT   (20 * NS_PER_MS)
#define BUDGET (8 * NS_PER_MS)
/* A record of another CPU that is older than what was read here has surely been written by then. */
#define SLACK (5 * NS_PER_MS)

struct profile {
    struct rings *rings;
    struct watched watched;
    struct unwinder *unwinder;
    struct tree cpu, off_cpu;
    struct profile_result result;
    struct kernel_names *kernel;
    pthread_t thread;
    bool started, finished;
    pid_t *pids; /* a copy */
    size_t npids;
    bool tree;
    mono_ns begin;
    _Atomic mono_ns end;
    _Atomic uint32_t word; /* changes with `end` */
    dur_ns beat_cost;      /* CPU time of the thread when this beat began */
    unsigned in_beat;
    bool over_budget;
};

static dur_ns thread_cpu(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

const char *profile_library(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%d.%d", _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000);
    return text;
}

int profile_open(struct profile **out, const struct profile_config *c, struct err *e)
{
    *out = NULL;
    if (code_library(e))
        return -1;
    struct profile *p = mem_alloc(sizeof *p);
    if (!unwind_registers())
        p->result.no_cfi = "not on this kind of CPU";
    if (rings_open(&p->rings, c, e)) {
        free(p);
        return -1;
    }
    p->unwinder = unwinder_new(&p->watched.objects);
    tree_init(&p->cpu);
    tree_init(&p->off_cpu);
    *out = p;
    return 0;
}

/* The node of a tree for the thread and its stack. */
static uint32_t place_stack(struct profile *p, struct tree *t, struct watched_process *process,
                            const struct watched_thread *thread, struct record *r)
{
    struct unwound u;

    if (p->in_beat++ % 32 == 31 && !p->over_budget)
        p->over_budget = thread_cpu() - p->beat_cost > BUDGET;
    if (p->over_budget && r->regs) {
        p->result.degraded++;
        r->regs = NULL;
    }
    unwind(p->unwinder, &u, r, &process->space, process->pid, &p->result.unwound);
    for (size_t i = 0; i < u.n; i++)
        if (FRAME_KIND(u.frame[i]) == FRAME_UNKNOWN) {
            watched_refresh(&p->watched, process, (mono_ns)r->time);
            break;
        }
    uint32_t node = tree_child(t, 0, thread->name);
    for (size_t i = u.n; i-- > 0;)
        node = tree_child(t, node, u.frame[i]);
    return node;
}

/* The node of all waits of a class of a thread's name. */
static uint32_t all_node(struct tree *t, uint32_t thread, bool preempted, int class)
{
    int note = class + (preempted ? NOTE_ALL_PREEMPTED : NOTE_ALL);

    return tree_child(t, thread, FRAME_MAKE(FRAME_NOTE, note));
}

static uint32_t top_of(const struct tree *t, uint32_t node)
{
    while (t->node[node].parent)
        node = t->node[node].parent;
    return node;
}

/* The thread was away until `now`. */
static void came_back(struct profile *p, struct watched_thread *t, mono_ns now)
{
    dur_ns away = now - t->left_at;

    if (t->away && away > 0) {
        int class = 63 - __builtin_clzll((ull)away);
        uint32_t thread =
            t->has_stack ? top_of(&p->off_cpu, t->node) : tree_child(&p->off_cpu, 0, t->name);
        tree_add(&p->off_cpu, all_node(&p->off_cpu, thread, t->preempted, class), (double)away);
        p->result.off_cpu_time += away;
        if (t->has_stack && t->preempted)
            t->node = tree_child(&p->off_cpu, t->node, FRAME_MAKE(FRAME_NOTE, NOTE_PREEMPTED));
        if (t->has_stack)
            tree_add(&p->off_cpu,
                     tree_child(&p->off_cpu, t->node, FRAME_MAKE(FRAME_NOTE, NOTE_SEEN + class)),
                     (double)away * (double)t->stands_for);
    }
    t->away = t->has_stack = false;
}

static void drain(struct profile *p, mono_ns until)
{
    struct record r;

    p->beat_cost = thread_cpu();
    p->over_budget = false;
    while (rings_next(p->rings, until, &r)) {
        mono_ns now = (mono_ns)r.time;
        bool inside = now >= p->begin && now < atomic_load(&p->end);
        struct watched_process *process = watched_process(&p->watched, r.pid);
        struct watched_thread *t;
        if (r.kind == RECORD_LOST) {
            p->result.lost += r.lost;
            /* a thread that is away may have been back in between: that is not the wait of this
             * stack */
            for (size_t i = 0; i < p->watched.thread.cap; i++) {
                t = p->watched.thread.slot[i].value;
                if (t)
                    t->has_stack = false;
            }
            continue;
        }
        if (r.kind != RECORD_SAMPLE && r.kind != RECORD_SWITCH) {
            watched_record(&p->watched, &r);
            continue;
        }
        if (!inside || !process)
            continue;
        t = watched_thread(&p->watched, r.pid, r.tid);
        if (r.kind == RECORD_SWITCH && !r.out) {
            came_back(p, t, now);
        } else if (r.kind == RECORD_SWITCH) {
            t->away = true;
            t->left_at = now;
            t->preempted = r.preempted;
            p->result.switches++;
            p->result.preempted += r.preempted;
            p->result.sampled_switches += t->has_stack;
        } else if (r.stands_for) { /* its switch record comes next */
            t->node = place_stack(p, &p->off_cpu, process, t, &r);
            t->stands_for = r.stands_for;
            t->has_stack = true;
        } else {
            p->result.samples++;
            tree_add(&p->cpu, place_stack(p, &p->cpu, process, t, &r), 1);
        }
    }
}

/* See off_cpu_note: divides the exact time of each class among its stacks. */
static void divide_off_cpu(struct tree *t)
{
    size_t n = t->n;
    uint32_t *all = mem_array(n, sizeof *all); /* of a stack's waits: the node of all */
    double *seen = mem_array(n, sizeof *seen); /* of all waits: the sum over stacks */

    for (uint32_t i = 1; i < n; i++) {
        uint64_t note = FRAME_ADDRESS(t->node[i].frame);
        if (FRAME_KIND(t->node[i].frame) != FRAME_NOTE || note < NOTE_SEEN || note >= NOTE_ALL)
            continue;
        all[i] =
            all_node(t, top_of(t, i),
                     t->node[t->node[i].parent].frame == FRAME_MAKE(FRAME_NOTE, NOTE_PREEMPTED),
                     (int)note - NOTE_SEEN);
        seen[all[i]] += t->node[i].weight;
    }
    for (uint32_t i = 1; i < n; i++)
        if (all[i])
            t->node[i].weight *= t->node[all[i]].weight / seen[all[i]];
    for (uint32_t i = 1; i < n; i++) {
        if (seen[i] > 0)
            t->node[i].weight = 0;
        else if (!all[i])
            t->node[i].times = 0;
    }
    free(all);
    free(seen);
}

static void *run(void *arg)
{
    struct profile *p = arg;
    mono_ns now, end;

    for (;;) { /* until it begins, or is over before */
        uint32_t word = atomic_load(&p->word);
        now = clock_mono();
        end = atomic_load(&p->end);
        if (now >= p->begin || end <= p->begin)
            break;
        clock_sleep_until(p->begin, &p->word, word);
    }
    if (end <= p->begin)
        return NULL;
    rings_enable(p->rings, true);
    p->begin = clock_mono();
    watched_begin(&p->watched, p->pids, p->npids, p->tree, p->begin);
    for (;;) {
        uint32_t word = atomic_load(&p->word);
        now = clock_mono();
        end = atomic_load(&p->end);
        drain(p, now - SLACK);
        if (now >= end)
            break;
        mono_ns beat =
            now + (now - p->begin < BEAT ? BEAT / 4 : BEAT); /* the rate is not known at first */
        clock_sleep_until(beat < end ? beat : end, &p->word, word);
    }
    rings_enable(p->rings, false);
    drain(p, MONO_NEVER);
    /* A thread that is off its CPU when the window ends has waited until then. */
    for (size_t i = 0; i < p->watched.thread.cap; i++) {
        struct watched_thread *t = p->watched.thread.slot[i].value;
        if (t)
            came_back(p, t, end);
    }
    divide_off_cpu(&p->off_cpu);
    p->result.window = end > p->begin ? end - p->begin : 0;
    p->result.cpu.window_s = p->result.off_cpu.window_s = dur_sec(p->result.window);
    p->result.cpu.unit = "samples";
    p->result.off_cpu.unit = "us";
    if (p->result.sampled_switches < p->result.switches)
        snprintf(p->result.off_cpu.estimate, sizeof p->result.off_cpu.estimate,
                 "estimated from %llu of %llu waits", (ull)p->result.sampled_switches,
                 (ull)p->result.switches);
    p->result.cost = thread_cpu();
    return NULL;
}

void profile_start(struct profile *p, const pid_t *pids, size_t n, bool tree, mono_ns begin,
                   mono_ns end)
{
    p->pids = mem_array(n + 1, sizeof *p->pids);
    if (n)
        memcpy(p->pids, pids, n * sizeof *pids);
    p->npids = n;
    p->tree = tree;
    p->begin = begin;
    atomic_store(&p->end, end);
    p->started = pthread_create(&p->thread, NULL, run, p) == 0;
}

void profile_stop_at(struct profile *p, mono_ns now)
{
    mono_ns end = atomic_load(&p->end);

    while (now < end && !atomic_compare_exchange_weak(&p->end, &end, now))
        ;
    atomic_fetch_add(&p->word, 1);
    clock_wake(&p->word);
}

static void name_frame(void *arg, uint64_t frame, struct str *s)
{
    struct profile *p = arg;
    uint64_t address = FRAME_ADDRESS(frame);
    struct object *b;
    const char *name;

    switch (FRAME_KIND(frame)) {
    case FRAME_KERNEL:
        name = p->kernel ? kernel_name(p->kernel, frame) : NULL;
        if (name)
            names_clean(s, name);
        str_adds(s, name ? "_[k]" : "[kernel]");
        break;
    case FRAME_THREAD: str_adds(s, p->watched.name[address]); break;
    case FRAME_NOTE:
        if (address == NOTE_PREEMPTED || address >= NOTE_ALL_PREEMPTED)
            str_adds(s, "[waiting for a CPU]");
        else if (address >= NOTE_ALL)
            str_adds(s, "[no stack sampled]");
        break;
    case FRAME_UNKNOWN: str_adds(s, "[unknown]"); break;
    default:
        b = p->watched.objects.object[FRAME_KIND(frame)];
        name = object_symbol(b, address + b->bias);
        if (name)
            names_clean(s, name);
        else
            str_printf(s, b->name[0] == '[' ? "%s" : "[%s]", b->name);
    }
}

const struct profile_result *profile_finish(struct profile *p)
{
    struct profile_result *r = &p->result;

    if (p->finished)
        return r;
    p->finished = true;
    if (p->started) {
        profile_stop_at(p, clock_mono());
        pthread_join(p->thread, NULL);
    }
    dur_ns before = thread_cpu();
    if (r->samples + r->sampled_switches > 0) {
        p->kernel = kernel_names_read("/proc/kallsyms");
        r->no_kernel_names = p->kernel == NULL;
        r->no_names = p->watched.blind;
    }
    for (size_t i = 0; i < p->off_cpu.n; i++)
        p->off_cpu.node[i].weight /= 1e3;
    tree_fold(&p->cpu, &r->cpu, name_frame, p);
    tree_fold(&p->off_cpu, &r->off_cpu, name_frame, p);
    r->truncated = p->cpu.full + p->off_cpu.full;
    r->threads = p->watched.threads;
    r->cost += thread_cpu() - before;
    return r;
}

void profile_close(struct profile *p)
{
    if (!p)
        return;
    profile_finish(p);
    rings_close(p->rings);
    kernel_names_free(p->kernel);
    unwinder_free(p->unwinder);
    watched_free(&p->watched);
    tree_free(&p->cpu);
    tree_free(&p->off_cpu);
    folded_free(&p->result.cpu);
    folded_free(&p->result.off_cpu);
    free(p->pids);
    free(p);
}

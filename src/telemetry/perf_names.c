/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_names.h.  Each item of the list is looked up in the table, as a raw event, as a
 * tracepoint, and in libpfm4; first as it is, then without its suffix :u or :k.  So a name that
 * contains colons needs no quoting.  Generic names are case-insensitive, as in perf.
 */
#include "telemetry/perf_names.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "telemetry/perf_near.h"
#include "telemetry/perf_pfm.h"
#include "telemetry/proc_file.h"

struct generic {
    const char *name;
    uint32_t type;
    uint32_t config;
    enum perf_role role;
};

#define HW(name, what, role)                                                                       \
    {                                                                                              \
        name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what, role                                       \
    }
#define SW(name, what)                                                                             \
    {                                                                                              \
        name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what, PERF_OTHER                                 \
    }
#define CACHE(name, cache, op, result, role)                                                       \
    {                                                                                              \
        name, PERF_TYPE_HW_CACHE,                                                                  \
            PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                       \
                PERF_COUNT_HW_CACHE_RESULT_##result << 16,                                         \
            role                                                                                   \
    }
#define CACHE_OP(text, cache, op, s, miss)                                                         \
    CACHE(text s, cache, op, ACCESS, PERF_OTHER), CACHE(text miss, cache, op, MISS, PERF_OTHER)
#define CACHE_READS(text, cache) CACHE_OP(text, cache, READ, "-loads", "-load-misses")
#define CACHE_ALL(text, cache)                                                                     \
    CACHE_READS(text, cache), CACHE_OP(text, cache, WRITE, "-stores", "-store-misses"),            \
        CACHE_OP(text, cache, PREFETCH, "-prefetches", "-prefetch-misses")

/* Names and meanings: perf_event_open(2) and `perf list`. */
static const struct generic generic[] = {
    HW("cycles", CPU_CYCLES, PERF_CYCLES),
    HW("cpu-cycles", CPU_CYCLES, PERF_CYCLES),
    HW("instructions", INSTRUCTIONS, PERF_INSTRUCTIONS),
    HW("cache-references", CACHE_REFERENCES, PERF_OTHER),
    HW("cache-misses", CACHE_MISSES, PERF_OTHER),
    HW("branches", BRANCH_INSTRUCTIONS, PERF_BRANCHES),
    HW("branch-instructions", BRANCH_INSTRUCTIONS, PERF_BRANCHES),
    HW("branch-misses", BRANCH_MISSES, PERF_BRANCH_MISSES),
    HW("bus-cycles", BUS_CYCLES, PERF_OTHER),
    HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, PERF_OTHER),
    HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, PERF_OTHER),
    HW("ref-cycles", REF_CPU_CYCLES, PERF_OTHER),
    SW("cpu-clock", CPU_CLOCK),
    SW("task-clock", TASK_CLOCK),
    SW("page-faults", PAGE_FAULTS),
    SW("faults", PAGE_FAULTS),
    SW("minor-faults", PAGE_FAULTS_MIN),
    SW("major-faults", PAGE_FAULTS_MAJ),
    SW("context-switches", CONTEXT_SWITCHES),
    SW("cs", CONTEXT_SWITCHES),
    SW("cpu-migrations", CPU_MIGRATIONS),
    SW("migrations", CPU_MIGRATIONS),
    SW("alignment-faults", ALIGNMENT_FAULTS),
    SW("emulation-faults", EMULATION_FAULTS),
    CACHE_ALL("L1-dcache", L1D),
    CACHE("L1-icache-loads", L1I, READ, ACCESS, PERF_OTHER),
    CACHE("L1-icache-load-misses", L1I, READ, MISS, PERF_ICACHE_MISSES),
    CACHE_OP("L1-icache", L1I, PREFETCH, "-prefetches", "-prefetch-misses"),
    CACHE_ALL("LLC", LL),
    CACHE_ALL("dTLB", DTLB),
    CACHE("iTLB-loads", ITLB, READ, ACCESS, PERF_OTHER),
    CACHE("iTLB-load-misses", ITLB, READ, MISS, PERF_ITLB_MISSES),
    CACHE_READS("branch", BPU),
    CACHE_ALL("node", NODE),
};

#define SYSCALLS "raw_syscalls:sys_enter"

const char *perf_name_at(size_t i)
{
    return i < sizeof generic / sizeof *generic ? generic[i].name : NULL;
}

const char *perf_names_libpfm(void)
{
    return perf_pfm_version();
}

/* --- tracefs ---------------------------------------------------------------------- */

static int open_folder(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0 && fstatat(fd, "events", &st, 0) != 0) { /* the empty mount point */
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

/* A mount outside any tree: it ends with its descriptor. */
static int mount_unseen(void)
{
#if defined(SYS_fsopen) && defined(SYS_fsconfig) && defined(SYS_fsmount)
    enum { CMD_CREATE = 6, CLOEXEC = 1 };
    int fs = (int)syscall(SYS_fsopen, "tracefs", CLOEXEC), fd = -1;

    if (fs < 0)
        return -1;
    if (syscall(SYS_fsconfig, fs, CMD_CREATE, NULL, NULL, 0) == 0)
        fd = (int)syscall(SYS_fsmount, fs, CLOEXEC, 0);
    close(fs);
    return fd;
#else
    return -1;
#endif
}

void perf_names_open(struct perf_names *p, const char *tracefs)
{
    *p = (struct perf_names){.tracefs_fd = -1};
    if (tracefs) {
        p->tracefs_fd = open_folder(tracefs);
    } else {
        bool denied;
        p->tracefs_fd = open_folder("/sys/kernel/tracing");
        denied = errno == EACCES;
        if (p->tracefs_fd < 0)
            p->tracefs_fd = open_folder("/sys/kernel/debug/tracing");
        denied |= errno == EACCES;
        if (p->tracefs_fd < 0)
            p->tracefs_fd = mount_unseen();
        if (p->tracefs_fd < 0 && denied) {
            snprintf(p->tracefs_why, sizeof p->tracefs_why,
                     "tracepoints need root: /sys/kernel/tracing may not be read");
            return;
        }
    }
    if (p->tracefs_fd < 0)
        snprintf(p->tracefs_why, sizeof p->tracefs_why,
                 "tracepoints need tracefs, which is not mounted, and mounting it needs root");
}

void perf_names_close(struct perf_names *p)
{
    if (p->tracefs_fd >= 0)
        close(p->tracefs_fd);
    p->tracefs_fd = -1;
}

static bool is_word(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '_')
            return false;
    return n > 0;
}

/* "system:event", both plain words. */
static bool looks_like_tracepoint(const char *name)
{
    size_t n = strcspn(name, ":");

    return name[n] == ':' && is_word(name, n) && is_word(name + n + 1, strlen(name + n + 1));
}

static bool find_tracepoint(const struct perf_names *p, const char *name, struct perf_spec *s)
{
    char path[PERF_NAME_MAX + 16], text[32];
    uint64_t id;
    const char *t = text;
    size_t n = strcspn(name, ":"), len;

    if (p->tracefs_fd < 0 || !looks_like_tracepoint(name))
        return false;
    snprintf(path, sizeof path, "events/%.*s/%s/id", (int)n, name, name + n + 1);
    if (proc_read(p->tracefs_fd, path, text, sizeof text, &len) != 0 || !proc_number(&t, &id))
        return false;
    s->type = PERF_TYPE_TRACEPOINT;
    s->config = id;
    return true;
}

/* --- one name --------------------------------------------------------------------- */

static bool find_generic(const char *name, struct perf_spec *s)
{
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++) {
        if (strcasecmp(generic[i].name, name) == 0) {
            s->type = generic[i].type;
            s->config = generic[i].config;
            s->role = generic[i].role;
            return true;
        }
    }
    return false;
}

/* "r" and up to 16 hexadecimal digits: the CPU's own code. */
static bool find_raw(const char *name, struct perf_spec *s)
{
    size_t n = strlen(name);
    char *end;

    if (name[0] != 'r' || n < 2 || n > 17 || !isxdigit((unsigned char)name[1]))
        return false;
    s->config = strtoull(name + 1, &end, 16);
    s->type = PERF_TYPE_RAW;
    return *end == '\0';
}

static bool find_event(const struct perf_names *p, const char *name, struct perf_spec *s)
{
    bool syscalls = strcasecmp(name, "syscalls") == 0;

    if (find_generic(name, s) || find_raw(name, s))
        return true;
    if (find_tracepoint(p, syscalls ? SYSCALLS : name, s))
        return true;
    if (syscalls) {
        s->type = PERF_TYPE_TRACEPOINT;
        snprintf(s->why, sizeof s->why, "%s",
                 p->tracefs_fd < 0 ? p->tracefs_why : "this kernel has no tracepoint " SYSCALLS);
        return true;
    }
    return false;
}

/* These occur only while the kernel itself runs: with :u they would always read 0. */
static bool only_in_kernel(const struct perf_spec *s)
{
    return s->type == PERF_TYPE_TRACEPOINT ||
           (s->type == PERF_TYPE_SOFTWARE && (s->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                              s->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

static int take_modes(const char *modes, struct perf_spec *s, struct err *e)
{
    bool user = strchr(modes, 'u'), kernel = strchr(modes, 'k');

    s->no_user = kernel && !user;
    s->no_kernel = user && !kernel;
    if (s->no_kernel && only_in_kernel(s))
        return err_set(e, ERR_USAGE,
                       "event '%s': it occurs only in the kernel; with :u it would always be 0",
                       s->name);
    return 0;
}

static void offer(const char *name, void *arg)
{
    perf_near_offer(arg, name);
}

static void offer_tracepoints(const struct perf_names *p, struct perf_near *near)
{
    int fd = openat(p->tracefs_fd, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *system;

    while (d && (system = readdir(d)))
        if (system->d_name[0] != '.')
            perf_near_folder(near, fd, system->d_name, system->d_name);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

static int unknown(const struct perf_names *p, const char *name, struct err *e)
{
    struct perf_near near;
    char text[300];

    perf_near_init(&near, name);
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        perf_near_offer(&near, generic[i].name);
    perf_near_offer(&near, "syscalls");
    perf_pfm_each(offer, &near);
    if (p->tracefs_fd >= 0 && looks_like_tracepoint(name))
        offer_tracepoints(p, &near);
    perf_near_text(&near, text, sizeof text);
    if ((!*text || strstr(name, "::")) && strcmp(perf_pfm_version(), "no") == 0)
        snprintf(text, sizeof text,
                 "; names of events that are particular to a CPU need libpfm4, which this "
                 "program was built without: install libpfm4-dev (Debian's name) and build it "
                 "again");
    return err_set(e, ERR_USAGE, "unknown event '%s'%s", name, text);
}

/*
 * If tracepoints cannot be looked up, any name of that form is accepted, unless it looks like a
 * misspelt generic name ("instrutcions:u").
 */
static bool unseen_tracepoint(const struct perf_names *p, const char *name, struct perf_spec *s)
{
    size_t n = strcspn(name, ":");

    if (p->tracefs_fd >= 0 || !looks_like_tracepoint(name) ||
        strspn(name + n + 1, "ukh") == strlen(name + n + 1))
        return false;
    s->type = PERF_TYPE_TRACEPOINT;
    snprintf(s->why, sizeof s->why, "%s", p->tracefs_why);
    return true;
}

static int parse_one(const struct perf_names *p, const char *item, struct perf_spec *s,
                     struct err *e)
{
    char base[PERF_NAME_MAX];
    size_t length = strlen(item);
    char *modes;

    *s = (struct perf_spec){0};
    if (length >= sizeof s->name)
        return err_set(e, ERR_USAGE, "unknown event '%.60s...'", item);
    memcpy(s->name, item, length + 1);
    if (find_event(p, item, s))
        return 0;
    memcpy(base, item, length + 1);
    modes = strrchr(base, ':');
    if (modes && modes != base && modes[-1] != ':') {
        *modes++ = '\0';
        if (find_event(p, base, s)) {
            if (*modes == '\0' || strspn(modes, "uk") != strlen(modes))
                return err_set(
                    e, ERR_USAGE,
                    "event '%s': only u (user) or k (kernel) may follow the colon, not '%s'", item,
                    modes);
            return take_modes(modes, s, e);
        }
    }
    if (perf_pfm_find(item, s) || unseen_tracepoint(p, item, s))
        return 0;
    return unknown(p, modes && *modes && strspn(modes, "ukh") == strlen(modes) ? base : item, e);
}

static bool same_event(const struct perf_spec *a, const struct perf_spec *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2 && a->no_user == b->no_user && a->no_kernel == b->no_kernel &&
           (!a->why[0] || strcmp(a->name, b->name) == 0);
}

static int add_event(const struct perf_spec *s, struct perf_spec *out, size_t *n, struct err *e)
{
    for (size_t i = 0; i < *n; i++)
        if (same_event(s, &out[i]))
            return 0;
    if (*n == PERF_MAX_EVENTS)
        return err_set(e, ERR_USAGE, "more than %d events", PERF_MAX_EVENTS);
    out[(*n)++] = *s;
    return 0;
}

static int parse_list(const struct perf_names *p, const char *list, bool nested,
                      struct perf_spec *out, size_t *n, struct err *e)
{
    struct perf_spec s;
    const char *item = list;

    for (;;) {
        size_t len = strcspn(item, ",");
        char name[PERF_NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", (int)(len < PERF_NAME_MAX ? len : PERF_NAME_MAX), item);
        if (len == 0)
            return err_set(e, ERR_USAGE, "an empty name in the list of events");
        if (!nested && strcmp(name, "default") == 0) {
            if (parse_list(p, PERF_DEFAULT_EVENTS, true, out, n, e))
                return -1;
        } else if (parse_one(p, name, &s, e) || add_event(&s, out, n, e)) {
            return -1;
        }
        if (item[len] == '\0')
            return 0;
        item += len + 1;
    }
}

int perf_names_parse(const struct perf_names *p, const char *list, struct perf_spec *out, size_t *n,
                     struct err *e)
{
    *n = 0;
    return parse_list(p, list, false, out, n, e);
}

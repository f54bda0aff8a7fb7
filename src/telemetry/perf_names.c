/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf.h.  Each item of the list is looked up in the table, as a raw event, as a
 * tracepoint, and in libpfm4; first as it is, then without its suffix :u or :k.  So a name that
 * contains colons needs no quoting.  Generic names are case-insensitive, as in perf.
 */
#include "telemetry/perf.h"

#include <ctype.h>
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

#include "base/library.h"
#include "base/mem.h"
#include "telemetry/proc.h"

#ifdef HAVE_CONFIG_H /* sysbench_minimal has none */
#include "config.h"
#endif

#ifdef HAVE_LIBPFM
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

struct generic {
    const char *name;
    uint32_t type, config;
    enum perf_role role;
};

/* The default set and what roles need, so that these names are known without libpfm4, and software
 * events, of which it lacks some.  Names and meanings: perf_event_open(2) and `perf list`. */
#define CACHE_READ_MISS(cache)                                                                     \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 |                              \
     PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
static const struct generic generic[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_INSTRUCTIONS},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_BRANCHES},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_BRANCHES},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_BRANCH_MISSES},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ_MISS(L1I), PERF_ICACHE_MISSES},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ_MISS(ITLB), PERF_ITLB_MISSES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_OTHER},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERF_OTHER},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PERF_OTHER},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PERF_OTHER},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_OTHER},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_OTHER},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_OTHER},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_OTHER},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, PERF_OTHER},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, PERF_OTHER},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_OTHER},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, PERF_OTHER},
};

/* --- libpfm4: the library chooses its events by CPU model; on a machine without counters it may
 * have none of a CPU's own ------------------------------------------------------------------- */

static struct err no_pfm; /* why the library could not be loaded */

#ifdef HAVE_LIBPFM

#define PFM(X) X(pfm_initialize) X(pfm_get_os_event_encoding)

static struct {
    PFM(LIBRARY_POINTER)
} pfm;

const char *perf_names_libpfm(void)
{
    return "yes"; /* pfm_get_version() returns 4.0 for every version */
}

/* True and *s filled (all but its name) when the library knows the event, modifiers included. */
static bool find_pfm(const char *event, struct perf_spec *s)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t arg = {.size = sizeof arg, .attr = &attr};

    if (library_load("libpfm.so.4", "; names of events that are particular to a CPU need",
                     PFM(LIBRARY_NAME), &pfm, &no_pfm) ||
        pfm.pfm_initialize() != PFM_SUCCESS || /* again costs nothing */
        pfm.pfm_get_os_event_encoding(event, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) !=
            PFM_SUCCESS)
        return false;
    s->type = attr.type;
    s->config = attr.config;
    s->config1 = attr.config1;
    s->config2 = attr.config2;
    s->no_user = attr.exclude_user;
    s->no_kernel = attr.exclude_kernel;
    return true;
}

#else

const char *perf_names_libpfm(void)
{
    return "no";
}

static bool find_pfm(const char *event, struct perf_spec *s)
{
    (void)event;
    (void)s;
    return false;
}

#endif

#define SYSCALLS "raw_syscalls:sys_enter"

/* --- tracefs ---------------------------------------------------------------------- */

static int open_directory(const char *path)
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
    const char *const mount[] = {tracefs ? tracefs : "/sys/kernel/tracing",
                                 "/sys/kernel/debug/tracing"};
    bool denied = false;

    *p = (struct perf_names){.tracefs_fd = -1};
    for (size_t i = 0; i < (tracefs ? 1 : 2) && p->tracefs_fd < 0; i++) {
        p->tracefs_fd = open_directory(mount[i]);
        denied |= p->tracefs_fd < 0 && errno == EACCES;
    }
    if (p->tracefs_fd < 0 && !tracefs)
        p->tracefs_fd = mount_unseen();
    if (p->tracefs_fd < 0)
        snprintf(
            p->tracefs_why, sizeof p->tracefs_why, "%s",
            denied && !tracefs
                ? "tracepoints need root: /sys/kernel/tracing may not be read"
                : "tracepoints need tracefs, which is not mounted, and mounting it needs root");
}

void perf_names_close(struct perf_names *p)
{
    fd_close(p->tracefs_fd);
    p->tracefs_fd = -1;
}

/* "system:event", both plain words. */
static bool looks_like_tracepoint(const char *name)
{
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strspn(name, word), more = name[n] == ':' ? strspn(name + n + 1, word) : 0;

    return n && more && name[n + 1 + more] == '\0';
}

static bool find_tracepoint(const struct perf_names *p, const char *name, struct perf_spec *s)
{
    char path[PERF_NAME_MAX + 16];
    size_t n = strcspn(name, ":");

    if (p->tracefs_fd < 0 || !looks_like_tracepoint(name))
        return false;
    snprintf(path, sizeof path, "events/%.*s/%s/id", (int)n, name, name + n + 1);
    s->type = PERF_TYPE_TRACEPOINT;
    return proc_file_number(p->tracefs_fd, path, &s->config);
}

/* --- one name --------------------------------------------------------------------- */

static bool find_event(const struct perf_names *p, const char *name, struct perf_spec *s)
{
    bool syscalls = strcasecmp(name, "syscalls") == 0;
    char *end;

    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        if (strcasecmp(generic[i].name, name) == 0) {
            s->type = generic[i].type;
            s->config = generic[i].config;
            s->role = generic[i].role;
            return true;
        }
    /* "r" and up to 16 hexadecimal digits: the CPU's own code */
    if (name[0] == 'r' && strlen(name) <= 17 && isxdigit((unsigned char)name[1])) {
        s->config = strtoull(name + 1, &end, 16);
        s->type = PERF_TYPE_RAW;
        if (*end == '\0')
            return true;
    }
    if (find_tracepoint(p, syscalls ? SYSCALLS : name, s))
        return true;
    if (syscalls) {
        s->type = PERF_TYPE_TRACEPOINT;
        snprintf(s->why, sizeof s->why, "%s",
                 p->tracefs_fd < 0 ? p->tracefs_why : "this kernel has no tracepoint " SYSCALLS);
    }
    return syscalls;
}

static int parse_one(const struct perf_names *p, const char *item, struct perf_spec *s,
                     struct err *e)
{
    char base[PERF_NAME_MAX];
    size_t length = strlen(item), system = strcspn(item, ":");
    char *modes;

    *s = (struct perf_spec){0};
    if (length >= sizeof s->name)
        return err_set(e, ERR_USAGE, "unknown event '%.60s...'", item);
    memcpy(s->name, item, length + 1);
    if (find_event(p, item, s))
        return 0;
    memcpy(base, item, length + 1);
    modes = strrchr(base, ':');
    if (modes && modes != base && modes[-1] != ':')
        *modes++ = '\0';
    else
        modes = NULL;
    if (modes && !find_event(p, base, s)) { /* libpfm4 has suffixes of its own, but no :uk */
        if (find_pfm(item, s))
            return 0;
        if (!find_pfm(base, s))
            goto unknown;
    }
    if (!modes && find_pfm(item, s))
        return 0;
    if (modes && (*modes == '\0' || strspn(modes, "uk") != strlen(modes)))
        return err_set(e, ERR_USAGE,
                       "event '%s': only u (user) or k (kernel) may follow the colon, not '%s'",
                       item, modes);
    if (modes) {
        bool user = strchr(modes, 'u'), kernel = strchr(modes, 'k');
        s->no_user = kernel && !user;
        s->no_kernel = user && !kernel;
        /* these occur only while the kernel itself runs */
        if (s->no_kernel &&
            (s->type == PERF_TYPE_TRACEPOINT ||
             (s->type == PERF_TYPE_SOFTWARE && (s->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                s->config == PERF_COUNT_SW_CPU_MIGRATIONS))))
            return err_set(e, ERR_USAGE,
                           "event '%s': it occurs only in the kernel; with :u it would always be 0",
                           s->name);
        return 0;
    }
unknown:
    /* If tracepoints cannot be looked up, any name of that form is accepted, unless it looks like a
     * misspelt name with a suffix ("instrutcions:u"). */
    if (p->tracefs_fd < 0 && looks_like_tracepoint(item) &&
        strspn(item + system + 1, "ukh") != strlen(item + system + 1)) {
        s->type = PERF_TYPE_TRACEPOINT;
        snprintf(s->why, sizeof s->why, "%s", p->tracefs_why);
        return 0;
    }
    return err_set(e, ERR_USAGE, "unknown event '%s'%s",
                   modes && *modes && strspn(modes, "ukh") == strlen(modes) ? base : item,
                   strcmp(perf_names_libpfm(), "no") == 0
                       ? "; names of events that are particular to a CPU need libpfm4, which this "
                         "program was built without: install libpfm4-dev (Debian's name) and build "
                         "it again"
                       : no_pfm.msg);
}

static bool same_event(const struct perf_spec *a, const struct perf_spec *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2 && a->no_user == b->no_user && a->no_kernel == b->no_kernel &&
           (!a->why[0] || strcmp(a->name, b->name) == 0);
}

static int parse_list(const struct perf_names *p, const char *list, bool nested,
                      struct perf_spec *out, size_t *n, struct err *e)
{
    struct perf_spec s;

    for (const char *item = list;; item++) {
        size_t len = strcspn(item, ","), known = 0;
        char name[PERF_NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", (int)(len < PERF_NAME_MAX ? len : PERF_NAME_MAX), item);
        if (len == 0)
            return err_set(e, ERR_USAGE, "an empty name in the list of events");
        item += len;
        if (!nested && strcmp(name, "default") == 0) {
            if (parse_list(p, PERF_DEFAULT_EVENTS, true, out, n, e))
                return -1;
        } else if (parse_one(p, name, &s, e)) {
            return -1;
        } else {
            while (known < *n && !same_event(&s, &out[known]))
                known++;
            if (known == PERF_MAX_EVENTS)
                return err_set(e, ERR_USAGE, "more than %d events", PERF_MAX_EVENTS);
            if (known == *n)
                out[(*n)++] = s;
        }
        if (*item == '\0')
            return 0;
    }
}

int perf_names_parse(const struct perf_names *p, const char *list, struct perf_spec *out, size_t *n,
                     struct err *e)
{
    *n = 0;
    return parse_list(p, list, false, out, n, e);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of events: those found, those refused with suggestions, and the derived figures of a list.
 * Tracepoints come from a small made-up tree.
 */
#include "telemetry/perf.h"

#include <linux/perf_event.h>

#include "base/test_tree.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const struct {
    const char *list;
    uint32_t type;
    uint64_t config;
    bool no_user, no_kernel;
} found[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, false},
    {"instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, true},
    {"cycles:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false},
    {"cycles:uk", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, false},
    {"Branch-Misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false, false},
    {"l1-icache-load-misses:u", PERF_TYPE_HW_CACHE, 0x10001, false, true},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004, false, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false, false},
    {"page-faults:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, true},
    {"syscalls", PERF_TYPE_TRACEPOINT, 77, false, false},
    {"sched:sched_switch", PERF_TYPE_TRACEPOINT, 314, false, false},
    {"sched:sched_switch:k", PERF_TYPE_TRACEPOINT, 314, true, false},
    {"r01c2:u", PERF_TYPE_RAW, 0x1c2, false, true},
    {"r0", PERF_TYPE_RAW, 0, false, false},
    {"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, false, false},
    {"SYSCALLS:k", PERF_TYPE_TRACEPOINT, 77, true, false},
    {"cpu-migrations:uk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false, false},
    {"faults:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, false},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, false},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false, false},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false, false},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, false, false},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, false, false},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false, false},
};

static const struct {
    const char *list, *says;
} refused[] = {
    {"instrutcions", "unknown event 'instrutcions'"},
    {"instrutcions:u", "unknown event 'instrutcions'"},
    {"cycles,context-swithces", "unknown event 'context-swithces'"},
    {"sched:sched_swich", "unknown event 'sched:sched_swich'"},
    {"shed:sched_switch", "unknown event 'shed:sched_switch'"},
    {"zzzzzzzzzz", "unknown event 'zzzzzzzzzz'"},
    {"", "an empty name in the list of events"},
    {"cycles,,branches", "an empty name in the list of events"},
    {"cycles:x", "event 'cycles:x': only u (user) or k (kernel) may follow the colon, not 'x'"},
    {"cycles:", "event 'cycles:': only u (user) or k (kernel) may follow the colon, not ''"},
    {"context-switches:u",
     "event 'context-switches:u': it occurs only in the kernel; with :u it would always be 0"},
    {"cycles:ku:u", "unknown event 'cycles:ku'"},
    {"cycles::u", "unknown event 'cycles::u'"},
    {":u", "unknown event ':u'"},
    {"r", "unknown event 'r'"},
    {"rx", "unknown event 'rx'"},
    {"r1g", "unknown event 'r1g'"},
    {"cpu-migrations:u",
     "event 'cpu-migrations:u': it occurs only in the kernel; with :u it would always be 0"},
    {"sched:sched_switch:u",
     "event 'sched:sched_switch:u': it occurs only in the kernel; with :u it would always be 0"},
    {"sched:", "unknown event 'sched:'"},
    {"default,", "an empty name in the list of events"},
    {"syscalls:u",
     "event 'syscalls:u': it occurs only in the kernel; with :u it would always be 0"},
};

static void check_found(const struct perf_names *p)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;

    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        CHECK_INT(perf_names_parse(p, found[i].list, s, &n, &e), 0);
        CHECK_INT(n, 1);
        CHECK_STR(s[0].name, found[i].list);
        CHECK_INT(s[0].type, found[i].type);
        CHECK_INT(s[0].config, found[i].config);
        CHECK(s[0].no_user == found[i].no_user && s[0].no_kernel == found[i].no_kernel);
        CHECK_INT(s[0].config1 + s[0].config2, 0);
        CHECK_STR(s[0].why, "");
    }
}

static void check_refused(const struct perf_names *p)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    char many[2000] = "cycles";
    size_t n;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err e = {0};
        CHECK_INT(perf_names_parse(p, refused[i].list, s, &n, &e), -1);
        CHECK_INT(strncmp(e.msg, refused[i].says, strlen(refused[i].says)), 0);
        if (strncmp(e.msg, refused[i].says, strlen(refused[i].says)) != 0)
            printf("  %s: got: %s\n", refused[i].list, e.msg);
        CHECK_INT(e.kind, ERR_USAGE);
    }
    for (int i = 1; i <= PERF_MAX_EVENTS; i++) {
        struct err e = {0};
        size_t len = strlen(many);
        snprintf(many + len, sizeof many - len, ",r%x", (unsigned)i);
        CHECK_INT(perf_names_parse(p, many, s, &n, &e), i < PERF_MAX_EVENTS ? 0 : -1);
    }
}

/* What a list is: in order, once each, default in the middle. */
static void check_lists(const struct perf_names *p)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;

    CHECK_INT(perf_names_parse(p, "task-clock:u,default,cycles:u,cs,syscalls", s, &n, &e), 0);
    CHECK_INT(n, 11);
    CHECK_STR(s[0].name, "task-clock:u");
    CHECK_STR(s[1].name, "instructions:u");
    CHECK_STR(s[10].name, "syscalls");
    static const struct {
        const char *name;
        enum perf_role role;
        bool no_kernel;
    } want[] = {{"task-clock:u", PERF_OTHER, true},
                {"instructions:u", PERF_INSTRUCTIONS, true},
                {"cycles:u", PERF_CYCLES, true}};
    for (size_t i = 0; i < 11; i++) {
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            if (strcmp(s[i].name, want[k].name) == 0) {
                CHECK_INT(s[i].role, want[k].role);
                CHECK_INT(s[i].no_kernel, want[k].no_kernel);
            }
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(s[i].name, s[k].name) != 0);
    }
    CHECK_INT(perf_figures_derived(s, n),
              PERF_IPC | PERF_ICACHE | PERF_ITLB | PERF_BRANCH | PERF_WORK);
    CHECK_INT(perf_names_parse(p, "instructions:u,cycles:k,branch-misses,branches", s, &n, &e), 0);
    CHECK_INT(perf_figures_derived(s, n), PERF_BRANCH | PERF_WORK);
    /* as long as a name may be */
    char name[PERF_NAME_MAX + 2], message[100];
    memset(name, 'x', sizeof name);
    name[PERF_NAME_MAX + 1] = '\0';
    for (int len = PERF_NAME_MAX + 1; len >= PERF_NAME_MAX - 1; len--) {
        struct err why = {0};
        name[len] = '\0';
        CHECK_INT(perf_names_parse(p, name, s, &n, &why), -1);
        snprintf(message, sizeof message, "unknown event '%.60s%s", name,
                 len >= PERF_NAME_MAX ? "...'" : "");
        CHECK_INT(strncmp(why.msg, message, strlen(message)), 0);
    }
}

/* Where tracepoints cannot be looked up, one that looks like one is n/a, a slip in a name is still
 * an error. */
static void check_without_tracefs(void)
{
    struct perf_names p;
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;

    perf_names_open(&p, "/nowhere");
    CHECK_INT(perf_names_parse(&p, "syscalls,sched:sched_switch", s, &n, &e), 0);
    CHECK_INT(n, 2);
    static const char why[] =
        "tracepoints need tracefs, which is not mounted, and mounting it needs root";
    CHECK_STR(p.tracefs_why, why);
    for (int i = 0; i < 2; i++) {
        CHECK_STR(s[i].why, why);
        CHECK_INT(s[i].type, PERF_TYPE_TRACEPOINT);
    }
    CHECK_STR(s[0].name, "syscalls");
    CHECK_STR(s[1].name, "sched:sched_switch");
    CHECK_INT(p.tracefs_fd, -1);
    /* two that are n/a are two, though nothing else tells them apart */
    CHECK_INT(perf_names_parse(&p, "a:b,a:c,a:b", s, &n, &e), 0);
    CHECK_INT(n, 2);
    CHECK_INT(perf_names_parse(&p, "instrucions:u", s, &n, &e), -1);
    perf_names_close(&p);
}

static void check_libpfm(const struct perf_names *p)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;

#ifdef HAVE_LIBPFM
    CHECK(strcmp(perf_names_libpfm(), "no") != 0);
    CHECK_INT(perf_names_parse(p, "perf::PERF_COUNT_SW_CPU_MIGRATIONS", s, &n, &e), 0);
    CHECK_INT(s[0].type, PERF_TYPE_SOFTWARE);
    CHECK_INT(s[0].config, PERF_COUNT_SW_CPU_MIGRATIONS);
    CHECK_INT(perf_names_parse(p, "LLC-store-misses,cache-misses:u,node-loads:uk,bus-cycles:k", s,
                               &n, &e),
              0);
    CHECK(n == 4 && s[0].type == PERF_TYPE_HW_CACHE && s[0].config == 0x10102);
    CHECK(!s[0].no_user && !s[0].no_kernel && !s[2].no_user && !s[2].no_kernel);
    CHECK(s[1].config == PERF_COUNT_HW_CACHE_MISSES && s[1].no_kernel && !s[1].no_user);
    CHECK(s[3].config == PERF_COUNT_HW_BUS_CYCLES && s[3].no_user && !s[3].no_kernel);
    CHECK_INT(perf_names_parse(p, "LLC-loads:x", s, &n, &e), -1);
    CHECK_STR(e.msg,
              "event 'LLC-loads:x': only u (user) or k (kernel) may follow the colon, not 'x'");
    CHECK_INT(perf_names_parse(p, "perf::NO_SUCH_EVENT", s, &n, &e), -1);
    CHECK(strstr(e.msg, "unknown event 'perf::NO_SUCH_EVENT'") && !strstr(e.msg, "libpfm4-dev"));
#else
    CHECK_STR(perf_names_libpfm(), "no");
    CHECK_INT(perf_names_parse(p, "perf::PERF_COUNT_SW_CPU_MIGRATIONS", s, &n, &e), -1);
    CHECK(strstr(e.msg, "libpfm4-dev") != NULL);
#endif
}

TEST_MAIN(perf_names_test)
{
    struct perf_names p;

    tree_begin();
    tree_put("events/raw_syscalls/sys_enter/id", "77\n");
    tree_put("events/sched/sched_switch/id", "314\n");
    perf_names_open(&p, test_tree);
    CHECK(p.tracefs_fd >= 0);
    check_found(&p);
    check_refused(&p);
    check_lists(&p);
    check_libpfm(&p);
    perf_names_close(&p);
    check_without_tracefs();
    return test_done("perf_names");
}

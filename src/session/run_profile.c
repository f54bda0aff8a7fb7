/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_profile.h.
 */
#include "session/run_profile.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text_file.h"
#include "base/units.h"
#include "report/out.h"
#include "telemetry/discover.h"

static const struct opt_row rows[] = {
    {OPT_ROW("server-profile", STRING, "off", OPT_PER_RANK | OPT_OPEN,
             "sample the server's stacks and draw flame graphs: cpu (where its threads run), "
             "offcpu (where they wait), cpu,offcpu, or off"),
     .choices = "cpu|offcpu|off"},
    {OPT_ROW("server-profile-file", STRING, NULL, OPT_PER_RANK,
             "prefix of the names of the profile's files: PREFIX.cpu.folded, PREFIX.cpu.svg, ... "
             "(default: the test's name, in the current directory)"),
     .of = "server-profile", .mark = "file="},
    {OPT_ROW("server-profile-window", STRING, NULL, OPT_PER_RANK,
             "profile only from START to START+LENGTH seconds of the run, given as START:LENGTH "
             "(default: the whole run)"),
     .of = "server-profile", .mark = "window="},
    {OPT_ROW("server-profile-hz", INT, "99", OPT_PER_RANK, "samples per second on each CPU"),
     .of = "server-profile", .mark = "hz=", .min = 1, .max = 9999},
};

void run_profile_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
}

static const char *wanted(const struct opts *o)
{
    return opt_str(o, "server-profile");
}

bool run_profile_wanted(const struct opts *o)
{
    return strcmp(wanted(o), "off") != 0;
}

static int read_kinds(struct profile_config *c, const char *text, struct err *e)
{
    const char *at = text;

    for (;;) {
        size_t n = strcspn(at, ",");
        bool cpu = n == 3 && strncmp(at, "cpu", n) == 0,
             off = n == 6 && strncmp(at, "offcpu", n) == 0;
        if (!cpu && !off)
            return err_set(
                e, ERR_USAGE,
                "Invalid value for --server-profile: '%s' (cpu, offcpu, cpu,offcpu or off)", text);
        c->cpu |= cpu;
        c->off_cpu |= off;
        if (!at[n])
            return 0;
        at += n + 1;
    }
}

#define LONGEST (3653 * 86400 * NS_PER_SEC) /* ten years */

static int read_window(struct run_profile *r, const char *text, dur_ns time_limit, struct err *e)
{
    const char *colon = strchr(text, ':');
    char start[32];

    if (!*text)
        return 0;
    snprintf(start, sizeof start, "%.*s", colon ? (int)(colon - text) : 0, text);
    if (!colon || (size_t)(colon - text) >= sizeof start ||
        units_duration(start, NS_PER_SEC, &r->record.start, NULL) ||
        units_duration(colon + 1, NS_PER_SEC, &r->record.length, NULL) || r->record.length == 0 ||
        r->record.start > LONGEST || r->record.length > LONGEST)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --server-profile=window: '%s' (START:LENGTH in seconds, "
                       "LENGTH above 0)",
                       text);
    if (time_limit && r->record.start >= time_limit)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for --server-profile=window: '%s' begins after the end of the run "
            "(--time=%g)",
            text, dur_sec(time_limit));
    return 0;
}

static char *path_of(const struct run_profile *r, bool off_cpu, const char *suffix)
{
    return mem_printf("%s.%s.%s", r->prefix, off_cpu ? "offcpu" : "cpu", suffix);
}

int run_profile_claim(const struct run_profile *r, struct outs *outs, struct err *e)
{
    int rc = 0;

    for (int i = 0; r->prefix && i < 4 && rc == 0; i++) {
        char *path = path_of(r, i / 2, i % 2 ? "svg" : "folded");
        if (i / 2 ? r->config.off_cpu : r->config.cpu)
            rc = outs ? outs_add(outs, "server-profile-file", path, e) : out_check(path, true, e);
        free(path);
    }
    return rc;
}

int run_profile_init(struct run_profile *r, const struct opts *o,
                     const struct server_options *where, const struct plan *p, const char *test,
                     bool is_script, struct err *e)
{
    const char *prefix = opt_str(o, "server-profile-file"), *server = where->server, *slash;

    test = test && strcmp(test, "-") != 0 ? test : "sysbench";
    slash = strrchr(test, '/');
    if (!run_profile_wanted(o))
        return 0;
    r->warmup = p->warmup;
    r->waits = p->warmup_steady_pct > 0;
    r->config.hz = (int)opt_int(o, "server-profile-hz");
    /* "/usr/share/sysbench/oltp_read_only.lua" -> "oltp_read_only" */
    test = slash && slash[1] ? slash + 1 : test;
    size_t n = strlen(test);
    r->test = mem_strndup(test, n > 4 && strcmp(test + n - 4, ".lua") == 0 ? n - 4 : n);
    r->prefix = mem_strdup(*prefix ? prefix : r->test);
    if (read_kinds(&r->config, wanted(o), e))
        return opt_explain(o, "server-profile", e);
    if (read_window(r, opt_str(o, "server-profile-window"), p->time_limit, e))
        return -1;
    /* the run's options allow a server to be watched */
    if (*where->remote)
        return err_set(
            e, ERR_USAGE,
            "--server-profile and --server-via cannot be combined: only servers on this host "
            "can be profiled");
    if (strcmp(server, "off") == 0)
        return err_set(e, ERR_USAGE, "--server-profile and --server=off cannot be combined");
    if (!is_script && (!*server || strcmp(server, "auto") == 0))
        return err_set(
            e, ERR_USAGE,
            "--server-profile: this test uses no database; name a process with --server=PID");
    if (run_profile_claim(r, NULL, e))
        return err_add(e, "Invalid value for --server-profile=file");
    if (profile_open(&r->profile, &r->config, e))
        return err_add(e, "--server-profile");
    return 0;
}

void run_profile_free(struct run_profile *r)
{
    profile_close(r->profile);
    free(r->prefix);
    free(r->test);
    while (r->record.files)
        free((char *)(uintptr_t)r->record.file[--r->record.files]);
    *r = (struct run_profile){0};
}

/* `from`: where measuring begins. */
static void watch_from(struct run_profile *r, mono_ns from)
{
    const struct attach *a = r->attach;
    mono_ns begin = from + r->record.start;

    profile_start(r->profile, a->pids, a->npids, discover_is_tree("/proc", a->pids, a->npids),
                  begin, r->record.length ? begin + r->record.length : MONO_NEVER);
}

#define DRAWING (60 * NS_PER_SEC) /* the longest that a picture may take */
#define LARGEST ((size_t)1 << 28) /* bytes */

/* Starts sysbench-flame, which is installed beside this program; in a process group of its own,
 * because Ctrl-C is meant for us. */
static int start_flame(pid_t *child, char *const *argv, int in, int out)
{
    char path[PATH_MAX + sizeof "sysbench-flame"];
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;

    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    memcpy(slash ? slash + 1 : path, "sysbench-flame", sizeof "sysbench-flame");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    int rc = posix_spawn(child, path, &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Its exit status, or one that a shell gives. */
static int await_flame(pid_t child)
{
    struct timespec nap = {.tv_nsec = 5 * NS_PER_MS};
    mono_ns until = clock_mono() + DRAWING;
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (clock_mono() > until)
            kill(child, SIGKILL);
        nanosleep(&nap, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The picture of stacks; both are files in memory meanwhile.  -1: there is none, and why. */
static int draw(struct text_file *picture, const struct str *stacks, char *const *argv,
                struct err *e)
{
    int in = memfd_create("stacks", MFD_CLOEXEC), out = memfd_create("picture", MFD_CLOEXEC);
    char path[40];
    pid_t child;
    int rc = -1;

    snprintf(path, sizeof path, "/proc/self/fd/%d", out);
    if (in < 0 || out < 0 || dprintf(in, "%s", str_cstr(stacks)) != (int)stacks->len ||
        lseek(in, 0, SEEK_SET))
        err_sys(e, errno, "no memory for it");
    else if ((rc = start_flame(&child, argv, in, out)))
        rc = err_sys(e, rc, "cannot run sysbench-flame");
    else if ((rc = await_flame(child)))
        rc = err_set(e, ERR_FAILED, "sysbench-flame ended with status %d", rc);
    else
        rc = text_file_read_long(picture, path, LARGEST, 0, e);
    fd_close(in);
    fd_close(out);
    return rc;
}

static void write_file(struct run_profile *r, bool off_cpu, const char *suffix, const char *text,
                       size_t len)
{
    char *path = path_of(r, off_cpu, suffix);
    struct out out = {.path = path};

    if (out_replace_all(&out, text, len)) {
        r->record.files_incomplete = r->lost = true;
        free(path);
    } else {
        r->record.file[r->record.files++] = path;
    }
}

static void write_kind(struct run_profile *r, bool off_cpu)
{
    const struct folded *f = off_cpu ? &r->result->off_cpu : &r->result->cpu;
    char *title = mem_printf("--title=%s of %s during %s",
                             off_cpu ? "Time off the CPU" : "Time on the CPU", r->server, r->test);
    char *below =
        off_cpu ? mem_printf("--subtitle=%.3f s of waiting in %zu threads, %.3f s watched%s%s",
                             dur_sec(r->result->off_cpu_time), r->result->threads,
                             dur_sec(r->result->window), *f->estimate ? "; " : "", f->estimate)
                : mem_printf("--subtitle=%llu samples at %d a second and CPU, %.3f s watched",
                             (ull)r->result->samples, r->config.hz, dur_sec(r->result->window));
    char colours[] = "--colors=warm", unit[] = "--unit=samples", dash[] = "-";
    char *argv[] = {title, title, below, colours, unit, dash, NULL};
    struct text_file picture = {0};
    struct str text = STR_INIT;
    struct err e = {0};

    if (off_cpu) {
        memcpy(colours, "--colors=cold", sizeof colours);
        memcpy(unit, "--unit=us", sizeof "--unit=us");
    }
    folded_write(f, &text);
    write_file(r, off_cpu, "folded", str_cstr(&text), text.len);
    if (draw(&picture, &text, argv, &e)) {
        r->record.files_incomplete = true;
        log_warn("no flame graph: %s; draw it with: sysbench-flame %s.%s.folded > %s.%s.svg", e.msg,
                 r->prefix, off_cpu ? "offcpu" : "cpu", r->prefix, off_cpu ? "offcpu" : "cpu");
    } else {
        write_file(r, off_cpu, "svg", picture.text, picture.len);
    }
    text_file_free(&picture);
    str_free(&text);
    free(title);
    free(below);
}

/* Ends the profile, writes its files and fills the record; the first call counts. */
static void end(struct run_profile *r)
{
    if (r->result)
        return;
    const struct profile_result *p = r->result = profile_finish(r->profile);
    if (p->window == 0 && !*r->why)
        snprintf(r->why, sizeof r->why, "the run ended before the window began");
    if (!*r->why && r->config.cpu)
        write_kind(r, false);
    if (!*r->why && r->config.off_cpu)
        write_kind(r, true);
    /* all figures of both kinds; with `why` they mean nothing */
    struct report_profile *v = &r->record;
    v->ended = true;
    v->cpu = r->config.cpu;
    v->off_cpu = r->config.off_cpu;
    v->hz = r->config.hz;
    v->name = r->server;
    v->prefix = r->prefix;
    v->why = *r->why ? r->why : NULL;
    v->watched = p->window;
    v->samples = p->samples;
    v->stacks = p->cpu.n;
    v->off_cpu_time = p->off_cpu_time;
    v->threads = p->threads;
    v->off_cpu_stacks = p->off_cpu.n;
    v->estimate = p->off_cpu.estimate;
    v->switches = p->switches;
    v->involuntary = p->preempted;
    v->sampled = p->sampled_switches;
    v->by_cfi = p->unwound.cfi;
    v->by_pointers = p->unwound.pointers;
    v->partial = p->unwound.cut;
    v->no_cfi = p->no_cfi;
    v->degraded = p->degraded;
    v->lost = p->lost;
    v->truncated = p->truncated;
    v->no_names = p->no_names;
    v->no_kernel_names = p->no_kernel_names;
    v->cost = p->cost;
}

static void on(void *self, struct run_event *event)
{
    struct run_profile *r = self;
    const struct attach *a = r->attach;

    if (!r->profile)
        return;
    if (event->kind == RUN_STARTED && (!a->server || a->npids == 0)) {
        snprintf(r->why, sizeof r->why, "%s",
                 *a->why ? a->why : "the server's processes are not known");
    } else if (event->kind == RUN_STARTED) {
        snprintf(r->server, sizeof r->server, "%s", server_describe(a->server));
        if (!r->waits)
            watch_from(r, clock_mono() + r->warmup);
    } else if (event->kind == RUN_BEGINS && r->waits && !*r->why)
        watch_from(r, event->from);
    else if (event->kind == RUN_FINAL_READING)
        profile_stop_at(r->profile, clock_mono());
    else if (event->kind == RUN_CLOSING ||
             (event->kind == RUN_SNAPSHOT && event->s->kind == SNAPSHOT_FINAL))
        end(r);
}

static int close_profile(void *self, const struct report_end *how, struct err *e)
{
    const struct run_profile *r = self;

    (void)how;
    return r->lost ? err_set(e, ERR_OUTPUT, "a file of the profile is missing") : 0;
}

const struct observer_ops run_profile_observer = {
    .name = "server profile", .on = on, .close = close_profile};

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_profile.h.
 */
#include "cli/run_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/cfi.h"
#include "profile/flame.h"
#include "report/out.h"
#include "telemetry/discover.h"

#define LABEL "    %-37s"

static const struct opt_row rows[] = {
    {"server-profile", OPT_STRING, "off",
     "sample the server's stacks and draw flame graphs: cpu (where its threads run), offcpu (where they wait), "
     "cpu,offcpu, or off",
     OPT_OPEN, 0, 0, "cpu|offcpu|off"},
    {"server-profile-file", OPT_STRING, NULL,
     "names of the profile's files begin with this: PREFIX.cpu.folded, PREFIX.cpu.svg, ... (default: the test's "
     "name, in the current folder)",
     0, 0, 0, NULL},
    {"server-profile-window", OPT_STRING, NULL,
     "take the profile only from START to START+LENGTH seconds of the run, as START:LENGTH (default: all of it)",
     0, 0, 0, NULL},
    {"server-profile-hz", OPT_INT, "99", "sample each CPU this many times a second", 0, 1, 9999,
     NULL},
};

void run_profile_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_SERVER, rows, sizeof rows / sizeof *rows);
}

bool run_profile_wanted(const struct opts *o)
{
    return strcmp(opt_str(o, "server-profile"), "off") != 0;
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

/* Seconds, with decimals, up to ten years. */
static bool read_seconds(const char **at, dur_ns *out)
{
    char *end;
    double v;

    if (!strchr("0123456789.", **at) || !**at)
        return false;
    v = strtod(*at, &end);
    if (end == *at || !(v >= 0 && v < 3e8))
        return false;
    *at = end;
    *out = (dur_ns)(v * 1e9);
    return true;
}

static int read_window(struct run_profile *r, const char *text, const struct plan *p, struct err *e)
{
    const char *at = text;

    if (!*text)
        return 0;
    if (!read_seconds(&at, &r->start) || *at++ != ':' || !read_seconds(&at, &r->length) || *at ||
        r->length == 0)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --server-profile-window: '%s' (START:LENGTH in seconds, "
                       "LENGTH above 0)",
                       text);
    if (p->time_limit && r->start >= p->time_limit)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for --server-profile-window: '%s' begins when the run is over "
            "(--time=%g)",
            text, dur_sec(p->time_limit));
    return 0;
}

/* What the run says about the server must leave one to be looked at. */
static int check_server(const struct app *a, struct err *e)
{
    const char *server = opt_str(a->opts, "server");

    if (*opt_str(a->opts, "server-via"))
        return err_set(
            e, ERR_USAGE,
            "--server-profile and --server-via cannot be combined: profiles are taken on "
            "this host");
    if (strcmp(server, "off") == 0)
        return err_set(e, ERR_USAGE, "--server-profile and --server=off cannot be combined");
    if (!a->script && (!*server || strcmp(server, "auto") == 0))
        return err_set(
            e, ERR_USAGE,
            "--server-profile: this test uses no database; name a process with --server=PID");
    return 0;
}

static char *path_of(const struct run_profile *r, bool off_cpu, const char *suffix)
{
    return mem_printf("%s.%s.%s", r->prefix, off_cpu ? "offcpu" : "cpu", suffix);
}

static int check_files(const struct run_profile *r, struct err *e)
{
    int rc = 0;

    for (int i = 0; i < 4 && rc == 0; i++) {
        bool off = i / 2;
        char *path;
        if (!(off ? r->config.off_cpu : r->config.cpu))
            continue;
        path = path_of(r, off, i % 2 ? "svg" : "folded");
        rc = out_check(path, true, e);
        free(path);
    }
    return rc ? err_add(e, "Invalid value for --server-profile-file") : 0;
}

/* "/usr/share/sysbench/oltp_read_only.lua" -> "oltp_read_only" */
static char *test_name(const struct app *a)
{
    const char *name = a->testname && strcmp(a->testname, "-") != 0 ? a->testname : "sysbench";
    const char *slash = strrchr(name, '/');
    size_t n;

    name = slash && slash[1] ? slash + 1 : name;
    n = strlen(name);
    return mem_strndup(name, n > 4 && strcmp(name + n - 4, ".lua") == 0 ? n - 4 : n);
}

int run_profile_init(struct run_profile *r, const struct app *a, struct err *e)
{
    const char *prefix = opt_str(a->opts, "server-profile-file");

    memset(r, 0, sizeof *r);
    r->app = a;
    if (!run_profile_wanted(a->opts))
        return 0;
    r->config.hz = (int)opt_int(a->opts, "server-profile-hz");
    r->prefix = *prefix ? mem_strdup(prefix) : test_name(a);
    if (read_kinds(&r->config, opt_str(a->opts, "server-profile"), e))
        return opt_explain(a->opts, "server-profile", e);
    if (read_window(r, opt_str(a->opts, "server-profile-window"), &a->plan, e) ||
        check_server(a, e) || check_files(r, e))
        return -1;
    if (profile_open(&r->profile, &r->config, e))
        return err_add(e, "--server-profile");
    return 0;
}

void run_profile_free(struct run_profile *r)
{
    profile_close(r->profile);
    free(r->prefix);
    while (r->files)
        free(r->file[--r->files]);
    r->profile = NULL;
    r->prefix = NULL;
}

void run_profile_start(struct run_profile *r, const pid_t *pids, size_t n, const char *server,
                       const char *why)
{
    const struct plan *p = &r->app->plan;
    mono_ns begin;

    if (!r->profile)
        return;
    if (n == 0) {
        snprintf(r->why, sizeof r->why, "%s", *why ? why : "the server's processes are not known");
        return;
    }
    snprintf(r->server, sizeof r->server, "%s", server);
    begin = clock_mono() + p->warmup + r->start;
    profile_start(r->profile, pids, n, discover_is_tree("/proc", pids, n), begin,
                  r->length ? begin + r->length : MONO_NEVER);
}

void run_profile_curtain(struct run_profile *r)
{
    if (r->profile)
        profile_curtain(r->profile, clock_mono());
}

static void put_file(struct run_profile *r, bool off_cpu, const char *suffix,
                     const struct str *text)
{
    char *path = path_of(r, off_cpu, suffix);
    struct out out = {.path = path};

    if (out_replace_all(&out, str_cstr(text), text->len)) {
        r->incomplete = true;
        free(path);
    } else {
        r->file[r->files++] = path;
    }
}

static void write_kind(struct run_profile *r, bool off_cpu)
{
    const struct folded *f = off_cpu ? &r->result->off_cpu : &r->result->cpu;
    struct str text = STR_INIT, title = STR_INIT, below = STR_INIT;
    struct flame_style style = {.unit = off_cpu ? "us" : "samples", .cold = off_cpu};
    char *test = test_name(r->app);

    folded_write(f, &text);
    put_file(r, off_cpu, "folded", &text);
    str_reset(&text);
    str_printf(&title, "%s of %s during %s", off_cpu ? "Time off the CPU" : "Time on the CPU",
               r->server, test);
    if (off_cpu)
        str_printf(&below, "%.3f s of waiting in %zu threads, %.3f s watched",
                   dur_sec(r->result->off_cpu_time), r->result->threads,
                   dur_sec(r->result->window));
    else
        str_printf(&below, "%llu samples at %d a second and CPU, %.3f s watched",
                   (unsigned long long)r->result->samples, r->config.hz,
                   dur_sec(r->result->window));
    style.title = str_cstr(&title);
    style.subtitle = str_cstr(&below);
    flame_svg(&text, f, &style);
    put_file(r, off_cpu, "svg", &text);
    str_free(&text);
    str_free(&title);
    str_free(&below);
    free(test);
}

void run_profile_end(struct run_profile *r)
{
    if (!r->profile || r->result)
        return;
    r->result = profile_finish(r->profile);
    if (r->result->window == 0 && !*r->why)
        snprintf(r->why, sizeof r->why, "the run ended before the window began");
    if (*r->why)
        return;
    if (r->config.cpu)
        write_kind(r, false);
    if (r->config.off_cpu)
        write_kind(r, true);
}

void run_profile_record(const struct run_profile *r, struct report_profile *out)
{
    const struct profile_result *p = r->result;

    if (!r->profile || !p)
        return;
    *out = (struct report_profile){.ended = true,
                                   .cpu = r->config.cpu,
                                   .off_cpu = r->config.off_cpu,
                                   .hz = r->config.hz,
                                   .start_s = dur_sec(r->start),
                                   .length_s = dur_sec(r->length),
                                   .why = *r->why ? r->why : NULL,
                                   .name = r->server,
                                   .watched_s = dur_sec(p->window),
                                   .samples = p->samples,
                                   .stacks = p->cpu.n,
                                   .off_cpu_s = dur_sec(p->off_cpu_time),
                                   .threads = p->threads,
                                   .off_cpu_stacks = p->off_cpu.n,
                                   .switches = p->switches,
                                   .involuntary = p->preempted,
                                   .switches_with_stack = p->taken,
                                   .by_cfi = p->unwound.cfi,
                                   .by_pointers = p->unwound.pointers,
                                   .in_part = p->unwound.cut,
                                   .no_cfi = cfi_available() ? NULL : "built without elfutils",
                                   .hurried = p->hurried,
                                   .lost = p->lost,
                                   .left_out = p->crowded,
                                   .profiler_cpu_s = dur_sec(p->cost),
                                   .files = r->files,
                                   .files_incomplete = r->incomplete};
    for (size_t i = 0; i < r->files; i++)
        out->file[i] = r->file[i];
}

static void text_figures(const struct run_profile *r, struct str *out)
{
    const struct profile_result *p = r->result;

    str_printf(out, LABEL "%s, for %.4f s\n", "watched:", r->server, dur_sec(p->window));
    if (r->config.cpu)
        str_printf(
            out,
            LABEL
            "%llu samples at %d/s on each CPU (about %.4f s of CPU time), %zu different stacks\n",
            "on CPU:", (unsigned long long)p->samples, r->config.hz,
            (double)p->samples / r->config.hz, p->cpu.n);
    if (r->config.off_cpu) {
        str_printf(out, LABEL "%.4f s in %zu threads, %zu different stacks\n",
                   "off CPU:", dur_sec(p->off_cpu_time), p->threads, p->off_cpu.n);
        str_printf(out, LABEL "%llu (%llu involuntary), a stack taken of %llu\n",
                   "switches:", (unsigned long long)p->switches, (unsigned long long)p->preempted,
                   (unsigned long long)p->taken);
    }
}

static void text_unwinding(const struct profile_result *p, struct str *out)
{
    const struct unwind_counts *u = &p->unwound;
    double all = (double)(u->pointers + u->cfi);

    str_printf(out, LABEL, "unwinding:");
    if (!cfi_available())
        str_adds(out, "frame pointers only (built without elfutils)");
    else if (all > 0)
        str_printf(out, "call frame information %.1f%%, frame pointers %.1f%%",
                   100 * (double)u->cfi / all, 100 * (double)u->pointers / all);
    else
        str_adds(out, "n/a (no stacks)");
    if (all > 0)
        str_printf(out, "; %.1f%% do not reach the start of a thread", 100 * (double)u->cut / all);
    str_adds(out, "\n");
    if (p->hurried)
        str_printf(out,
                   LABEL
                   "%llu stacks by frame pointers alone, the profiler had used up its CPU share\n",
                   "", (unsigned long long)p->hurried);
    if (p->no_names)
        str_printf(
            out,
            LABEL
            "n/a (/proc/PID/maps of the server cannot be read: be its user, or have CAP_SYS_PTRACE)\n",
            "names of its code:");
    if (p->no_kernel_names)
        str_printf(out, LABEL "n/a (kernel.kptr_restrict hides the kernel's addresses)\n",
                   "names of the kernel:");
}

void run_profile_text(const struct run_profile *r, struct str *out)
{
    const struct profile_result *p = r->result;

    if (!r->profile || !p)
        return;
    str_adds(out, "Server profile:\n");
    if (*r->why) {
        str_printf(out, LABEL "n/a (%s)\n\n", "stacks:", r->why);
        return;
    }
    text_figures(r, out);
    text_unwinding(p, out);
    str_printf(out, LABEL "%llu records%s\n", "lost:", (unsigned long long)p->lost,
               p->lost ? ": the kernel's buffers were full" : "");
    if (p->crowded)
        str_printf(out, LABEL "%llu frames: too many different stacks\n",
                   "left out:", (unsigned long long)p->crowded);
    str_printf(out, LABEL "%.4f s of CPU (%.2f%% of one CPU)\n", "profiler:", dur_sec(p->cost),
               100 * (double)p->cost / (double)p->window);
    for (int off = 0; off < 2; off++)
        if (off ? r->config.off_cpu : r->config.cpu)
            str_printf(out, LABEL "%s.%s.folded, .svg%s\n",
                       off && r->config.cpu ? "" : "files:", r->prefix, off ? "offcpu" : "cpu",
                       r->incomplete ? " (not all of them could be written)" : "");
    str_adds(out, "\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_profile.h.
 */
#include "report/text_profile.h"

#include "report/text_lines.h"

#define LABEL TEXT_LABEL

static unsigned long long u(uint64_t v)
{
    return v;
}

static void samples(struct str *out, const struct report_profile *p)
{
    str_printf(out, LABEL "%s, for %.4f s\n", "watched:", p->name, dur_sec(p->watched));
    if (p->cpu)
        str_printf(
            out,
            LABEL
            "%llu samples at %d/s on each CPU (about %.4f s of CPU time), %llu different stacks\n",
            "on CPU:", u(p->samples), p->hz, (double)p->samples / p->hz, u(p->stacks));
    if (p->off_cpu) {
        str_printf(out, LABEL "%.4f s in %llu threads, %llu different stacks%s%s\n",
                   "off CPU:", dur_sec(p->off_cpu_time), u(p->threads), u(p->off_cpu_stacks),
                   *p->estimate ? ", " : "", p->estimate);
        str_printf(out, LABEL "%llu (%llu involuntary), %llu sampled with a stack\n",
                   "switches:", u(p->switches), u(p->involuntary), u(p->sampled));
    }
}

static void unwinding(struct str *out, const struct report_profile *p)
{
    double all = (double)(p->by_pointers + p->by_cfi);

    str_printf(out, LABEL, "unwinding:");
    if (p->no_cfi)
        str_printf(out, "frame pointers only (%s)", p->no_cfi);
    else if (all > 0)
        str_printf(out, "call frame information %.1f%%, frame pointers %.1f%%",
                   100 * (double)p->by_cfi / all, 100 * (double)p->by_pointers / all);
    else
        str_adds(out, "n/a (no stacks)");
    if (all > 0)
        str_printf(out, "; %.1f%% do not reach the start of a thread",
                   100 * (double)p->partial / all);
    str_adds(out, "\n");
    if (p->degraded)
        str_printf(out,
                   LABEL
                   "%llu stacks by frame pointers alone, the profiler had used up its CPU share\n",
                   "", u(p->degraded));
}

static void names(struct str *out, const struct report_profile *p)
{
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

static void losses(struct str *out, const struct report_profile *p)
{
    str_printf(out, LABEL "%llu records%s\n", "lost:", u(p->lost),
               p->lost ? ": the kernel's buffers were full" : "");
    if (p->truncated)
        str_printf(out, LABEL "%llu frames: too many different stacks\n",
                   "left out:", u(p->truncated));
}

static void files(struct str *out, const struct report_profile *p)
{
    for (int off = 0; off < 2; off++)
        if (off ? p->off_cpu : p->cpu)
            str_printf(out, LABEL "%s.%s.folded, .svg%s\n",
                       off && p->cpu ? "" : "files:", p->prefix, off ? "offcpu" : "cpu",
                       p->files_incomplete ? " (not all of them could be written)" : "");
}

void text_profile(struct str *out, const struct report_profile *p)
{
    if (!p || !p->ended)
        return;
    str_adds(out, "Server profile:\n");
    if (p->why) {
        str_printf(out, LABEL "n/a (%s)\n\n", "stacks:", p->why);
        return;
    }
    samples(out, p);
    unwinding(out, p);
    names(out, p);
    losses(out, p);
    str_printf(out, LABEL "%.4f s of CPU (%.2f%% of one CPU)\n", "profiler:", dur_sec(p->cost),
               100 * (double)p->cost / (double)p->watched);
    files(out, p);
    str_adds(out, "\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc_host.h.  The "intr" line of a big machine is tens of kilobytes long.  Only its first
 * number, the total, is needed, so truncated lines are fine.
 */
#include "telemetry/proc_host.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "telemetry/proc_file.h"

enum {
    SEEN_CPU = 1,
    SEEN_INTR = 2,
    SEEN_CTXT = 4,
    SEEN_BTIME = 8,
    SEEN_FORKS = 16,
    SEEN_RUN = 32,
    SEEN_BLOCKED = 64,
    SEEN_ALL = 127
};

struct reading {
    struct proc_host *out;
    unsigned seen;
};

/* Kernels 2.6.x added the columns after iowait one by one: a missing one is 0. */
bool proc_cpu_columns(const char *p, struct proc_cpu_ticks *cpu)
{
    uint64_t *column[] = {&cpu->user,   &cpu->nice, &cpu->system,  &cpu->idle,
                          &cpu->iowait, &cpu->irq,  &cpu->softirq, &cpu->steal};
    size_t n = 0;

    while (n < sizeof column / sizeof column[0] && proc_number(&p, column[n]))
        n++;
    return n >= 4;
}

static bool take_line(char *line, void *arg)
{
    static const char *const name[] = {"intr",      "ctxt",          "btime",
                                       "processes", "procs_running", "procs_blocked"};
    struct reading *r = arg;
    struct proc_host *h = r->out;
    uint64_t *value[] = {&h->interrupts, &h->switches, &h->boot_s,
                         &h->forks,      &h->running,  &h->blocked};
    size_t n = strcspn(line, " ");
    const char *p = line + n;

    if (n == 3 && memcmp(line, "cpu", 3) == 0) {
        if (proc_cpu_columns(p, &h->cpu))
            r->seen |= SEEN_CPU;
    } else if (n > 3 && memcmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3])) {
        h->online_cpus++;
    }
    for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
        if (strlen(name[i]) == n && memcmp(name[i], line, n) == 0 && proc_number(&p, value[i]))
            r->seen |= (unsigned)SEEN_INTR << i;
    return true;
}

int proc_host_read(int root_fd, struct proc_host *out, struct err *e)
{
    struct reading r = {.out = out};
    int rc;

    *out = (struct proc_host){0};
    rc = proc_each_line(root_fd, "stat", take_line, &r);
    if (rc)
        return err_sys(e, rc, "cannot read the system's stat file");
    if (r.seen != SEEN_ALL || out->online_cpus == 0)
        return err_set(e, ERR_FAILED, "the system's stat file lacks %s",
                       !(r.seen & SEEN_CPU)    ? "the cpu line"
                       : out->online_cpus == 0 ? "the lines of single CPUs"
                                               : "one of its counters");
    return 0;
}

uint64_t proc_cpu_total(const struct proc_cpu_ticks *cpu)
{
    return cpu->user + cpu->nice + cpu->system + cpu->idle + cpu->iowait + cpu->irq + cpu->softirq +
           cpu->steal;
}

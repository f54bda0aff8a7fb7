/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc_cpus.h.
 */
#include "telemetry/proc_cpus.h"

#include <stdbool.h>
#include <string.h>

#include "telemetry/proc_file.h"

struct reading {
    const cpu_set_t *set;
    struct proc_cpu_ticks *sum;
    int cpus;
};

static void add(struct proc_cpu_ticks *sum, const struct proc_cpu_ticks *cpu)
{
    sum->user += cpu->user;
    sum->nice += cpu->nice;
    sum->system += cpu->system;
    sum->idle += cpu->idle;
    sum->iowait += cpu->iowait;
    sum->irq += cpu->irq;
    sum->softirq += cpu->softirq;
    sum->steal += cpu->steal;
}

/* "cpu3 ...": the lines of CPUs come first. */
static bool take_line(char *line, void *arg)
{
    struct reading *r = arg;
    struct proc_cpu_ticks cpu = {0};
    const char *p = line + 3;
    uint64_t number;

    if (strncmp(line, "cpu", 3) != 0)
        return false;
    if (*p == ' ' || !proc_whole_number(&p, &number))
        return true;
    if (number < CPU_SETSIZE && CPU_ISSET((size_t)number, r->set) && proc_cpu_columns(p, &cpu)) {
        add(r->sum, &cpu);
        r->cpus++;
    }
    return true;
}

int proc_cpus_read(int root_fd, const cpu_set_t *set, struct proc_cpu_ticks *out, struct err *e)
{
    struct reading r = {.set = set, .sum = out};
    int rc;

    *out = (struct proc_cpu_ticks){0};
    rc = proc_each_line(root_fd, "stat", take_line, &r);
    if (rc)
        return err_sys(e, rc, "cannot read the system's stat file");
    return r.cpus ? 0 : err_set(e, ERR_FAILED, "the system's stat file has none of the CPUs");
}

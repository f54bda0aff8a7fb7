/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See operand.h.
 */
#include "ps/operand.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "telemetry/proc_pid.h"

/* True for kthreadd, or one of its children.  In a container process 2 can be any process. */
static bool is_kernel_thread(int root_fd, pid_t pid, const struct proc_stat *st)
{
    struct proc_stat parent;

    if (pid != 2 && st->ppid != 2)
        return false;
    return !proc_stat_read(root_fd, 2, &parent) && strcmp(parent.comm, "kthreadd") == 0;
}

/* /proc also answers to the number of a thread. */
static bool is_process(int root_fd, pid_t pid, struct proc_stat *st)
{
    struct proc_status status;

    return !proc_stat_read(root_fd, pid, st) && !proc_status_read(root_fd, pid, 0, &status) &&
           status.tgid == pid && !is_kernel_thread(root_fd, pid, st);
}

static bool find(const char *proc_root, long n, struct proc_stat *st)
{
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool found;

    if (root_fd < 0)
        return false;
    found = n > 0 && n <= INT_MAX && is_process(root_fd, (pid_t)n, st);
    close(root_fd);
    return found;
}

bool ps_operand_is_process(const char *proc_root, const char *text, const char *next,
                           struct str *note)
{
    long n = strtol(text, NULL, 10); /* LONG_MAX when it is larger: no process either */
    struct proc_stat st;

    if (!find(proc_root, n, &st)) {
        if (n > PS_LIKELY_COUNT)
            str_printf(note, "%s is taken as COUNT: no user process has that number", text);
        return false;
    }
    if (next && n <= PS_SMALL) {
        if (isdigit((unsigned char)*next))
            str_printf(note,
                       "%s is taken as COUNT; to watch process %s (%s) too, give the count with -c",
                       text, text, st.comm);
        return false;
    }
    if (n <= PS_LIKELY_COUNT)
        str_printf(note, "%s is taken as process %s (%s); for a count say -c %s", text, text,
                   st.comm, text);
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See idle.h.  The names are those of the C library, the kernel, MariaDB, MySQL and PostgreSQL that
 * remain in programs as distributions ship them, without debugging symbols.
 */
#include "profile/idle.h"

#include <regex.h>
#include <stddef.h>

#include "profile/match.h"

static const struct {
    bool idle;
    const char *what, *regex;
} rules[] = {
    {false, "ready to run", ";\\[waiting for a CPU\\]$"},
    {false, "in a statement (MariaDB, MySQL)",
     ";(dispatch_command|mysql_execute_command|mysql_parse)[;(]"},
    {false, "in a statement, a lock, a commit (PostgreSQL)",
     ";(PortalRun|ProcSleep|LWLockAcquire|SyncRepWaitForLSN|perform_spin_delay|"
     "ConditionVariable(Timed)?Sleep|CommitTransactionCommand)[;(]"},
    {true, "for a client, a connection or an event",
     "_sys_(poll|ppoll|select|pselect6|epoll_p?wait2?|accept4?)(_\\[k\\])?;"},
    {true, "for the client's next command",
     ";(my_net_read_packet|my_net_read|Protocol_classic::get_command|pq_getbyte|secure_read)[;(]"},
    {true, "of a thread for its next task", ";pthread_cond_(timed|clock)?wait(@[^;]*)?;"},
    {true, "for a time or a signal",
     "_sys_((clock_)?nanosleep|rt_sigtimedwait|pause|rt_sigsuspend)(_\\[k\\])?;"},
    {true, "for storage requests to end, by the thread that collects them",
     "_sys_(io_p?getevents|io_uring_enter)(_\\[k\\])?;"},
    {true, "of threads that switch too rarely to have a stack", ";\\[no stack sampled\\]$"},
};

enum { RULES = sizeof rules / sizeof *rules };

static void mark(struct folded_row *r, const regex_t *compiled)
{
    r->idle = false;
    for (size_t i = 0; i < RULES; i++) {
        if (match_stack(&compiled[i], r->stack)) {
            r->idle = rules[i].idle;
            return;
        }
    }
}

static int by_rules(struct folded *f, struct err *e)
{
    regex_t compiled[RULES];
    size_t n = 0;
    int rc = 0;

    while (n < RULES && rc == 0)
        if ((rc = match_compile(&compiled[n], rules[n].regex, e)) == 0)
            n++;
    for (size_t i = 0; rc == 0 && i < f->n; i++)
        mark(&f->row[i], compiled);
    while (n)
        regfree(&compiled[--n]);
    return rc;
}

int idle_mark(struct folded *f, const char *regex, struct err *e)
{
    regex_t one;

    if (!regex)
        return by_rules(f, e);
    if (!*regex)
        return 0;
    if (match_compile(&one, regex, e))
        return -1;
    for (size_t i = 0; i < f->n; i++)
        f->row[i].idle = match_stack(&one, f->row[i].stack);
    regfree(&one);
    return 0;
}

void idle_list(struct str *out)
{
    for (size_t i = 0; i < RULES; i++)
        str_printf(out, "%s  %s:\n      %s\n", rules[i].idle ? "idle" : "work", rules[i].what,
                   rules[i].regex);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See folded.h.  Rows are ordered as if ';' were smaller than any letter, so that all stacks that
 * share their outer frames are adjacent: flame.c draws them in one pass over the list.
 */
#include "profile/folded.h"

#include <errno.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void push(struct folded *f, char *stack, uint64_t weight, uint64_t before)
{
    f->row = mem_append(f->row, f->n, sizeof *f->row);
    f->row[f->n++] = (struct folded_row){.stack = stack, .weight = weight, .before = before};
}

void folded_add(struct folded *f, const char *stack, size_t len, uint64_t weight, uint64_t samples)
{
    push(f, mem_strndup(stack, len), weight, 0);
    f->row[f->n - 1].samples = samples;
}

static int order_of(unsigned char c)
{
    return c == ';' ? 1 : c == '\0' ? 0 : c + 2;
}

static int by_stack(const void *pa, const void *pb)
{
    const char *a = ((const struct folded_row *)pa)->stack;
    const char *b = ((const struct folded_row *)pb)->stack;

    while (*a && *a == *b) {
        a++;
        b++;
    }
    return order_of((unsigned char)*a) - order_of((unsigned char)*b);
}

/* A sum too large to be counted is the largest number. */
static void add_to(uint64_t *sum, uint64_t weight)
{
    if (__builtin_add_overflow(*sum, weight, sum))
        *sum = UINT64_MAX;
}

void folded_finish(struct folded *f)
{
    size_t kept = 0;

    if (f->n)
        qsort(f->row, f->n, sizeof *f->row, by_stack);
    for (size_t i = 0; i < f->n; i++) {
        if (kept && strcmp(f->row[kept - 1].stack, f->row[i].stack) == 0) {
            add_to(&f->row[kept - 1].weight, f->row[i].weight);
            add_to(&f->row[kept - 1].before, f->row[i].before);
            f->row[kept - 1].samples += f->row[i].samples;
            f->row[kept - 1].idle &= f->row[i].idle;
            free(f->row[i].stack);
        } else {
            f->row[kept++] = f->row[i];
        }
    }
    f->n = kept;
}

/* "main;f;g 17": the weight follows the last blank, since names may contain blanks.  Some tools
 * write decimals. */
static int read_line(struct folded *f, char *line, size_t len, const char **why)
{
    uint64_t weight;
    double decimal;
    char unit[16], *blank, *end;

    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r' || line[len - 1] == ' '))
        line[--len] = '\0';
    if (*line == '#' && sscanf(line, "# window_s=%lf unit=%15s", &decimal, unit) == 2 &&
        decimal > 0 && decimal < 1e12) { /* of the comments only ours is read */
        f->window_s = decimal;
        f->unit = strcmp(unit, "us") == 0 ? "us" : strcmp(unit, "samples") == 0 ? "samples" : NULL;
    }
    if (len == 0 || *line == '#')
        return 0;
    *why = "holds a NUL byte";
    if (strlen(line) != len)
        return -1;
    *why = "has no stack and weight";
    blank = strrchr(line, ' ');
    if (!blank || blank == line)
        return -1;
    *why = "does not end in a weight";
    if (!blank[1 + strspn(blank + 1, "0123456789")]) { /* exactly, up to the largest */
        errno = 0;
        weight = strtoull(blank + 1, NULL, 10);
        if (errno)
            return -1;
    } else {
        decimal = strtod(blank + 1, &end);
        if (*end || !(decimal >= 0 && decimal < 9e18))
            return -1;
        weight = (uint64_t)(decimal + 0.5);
    }
    while (blank > line && blank[-1] == ' ')
        blank--;
    *why = "has no stack and weight";
    if (blank == line)
        return -1;
    folded_add(f, line, (size_t)(blank - line), weight, 0);
    return 0;
}

int folded_read(struct folded *f, const char *path, struct err *e)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    const char *why = "";
    char *line = NULL;
    size_t cap = 0, number = 0;
    ssize_t n;
    int rc = 0;

    if (!in)
        return err_sys(e, errno, "cannot open '%s'", path);
    while (rc == 0 && (n = getline(&line, &cap, in)) >= 0) {
        number++;
        if (read_line(f, line, (size_t)n, &why))
            rc = err_set(e, ERR_FAILED, "'%s' is not a file of folded stacks: line %zu %s", path,
                         number, why);
    }
    if (rc == 0 && ferror(in))
        rc = err_sys(e, errno, "cannot read '%s'", path);
    free(line);
    if (in != stdin)
        fclose(in);
    folded_finish(f);
    return rc;
}

void folded_write(const struct folded *f, struct str *out)
{
    if (f->window_s > 0 && f->unit) /* no digit at its end: tools would read it as a weight */
        str_printf(out, "# window_s=%.6f unit=%s%s%s\n", f->window_s, f->unit,
                   *f->estimate ? " " : "", f->estimate);
    for (size_t i = 0; i < f->n; i++)
        if (f->row[i].weight) {
            if (*f->estimate)
                str_printf(out, "# %llu samples:\n", (ull)f->row[i].samples);
            str_printf(out, "%s %llu\n", f->row[i].stack, (ull)f->row[i].weight);
        }
}

void folded_join(struct folded *out, const struct folded *before, const struct folded *after)
{
    *out = (struct folded){.window_s = after->window_s, .unit = after->unit};
    for (size_t i = 0; i < before->n; i++)
        push(out, mem_strdup(before->row[i].stack), 0, before->row[i].weight);
    for (size_t i = 0; i < after->n; i++)
        push(out, mem_strdup(after->row[i].stack), after->row[i].weight, 0);
    folded_finish(out);
}

void folded_drop_kernel(struct folded *f)
{
    for (size_t i = 0; i < f->n; i++) {
        char *from = f->row[i].stack, *to = from;

        while (*from) {
            size_t len = strcspn(from, ";");
            bool last = !from[len];

            if (len < 4 || memcmp(from + len - 4, "_[k]", 4) != 0) {
                if (to > f->row[i].stack)
                    *to++ = ';';
                memmove(to, from, len);
                to += len;
            }
            from += len + !last;
        }
        *to = '\0';
    }
    folded_finish(f);
}

void folded_free(struct folded *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->row[i].stack);
    free(f->row);
    *f = (struct folded){0};
}

/* --- stacks by regular expression ------------------------------------------------------------ */

static int match_compile(regex_t *out, const char *regex, struct err *e)
{
    char why[200];
    int rc = regcomp(out, regex, REG_EXTENDED | REG_NOSUB);

    if (rc == 0)
        return 0;
    regerror(rc, out, why, sizeof why);
    return err_set(e, ERR_USAGE, "'%s' is not a regular expression: %s", regex, why);
}

/* Keeps the rows that match (keep), or do not; no expression: that are not idle. */
static void keep_rows(struct folded *f, const regex_t *r, bool keep)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->n; i++) {
        if (r ? (regexec(r, f->row[i].stack, 0, NULL, 0) == 0) == keep : !f->row[i].idle)
            f->row[kept++] = f->row[i];
        else
            free(f->row[i].stack);
    }
    f->n = kept;
}

int match_filter(struct folded *f, const char *regex, bool keep, struct err *e)
{
    regex_t r;

    if (match_compile(&r, regex, e))
        return -1;
    keep_rows(f, &r, keep);
    regfree(&r);
    return 0;
}

void folded_drop_idle(struct folded *f)
{
    keep_rows(f, NULL, false);
}

/* --- idle waits ------------------------------------------------------------------------------ */

/*
 * The names are those of the C library, the kernel, MariaDB, MySQL and PostgreSQL that
 * remain in programs as distributions ship them, without debugging symbols.
 */

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

int idle_mark(struct folded *f, const char *regex, struct err *e)
{
    size_t most = regex ? *regex != '\0' : sizeof rules / sizeof *rules, n = 0;
    regex_t compiled[sizeof rules / sizeof *rules];
    int rc = 0;

    while (n < most && rc == 0)
        if ((rc = match_compile(&compiled[n], regex ? regex : rules[n].regex, e)) == 0)
            n++;
    for (size_t i = 0; rc == 0 && most && i < f->n; i++) {
        size_t k = 0;
        while (k < n && regexec(&compiled[k], f->row[i].stack, 0, NULL, 0) != 0)
            k++;
        f->row[i].idle = k < n && (regex || rules[k].idle);
    }
    while (n)
        regfree(&compiled[--n]);
    return rc;
}

void idle_list(FILE *out)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        fprintf(out, "%s  %s:\n      %s\n", rules[i].idle ? "idle" : "work", rules[i].what,
                rules[i].regex);
}

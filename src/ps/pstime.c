/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See pstime.h.  SECONDS [COUNT] [PID|NAME ...].  `pstime 10 4711`: 4711 intervals, or process
 * 4711?  The original tool had no count and was called with $(pgrep mysqld) after the seconds;
 * users of vmstat write a count there.  -c or -p decides.  Without them:
 *
 * A number above SMALL is a process, even if it has ended: 10 $(cat server.pid) must not repeat for
 * hours then.  Linux assigns pids up to SMALL only once, at boot, so these are counts, unless
 * nothing follows and there is such a process.  Kernel threads are none; -p names them.
 */
#include "ps/pstime.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "telemetry/discover.h"
#include "telemetry/member.h"
#include "telemetry/proc.h"

#include "config.h"

/* A number up to LIKELY_COUNT (an hour of seconds) may have been meant as a count. */
enum { MAX_PIDS = 1024, COMMAND_WIDTH = 48, SMALL = 300, LIKELY_COUNT = 3600 };

/* --- the command line -------------------------------------------------------------------- */

static const char usage[] =
    "Usage: pstime [OPTION]... SECONDS [COUNT] [PID|NAME]...\n"
    "\n"
    "Prints the CPU use of processes over an interval of SECONDS (0.1, 60, 5m), COUNT times\n"
    "(default 1; 0: until stopped): of the processes given by number or name, or of all that\n"
    "exist at both ends of the interval.  A number up to 300 directly after SECONDS is COUNT,\n"
    "unless no operand follows and a process has that number; a larger one is a process.\n"
    "\n"
    "  -c, --count=N           repeat N times; every number after SECONDS is then a process\n"
    "  -p, --pid=PID[,PID...]  show these processes; a number after SECONDS is then COUNT\n"
    "      --stream            answer requests of sysbench --server-via on standard input\n"
    "  -h, --help              print this help\n"
    "  -V, --version           print the version\n";

static const struct option longs[] = {
    {"count", required_argument, NULL, 'c'}, {"pid", required_argument, NULL, 'p'},
    {"help", no_argument, NULL, 'h'},        {"stream", no_argument, NULL, 'S'},
    {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0}};

static int add_pids(struct ps_args *a, const char *list, struct err *e)
{
    pid_t pids[MAX_PIDS];
    int n = discover_parse(list, pids, MAX_PIDS, e);

    for (int i = 0; i < n; i++)
        if (!pid_is_one_of(pids[i], a->pids.ids, a->pids.n))
            pid_list_add(&a->pids, pids[i]);
    return n < 0 ? -1 : 0;
}

static int set_count(struct ps_args *a, const char *text, const char *what, struct err *e)
{
    int64_t count;

    if (units_int(text, 0, INT64_MAX, &count, e))
        return err_add(e, "%s", what);
    a->count = (uint64_t)count;
    return 0;
}

/* The first operand after SECONDS; n - 1 others follow. */
static bool is_count(const struct ps_args *a, const char *proc_root, int n, char **word)
{
    const char *w = word[0];
    struct proc_stat st;
    struct proc_status status;

    if (n < 1 || a->counted || !*w || w[strspn(w, "0123456789")])
        return false;
    if (a->pids.n)
        return true;
    long number = strtol(w, NULL, 10); /* LONG_MAX when it is larger */
    if (number <= SMALL) { /* is there such a process?  /proc answers to a thread's number, too. */
        int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool process =
            number && !proc_stat_read(root_fd, (pid_t)number, &st) && !proc_stat_is_kernel(&st) &&
            !proc_status_read(root_fd, (pid_t)number, 0, &status) && status.tgid == number;
        fd_close(root_fd);
        if (process && n > 1 && isdigit((unsigned char)*word[1]))
            fprintf(
                stderr,
                "pstime: %s is taken as COUNT; to watch process %s too, give the count with -c\n",
                w, w);
        if (!process || n > 1)
            return true;
    }
    if (number <= LIKELY_COUNT && n == 1) /* of several, $(pgrep mysqld), none is a count */
        fprintf(stderr, "pstime: %s is taken as process %s; for a count say -c %s\n", w, w, w);
    return false;
}

int ps_args_read(struct ps_args *a, int argc, char **argv, const char *proc_root, struct err *e)
{
    int c, n, i = 1, rc = 0;

    *a = (struct ps_args){.count = 1};
    while (rc == 0 && (c = getopt_long(argc, argv, "c:p:hV", longs, NULL)) != -1) {
        switch (c) {
        case 'c':
            a->counted = true;
            rc = set_count(a, optarg, "--count", e);
            break;
        case 'p': rc = add_pids(a, optarg, e); break;
        case 'S': a->stream = true; break;
        case 'h': fputs(usage, stdout); return 1;
        case 'V': printf("pstime (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION); return 1;
        default: rc = err_set(e, ERR_SYNTAX, "pstime --help tells what it takes");
        }
    }
    if (rc)
        return rc;
    char **word = argv + optind;
    n = argc - optind;
    if (a->stream)
        return n == 0 ? 0
                      : err_set(e, ERR_SYNTAX,
                                "--stream takes no operands: requests come from standard input");
    if (n < 1)
        return err_set(e, ERR_SYNTAX, "how many seconds? (pstime --help)");
    if (units_duration(word[0], NS_PER_SEC, &a->interval, e))
        return err_add(e, "SECONDS");
    if (a->interval < NS_PER_MS)
        return err_set(e, ERR_SYNTAX, "SECONDS: '%s' is less than a millisecond", word[0]);
    if (is_count(a, proc_root, n - 1, word + 1) && set_count(a, word[i++], "COUNT", e))
        return -1;
    a->name = mem_array((size_t)n, sizeof *a->name);
    for (; i < n; i++) {
        if (!isdigit((unsigned char)word[i][0]))
            a->name[a->names++] = word[i];
        else if (add_pids(a, word[i], e))
            return -1;
    }
    return 0;
}

void ps_args_free(struct ps_args *a)
{
    free(a->name);
    pid_list_free(&a->pids);
}

/* --- the processes ----------------------------------------------------------------------- */

int ps_watch_open(struct ps_watch *w, const char *proc_root, const struct ps_args *a, struct err *e)
{
    *w = (struct ps_watch){.args = a};
    int rc = reader_open(&w->reader, proc_root, e);
    w->reader.cpu_only = true;
    return rc;
}

static void row_free(struct ps_row *x)
{
    member_fini(&x->member);
    str_free(&x->command);
    free(x);
}

void ps_watch_close(struct ps_watch *w)
{
    for (size_t i = 0; i < w->n; i++)
        row_free(w->row[i]);
    free(w->row);
    pid_list_free(&w->pids);
    reader_close(&w->reader);
}

/* False: it has ended, or another process has the id now. */
static bool read_row(struct ps_watch *w, struct ps_row *x)
{
    const struct cpu_split was = x->split;
    mono_ns was_at = x->at;

    x->at = clock_mono();
    if (member_read(&x->member, &w->reader, false) != 0 || x->member.ended)
        return false;
    cpu_split_advance(&x->split, x->member.now.cpu_ns, member_user_ns(&x->member, &w->reader, 0.5));
    x->twice = was_at != 0;
    x->wall_ns = x->at - was_at;
    x->user_ns = x->split.user_ns - was.user_ns;
    x->sys_ns = x->split.cpu_ns - was.cpu_ns - x->user_ns;
    return true;
}

/* NULL: it is none of the chosen ones, or has ended. */
static struct ps_row *open_row(struct ps_watch *w, pid_t pid)
{
    const struct ps_args *a = w->args;
    struct ps_row *x = mem_alloc(sizeof *x);
    struct str *c = &x->command;
    char path[40];
    struct stat st;
    struct proc_stat stat;
    bool wanted = a->pids.n == 0 && a->names == 0;

    if (member_init(&x->member, &w->reader, pid) != 0) {
        row_free(x);
        return NULL;
    }
    /* the arguments as one line that is safe to show */
    if (proc_command_read(w->reader.root_fd, pid, c) != 0 || c->len == 0) {
        str_reset(c);
        str_printf(c, "[%s]", x->member.comm);
    } else {
        str_printable(c->s, c->len, '?');
        c->s[c->len] = '\0';
    }
    snprintf(path, sizeof path, "%d", (int)pid);
    if (fstatat(w->reader.root_fd, path, &st, 0) == 0)
        x->uid = st.st_uid;
    if (wanted)
        wanted = proc_stat_read(w->reader.root_fd, pid, &stat) == 0 && !proc_stat_is_kernel(&stat);
    else
        wanted = pid_is_one_of(pid, a->pids.ids, a->pids.n);
    /* The kernel's name of a process is cut to 15 characters, so the last part of the program's
     * path, the first word of the command, is compared, too. */
    const char *program = str_cstr(c);
    size_t len = strcspn(program, " ");
    const char *slash = memrchr(program, '/', len);
    if (slash) {
        len -= (size_t)(slash + 1 - program);
        program = slash + 1;
    }
    for (size_t i = 0; i < a->names && !wanted; i++)
        wanted = strcmp(a->name[i], x->member.comm) == 0 ||
                 (strlen(a->name[i]) == len && memcmp(program, a->name[i], len) == 0);
    if (wanted && read_row(w, x))
        return x;
    row_free(x);
    return NULL;
}

int ps_watch_read(struct ps_watch *w, struct err *e)
{
    const struct ps_args *a = w->args;
    struct ps_row **was = w->row;
    size_t n = w->n, k = 0;
    int rc = proc_list_tasks(w->reader.root_fd, 0, &w->pids);

    if (rc)
        return err_sys(e, rc, "cannot list the processes");
    reader_begin(&w->reader);
    w->row = mem_array(w->pids.n, sizeof(*w->row));
    w->n = 0;
    for (size_t i = 0; i < w->pids.n; i++) { /* both lists ascend */
        pid_t pid = w->pids.ids[i];
        struct ps_row *x = NULL;
        while (k < n && was[k]->member.pid < pid)
            row_free(was[k++]);
        if (k < n && was[k]->member.pid == pid)
            x = was[k++];
        if (x && !read_row(w, x)) { /* the id may have been given to a new one */
            row_free(x);
            x = NULL;
        }
        if (!x && (a->pids.n == 0 || a->names || pid_is_one_of(pid, a->pids.ids, a->pids.n)))
            x = open_row(w, pid);
        if (x)
            w->row[w->n++] = x;
    }
    while (k < n)
        row_free(was[k++]);
    free(was);
    return 0;
}

void ps_row_print(struct str *out, const struct ps_row *r, int ncpu)
{
    const struct passwd *pw = getpwuid(r->uid);
    const int64_t part[2] = {r->user_ns, r->sys_ns};
    char user[40];

    if (pw)
        snprintf(user, sizeof user, "%.39s", pw->pw_name);
    else
        snprintf(user, sizeof user, "%u", (unsigned)r->uid);
    str_printf(out, "%-8s %7d", user, (int)r->member.pid);
    for (int i = 0; i < 2; i++) { /* four significant digits: 44.17, 3.391, 412.5 */
        double v = r->wall_ns > 0 ? 100 * ((double)part[i] / (double)r->wall_ns) / ncpu : 0;
        char figure[32];
        snprintf(figure, sizeof figure, "%.*f", v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95, v);
        str_printf(out, " %6s", figure);
    }
    str_printf(out, " %.*s\n", COMMAND_WIDTH, str_cstr(&r->command));
}

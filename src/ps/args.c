/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See args.h.  SECONDS [COUNT] [PID|NAME ...].  `pstime 10 4711`: 4711 intervals, or process 4711?
 * The original tool had no count and was called with $(pgrep mysqld) after the seconds; users of
 * vmstat write a count there.  -c or -p decides.  Without them:
 *
 * A number above SMALL is a process, even if it has ended: 10 $(cat server.pid) must not repeat for
 * hours then.  Linux assigns pids up to SMALL only once, at boot, so these are counts, unless
 * nothing follows and there is such a process.  Kernel threads are none; -p names them.
 */
#include "ps/args.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "telemetry/discover.h"
#include "telemetry/proc_pid.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* A number up to LIKELY_COUNT (an hour of seconds) may have been meant as a count. */
enum { MAX_PIDS = 1024, COMMAND_WIDTH = 48, SMALL = 300, LIKELY_COUNT = 3600 };

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
    "  -T, --threads           print one row per thread\n"
    "  -t, --seconds           print CPU seconds instead of per cent of the whole system\n"
    "  -1, --one-cpu           print per cent of one CPU, as top does\n"
    "  -s, --sort=KEY          sort by pid (default), cpu, usr, sys or name\n"
    "  -n, --top=N             print only the first N rows\n"
    "  -b, --busy              print only rows with CPU time\n"
    "  -w, --wide              print the whole command\n"
    "  -o, --output=FORMAT     text (default), csv or json (one object per line)\n"
    "      --stream            answer requests of sysbench --server-via on standard input\n"
    "  -h, --help              print this help\n"
    "  -V, --version           print the version\n";

static const struct option longs[] = {
    {"count", required_argument, NULL, 'c'}, {"pid", required_argument, NULL, 'p'},
    {"threads", no_argument, NULL, 'T'},     {"seconds", no_argument, NULL, 't'},
    {"one-cpu", no_argument, NULL, '1'},     {"sort", required_argument, NULL, 's'},
    {"top", required_argument, NULL, 'n'},   {"busy", no_argument, NULL, 'b'},
    {"wide", no_argument, NULL, 'w'},        {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},        {"stream", no_argument, NULL, 'S'},
    {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0}};

/* The place of `text` in a list of words, or -1 with a sentence that names them. */
static int choose(const char *text, const char *option, const char *const *word, struct err *e)
{
    char all[100] = "";

    for (int i = 0; word[i]; i++) {
        size_t n = strlen(all);
        if (strcmp(word[i], text) == 0)
            return i;
        snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", word[i]);
    }
    return err_set(e, ERR_SYNTAX, "--%s takes %s, not '%s'", option, all, text);
}

static int take_pids(struct ps_args *a, const char *list, struct err *e)
{
    pid_t pids[MAX_PIDS];
    int n = discover_parse(list, pids, MAX_PIDS, e);

    for (int i = 0; i < n; i++)
        pid_list_add(&a->select.pids, pids[i]);
    return n < 0 ? -1 : 0;
}

static int take_count(struct ps_args *a, const char *text, const char *what, struct err *e)
{
    int64_t count;

    if (units_int(text, 0, INT64_MAX, &count, e))
        return err_add(e, "%s", what);
    a->count = (uint64_t)count;
    return 0;
}

static int take_option(struct ps_args *a, int c, struct err *e)
{
    static const char *const sorts[] = {"pid", "cpu", "usr", "sys", "name", NULL};
    static const char *const formats[] = {"text", "csv", "json", NULL};
    int64_t n = 0;
    int k = 0;

    switch (c) {
    case 'c': a->counted = true; return take_count(a, optarg, "--count", e);
    case 'p': return take_pids(a, optarg, e);
    case 'T': a->select.threads = a->style.threads = true; return 0;
    case 't': a->style.unit = PS_SECONDS; return 0;
    case '1': a->style.unit = PS_OF_ONE_CPU; return 0;
    case 's':
        k = choose(optarg, "sort", sorts, e);
        a->style.sort = k < 0 ? PS_BY_PID : (enum ps_sort)k;
        return k < 0 ? -1 : 0;
    case 'n':
        if (units_int(optarg, 1, INT32_MAX, &n, e))
            return err_add(e, "--top");
        a->style.top = (size_t)n;
        return 0;
    case 'b': a->style.busy = true; return 0;
    case 'w': a->style.command = 0; return 0;
    case 'o':
        k = choose(optarg, "output", formats, e);
        a->style.format = k < 0 ? PS_TEXT : (enum ps_format)k;
        return k < 0 ? -1 : 0;
    case 'S': a->stream = true; return 0;
    case 'h': fputs(usage, stdout); return 1;
    case 'V': printf("pstime (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION); return 1;
    default: return err_set(e, ERR_SYNTAX, "pstime --help tells what it takes");
    }
}

static bool is_number(const char *s)
{
    return *s && strspn(s, "0123456789") == strlen(s);
}

/* /proc also answers to the number of a thread. */
static bool is_process(const char *proc_root, pid_t pid)
{
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct proc_stat st;
    struct proc_status status;
    bool found;

    if (root_fd < 0)
        return false;
    found = !proc_stat_read(root_fd, pid, &st) && !proc_stat_is_kernel(&st) &&
            !proc_status_read(root_fd, pid, 0, &status) && status.tgid == pid;
    close(root_fd);
    return found;
}

/* The first operand after SECONDS; n - 1 others follow. */
static bool is_count(const struct ps_args *a, const char *proc_root, int n, char **word)
{
    const char *w = word[0];
    long number;

    if (n < 1 || a->counted || !is_number(w))
        return false;
    if (a->select.pids.n)
        return true;
    number = strtol(w, NULL, 10); /* LONG_MAX when it is larger */
    if (number <= SMALL && (number == 0 || !is_process(proc_root, (pid_t)number)))
        return true;
    if (number <= SMALL && n > 1) {
        if (isdigit((unsigned char)*word[1]))
            fprintf(
                stderr,
                "pstime: %s is taken as COUNT; to watch process %s too, give the count with -c\n",
                w, w);
        return true;
    }
    if (number <= LIKELY_COUNT)
        fprintf(stderr, "pstime: %s is taken as process %s; for a count say -c %s\n", w, w, w);
    return false;
}

static int take_operands(struct ps_args *a, const char *proc_root, int n, char **word,
                         struct err *e)
{
    int i = 1;

    if (n < 1)
        return err_set(e, ERR_SYNTAX, "how many seconds? (pstime --help)");
    if (units_duration(word[0], NS_PER_SEC, &a->interval, e))
        return err_add(e, "SECONDS");
    if (a->interval < NS_PER_MS)
        return err_set(e, ERR_SYNTAX, "SECONDS: '%s' is less than a millisecond", word[0]);
    if (is_count(a, proc_root, n - 1, word + 1) && take_count(a, word[i++], "COUNT", e))
        return -1;
    a->select.name = mem_array((size_t)n, sizeof *a->select.name);
    for (; i < n; i++) {
        if (!isdigit((unsigned char)word[i][0]))
            a->select.name[a->select.names++] = word[i];
        else if (take_pids(a, word[i], e))
            return -1;
    }
    return 0;
}

int ps_args_read(struct ps_args *a, int argc, char **argv, const char *proc_root, struct err *e)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int c, rc;

    *a = (struct ps_args){.count = 1,
                          .style = {.command = COMMAND_WIDTH, .ncpu = cpus > 0 ? (int)cpus : 1}};
    while ((c = getopt_long(argc, argv, "c:p:Tt1s:n:bwo:hV", longs, NULL)) != -1) {
        rc = take_option(a, c, e);
        if (rc)
            return rc;
    }
    if (a->stream && optind < argc)
        return err_set(e, ERR_SYNTAX,
                       "--stream takes no operands: requests come from standard input");
    return a->stream ? 0 : take_operands(a, proc_root, argc - optind, argv + optind, e);
}

void ps_args_free(struct ps_args *a)
{
    free(a->select.name);
    pid_list_free(&a->select.pids);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime --stream: answers questions about this host's server on stdin with readings on stdout, in
 * the lines of telemetry/stream.h.  Ends when stdin does, so no process is left when the other side
 * ends.
 */
#include "ps/pstime.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "telemetry/discover.h"
#include "telemetry/environment.h"
#include "telemetry/host.h"
#include "telemetry/probe.h"
#include "telemetry/proc.h"
#include "telemetry/server.h"
#include "telemetry/stream.h"

enum { MAX_PIDS = 64, LINE_MOST = 1 << 16 };

struct serve {
    int root;    /* /proc; -1: it cannot be opened */
    char *words; /* of the last open that succeeded */
    struct pid_list pids;
    bool tree;
    struct host *host;
    struct server *server;
    struct probe_config config; /* what is asked for beside the processes and the host */
    struct probe *probe;        /* NULL: no server is open */
    struct str out;
};

/* "sample 7 mono=... wall=..." */
static void put_clocks(struct serve *s, const char *what, const char *number)
{
    str_printf(&s->out, "%s%s mono=%lld wall=%lld\n", what, number, (long long)clock_mono(),
               (long long)clock_wall());
}

static void put_events(struct serve *s, const struct perf_spec *e)
{
    for (size_t i = 0; i < s->config.events; i++)
        str_printf(&s->out, "event %zu %d %d %d %s %s\n", i, (int)e[i].role, e[i].no_user,
                   e[i].no_kernel, e[i].name, e[i].why);
}

static void choose_events(struct serve *s, const char *list, bool system)
{
    struct perf_names names;
    struct err e = {0};

    s->config.system = system;
    perf_names_open(&names, NULL);
    if (perf_names_parse(&names, list, s->config.event, &s->config.events, &e)) {
        s->config.events = 0;
        str_printf(&s->out, "error %s\n", e.msg);
    } else {
        put_events(s, s->config.event);
        str_adds(&s->out, "ok\n");
    }
    perf_names_close(&names);
}

static int add_target(int root, struct pid_list *to, bool *tree, const char *word, struct err *e)
{
    struct pid_list pids = {0};
    bool has_children = false, any = false;
    pid_t pid;

    if (strncmp(word, "listen:", 7) == 0 || isdigit((unsigned char)*word)) {
        int rc = isdigit((unsigned char)*word)
                     ? discover_parse(word, &pid, 1, e)
                     : discover_listener("/proc", word + 7, &pid, &has_children, e);
        *tree |= has_children;
        if (rc >= 0 && !pid_is_one_of(pid, to->ids, to->n))
            pid_list_add(to, pid);
        return rc < 0 ? -1 : 0;
    }
    if (proc_list_tasks(root, 0, &pids) != 0)
        pids.n = 0;
    for (size_t i = 0; i < pids.n; i++) {
        struct proc_stat st;
        if (proc_stat_read(root, pids.ids[i], &st) != 0 || strcmp(st.comm, word) != 0 ||
            proc_stat_ended(&st))
            continue;
        any = true;
        if (!pid_is_one_of(pids.ids[i], to->ids, to->n))
            pid_list_add(to, pids.ids[i]);
    }
    pid_list_free(&pids);
    return any ? 0 : err_set(e, ERR_FAILED, "no process is named %s", word);
}

static int find_targets(const struct serve *s, struct pid_list *to, bool *tree, const char *words,
                        struct err *e)
{
    char *copy = mem_strdup(words), *save = NULL;
    int rc = 0;

    *tree = false;
    for (char *w = strtok_r(copy, " ", &save); w && !rc; w = strtok_r(NULL, " ", &save))
        rc = add_target(s->root, to, tree, w, e);
    free(copy);
    if (!rc && (to->n == 0 || to->n > MAX_PIDS))
        rc = to->n ? err_set(e, ERR_FAILED, "more than %d server processes", MAX_PIDS)
                   : err_set(e, ERR_FAILED, "no server was named");
    if (!rc && !*tree)
        *tree = discover_is_tree("/proc", to->ids, to->n);
    return rc;
}

/* "server" or "successor" with a number made of pids and their start times, so that the other side
 * notices when another server has the same name. */
static void put_server(struct serve *s, const char *what)
{
    struct proc_stat st;
    uint64_t id = 0;

    for (size_t i = 0; i < s->pids.n; i++)
        if (proc_stat_read(s->root, s->pids.ids[i], &st) == 0)
            id = id * 1000003 + (uint64_t)s->pids.ids[i] + st.start_ticks * 4194304;
    str_printf(&s->out, "%s %llu %s\n", what, (unsigned long long)id, server_describe(s->server));
}

static void attach(struct serve *s)
{
    host_attach(s->host, s->pids.ids[0]);
    probe_attach(s->probe, &(struct perf_whom){.pids = s->pids.ids,
                                               .n = s->pids.n,
                                               .tree = s->tree,
                                               .exact = server_exact(s->server)});
}

static void put_how(struct serve *s)
{
    str_printf(&s->out, "how %s\n", perf_count_how(probe_counters(s->probe)));
}

/* --- after a restart: what was opened by name or by address is found again -------------------- */

static size_t find_again(void *arg, pid_t *pids, size_t max, bool *tree)
{
    const struct serve *s = arg;
    struct pid_list found = {0};
    size_t n = 0;

    /* an id says nothing about a successor: it may be given to any process */
    for (const char *w = s->words; w; w = strchr(w, ' ') ? strchr(w, ' ') + 1 : NULL)
        if (isdigit((unsigned char)*w))
            return 0;
    if (find_targets(s, &found, tree, s->words, NULL) == 0 && found.n <= max)
        memcpy(pids, found.ids, (n = found.n) * sizeof *pids);
    pid_list_free(&found);
    return n;
}

static void found_again(void *arg, const pid_t *pids, size_t n, bool tree)
{
    struct serve *s = arg;

    s->tree = tree;
    s->pids.n = 0;
    for (size_t i = 0; i < n; i++)
        pid_list_add(&s->pids, pids[i]);
    attach(s);
    if (s->config.events && !s->config.system)
        put_how(s);
    put_server(s, "successor");
}

static void open_server(struct serve *s, const char *words)
{
    struct pid_list found = {0};
    struct err e = {0};
    bool tree;

    probe_free(s->probe);
    server_close(s->server);
    s->probe = NULL;
    s->server = NULL;
    if (find_targets(s, &found, &tree, words, &e) ||
        server_open(&s->server, "/proc", found.ids, found.n, tree, &e)) {
        str_printf(&s->out, "error %s\n", e.msg);
        pid_list_free(&found);
        return;
    }
    pid_list_free(&s->pids);
    s->pids = found;
    s->tree = tree;
    free(s->words);
    s->words = mem_strdup(words);
    server_follow(s->server,
                  &(struct server_finder){.arg = s, .find = find_again, .found = found_again});
    s->probe = probe_new(&s->config);
    attach(s);
    if (s->config.events) {
        put_events(s, perf_count_spec(probe_counters(s->probe), &s->config.events));
        put_how(s);
    }
    if (s->config.syscalls && probe_syscalls_why(s->probe))
        str_printf(&s->out, "syscalls-why %s\n", probe_syscalls_why(s->probe));
    put_server(s, "server");
}

static void answer_read(struct serve *s, const char *number)
{
    struct sample sample;
    struct probe_reading probe;
    struct host_reading host;

    put_clocks(s, "sample ", number);
    if (s->server) {
        server_read(s->server, &sample);
        stream_put_sample(&s->out, &sample);
        probe_read(s->probe, &sample, &probe);
        if (s->config.events)
            stream_put_perf(&s->out, &probe.perf, s->config.events);
        stream_put_syscalls(&s->out, &probe.syscalls);
    }
    host_read(s->host, &host);
    stream_put_host(&s->out, &host);
    put_clocks(s, "end ", number);
}

static void answer_environment(struct serve *s, const char *number)
{
    struct environment e = {0};

    environment_host(&e, "/proc", "/sys");
    for (size_t i = 0; i < s->pids.n; i++)
        environment_process(&e, "/proc", s->pids.ids[i]);
    put_clocks(s, "sample ", number);
    for (size_t i = 0; i < e.n; i++) {
        str_printf(&s->out, "env %s ", e.item[i].key);
        environment_to_text(&s->out, &e.item[i]);
        str_adds(&s->out, "\n");
    }
    put_clocks(s, "end ", number);
    environment_free(&e);
}

static bool flush(struct serve *s)
{
    bool ok = fwrite(str_cstr(&s->out), 1, s->out.len, stdout) == s->out.len && fflush(stdout) == 0;

    str_reset(&s->out);
    return ok;
}

static void answer_line(struct serve *s, char *line)
{
    if (strncmp(line, "environment ", 12) == 0)
        answer_environment(s, line + 12);
    else if (strncmp(line, "read ", 5) == 0)
        answer_read(s, line + 5);
    else if (strncmp(line, "open ", 5) == 0)
        open_server(s, line + 5);
    else if (strncmp(line, "events ", 7) == 0)
        choose_events(s, line + 7, false);
    else if (strncmp(line, "system-events ", 14) == 0)
        choose_events(s, line + 14, true);
    else if (strcmp(line, "syscalls on") == 0)
        s->config.syscalls = SYSCALLS_LISTED;
    else if (*line)
        str_adds(&s->out,
                 "error not a question: events LIST, open TARGET..., read N, environment N\n");
}

int ps_serve(void)
{
    struct serve s = {.root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    char *line = mem_array(LINE_MOST + 2, 1), name[256] = "", governor[32], text[400];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    s.host = host_open("/proc", "/sys");
    gethostname(name, sizeof name - 1);
    host_governor("/sys", governor, sizeof governor);
    snprintf(text, sizeof text, " cpus=%ld host=%s governor=%s", cpus > 0 ? cpus : 1,
             *name ? name : "n/a", governor);
    put_clocks(&s, STREAM_HELLO, text);
    bool ok = flush(&s);
    while (ok && fgets(line, LINE_MOST + 2, stdin)) {
        if (strlen(line) > LINE_MOST && line[LINE_MOST] != '\n') { /* it is not read further */
            str_printf(&s.out, "error a question of more than %d bytes\n", LINE_MOST);
            flush(&s);
            break;
        }
        line[strcspn(line, "\r\n")] = '\0';
        answer_line(&s, line);
        ok = flush(&s);
    }
    free(line);
    probe_free(s.probe);
    server_close(s.server);
    free(s.words);
    pid_list_free(&s.pids);
    host_close(s.host);
    str_free(&s.out);
    fd_close(s.root);
    return ok ? 0 : 1;
}

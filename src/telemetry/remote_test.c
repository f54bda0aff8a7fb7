/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Faults of the other side of a stream: it sends nothing, sends too much, is late, answers an old
 * question, dies, returns as another server.  Shell scripts simulate it; tests/t/server_via_mysql.t
 * has the real pstime with a server, and other commands that are none.
 */
#include "telemetry/remote.h"

#include "base/log.h"
#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/probe.h"

#define PATIENCE (60 * NS_PER_SEC) /* for the other side to start */

#define HELLO                                                                                      \
    "echo 'Welcome to this host!'; echo 'pstime-stream 1 cpus=65536 host=d governor=powersave "    \
    "mono=5 wall=6'\n"
#define OPEN "read q; echo 'server 77 db (pid 9)'\n"
#define ANSWER(cpu)                                                                                \
    "echo \"sample ${q#read } mono=100 wall=200\"; echo 'process at=1000 processes=1 have=1 "      \
    "cpu=" cpu "'\n"                                                                               \
    "echo \"end ${q#read } mono=150 wall=250\"\n"

/* A command that runs this shell text. */
static const char *command(const char *text)
{
    static char buf[100];

    tree_put("peer", "%s", text);
    snprintf(buf, sizeof buf, "sh %s/peer", test_tree);
    return buf;
}

static struct remote *open_remote(const char *text, const char *events)
{
    struct err e = {0};
    struct remote *v = NULL;

    CHECK_INT(
        remote_open(&v, command(text), &(struct remote_wants){.events = events}, PATIENCE, &e), 0);
    return v;
}

/* What the other host tells, beside the figures of its server. */
static void check_probe(struct remote *v)
{
    static const struct sample_delta lost = {.wall_ns = 1, .reason = "no reading from d"};
    struct probe *p = probe_new(
        &(struct probe_config){.remote = v, .remote_events = true, .syscalls = 1, .host = true});
    struct probe_reading r;
    struct probe_delta d;

    probe_read(p, NULL, &r);
    for (int i = 0; i < 2; i++) {
        probe_diff(p, &r, &r, i ? &lost : NULL, &d);
        CHECK_INT(d.events, 3);
        CHECK_STR(d.how, "by thread");
        CHECK_STR(d.governor, "powersave");
        CHECK_STR(d.perf.f[0].why, i ? "no reading from the server's host" : "no PMU here");
        CHECK_STR(d.syscalls.why, i ? "no reading from the server's host" : "not there");
    }
    probe_free(p);
}

/* Everything that is asked, and everything that is told: exactly. */
static void check_session(void)
{
    static const struct {
        const char *name, *why;
        enum perf_role role;
        bool no_user, no_kernel;
    } want[] = {{"cycles:u", "no PMU here", PERF_CYCLES, false, true},
                {"", "", PERF_OTHER, false, false},
                {"b", "", PERF_OTHER, true, false}};
    static const char *const env[][2] = {
        {"kernel", "Linux 6"}, {"server.host.name", "d"}, {"empty", ""}, {"cpu", NULL}};
    char text[4096], line[200], asked[500] = "";
    struct remote_wants wants = {.events = "cycles:u", .syscalls = true};
    struct environment record = {0};
    struct remote *v = NULL;
    struct stream_reading r;
    struct err e = {0};

    snprintf(text, sizeof text,
             "exec 3>%s/asked\nask() { read q && echo \"$q\" >&3; }\n" HELLO
             "ask; echo 'event 0 2 0 1 cycles:u no PMU here'; echo 'event 2 7 1 0 b'\n"
             "echo 'event 32 1 0 0 c'; echo 'event 1 2 3'; echo 'events 1 1 1 1 x'; echo ok\n"
             "ask\nask; echo 'how by thread'; echo 'syscalls-why not there'\n"
             "echo 'server 77 db (pid 9)'\n"
             "while ask; do case $q in e*) echo 'env kernel Linux 6'; echo 'env host.name d'\n"
             "echo 'env empty'; echo 'env cpu n/a (why)'; echo 'successor 78 new (pid 10)'\n"
             "echo \"end ${q#environment } mono=1 wall=1\";; *)\n" ANSWER("42") ";; esac; done",
             test_tree);
    CHECK_INT(remote_open(&v, command(text), &wants, PATIENCE, &e), 0);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    CHECK_INT(remote_told(v)->cpus, 65536);
    CHECK_STR(remote_told(v)->governor, "powersave");
    CHECK_INT(remote_told(v)->events, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct perf_spec *s = &remote_told(v)->event[i];
        CHECK_STR(s->name, want[i].name);
        CHECK_STR(s->why, want[i].why);
        CHECK_INT(s->role, want[i].role);
        CHECK(s->no_user == want[i].no_user && s->no_kernel == want[i].no_kernel);
    }
    CHECK_STR(remote_told(v)->how, "by thread");
    CHECK_STR(remote_syscalls_why(v), "not there");
    CHECK_INT(strncmp(remote_describe(v), "db (pid 9) on d, clock ", 23), 0);
    r = *remote_read(v);
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    CHECK_TIMED_INT(r.host.generation, 1);
    CHECK_TIMED_INT(r.perf.generation, 1);
    CHECK_TIMED_INT(r.syscalls.generation, 1);
    CHECK_INT(r.sample.set + r.sample.ended, 0);
    check_probe(v);
    remote_environment(v, &record);
    CHECK_TIMED_INT(record.n, 4);
    for (size_t i = 0; i < 4 && record.n == 4; i++) {
        CHECK_STR(record.item[i].key, env[i][0]);
        CHECK_STR(env[i][1] ? record.item[i].value : record.item[i].missing,
                  env[i][1] ? env[i][1] : "why");
    }
    environment_free(&record);
    r = *remote_read(v); /* a successor of the same server: one set, another name */
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    CHECK_INT(r.sample.set + r.sample.ended, 0);
    CHECK_TIMED_INT(r.perf.generation, 1);
    CHECK_TIMED(strncmp(remote_describe(v), "new (pid 10) on d, clock ", 25) == 0);
    remote_close(v);
    remote_close(NULL);
    FILE *f = fopen(tree_path("asked"), "r");
    while (f && fgets(line, sizeof line, f))
        strncat(asked, line, sizeof asked - strlen(asked) - 1);
    if (f)
        fclose(f);
    CHECK_TIMED(strcmp(asked, "events cycles:u\nsyscalls on\nopen 9\nread 1\nread 2\nread 3\n"
                              "read 4\nread 5\nenvironment 6\nread 7\n") == 0);
}

/* A server that was not there at first is looked for again, after some seconds. */
static void check_found_later(void)
{
    struct remote *v =
        open_remote(HELLO "read q; echo 'syscalls-why no'; echo 'error no such process'\n" OPEN
                          "while read q; do\n" ANSWER("42") "done",
                    NULL);
    struct stream_reading r = {0};
    struct err e = {0};
    mono_ns until = clock_mono() + PATIENCE;

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    CHECK_STR(remote_describe(v), "server on d");
    CHECK_STR(remote_syscalls_why(v), "no");
    while (!r.sample.have && clock_mono() < until) {
        char want[200];
        r = *remote_read(v);
        snprintf(want, sizeof want, "no reading from sh %s/peer: no such process", test_tree);
        CHECK_TIMED(r.sample.have || strcmp(r.sample.reason, want) == 0);
    }
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    CHECK_TIMED_INT(r.perf.generation, 1);
    CHECK_TIMED(strcmp(remote_describe(v), "db (pid 9) on d") == 0);
    CHECK_STR(remote_syscalls_why(v), "that host's pstime does not count them");
    remote_close(v);
}

/* Commands that are no pstime: each with its reason, and none holds the run up. */
static void check_strangers(void)
{
    static const struct {
        const char *text, *why;
    } t[] = {
        {"printf 'a\\tb\\001\\n'; exec sleep 60", "not as pstime does: 'a?b?'"},
        {"exec yes", "more than 1 MiB and no line of pstime"},
        {"trap '' TERM; while :; do sleep 1; done", "has not answered within 1 s"}, /* SIGKILL */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct remote *v = NULL;
        struct err e = {0};
        mono_ns begin = clock_mono();
        CHECK_INT(remote_open(&v, command(t[i].text), &(struct remote_wants){.events = NULL},
                              NS_PER_SEC, &e),
                  0);
        CHECK_INT(remote_target(v, "9", NS_PER_SEC, &e), -1);
        CHECK_TIMED(strstr(e.msg, t[i].why) && !remote_syscalls_why(v));
        if (!strstr(e.msg, t[i].why))
            printf("%s: %s\n", t[i].text, e.msg);
        remote_close(v);
        CHECK_TIMED(clock_mono() - begin < 6 * NS_PER_SEC);
    }
}

static bool cancelled;

static bool is_cancelled(void)
{
    return cancelled;
}

/* The final reading, which follows a signal, is waited for. */
static void check_final(void)
{
    struct remote *v = NULL;
    struct stream_reading r;
    struct err e = {0};

    cancelled = false;
    CHECK_INT(remote_open(&v, command(HELLO OPEN "while read q; do\n" ANSWER("42") "done"),
                          &(struct remote_wants){.cancelled = is_cancelled}, PATIENCE, &e),
              0);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    cancelled = true;
    r = *remote_read(v);
    CHECK_TIMED_INT(r.sample.have, SAMPLE_CPU);
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    remote_close(v);
}

/* What it does when it should answer for the fifth time, after the four questions for the clock:
 * n/a in half a second, and then what comes next. */
static void check_last_answer(void)
{
    static const struct {
        const char *text, *why;
        bool comes; /* the answer to the next question; a late one before it does no harm */
    } t[] = {
        {"read q; sleep 0.7\n" ANSWER("2") "while read q; do\n" ANSWER("3") "done",
         "no answer within", true},
        {"read q; exec yes\n", "", false},
        {"read q; echo \"sample ${q#read }\"; exit 1", "the stream ended",
         false}, /* a retry: in 5 s */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str text = STR_INIT;
        struct stream_reading r;
        struct err e = {0};
        str_printf(&text, HELLO OPEN "for i in 1 2 3 4; do read q\n%sdone\n%s",
                   ANSWER("1 threads=7"), t[i].text);
        struct remote *v = open_remote(str_cstr(&text), NULL);
        CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
        mono_ns begin = clock_mono();
        r = *remote_read(v);
        CHECK_TIMED(clock_mono() - begin < 2 * NS_PER_SEC);
        CHECK_TIMED_INT(r.sample.have, 0);
        CHECK_TIMED(strstr(r.sample.reason, t[i].why) != NULL);
        r = *remote_read(v);
        CHECK_TIMED_INT(r.sample.have, t[i].comes ? SAMPLE_CPU : 0);
        CHECK_TIMED_INT(r.sample.cpu_ns, t[i].comes ? 3 : 0);
        CHECK_INT(r.sample.threads, 0);
        remote_close(v);
        str_free(&text);
    }
}

TEST_MAIN(remote_test)
{
    log_set_verbosity(0);
    tree_begin();
    TIMED(check_session);
    TIMED(check_found_later);
    TIMED(check_strangers);
    TIMED(check_final);
    TIMED(check_last_answer);
    return timed_done("remote");
}

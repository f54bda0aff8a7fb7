/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Faults of the other side of a stream: it sends nothing, sends too much, is late, answers an old
 * question, dies, returns as another server.  Shell scripts simulate it; tests/t/server_via_mysql.t
 * uses the real pstime with a server.
 */
#include "telemetry/remote.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test_timed.h"

#define PATIENCE (60 * NS_PER_SEC) /* for the other side to start */

static char directory[] = "/tmp/sb-remote-XXXXXX";

#define HELLO                                                                                      \
    "echo 'Welcome to this host!'; echo 'pstime-stream 1 cpus=64 host=d governor=powersave "       \
    "mono=5 wall=6'\n"
#define OPEN "read q; echo 'server 77 db (pid 9)'\n"
#define ANSWER(cpu)                                                                                \
    "echo \"sample ${q#read } mono=100 wall=200\"; echo 'process at=1000 processes=1 have=1 "      \
    "cpu=" cpu "'\n"                                                                               \
    "echo \"end ${q#read } mono=150 wall=250\"\n"

/* A command that runs this shell text. */
static const char *command(const char *text)
{
    static char buf[100]; /* of the test alone */
    char path[80];
    FILE *f;

    snprintf(path, sizeof path, "%s/peer", directory);
    snprintf(buf, sizeof buf, "sh %s", path);
    f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
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

static void check_good(void)
{
    struct remote *v = open_remote(
        HELLO
        "read q; echo 'event 0 2 0 1 cycles:u no PMU here'; echo ok\n"
        "read q; echo 'how by thread'; echo 'server 77 db (pid 9)'\n"
        "while read q; do echo 'process at=5 have=1 cpu=1'; echo 'end 0 mono=1 wall=1'\n" ANSWER(
            "42") "done",
        "cycles:u");
    struct stream_reading r;
    struct err e = {0};

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    /* more questions than one digit counts, none of which is waited for in vain */
    mono_ns begun = clock_mono();
    for (int i = 0; i < 3; i++)
        CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    CHECK(clock_mono() - begun < PATIENCE);
    CHECK_INT(remote_told(v)->cpus, 64);
    CHECK_STR(remote_told(v)->governor, "powersave");
    CHECK_STR(remote_told(v)->how, "by thread");
    CHECK(strncmp(remote_describe(v), "db (pid 9) on d, clock ", 23) == 0);
    CHECK_STR(remote_told(v)->event[0].why, "no PMU here");
    CHECK_INT(remote_told(v)->events, 1);
    CHECK(remote_told(v)->event[0].role == PERF_CYCLES && remote_told(v)->event[0].no_kernel);
    r = *remote_read(v); /* an answer may take half a second */
    CHECK_TIMED_INT(r.sample.have, SAMPLE_CPU);
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    CHECK_TIMED_INT(r.sample.at, 1000);
    CHECK_TIMED_INT(remote_told(v)->last.sample.cpu_ns, 42);
    remote_close(v);
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
    char path[80], text[4096], line[200], asked[500] = "";
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
             directory);
    CHECK_INT(remote_open(&v, command(text), &wants, PATIENCE, &e), 0);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
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
    snprintf(path, sizeof path, "%s/asked", directory);
    FILE *f = fopen(path, "r");
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
    struct remote *v = open_remote(HELLO "read q; echo 'error no such process'\n" OPEN
                                         "while read q; do\n" ANSWER("42") "done",
                                   NULL);
    struct stream_reading r = {0};
    struct err e = {0};
    mono_ns until = clock_mono() + PATIENCE;

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    CHECK_STR(remote_describe(v), "server on d");
    CHECK_STR(remote_syscalls_why(v) ? "why" : "", "");
    while (!r.sample.have && clock_mono() < until) {
        char want[200];
        r = *remote_read(v);
        snprintf(want, sizeof want, "no reading from sh %s/peer: no such process", directory);
        CHECK_TIMED(r.sample.have || strcmp(r.sample.reason, want) == 0);
    }
    CHECK_TIMED_INT(r.sample.cpu_ns, 42);
    CHECK_TIMED_INT(r.perf.generation, 1);
    CHECK_TIMED(strcmp(remote_describe(v), "db (pid 9) on d") == 0);
    CHECK_STR(remote_syscalls_why(v), "that host's pstime does not count them");
    remote_close(v);
}

static bool has_spoken(void)
{
    struct stat st;

    return fstat(STDERR_FILENO, &st) == 0 && st.st_size > 0;
}

/* Who has to wait for long is told, and may end it. */
static void check_waiting(void)
{
    struct remote_wants wants = {.cancelled = has_spoken};
    char path[80], line[200] = "", want[200];
    int ours = dup(STDERR_FILENO);
    struct remote *v = NULL;
    struct err e = {0};

    snprintf(path, sizeof path, "%s/said", directory);
    FILE *f = fopen(path, "w+");
    CHECK(f && dup2(fileno(f), STDERR_FILENO) >= 0);
    CHECK_INT(remote_open(&v, command("exec sleep 60"), &wants, 100 * NS_PER_SEC, &e), 0);
    dup2(ours, STDERR_FILENO);
    close(ours);
    CHECK(f && fseek(f, 0, SEEK_SET) == 0 && fgets(line, sizeof line, f));
    snprintf(want, sizeof want,
             "Waiting up to 99 s for the answer of 'sh %s/peer' (--server-via)...\n", directory);
    CHECK_TIMED(strcmp(line, want) == 0);
    if (f)
        fclose(f);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    snprintf(want, sizeof want, "sh %s/peer: the command has not answered within 100 s", directory);
    CHECK_STR(e.msg, want);
    remote_close(v);
}

static void check_refusals(void)
{
    struct remote *v = NULL;
    struct stream_reading r;
    struct err e = {0};

    CHECK_INT(remote_open(&v, command(HELLO "read q; echo 'error unknown event x'; read q"),
                          &(struct remote_wants){.events = "x"}, PATIENCE, &e),
              -1);
    CHECK_STR(e.msg, "unknown event x");
    CHECK_INT(e.kind, ERR_USAGE);
    v = open_remote("true", NULL); /* it ends */
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    CHECK(strstr(e.msg, "ended without a word") != NULL);
    r = *remote_read(v);
    CHECK_INT(r.sample.have, 0);
    remote_close(v);
    v = open_remote(HELLO "read q; echo 'error no such process'; read q; read q", NULL);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    CHECK(strstr(e.msg, "no such process") != NULL);
    remote_close(v);
}

/* Commands that are no pstime: each with its reason, and none holds the run up. */
static void check_strangers(void)
{
    static const struct {
        const char *text, *why;
    } t[] = {
        {"echo 'nothing of the kind'", "answers, but not as pstime does: 'nothing of the kind'"},
        {"printf 'a\\tb\\001\\n'; exec sleep 60", "not as pstime does: 'a?b?'"},
        {"exec tr '\\0' x </dev/zero", "a line of more than 64 KiB"},
        {"exec yes", "more than 1 MiB and no line of pstime"},
        {"echo 'pstime-stream 0 cpus=4'", "speaks version 0 of the stream, this program version 1"},
        {"exec sleep 60", "has not answered within 1 s"},
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
        CHECK_TIMED(strstr(e.msg, t[i].why) != NULL);
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

/* A signal ends the waiting at once. */
static void check_cancelled(void)
{
    struct remote *v = NULL;
    struct err e = {0};
    mono_ns begin = clock_mono();

    cancelled = true;
    CHECK_INT(remote_open(&v, command("exec sleep 60"),
                          &(struct remote_wants){.cancelled = is_cancelled}, PATIENCE, &e),
              0);
    CHECK_INT(remote_target(v, "9", PATIENCE, &e), -1);
    remote_close(v);
    CHECK_TIMED(clock_mono() - begin < PATIENCE / 2);
}

/* Not that for the final reading, which follows the signal. */
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

/* It answers once and then is silent: n/a in half a second, and its late answers do no harm. */
static void check_late(void)
{
    struct remote *v = open_remote(
        HELLO OPEN "for i in 1 2 3 4; do read q\n" ANSWER("1") "done\nread q; sleep 0.7\n" ANSWER(
            "2") "while read q; do\n" ANSWER("3") "done",
        NULL);
    struct stream_reading r;
    struct err e = {0};
    mono_ns begin;

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0); /* four questions for the clock */
    begin = clock_mono();
    r = *remote_read(v);
    CHECK_TIMED(clock_mono() - begin < NS_PER_SEC);
    CHECK_TIMED_INT(r.sample.have, 0);
    CHECK_TIMED(strstr(r.sample.reason, "no answer within") != NULL);
    r = *remote_read(v); /* 2 comes first and is ignored */
    CHECK_TIMED_INT(r.sample.cpu_ns, 3);
    remote_close(v);
}

/* It sends without end when it should answer: n/a in half a second. */
static void check_flood(void)
{
    struct remote *v = open_remote(
        HELLO OPEN "for i in 1 2 3 4; do read q\n" ANSWER("1") "done\nread q; exec yes\n", NULL);
    struct stream_reading r;
    struct err e = {0};
    mono_ns begin;

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    begin = clock_mono();
    r = *remote_read(v);
    CHECK_TIMED(clock_mono() - begin < 2 * NS_PER_SEC);
    CHECK_INT(r.sample.have, 0);
    remote_close(v);
}

/* It dies in the middle of an answer. */
static void check_death(void)
{
    struct remote *v = open_remote(HELLO OPEN "for i in 1 2 3 4; do read q\n" ANSWER(
                                       "1") "done\nread q; echo \"sample ${q#read }\"; exit 1",
                                   NULL);
    struct stream_reading r;
    struct err e = {0};

    CHECK_INT(remote_target(v, "9", PATIENCE, &e), 0);
    r = *remote_read(v);
    CHECK_INT(r.sample.have, 0);
    CHECK_TIMED(strstr(r.sample.reason, "the stream ended") != NULL);
    r = *remote_read(v); /* five seconds until the next try: fails at once */
    CHECK_INT(r.sample.have, 0);
    remote_close(v);
}

TEST_MAIN(remote_test)
{
    char clean[60];

    log_set_verbosity(0);
    CHECK(mkdtemp(directory) != NULL);
    TIMED(check_good);
    TIMED(check_session);
    TIMED(check_found_later);
    TIMED(check_waiting);
    check_refusals();
    TIMED(check_strangers);
    TIMED(check_cancelled);
    TIMED(check_final);
    TIMED(check_late);
    TIMED(check_flood);
    TIMED(check_death);
    snprintf(clean, sizeof clean, "rm -rf %s", directory);
    CHECK_INT(system(clean), 0);
    return timed_done("remote");
}

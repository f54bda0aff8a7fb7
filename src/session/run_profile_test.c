/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-profile: values that are refused, and an observer without a server, without a profile,
 * and with this very process as the server (where the kernel permits it).
 */
#include "session/run_profile.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"
#include "base/test_capture.h"

static struct opts *options(const char *const *arg)
{
    struct opts *o = opts_new();

    server_options_declare(o);
    run_profile_options(o);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, NULL), 0);
    return o;
}

static const struct {
    const char *arg[4];
    bool builtin;
    const char *want; /* the beginning of the sentence */
} bad[] = {
    {{"--server-profile=gpu"},
     false,
     "Invalid value for --server-profile: 'gpu' (cpu, offcpu, cpu,offcpu or off)"},
    {{"--server-profile=cpu,"}, false, "Invalid value for --server-profile: 'cpu,'"},
    {{"--server-profile=cpu", "--server-profile=window=1"},
     false,
     "Invalid value for --server-profile=window: '1' (START:LENGTH in seconds, LENGTH above 0)"},
    {{"--server-profile=cpu", "--server-profile=window=1:0"},
     false,
     "Invalid value for --server-profile=window: '1:0' (START"},
    {{"--server-profile=cpu", "--server-profile=window=-1:1"},
     false,
     "Invalid value for --server-profile=window: '-1:1' (START"},
    {{"--server-profile=cpu", "--server-profile=window=1:2x"},
     false,
     "Invalid value for --server-profile=window: '1:2x' (START"},
    {{"--server-profile=cpu", "--server-profile=window=1:1e9"},
     false,
     "Invalid value for --server-profile=window: '1:1e9' (START"},
    {{"--server-profile=cpu", "--server-profile=window=10:1"},
     false,
     "Invalid value for --server-profile=window: '10:1' begins after the end of the "
     "run (--time=10)"},
    {{"--server-profile=cpu", "--server-via=ssh db"},
     false,
     "--server-profile and --server-via cannot be combined: only servers on this "
     "host can be profiled"},
    {{"--server-profile=cpu", "--server=off"},
     false,
     "--server-profile and --server=off cannot be combined"},
    {{"--server-profile=cpu"},
     true,
     "--server-profile: this test uses no database; name a process with --server=PID"},
    {{"--server-profile=cpu", "--server=auto"},
     true,
     "--server-profile: this test uses no database"},
    {{"--server-profile=cpu", "--server-profile=file=nowhere/p"},
     false,
     "Invalid value for --server-profile=file: "},
    {{"--server-profile=offcpu", "--server-profile=file=nowhere/p"},
     false,
     "Invalid value for --server-profile=file: "},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct opts *o = options(bad[i].arg);
        struct server_options server;
        struct plan p = {.time_limit = 10 * NS_PER_SEC};
        struct run_profile r = {0};
        struct err e = {0};
        server_options_read(&server, o);
        CHECK_INT(run_profile_init(&r, o, &server, &p, NULL, !bad[i].builtin, &e), -1);
        if (strncmp(e.msg, bad[i].want, strlen(bad[i].want)) != 0)
            CHECK_STR(e.msg, bad[i].want);
        CHECK_INT(e.kind == ERR_USAGE || strstr(bad[i].want, "=file") != NULL, 1);
        run_profile_free(&r);
        opts_free(o);
    }
}

/* A whole run's calls. */
static void observe(struct run_profile *r, bool measured)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL};

    run_profile_observer.on(r, &(struct run_event){.kind = RUN_STARTED});
    run_profile_observer.on(r, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    CHECK(!r->record.ended);
    usleep(50000);
    run_profile_observer.on(r, &(struct run_event){.kind = RUN_FINAL_READING});
    s.kind = SNAPSHOT_FINAL;
    if (measured)
        run_profile_observer.on(r, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    else
        run_profile_observer.on(r, &(struct run_event){.kind = RUN_CLOSING});
}

static void not_asked_for(void)
{
    static const char *const none[] = {NULL};
    struct opts *o = options(none);
    struct server_options server = {.server = "", .remote = ""};
    struct plan p = {0};
    struct run_profile r = {0};
    struct err e = {0};

    CHECK(!run_profile_wanted(o));
    CHECK_INT(run_profile_init(&r, o, &server, &p, NULL, true, &e), 0);
    observe(&r, true);
    CHECK(!r.record.ended);
    CHECK_INT(run_profile_observer.close(&r, NULL, &e), 0);
    run_profile_free(&r);
    opts_free(o);
}

/* `server`: this process is the server.  `lost`: the directory of the files was removed. */
static void observed(bool server, bool measured, bool lost)
{
    static const char *const arg[] = {"--server-profile=cpu,offcpu", "--server-profile=hz=999",
                                      "--server-profile=file=p", NULL};
    struct opts *o = options(arg);
    struct server_options none = {.server = "", .remote = ""};
    struct plan p = {0};
    struct attach a = {.pids = {getpid()}, .npids = 1, .why = "it hid"};
    struct run_profile r = {.attach = &a};
    struct err e = {0};

    if (run_profile_init(&r, o, &none, &p, "/a/b/test.lua", true, &e)) { /* not permitted here */
        CHECK(strncmp(e.msg, "--server-profile", 16) == 0);
        run_profile_free(&r);
        opts_free(o);
        return;
    }
    CHECK_STR(r.test, "test");
    if (server)
        CHECK_INT(server_open(&a.server, "/proc", a.pids, 1, false, &e), 0);
    if (lost) {
        free(r.prefix);
        r.prefix = strdup("nowhere/p");
    }
    capture();
    observe(&r, measured);
    captured();
    CHECK(r.record.ended && r.record.cpu && r.record.off_cpu);
    CHECK_INT(r.record.hz, 999);
    CHECK_INT(r.record.files, server && !lost ? 4 : 0);
    CHECK_INT(run_profile_observer.close(&r, NULL, &e), lost ? -1 : 0);
    if (!server)
        CHECK_STR(r.record.why, "it hid");
    if (server)
        CHECK(!r.record.why && r.record.watched > 0 && strstr(r.record.name, "run_profile_tes"));
    if (server && !lost)
        CHECK(access("p.cpu.svg", R_OK) == 0 && access("p.offcpu.folded", R_OK) == 0);
    if (lost)
        CHECK_STR(e.msg, "a file of the profile is missing");
    server_close(a.server);
    run_profile_free(&r);
    opts_free(o);
}

TEST_MAIN(run_profile_test)
{
    char directory[] = "/tmp/sb-run-profile-XXXXXX", command[60];

    CHECK(mkdtemp(directory) != NULL);
    CHECK_INT(chdir(directory), 0);
    refused();
    not_asked_for();
    observed(false, true, false);
    observed(true, true, false);
    observed(true, false, false);
    observed(true, true, true);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    CHECK_INT(system(command), 0);
    return test_done("run_profile");
}

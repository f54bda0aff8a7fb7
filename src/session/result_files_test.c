/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Result files, the metrics endpoint and the raw log as observers of a fixed run: the files on the
 * disk at each moment, and the effect of a failed write on the end of the run.
 */
#include "session/result_files.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test_golden.h"
#include "base/test_capture.h"

static const struct opt_row rows[] = {
    {.name = "report-file", .type = OPT_LIST, .flags = OPT_ADDS},
    {.name = "metrics-listen", .type = OPT_STRING},
    {.name = "raw-log", .type = OPT_STRING},
};

static struct opts *options(const char *arg)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
    if (arg)
        CHECK_INT(opts_set_arg(o, arg, NULL), 0);
    return o;
}

static const char *contents(const char *name)
{
    static char text[1 << 16];
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n < 0 ? NULL : text;
}

static void header(const void *arg, struct str *out)
{
    (void)arg;
    str_adds(out, "header\n");
}

static void text(const void *arg, const struct snapshot *s, struct str *out)
{
    (void)arg;
    str_printf(out, "report %llu\n", (unsigned long long)s->events);
}

static const struct report_info info = {.version = "1",
                                        .test = "t",
                                        .command = "run",
                                        .intervals = true,
                                        .header = header,
                                        .text = text};
static const struct report_end completed = {.status = "completed", .measured = true, .why = ""};

static struct snapshot interval(uint64_t events)
{
    return (struct snapshot){
        .kind = SNAPSHOT_INTERVAL, .events = events, .interval_ns = NS_PER_SEC, .ncpu = 1};
}

/* Touched by open and not before. */
static void files(void)
{
    struct opts *o = options("--report-file=run.txt");
    struct result_files f = {.info = &info};
    struct snapshot s = interval(7);
    struct err e = {0};

    CHECK_INT(result_files_init(&f, o, true, false, true, &e), 0);
    CHECK(f.files != NULL && contents("run.txt") == NULL);
    CHECK(!report_files_want_record(f.files));
    CHECK_INT(result_files_observer.open(&f, &e), 0);
    CHECK_STR(contents("run.txt"), "header\n");
    result_files_observer.on(&f, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    CHECK_STR(contents("run.txt"), "header\nreport 7\n");
    CHECK_INT(result_files_observer.close(&f, &completed, &e), 0);
    CHECK_STR(contents("run.txt"), "header\nreport 7\n");
    report_files_free(f.files);
    opts_free(o);
}

/* Lines of options, with + for a run with intervals. */
static void option_of_files(const char *line)
{
    struct opts *o = options(line[1] ? line + 1 : NULL);
    struct result_files f = {.info = &info};
    struct err e = {0};
    int rc = result_files_init(&f, o, *line == '+', false, true, &e);

    golden_line("%s:%s%s %s", line, f.files ? " files" : "",
                rc == 0 && report_files_want_record(f.files) ? " record" : "", e.msg);
    CHECK_INT(rc, *e.msg ? -1 : 0);
    report_files_free(f.files);
    opts_free(o);
}

/* Nothing was requested: the observers exist nevertheless. */
static void nothing(void)
{
    struct opts *o = options(NULL);
    struct result_files f = {0};
    struct metrics_endpoint m = {0};
    struct raw_file r = {0};
    struct snapshot s = interval(7);
    struct err e = {0};

    CHECK_INT(result_files_init(&f, o, true, true, true, &e), 0);
    CHECK_INT(metrics_endpoint_init(&m, o, false, &e), 0);
    CHECK_INT(raw_file_init(&r, o, 0, &e), 0);
    CHECK_INT(result_files_observer.open(&f, &e), 0);
    CHECK_INT(metrics_endpoint_observer.open(&m, &e), 0);
    CHECK_INT(raw_file_observer.open(&r, &e), 0);
    result_files_observer.on(&f, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    metrics_endpoint_observer.on(&m, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    CHECK_INT(raw_file_observer.close(&r, &completed, &e), 0);
    CHECK_INT(metrics_endpoint_observer.close(&m, &completed, &e), 0);
    CHECK_INT(result_files_observer.close(&f, &completed, &e), 0);
    CHECK(r.log == NULL && m.http == NULL && f.files == NULL);
    opts_free(o);
}

/* The file may not grow: one message, the file ends, close reports it. */
static void file_is_full(void)
{
    struct opts *o = options("--report-file=full.txt");
    struct result_files f = {.info = &info};
    struct rlimit old, limit;
    struct snapshot s = interval(7);
    struct err e = {0};

    CHECK_INT(result_files_init(&f, o, true, false, true, &e), 0);
    CHECK_INT(result_files_observer.open(&f, &e), 0);
    capture();
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){.rlim_cur = 10, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    result_files_observer.on(&f, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    setrlimit(RLIMIT_FSIZE, &old);
    result_files_observer.on(&f, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    captured();
    CHECK_INT(result_files_observer.close(&f, &completed, &e), -1);
    CHECK_INT(e.kind, ERR_OUTPUT);
    CHECK_STR(e.msg, "a result file is incomplete");
    CHECK_STR(contents("full.txt"), "header\n");
    report_files_free(f.files);
    opts_free(o);
}

static void file_cannot_be_made(void)
{
    struct opts *o = options("--report-file=sub/run.txt");
    struct result_files f = {.info = &info};
    struct err e = {0};

    mkdir("sub", 0700);
    CHECK_INT(result_files_init(&f, o, true, false, true, &e), 0);
    rmdir("sub");
    CHECK_INT(result_files_observer.open(&f, &e), -1);
    CHECK(strstr(e.msg, "--report-file") != NULL);
    report_files_free(f.files);
    opts_free(o);
}

/* One request to 127.0.0.1. */
static const char *send_request(const char *url, const char *request)
{
    static char answer[1 << 20];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    size_t n = 0;
    ssize_t got;

    to.sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1));
    CHECK_INT(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    CHECK_INT(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    while (n < sizeof answer - 1 && (got = read(fd, answer + n, sizeof answer - 1 - n)) > 0)
        n += (size_t)got;
    answer[n] = '\0';
    close(fd);
    return answer;
}

static const char *fetch(const char *url, const char *path)
{
    char request[100];

    snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path);
    return send_request(url, request);
}

static const char *post(const char *url, const char *headers, const char *text, size_t len)
{
    char request[2000];

    snprintf(request, sizeof request,
             "POST /mark HTTP/1.0\r\nHost: 127.0.0.1:1\r\n%s\r\nContent-Length: %zu\r\n\r\n%.*s",
             headers, len, (int)len, text);
    return send_request(url, request);
}
#define OURS "Origin: http://127.0.0.1:1"

static bool is_status(const char *answer, const char *status)
{
    const char *blank = strchr(answer, ' ');

    return blank && strncmp(blank + 1, status, 3) == 0;
}

/* The page, its data, and marks from it while the run is under way. */
static void page(const struct metrics_endpoint *m)
{
    const char *url = http_place(m->http)->url, *answer = fetch(url, "/");
    char text[1025];

    memset(text, 'x', sizeof text);
    CHECK(is_status(answer, "200") && strstr(answer, "Content-Type: text/html"));
    CHECK(strstr(answer, "Content-Security-Policy: default-src 'none'") != NULL);
    CHECK(strstr(answer, "<!DOCTYPE html>") && strstr(answer, "</html>"));
    CHECK(strstr(fetch(url, "/live.json"), "\"rows\":[[1,false,") != NULL);
    CHECK(strstr(fetch(url, "/live.json?after=1"), "\"rows\":[]") != NULL);
    CHECK(is_status(fetch(url, "/nothing"), "404") && is_status(fetch(url, "/mark"), "405"));
    CHECK(is_status(post(url, OURS, "early", 5), "409"));
    metrics_endpoint_observer.on(&(struct metrics_endpoint){.http = m->http, .live = m->live},
                                 &(struct run_event){.kind = RUN_BEGINS, .from = 1});
    CHECK(is_status(post(url, "Origin: http://127.0.0.1:2", "foreign", 7), "403"));
    CHECK(is_status(post(url,
                         OURS "\r\n"
                              "Origin: http://evil.example",
                         "twice", 5),
                    "400"));
    CHECK(is_status(post(url,
                         OURS "\r\n"
                              "host: evil.example",
                         "twice", 5),
                    "400"));
    CHECK(is_status(post(url,
                         OURS "\r\n"
                              "Host:",
                         "twice", 5),
                    "400"));
    CHECK(is_status(post(url, OURS, text, 1025), "413"));
    CHECK(is_status(post(url, OURS, "from the page", 13), "200"));
    CHECK_INT(marks_count(m->marks), 1);
    CHECK_STR(marks_at(m->marks, 0)->text, "from the page");
    CHECK_STR(mark_source_name(marks_at(m->marks, 0)->source), "page");
    metrics_endpoint_observer.on(&(struct metrics_endpoint){.http = m->http, .live = m->live},
                                 &(struct run_event){.kind = RUN_FINAL_READING});
    CHECK(is_status(post(url, OURS, "late", 4), "409"));
}

static void endpoint(void)
{
    struct opts *o = options("--metrics-listen=127.0.0.1:0");
    struct metrics_endpoint m = {.info = &info, .marks = marks_new()};
    struct marks *marks = m.marks;
    struct snapshot s = interval(7);
    struct err e = {0};
    char want[200];

    if (strcmp(http_library(), "no") == 0) {
        marks_free(m.marks);
        opts_free(o);
        return;
    }
    CHECK_INT(metrics_endpoint_init(&m, o, false, &e), -1);
    CHECK_STR(e.msg,
              "--metrics-listen=127.0.0.1:0 needs --report-interval=N: it serves the figures "
              "of the last report");
    CHECK_INT(metrics_endpoint_init(&m, o, true, &e), 0);
    capture();
    CHECK_INT(metrics_endpoint_observer.open(&m, &e), 0);
    snprintf(want, sizeof want, "Live page: %s\nMetrics: %s\n\n", http_place(m.http)->page,
             http_place(m.http)->url);
    CHECK_STR(captured(), want);
    metrics_endpoint_observer.on(&m, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    CHECK(strstr(fetch(http_place(m.http)->url, "/metrics"), "sysbench_transactions") != NULL);
    page(&m);
    CHECK_INT(metrics_endpoint_observer.close(&m, &completed, &e), 0);
    metrics_endpoint_free(&m);
    CHECK(m.http == NULL && m.live == NULL);
    marks_free(marks);
    opts_free(o);
}

static void raw(void)
{
    struct opts *o = options("--raw-log=raw.log");
    struct run_result result = {.final = {.kind = SNAPSHOT_FINAL}};
    struct raw_file f = {.spec.clients = 2, .spec.share = {0, 1}, .result = &result};
    struct marks *marks = marks_new();
    struct err e = {0};

    f.spec.marks = marks;
    CHECK_INT(raw_file_init(&f, o, 0, &e), 0);
    CHECK(contents("raw.log") == NULL);
    CHECK_INT(raw_file_observer.open(&f, &e), 0);
    CHECK(f.log != NULL && contents("raw.log") != NULL);
    CHECK_INT(raw_file_observer.close(&f, &completed, &e), 0);
    CHECK(*contents("raw.log"));
    raw_file_free(&f);
    CHECK(f.log == NULL);
    CHECK_INT(raw_file_init(&f, o, 2, &e), 0); /* of one of several ranks */
    CHECK_STR(f.spec.path, "raw.log.rank2");
    raw_file_free(&f);
    opts_free(o);
    o = options("--raw-log=nowhere/raw.log");
    CHECK_INT(raw_file_init(&f, o, 0, &e), -1);
    CHECK(strstr(e.msg, "nowhere") != NULL);
    opts_free(o);
    marks_free(marks);
}

TEST_MAIN(result_files_test)
{
    char directory[] = "/tmp/sb-result-files-XXXXXX", command[60], cwd[4096];

    signal(SIGXFSZ, SIG_IGN);
    CHECK(mkdtemp(directory) && getcwd(cwd, sizeof cwd));
    CHECK_INT(chdir(directory), 0);
    nothing();
    golden_each("-|---report-file=a.json|---report-file=a.jsonl|+--report-file=a.csv|"
                "---report-file=a.csv|+--report-file=a.xyz",
                option_of_files);
    files();
    file_is_full();
    file_cannot_be_made();
    endpoint();
    raw();
    snprintf(command, sizeof command, "rm -rf %s", directory);
    CHECK_INT(system(command), 0);
    CHECK_INT(chdir(cwd), 0);
    golden_done("result_files_test");
    return test_done("result_files");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings that went through the text and back are the same; strange lines change nothing.
 */
#include "telemetry/stream.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/record.h"
#include "base/test.h"

/* Every member of a table differs from 0 and from its neighbours. */
static void fill(const struct record *r, void *to)
{
    for (size_t i = 0; i < r->n; i++) {
        void *at = record_at(&r->field[i], to, 0);
        if (r->field[i].type == RECORD_I64 || r->field[i].type == RECORD_U64)
            *(uint64_t *)at = (i + 1) * 1000003;
        else
            *(unsigned *)at = (unsigned)i + 1;
    }
}

static void feed(struct stream_reading *r, const char *text)
{
    char *copy = mem_strdup(text), *save = NULL;

    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        stream_take(r, line);
    free(copy);
}

static void check_round_trip(void)
{
    struct sample s = {.reason = "run-queue wait: a reason; and more"};
    struct host_reading h = {.disk = {{.text = "sda"}, {.text = "the files are on tmpfs"}}};
    struct perf_reading p = {.at = 9, .cost_ns = 10, .have = 5};
    struct stream_reading r = {0};
    struct str out = STR_INIT;

    fill(&sample_record, &s);
    s.throttled_ns = 0, s.throttled_periods = 0; /* have no key */
    s.vol_switches = UINT64_MAX;
    fill(&host_reading_record, &h);
    p.v[0] = (struct perf_value){UINT64_MAX, 2, 3};
    p.v[2] = (struct perf_value){4, 5, 6};
    stream_put_sample(&out, &s);
    stream_put_host(&out, &h);
    stream_put_perf(&out, &p, 3);
    feed(&r, str_cstr(&out));
    CHECK_INT(memcmp(&r.sample, &s, sizeof s), 0);
    CHECK(r.has_host);
    CHECK_INT(memcmp(&r.host, &h, sizeof h), 0);
    CHECK_INT(memcmp(&r.perf, &p, sizeof p), 0);
    str_free(&out);
}

/* By name; what this machine does not have is added up in the last one. */
static void check_syscalls(void)
{
    static struct syscalls_reading s = {.have = true};
    static struct stream_reading r;
    struct str out = STR_INIT;

    s.v[syscall_number("read")] = (struct syscall_count){UINT64_MAX, 2, 3, 4};
    s.v[syscall_number("futex")] = (struct syscall_count){5, 6, 7, 8};
    s.v[510] = (struct syscall_count){1, 1, 1, 1};
    stream_put_syscalls(&out, &s);
    feed(&r, str_cstr(&out));
    CHECK_INT(memcmp(&r.syscalls, &s, sizeof s), 0);
    feed(&r, "syscall of_another_machine 10 9 8 7\nsyscall of_a_third 1 1 1 1\nsyscall x 1\n");
    CHECK_INT(r.syscalls.v[SYSCALLS_NUMBERS - 1].began, 11);
    CHECK_INT(r.syscalls.v[SYSCALLS_NUMBERS - 1].errors, 8);
    s.have = false;
    str_reset(&out);
    stream_put_syscalls(&out, &s);
    CHECK_STR(str_cstr(&out), "");
    str_free(&out);
}

static void check_strange(void)
{
    static const char *const lines[] = {"",
                                        "process",
                                        "process x=1 =5 at",
                                        "host",
                                        "count 99 1 2 3",
                                        "count 1 2",
                                        "count -1 1 1 1",
                                        "perf",
                                        "nonsense 1 2 3",
                                        "processes at=5"};
    struct stream_reading r = {0}, none = {0};
    int64_t v;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        stream_take(&r, lines[i]);
    none.has_host = r.has_host;
    CHECK_INT(memcmp(&r, &none, sizeof r), 0);
    stream_take(&r, "process at=5 future=7 cpu=9");
    CHECK(r.sample.at == 5 && r.sample.cpu_ns == 9);
    CHECK(stream_number("sample 3 mono=17 wall=-4", "wall", &v) && v == -4);
    /* a difference of two such times fits */
    CHECK(stream_number("end 1 mono=9223372036854775807", "mono", &v) && v == INT64_MAX / 2);
    CHECK(stream_number("end 1 mono=-9223372036854775808", "mono", &v) && v == -(INT64_MAX / 2));
    stream_take(&r, "process processes=99999999999 cpu=9223372036854775807");
    CHECK(r.sample.processes == INT32_MAX && r.sample.cpu_ns == INT64_MAX / 2);
    CHECK(!stream_number("sample 3 mono=17", "wall", &v) && !stream_number("wall=5", "wall", &v));
}

TEST_MAIN(stream_test)
{
    check_round_trip();
    check_syscalls();
    check_strange();
    return test_done("stream");
}

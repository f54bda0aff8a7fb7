/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Clients that log as fast as they can: every record is in the file once and in order, or counted
 * as lost; and a ring that no thread empties.  The test has its own reader of the format.
 */
#include "report/raw_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test_capture.h"
#include "base/test_golden.h"

#define CLIENTS 3
#define RECORDS 200000

static void ring_alone(void)
{
    struct raw_record records[4];
    struct raw_ring r = {.record = records, .size = 4};

    for (int i = 0; i < 6; i++)
        raw_ring_add(&r, &(struct raw_record){.begun = i});
    CHECK_INT(raw_ring_available(&r), 4);
    CHECK_INT(atomic_load(&r.lost), 2);
    CHECK_INT(raw_ring_at(&r, 0)->begun, 0);
    CHECK_INT(raw_ring_at(&r, 3)->begun, 3);
    raw_ring_remove(&r, 3);
    raw_ring_add(&r, &(struct raw_record){.begun = 6});
    CHECK_INT(raw_ring_available(&r), 2);
    CHECK_INT(raw_ring_at(&r, 0)->begun, 3);
    CHECK_INT(raw_ring_at(&r, 1)->begun, 6);
    CHECK_INT(atomic_load(&r.lost), 2);
}

static void *record_many(void *arg)
{
    struct raw_ring *r = arg;

    for (int64_t i = 0; i < RECORDS; i++) {
        struct raw_record v = {.begun = i * 1000003,
                               .lag = i % 5 - 2,
                               .service = i * i,
                               .outcome = (enum raw_outcome)(i % 3)};
        raw_ring_add(r, &v);
    }
    return NULL;
}

/* The file at hand: its bytes, the next one and the end, and the header's time. */
static struct str file;
static const unsigned char *at, *end_of_file;
static mono_ns base;

static uint64_t number(void)
{
    uint64_t v = 0;

    for (int shift = 0; at < end_of_file; shift += 7) {
        v |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80)
            break;
    }
    return v;
}

static int64_t signed_number(void)
{
    uint64_t v = number();

    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Closes a log, and reads it up to its chunks. */
static int close_and_read(struct raw_log *l, const char *path, const struct snapshot *final)
{
    const int rc = raw_log_close(l, final);

    raw_log_free(l);
    str_reset(&file);
    CHECK(golden_read(&file, path));
    base = strtoll(strstr(str_cstr(&file), "\"mono_ns\":") + 10, NULL, 10);
    at = (unsigned char *)strchr(file.s, '\n') + 1;
    end_of_file = (unsigned char *)file.s + file.len;
    return rc;
}

static void check_end(mono_ns from, mono_ns until, uint64_t records, uint64_t lost)
{
    CHECK(at < end_of_file && *at++ == 'E');
    CHECK_INT(signed_number() + base, from);
    CHECK_INT(signed_number() + base, until);
    CHECK_INT(number(), records);
    CHECK_INT(number(), lost);
    CHECK(at == end_of_file);
}

static struct raw_log *open_log(const char *path, int clients, struct marks *marks)
{
    struct raw_log_spec spec = {
        .path = path, .clients = clients, .has_rate = true, .marks = marks, .version = "1.0"};
    struct raw_log *l;
    struct err e = {0};

    CHECK_INT(raw_log_open(&l, &spec, &e), 0);
    return l;
}

/* Counts the records of each client; checks that each was written by the client and follows the
 * previous one. */
static void read_chunks(uint64_t seen[CLIENTS])
{
    int64_t last[CLIENTS] = {-1, -1, -1};

    while (at < end_of_file && *at == 'R') {
        const unsigned char *begin;
        uint64_t client, n, size;
        mono_ns begun = base;
        at++;
        client = number();
        n = number();
        number();
        size = number();
        begin = at;
        CHECK(client < CLIENTS && n > 0);
        for (uint64_t k = 0; k < n && client < CLIENTS; k++) {
            int64_t i, lag;
            uint64_t service;
            begun += signed_number();
            lag = signed_number();
            service = number();
            i = begun / 1000003;
            CHECK(i > last[client] && i * 1000003 == begun && lag == i % 5 - 2 &&
                  service >> 2 == (uint64_t)(i * i) && (service & 3) == (uint64_t)(i % 3));
            last[client] = i;
            seen[client]++;
        }
        CHECK_INT(at - begin, size);
    }
}

static void whole_file(const char *path)
{
    const struct snapshot final = {.kind = SNAPSHOT_FINAL, .at = 5000, .elapsed_ns = 3000};
    struct raw_log *l = open_log(path, CLIENTS, NULL);
    pthread_t thread[CLIENTS];
    uint64_t seen[CLIENTS] = {0};

    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&thread[i], NULL, record_many, raw_log_ring(l, i));
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(thread[i], NULL);
    uint64_t lost = 0;
    for (int i = 0; i < CLIENTS; i++) /* nobody adds any more */
        lost += atomic_load(&raw_log_ring(l, i)->lost);
    CHECK_INT(close_and_read(l, path, &final), lost ? -1 : 0);
    read_chunks(seen);
    CHECK_INT(seen[0] + seen[1] + seen[2] + lost, CLIENTS * RECORDS);
    check_end(2000, 5000, seen[0] + seen[1] + seen[2], lost);
}

/* A run that ended in its warm-up: measuring begins after all records in the file. */
static void nothing_measured(const char *path)
{
    const mono_ns before = clock_mono();
    struct raw_log *l = open_log(path, 1, NULL);
    struct raw_record r = {.begun = clock_mono(), .outcome = RAW_DONE};

    raw_ring_add(raw_log_ring(l, 0), &r);
    CHECK_INT(close_and_read(l, path, NULL), 0);
    CHECK(base >= before && base <= r.begun);
    at += 5; /* R, client, one record, none lost, size */
    CHECK_INT(signed_number() + base, r.begun);
    at += 2; /* lag and service time */
    const unsigned char *end = at++;
    const mono_ns from = signed_number() + base;
    CHECK(from > r.begun);
    at = end;
    check_end(from, from, 1, 0);
}

/* Client 1 of rank 2 of 3 is number 5 of all. */
static void of_a_rank(const char *path)
{
    struct raw_log_spec spec = {.path = path, .clients = 2, .share = {2, 3}, .version = "1.0"};
    struct raw_log *l;
    struct err e = {0};

    CHECK_INT(raw_log_open(&l, &spec, &e), 0);
    raw_ring_add(raw_log_ring(l, 1), &(struct raw_record){.outcome = RAW_DONE});
    CHECK_INT(close_and_read(l, path, NULL), 0);
    CHECK(strstr(file.s, ",\"rank\":2,\"ranks\":3}\nR") != NULL);
    CHECK_INT(at[1], 5);
}

/* Records that found no room: each ring's number is in its chunk, their sum at the end and in the
 * alert. */
static void some_lost(const char *path)
{
    struct raw_log *l = open_log(path, 2, NULL);
    const struct snapshot final = {.kind = SNAPSHOT_FINAL, .at = clock_mono(), .elapsed_ns = 5};
    const struct raw_record r = {
        .begun = clock_mono(), .lag = 5, .service = -7, .outcome = RAW_WITHDRAWN};
    char want[300];

    for (int i = 0; i < 2; i++)
        atomic_store(&raw_log_ring(l, i)->lost, 300 + (uint64_t)i);
    raw_ring_add(raw_log_ring(l, 1), &r);
    snprintf(want, sizeof want,
             "ALERT: --raw-log: 601 of 602 transactions are missing from '%s': it could not be "
             "written fast enough\n",
             path);
    log_set_verbosity(LOG_ALERT);
    capture();
    CHECK_INT(close_and_read(l, path, &final), -1);
    CHECK_STR(captured(), want);
    log_set_verbosity(LOG_FATAL);
    snprintf(want, sizeof want,
             "{\"format\":\"sysbench-tx/raw-log/1\",\"version\":\"1.0\",\"clients\":2,"
             "\"has_rate\":true,\"mono_ns\":%lld,\"wall_unix_ns\":",
             (long long)base);
    CHECK(strncmp(file.s, want, strlen(want)) == 0);
    CHECK(!strstr(file.s, "rank"));
    CHECK_INT(*at++, 'R');
    CHECK_INT(number(), 1);   /* client */
    CHECK_INT(number(), 1);   /* record */
    CHECK_INT(number(), 301); /* lost */
    const uint64_t size = number();
    const unsigned char *begin = at;
    CHECK_INT(signed_number() + base, r.begun);
    CHECK_INT(signed_number(), 5);
    CHECK_INT(number(), RAW_WITHDRAWN); /* no time is negative */
    CHECK_INT(at - begin, size);
    check_end(final.at - 5, final.at, 1, 601);
}

/* All rings together have room for two million records, each for 256 at least. */
static void ring_sizes(const char *path)
{
    static const struct {
        int clients;
        uint64_t size;
    } t[] = {{1, 262144}, {8, 262144}, {9, 131072}, {16, 131072}, {17, 65536}, {4097, 256}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct raw_log *l = open_log(path, t[i].clients, NULL);
        CHECK_INT(raw_log_ring(l, 0)->size, t[i].size);
        CHECK_INT(raw_log_ring(l, t[i].clients - 1)->size, t[i].size);
        CHECK_INT(close_and_read(l, path, NULL), 0);
    }
}

/* Marks are written where they came, one after the other. */
static void marks_in_log(const char *path)
{
    static const char *const text[] = {"before", "after the change"};
    struct marks *marks = marks_new();
    struct raw_log *l = open_log(path, 1, marks);

    for (int i = 0; i < 2; i++)
        marks_add(marks, MARK_FIFO, 0, text[i], strlen(text[i]));
    CHECK_INT(close_and_read(l, path, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(*at++, 'M');
        CHECK_INT(signed_number() + base, marks_at(marks, i)->at);
        CHECK_INT(number(), strlen(text[i]));
        CHECK(strncmp((const char *)at, text[i], strlen(text[i])) == 0);
        at += strlen(text[i]);
    }
    CHECK_INT(*at, 'E');
    marks_free(marks);
}

TEST_MAIN(raw_log_test)
{
    char path[] = "/tmp/sb-raw-test-XXXXXX";
    struct err e = {0};

    log_set_verbosity(LOG_FATAL);
    ring_alone();
    CHECK_INT(raw_log_check("-", &e), -1);
    CHECK_STR(e.msg, "--raw-log=-: a raw log is binary, and standard output is for text");
    CHECK_INT(raw_log_check("/nowhere/file", &e), -1);
    CHECK_STR(e.msg, "--raw-log=/nowhere/file: the directory of '/nowhere/file': "
                     "No such file or directory");
    close(mkstemp(path));
    CHECK_INT(raw_log_check(path, &e), 0);
    whole_file(path);
    nothing_measured(path);
    of_a_rank(path);
    some_lost(path);
    ring_sizes(path);
    marks_in_log(path);
    unlink(path);
    str_free(&file);
    return test_done("raw_log");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The blocks about retries and connections, and the same figures in JSON.
 */
#include "report/text_retries.h"

#include <string.h>

#include "base/test.h"
#include "report/json_doc.h"

static struct snapshot_series none(void)
{
    return (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN};
}

static struct snapshot some(void)
{
    return (struct snapshot){.kind = SNAPSHOT_FINAL,
                             .has_rate = true,
                             .retries = {.transactions = 12,
                                         .retries = 30,
                                         .most = 7,
                                         .failed = 2,
                                         .unknown = 1,
                                         .first = {.n = 10,
                                                   .p50 = 1000000,
                                                   .p95 = 2000000,
                                                   .p99 = 2500000,
                                                   .max = 3000000,
                                                   .mean = 1100000},
                                         .last = {.n = 10,
                                                  .p50 = 4000000,
                                                  .p95 = 5000000,
                                                  .p99 = 6000000,
                                                  .max = HIST_OVER_NS,
                                                  .mean = 4500000}}};
}

static void check_text(const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    text_retries(&out, s);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void text(void)
{
    struct snapshot s = some();

    check_text(&s,
               "Retries:\n"
               "    transactions run again:              12 (30 retries, at most 7 of one)\n"
               "    failed nevertheless:                 2\n"
               "    commits of unknown outcome:          1 (the connection was lost before the\n"
               "                                         answer; run again, they may have been\n"
               "                                         done twice)\n"
               "    ms                    p50        p95        p99    maximum       mean\n"
               "    first attempt       1.000      2.000      2.500      3.000      1.100\n"
               "    until done          4.000      5.000      6.000 >3600000.000      4.500\n"
               "\n");
    s.retries.failed = s.retries.unknown = 0;
    s.retries.first = s.retries.last = none();
    check_text(&s, "Retries:\n"
                   "    transactions run again:              12 (30 retries, at most 7 of one)\n"
                   "\n");
    s.has_rate = false; /* stock's report: an error that was retried is no news */
    check_text(&s, "");
    s.retries.unknown = 1;
    s.retries.transactions = 0;
    check_text(&s,
               "Retries:\n"
               "    commits of unknown outcome:          1 (the connection was lost before the\n"
               "                                         answer; run again, they may have been\n"
               "                                         done twice)\n"
               "\n");
    s = (struct snapshot){.has_rate = true};
    check_text(&s, "");
}

static void check_connections(const struct snapshot *s, const char *want)
{
    struct str out = STR_INIT;

    text_connections(&out, s);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static struct snapshot replaced(void)
{
    struct snapshot s = some();

    s.connections = (struct snapshot_connections){.asked = true,
                                                  .clients = 400,
                                                  .connected = 391,
                                                  .connect = s.retries.first,
                                                  .away = s.retries.last};
    return s;
}

#define REPLACED                                                                                   \
    "    lost and replaced:                   10\n"                                                \
    "    ms                    p50        p95        p99    maximum       mean\n"                  \
    "    connect             1.000      2.000      2.500      3.000      1.100\n"                  \
    "    since the loss      4.000      5.000      6.000 >3600000.000      4.500\n\n"

static void connections(void)
{
    struct snapshot s = replaced();

    check_connections(&s, "Connections:\n" REPLACED);
    s.has_rate = false;
    check_connections(&s, "Connections:\n" REPLACED);
    s.connections.asked = false; /* stock's report counts reconnects and says no more */
    check_connections(&s, "");
    s.connections = (struct snapshot_connections){
        .asked = true, .limited = true, .clients = 400, .connected = 400};
    check_connections(&s, "Connections:\n"
                          "    clients:                             400 of 400 connected\n\n");
    s.connections.connected = 391;
    s.connections.refused = 20;
    s.connections.refused_with = 1040;
    s.connections.plain = 1;
    check_connections(
        &s, "Connections:\n"
            "    clients:                             391 of 400 connected, 20 refused at\n"
            "                                         first (error 1040)\n"
            "    plain queries:                       1 connection without prepared\n"
            "                                         statements\n\n");
    s = (struct snapshot){.has_rate = true};
    check_connections(&s, "");
}

static void json_connections(void)
{
    struct snapshot_connections v = replaced().connections;
    struct str out = STR_INIT;

    v.away = none();
    v.plain = 3;
    json_doc_connections(&out, &v);
    CHECK_STR(str_cstr(&out),
              "{\"clients\":null,\"plain_queries\":3,"
              "\"reconnect\":{\"samples\":10,\"p50_s\":0.001,\"p95_s\":0.002,\"p99_s\":0.0025,"
              "\"max_s\":0.003,\"mean_s\":0.0011},"
              "\"away\":{\"samples\":0,\"p50_s\":null,\"p95_s\":null,\"p99_s\":null,"
              "\"max_s\":null,\"mean_s\":null}}");
    str_reset(&out);
    v = (struct snapshot_connections){.limited = true,
                                      .clients = 40,
                                      .connected = 30,
                                      .refused = 10,
                                      .connect = none(),
                                      .away = none()};
    json_doc_connections(&out, &v);
    CHECK(strncmp(str_cstr(&out),
                  "{\"clients\":{\"threads\":40,\"connected\":30,\"refused\":10,"
                  "\"refused_with\":null},\"plain_queries\":0,",
                  90) == 0);
    str_free(&out);
}

static void check_batches(const struct snapshot_batches *b, const char *want, const char *why)
{
    struct str out = STR_INIT, missing = STR_INIT;
    bool first = true, first_missing = true;

    json_doc_batches(&out, &first, b, &missing, &first_missing);
    CHECK_STR(str_cstr(&out), want);
    CHECK_STR(str_cstr(&missing), why);
    str_free(&out);
    str_free(&missing);
}

static void json_batches(void)
{
    check_batches(&(struct snapshot_batches){.batches = 3}, "", "");
    check_batches(&(struct snapshot_batches){.asked = true,
                                             .batches = 3,
                                             .answers = 54,
                                             .held_mean_s = 233.25e-6,
                                             .held_max_s = 0.005},
                  "\"worker_batch\":{\"batches\":3,\"answers\":54,\"held_mean_s\":0.00023325,"
                  "\"held_max_s\":0.005}",
                  "");
    check_batches(
        &(struct snapshot_batches){.asked = true, .held_mean_s = NAN, .held_max_s = NAN},
        "\"worker_batch\":{\"batches\":0,\"answers\":0,\"held_mean_s\":null,\"held_max_s\":null}",
        "\"worker_batch.held_mean_s\":\"no answer was held back\","
        "\"worker_batch.held_max_s\":\"no answer was held back\"");
}

static void json(void)
{
    struct snapshot s = some();
    struct str out = STR_INIT;

    s.retries.last = none();
    json_doc_retries(&out, &s.retries);
    CHECK_STR(str_cstr(&out),
              "{\"transactions\":12,\"retries\":30,\"most\":7,\"failed\":2,\"commits_unknown\":1,"
              "\"first_attempt\":{\"samples\":10,\"p50_s\":0.001,\"p95_s\":0.002,\"p99_s\":0.0025,"
              "\"max_s\":0.003,\"mean_s\":0.0011},"
              "\"until_done\":{\"samples\":0,\"p50_s\":null,\"p95_s\":null,\"p99_s\":null,"
              "\"max_s\":null,\"mean_s\":null}}");
    str_free(&out);
}

TEST_MAIN(text_retries_test)
{
    text();
    json();
    connections();
    json_connections();
    json_batches();
    return test_done("text_retries");
}

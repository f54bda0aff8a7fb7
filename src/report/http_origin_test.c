/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which requests are answered: those that a page of another site cannot make by a name of its own.
 * Which of them may set a mark: those of our own page, on a loopback address.
 */
#include "report/http_origin.h"

#include "base/test.h"

#define HERE   "127.0.0.1:19104"
#define ORIGIN "Origin of the request"

static const struct {
    struct http_origin o;
    const char *why; /* a part of the reason; NULL: allowed */
} cases[] = {
    {{true, HERE, "http://" HERE, NULL}, NULL},
    {{true, HERE, "http://" HERE, "same-origin"}, NULL},
    {{true, "localhost:8080", "http://localhost:8080", NULL}, NULL}, /* through ssh -L */
    {{true, "LOCALHOST", "http://localhost", NULL}, NULL},
    {{true, "[::1]:19104", "http://[::1]:19104", NULL}, NULL},
    {{true, "[::1]", "http://[::1]", NULL}, NULL},
    /* another page of this host, of another port, without a name */
    {{true, HERE, "http://127.0.0.1:8000", NULL}, ORIGIN},
    {{true, HERE, "http://localhost:19104", NULL}, ORIGIN},
    {{true, HERE, "https://" HERE, NULL}, ORIGIN},
    {{true, HERE, "http://" HERE ".evil.example", NULL}, ORIGIN},
    {{true, HERE, "http://evil.example", NULL}, ORIGIN},
    {{true, HERE, "null", NULL}, ORIGIN},
    {{true, HERE, "", NULL}, ORIGIN},
    {{true, HERE, NULL, NULL}, ORIGIN},
    {{true, HERE, "http://" HERE, "same-site"}, "another site"},
    {{true, HERE, "http://" HERE, "cross-site"}, "another site"},
    {{true, HERE, "http://" HERE, "none"}, "another site"},
    {{true, NULL, "http://" HERE, NULL}, ORIGIN},
    /* open to others */
    {{false, HERE, "http://" HERE, "same-origin"}, "loopback address only"},
};

static const struct {
    const char *host;
    bool answered;
} hosts[] = {
    {NULL, true},
    {"127.0.0.1", true},
    {"10.0.0.5:19104", true},
    {"[::1]:19104", true},
    {"[2001:db8::5]", true},
    {"localhost:1", true},
    {"DB1", true},
    {"prom.example.com:9090", true},
    {"", false},
    {":19104", false},
    {"evil.example:19104", false},
    {"127.0.0.1.evil.example", false},
    {"localhost.evil.example:1", false},
    {"db1.evil.example", false},
    {"db", false},
    {"db1,prom.example.com", false},
    {"example.com", false},
};

TEST_MAIN(http_origin_test)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        TEST_REPORT(!http_refuse_host(hosts[i].host, "localhost,,db1,prom.example.com") ==
                        hosts[i].answered,
                    "Host: %s", hosts[i].host);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = http_refuse_mark(&cases[i].o);
        bool ok = cases[i].why ? why && strstr(why, cases[i].why) : !why;
        CHECK(ok);
        if (!ok)
            printf("case %zu: %s\n", i, why ? why : "allowed");
    }
    return test_done("http_origin_test");
}

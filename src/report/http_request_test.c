/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format a scraper gets: the headers of Prometheus of several years, of browsers and of curl,
 * and the corner cases of the header's grammar.
 *
 * Which requests are answered: those that a page of another site cannot make by a name of its own.
 * Which of them may set a mark: those of our own page, on a loopback address.
 */
#include "report/http_request.h"

#include "base/test.h"

static void formats(void)
{
    static const struct {
        const char *accept;
        bool openmetrics;
    } t[] = {
        {NULL, false},
        {"", false},
        {"*/*", false}, /* curl */
        {"*/*;version", false},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false},
        {"text/plain", false},
        {"application/openmetrics-text", true},
        {"Application/OpenMetrics-Text; Version=1.0.0", true},
        {"application/openmetrics-text;version=\"1.0.0\"", true},
        {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
        {"application/openmetrics-text;version=0.0.1", false},
        {"application/openmetrics-text;version=2.0.0", false},
        {"application/openmetrics-text;q=0.5,*/*;q=0.1", true},
        {"application/openmetrics-text;q=0.5,text/plain;version=1.0.0;q=0.6,*/*;q=0.1", true},
        {"text/plain,application/openmetrics-text", false}, /* what comes first */
        {" text/plain ; q=0.6 ,\tapplication/openmetrics-text ; q=0.5", false},
        {"application/openmetrics-text;q=0.5,text/plain;q=0.4,text/*;q=0.6", true},
        {"application/openmetrics-text;q=0.5,text/*;q=0.4,*/*;q=0.6", true},
        {"application/openmetrics-text-x", false},
        {"application/openmetrics", false},
        {"application/openmetrics-text\t;version=1.0.0", true},
        {"application/openmetrics-text;VERSION=2.0.0", false},
        {"application/openmetrics-text;version=1.0", false},
        {"text/plainer,application/openmetrics-text", false},
        {"text/htm,application/openmetrics-text", true},
        {",,;=;", false},
        {"application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         false},
        {"application/openmetrics-text;version=1.0.0,application/"
         "openmetrics-text;version=0.0.1;q=0.75,"
         "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         true},
        {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
         "application/openmetrics-text;version=0.0.1;q=0.5,text/"
         "plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
         "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
         true},
        {"application/"
         "vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
         "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         false},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        TEST_REPORT(http_wants_openmetrics(t[i].accept) == t[i].openmetrics, "'%s' wants %s",
                    t[i].accept ? t[i].accept : "", t[i].openmetrics ? "OpenMetrics" : "text");
}

#define HERE   "127.0.0.1:19104"
#define ORIGIN "the Origin of the request is not this host"
#define SITE   "the request comes from another site"

static const struct {
    struct http_origin o;
    const char *why; /* NULL: allowed */
} cases[] = {
    {{true, HERE, "http://" HERE, NULL, false}, NULL},
    {{true, HERE, "http://" HERE, "same-origin", false}, NULL},
    {{true, "localhost:8080", "http://localhost:8080", NULL, false}, NULL}, /* through ssh -L */
    {{true, "LOCALHOST", "http://localhost", NULL, false}, NULL},
    {{true, "[::1]:19104", "http://[::1]:19104", NULL, false}, NULL},
    {{true, "[::1]", "http://[::1]", NULL, false}, NULL},
    /* another page of this host, of another port, without a name */
    {{true, HERE, "http://127.0.0.1:8000", NULL, false}, ORIGIN},
    {{true, HERE, "http://localhost:19104", NULL, false}, ORIGIN},
    {{true, HERE, "https://" HERE, NULL, false}, ORIGIN},
    {{true, HERE, "http://" HERE ".evil.example", NULL, false}, ORIGIN},
    {{true, HERE, "http://evil.example", NULL, false}, ORIGIN},
    {{true, HERE, "null", NULL, false}, ORIGIN},
    {{true, HERE, "", NULL, false}, ORIGIN},
    {{true, HERE, NULL, NULL, false}, ORIGIN},
    {{true, HERE, "http://" HERE, "same-site", false}, SITE},
    {{true, HERE, "http://" HERE, "cross-site", false}, SITE},
    {{true, HERE, "http://" HERE, "none", false}, SITE},
    {{true, NULL, "http://" HERE, NULL, false}, ORIGIN},
    /* open to others */
    {{false, HERE, "http://" HERE, "same-origin", false},
     "marks are accepted on a loopback address only: use --mark-on, or a tunnel such as ssh -L"},
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
    {"255.255.255.255", true},
    {"255.255.255.2555", false},
    {"1.2.3", false},
    {"prom.example.com.", false},
};

static void headers(void)
{
    struct http_origin o = {.loopback = true};

    http_origin_add(&o, "host", HERE);
    http_origin_add(&o, "Accept", "*/*");
    http_origin_add(&o, "Accept", "text/html");
    http_origin_add(&o, "Origin", "http://" HERE);
    CHECK(!o.bad && !o.fetch_site && http_refuse_mark(&o) == NULL);
    http_origin_add(&o, "ORIGIN", "http://evil.example");
    CHECK_STR(o.bad, "the request has more than one Host, Origin or Sec-Fetch-Site");
    static const char *const odd[][2] = {{"Host ", "x"}, {"", "x"},         {"Host\t", "x"},
                                         {" X", "x"},    {"HostX: a", "x"}, {"X", "a\nb"},
                                         {"X\x01", "x"}, {"X", "a\x7f\x01"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        o = (struct http_origin){.loopback = true};
        http_origin_add(&o, "X-Any_1", "a\tb \xc3\xa9");
        CHECK(!o.bad);
        http_origin_add(&o, odd[i][0], odd[i][1]);
        CHECK_STR(o.bad, "the request has a malformed header");
    }
}

TEST_MAIN(http_request_test)
{
    headers();
    formats();
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        TEST_REPORT(!http_refuse_host(hosts[i].host, "localhost,,db1,prom.example.com") ==
                        hosts[i].answered,
                    "Host: %s", hosts[i].host);
    CHECK_STR(http_refuse_host("x", ""),
              "the Host of the request is not known here: use an IP address or localhost, or add "
              "the name, as in --metrics-listen=ADDRESS,NAME");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = http_refuse_mark(&cases[i].o);
        bool ok = cases[i].why ? why && strcmp(why, cases[i].why) == 0 : !why;
        CHECK(ok);
        if (!ok)
            printf("case %zu: %s\n", i, why ? why : "allowed");
    }
    return test_done("http_request");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format a scraper gets: the headers of Prometheus of several years, of browsers and of curl,
 * and the corner cases of the header's grammar.
 *
 * Which requests are answered: those that a page of another site cannot make by a name of its own.
 * Which of them may set a mark: those of our own page, on a loopback address.
 */
#include "report/http_request.h"

#include "base/test_golden.h"

static struct str out;

/* Which format an Accept header gets. */
static void format(const char *accept)
{
    str_printf(&out, "%s: %s\n", accept, http_wants_openmetrics(accept) ? "OpenMetrics" : "text");
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

static void host(const char *name)
{
    const char *why = http_refuse_host(name, "localhost,,db1,prom.example.com");

    str_printf(&out, "%s: %s\n", name, why ? why : "answered");
}

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
    /* curl, browsers, Prometheus of several years; what comes first counts */
    CHECK(!http_wants_openmetrics(NULL));
    golden_each(
        "|*/*|*/*;version|text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8|"
        "text/plain|application/openmetrics-text|Application/OpenMetrics-Text; Version=1.0.0|"
        "application/openmetrics-text;version=\"1.0.0\"|application/openmetrics-text; "
        "version=1.0.0; charset=utf-8|application/openmetrics-text;version=0.0.1|"
        "application/openmetrics-text;version=2.0.0|application/openmetrics-text;q=0.5,*/*;"
        "q=0.1|application/openmetrics-text;q=0.5,text/plain;version=1.0.0;q=0.6,*/*;q=0.1|"
        "text/plain,application/openmetrics-text| text/plain ; q=0.6 ,"
        "\tapplication/openmetrics-text ; q=0.5|application/openmetrics-text;q=0.5,"
        "text/plain;q=0.4,text/*;q=0.6|application/openmetrics-text;q=0.5,text/*;q=0.4,*/*;"
        "q=0.6|application/openmetrics-text-x|application/openmetrics|"
        "application/openmetrics-text\t;version=1.0.0|application/openmetrics-text;"
        "VERSION=2.0.0|application/openmetrics-text;version=1.0|text/plainer,"
        "application/openmetrics-text|text/htm,application/openmetrics-text|,,;=;|"
        "application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;"
        "q=0.1|application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
        "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1|"
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
        "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
        "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2|"
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
        "encoding=delimited,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        format);
    golden(&out, "formats");
    CHECK(!http_refuse_host(NULL, ""));
    golden_each("127.0.0.1|10.0.0.5:19104|[::1]:19104|[2001:db8::5]|localhost:1|DB1|"
                "prom.example.com:9090||:19104|evil.example:19104|127.0.0.1.evil.example|"
                "localhost.evil.example:1|db1.evil.example|db|db1,prom.example.com|example.com|"
                "255.255.255.255|255.255.255.2555|1.2.3|prom.example.com.",
                host);
    golden(&out, "hosts");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = http_refuse_mark(&cases[i].o);
        bool ok = cases[i].why ? why && strcmp(why, cases[i].why) == 0 : !why;
        CHECK(ok);
        if (!ok)
            printf("case %zu: %s\n", i, why ? why : "allowed");
    }
    str_free(&out);
    golden_done("http_request");
    return test_done("http_request");
}

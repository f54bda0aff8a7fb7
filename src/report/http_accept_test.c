/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which format a scraper gets: the headers of Prometheus of several years, of browsers and of curl,
 * and the corner cases of the header's grammar.
 */
#include "report/http_accept.h"

#include "base/test.h"

TEST_MAIN(http_accept_test)
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
        {"application/openmetrics-text;q=0", false},
        {"application/openmetrics-text;q=0.5,*/*;q=0.1", true},
        {"application/openmetrics-text;q=0.5,*/*", false},
        {"application/openmetrics-text;q=0.5,text/*;q=0.6,*/*;q=0.1", false},
        {"application/openmetrics-text;q=0.5,text/plain;version=1.0.0;q=0.6,*/*;q=0.1", true},
        {"text/plain,application/openmetrics-text", true},
        {" text/plain ; q=0.9 ,\tapplication/openmetrics-text ; q=1.0", true},
        {"application/openmetrics-text;q=nonsense,text/plain;q=0.9", true},
        {"application/openmetrics-text;note=\"a,b;q=0\";q=0.4,text/plain;q=0.3", true},
        {"application/openmetrics-text;q=0.5,text/plain;q=0.4,text/*;q=0.6", true},
        {"application/openmetrics-text;q=0.5,text/*;q=0.4,*/*;q=0.6", true},
        {"application/openmetrics-text,text/plain;q=1.5", true}, /* no weight */
        {"application/openmetrics-text;q=0.5,text/plain;q=-1", false},
        {"application/openmetrics-text-x", false},
        {"application/openmetrics", false},
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
    return test_done("http_accept");
}

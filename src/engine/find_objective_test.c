/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What an objective can say, and the sentence for each thing that it cannot.
 */
#include "engine/verdict.h"

#include "base/test.h"

static void one(const char *text, struct find_bound want)
{
    struct find_objective o;
    struct err e = {0};

    CHECK_INT(find_objective_parse(&o, text, &e), 0);
    CHECK_STR(e.msg, "");
    CHECK_INT(o.n, 1);
    CHECK_INT(o.bound[0].what, want.what);
    CHECK_INT(o.bound[0].series, want.series);
    CHECK_NEAR(o.bound[0].point, want.point, 1e-12);
    CHECK_INT(o.bound[0].strict, want.strict);
    CHECK_NEAR(o.bound[0].limit, want.limit, 1e-6);
    CHECK_STR(o.text, text);
}

static void bounds(void)
{
    one("p99<20ms", (struct find_bound){FIND_TIME, FIND_RESPONSE, 99, true, 20e6});
    one("p50<=250us", (struct find_bound){FIND_TIME, FIND_RESPONSE, 50, false, 250e3});
    one("p99.9<1.5s", (struct find_bound){FIND_TIME, FIND_RESPONSE, 99.9, true, 1.5e9});
    one(" p95 < 5 ms ", (struct find_bound){FIND_TIME, FIND_RESPONSE, 95, true, 5e6});
    one("avg<2ms", (struct find_bound){FIND_TIME, FIND_RESPONSE, FIND_MEAN, true, 2e6});
    one("mean<2ms", (struct find_bound){FIND_TIME, FIND_RESPONSE, FIND_MEAN, true, 2e6});
    one("max<1s", (struct find_bound){FIND_TIME, FIND_RESPONSE, FIND_MAX, true, 1e9});
    one("lag<1ms", (struct find_bound){FIND_TIME, FIND_LAG, 99, true, 1e6});
    one("lag p50<1ms", (struct find_bound){FIND_TIME, FIND_LAG, 50, true, 1e6});
    one("service p99<=3ms", (struct find_bound){FIND_TIME, FIND_SERVICE, 99, false, 3e6});
    one("response-max<=3ms", (struct find_bound){FIND_TIME, FIND_RESPONSE, FIND_MAX, false, 3e6});
    one("errors<1%", (struct find_bound){FIND_ERRORS_PCT, 0, 0, true, 1});
    one("errors<=0%", (struct find_bound){FIND_ERRORS_PCT, 0, 0, false, 0});
    one("errors<5/s", (struct find_bound){FIND_ERRORS_RATE, 0, 0, true, 5});
    one("cpu<80%", (struct find_bound){FIND_SERVER_CPU, 0, 0, true, 80});
    one("server cpu<80.5%", (struct find_bound){FIND_SERVER_CPU, 0, 0, true, 80.5});
    one("client-cpu<=50%", (struct find_bound){FIND_CLIENT_CPU, 0, 0, false, 50});
}

static void several(void)
{
    struct find_objective o;
    struct err e = {0};

    CHECK_INT(find_objective_parse(&o, "p99<20ms,errors<1% and cpu<80%, lag<=1ms", &e), 0);
    CHECK_INT(o.n, 4);
    CHECK_INT(o.bound[1].what, FIND_ERRORS_PCT);
    CHECK_INT(o.bound[2].what, FIND_SERVER_CPU);
    CHECK_INT(o.bound[3].series, FIND_LAG);
}

static void refused(const char *text, const char *want)
{
    struct find_objective o;
    struct err e = {0};

    CHECK_INT(find_objective_parse(&o, text, &e), -1);
    CHECK_INT(e.kind, ERR_USAGE);
    if (strstr(e.msg, want) == NULL)
        CHECK_STR(e.msg, want);
}

static void bad(void)
{
    static const char such[] = "(bounds such as p99<20ms";

    refused("", "--tx-find: '' (bounds such as");
    refused("p99", such);
    refused("p99>20ms", such);
    refused("p0<20ms", such);
    refused("p101<20ms", such);
    refused("p<20ms", such);
    refused("median<20ms", such);
    refused("p99<20ms,", "--tx-find: '' (bounds such as");
    refused("p99<20ms,,errors<1%", "--tx-find: ''");
    refused("p99<ms", such);
    refused("p99<-1ms", such);
    refused("p99<<20ms", such);
    refused("p99<20", "'p99<20' (a time needs a unit: us, ms or s)");
    refused("lag<1%", "'lag<1%' (a time needs a unit: us, ms or s)");
    refused("errors<1", "'errors<1' (errors need a unit: % or /s)");
    refused("errors<101%", such);
    refused("errors<x/s", "'errors<x/s' (errors need a unit: % or /s)");
    refused("cpu<20ms", "'cpu<20ms' (CPU is in %)");
    refused("errors<0%", "'errors<0%' (nothing is less than 0: <=0 is none at all)");
    refused("p99<0ms", "'p99<0ms' (nothing is less than 0: <=0 is none at all)");
    refused("a<1%,b<1%", "'a<1%'");
    refused("p1<1s,p2<1s,p3<1s,p4<1s,p5<1s,p6<1s,p7<1s,p8<1s,p9<1s", "(at most 8 bounds)");
}

static void too_long(void)
{
    char text[400];
    struct find_objective o;
    struct err e = {0};

    memset(text, 'p', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_INT(find_objective_parse(&o, text, &e), -1);
    CHECK_STR(e.msg, "Invalid value for --tx-find: longer than 199 characters");
    text[150] = '\0'; /* a term that is too long */
    CHECK_INT(find_objective_parse(&o, text, &e), -1);
}

TEST_MAIN(find_objective_test)
{
    bounds();
    several();
    bad();
    too_long();
    return test_done("find_objective");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which requests may set a mark: those of our own page, on a loopback address.
 */
#include "report/http_origin.h"

#include "base/test.h"

#define HERE   "127.0.0.1:19104"
#define HOST   "Host of the request"
#define ORIGIN "Origin of the request"

static const struct {
    struct http_origin o;
    const char *why; /* a part of the reason; NULL: allowed */
} cases[] = {
    {{true, HERE, "http://" HERE, NULL}, NULL},
    {{true, HERE, "http://" HERE, "same-origin"}, NULL},
    {{true, "localhost:8080", "http://localhost:8080", NULL}, NULL}, /* through ssh -L */
    {{true, "LOCALHOST", "http://localhost", NULL}, NULL},
    {{true, "127.8.9.1", "http://127.8.9.1", NULL}, NULL},
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
    /* a name that leads here */
    {{true, "evil.example:19104", "http://evil.example:19104", NULL}, HOST},
    {{true, "127.0.0.1.evil.example", "http://127.0.0.1.evil.example", NULL}, HOST},
    {{true, "localhost.evil.example:1", "http://localhost.evil.example:1", NULL}, HOST},
    {{true, "127.0.0.1:1x", "http://127.0.0.1:1x", NULL}, HOST},
    {{true, "[::1", "http://[::1", NULL}, HOST},
    {{true, "[::1]x", "http://[::1]x", NULL}, HOST},
    {{true, "[::2]", "http://[::2]", NULL}, HOST},
    {{true, "10.0.0.5", "http://10.0.0.5", NULL}, HOST},
    {{true, "", "http://", NULL}, HOST},
    {{true, NULL, "http://" HERE, NULL}, HOST},
    /* open to others */
    {{false, HERE, "http://" HERE, "same-origin"}, "loopback address only"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = http_refuse_mark(&cases[i].o);
        bool ok = cases[i].why ? why && strstr(why, cases[i].why) : !why;
        CHECK(ok);
        if (!ok)
            printf("case %zu: %s\n", i, why ? why : "allowed");
    }
    return test_done("http_origin_test");
}

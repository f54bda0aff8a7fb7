/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The headers of a request to the metrics port that decide something: Accept, Host, Origin and
 * Sec-Fetch-Site, a line each.  A mark is allowed only from the host itself, and a request only
 * with a Host that is an address or known.
 */
#include <string.h>

#include "fuzz.h"
#include "report/http_request.h"

static void one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *accept = strsep(&rest, "\n"), *host = rest ? strsep(&rest, "\n") : NULL;
    const char *origin = rest ? strsep(&rest, "\n") : NULL;
    struct http_origin o = {.loopback = true, .host = host, .origin = origin, .fetch_site = rest};
    const char *why = http_refuse_mark(&o);

    http_wants_openmetrics(accept);
    if (host && !http_refuse_host(host, "localhost,db1"))
        FUZZ_CHECK(*host == '[' || *host == 'l' || *host == 'L' || *host == 'd' || *host == 'D' ||
                   (*host >= '0' && *host <= '9'));
    if (!why)
        FUZZ_CHECK(origin && strncasecmp(origin, "http://", 7) == 0 &&
                   strcasecmp(origin + 7, host) == 0);
    o.loopback = false;
    FUZZ_CHECK(http_refuse_mark(&o));
    free(text);
}

const struct fuzz_target fuzz_http = {"http", one};

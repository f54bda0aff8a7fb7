/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http.h: a program that was built without libmicrohttpd.
 */
#include "report/http.h"

int http_listen(struct http **out, const char *address, struct err *e)
{
    *out = NULL;
    return err_set(e, ERR_USAGE,
                   "--metrics-listen=%s needs libmicrohttpd, which this program was built without",
                   address);
}

const struct http_place *http_place(const struct http *h)
{
    (void)h;
    return NULL;
}

void http_publish(void *http, const struct str *prometheus, const struct str *openmetrics)
{
    (void)http, (void)prometheus, (void)openmetrics;
}

int http_start(struct http *h, struct live *live, struct err *e)
{
    (void)h, (void)live;
    return err_set(e, ERR_USAGE, "built without libmicrohttpd");
}

void http_close(struct http *h)
{
    (void)h;
}

const char *http_library(void)
{
    return "no";
}

const char *http_chart_library(void)
{
    return "no";
}

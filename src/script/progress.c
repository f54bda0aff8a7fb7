/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See progress.h.  On a terminal the line is rewritten with carriage return and "erase to end of
 * line", which every terminal understands.
 */
#include "script/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_AFTER NS_PER_SEC
#define REDRAW      (NS_PER_SEC / 5)
#define LINE_EVERY  (10 * NS_PER_SEC)

void progress_init(struct progress *p, int fd)
{
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->fd = fd;
    p->terminal = isatty(fd);
}

void progress_fini(struct progress *p)
{
    progress_hide(p);
    pthread_mutex_destroy(&p->lock);
}

void progress_text(const struct progress *p, mono_ns now, char *out, size_t size)
{
    double secs = dur_sec(now - p->begun);
    double rate = secs > 0 ? p->done / secs : 0;
    int n = snprintf(out, size, "%.0f of %.0f rows (%.0f %%), %.0f rows/s", p->done, p->planned,
                     p->planned > 0 ? 100 * p->done / p->planned : 0, rate);

    if (rate > 0 && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %.0f s left", (p->planned - p->done) / rate);
}

static void draw(const struct progress *p, const char *text)
{
    /* a reader that has gone away must not stop the work */
    if (write(p->fd, text, strlen(text)) < 0)
        return;
}

static bool is_due(const struct progress *p, mono_ns now)
{
    if (p->terminal)
        return now - p->begun >= FIRST_AFTER && now - p->drawn >= REDRAW;
    return now - (p->drawn ? p->drawn : p->begun) >= LINE_EVERY;
}

void progress_add(struct progress *p, double done, double planned, mono_ns now)
{
    char text[160], line[200];

    pthread_mutex_lock(&p->lock);
    if (!p->begun)
        p->begun = now;
    p->done += done;
    p->planned += planned;
    if (is_due(p, now)) {
        progress_text(p, now, text, sizeof text);
        snprintf(line, sizeof line, p->terminal ? "\r%s\033[K" : "%s\n", text);
        draw(p, line);
        p->drawn = now;
        p->visible = p->terminal;
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_hide(struct progress *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->visible)
        draw(p, "\r\033[K");
    p->visible = false;
    pthread_mutex_unlock(&p->lock);
}

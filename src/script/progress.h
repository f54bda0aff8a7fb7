/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: stderr shows how far a long `prepare` is.  On a terminal that is one line,
 * drawn after the first second and at most five times a second.  It is redrawn in place, and erased
 * before anything else is printed and at the end, so nothing of it stays.  A file or a pipe gets a
 * line every ten seconds, and so none of a prepare that is shorter.  Any thread may call; a lock,
 * taken once per thousand rows, guards it.
 */
#ifndef SB_SCRIPT_PROGRESS_H
#define SB_SCRIPT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

struct progress {
    pthread_mutex_t lock;
    double done, planned; /* rows */
    mono_ns begun;        /* 0: nothing planned yet */
    mono_ns drawn;        /* when the line was last written */
    int fd;
    bool terminal;
    bool visible;
};

/* fd: where to write. */
void progress_init(struct progress *p, int fd);
void progress_fini(struct progress *p);

/* More rows are done, more rows are planned; draws when it is due. */
void progress_add(struct progress *p, double done, double planned, mono_ns now);

/* Erases the line until the next progress_add. */
void progress_hide(struct progress *p);

/* The line's text: "1234000 of 2000000 rows (61 %), 210000 rows/s, 4 s left". */
void progress_text(const struct progress *p, mono_ns now, char *out, size_t size);

#endif

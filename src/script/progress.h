/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line on stderr that says how far a long `prepare` is.  Only when stderr is a terminal, only
 * from the second second on, at most five times a second; redrawn in place and wiped before
 * anything is printed and at the end, so nothing of it stays.  Any thread may call; a lock guards
 * it, taken once per thousand rows.
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
    int fd;               /* -1: nobody looks */
    bool visible;
};

/* fd: where to write; anything that is not a terminal means never. */
void progress_init(struct progress *p, int fd);
void progress_fini(struct progress *p);

/* More rows are done, more rows are planned; draws when it is time to. */
void progress_add(struct progress *p, double done, double planned, mono_ns now);

/* Wipes the line until the next progress_add. */
void progress_hide(struct progress *p);

/* The line's text: "1234000 of 2000000 rows (61 %), 210000 rows/s, 4 s left". */
void progress_text(const struct progress *p, mono_ns now, char *out, size_t size);

#endif

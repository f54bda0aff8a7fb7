/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks in the timeline of a run: an instant and a few words ("new buffer pool size").  They come
 * from a signal, a FIFO, a script or a command that the run starts, a few in a run, and every
 * report shows them.  The list only grows: readers may keep pointers into it as long as it lives.
 *
 * count_note: a report that has read the clock and then counts the marks believes that no other one
 * is earlier.  So a mark's instant is drawn and the mark is added under one lock, and counting
 * waits for it.  Only a mark that was noticed late (`at` > 0) may come after a report that it
 * precedes.
 */
#ifndef SB_STATS_MARKS_H
#define SB_STATS_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

#define MARKS_MOST 10000
#define MARK_TEXT  160 /* with its NUL; what is longer is cut */

enum mark_source { MARK_SIGNAL, MARK_FIFO, MARK_SCRIPT, MARK_COMMAND, MARK_PAGE };

struct mark {
    mono_ns at;
    wall_ns wall;
    enum mark_source source;
    char text[MARK_TEXT]; /* printable UTF-8, never empty */
};

struct marks; /* opaque */

struct marks *marks_new(void);
void marks_free(struct marks *m); /* NULL is allowed */

/* From now on calls `on` after each that is kept.  It must not wait. */
void marks_watch(struct marks *m, void (*on)(void *arg), void *arg);

/*
 * Adds one; `at` <= 0: now.  Control characters become blanks, bytes that are no UTF-8 '?'; blanks
 * at the ends are removed; an empty text becomes "mark".  Instants never go backwards in the list.
 * Beyond MARKS_MOST, marks are counted and not kept: false.  Any thread may call it.
 */
bool marks_add(struct marks *m, enum mark_source source, mono_ns at, const char *text, size_t len);

/* The same for what takes a moment to begin, such as a process: `hold` returns the instant, and no
 * other mark is added or counted until `release`, which the same thread calls soon.  `text` NULL:
 * it did not begin, and there is no mark. */
mono_ns marks_hold(struct marks *m);
bool marks_release(struct marks *m, enum mark_source source, mono_ns at, const char *text);

size_t marks_count(struct marks *m); /* the number kept */
size_t marks_lost(const struct marks *m);
/* i < marks_count; the marks after it follow in memory */
const struct mark *marks_at(const struct marks *m, size_t i);

const char *
mark_source_name(enum mark_source source); /* "signal", "fifo", "script", "command", "page" */

#endif

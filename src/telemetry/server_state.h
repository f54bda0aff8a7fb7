/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The set of watched processes behind server.h, for the files that read it.  Private to
 * src/telemetry
 *
 * server.c reads the processes and adds them up; server_lives.c notices that one has ended, asks
 * for its successor and adds that to the set.  Processes that have ended stay in the set: their
 * last totals are part of the sum.
 */
#ifndef SB_TELEMETRY_SERVER_STATE_H
#define SB_TELEMETRY_SERVER_STATE_H

#include "base/str.h"
#include "telemetry/member.h"
#include "telemetry/proc_sum.h"
#include "telemetry/sample.h"

struct remote;
struct server_finder;

struct server {
    struct reader reader;
    struct proc_sum *sum;
    size_t n;
    struct str describe;
    struct remote *remote; /* NULL: processes of this host */

    /* of the owner; NULL: ended processes are not replaced */
    struct server_finder *finder;
    dur_ns read_boot; /* clock_boot() of the last reading that missed no process; 0: none yet */
    unsigned found, whole;        /* as in the sample */
    unsigned found_before, ended; /* of the last reading */
    mono_ns changed;              /* as in the sample, and: */
    int was, is;
    struct sample base; /* what successors had done before they were needed: not in the sum */
};

/* server.c */
void server_name(struct server *s); /* makes `describe` anew */
/* Adds the totals of one process. */
void server_add_total(struct sample *out, const struct proc_sum *w);

/* server_lives.c */
/* If a process has ended, looks for its successor, adds it and reads it. */
void server_find_successors(struct server *s);
bool server_misses(struct server *s); /* one has ended and has no successor */
/* Completes a sum of totals by what is known of lives, and takes s->base from it. */
void server_note_lives(struct server *s, struct sample *out);

#endif

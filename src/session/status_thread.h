/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/session: what the rooms of server_status.h share.
 *
 *     server_status.c  the connection, its thread, and what the reporting side sees of it
 *     status_values.c  what the thread asks for a report: counters, sessions of others, what
 *                      options ask for
 *     status_waits.c   its samples of what our sessions wait for
 *     status_threads.c what threads of the server are known to have done
 */
#ifndef SB_SESSION_STATUS_THREAD_H
#define SB_SESSION_STATUS_THREAD_H

#include <pthread.h>

#include "base/rng.h"
#include "session/server_statements.h"
#include "session/status_names.h"
#include "session/wait_ring.h"

#define STATUS_ANSWER_LIMIT (100 * NS_PER_MS) /* a report waits no longer */

struct session_thread {
    int64_t id;      /* of the session */
    pid_t pid, tid;  /* 0: not known; tid 0: the process is the session's own */
    uint64_t ran[3]; /* as proc_row_read() has it */
    bool read;
    bool known; /* it was in the list before */
};

struct server_status {
    struct status_source source; /* of the names */
    struct status_names names;
    const char *driver;
    sql_driver *(*driver_get)(const char *name);
    dur_ns question_limit;
    struct { /* of server_status_wants, constant */
        bool counters, waits, shared;
        const char *no_waits;
    } wants;
    struct str query;
    int proc;                  /* /proc */
    char *reason[64];          /* of readings, which may be those of long ago */
    struct counters *counters; /* of no client */
    struct sql_host host;
    sql_driver *sql;
    sql_connection *con;
    char error[112];           /* the last */
    struct status_lives lives; /* of the thread, as are `con` and the next */
    struct {
        bool asked;  /* who this connection is */
        bool direct; /* no proxy stands before the server */
        bool greets; /* logins execute its init_connect, and it counts that */
        uint64_t newest;
        mono_ns at; /* when it was last known; 0: never */
        struct status_others sum;
        struct sql_ids ids;
        struct str query;
    } others;
    struct {
        enum wait_dialect dialect;
        bool found;          /* the server understands it */
        bool filled;         /* and fills its tables: of this connection, as the next two */
        bool here;           /* it has the sessions of all load hosts */
        const char *refused; /* why it never told; NULL */
        mono_ns due, early;  /* the next sample, and the next early one; 0: none before there was a
                              * request */
        dur_ns busy;         /* questions took since due was set */
        double asked;        /* questions, which the server counts as well */
        double counted;      /* of these, what the server's last answer has */
        dur_ns cost[8], pause;
        dur_ns trip;       /* what a question takes that costs nothing; 0: not asked */
        pid_t own[2];      /* the process and thread that serve this connection; 0: not known */
        dur_ns ran;        /* so long, before a sample */
        dur_ns own_ran;    /* and at the last report */
        struct rng chance; /* samples keep no time with the load */
        mono_ns at;        /* of the last that was due, 0: it did not know */
        struct ring_sample last;
        struct server_waits list;
        int64_t blocker;    /* the last; -1 */
        mono_ns blocker_at; /* then it was named */
        struct session_threads {
            struct session_thread *of; /* by id */
            size_t n;
            mono_ns at;  /* of the last reading; 0: there was none */
            dur_ns cost; /* then: CPU time */
        } threads;       /* of one connection */
        struct status_waits sum;
    } waits;

    struct statement_lists lists; /* the thread's, and after the last one the reporting side's */

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t changed;
    int fd;         /* of the connection, -1: none */
    _Atomic int at; /* where it is, or was, of a list of several; -1 */
    bool connected, over, ended;
    bool sampling;   /* without a request */
    bool hurried;    /* early samples are worth it */
    bool connecting; /* nothing can wake the thread */
    /* Numbers of the last request and of the last answer: of the counters, and of all. */
    uint64_t requested, counted, answered;
    unsigned wanted, told; /* so often: the statements */
    bool listed;           /* for the last time */
    struct status_reading answer;
    struct wait_ring ring;
    pid_t process; /* of the server, if its threads can be seen; 0 */
    pid_t backend; /* of the connection, where it has a process; 0 */
    char why[160];
};

/* All of them on the thread, with a connection unless said otherwise. */

/* Answers a request; 0, the first of a connection, is for the names of the counters alone. */
void status_values_read(struct server_status *s, struct status_reading *r, uint64_t request);
/* Completes an answer, or one that did not come. */
void status_values_join(struct server_status *s, double up, struct status_reading *r);

/* A connection was made, is dropped. */
void status_waits_begin(struct server_status *s);
void status_waits_end(struct server_status *s);
/* `early`: it is not due, see early_note. */
void status_waits_sample(struct server_status *s, bool early);
/* What a report has of them, which began then. */
void status_waits_read(struct server_status *s, mono_ns began, struct status_reading *r);
/* Adds how long threads ran since the last reading to the sum; asks the server for its threads if
 * there are new sessions. */
void status_threads_read(struct server_status *s);
/* All questions to the server that it may count, which is noted, are asked so or noted so. */
sql_result *status_ask(struct server_status *s, const char *question);

#endif

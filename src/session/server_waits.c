/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_waits.h.
 */
#include "session/server_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "session/answers.h"
#include "session/sql_texts.h"

#define CHAIN_MOST 64 /* a longer one is a circle, or nearly */

/* Of all sessions but the one that asks.  Columns: session, thread of the kernel, two words about
 * what it waits for, its blockers.  MySQL has rows of their own for the latter; PostgreSQL a sixth,
 * what the server's own process is. */
const char *server_waits_question(enum wait_dialect d)
{
    static const char *const question[] = {
        [WAITS_PGSQL] = SQL_WAITS_PGSQL,
        [WAITS_MARIADB] = "SELECT ID, TID, " SQL_WAITS_PROCESSLIST,
        [WAITS_MYSQL5] = "SELECT ID, NULL, " SQL_WAITS_PROCESSLIST,
        [WAITS_PERFORMANCE] = SQL_WAITS_PERFORMANCE,
    };

    return question[d];
}

const char *server_waits_refused(enum wait_dialect d, int code, const char *before)
{
    enum { TABLE_DENIED = 1142, PROCESS_DENIED = 1227 }; /* MySQL's */
    static const char process[] = "seeing what sessions wait for takes the PROCESS privilege";

    if (d == WAITS_PGSQL)
        return "the server refused the query for waits, which takes PostgreSQL 9.6 or newer";
    if (code == PROCESS_DENIED || before == process) /* MariaDB has none of the newer tables */
        return process;
    return d == WAITS_PERFORMANCE && code == TABLE_DENIED
               ? "seeing what sessions wait for takes SELECT on performance_schema and the PROCESS "
                 "privilege"
               : "the server has no table of what sessions wait for";
}

/* --- classes --- */

/* The beginning of a word of the server's, ended by '$' if it is all of it, and what it is; the
 * name NULL: the word itself.  They stand beside the questions, in session/sql. */
struct word {
    const char *word;
    enum wait_class class;
    const char *name;
};

static const struct word words[] = {SQL_WORDS_PGSQL SQL_WORDS_MYSQL{"", WAIT_OTHER, NULL}};

static const struct word *word_of(const char *text)
{
    for (const struct word *w = words;; w++) {
        size_t n = strcspn(w->word, "$");
        if (strncasecmp(w->word, text, n) == 0 && (!w->word[n] || !text[n]))
            return w;
    }
}

/* Names are what others chose: of other characters nothing is shown. */
static void only_ascii(char *p)
{
    for (; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
}

/* What of the server's words is shown. */
static void name_it(struct session_wait *s, const struct word *w, const char *text)
{
    const char *last = strrchr(text, '/');

    s->class = w->class;
    s->told = true;
    if (w->class == WAIT_IO && strncasecmp(text, "wait/io/file/", 13) == 0)
        text += 13; /* "innodb/innodb_data_file" says more */
    else if (last)
        text = last + 1;
    if (strncasecmp(text, "Waiting for ", 12) == 0)
        text += 12;
    snprintf(s->name, sizeof s->name, "%.30s%s", w->name ? w->name : text,
             !w->name && strncmp(w->word, "Lock/", 5) == 0 ? " lock" : "");
    only_ascii(s->name);
}

/* A session without a word executes; with a state that says nothing, the thread may. */
static void classify(struct session_wait *s, enum wait_dialect d, const char *first,
                     const char *second)
{
    char text[2 * WAIT_NAME_SIZE];

    if ((strncasecmp(second, "wait/synch/", 11) == 0 ||
         strncasecmp(second, "wait/lock/", 10) == 0) &&
        *word_of(first)->word)
        second = ""; /* MySQL's state says more */
    snprintf(text, sizeof text, d == WAITS_PGSQL ? "%.39s/%.39s" : "%.40s",
             *second && d != WAITS_PGSQL ? second : first, second);
    const struct word *w = word_of(text);
    if (d == WAITS_PGSQL ? *first : *w->word) {
        name_it(s, w, text);
        return;
    }
    s->told = d == WAITS_PGSQL;
    s->class = s->told ? WAIT_CPU : WAIT_OTHER;
    snprintf(s->name, sizeof s->name, "%s", s->told ? "cpu" : *first ? first : "executing");
}

void server_waits_thread(struct session_wait *s, enum thread_does does, enum thread_file file)
{
    static const char *const on[] = {"file", "log", "temporary file", "network"};
    static const char *const verb[] = {
        [THREAD_READS] = "read", [THREAD_WRITES] = "write", [THREAD_SYNCS] = "sync", "I/O"};
    /* the last that MariaDB does for a statement is to await its log */
    const bool commits = strcasecmp(s->name, "Updating status") == 0,
               listens = does == THREAD_LISTENS || (does == THREAD_READS && file == FILE_SOCKET),
               over = listens &&
                      (s->class == WAIT_LOG || strcasecmp(s->name, "Writing to net") == 0) &&
                      s->thread != s->id; /* not PostgreSQL's latch */
    char name[WAIT_NAME_SIZE] = "cpu";

    if (does == THREAD_UNKNOWN || (s->told && does != THREAD_RUNS && !over))
        return;
    s->class = WAIT_CPU; /* if it listens, the statement has ended meanwhile */
    if (does == THREAD_SLEEPS) {
        s->class = commits ? WAIT_LOG : WAIT_LATCH;
        snprintf(name, sizeof name, commits ? "commit" : "latch in %.30s", s->name);
    } else if (!listens && does < COUNT(verb) && verb[does]) {
        s->class = file == FILE_OF_LOG ? WAIT_LOG : file == FILE_SOCKET ? WAIT_CLIENT : WAIT_IO;
        snprintf(name, sizeof name, "%s %s", on[file], verb[does]);
    }
    memcpy(s->name, name, sizeof name);
}

/* --- the answer --- */

static void add_pair(struct server_waits *w, int64_t id, int64_t blocker, unsigned char kind)
{
    w->pair = mem_append(w->pair, w->pairs, sizeof *w->pair);
    w->pair[w->pairs++] = (struct wait_pair){id, blocker, kind};
}

static void copy(char *out, size_t size, const sql_value *v)
{
    snprintf(out, size, "%.*s", v->ptr ? (int)v->len : 0, v->ptr ? v->ptr : "");
}

bool server_waits_take(struct server_waits *w, enum wait_dialect d, const sql_value *column,
                       size_t columns)
{
    char first[WAIT_NAME_SIZE], second[2 * WAIT_NAME_SIZE];
    double id, thread = 0, by;

    if (columns < 5 || !answer_number(&column[0], &id))
        return false;
    if (d != WAITS_PGSQL && column[4].ptr) {
        bool told = answer_number(&column[4], &by);
        if (told)
            add_pair(w, (int64_t)id, (int64_t)by, column[2].ptr ? *column[2].ptr & 3 : 0);
        return told;
    }
    if (column[1].ptr && !answer_number(&column[1], &thread))
        return false;
    if (!w->sessions || w->session[w->sessions - 1].id != (int64_t)id) /* else an event in it */
        w->session = mem_append(w->session, w->sessions++, sizeof *w->session);
    struct session_wait *s = &w->session[w->sessions - 1];
    *s = (struct session_wait){.id = (int64_t)id, .thread = (pid_t)thread};
    copy(first, sizeof first, &column[2]);
    copy(second, sizeof second, &column[3]);
    classify(s, d, first, second);
    s->blind = s->class == WAIT_LOCK && !column[4].ptr;
    if (columns > 5 && column[5].len < sizeof s->own) /* longer: no process that writes */
        copy(s->own, sizeof s->own, &column[5]);
    w->worker |= strcmp(s->own, "parallel worker") == 0;
    int64_t blocker = -1; /* "{12,7}" */
    for (size_t i = 0; column[4].ptr && i < column[4].len; i++) {
        unsigned digit = (unsigned)column[4].ptr[i] - '0';
        if (digit < 10)
            blocker = 10 * (blocker < 0 ? 0 : blocker) + digit;
        else if (blocker >= 0)
            add_pair(w, s->id, blocker, 0), blocker = -1;
    }
    return true;
}

static bool is_ours(const struct sql_ids *ours, int64_t id)
{
    return ours->n && bsearch(&id, ours->id, ours->n, sizeof *ours->id, sql_ids_order);
}

/* Pairs of one that waits; NULL: it does not. */
static const struct wait_pair *pairs_of(const struct server_waits *w, int64_t id)
{
    const struct wait_pair *p =
        w->pairs ? bsearch(&id, w->pair, w->pairs, sizeof *p, sql_ids_order) : NULL;

    while (p && p > w->pair && p[-1].id == id)
        p--;
    return p;
}

/* Of the sessions in the way, one of others if there is one, else one that does not wait, else any.
 */
static int64_t best_of(const struct server_waits *w, const struct wait_pair *p,
                       const struct sql_ids *ours)
{
    int64_t best = p->blocker, id = p->id;
    bool found = false;

    for (; p < w->pair + w->pairs && p->id == id; p++) {
        if (!is_ours(ours, p->blocker))
            return p->blocker;
        if (!found && !pairs_of(w, p->blocker))
            best = p->blocker, found = true;
    }
    return best;
}

/* The end of the chain, who does not wait; -1: it is a circle. */
static int64_t last_of(const struct server_waits *w, const struct wait_pair *p,
                       const struct sql_ids *ours)
{
    for (int i = 0; i < CHAIN_MOST; i++) {
        int64_t blocker = best_of(w, p, ours);
        p = pairs_of(w, blocker);
        if (!p)
            return blocker;
    }
    return -1;
}

int64_t server_waits_see(struct server_waits *w, const struct sql_ids *ours)
{
    static const char *const lock[4] = {"row lock", "InnoDB table lock", "metadata lock", "lock"};
    int64_t most_of = -1;
    const char *replica = NULL; /* one session of MySQL awaits it, for all that commit */
    size_t most = 0;

    w->blockers = 0;
    if (w->sessions)
        qsort(w->session, w->sessions, sizeof *w->session, sql_ids_order);
    if (w->pairs)
        qsort(w->pair, w->pairs, sizeof *w->pair, sql_ids_order);
    for (size_t i = 0; i < w->sessions; i++)
        if (strncasecmp(w->session[i].name, "semi-sync", 9) == 0)
            replica = w->session[i].name;
    for (size_t i = 0; i < w->sessions; i++) {
        struct session_wait *s = &w->session[i];
        const struct wait_pair *p = pairs_of(w, s->id);
        if (replica && strcmp(s->name, "handler commit") == 0)
            memcpy(s->name, replica, sizeof s->name);
        s->ours = is_ours(ours, s->id);
        s->blind &= !p;
        if (p && !(s->told && (s->class == WAIT_ROW || s->class == WAIT_LOCK))) {
            s->class = p->kind ? WAIT_LOCK : WAIT_ROW;
            s->told = true;
            snprintf(s->name, sizeof s->name, "%s", lock[p->kind]);
        }
        if (!s->ours || (s->class != WAIT_ROW && s->class != WAIT_LOCK))
            continue;
        int64_t blocker = p ? last_of(w, p, ours) : -1;
        if (is_ours(ours, blocker) || (p && blocker < 0))
            s->root = blocker;
        else if (blocker >= 0) {
            w->blocker = mem_append(w->blocker, w->blockers, sizeof *w->blocker);
            w->blocker[w->blockers++] = blocker;
        }
    }
    if (w->blockers)
        qsort(w->blocker, w->blockers, sizeof *w->blocker, sql_ids_order);
    for (size_t i = 0, from = 0; i < w->blockers; i++) {
        from = w->blocker[i] == w->blocker[from] ? from : i;
        if (i + 1 - from > most)
            most = i + 1 - from, most_of = w->blocker[i];
    }
    return most_of;
}

void server_waits_clear(struct server_waits *w)
{
    w->sessions = w->pairs = 0;
    w->worker = false;
}

void server_waits_free(struct server_waits *w)
{
    free(w->session);
    free(w->pair);
    free(w->blocker);
    *w = (struct server_waits){0};
}

void server_waits_who(char *out, size_t size, bool mysql, int64_t blocker, const sql_value *is,
                      size_t columns)
{
    bool told = is && columns && is->ptr && is->len;

    snprintf(out, size, blocker == 0 ? "a prepared transaction" : "%s %lld%s%.*s",
             mysql ? "id" : "pid", (long long)blocker, told ? ", " : "", told ? (int)is->len : 0,
             told ? is->ptr : "");
    only_ascii(out);
}

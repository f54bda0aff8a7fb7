/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See faults.h.  A client's lines end with that of the function of its script that failed ("`x'
 * function failed: ..."); it only repeats what the lines before it say, unless it is the only one.
 * Two errors are alike if their texts differ in nothing but numbers (keys, thread ids), other than
 * the error number, and in the query.
 */
#include "base/faults.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define MOST_ERRORS 16
/* Memory for one client's lines. */
#define MOST_TEXT 4096

/* What one client has printed so far. */
struct failing {
    struct str text; /* its lines without the last one, joined */
    struct str key;  /* what makes it like another */
    char **line;     /* as stock prints them; of the first FAULTS_ALONE only */
    size_t lines;
    bool failing; /* it has printed a line */
    bool shown;   /* printed at once */
    bool settled; /* its error is counted */
    bool hushed;  /* faults_hush() */
    bool told;    /* by an earlier faults_say */
};

/* Clients that failed alike. */
struct error {
    struct str key, text;
    size_t clients;
    bool went_on; /* their scripts did not end with it */
};

static struct {
    pthread_mutex_t lock;
    faults_who *_Atomic who;
    _Atomic bool running;
    struct failing **client; /* by number; NULL: it has not failed */
    size_t room;
    size_t failed;  /* clients */
    size_t printed; /* of them */
    struct failing *first[FAULTS_ALONE];
    struct error error[MOST_ERRORS];
    size_t errors;
    size_t others; /* clients with further errors */
    bool left;     /* faults_leave() */
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* "`thread_init' function failed: ..." */
static bool is_last(const char *line)
{
    return line[0] == '`' && strstr(line, "' function failed: ");
}

/* --- one client --- */

static bool follows(const char *line, const char *at, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(at - line) >= n && memcmp(at - n, word, n) == 0;
}

/* "mysql_stmt_execute() returned error 2013 (...": whatever function returned it. */
static const char *without_function(const char *line)
{
    const char *error = strstr(line, "() returned error ");

    return error ? error : line;
}

/* The text up to the query, without numbers that differ between clients. */
static void add_key(struct str *key, const char *line)
{
    const char *query = strstr(line, " for query '"), *end = query ? query : strchr(line, '\0');

    for (const char *p = without_function(line); p < end;) {
        size_t digits = strspn(p, "0123456789");
        if (digits == 0)
            str_add(key, p++, 1);
        else if (follows(line, p, "error ") || follows(line, p, "error: "))
            str_add(key, p, digits);
        p += digits;
    }
}

/* Without what stock adds to the line, and on one line. */
static void add_text(struct str *text, const char *line)
{
    static const char aborting[] = ", aborting...";
    size_t n = strlen(line), tail = sizeof aborting - 1;

    while (n > 0 && isspace((unsigned char)line[n - 1]))
        n--;
    if (n > tail && strncmp(line + n - tail, aborting, tail) == 0)
        n -= tail;
    if (text->len)
        str_adds(text, ": ");
    if (n > 0 && line[n - 1] == '^') /* PostgreSQL points at a place in the line above */
        n--;
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        n--;
    for (size_t i = 0, blank; i < n; i += blank) {
        blank = strspn(line + i, " \t\n");
        if (blank == 0)
            str_add(text, line + i, blank = 1);
        else if (i > 0)
            str_adds(text, memchr(line + i, '\n', blank) ? "; " : " ");
    }
}

static void note(struct failing *f, const char *line)
{
    if (is_last(line) && f->text.len)
        return;
    if (f->text.len > MOST_TEXT)
        return;
    if (strncmp(line, "failed query was: ", 18) != 0)
        add_key(&f->key, line);
    add_text(&f->text, line);
}

static void keep_line(struct failing *f, const char *line)
{
    if (held.failed > FAULTS_ALONE)
        return;
    f->line = mem_grow(f->line, f->lines + 1, sizeof(char *));
    f->line[f->lines++] = mem_strdup(line);
}

static struct failing *find_or_make(int client)
{
    size_t i = (size_t)client;
    struct failing *f;

    if (i >= held.room) {
        size_t room = i + 1 > 2 * held.room ? i + 1 : 2 * held.room;
        held.client = mem_grow(held.client, room, sizeof(struct failing *));
        memset(held.client + held.room, 0, (room - held.room) * sizeof(struct failing *));
        held.room = room;
    }
    if (!held.client[i])
        held.client[i] = mem_alloc(sizeof *f);
    return held.client[i];
}

/* Its first line. */
static void note_failing(struct failing *f)
{
    f->failing = true;
    if (held.failed < FAULTS_ALONE)
        held.first[held.failed] = f;
    f->shown = held.failed++ == 0 && atomic_load(&held.running);
    held.printed += f->shown;
}

/* --- the errors --- */

static void count(struct error *e, struct failing *f)
{
    if (e->clients++ == 0) {
        str_adds(&e->text, str_cstr(&f->text));
        str_adds(&e->key, str_cstr(&f->key));
    }
}

/* Counts a client's error and lets go of its text.  `went_on`: it has not printed its last line. */
static void settle(struct failing *f, bool went_on)
{
    size_t i = 0;

    while (i < held.errors && (strcmp(str_cstr(&held.error[i].key), str_cstr(&f->key)) != 0 ||
                               held.error[i].went_on != went_on))
        i++;
    if (i < MOST_ERRORS) {
        held.errors += i == held.errors;
        held.error[i].went_on = went_on;
        count(&held.error[i], f);
    } else {
        held.others++;
    }
    f->settled = true;
    str_free(&f->text);
    str_free(&f->key);
}

/* --- in and out --- */

/* log_msg's: true when the line is held. */
static bool take(const char *line)
{
    faults_who *who = atomic_load(&held.who);
    int client = who ? who() : -1;
    struct failing *f;
    bool shown;

    if (client < 0 || log_verbosity() >= LOG_DEBUG)
        return false;
    pthread_mutex_lock(&held.lock);
    f = held.left ? NULL : find_or_make(client);
    if (!f || f->hushed) {
        pthread_mutex_unlock(&held.lock);
        return true;
    }
    if (!f->failing)
        note_failing(f);
    shown = f->shown;
    if (!f->settled && !shown) {
        note(f, line);
        keep_line(f, line);
        if (is_last(line))
            settle(f, false);
    }
    pthread_mutex_unlock(&held.lock);
    return !shown;
}

static void say_lines(void)
{
    for (size_t i = 0; i < held.failed; i++) {
        struct failing *f = held.first[i];
        for (size_t j = 0; j < f->lines && !f->told; j++)
            log_fatal("%s", f->line[j]);
    }
}

static void say_sentences(void)
{
    const char *more = held.printed ? " more" : "";

    for (size_t i = 0; i < held.errors; i++) {
        const struct error *e = &held.error[i];
        log_fatal("%zu%s client%s %s: %s", e->clients, more, e->clients == 1 ? "" : "s",
                  e->went_on ? "had an error" : "failed", str_cstr(&e->text));
    }
    if (held.others)
        log_fatal("%zu more clients failed with other errors", held.others);
}

static void forget_errors(void)
{
    for (size_t i = 0; i < held.errors; i++) {
        str_free(&held.error[i].text);
        str_free(&held.error[i].key);
        held.error[i].clients = 0;
    }
    held.errors = held.others = 0;
}

static void tell_all(void)
{
    for (size_t i = 0; i < held.room; i++)
        if (held.client[i] && held.client[i]->failing && !held.client[i]->settled &&
            !held.client[i]->shown)
            settle(held.client[i], true);
    if (held.failed > FAULTS_ALONE)
        say_sentences();
    else
        say_lines();
    for (size_t i = 0; i < held.room; i++)
        if (held.client[i])
            held.client[i]->told = true;
    held.printed = held.failed;
    forget_errors();
}

static void release(struct failing *f)
{
    if (!f)
        return;
    for (size_t j = 0; j < f->lines; j++)
        free(f->line[j]);
    free(f->line);
    free(f);
}

void faults_begin(faults_who *who)
{
    pthread_mutex_lock(&held.lock);
    held.left = false;
    pthread_mutex_unlock(&held.lock);
    atomic_store(&held.running, false);
    atomic_store(&held.who, who);
    log_divert_fatal(take);
}

void faults_running(void)
{
    atomic_store(&held.running, true);
}

void faults_hush(int client)
{
    pthread_mutex_lock(&held.lock);
    if (atomic_load(&held.who))
        find_or_make(client)->hushed = true;
    pthread_mutex_unlock(&held.lock);
}

void faults_say(void)
{
    pthread_mutex_lock(&held.lock);
    if (held.failed > 0)
        tell_all();
    pthread_mutex_unlock(&held.lock);
}

static void end(bool left)
{
    faults_say();
    pthread_mutex_lock(&held.lock);
    held.left = left;
    if (!left) {
        log_divert_fatal(NULL);
        atomic_store(&held.who, NULL);
    }
    for (size_t i = 0; i < held.room; i++)
        release(held.client[i]);
    free(held.client);
    held.client = NULL;
    held.room = held.failed = held.printed = 0;
    pthread_mutex_unlock(&held.lock);
}

void faults_end(void)
{
    end(false);
}

void faults_leave(void)
{
    end(true);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See client_errors.h.
 */
#include "base/client_errors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define MOST_CODES 32
#define CODE_SIZE  16

static struct {
    pthread_mutex_t lock;
    client_errors_who *_Atomic who;
    enum { NOT_FAILED, SHOWN, SILENT } * client; /* by number */
    size_t room;
    struct {
        char code[CODE_SIZE];
        size_t more; /* clients whose lines were not printed */
    } kind[MOST_CODES];
    size_t kinds;
    bool left; /* client_errors_leave() */
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local char next_code[CODE_SIZE];
static char first_code[CODE_SIZE]; /* of the process; guarded by the lock */

void client_errors_code(int number, const char *text)
{
    if (number)
        snprintf(next_code, sizeof next_code, "%d", number);
    else
        snprintf(next_code, sizeof next_code, "%s", text);
    pthread_mutex_lock(&held.lock);
    if (!*first_code)
        strcpy(first_code, next_code);
    pthread_mutex_unlock(&held.lock);
}

const char *client_errors_first(void)
{
    pthread_mutex_lock(&held.lock); /* it is written once, and then whole */
    const char *code = *first_code ? first_code : "";
    pthread_mutex_unlock(&held.lock);
    return code;
}

static void make_room(size_t client)
{
    size_t room = client + 1 > 2 * held.room ? client + 1 : 2 * held.room;

    if (client < held.room)
        return;
    held.client = mem_grow(held.client, room, sizeof *held.client);
    memset(held.client + held.room, 0, (room - held.room) * sizeof *held.client);
    held.room = room;
}

/* log_divert_fatal()'s: true when the line is not to be printed. */
static bool take(const char *line)
{
    int client = client_errors_here();
    bool silent = true;
    size_t i = 0;

    (void)line;
    if (client < 0 || log_verbosity() >= LOG_DEBUG)
        return false;
    pthread_mutex_lock(&held.lock);
    if (!held.left) {
        make_room((size_t)client);
        if (held.client[client] == NOT_FAILED) {
            while (i < held.kinds && strcmp(held.kind[i].code, next_code) != 0)
                i++;
            held.client[client] = i < held.kinds ? SILENT : SHOWN;
            if (i < held.kinds)
                held.kind[i].more++;
            else if (i < MOST_CODES)
                strcpy(held.kind[held.kinds++].code, next_code);
        }
        silent = held.client[client] == SILENT;
    }
    next_code[0] = '\0';
    pthread_mutex_unlock(&held.lock);
    return silent;
}

void client_errors_begin(client_errors_who *who)
{
    pthread_mutex_lock(&held.lock);
    held.left = false;
    pthread_mutex_unlock(&held.lock);
    atomic_store(&held.who, who);
    log_divert_fatal(take);
}

int client_errors_here(void)
{
    client_errors_who *who = atomic_load(&held.who);

    return who ? who() : -1;
}

void client_errors_hush(int client)
{
    pthread_mutex_lock(&held.lock);
    if (atomic_load(&held.who)) {
        make_room((size_t)client);
        held.client[client] = SILENT;
    }
    pthread_mutex_unlock(&held.lock);
}

void client_errors_print(void)
{
    pthread_mutex_lock(&held.lock);
    for (size_t i = 0; i < held.kinds; i++) {
        size_t n = held.kind[i].more;
        const char *code = held.kind[i].code;
        if (n)
            log_fatal("%zu more client%s met %s%s", n, n == 1 ? "" : "s",
                      *code ? "error " : "an error", code);
        held.kind[i].more = 0;
    }
    pthread_mutex_unlock(&held.lock);
}

static void end(bool left)
{
    client_errors_print();
    pthread_mutex_lock(&held.lock);
    held.left = left;
    if (!left) {
        log_divert_fatal(NULL);
        atomic_store(&held.who, NULL);
    }
    free(held.client);
    held.client = NULL;
    held.room = held.kinds = 0;
    pthread_mutex_unlock(&held.lock);
}

void client_errors_end(void)
{
    end(false);
}

void client_errors_leave(void)
{
    end(true);
}

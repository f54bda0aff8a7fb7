/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See raw_log.h.  The rings together take at most some 64 MiB, so that ten thousand clients can be
 * logged; a ring of the least size takes 12,800 records a second.
 */
#include "report/raw_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "report/json.h"
#include "report/out.h"

#define ALL_RECORDS   (UINT64_C(1) << 21)
#define MOST_RECORDS  (UINT64_C(1) << 18)
#define LEAST_RECORDS 256
#define PERIOD        (20 * NS_PER_MS)
#define PIECE         (256 * 1024) /* written at once */

struct raw_log {
    struct out out;
    struct raw_ring *ring;
    int clients;
    struct share share;
    struct clock *clock;
    mono_ns base;
    uint64_t records;    /* written so far */
    struct marks *marks; /* NULL: none */
    size_t marked;       /* written so far */
    struct str text, chunk;
    pthread_t thread;
    bool running;
    _Atomic uint32_t stop; /* futex */
};

static void flush(struct raw_log *l)
{
    if (l->text.len)
        out_append(&l->out, l->text.s, l->text.len);
    str_reset(&l->text);
}

static void drain_all(struct raw_log *l)
{
    size_t n = l->marks ? marks_count(l->marks) : 0;

    for (; l->marked < n; l->marked++) {
        const struct mark *m = marks_at(l->marks, l->marked);
        str_add(&l->text, "M", 1);
        str_zigzag(&l->text, m->at - l->base);
        str_leb128(&l->text, strlen(m->text));
        str_adds(&l->text, m->text);
    }
    for (int i = 0; i < l->clients; i++) { /* a ring is one chunk */
        struct raw_ring *r = &l->ring[i];
        mono_ns before = l->base;
        n = raw_ring_available(r);
        if (n == 0)
            continue;
        str_reset(&l->chunk);
        for (size_t k = 0; k < n; k++) {
            const struct raw_record *v = raw_ring_at(r, k);
            str_zigzag(&l->chunk, v->begun - before);
            before = v->begun;
            str_zigzag(&l->chunk, v->lag);
            str_leb128(&l->chunk,
                       (uint64_t)(v->service > 0 ? v->service : 0) << 2 | (uint64_t)v->outcome);
        }
        raw_ring_remove(r, n);
        str_add(&l->text, "R", 1);
        str_leb128(&l->text, share_number(l->share, (uint64_t)i));
        str_leb128(&l->text, n);
        str_leb128(&l->text, atomic_load_explicit(&r->lost, memory_order_relaxed));
        str_leb128(&l->text, l->chunk.len);
        str_add(&l->text, l->chunk.s, l->chunk.len);
        l->records += n;
        if (l->text.len >= PIECE)
            flush(l);
    }
    flush(l);
}

static void *writer_thread(void *arg)
{
    struct raw_log *l = arg;
    mono_ns next = clock_mono();

    do {
        drain_all(l);
        next = next + PERIOD > clock_mono() ? next + PERIOD : clock_mono();
    } while (clock_sleep_until(next, &l->stop, 0));
    return NULL;
}

int raw_log_check(const char *path, struct err *e)
{
    if (out_is_stdout(path))
        return err_set(e, ERR_USAGE,
                       "--raw-log=%s: a raw log is binary, and standard output is for text", path);
    return out_check(path, false, e) ? err_add(e, "--raw-log=%s", path) : 0;
}

int raw_log_open(struct raw_log **out, const struct raw_log_spec *spec, struct err *e)
{
    struct raw_log *l = mem_alloc(sizeof *l);
    uint64_t size = MOST_RECORDS;

    *out = l;
    l->clients = spec->clients;
    l->share = share_checked(spec->share);
    l->clock = spec->clock;
    l->base = clock_now(l->clock);
    l->marks = spec->marks;
    while (size > LEAST_RECORDS && size * (uint64_t)l->clients > ALL_RECORDS)
        size /= 2;
    l->ring = mem_array_aligned((size_t)l->clients, sizeof *l->ring);
    for (int i = 0; i < l->clients; i++) {
        l->ring[i].size = size;
        /* untouched pages cost nothing */
        l->ring[i].record = mem_array(size, sizeof(struct raw_record));
    }
    if (out_open(&l->out, spec->path, e))
        return err_add(e, "--raw-log");
    str_adds(&l->text, "{\"format\":\"sysbench-tx/raw-log/1\",\"version\":");
    json_string(&l->text, spec->version);
    str_printf(&l->text, ",\"clients\":%d,\"has_rate\":%s,\"mono_ns\":%lld,\"wall_unix_ns\":%lld",
               l->clients, spec->has_rate ? "true" : "false", (long long)l->base,
               (long long)(l->clock ? clock_wall() : clock_wall_at(l->base)));
    if (l->share.ranks > 1)
        str_printf(&l->text, ",\"rank\":%d,\"ranks\":%d", (int)l->share.rank, (int)l->share.ranks);
    str_adds(&l->text, "}\n");
    flush(l);             /* within the limits of any file: the run has not begun */
    out_patient(&l->out); /* what does not fit into the rings meanwhile is counted */
    int rc = pthread_create(&l->thread, NULL, writer_thread, l);
    if (rc)
        return err_sys(e, rc, "--raw-log: cannot create its thread");
    l->running = true;
    return 0;
}

struct raw_ring *raw_log_ring(struct raw_log *l, int client)
{
    return &l->ring[client];
}

int raw_log_close(struct raw_log *l, const struct snapshot *final)
{
    uint64_t lost = 0;

    out_ending(&l->out);
    if (l->running) {
        atomic_store(&l->stop, 1);
        clock_wake(&l->stop);
        pthread_join(l->thread, NULL);
    }
    drain_all(l);
    for (int i = 0; i < l->clients; i++)
        lost += atomic_load(&l->ring[i].lost);
    /* when nothing was measured, measuring begins and ends now: the records in the file belong to
     * the warm-up */
    dur_ns until = (final ? final->at : clock_now(l->clock)) - l->base;
    str_add(&l->text, "E", 1);
    str_zigzag(&l->text, final ? until - final->elapsed_ns : until);
    str_zigzag(&l->text, until);
    str_leb128(&l->text, l->records);
    str_leb128(&l->text, lost);
    flush(l);
    if (lost)
        log_alert("--raw-log: %llu of %llu transactions are missing from '%s': it could not be "
                  "written fast enough",
                  (ull)lost, (ull)(lost + l->records), l->out.path);
    return out_close(&l->out) || lost ? -1 : 0;
}

void raw_log_free(struct raw_log *l)
{
    if (!l)
        return;
    out_close(&l->out);
    for (int i = 0; i < l->clients; i++)
        free(l->ring[i].record);
    free(l->ring);
    str_free(&l->text);
    str_free(&l->chunk);
    free(l);
}

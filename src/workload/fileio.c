/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `fileio` as a workload: its clients take requests (fileio_modes) and give them
 * to an engine; each request is one event.  Reads, writes, fsyncs and bytes are counted in the
 * client's counters when they are complete, which with the asynchronous engine may be some events
 * later.
 *
 * A client that writes also fsyncs every file when its loop is over (--file-fsync-end): no event,
 * but part of the run's time and of its fsyncs.
 *
 * --file-io-mode=sync: pread, pwrite and fsync, one after the other.
 *
 * --file-io-mode=mmap: every file is mapped whole, once, for all clients; reading and writing are
 * copies from and to the mapping, and msync() replaces fsync().  A page that the kernel cannot read
 * or write raises SIGBUS, as with any mapping.
 *
 * old_fsync_note: in 0.4 and 0.5 a fsync is no event.  When a round is due, clients do it between
 * their events; no latency contains it.  The fsyncs of the end are one round of the whole run, and
 * only a run that was not ended by its time has them.  In 0.4 a sequential run is one pass over all
 * files, with no round before its end, and --max-requests does not apply.
 */
#include "workload/fileio.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#include "config.h"

/* --- the end of a request --- */

int fileio_fsync(struct fileio *f, int file, struct err *e)
{
    int rc = f->o.fdatasync ? fdatasync(f->fd[file]) : fsync(f->fd[file]);

    return rc ? err_set(e, ERR_FAILED, "Failed to fsync file! file: %d errno = %d (%s)", file,
                        errno, strerror(errno))
              : 0;
}

void fileio_fill(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                 void *buf)
{
    if (f->o.validate)
        fileio_check_fill(&f->check, c->rng, buf, q->size, q->pos);
}

int fileio_complete(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    const void *buf, int64_t done, int errnum, struct err *e)
{
    struct counters *n = client_counters(c->client);
    bool read = q->op == FILEIO_READ;
    struct fileio_mismatch m;

    fileio_modes_done(&f->modes, q);
    if (done < 0)
        return err_set(e, ERR_FAILED, "Failed to %s file! file: %d pos: %lld errno = %d (%s)",
                       read ? "read" : "write", q->file, (long long)q->pos, errnum,
                       strerror(errnum));
    if (done != (int64_t)q->size)
        return err_set(e, ERR_FAILED,
                       "Failed to %s file! file: %d pos: %lld errno = 0 (only %lld of %zu bytes)",
                       read ? "read" : "write", q->file, (long long)q->pos, (long long)done,
                       q->size);
    if (read && f->o.validate && fileio_check_verify(&f->check, buf, q->size, q->pos, &m)) {
        if (m.in_offset) {
            log_fatal("Offset mismatch in block:");
            log_fatal("   Actual offset: %lld    Stored offset: %lld", (long long)m.at,
                      (long long)m.stored_offset);
        } else {
            log_fatal("Checksum mismatch in block with offset: %lld", (long long)m.at);
            log_fatal("    Calculated value: 0x%x    Stored value: 0x%x", m.computed, m.stored);
        }
        return err_set(e, ERR_FAILED, "Validation failed on file %d, block offset %lld, exiting...",
                       q->file, (long long)m.at);
    }
    counters_add(n, read ? CNT_BYTES_READ : CNT_BYTES_WRITTEN, q->size);
    counters_add(n, read ? CNT_READ : CNT_WRITE, 1);
    return 0;
}

/* --- engines --- */

static int sync_transfer(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                         struct err *e)
{
    int fd = f->fd[q->file];
    ssize_t n;

    if (q->op == FILEIO_WRITE)
        fileio_fill(f, c, q, c->buf);
    do {
        n = q->op == FILEIO_READ ? pread(fd, c->buf, q->size, q->pos)
                                 : pwrite(fd, c->buf, q->size, q->pos);
    } while (n < 0 && errno == EINTR);
    return fileio_complete(f, c, q, c->buf, n, n < 0 ? errno : 0, e);
}

static const struct fileio_engine sync_engine = {
    .transfer = sync_transfer,
    .fsync = fileio_fsync,
};

static void unmap(struct fileio *f)
{
    for (int i = 0; f->map && i < f->o.files; i++)
        if (f->map[i])
            munmap(f->map[i], (size_t)f->o.file_size);
    free(f->map);
    f->map = NULL;
}

static int map_all(struct fileio *f, struct err *e)
{
    f->map = mem_array((size_t)f->o.files, sizeof *f->map);
    for (int i = 0; i < f->o.files; i++) {
        void *p = MAP_FAILED;
        /* a new file is empty, and beyond its end there is nothing to copy to */
        bool extended = f->o.mode != FILEIO_SEQWR || ftruncate(f->fd[i], f->o.file_size) == 0;
        if (extended)
            p = mmap(NULL, (size_t)f->o.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd[i], 0);
        if (p == MAP_FAILED) {
            if (extended)
                err_sys(e, errno, "Cannot map file 'test_file.%d' (%lld bytes)", i,
                        (long long)f->o.file_size);
            else
                err_sys(e, errno, "Cannot extend file 'test_file.%d'", i);
            unmap(f);
            return -1;
        }
        f->map[i] = p;
    }
    return 0;
}

/* Clients may copy from and to the same bytes at once: the test intends that, so it is hidden from
 * the thread sanitizer. */
#ifndef __has_feature /* clang's way to ask */
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
__attribute__((no_sanitize_thread)) static void copy(void *to, const void *from, size_t n)
{
    volatile unsigned char *t = to;
    const volatile unsigned char *s = from;

    while (n-- > 0)
        *t++ = *s++;
}
#else
static void copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

static int map_transfer(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                        struct err *e)
{
    unsigned char *at = (unsigned char *)f->map[q->file] + q->pos;

    if (q->op == FILEIO_WRITE) {
        fileio_fill(f, c, q, c->buf);
        copy(at, c->buf, q->size);
    } else {
        copy(c->buf, at, q->size);
    }
    return fileio_complete(f, c, q, c->buf, (int64_t)q->size, 0, e);
}

static int map_sync(struct fileio *f, int file, struct err *e)
{
    if (msync(f->map[file], (size_t)f->o.file_size, MS_SYNC | MS_INVALIDATE))
        return err_sys(e, errno, "Failed to msync file! file: %d", file);
    return 0;
}

static const struct fileio_engine mmap_engine = {
    .open = map_all,
    .close = unmap,
    .transfer = map_transfer,
    .fsync = map_sync,
};

/* --- events --- */

static int drain(struct fileio *f, struct fileio_client *c, struct err *e)
{
    return f->engine->drain ? f->engine->drain(f, c, e) : 0;
}

static int sync_file(struct fileio *f, struct fileio_client *c, int file, struct err *e)
{
    if (f->engine->fsync(f, file, e))
        return -1;
    counters_add(client_counters(c->client), CNT_OTHER, 1);
    return 0;
}

static int execute(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                   struct err *e)
{
    if (f->o.debug)
        log_debug("Executing request, operation: %d, file_id: %d, pos: %lld, size: %zu", (int)q->op,
                  q->file, (long long)q->pos, q->size);
    if (q->op == FILEIO_FSYNC)
        return sync_file(f, c, q->file, e);
    if (f->engine->transfer(f, c, q, e))
        return -1;
    if (q->op != FILEIO_WRITE || !f->o.fsync_all)
        /* a client that sleeps must hold no block */
        return f->o.validate && f->o.pauses ? drain(f, c, e) : 0;
    /* files that are only read need no fsync */
    return drain(f, c, e) || sync_file(f, c, q->file, e) ? -1 : 0;
}

static void print_header(struct workload *w)
{
    struct str s = STR_INIT;

    fileio_header_text(&((struct fileio *)w)->o, &s);
    log_block(str_cstr(&s), s.len, false);
    str_free(&s);
}

static int open_files(struct workload *w, struct err *e)
{
    struct fileio *f = (struct fileio *)w;

    if (fileio_open_files(&f->o, f->fd, e))
        return -1;
    return f->engine->open ? f->engine->open(f, e) : 0;
}

static int client_open(struct workload *w, struct client *client, void **state, struct err *e)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = mem_alloc(sizeof *c);

    *state = c;
    c->client = client;
    c->rng = client_rng(client);
    c->buf = fileio_buffer(f->o.request);
    return f->engine->client_open ? f->engine->client_open(f, c, e) : 0;
}

static int one_event(struct fileio *f, struct fileio_client *c, struct err *e)
{
    struct fileio_request q;
    int rc = 0;

    /* all blocks that were drawn may be in flight, this client's own among them */
    while (!fileio_modes_next(&f->modes, c->rng, &q)) {
        if ((rc = drain(f, c, e)) != 0)
            break;
        sched_yield();
    }
    client_begin(c->client);
    if (rc || execute(f, c, &q, e)) {
        client_fail(c->client);
        return -1;
    }
    client_end(c->client);
    return 0;
}

/* The fsyncs that are due, until the time is over (old_fsync_note). */
static int old_round(struct fileio *f, struct fileio_client *c, bool end, struct err *e)
{
    struct fileio_request q;

    while (fileio_modes_next_fsync(&f->modes, end, &q) && client_retry(c->client))
        if (drain(f, c, e) || sync_file(f, c, q.file, e))
            return -1;
    return 0;
}

static int client_run(struct workload *w, struct client *client, void *state, struct err *e)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = state;

    while (f->o.fsync_between) { /* old_fsync_note */
        if (old_round(f, c, false, e))
            return -1;
        if (!fileio_modes_claim(&f->modes) || !client_next(client))
            return drain(f, c, e) || (f->o.fsync_end && old_round(f, c, true, e)) ? -1 : 0;
        if (one_event(f, c, e))
            return -1;
    }
    while (client_next(client))
        if (one_event(f, c, e))
            return -1;
    /* now, not when all clients have finished: others may wait for these blocks */
    return drain(f, c, e);
}

/* Even after a failure, nothing may be in flight when the buffers are freed. */
static int client_close(struct workload *w, struct client *client, void *state, bool failed_before,
                        struct err *e)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = state;

    (void)client;
    if (failed_before) {
        drain(f, c, NULL);
        return 0;
    }
    if (drain(f, c, e))
        return -1;
    for (int i = 0; f->o.fsync_end && !f->o.fsync_between && fileio_mode_facts[f->o.mode].writes &&
                    i < f->o.files;
         i++)
        if (sync_file(f, c, i, e))
            return -1;
    return 0;
}

static void client_free(struct workload *w, struct client *client, void *state)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = state;

    (void)client;
    if (!c)
        return;
    if (f->engine->client_close)
        f->engine->client_close(f, c);
    free(c->buf);
    free(c);
}

static void render_interval(const struct workload *w, const struct snapshot *s, struct str *out)
{
    fileio_text_interval(out, s, ((const struct fileio *)w)->o.form);
}

static bool render_cumulative(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out)
{
    (void)w;
    return fileio_text_cumulative(out, s, generation_facts(g)->form);
}

static const struct workload_ops ops = {
    .name = "fileio",
    .print_header = print_header,
    .open = open_files,
    .client_open = client_open,
    .client_run = client_run,
    .client_close = client_close,
    .client_free = client_free,
    .render_interval = render_interval,
    .render_cumulative = render_cumulative,
};

static const struct fileio_engine *const engines[] = {
    [FILEIO_IO_SYNC] = &sync_engine,
#ifdef HAVE_LIBAIO
    [FILEIO_IO_ASYNC] = &fileio_async,
#endif
    [FILEIO_IO_MMAP] = &mmap_engine,
};

static struct workload *open_fileio(const struct builtin_env *env, struct err *e)
{
    struct fileio *f = mem_alloc(sizeof *f);

    if (fileio_options_read(&f->o, env, FILEIO_RUN, e)) {
        free(f);
        return NULL;
    }
    f->engine = engines[f->o.io];
    f->w = (struct workload){.ops = &ops, .name = ops.name, .own_limit = f->o.once};
    f->fd = mem_array((size_t)f->o.files, sizeof *f->fd);
    for (int i = 0; i < f->o.files; i++)
        f->fd[i] = -1;
    fileio_modes_init(&f->modes, &f->o);
    fileio_check_setup(&f->check, f->o.block);
    return &f->w;
}

static void close_fileio(struct workload *w)
{
    struct fileio *f = (struct fileio *)w;

    if (f->engine->close)
        f->engine->close(f);
    fileio_close_files(&f->o, f->fd);
    fileio_modes_fini(&f->modes);
    free(f->fd);
    free(f);
}

static int prepare(const struct builtin_env *env, struct err *e)
{
    /* what the files depend on; the others are read to be checked */
    static const char *const of_files[] = {"file-num", "file-total-size", "file-block-size",
                                           "validate"};
    struct fileio_options f;

    for (size_t i = 0; i < COUNT(of_files); i++)
        opt_note(env->opts, of_files[i]);
    return fileio_options_read(&f, env, FILEIO_PREPARE, e) || fileio_prepare(&f, e) ? -1 : 0;
}

static int cleanup(const struct builtin_env *env, struct err *e)
{
    struct fileio_options f;

    return fileio_options_read(&f, env, FILEIO_CLEANUP, e) || fileio_cleanup(&f, e) ? -1 : 0;
}

const struct builtin builtin_fileio = {
    .name = "fileio",
    .title = "File I/O test",
    .example = "  sysbench fileio --file-total-size=8G prepare\n"
               "  sysbench fileio --file-total-size=8G --file-test-mode=rndrw --time=60 run\n"
               "  sysbench fileio --file-total-size=8G cleanup\n",
    .rows = fileio_rows,
    .open = open_fileio,
    .close = close_fileio,
    .prepare = prepare,
    .cleanup = cleanup,
};

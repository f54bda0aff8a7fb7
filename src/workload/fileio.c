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
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "workload/builtin.h"
#include "workload/fileio_files.h"
#include "workload/fileio_report.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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

static int failed(const struct fileio_request *q, int64_t done, int errnum, struct err *e)
{
    const char *what = q->op == FILEIO_READ ? "read" : "write";

    if (done < 0)
        return err_set(e, ERR_FAILED, "Failed to %s file! file: %d pos: %lld errno = %d (%s)", what,
                       q->file, (long long)q->pos, errnum, strerror(errnum));
    return err_set(e, ERR_FAILED,
                   "Failed to %s file! file: %d pos: %lld errno = 0 (only %lld of %zu bytes)", what,
                   q->file, (long long)q->pos, (long long)done, q->size);
}

static int verify(struct fileio *f, const struct fileio_request *q, const void *buf, struct err *e)
{
    struct fileio_mismatch m;

    if (fileio_check_verify(&f->check, buf, q->size, q->pos, &m) == 0)
        return 0;
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

int fileio_complete(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    const void *buf, int64_t done, int errnum, struct err *e)
{
    struct counters *n = client_counters(c->client);
    bool read = q->op == FILEIO_READ;

    fileio_modes_done(&f->modes, q);
    if (done != (int64_t)q->size)
        return failed(q, done, errnum, e);
    if (read && f->o.validate && verify(f, q, buf, e))
        return -1;
    counters_add(n, read ? CNT_BYTES_READ : CNT_BYTES_WRITTEN, q->size);
    counters_add(n, read ? CNT_READ : CNT_WRITE, 1);
    return 0;
}

static int drain(struct fileio *f, struct fileio_client *c, struct err *e)
{
    return f->engine->drain ? f->engine->drain(f, c, e) : 0;
}

static int sync_file(struct fileio *f, struct fileio_client *c, int file, struct err *e)
{
    if (f->engine->fsync(f, c, file, e))
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

/* The next request; all blocks that were drawn may be in flight, this client's own among them. */
static int next_request(struct fileio *f, struct fileio_client *c, struct fileio_request *q,
                        struct err *e)
{
    while (!fileio_modes_next(&f->modes, c->rng, q)) {
        if (drain(f, c, e))
            return -1;
        sched_yield();
    }
    return 0;
}

static void print_header(struct workload *w)
{
    struct str s = STR_INIT;

    fileio_header_text(&((struct fileio *)w)->o, &s);
    log_block(str_cstr(&s), s.len);
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
    int rc = next_request(f, c, &q, e);

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

static int old_run(struct fileio *f, struct fileio_client *c, struct err *e)
{
    do {
        if (old_round(f, c, false, e))
            return -1;
        if (!fileio_modes_claim(&f->modes) || !client_next(c->client))
            return drain(f, c, e) || (f->o.fsync_end && old_round(f, c, true, e)) ? -1 : 0;
    } while (one_event(f, c, e) == 0);
    return -1;
}

static int client_run(struct workload *w, struct client *client, void *state, struct err *e)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = state;

    if (f->o.old)
        return old_run(f, c, e);
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
    for (int i = 0; f->o.fsync_end && !f->o.old && fileio_mode_writes(f->o.mode) && i < f->o.files;
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
    [FILEIO_IO_SYNC] = &fileio_sync,
#ifdef HAVE_LIBAIO
    [FILEIO_IO_ASYNC] = &fileio_async,
#endif
    [FILEIO_IO_MMAP] = &fileio_mmap,
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
    struct fileio_options f;

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
    .options = fileio_options_declare,
    .open = open_fileio,
    .close = close_fileio,
    .prepare = prepare,
    .cleanup = cleanup,
};

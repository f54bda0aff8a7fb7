/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `fileio` as a workload: its clients take requests (fileio_modes) and give them
 * to an engine; each request is one event.  Reads, writes, fsyncs and bytes are counted in the
 * client's counters when they are complete, which with the asynchronous engine may be some events
 * later.
 *
 * A client that writes also fsyncs every file when its loop is over (--file-fsync-end): no event,
 * but part of the run's time and of its fsyncs.
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

static int client_run(struct workload *w, struct client *client, void *state, struct err *e)
{
    struct fileio *f = (struct fileio *)w;
    struct fileio_client *c = state;

    while (client_next(client)) {
        struct fileio_request q;
        int rc = next_request(f, c, &q, e);
        client_begin(client);
        if (rc || execute(f, c, &q, e)) {
            client_fail(client);
            return -1;
        }
        client_end(client);
    }
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
    for (int i = 0; f->o.fsync_end && fileio_mode_writes(f->o.mode) && i < f->o.files; i++)
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
    (void)w;
    fileio_text_interval(out, s);
}

static bool render_cumulative(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out)
{
    static const struct {
        void (*render)(struct str *out, const struct snapshot *s);
        bool whole; /* nothing follows */
    } report[FORM_MAX] = {
        [FORM_1_0] = {fileio_text_1_0, false},
        [FORM_1_1] = {fileio_text_1_1, true},
    };
    enum report_form form = generation_facts(g)->form;

    (void)w;
    if (!report[form].render) /* a form without a format of its own prints 1.0's */
        form = FORM_1_0;
    report[form].render(out, s);
    return report[form].whole;
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
    f->w = (struct workload){.ops = &ops, .name = ops.name};
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

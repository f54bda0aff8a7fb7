/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/workload: the files test_file.0, test_file.1, ... of the current directory: made,
 * opened, removed.  Main thread.
 */
#ifndef SB_WORKLOAD_FILEIO_FILES_H
#define SB_WORKLOAD_FILEIO_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "workload/fileio_options.h"

/* Creates the files, or extends those that are too short, in whole blocks, and prints its
 * progress. */
int fileio_prepare(const struct fileio_options *o, struct err *e);

/* Removes them; a missing one is no error. */
int fileio_cleanup(const struct fileio_options *o, struct err *e);

/* Opens them for a run (FILEIO_SEQWR: anew and empty) into fd[0 .. o->files - 1]; -1: not there,
 * too short; then none is open. */
int fileio_open_files(const struct fileio_options *o, int *fd, struct err *e);

/* Closes those that are open (fd >= 0). */
void fileio_close_files(const struct fileio_options *o, int *fd);

/* A buffer of that many bytes on a page boundary, as direct I/O requires; zeroed.  The caller frees
 * it with free(). */
void *fileio_buffer(size_t size);

#endif

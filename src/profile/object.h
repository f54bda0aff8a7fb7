/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files that a server's code comes from, program and libraries, each read once however many
 * processes map it.  A file offers the names of its functions (.symtab, from the debug file of
 * the same build when that is installed, else .dynsym), the file's own addresses for what is mapped
 * of it, and call frame information (cfi.h).
 *
 * Paths are resolved as the process sees them (/proc/PID/root), so a server in a container works.
 * One thread at a time.
 */
#ifndef SB_PROFILE_OBJECT_H
#define SB_PROFILE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cfi;

struct symbol {
    uint64_t addr, size; /* size 0: up to the next */
    const char *name;
};

struct object {
    char *path;          /* as the process sees it, "[vdso]" or "[anon]" */
    char *name;          /* last part of the path, without "/" */
    const uint8_t *data; /* the file; NULL: cannot be read */
    size_t bytes;
    const uint8_t *debug; /* the debug file; NULL: none */
    size_t debug_bytes;
    struct symbol *symbol; /* by address */
    size_t symbols;
    bool has_symtab;    /* names of functions that are not exported are there too */
    bool opened, named; /* tried already */
    struct cfi *cfi;    /* NULL until it is needed for unwinding (cfi.h) */
    bool cfi_tried;
};

struct objects {
    struct object **object;
    size_t n, cap;
};

/* The object of that path; the same path is the same object. */
size_t objects_find(struct objects *o, const char *path);
void objects_free(struct objects *o);

/* Opens the file as process `pid` sees it, unless that was tried before; [start, end) is where
 * the process has it mapped, for files that have been deleted. */
void object_open(struct object *b, pid_t pid, uint64_t start, uint64_t end);

/* The file's own address for an offset in the file: symbols and CFI use it. */
uint64_t object_address(const struct object *b, uint64_t offset);

/* The function at an address of the file, NULL: not known.  Reads the symbols at the first call. */
const char *object_symbol(struct object *b, uint64_t addr);

#endif

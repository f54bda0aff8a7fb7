/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: the code of the watched processes.  Which file is mapped where, the files
 * (program and libraries, each opened once however many processes map it), and the names of their
 * functions and of the kernel's.
 *
 * All files are modules of one session of elfutils' libdwfl, each at an address of its own: a
 * *session address* stands for a place in a file in whatever process.  Paths are resolved as the
 * process sees them (/proc/PID/root), so a server in a container works.
 *
 * One thread at a time.
 */
#ifndef SB_PROFILE_CODE_H
#define SB_PROFILE_CODE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/str.h"

/* What is used of libdw, and of libelf behind it. */
/* clang-format off */
#define DW(X) \
    X(dwarf_cfi_addrframe) X(dwarf_frame_cfa) X(dwarf_frame_info) X(dwarf_frame_register) \
    X(dwfl_addrmodule) X(dwfl_attach_state) X(dwfl_begin) X(dwfl_build_id_find_debuginfo) \
    X(dwfl_end) X(dwfl_frame_pc) X(dwfl_getthread_frames) X(dwfl_module_dwarf_cfi) \
    X(dwfl_module_eh_cfi) X(dwfl_module_getelf) X(dwfl_module_getsym_info) \
    X(dwfl_module_getsymtab) X(dwfl_module_info) X(dwfl_offline_section_address) \
    X(dwfl_report_begin_add) X(dwfl_report_elf) X(dwfl_report_end) \
    X(dwfl_thread_state_register_pc) X(dwfl_thread_state_registers) X(elf_getphdrnum) \
    X(gelf_getphdr)
/* clang-format on */

extern struct dw {
    DW(LIBRARY_POINTER)
} dw;

/* Loads libdw; -1: it is not there. */
int code_library(struct err *e);

struct symbol {
    uint64_t addr, size; /* size 0: up to the next */
    const char *name;
};

struct object {
    char *path;                 /* as the process sees it, "[vdso]" or "[anon]" */
    char *name;                 /* last part of the path, without "/" */
    struct Dwfl_Module *module; /* NULL: the file cannot be read */
    uint64_t bias;              /* session address - the file's own address */
    struct symbol *symbol;      /* by session address */
    size_t symbols;
    bool has_locals;    /* names of functions that are not exported are there too */
    bool opened, named; /* tried already */
    bool c_library;
};

struct objects {
    struct Dwfl *dwfl; /* NULL: none was opened yet */
    struct object **object;
    size_t n;
    uint64_t next; /* where the next file goes */
};

/* The object of that path; the same path is the same object. */
size_t objects_find(struct objects *o, const char *path);
void objects_free(struct objects *o);

/* Opens the file as process `pid` sees it, unless that was tried before; [start, end) is where
 * the process has it mapped, for files that have been deleted. */
void object_open(struct objects *o, size_t i, pid_t pid, uint64_t start, uint64_t end);

/* The session address of an offset in the file. */
uint64_t object_address(const struct object *b, uint64_t offset);

/* The function at a session address, NULL: not known.  Reads the symbols at the first call. */
const char *object_symbol(struct object *b, uint64_t addr);

struct mapping {
    uint64_t start, end, offset;
    size_t object;
    bool known;     /* the object was opened, and: */
    uint64_t shift; /* session address - the process's address */
};

/* What a process has mapped of code; {0}: nothing. */
struct space {
    struct mapping *map; /* by address; free() it at the end */
    size_t n;
    mono_ns read_at;
};

/* Reads the executable mappings of a process anew; -1: they cannot be read, and nothing changes. */
int space_read(struct space *s, pid_t pid, struct objects *objects, mono_ns now);

/* Adds a mapping, which replaces those that it overlaps. */
void space_add(struct space *s, struct mapping m);

/* NULL: none.  Code that is found must be in a file that was opened (object_open). */
struct mapping *space_find(const struct space *s, uint64_t addr);

/* Appends what to show for a symbol: without a parameter list, which would make boxes unreadable,
 * and without the marks of a compiler's clones.  The demangler is that of the C++ library, loaded
 * at the first such name if this host has it. */
void names_clean(struct str *out, const char *symbol);

struct kernel_names; /* opaque: /proc/kallsyms by address */

/* NULL: this user may not see the addresses (kernel.kptr_restrict). */
struct kernel_names *kernel_names_read(const char *path);
void kernel_names_free(struct kernel_names *k); /* NULL is allowed */

/* The function at an address; NULL: none. */
const char *kernel_name(const struct kernel_names *k, uint64_t addr);

#endif

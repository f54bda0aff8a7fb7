/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether a client library calls a poll() in which a task can park.  It does when it imports
 * the name: the dynamic linker then resolves it to this program's (poll_hook.c).  The imports of a
 * library are the undefined names at the beginning of its table of dynamic symbols.
 */
#include "fiber/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* All of these are ours, and have the same implementation. */
static const char *const waits[] = {"poll", "ppoll", "__poll_chk", "__ppoll_chk"};

struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    size_t n; /* 0: not known */
};

/* Addresses in the dynamic section are absolute where the linker has relocated them, as it mostly
 * does, and relative to the object elsewhere. */
static const void *loaded_address(const struct link_map *m, ElfW(Addr) a)
{
    return (const void *)(uintptr_t)(a < m->l_addr ? m->l_addr + a : a);
}

static struct symbols dynamic_symbols(const struct link_map *m)
{
    const uint32_t *gnu = NULL, *sysv = NULL;
    struct symbols s = {0};

    for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            s.table = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            s.names = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH)
            gnu = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_HASH)
            sysv = loaded_address(m, d->d_un.d_ptr);
    }
    if (s.table && s.names) /* the newer table begins with the number of names that are not in it:
                               the undefined */
        s.n = gnu ? gnu[1] : sysv ? sysv[1] : 0;
    return s;
}

static bool takes_a_wait(const struct symbols *s)
{
    for (size_t i = 1; i < s->n; i++)
        for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
            if (s->table[i].st_shndx == SHN_UNDEF &&
                strcmp(s->names + s->table[i].st_name, waits[k]) == 0)
                return true;
    return false;
}

int library_check(const void *function, struct err *e)
{
    struct link_map *m = NULL;
    struct symbols s;
    Dl_info info;

    if (!dladdr1(function, &info, (void **)&m, RTLD_DL_LINKMAP) || !m || !*m->l_name)
        return 0; /* linked into the program, where our poll() is the only one */
    s = dynamic_symbols(m);
    if (s.n == 0 || takes_a_wait(&s))
        return 0;
    return err_set(
        e, ERR_FAILED,
        "%s does not wait in poll(), so --workers would block in it: --workers=0 gives each "
        "client a thread",
        m->l_name);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See object.h.  Files are mapped, not read; everything in them is checked against their length,
 * since a file may be cut or be no ELF at all.  Only 64-bit objects of this machine's byte order
 * are read.
 */
#include "profile/object.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/cfi.h"

size_t objects_find(struct objects *o, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct object *b;

    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->object[i]->path, path) == 0)
            return i;
    if (o->n == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 32;
        o->object = mem_grow(o->object, o->cap, sizeof(*o->object));
    }
    b = mem_alloc(sizeof *b);
    b->path = mem_strdup(path);
    b->name = mem_strdup(slash && slash[1] ? slash + 1 : path);
    if (strstr(b->name, " (deleted)"))
        *strstr(b->name, " (deleted)") = '\0';
    o->object[o->n] = b;
    return o->n++;
}

static void unmap(const uint8_t *data, size_t bytes)
{
    if (data)
        munmap((void *)(uintptr_t)data, bytes);
}

void objects_free(struct objects *o)
{
    for (size_t i = 0; i < o->n; i++) {
        struct object *b = o->object[i];
        cfi_free(b->cfi);
        unmap(b->data, b->bytes);
        unmap(b->debug, b->debug_bytes);
        free(b->symbol);
        free(b->path);
        free(b->name);
        free(b);
    }
    free(o->object);
    *o = (struct objects){0};
}

static const uint8_t *map_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    void *p = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size >= (off_t)sizeof(Elf64_Ehdr))
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return NULL;
    *bytes = (size_t)st.st_size;
    return p;
}

static const Elf64_Ehdr *header_of(const uint8_t *data, size_t bytes)
{
    const Elf64_Ehdr *h = (const void *)data;
    const uint16_t one = 1;
    int order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;

    if (!data || bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != order)
        return NULL;
    return h;
}

/* A table of `n` entries of a size within the file; NULL: it is not. */
static const void *table(const uint8_t *data, size_t bytes, uint64_t at, uint64_t n, size_t size)
{
    if (at > bytes || n > (bytes - at) / size || at % 4)
        return NULL;
    return data + at;
}

void object_open(struct object *b, pid_t pid, uint64_t start, uint64_t end)
{
    char *path;

    if (b->opened)
        return;
    b->opened = true;
    if (b->path[0] != '/')
        return;
    if (!strstr(b->path, " (deleted)")) {
        path = mem_printf("/proc/%d/root%s", (int)pid, b->path);
        b->data = map_file(path, &b->bytes);
        free(path);
        if (!b->data) /* of another user, for instance: the file of that name on this host is most
                         likely the same */
            b->data = map_file(b->path, &b->bytes);
    }
    if (!b->data) {
        path = mem_printf("/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)start,
                          (unsigned long long)end);
        b->data = map_file(path, &b->bytes);
        free(path);
    }
    if (!header_of(b->data, b->bytes)) {
        unmap(b->data, b->bytes);
        b->data = NULL;
    }
}

uint64_t object_address(const struct object *b, uint64_t offset)
{
    const Elf64_Ehdr *h = header_of(b->data, b->bytes);
    const Elf64_Phdr *p = h ? table(b->data, b->bytes, h->e_phoff, h->e_phnum, sizeof *p) : NULL;

    for (int i = 0; p && i < h->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && offset >= p[i].p_offset &&
            offset - p[i].p_offset < p[i].p_filesz)
            return offset - p[i].p_offset + p[i].p_vaddr;
    return offset;
}

static const Elf64_Shdr *sections(const uint8_t *data, size_t bytes, size_t *n)
{
    const Elf64_Ehdr *h = header_of(data, bytes);

    *n = h ? h->e_shnum : 0;
    return h && h->e_shentsize == sizeof(Elf64_Shdr)
               ? table(data, bytes, h->e_shoff, h->e_shnum, sizeof(Elf64_Shdr))
               : NULL;
}

static size_t add_symbols(struct object *b, const uint8_t *data, size_t bytes, uint32_t type)
{
    size_t n, before = b->symbols;
    const Elf64_Shdr *s = sections(data, bytes, &n);

    for (size_t i = 0; s && i < n; i++) {
        const Elf64_Sym *sym;
        const char *names;
        uint64_t count = s[i].sh_size / sizeof *sym, names_size;
        if (s[i].sh_type != type || s[i].sh_link >= n)
            continue;
        sym = table(data, bytes, s[i].sh_offset, count, sizeof *sym);
        names_size = s[s[i].sh_link].sh_size;
        names = table(data, bytes, s[s[i].sh_link].sh_offset & ~UINT64_C(3), names_size, 1);
        if (!sym || !names || s[s[i].sh_link].sh_offset + names_size > bytes)
            continue;
        names = (const char *)data + s[s[i].sh_link].sh_offset;
        b->symbol = mem_grow(b->symbol, b->symbols + count, sizeof *b->symbol);
        for (uint64_t k = 0; k < count; k++) {
            int kind = ELF64_ST_TYPE(sym[k].st_info);
            if ((kind != STT_FUNC && kind != STT_GNU_IFUNC &&
                 !(kind == STT_NOTYPE && sym[k].st_size)) ||
                sym[k].st_shndx == SHN_UNDEF || sym[k].st_name >= names_size ||
                !memchr(names + sym[k].st_name, '\0', names_size - sym[k].st_name) ||
                !names[sym[k].st_name])
                continue;
            b->symbol[b->symbols++] =
                (struct symbol){sym[k].st_value, sym[k].st_size, names + sym[k].st_name};
        }
    }
    return b->symbols - before;
}

/* /usr/lib/debug/.build-id/ab/cdef....debug: where distributions put what they strip. */
static void open_debug_file(struct object *b)
{
    size_t n;
    const Elf64_Shdr *s = sections(b->data, b->bytes, &n);

    for (size_t i = 0; s && i < n; i++) {
        const Elf64_Nhdr *note;
        const uint8_t *id;
        char path[160];
        int at;
        if (s[i].sh_type != SHT_NOTE || s[i].sh_size < sizeof *note)
            continue;
        note = table(b->data, b->bytes, s[i].sh_offset, s[i].sh_size, 1);
        if (!note || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || note->n_descsz < 2 ||
            note->n_descsz > 64 || sizeof *note + 4 + note->n_descsz > s[i].sh_size)
            continue;
        id = (const uint8_t *)(note + 1) + 4;
        at = snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%02x/", id[0]);
        for (uint32_t k = 1; k < note->n_descsz; k++)
            at += snprintf(path + at, sizeof path - (size_t)at, "%02x", id[k]);
        snprintf(path + at, sizeof path - (size_t)at, ".debug");
        b->debug = map_file(path, &b->debug_bytes);
        return;
    }
}

/* poll, __poll and __GI___poll are one: the plainest is for people. */
static int plainness(const char *name)
{
    return strncmp(name, "__GI_", 5) == 0 ? 100 : (int)strspn(name, "_");
}

/* Of several at one address the first in the order is shown: the larger, then the plainer, then by
 * name so that the choice is stable. */
static int by_address(const void *pa, const void *pb)
{
    const struct symbol *a = pa, *b = pb;

    if (a->addr != b->addr)
        return a->addr < b->addr ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (plainness(a->name) != plainness(b->name))
        return plainness(a->name) - plainness(b->name);
    return strcmp(a->name, b->name);
}

static void read_symbols(struct object *b)
{
    size_t kept = 0;

    b->named = true;
    b->has_symtab = add_symbols(b, b->data, b->bytes, SHT_SYMTAB) > 0;
    if (!b->has_symtab && b->data) {
        open_debug_file(b);
        b->has_symtab = add_symbols(b, b->debug, b->debug_bytes, SHT_SYMTAB) > 0;
    }
    if (!b->has_symtab)
        add_symbols(b, b->data, b->bytes, SHT_DYNSYM);
    if (b->symbols)
        qsort(b->symbol, b->symbols, sizeof *b->symbol, by_address);
    for (size_t i = 0; i < b->symbols; i++)
        if (kept == 0 || b->symbol[kept - 1].addr != b->symbol[i].addr)
            b->symbol[kept++] = b->symbol[i];
    b->symbols = kept;
}

const char *object_symbol(struct object *b, uint64_t addr)
{
    size_t low = 0, high;

    if (!b->named)
        read_symbols(b);
    for (high = b->symbols; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (b->symbol[mid].addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0)
        return NULL;
    /* assembly has no sizes; a stripped function between two named ones must not get a name that
     * is not its own */
    if (b->symbol[low - 1].size ? addr - b->symbol[low - 1].addr >= b->symbol[low - 1].size
                                : !b->has_symtab)
        return NULL;
    return b->symbol[low - 1].name;
}

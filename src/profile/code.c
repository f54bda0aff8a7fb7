/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See code.h.
 */
#include "profile/code.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* --- files ------------------------------------------------------------------------------- */

/* Files are reported with a descriptor and never searched.  Of debug files only those of the same
 * build (/usr/lib/debug/.build-id), where distributions put what they strip; nothing is fetched
 * from elsewhere. */
static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_build_id_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

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
    b->c_library = strncmp(b->name, "libc.", 5) == 0 || strncmp(b->name, "libc-", 5) == 0 ||
                   strncmp(b->name, "libpthread", 10) == 0 || strncmp(b->name, "ld-", 3) == 0;
    o->object[o->n] = b;
    return o->n++;
}

void objects_free(struct objects *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->object[i]->symbol);
        free(o->object[i]->path);
        free(o->object[i]->name);
        free(o->object[i]);
    }
    free(o->object);
    if (o->dwfl)
        dwfl_end(o->dwfl);
    *o = (struct objects){0};
}

/* A regular file; -1: it cannot be read. */
static int open_file(char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    free(path);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

void object_open(struct objects *o, size_t i, pid_t pid, uint64_t start, uint64_t end)
{
    struct object *b = o->object[i];
    Dwarf_Addr module_end;
    GElf_Addr bias;
    int fd = -1;

    if (b->opened)
        return;
    b->opened = true;
    if (b->path[0] != '/')
        return;
    if (!strstr(b->path, " (deleted)")) {
        fd = open_file(mem_printf("/proc/%d/root%s", (int)pid, b->path));
        if (fd < 0) /* of another user, for instance: the file of that name on this host is most
                       likely the same */
            fd = open_file(mem_strdup(b->path));
    }
    if (fd < 0)
        fd = open_file(mem_printf("/proc/%d/map_files/%llx-%llx", (int)pid,
                                  (unsigned long long)start, (unsigned long long)end));
    if (fd < 0)
        return;
    if (!o->dwfl) {
        o->dwfl = dwfl_begin(&callbacks);
        o->next = UINT64_C(1) << 40; /* above programs that have an address of their own */
    }
    dwfl_report_begin_add(o->dwfl);
    b->module = dwfl_report_elf(o->dwfl, b->path, b->path, fd, o->next, false);
    dwfl_report_end(o->dwfl, NULL, NULL);
    if (!b->module || !dwfl_module_getelf(b->module, &bias)) {
        if (!b->module)
            close(fd);
        b->module = NULL;
        return;
    }
    b->bias = bias;
    dwfl_module_info(b->module, NULL, NULL, &module_end, NULL, NULL, NULL, NULL);
    if (module_end > o->next)
        o->next = (module_end + 0xfffff) & ~UINT64_C(0xfffff);
}

uint64_t object_address(const struct object *b, uint64_t offset)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(b->module, &bias);
    GElf_Phdr p;
    size_t n = 0;

    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && offset >= p.p_offset &&
            offset - p.p_offset < p.p_filesz)
            return offset - p.p_offset + p.p_vaddr + bias;
    return offset + bias;
}

/* poll, __poll and __GI___poll are one: the plainest is for people. */
static int plainness(const char *name)
{
    return strncmp(name, "__GI_", 5) == 0 ? 100 : (int)strspn(name, "_");
}

/* Of several at one address the first in the order is shown: the larger, then the plainer, then by
 * name so that the choice is stable. */
static int by_symbol(const void *pa, const void *pb)
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

/* libdwfl finds a symbol by reading all of them, which takes a millisecond in a large program, so
 * they are read once and sorted. */
static void read_symbols(struct object *b)
{
    int n = dwfl_module_getsymtab(b->module);
    size_t kept = 0;

    b->named = true;
    if (n > 0)
        b->symbol = mem_array((size_t)n, sizeof *b->symbol);
    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        GElf_Addr addr;
        const char *name = dwfl_module_getsym_info(b->module, i, &sym, &addr, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(sym.st_info);
        if (!name || !*name || sym.st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && !(type == STT_NOTYPE && sym.st_size)))
            continue;
        b->has_locals |= GELF_ST_BIND(sym.st_info) == STB_LOCAL;
        b->symbol[b->symbols++] = (struct symbol){addr, sym.st_size, name};
    }
    if (b->symbols)
        qsort(b->symbol, b->symbols, sizeof *b->symbol, by_symbol);
    for (size_t i = 0; i < b->symbols; i++)
        if (kept == 0 || b->symbol[kept - 1].addr != b->symbol[i].addr)
            b->symbol[kept++] = b->symbol[i];
    b->symbols = kept;
}

const char *object_symbol(struct object *b, uint64_t addr)
{
    size_t low = 0, high;
    const struct symbol *s;

    if (!b->module)
        return NULL;
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
    s = &b->symbol[low - 1];
    /* assembly has no sizes; a stripped function between two named ones must not get a name that
     * is not its own */
    return (s->size ? addr - s->addr < s->size : b->has_locals) ? s->name : NULL;
}

/* --- mappings ---------------------------------------------------------------------------- */

struct space *space_new(void)
{
    struct space *s = mem_alloc(sizeof *s);

    s->users = 1;
    return s;
}

struct space *space_share(struct space *s)
{
    s->users++;
    return s;
}

void space_drop(struct space *s)
{
    if (!s || --s->users > 0)
        return;
    free(s->map);
    free(s);
}

struct space *space_own(struct space *s)
{
    struct space *own;

    if (s->users == 1)
        return s;
    own = space_new();
    own->n = own->cap = s->n;
    own->map = mem_array(s->n + 1, sizeof *s->map);
    if (s->n)
        memcpy(own->map, s->map, s->n * sizeof *s->map);
    own->read_at = s->read_at;
    space_drop(s);
    return own;
}

static void insert(struct space *s, size_t at, struct mapping m)
{
    if (s->n >= s->cap) {
        s->cap = s->cap ? 2 * s->cap : 32;
        s->map = mem_grow(s->map, s->cap, sizeof *s->map);
    }
    memmove(&s->map[at + 1], &s->map[at], (s->n - at) * sizeof *s->map);
    s->map[at] = m;
    s->n++;
}

void space_add(struct space *s, struct mapping m)
{
    size_t at = 0, end;

    while (at < s->n && s->map[at].end <= m.start)
        at++;
    for (end = at; end < s->n && s->map[end].start < m.end; end++)
        ; /* mappings that overlap the new one are removed whole */
    if (end > at)
        memmove(&s->map[at], &s->map[end], (s->n - end) * sizeof *s->map);
    s->n -= end - at;
    insert(s, at, m);
}

int space_read(struct space *s, pid_t pid, struct objects *objects, mono_ns now)
{
    char path[64], *line = NULL;
    size_t cap = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    s->read_at = now;
    if (!f)
        return -1;
    s->n = 0;
    while (getline(&line, &cap, f) > 0) {
        unsigned long long start, end, offset;
        char mode[8];
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &start, &end, mode, &offset, &at) < 4 ||
            at == 0 || !strchr(mode, 'x') || strcmp(line + at, "[vsyscall]") == 0)
            continue;
        insert(s, s->n,
               (struct mapping){.start = start,
                                .end = end,
                                .offset = offset,
                                .object = objects_find(objects, line[at] ? line + at : "[anon]")});
    }
    free(line);
    fclose(f);
    return 0;
}

struct mapping *space_find(const struct space *s, uint64_t addr)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->map[mid].end <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && s->map[low].start <= addr ? &s->map[low] : NULL;
}

/* --- names ------------------------------------------------------------------------------- */

typedef char *demangler(const char *name, char *buf, size_t *n, int *status);

/* Searched once; the library stays loaded. */
static demangler *find_demangler(void)
{
    static bool tried;
    static demangler *found;

    if (!tried) {
        void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!lib)
            lib = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
        if (lib)
            *(void **)&found = dlsym(lib, "__cxa_demangle");
        tried = true;
    }
    return found;
}

/* Where the parameter list begins: the last '(' outside of <> whose ')' only qualifiers follow.
 *  "operator()" and "(anonymous namespace)" are parts of names. */
static size_t without_parameters(const char *s, size_t n)
{
    size_t end = n;
    int depth = 0;

    while (end && s[end - 1] != ')')
        end--;
    for (size_t i = end; i-- > 0;) {
        if (s[i] == ')')
            depth++;
        else if (s[i] == '(' && --depth == 0)
            return i >= 8 && strncmp(s + i - 8, "operator", 8) == 0 ? n
                   : strncmp(s + i, "(anonymous", 10) == 0          ? n
                                                                    : i;
    }
    return n;
}

/* Clones that a compiler made of one function belong together (f.part.0, f.cold, f.isra.3), and
 * its versions (f@@GLIBC_2.34). */
static size_t without_clone(const char *s, size_t n)
{
    static const char *const mark[] = {".cold",       ".part.",     ".isra.",
                                       ".constprop.", ".lto_priv.", "@"};

    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
        const char *at = strstr(s, mark[i]);
        if (at && at > s && (size_t)(at - s) < n)
            n = (size_t)(at - s);
    }
    return n;
}

void names_clean(struct str *out, const char *symbol)
{
    size_t n = without_clone(symbol, strlen(symbol));
    demangler *demangle = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
    char *plain = mem_strndup(symbol, n), *shown = NULL;
    int status = -1;

    if (demangle)
        shown = demangle(plain, NULL, NULL, &status);
    if (shown && status == 0)
        str_add(out, shown, without_parameters(shown, strlen(shown)));
    else
        str_adds(out, plain);
    free(shown);
    free(plain);
}

struct kernel_symbol {
    uint64_t addr;
    size_t name; /* in text */
};

struct kernel_names {
    struct kernel_symbol *symbol;
    size_t n, cap;
    struct str text;
};

static int by_address(const void *pa, const void *pb)
{
    const struct kernel_symbol *a = pa, *b = pb;

    if (a->addr != b->addr)
        return a->addr < b->addr ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name; /* the file's order */
}

struct kernel_names *kernel_names_read(const char *path)
{
    struct kernel_names *k = mem_alloc(sizeof *k);
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;

    while (f && getline(&line, &cap, f) > 0) {
        char *type, *name, *module; /* "ffffffff81000000 T name\t[module]" */
        uint64_t addr = strtoull(line, &type, 16);
        if (addr == 0 || type[0] != ' ' || !type[1] || !strchr("tTwW", type[1]) || type[2] != ' ')
            continue;
        name = type + 3;
        module = name + strcspn(name, "\t\n");
        if (*module == '\t') {
            *module++ = '\0';
            module[strcspn(module, "\n")] = '\0';
        } else {
            *module = '\0';
        }
        if (k->n == k->cap) {
            k->cap = k->cap ? 2 * k->cap : 65536;
            k->symbol = mem_grow(k->symbol, k->cap, sizeof *k->symbol);
        }
        k->symbol[k->n++] = (struct kernel_symbol){addr, k->text.len};
        str_adds(&k->text, name);
        if (*module)
            str_adds(&k->text, module);
        str_add(&k->text, "", 1);
    }
    free(line);
    if (f)
        fclose(f);
    if (k->n == 0) {
        kernel_names_free(k);
        return NULL;
    }
    qsort(k->symbol, k->n, sizeof *k->symbol, by_address);
    return k;
}

void kernel_names_free(struct kernel_names *k)
{
    if (!k)
        return;
    free(k->symbol);
    str_free(&k->text);
    free(k);
}

const char *kernel_name(const struct kernel_names *k, uint64_t addr)
{
    size_t low = 0, high = k->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (k->symbol[mid].addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? k->text.s + k->symbol[low - 1].name : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See code.h.
 */
#include "profile/code.h"

#include <dlfcn.h>
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
static Dwfl_Callbacks callbacks;

struct dw dw;

int code_library(struct err *e)
{
    if (library_load("libdw.so.1", "needs", DW(LIBRARY_NAME), &dw, e))
        return -1;
    callbacks.find_debuginfo = dw.dwfl_build_id_find_debuginfo;
    callbacks.section_address = dw.dwfl_offline_section_address;
    return 0;
}

size_t objects_find(struct objects *o, const char *path)
{
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->object[i]->path, path) == 0)
            return i;
    struct object *b = mem_alloc(sizeof *b);
    b->path = mem_strdup(path);
    b->name = mem_strdup(slash && slash[1] ? slash + 1 : path);
    if (strstr(b->name, " (deleted)"))
        *strstr(b->name, " (deleted)") = '\0';
    b->c_library = strncmp(b->name, "libc.", 5) == 0 || strncmp(b->name, "libc-", 5) == 0 ||
                   strncmp(b->name, "libpthread", 10) == 0 || strncmp(b->name, "ld-", 3) == 0;
    o->object = mem_append(o->object, o->n, sizeof(*o->object));
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
        dw.dwfl_end(o->dwfl);
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
    struct err e;
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
        fd = open_file(mem_printf("/proc/%d/map_files/%llx-%llx", (int)pid, (ull)start, (ull)end));
    if (fd < 0)
        return;
    if (code_library(&e)) {
        close(fd);
        return;
    }
    if (!o->dwfl) {
        o->dwfl = dw.dwfl_begin(&callbacks);
        o->next = UINT64_C(1) << 40; /* above programs that have an address of their own */
    }
    dw.dwfl_report_begin_add(o->dwfl);
    b->module = dw.dwfl_report_elf(o->dwfl, b->path, b->path, fd, o->next, false);
    dw.dwfl_report_end(o->dwfl, NULL, NULL);
    if (!b->module || !dw.dwfl_module_getelf(b->module, &bias)) {
        if (!b->module)
            close(fd);
        b->module = NULL;
        return;
    }
    b->bias = bias;
    dw.dwfl_module_info(b->module, NULL, NULL, &module_end, NULL, NULL, NULL, NULL);
    if (module_end > o->next)
        o->next = (module_end + 0xfffff) & ~UINT64_C(0xfffff);
}

uint64_t object_address(const struct object *b, uint64_t offset)
{
    GElf_Addr bias;
    Elf *elf = dw.dwfl_module_getelf(b->module, &bias);
    GElf_Phdr p;
    size_t n = 0;

    dw.elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (dw.gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && offset >= p.p_offset &&
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

/* The last symbol that begins at the address or before it; NULL: there is none. */
static const struct symbol *symbol_at(const struct symbol *s, size_t n, uint64_t addr)
{
    size_t low = 0;

    while (low < n) {
        size_t mid = low + (n - low) / 2;
        if (s[mid].addr <= addr)
            low = mid + 1;
        else
            n = mid;
    }
    return low ? &s[low - 1] : NULL;
}

const char *object_symbol(struct object *b, uint64_t addr)
{
    size_t all = 0;

    if (!b->module)
        return NULL;
    /* libdwfl finds a symbol by reading all of them, which takes a millisecond in a large program,
     * so they are read once and sorted */
    for (int i = 1, n = b->named ? 0 : dw.dwfl_module_getsymtab(b->module); i < n; i++) {
        GElf_Sym sym;
        GElf_Addr at;
        const char *name = dw.dwfl_module_getsym_info(b->module, i, &sym, &at, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(sym.st_info);
        if (!name || !*name || sym.st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && !(type == STT_NOTYPE && sym.st_size)))
            continue;
        b->has_locals |= GELF_ST_BIND(sym.st_info) == STB_LOCAL;
        b->symbol = mem_append(b->symbol, all, sizeof *b->symbol);
        b->symbol[all++] = (struct symbol){at, sym.st_size, name};
    }
    if (all)
        qsort(b->symbol, all, sizeof *b->symbol, by_symbol);
    for (size_t i = 0; i < all; i++)
        if (b->symbols == 0 || b->symbol[b->symbols - 1].addr != b->symbol[i].addr)
            b->symbol[b->symbols++] = b->symbol[i];
    b->named = true;
    const struct symbol *s = symbol_at(b->symbol, b->symbols, addr);
    /* assembly has no sizes; a stripped function between two named ones must not get a name that
     * is not its own */
    return s && (s->size ? addr - s->addr < s->size : b->has_locals) ? s->name : NULL;
}

/* --- mappings ---------------------------------------------------------------------------- */

void space_add(struct space *s, struct mapping m)
{
    size_t at = 0, end;

    while (at < s->n && s->map[at].end <= m.start)
        at++;
    for (end = at; end < s->n && s->map[end].start < m.end; end++)
        ; /* mappings that overlap the new one are removed whole */
    s->map = mem_append(s->map, s->n, sizeof *s->map);
    memmove(&s->map[at + 1], &s->map[end], (s->n - end) * sizeof *s->map);
    s->map[at] = m;
    s->n -= end - at;
    s->n++;
}

int space_read(struct space *s, pid_t pid, struct objects *objects, mono_ns now)
{
    char path[64], *line = NULL;
    size_t cap = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *f = fopen(path, "re");
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
        space_add(
            s, (struct mapping){.start = start,
                                .end = end,
                                .offset = offset,
                                .object = objects_find(objects, line[at] ? line + at : "[anon]")});
    }
    free(line);
    fclose(f);
    return 0;
}

static int by_place(const void *key, const void *element)
{
    const struct mapping *m = element;
    uint64_t addr = *(const uint64_t *)key;

    return addr < m->start ? -1 : addr >= m->end;
}

struct mapping *space_find(const struct space *s, uint64_t addr)
{
    return s->n ? bsearch(&addr, s->map, s->n, sizeof *s->map, by_place) : NULL;
}

/* --- names ------------------------------------------------------------------------------- */

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

void names_clean(struct str *out, const char *symbol)
{
    /* clones that a compiler made of one function belong together (f.part.0, f.cold, f.isra.3),
     * and its versions (f@@GLIBC_2.34) */
    static const char *const clone[] = {".cold",       ".part.",     ".isra.",
                                        ".constprop.", ".lto_priv.", "@"};
    static bool searched; /* once; the library stays loaded */
    static char *(*demangle)(const char *name, char *buf, size_t *n, int *status);
    char *plain = mem_strdup(symbol), *shown = NULL;
    int status = -1;

    for (size_t i = 0; i < sizeof clone / sizeof *clone; i++) {
        char *at = strstr(plain, clone[i]);
        if (at && at > plain)
            *at = '\0';
    }
    if (strncmp(symbol, "_Z", 2) == 0 && !searched) {
        void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!lib)
            lib = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
        if (lib)
            *(void **)&demangle = dlsym(lib, "__cxa_demangle");
        searched = true;
    }
    if (strncmp(symbol, "_Z", 2) == 0 && demangle)
        shown = demangle(plain, NULL, NULL, &status);
    if (shown && status == 0)
        str_add(out, shown, without_parameters(shown, strlen(shown)));
    else
        str_adds(out, plain);
    free(shown);
    free(plain);
}

struct kernel_names {
    struct symbol *symbol;
    size_t n;
    char *text; /* the file, with the names in it */
};

static int by_address(const void *pa, const void *pb)
{
    const struct symbol *a = pa, *b = pb;

    if (a->addr != b->addr)
        return a->addr < b->addr ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name; /* the file's order */
}

struct kernel_names *kernel_names_read(const char *path)
{
    struct kernel_names *k = mem_alloc(sizeof *k);
    FILE *f = fopen(path, "re");
    size_t cap = 0;
    char *rest, *line;

    rest = f && getdelim(&k->text, &cap, '\0', f) > 0 ? k->text : NULL; /* all of it */
    while ((line = strsep(&rest, "\n"))) {
        char *type, *name, *module; /* "ffffffff81000000 T name\t[module]" */
        uint64_t addr = strtoull(line, &type, 16);
        if (addr == 0 || type[0] != ' ' || !type[1] || !strchr("tTwW", type[1]) || type[2] != ' ')
            continue;
        name = type + 3;
        module = strchr(name, '\t');
        if (module)
            memmove(name + 1, name, (size_t)(module - name));
        k->symbol = mem_append(k->symbol, k->n, sizeof *k->symbol);
        k->symbol[k->n++] = (struct symbol){.addr = addr, .name = name + (module != NULL)};
    }
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
    free(k->text);
    free(k);
}

const char *kernel_name(const struct kernel_names *k, uint64_t addr)
{
    const struct symbol *s = symbol_at(k->symbol, k->n, addr);

    return s ? s->name : NULL;
}

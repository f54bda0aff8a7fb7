/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See names.h.
 */
#include "profile/names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

static void add(struct kernel_names *k, uint64_t addr, const char *name, const char *module)
{
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
        add(k, addr, name, module);
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

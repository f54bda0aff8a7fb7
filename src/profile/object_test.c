/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code and its names, in this program: the file at an address, its function, and the caller by call
 * frame information alone.
 */
#include "profile/object.h"

#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/str.h"
#include "base/test.h"
#include "profile/cfi.h"
#include "profile/names.h"
#include "profile/space.h"

void object_test_inner(void);
void object_test_outer(void);

static struct objects objects;
static struct space *space;

static struct object *object_at(uint64_t pc, uint64_t *addr)
{
    const struct mapping *m = space_find(space, pc);
    struct object *b;

    if (!m)
        return NULL;
    b = objects.object[m->object];
    object_open(b, getpid(), m->start, m->end);
    *addr = object_address(b, pc - m->start + m->offset);
    return b;
}

static const char *name_at(uint64_t pc)
{
    uint64_t addr;
    struct object *b = object_at(pc, &addr);

    return b && b->data ? object_symbol(b, addr) : NULL;
}

static void test_symbols(void)
{
    const char *name;

    CHECK_STR(name_at((uintptr_t)object_test_inner), "object_test_inner");
    CHECK_STR(name_at((uintptr_t)object_test_inner + 1), "object_test_inner");
    CHECK_STR(name_at((uintptr_t)object_test_outer), "object_test_outer");
    name = name_at((uintptr_t)write); /* of the C library, where only exported names may be known */
    CHECK(name && strstr(name, "write") != NULL);
    CHECK(space_find(space, 4096) == NULL);
}

#if defined(__x86_64__)

/* What a sample holds, of the function that calls this. */
static void catch (struct cfi_frame *f, const ucontext_t *u, const uint8_t *copy, size_t bytes)
{
    static const int reg[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

    *f = (struct cfi_frame){.stack = copy, .stack_bytes = bytes, .exact = true};
    for (int i = 0; i < CFI_USED; i++) {
        f->reg[i] = (uint64_t)u->uc_mcontext.gregs[reg[i]];
        f->known |= UINT64_C(1) << i;
    }
    f->stack_at = f->reg[CFI_SP];
}

/* Names from the inside out; *last is what the walk ended with. */
static size_t walk(struct cfi_frame f, const char **name, size_t max, enum cfi_step *last)
{
    size_t n = 0;

    *last = CFI_CALLER;
    while (n < max && *last == CFI_CALLER) {
        uint64_t addr, pc = f.reg[CFI_PC] - !f.exact;
        struct object *b = object_at(pc, &addr);
        name[n++] = b && b->data ? object_symbol(b, addr) : NULL;
        if (b && b->data && !b->cfi)
            b->cfi = cfi_new(b->data, b->bytes);
        *last = b && b->cfi ? cfi_step(b->cfi, addr, &f) : CFI_NONE;
    }
    return n;
}

static int calls;

/* The kernel does not check with a sanitizer either. */
__attribute__((noinline, no_sanitize("address"))) static void
copy_stack(uint8_t *to, const volatile uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

__attribute__((noinline)) void object_test_inner(void)
{
    static uint8_t copy[4096];
    const char *name[64];
    struct cfi_frame f;
    enum cfi_step last;
    ucontext_t u;
    size_t n;

    getcontext(&u);
    copy_stack(copy, (const uint8_t *)(uintptr_t)u.uc_mcontext.gregs[REG_RSP], sizeof copy);
    catch (&f, &u, copy, sizeof copy);
    n = walk(f, name, 64, &last);
    calls++;
    if (!cfi_available()) {
        CHECK_INT(n, 1);
        CHECK_INT(last, CFI_NONE);
        return;
    }
    CHECK(n >= 3);
    CHECK_STR(name[0], "object_test_inner");
    CHECK_STR(name[1], "object_test_outer");
    CHECK_STR(name[2], "main");
    f.stack_bytes = 64; /* less than the variables above: the copy ends in the first frame */
    n = walk(f, name, 64, &last);
    CHECK_INT(n, 1);
    CHECK_INT(last, CFI_CUT);
}

__attribute__((noinline)) void object_test_outer(void)
{
    object_test_inner();
    calls++; /* else this would be a jump and leave no frame */
}

#else

void object_test_inner(void) {}

void object_test_outer(void) {}

#endif

static void check_name(const char *symbol, const char *want)
{
    struct str s = STR_INIT;

    names_clean(&s, symbol);
    CHECK_STR(str_cstr(&s), want);
    str_free(&s);
}

static bool demangles(void)
{
    struct str s = STR_INIT;
    bool yes;

    names_clean(&s, "_Z1fv");
    yes = strcmp(str_cstr(&s), "f") == 0;
    str_free(&s);
    return yes;
}

static void test_names(void)
{
    check_name("main", "main");
    check_name("do_command.part.0", "do_command");
    check_name("f.isra.3.cold", "f");
    check_name("__libc_start_main@@GLIBC_2.34", "__libc_start_main");
    check_name("_Znonsense", "_Znonsense");
    if (!demangles()) {
        printf("no C++ library here: its names stay as they are\n");
        return;
    }
    check_name("_ZN4JOIN8optimizeEv", "JOIN::optimize");
    check_name("_ZN12_GLOBAL__N_15helloEi", "(anonymous namespace)::hello");
    check_name("_ZN3FooclEi", "Foo::operator()");
    check_name("_ZNK3Foo3getEv", "Foo::get");
    check_name("_ZNSt6vectorIiSaIiEE9push_backEOi",
               "std::vector<int, std::allocator<int> >::push_back");
    check_name("_Z3fooPFvvE", "foo");
}

static void test_kernel_names(void)
{
    char path[] = "/tmp/object_test.XXXXXX";
    static const char text[] =
        "ffffffff81000200 t second\nffffffff81000100 T first\nffffffff81000180 d data\n"
        "ffffffffc0000000 t of_module\t[module]\nnonsense\n";
    int fd = mkstemp(path);
    struct kernel_names *k;

    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    k = kernel_names_read(path);
    CHECK(k != NULL);
    if (k) {
        CHECK(kernel_name(k, 0xffffffff81000000) == NULL);
        CHECK_STR(kernel_name(k, 0xffffffff81000100), "first");
        CHECK_STR(kernel_name(k, 0xffffffff810001ff), "first");
        CHECK_STR(kernel_name(k, 0xffffffff81000200), "second");
        CHECK_STR(kernel_name(k, 0xffffffffc0000010), "of_module[module]");
    }
    kernel_names_free(k);
    CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, "0000000000000000 T hidden\n", 26, 0) == 26);
    close(fd);
    CHECK(kernel_names_read(path) == NULL);
    unlink(path);
    CHECK(kernel_names_read("/nonexistent/x") == NULL);
}

/* Neither ELF nor whole: no names, no harm. */
static void test_bad_files(void)
{
    char path[] = "/tmp/object_test.XXXXXX", bytes[8192];
    int fd = mkstemp(path);
    FILE *self = fopen("/proc/self/exe", "re");
    struct object *b;
    size_t n = self ? fread(bytes, 1, sizeof bytes, self) : 0;

    CHECK_INT(n, sizeof bytes);
    CHECK(write(fd, bytes, n) == (ssize_t)n);
    b = objects.object[objects_find(&objects, path)];
    object_open(b, getpid(), 0, 0);
    CHECK(b->data != NULL); /* a header, and tables beyond the end */
    CHECK(object_symbol(b, 4096) == NULL);
    close(fd);
    unlink(path);
    b = objects.object[objects_find(&objects, "/nonexistent/lib.so")];
    object_open(b, getpid(), 0, 0);
    CHECK(b->data == NULL);
    CHECK_STR(b->name, "lib.so");
    b = objects.object[objects_find(&objects, "/x/gone.so (deleted)")];
    CHECK_STR(b->name, "gone.so");
    if (self)
        fclose(self);
}

int main(void)
{
    volatile char frame[8192]; /* there is so much stack above the copy's beginning */

    frame[0] = frame[sizeof frame - 1] = 0;
    CHECK(frame[0] == 0);
    space = space_new();
    space_read(space, getpid(), &objects, 0);
    test_symbols();
    object_test_outer();
    test_names();
    test_kernel_names();
    test_bad_files();
    space_drop(space);
    objects_free(&objects);
    return test_done("object");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code and its names, in this program: the file at an address, its function, and the callers by
 * call frame information alone.
 */
#include "profile/code.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/str.h"
#include "base/test.h"
#include "profile/tree.h"
#include "profile/unwind.h"

void code_test_inner(void);
void code_test_outer(void);

static struct objects objects;
static struct space space;

static const char *name_at(uint64_t pc)
{
    const struct mapping *m = space_find(&space, pc);
    struct object *b;

    if (!m)
        return NULL;
    object_open(&objects, m->object, getpid(), m->start, m->end);
    b = objects.object[m->object];
    return b->module ? object_symbol(b, object_address(b, pc - m->start + m->offset)) : NULL;
}

static void test_symbols(void)
{
    const char *name;

    CHECK_STR(name_at((uintptr_t)code_test_inner), "code_test_inner");
    CHECK_STR(name_at((uintptr_t)code_test_inner + 1), "code_test_inner");
    CHECK_STR(name_at((uintptr_t)code_test_outer), "code_test_outer");
    name = name_at((uintptr_t)write); /* of the C library, where only exported names may be known */
    CHECK(name && strstr(name, "write") != NULL);
    CHECK(space_find(&space, 4096) == NULL);
}

#if defined(__x86_64__)

/* What a sample holds, of the function that calls this, in the kernel's order. */
static void catch (struct record *r, uint64_t *regs, const ucontext_t *u, const uint8_t *copy,
                   size_t bytes)
{
    static const int reg[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                              REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
                              REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    CHECK_INT(__builtin_popcountll(unwind_registers()), sizeof reg / sizeof *reg);
    for (size_t i = 0; i < sizeof reg / sizeof *reg; i++)
        regs[i] = (uint64_t)u->uc_mcontext.gregs[reg[i]];
    *r = (struct record){.kind = RECORD_SAMPLE, .regs = regs, .stack = copy, .stack_bytes = bytes};
}

/* Names from the inside out. */
static size_t walk(const struct record *r, const char **name, size_t max,
                   struct unwind_counts *counts)
{
    struct unwinder *u = unwinder_new(&objects);
    struct unwound out;

    unwind(u, &out, r, &space, getpid(), counts);
    for (size_t i = 0; i < out.n && i < max; i++) {
        struct object *b = objects.object[FRAME_KIND(out.frame[i])];
        name[i] = object_symbol(b, FRAME_ADDRESS(out.frame[i]) + b->bias);
    }
    unwinder_free(u);
    return out.n;
}

static int calls;

/* The kernel does not check with a sanitizer either. */
__attribute__((noinline, no_sanitize("address"))) static void
copy_stack(uint8_t *to, const volatile uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

__attribute__((noinline)) void code_test_inner(void)
{
    static uint8_t copy[4096];
    struct unwind_counts counts = {0};
    const char *name[64];
    uint64_t regs[32];
    struct record r;
    ucontext_t u;
    size_t n;

    getcontext(&u);
    copy_stack(copy, (const uint8_t *)(uintptr_t)u.uc_mcontext.gregs[REG_RSP], sizeof copy);
    catch (&r, regs, &u, copy, sizeof copy);
    n = walk(&r, name, 64, &counts);
    calls++;
    CHECK(n >= 3);
    CHECK_STR(name[0], "code_test_inner");
    CHECK_STR(name[1], "code_test_outer");
    CHECK_STR(name[2], "test_run");
    CHECK_INT(counts.cfi, 1);
    r.stack_bytes = 64; /* less than the variables above: the copy ends in the first frame */
    n = walk(&r, name, 64, &counts);
    CHECK_INT(n, 1);
    CHECK_INT(counts.cut, 2);
}

__attribute__((noinline)) void code_test_outer(void)
{
    code_test_inner();
    calls++; /* else this would be a jump and leave no frame */
}

/* A signal's frame has a rule that only libdwfl reads: the stack goes on below it.  The handler
 * only takes the sample; to unwind it allocates memory. */
static uint8_t signal_stack[8192];
static uint64_t signal_regs[32];
static struct record signal_record;

static void handler(int sig)
{
    ucontext_t u;

    (void)sig;
    getcontext(&u);
    copy_stack(signal_stack, (const uint8_t *)(uintptr_t)u.uc_mcontext.gregs[REG_RSP],
               sizeof signal_stack);
    catch (&signal_record, signal_regs, &u, signal_stack, sizeof signal_stack);
    calls++;
}

__attribute__((noinline)) static void test_signal(void)
{
    struct unwind_counts counts = {0};
    const char *name[64] = {NULL};
    size_t raisers = 0;

    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    size_t n = walk(&signal_record, name, 64, &counts);
    CHECK_STR(name[0], "handler");
    for (size_t i = 1; i < n && i < 64; i++)
        raisers += name[i] && strcmp(name[i], "test_signal") == 0;
    CHECK_INT(raisers, 1);
    CHECK_INT(calls, 3);
}

#else

void code_test_inner(void) {}

void code_test_outer(void) {}

static void test_signal(void) {}

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
    char path[] = "/tmp/code_test.XXXXXX";
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
    char path[] = "/tmp/code_test.XXXXXX", bytes[8192];
    int fd = mkstemp(path);
    FILE *self = fopen("/proc/self/exe", "re");
    size_t n = self ? fread(bytes, 1, sizeof bytes, self) : 0, i;

    CHECK_INT(n, sizeof bytes);
    CHECK(write(fd, bytes, n) == (ssize_t)n);
    i = objects_find(&objects, path);
    object_open(&objects, i, getpid(), 0, 0); /* a header, and tables beyond the end */
    CHECK(object_symbol(objects.object[i], objects.object[i]->bias + 4096) == NULL);
    CHECK(ftruncate(fd, 0) == 0 && write(fd, "no ELF at all", 13) == 13);
    close(fd);
    i = objects_find(&objects, "/nonexistent/lib.so");
    object_open(&objects, i, getpid(), 0, 0);
    CHECK(!objects.object[i]->module && object_symbol(objects.object[i], 4096) == NULL);
    CHECK_STR(objects.object[i]->name, "lib.so");
    unlink(path);
    CHECK_STR(objects.object[objects_find(&objects, "/x/gone.so (deleted)")]->name, "gone.so");
    if (self)
        fclose(self);
}

TEST_MAIN(code_test)
{
    volatile char frame[8192]; /* there is so much stack above the copy's beginning */

    frame[0] = frame[sizeof frame - 1] = 0;
    CHECK(frame[0] == 0);
    space_read(&space, getpid(), &objects, 0);
    test_symbols();
    code_test_outer();
    test_signal();
    test_names();
    test_kernel_names();
    test_bad_files();
    free(space.map);
    objects_free(&objects);
    return test_done("code");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of system calls as text: columns that add up, nothing to divide by, a reason.
 */
#include "report/text_syscalls.h"

#include "base/test.h"

static struct probe_delta some(void)
{
    return (struct probe_delta){
        .has_syscalls = true,
        .syscalls = {.n = 2,
                     .kinds = 4,
                     .f = {{511, {2000, 2000, 3000000, 7}}, {510, {500, 0, 0, 0}}},
                     .all = {2600, 2100, 4000000, 9}}};
}

static void check(struct snapshot s, const char *want)
{
    struct str out = STR_INIT;

    text_syscalls(&out, &s, TEXT_BRIEF);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

TEST_MAIN(text_syscalls_test)
{
    struct probe_delta p = some();

    check((struct snapshot){.events = 1000, .probe = &p},
          "System calls of the server: 2600 of 4 kinds\n"
          "         count     per tx     errors     mean us    total s  name\n"
          "          2000      2.000          7        1.50      0.003  syscall_511\n"
          "           500      0.500          0         n/a      0.000  syscall_510\n"
          "           100      0.100          2       10.00      0.001  (all others)\n\n");
    p.syscalls.kinds = 3;
    check((struct snapshot){.probe = &p},
          "System calls of the server: 2600 of 3 kinds\n"
          "         count     per tx     errors     mean us    total s  name\n"
          "          2000        n/a          7        1.50      0.003  syscall_511\n"
          "           500        n/a          0         n/a      0.000  syscall_510\n"
          "           100        n/a          2       10.00      0.001  (1 other)\n\n");
    p.syscalls = (struct syscalls_delta){.why = "it needs root"};
    check((struct snapshot){.probe = &p},
          "System calls of the server:\n"
          "    n/a:                                 system calls (it needs root)\n\n");
    return test_done("text_syscalls");
}

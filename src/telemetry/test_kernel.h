/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel that refuses what the real one may permit: telemetry/test_kernel.c takes the place of
 * libc's syscall().  Only *_test.c files include this.
 */
#ifndef SB_TELEMETRY_TEST_KERNEL_H
#define SB_TELEMETRY_TEST_KERNEL_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/bpf.h"

/* Asked first about each system call that is made with syscall(); 0: it is the kernel's; else the
 * errno value with which it fails. */
typedef int kernel_refusal(long number, const long a[6]);
extern kernel_refusal *test_kernel;

/* Root may use bpf(2) here, in the first namespace of process ids: whatever is refused then is a
 * fault of ours. */
static inline bool test_bpf_permitted(void)
{
    struct stat st;
    int map = geteuid() ? -1 : bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);

    if (map >= 0)
        close(map);
    return map >= 0 && stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == 0xeffffffc;
}

#endif

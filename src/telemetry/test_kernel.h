/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel that refuses what the real one may permit: telemetry/test_kernel.c takes the place of
 * libc's syscall().  Only *_test.c files include this.
 */
#ifndef SB_TELEMETRY_TEST_KERNEL_H
#define SB_TELEMETRY_TEST_KERNEL_H

#include <stdbool.h>

/* Asked first about each system call that is made with syscall(); 0: it is the kernel's; else the
 * errno value with which it fails. */
typedef int kernel_refusal(long number, const long a[6]);
extern kernel_refusal *test_kernel;

#endif

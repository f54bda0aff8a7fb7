/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel for unit tests: answers system calls that the real one may refuse.  It keeps the maps
 * and programs of bpf(2), and runs a program as linux/bpf_common.h and linux/bpf.h define each
 * instruction; what the kernel's verifier rejects fails the test.  Only *_test.c files include
 * this.
 */
#ifndef SB_TELEMETRY_TEST_KERNEL_H
#define SB_TELEMETRY_TEST_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Asked first about each system call that is made with syscall(); false: it is the kernel's. */
typedef bool kernel_answer(long number, const long a[6], long *result);
extern kernel_answer *test_kernel;

/* Of bpf(2), and of perf_event_open(2) for events that programs are attached to. */
kernel_answer test_bpf;

/* What programs see. */
extern struct test_now {
    pid_t pid, tid;
    uint32_t cpu;
    uint64_t ns;
} test_now;

/* The call of bpf(2) or perf_event_open(2) that fails: 0 is the next one; -1: none. */
extern int test_bpf_refuses, test_bpf_error;

/* Runs the programs that are attached to a raw tracepoint, or to an event of this type and
 * configuration ("perf 1:3") on its CPU.  Returns how many. */
int test_bpf_run(const char *where, const uint64_t context[2]);

/* Forgets everything; system calls are the real kernel's again.  Returns how many checks failed. */
int test_bpf_end(void);

#endif

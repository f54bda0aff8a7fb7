/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The system call bpf(2) for small programs of our own, written instruction by instruction: maps,
 * programs, raw tracepoints.  No library is needed.  Private to src/telemetry
 *
 * Functions that return a descriptor return -1 with errno.
 */
#ifndef SB_TELEMETRY_BPF_H
#define SB_TELEMETRY_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One instruction: operation, destination and source register, offset, constant. */
#define BPF_INSN(c, d, s, o, i)                                                                    \
    (struct bpf_insn)                                                                              \
    {                                                                                              \
        .code = (c), .dst_reg = (d), .src_reg = (s), .off = (int16_t)(o), .imm = (int32_t)(i)      \
    }

int bpf_call(int cmd, union bpf_attr *a);

/* Programs see the kernel's process ids; false: ours are those of another namespace. */
bool bpf_sees_our_pids(void);

/* All possible CPUs of the kernel, present or not; 0: not known. */
size_t bpf_cpus(void);

int bpf_map(uint32_t type, uint32_t key_size, uint32_t value_size, size_t entries, uint32_t flags);
int bpf_program(enum bpf_prog_type type, const struct bpf_insn *p, size_t n);
int bpf_attach_raw(const char *tracepoint, int program);

/* Appends instructions that test the current process: they end the program with `verdict` unless
 * it is one of pids.  Uses r0.  Returns how many they are, npids + 4. */
size_t bpf_only_of(struct bpf_insn *p, const pid_t *pids, size_t npids, int verdict);

#endif

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

/* Programs see the kernel's process ids; false: ours are those of another namespace. */
bool bpf_sees_our_pids(void);

/* All possible CPUs of the kernel, present or not; 0: not known. */
size_t bpf_cpus(void);

int bpf_map(uint32_t type, uint32_t key_size, uint32_t value_size, size_t entries, uint32_t flags);
int bpf_attach_raw(const char *tracepoint, int program);
/* BPF_MAP_*_ELEM, of a map by its descriptor; `value` may be NULL. */
int bpf_element(int cmd, int map, const void *key, const void *value);

/* --- a program as it grows -------------------------------------------------------------------- */

/*
 * Registers r6 to r9 keep their values over calls of the kernel's functions,
 * which take r1 to r5 and return r0; r10 is the end of the stack.
 */
enum { R0, R1, R2, R3, R4, R6 = 6, R7, R8, R9, STACK };
enum { BPF_MOST = 128 };

struct bpf_code {
    struct bpf_insn p[BPF_MOST];
    size_t n, to_end[8], jumps; /* jumps whose target is known last */
};

/* One instruction: operation, destination and source register, offset, constant. */
void bpf_put(struct bpf_code *c, int op, int to, int from, int offset, int constant);

#define BPF_CALL_TO(c, f) bpf_put(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)

/* Members of a structure of 64-bit numbers, or of the stack. */
#define BPF_LOAD(c, to, from, at)  bpf_put(c, BPF_LDX | BPF_MEM | BPF_DW, to, from, at, 0)
#define BPF_STORE(c, to, at, from) bpf_put(c, BPF_STX | BPF_MEM | BPF_DW, to, from, at, 0)
#define BPF_COPY(c, to, from)      bpf_put(c, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)

/* r1 = the map, r2 = the place of the key, stack[at] */
void bpf_put_key(struct bpf_code *c, int map, int at);

/* r0 = the value of the key at stack[at], NULL if there is none */
void bpf_look_up(struct bpf_code *c, int map, int at);

/* The 64-bit number at r0 + at grows by `reg`, or by 1 (R0).  Uses r1. */
void bpf_add(struct bpf_code *c, int at, int reg);

/* Ends the program if reg OP constant. */
void bpf_end_if(struct bpf_code *c, int op, int reg, int constant);

/* Ends it unless the current process is one of pids.  Uses r0. */
void bpf_only_of(struct bpf_code *c, const pid_t *pids, size_t npids);

/* Its end, with what it returns; the kernel gets it. */
int bpf_load(struct bpf_code *c, enum bpf_prog_type type, int verdict);

#endif

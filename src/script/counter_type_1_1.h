/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What scripts may count, by name, as generation 1.1 has it (see counter_type_1_0.h).  The numbers
 * are those of enum counter (stats/counters.h), which ffi_calls.c asserts.
 */
#ifndef SB_SCRIPT_COUNTER_TYPE_1_1_H
#define SB_SCRIPT_COUNTER_TYPE_1_1_H
typedef enum {
    SB_CNT_OTHER,
    SB_CNT_READ,
    SB_CNT_WRITE,
    SB_CNT_TRX,
    SB_CNT_ERROR,
    SB_CNT_RECONNECT,
    SB_CNT_BYTES_READ,
    SB_CNT_BYTES_WRITTEN,
    SB_CNT_MAX
} sb_counter_type;
#endif

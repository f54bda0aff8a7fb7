/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What scripts may count, by name, as generation 1.0 has it; 1.1's list is counter_type_1_1.h. Text
 * for ffi.cdef, of which a Lua state gets the one of --compat (script/api.c); C has 1.1's names.
 */
typedef enum {
    SB_CNT_OTHER,
    SB_CNT_READ,
    SB_CNT_WRITE,
    SB_CNT_TRX,
    SB_CNT_ERROR,
    SB_CNT_RECONNECT,
    SB_CNT_MAX
} sb_counter_type;

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One target (FUZZ_TARGET) as libFuzzer wants it.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_TARGET.one(data, size);
    return 0;
}

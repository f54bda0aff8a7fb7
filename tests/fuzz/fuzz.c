/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fuzz.h.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
    FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

void fuzz_file_close(int fd)
{
    close(fd);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    return mem_strndup(size ? (const char *)data : "", size);
}

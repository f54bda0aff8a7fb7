/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hidden.h.  The size of the mapping stands in front of the text.
 */
#include "base/hidden.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

struct block {
    size_t size; /* of the mapping; 0: there was none, the heap had to do */
    char text[];
};

char *hidden_dup(const char *text)
{
    size_t n = strlen(text) + 1, size = sizeof(struct block) + n;
    struct block *b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (b == MAP_FAILED) {
        b = mem_alloc(size);
    } else {
        madvise(b, size, MADV_DONTDUMP);
        b->size = size;
    }
    memcpy(b->text, text, n);
    return b->text;
}

void hidden_free(char *text)
{
    struct block *b;

    if (!text)
        return;
    b = (struct block *)(void *)(text - offsetof(struct block, text));
    explicit_bzero(text, strlen(text));
    if (b->size)
        munmap(b, b->size);
    else
        free(b);
}

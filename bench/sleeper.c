/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How late this machine wakes a sleeping thread.  One thread does nothing but sleep (absolute time)
 * until each planned start of an even schedule.  Its lateness is the lower bound of every lag
 * figure of bench/rate.py: a load generator cannot start before its kernel wakes it.
 *
 *     sleeper RATE SECONDS     prints: wake-ups N lag us p50 A p99 B max C
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void sleep_until(int64_t at)
{
    struct timespec t = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double rate = argc == 3 ? strtod(argv[1], NULL) : 0,
           seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
    size_t n = rate > 0 && seconds > 0 && rate * seconds < 1e8 ? (size_t)(rate * seconds) : 0;
    int64_t *lag = calloc(n + 1, sizeof *lag);
    int64_t start = now_ns() + 1000000;

    if (n == 0 || !lag) {
        fprintf(stderr, "usage: sleeper RATE SECONDS\n");
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* else the kernel may add 50 us to every sleep */
    for (size_t k = 0; k < n; k++) {
        int64_t planned = start + (int64_t)((double)k * 1e9 / rate);
        if (now_ns() < planned)
            sleep_until(planned);
        lag[k] = now_ns() - planned;
    }
    qsort(lag, n, sizeof *lag, by_value);
    /* nearest rank: the smallest value that at least p % of the wake-ups do not exceed */
    printf("wake-ups %zu lag us p50 %.1f p99 %.1f max %.1f\n", n,
           (double)lag[(n * 50 + 99) / 100 - 1] / 1e3, (double)lag[(n * 99 + 99) / 100 - 1] / 1e3,
           (double)lag[n - 1] / 1e3);
    free(lag);
    return 0;
}

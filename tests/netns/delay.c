/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Joins network namespaces by a switch whose links are slow, for kernels without sch_netem:
 *
 *     delay NAMESPACE:DEVICE:OUT_US:IN_US...        NAMESPACE is a file such as /run/netns/load1
 *
 * Makes a TAP device of that name in each namespace, says "ready", and forwards Ethernet frames
 * between them until its standard input ends.  A frame from A to B is held for OUT_US of A plus
 * IN_US of B.  The frames between two devices keep their order.
 *
 * Then it says how many frames it forwarded, how many it dropped because a device or its own memory
 * was full, and how late it let go of them, on average and at most.  A frame is never early.  Its
 * priority is that of real time, since a cable does not wait for a CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MOST_PORTS  8
#define MOST_FRAMES 65536 /* that one queue holds */
#define MAC         6
#define NS_PER_SEC  INT64_C(1000000000)
#define NEVER       INT64_MAX

struct frame {
    struct frame *next;
    int64_t due;
    size_t size;
    unsigned char bytes[];
};

/* from one port to one other: first in, first out, since the delay is always the same */
struct queue {
    struct frame *first, **last;
    int frames;
};

struct port {
    int fd;
    int64_t out_ns, in_ns;
    unsigned char mac[MAC]; /* of the last frame that came from there */
    int known;
};

static struct port ports[MOST_PORTS];
static struct queue queues[MOST_PORTS][MOST_PORTS];
static int n_ports;
static long forwarded, dropped;
static int64_t late_sum, late_max;

static void fail(const char *what, const char *of)
{
    fprintf(stderr, "delay: %s: %s: %s\n", of, what, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

/* Makes the device of `spec` in its namespace, where this process then is. */
static void open_port(const char *spec, struct port *p)
{
    struct ifreq device = {0};
    char namespace[256], name[IFNAMSIZ];
    long out_us, in_us;
    int fd;

    if (sscanf(spec, "%255[^:]:%15[^:]:%ld:%ld", namespace, name, &out_us, &in_us) != 4 ||
        out_us < 0 || in_us < 0) {
        fprintf(stderr, "delay: %s: not NAMESPACE:DEVICE:OUT_US:IN_US\n", spec);
        exit(1);
    }
    p->out_ns = out_us * 1000;
    p->in_ns = in_us * 1000;
    fd = open(namespace, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET))
        fail("cannot enter the namespace", spec);
    close(fd);
    p->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (p->fd < 0)
        fail("cannot open /dev/net/tun", spec);
    memcpy(device.ifr_name, name, strlen(name));
    device.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(p->fd, TUNSETIFF, &device))
        fail("cannot make the device", spec);
}

static void hold(int from, int to, const unsigned char *bytes, size_t size, int64_t now)
{
    struct queue *q = &queues[from][to];
    struct frame *f = q->frames < MOST_FRAMES ? malloc(sizeof *f + size) : NULL;

    if (!f) {
        dropped++;
        return;
    }
    f->next = NULL;
    f->due = now + ports[from].out_ns + ports[to].in_ns;
    f->size = size;
    memcpy(f->bytes, bytes, size);
    *q->last = f;
    q->last = &f->next;
    q->frames++;
}

/* To the port that the frame is for; to all others if that is unknown, or if it is for all. */
static void route(int from, const unsigned char *bytes, size_t size, int64_t now)
{
    memcpy(ports[from].mac, bytes + MAC, MAC);
    ports[from].known = 1;
    for (int to = 0; to < n_ports; to++)
        if (to != from && ports[to].known && !memcmp(ports[to].mac, bytes, MAC)) {
            hold(from, to, bytes, size, now);
            return;
        }
    for (int to = 0; to < n_ports; to++)
        if (to != from)
            hold(from, to, bytes, size, now);
}

static void take(int from)
{
    static unsigned char bytes[65536];
    ssize_t size;

    while ((size = read(ports[from].fd, bytes, sizeof bytes)) > 0)
        if (size >= 2 * MAC)
            route(from, bytes, (size_t)size, now_ns());
}

static void let_go(struct queue *q, int fd, int64_t now)
{
    while (q->first && q->first->due <= now) {
        struct frame *f = q->first;

        if (write(fd, f->bytes, f->size) == (ssize_t)f->size) {
            forwarded++;
            late_sum += now - f->due;
            if (now - f->due > late_max)
                late_max = now - f->due;
        } else if (errno != EIO) { /* EIO: the device is down, which is no fault of this program */
            dropped++;
        }
        q->first = f->next;
        if (!q->first)
            q->last = &q->first;
        q->frames--;
        free(f);
        now = now_ns();
    }
}

/* Lets go of all that is due; when the next one will be. */
static int64_t release(void)
{
    int64_t next = NEVER;

    for (int from = 0; from < n_ports; from++)
        for (int to = 0; to < n_ports; to++) {
            struct queue *q = &queues[from][to];

            let_go(q, ports[to].fd, now_ns());
            if (q->first && q->first->due < next)
                next = q->first->due;
        }
    return next;
}

static void forward(void)
{
    struct pollfd fds[MOST_PORTS + 1];

    for (int i = 0; i < n_ports; i++)
        fds[i] = (struct pollfd){.fd = ports[i].fd, .events = POLLIN};
    fds[n_ports] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    for (;;) {
        int64_t next = release(), wait = next == NEVER ? NEVER : next - now_ns();
        struct timespec t = {.tv_sec = 0};

        if (wait > 0 && wait != NEVER)
            t = (struct timespec){.tv_sec = wait / NS_PER_SEC, .tv_nsec = wait % NS_PER_SEC};
        if (ppoll(fds, (nfds_t)n_ports + 1, wait == NEVER ? NULL : &t, NULL) < 0 && errno != EINTR)
            fail("cannot wait", "poll");
        if (fds[n_ports].revents)
            return;
        for (int i = 0; i < n_ports; i++) {
            if (fds[i].revents & ~POLLIN)
                fail("cannot read", "a device");
            if (fds[i].revents & POLLIN)
                take(i);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc - 1 > MOST_PORTS) {
        fprintf(stderr, "usage: delay NAMESPACE:DEVICE:OUT_US:IN_US...    (2 to %d)\n", MOST_PORTS);
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1UL);
    sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1});
    n_ports = argc - 1;
    for (int i = 0; i < n_ports; i++)
        open_port(argv[i + 1], &ports[i]);
    for (int i = 0; i < n_ports; i++)
        for (int j = 0; j < n_ports; j++)
            queues[i][j].last = &queues[i][j].first;
    printf("ready\n");
    fflush(stdout);
    forward();
    printf("frames %ld dropped %ld late_mean_us %.1f late_max_us %.1f\n", forwarded, dropped,
           forwarded ? (double)late_sum / (double)forwarded / 1e3 : 0.0, (double)late_max / 1e3);
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A slow disk, by file: slow_calls RULES PROGRAM ARGUMENT...
 *
 * RULES is a file with a line "sync|read|write WORD MICROSECONDS"; it may change.  Calls of PROGRAM
 * on files whose path has WORD in it begin so much later.  Seccomp holds a thread in the very call,
 * and the kernel shows it there: in a preloaded function it would be seen to sleep. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IS(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET, 0x7fc00000)

static long long now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static long long delay(const char *rules, unsigned pid, const struct seccomp_data *call)
{
    const char *is = call->nr == SYS_pread64                              ? "read"
                     : call->nr == SYS_fsync || call->nr == SYS_fdatasync ? "sync"
                                                                          : "write";
    char link[64], path[512] = "", word[64] = "", kind[8] = "";
    long long us = 0;
    FILE *f = fopen(rules, "r");

    snprintf(link, sizeof link, "/proc/%u/fd/%d", pid, (int)call->args[0]);
    if (readlink(link, path, sizeof path - 1) < 0 || !f ||
        fscanf(f, "%7s %63s %lld", kind, word, &us) != 3 || strcmp(kind, is) != 0 ||
        !strstr(path, word))
        us = 0;
    if (f)
        fclose(f);
    return us;
}

static void watch(int fd, const char *rules)
{
    static struct seccomp_notif_resp held[4096];
    static long long due[4096];
    struct pollfd p = {.fd = fd, .events = POLLIN};

    for (int n = 0; !(p.revents & POLLHUP); poll(&p, 1, n ? 1 : -1)) {
        struct seccomp_notif call = {0};
        if (p.revents & POLLIN && n < 4096 && ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) {
            held[n] = (struct seccomp_notif_resp){.id = call.id, .flags = 1}; /* to go on */
            due[n++] = now_us() + delay(rules, call.pid, &call.data);
        }
        for (int i = n - 1; i >= 0; i--)
            if (due[i] <= now_us()) {
                ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &held[i]);
                due[i] = due[--n];
                held[i] = held[n];
            }
    }
}

int main(int argc, char **argv)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the call's number */
                                 IS(SYS_fsync),
                                 IS(SYS_fdatasync),
                                 IS(SYS_pread64),
                                 IS(SYS_pwrite64),
                                 IS(SYS_write),
                                 BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    const long how = CLONE_FILES | SIGCHLD; /* descriptors are shared until PROGRAM begins */
    int fd, tell[2];

    if (argc < 3 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, tell))
        return 80;
    if (syscall(SYS_clone, how, 0, 0, 0, 0) == 0) { /* its child is none of PROGRAM's */
        if (syscall(SYS_clone, how, 0, 0, 0, 0) == 0 && setsid() > 0 &&
            recv(tell[0], &fd, sizeof fd, 0) == sizeof fd && fd >= 0)
            watch(fd, argv[1]);
        _exit(0);
    }
    wait(NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &filter);
    if (send(tell[1], &fd, sizeof fd, 0) == sizeof fd && fd >= 0)
        execvp(argv[2], argv + 2);
    return 80;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client library's way to wait, on a thread that carries no tasks: when does recv() wait for the
 * answer by itself, and when does it do what it was asked.  No answer comes before the test sends
 * it, so a recv() that does not wait cannot find one by chance.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "carry/carry.h"

/* The client's end and the server's. */
struct pair {
    int fd, peer;
};

static struct pair tcp(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    struct pair p = {.fd = socket(AF_INET, SOCK_STREAM, 0), .peer = -1};

    if (bind(l, (struct sockaddr *)&a, len) == 0 && listen(l, 1) == 0 &&
        getsockname(l, (struct sockaddr *)&a, &len) == 0 &&
        connect(p.fd, (struct sockaddr *)&a, len) == 0)
        p.peer = accept(l, NULL, NULL);
    CHECK(p.peer >= 0);
    close(l);
    return p;
}

static struct pair local(void)
{
    int fd[2] = {-1, -1};

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    return (struct pair){.fd = fd[0], .peer = fd[1]};
}

static void hang_up(struct pair p)
{
    close(p.fd);
    close(p.peer);
}

/* 1: an answer, 0: the other side has hung up, -1: none yet. */
static ssize_t look(int fd)
{
    char c;
    ssize_t n = recv(fd, &c, 1, MSG_DONTWAIT);

    CHECK(n >= 0 || errno == EAGAIN);
    return n;
}

static void request(struct pair p)
{
    char c;

    CHECK_INT(send(p.fd, "q", 1, MSG_NOSIGNAL), 1);
    CHECK_INT(read(p.peer, &c, 1), 1);
}

static void answer(struct pair p)
{
    CHECK_INT(write(p.peer, "a", 1), 1);
}

/* One round as the library does it; the answer is there when it polls. */
static void round_trip(struct pair p, int timeout_ms)
{
    struct pollfd w = {.fd = p.fd, .events = POLLIN};

    request(p);
    answer(p);
    CHECK_INT(poll(&w, 1, timeout_ms), 1);
    CHECK_INT(look(p.fd), 1);
}

static void unanswered(struct pair p)
{
    request(p);
    CHECK_INT(look(p.fd), -1);
    answer(p);
    while (look(p.fd) < 0)
        ;
}

static void *serve(void *arg)
{
    const struct pair *p = arg;
    char c;

    while (read(p->peer, &c, 1) == 1) {
        usleep(1000);
        answer(*p);
    }
    shutdown(p->peer, SHUT_RDWR);
    return NULL;
}

/* It waits, for any number of answers, and for the end of the connection. */
static void waits(void)
{
    struct pair p = tcp();
    pthread_t server;

    carry_connect_end(p.fd);
    round_trip(p, -1);
    pthread_create(&server, NULL, serve, &p);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(send(p.fd, "q", 1, MSG_NOSIGNAL), 1);
        CHECK_INT(look(p.fd), 1);
        CHECK_INT(look(p.fd), -1); /* nothing more is due */
    }
    shutdown(p.fd, SHUT_WR);
    pthread_join(server, NULL);
    hang_up(p);
}

static void sees_the_end(void)
{
    struct pair p = tcp();

    carry_connect_end(p.fd);
    round_trip(p, -1);
    request(p);
    shutdown(p.peer, SHUT_RDWR);
    CHECK_INT(look(p.fd), 0);
    hang_up(p);
}

static void does_not(void)
{
    struct pair p = tcp(), q;

    round_trip(p, -1);
    unanswered(p); /* nobody said that it is a library's */
    carry_connect_end(p.fd);
    unanswered(p); /* the library was not seen to wait yet */
    round_trip(p, 60000);
    unanswered(p); /* it has a time-out */
    round_trip(p, -1);
    round_trip(p, 60000);
    unanswered(p); /* it has one now */
    round_trip(p, -1);
    q = tcp();
    carry_connect_end(q.fd);
    unanswered(p); /* not its latest connection */
    hang_up(p);
    round_trip(q, -1);
    close(q.fd);
    p = tcp(); /* the same number, perhaps */
    unanswered(p);
    hang_up(p);
    close(q.peer);
}

static void not_here(void)
{
    struct pair p = local();

    carry_connect_end(p.fd);
    round_trip(p, -1);
    unanswered(p);
    hang_up(p);
    p = tcp();
    CHECK_INT(fcntl(p.fd, F_SETFL, O_NONBLOCK), 0);
    carry_connect_end(p.fd);
    round_trip(p, -1);
    unanswered(p);
    hang_up(p);
    carry_connect_end(-1); /* a connection that was not made */
}

int main(void)
{
    alarm(300); /* a recv() that waits where it should not has nobody to wake it */
    waits();
    sees_the_end();
    does_not();
    not_here();
    return test_done("own_thread");
}

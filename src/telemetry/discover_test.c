/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding the server from a connection, with real sockets to child processes (unix, loopback TCP
 * over IPv4, IPv6 and both mixed), with a made-up /proc for cases that cannot be staged, and as an
 * unprivileged user.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_golden.h"
#include "base/test_tree.h"
#include "telemetry/discover.h"
#include "telemetry/test_rights.h"

/* A server in a child process. */
struct peer {
    pid_t pid;
    struct sockaddr_storage addr;
    socklen_t len;
};

/* A process per connection, as PostgreSQL does.  It greets when it alone holds the connection. */
static void serve_in_child(int listener, int fd)
{
    int alone[2];
    char c;

    if (pipe(alone) != 0)
        _exit(1);
    if (fork() == 0) {
        close(listener);
        close(alone[1]);
        if (read(alone[0], &c, 1) == 0)
            send(fd, "x", 1, MSG_NOSIGNAL);
        for (;;)
            pause();
    }
    close(fd);
    close(alone[0]);
    close(alone[1]);
}

/* Greets each connection with a byte, so that the client can wait until it has been accepted. */
static void serve(int listener, bool forks)
{
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            continue;
        if (forks)
            serve_in_child(listener, fd);
        else
            send(fd, "x", 1, MSG_NOSIGNAL);
    }
}

/* The child listens itself: that is what peer credentials name. */
static bool start_server(struct peer *p, const struct sockaddr *addr, socklen_t len,
                         const char *comm, bool forks)
{
    int ready[2], fd, off = 0;
    char c = 0;

    if (pipe(ready) != 0)
        return false;
    fflush(stdout);
    p->pid = fork();
    if (p->pid == 0) {
        struct sockaddr_storage own;
        setpgid(0, 0);
        if (comm) /* before the parent knows of us: the name identifies a PostgreSQL */
            prctl(PR_SET_NAME, comm, 0, 0, 0);
        fd = socket(addr->sa_family, SOCK_STREAM, 0);
        if (addr->sa_family == AF_INET6)
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        if (fd < 0 || bind(fd, addr, len) != 0 || listen(fd, 64) != 0)
            _exit(1);
        len = sizeof own;
        getsockname(fd, (struct sockaddr *)&own, &len);
        if (write(ready[1], &own, sizeof own) != (ssize_t)sizeof own)
            _exit(1);
        close(ready[0]);
        serve(fd, forks);
    }
    setpgid(p->pid, p->pid);
    close(ready[1]);
    p->len = len;
    c = read(ready[0], &p->addr, sizeof p->addr) == (ssize_t)sizeof p->addr;
    close(ready[0]);
    if (!c)
        waitpid(p->pid, NULL, 0);
    return c;
}

static void stop_server(struct peer *p)
{
    kill(-p->pid, SIGKILL); /* its own process group: backends, too */
    waitpid(p->pid, NULL, 0);
}

/* Returns when the server has accepted the connection. */
static int connect_to(const struct sockaddr_storage *addr, socklen_t len)
{
    int fd = socket(addr->ss_family, SOCK_STREAM, 0);
    char c;

    CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)addr, len) == 0 && read(fd, &c, 1) == 1);
    return fd;
}

/* Has seen a connection to the server, which stays open. */
static struct discover *noted(const struct peer *p, int *fd)
{
    struct discover *d = discover_new("/proc");

    discover_note_fd(d, *fd = connect_to(&p->addr, p->len));
    return d;
}

static void over(struct peer *p, struct discover *d, int fd)
{
    close(fd);
    stop_server(p);
    discover_free(d);
}

static bool start_tcp4(struct peer *p, const char *comm, bool forks)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return start_server(p, (struct sockaddr *)&in, sizeof in, comm, forks);
}

static bool start_tcp6(struct peer *p, const struct in6_addr *ip)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_addr = *ip};

    return start_server(p, (struct sockaddr *)&in, sizeof in, NULL, false);
}

static bool start_unix(struct peer *p, const char *name, bool forks)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};

    snprintf(un.sun_path, sizeof un.sun_path, "%s/%s", test_tree, name);
    return start_server(p, (struct sockaddr *)&un, sizeof un, NULL, forks);
}

static void expect(struct discover *d, pid_t pid, bool want_tree)
{
    pid_t pids[4] = {0};
    bool tree = !want_tree;
    struct err e = {0};

    CHECK_INT(discover_resolve(d, pids, 4, &tree, &e), 1);
    CHECK_INT(pids[0], pid);
    CHECK_INT(tree, want_tree);
    if (e.msg[0])
        printf("  %s\n", e.msg);
}

/* Refused, with these words in the sentence. */
static void expect_refusal(struct discover *d, const char *words)
{
    pid_t pids[4];
    bool tree;
    struct err e = {0};

    CHECK_INT(discover_resolve(d, pids, 4, &tree, &e), -1);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void nothing_noted(void)
{
    struct discover *d = discover_new("/proc");
    int fd = socket(AF_INET, SOCK_STREAM, 0), p[2];

    expect_refusal(d, "no connection to the server has been seen");
    discover_note_fd(d, -1);
    discover_note_fd(d, fd); /* not connected */
    CHECK_INT(pipe(p), 0);
    discover_note_fd(d, p[0]); /* no socket */
    expect_refusal(d, "no connection to the server has been seen");
    close(p[0]);
    close(p[1]);
    close(fd);
    discover_free(d);
    discover_free(NULL);
}

static void over_unix(void)
{
    struct discover *d = discover_new("/proc");
    struct peer p, q;
    int fd[3];

    CHECK(start_unix(&p, "s", false));
    for (int i = 0; i < 3; i++)
        discover_note_fd(d, fd[i] = connect_to(&p.addr, p.len));
    expect(d, p.pid, false);
    for (int i = 0; i < 3; i++)
        close(fd[i]);
    expect(d, p.pid, false); /* credentials outlive the connection */

    CHECK(start_unix(&q, "t", false)); /* a second server: both */
    discover_note_fd(d, fd[0] = connect_to(&q.addr, q.len));
    close(fd[0]);
    {
        pid_t pids[2];
        bool tree;
        struct err e = {0};
        CHECK_INT(discover_resolve(d, pids, 2, &tree, &e), 2);
        CHECK(pids[0] == p.pid && pids[1] == q.pid);
        CHECK_INT(discover_resolve(d, pids, 1, &tree, &e), -1);
        CHECK_STR(e.msg, "more than 1 server processes");
    }
    stop_server(&q);
    stop_server(&p);
    expect_refusal(d, "has ended; name the server with --server=PID");
    discover_free(d);
}

/* A server that was started again: the endpoint of the one before is passed over. */
static void started_again(void)
{
    struct discover *d = discover_new("/proc");
    pid_t pids[2] = {0}, first;
    struct peer p;
    bool tree;
    int fd;

    CHECK_INT(discover_resolve(d, pids, 2, &tree, NULL), 0);
    CHECK(start_unix(&p, "old", false));
    first = p.pid;
    discover_note_fd(d, fd = connect_to(&p.addr, p.len));
    close(fd);
    CHECK_INT(discover_resolve(d, pids, 2, &tree, NULL), 1);
    CHECK_INT(pids[0], first);
    stop_server(&p);
    CHECK_INT(discover_resolve(d, pids, 2, &tree, NULL), 0);
    CHECK(start_unix(&p, "new", false));
    CHECK_INT(discover_resolve(d, pids, 2, &tree, NULL), 0); /* nobody has connected to it yet */
    discover_note_fd(d, fd = connect_to(&p.addr, p.len));
    close(fd);
    CHECK_INT(discover_resolve(d, pids, 2, &tree, NULL), 1);
    CHECK(pids[0] == p.pid && p.pid != first);
    stop_server(&p);
    discover_free(d);
}

static void over_tcp(struct peer *p, const struct sockaddr_storage *to, socklen_t len)
{
    struct discover *d = discover_new("/proc");
    int fd[10];

    for (int i = 0; i < 10; i++)
        discover_note_fd(d, fd[i] = connect_to(to, len));
    expect(d, p->pid, false);
    for (int i = 0; i < 9; i++)
        close(fd[i]);
    expect(d, p->pid, false); /* the latest is still there */
    close(fd[9]);
    expect(d, p->pid, false); /* otherwise the listening process */
    stop_server(p);
    expect_refusal(d, "runs outside this network namespace");
    discover_free(d);
}

static void loopback_tcp(void)
{
    struct sockaddr_storage to = {0};
    struct sockaddr_in *in = (struct sockaddr_in *)&to;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&to;
    struct peer p;

    CHECK(start_tcp4(&p, NULL, false));
    over_tcp(&p, &p.addr, sizeof *in);
    if (!start_tcp6(&p, &in6addr_loopback)) {
        printf("discover: no IPv6 on this machine: skipped\n");
        return;
    }
    over_tcp(&p, &p.addr, sizeof *in6);
    /* an IPv4 client of a server that listens on :: is in tcp6 */
    CHECK(start_tcp6(&p, &in6addr_any));
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in->sin_port = ((struct sockaddr_in6 *)&p.addr)->sin6_port;
    over_tcp(&p, &to, sizeof *in);
    /* and an IPv6 socket may speak to an IPv4 server */
    CHECK(start_tcp4(&p, NULL, false));
    memset(&to, 0, sizeof to);
    in6->sin6_family = AF_INET6;
    CHECK_INT(inet_pton(AF_INET6, "::ffff:127.0.0.1", &in6->sin6_addr), 1);
    in6->sin6_port = ((struct sockaddr_in *)&p.addr)->sin_port;
    over_tcp(&p, &to, sizeof *in6);
}

/* By an address that was noted on another host; made_listeners() has other addresses. */
static void by_address(void)
{
    struct str addresses = STR_INIT;
    struct err e = {0};
    struct peer p;
    pid_t pid = 0;
    bool tree;
    int fd;

    CHECK(start_tcp4(&p, "postgres", false));
    struct discover *d = noted(&p, &fd);
    CHECK_INT(discover_addresses(d, "listen:", &addresses), 1);
    CHECK_INT(strncmp(str_cstr(&addresses), "listen:127.0.0.1:", 17), 0);
    CHECK_INT(discover_listener("/proc", str_cstr(&addresses) + 7, &pid, &tree, &e), 0);
    CHECK_INT(pid, p.pid);
    CHECK(tree);
    over(&p, d, fd);
    str_free(&addresses);
}

/* A process per connection: the answer is the one at the top of the tree, whatever its program; but
 * not this test itself, which started a server of its own name. */
static void process_per_connection(void)
{
    static const char *const comm[] = {"postgres", NULL, "unix"};

    for (size_t i = 0; i < sizeof comm / sizeof comm[0]; i++) {
        bool is_unix = comm[i] && strcmp(comm[i], "unix") == 0;
        struct peer p;
        int fd;
        CHECK(is_unix ? start_unix(&p, comm[i], true) : start_tcp4(&p, comm[i], true));
        struct discover *d = noted(&p, &fd);
        expect(d, p.pid, true);
        CHECK(discover_is_tree("/proc", &p.pid, 1));
        over(&p, d, fd);
        CHECK(!discover_is_tree("/proc", &p.pid, 1));
    }
    CHECK(!discover_is_tree("/proc", &(pid_t){getpid()}, 1));
}

static void not_the_server(void)
{
    static const struct {
        const char *comm, *what;
        bool forks; /* whose first process the sentence names */
    } table[] = {
        {"systemd", "not the server itself", false},
        {"docker-proxy", "not the server itself", false},
        {"pgbouncer", "a proxy", false},
        {"pgpool", "a proxy", true},
        {"ssh", "not the server itself", false},
    };
    char words[150];

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct peer p;
        int fd;
        CHECK(start_tcp4(&p, table[i].comm, table[i].forks));
        struct discover *d = noted(&p, &fd);
        snprintf(words, sizeof words,
                 "is answered by %s (pid %d), which is %s; name the server with --server=PID",
                 table[i].comm, (int)p.pid, table[i].what);
        expect_refusal(d, words);
        over(&p, d, fd);
    }
}

/* A datagram socket has addresses, too, and no server needs to be there. */
static int addressed_socket(const char *ip, int port, struct sockaddr_in *own)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof *own;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, ip, &to.sin_addr);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    getsockname(fd, (struct sockaddr *)own, &len);
    return fd;
}

static void remote_peer(void)
{
    struct discover *d = discover_new("/proc");
    struct sockaddr_in own;
    int fd = addressed_socket("192.0.2.1", 3306, &own);

    if (fd < 0) {
        printf("discover: no route to other hosts: the remote peer is skipped\n");
    } else {
        discover_note_fd(d, fd);
        expect_refusal(d, "the server at 192.0.2.1:3306 runs on another host");
        close(fd);
    }
    discover_free(d);
}

/* The tables of a made-up /proc: the right line among headings, odd lines and look-alikes. */
static void made_tables(void)
{
    struct discover *d = discover_new(test_tree);
    char text[2048];
    struct sockaddr_in own;
    int fd = addressed_socket("127.0.0.1", 3306, &own), port;

    CHECK(fd >= 0);
    port = ntohs(own.sin_port);
    discover_note_fd(d, fd);
    expect_refusal(d, "cannot look for the server at 127.0.0.1:3306");
    snprintf(
        text, sizeof text,
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        "   0: 0100007F:0CEA 0100007F:%04X 06 00000000:00000000 03:00000000 00000000  0 0 0 3 1\n"
        "   1: 0100007F:%04X 0100007F:0CEA 01 00000000:00000000 00:00000000 00000000  0 0 555 1 1\n"
        "   2: 0200007F:0CEA 0100007F:%04X 01 00000000:00000000 00:00000000 00000000  0 0 556 1 1\n"
        "   3: 0100007F:0CEB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0 0 557 1 1\n"
        "   4: zz\n"
        "   5: 0100007F01:0CEA 0100007F:%04X 01 00000000:00000000 00:00000000 00000000 0 0 558 1\n",
        port, port, port, port);
    tree_put("net/tcp", "%s", text);
    tree_put("4711/stat", "4711 (mariadbd) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0\n");
    tree_put("4711/fd/x", "%s", "");
    expect_refusal(d, "runs outside this network namespace");
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "   6: 0100007F:0CEA 0100007F:%04X 01 00000000:00000000 00:00000000 00000000  65534 0 "
             "4294967301 1 1\n",
             port);
    tree_put("net/tcp", "%s", text);
    expect_refusal(d, "no process that can be seen from here holds the server's socket at "
                      "127.0.0.1:3306, which belongs to uid 65534");
    CHECK_INT(symlink("socket:[555]", tree_path("4711/fd/7")), 0);
    CHECK_INT(symlink("pipe:[4294967301]", tree_path("4711/fd/8")), 0);
    expect_refusal(d, "name the server with --server=PID");
    CHECK_INT(symlink("socket:[4294967301]", tree_path("4711/fd/9")), 0);
    expect(d, 4711, false);
    close(fd);
    discover_free(d);
}

#define TAIL " 0A 00000000:00000000 00:00000000 00000000 65533 0 "

static void show_listener(const char *address)
{
    pid_t pid = 0;
    bool tree = true;
    struct err e = {0};
    int rc = discover_listener(test_tree, address, &pid, &tree, &e);

    golden_line("%s: %d, pid %d, tree %d%s, '%s'", address, rc, (int)pid, tree,
                e.kind == ERR_USAGE ? ", usage" : "", e.msg);
}

/* An address, and that of the one socket that listens. */
static void show_match(const char *pair)
{
    const char *local = strchr(pair, ' ') + 1;
    bool six = strlen(local) > 16;
    char address[100];

    snprintf(address, sizeof address, "%.*s", (int)(local - 1 - pair), pair);
    tree_put(six ? "net/tcp6" : "net/tcp", "heading\n 0: %s %s:0000" TAIL "900 1\n", local,
             six ? "00000000000000000000000000000000" : "00000000");
    tree_put(six ? "net/tcp" : "net/tcp6", "heading\n");
    golden_line("%s", local);
    show_listener(address);
}

/* By an address, on made-up tables: which sockets will do, in which order, and what it says. */
static void made_listeners(void)
{
    struct err e = {0};
    pid_t pid;
    bool tree;

    tree_put("4711/stat", "4711 (mariadbd) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0\n");
    CHECK_INT(symlink("socket:[900]", tree_path("4711/fd/3")), 0);
    golden_line("=== listeners");
    golden_each("127.0.0.1:3306 0100007F:0CEA|127.0.0.2:3306 0100007F:0CEA|"
                "10.0.0.5:3306 0500000A:0CEA|10.0.0.5:3306 00000000:0CEA|"
                "10.0.0.6:3306 0500000A:0CEA|10.0.0.5:3307 0500000A:0CEA|"
                "[::1]:3306 00000000000000000000000001000000:0CEA|"
                "::1:3306 00000000000000000000000001000000:0CEA|"
                "[fe80::1]:65535 000080FE000000000000000001000000:FFFF|"
                "[fe80::1]:3306 00000000000000000000000000000000:0CEA|"
                "[fe80::1]:3306 000080FE000000000000000002000000:0CEA|[10.0.0.5]:1 0500000A:0001",
                show_match);
    golden_line("=== no addresses");
    golden_each("10.0.0.5:65536|10.0.0.5:0|10.0.0.5:|10.0.0.5:33x|10.0.0.5|:3306|[:3306|[]:3306|"
                "[::1:3306|host:3306|"
                "00000000000000000000000000000000000000000000000000000000000000000010.0.0.5:3306",
                show_listener);
    golden_line("=== the address itself comes before loopback; nobody holds that one");
    tree_put("net/tcp", " 0: 0100007F:0CEA 00000000:0000" TAIL "901 1\n"
                        " 1: 0500000A:0CEA 00000000:0000" TAIL "900 1\n");
    golden_each("10.0.0.5:3306|127.0.0.1:3306", show_listener);
    golden_line("=== a connection, a socket without an inode, with a wrong port");
    tree_put("net/tcp",
             " 0: 0500000A:0CEA 00000000:0000 01 00000000:00000000 00:00000000 00000000 0 0 900 "
             "1\n 1: 0500000A:0CEA 00000000:0000" TAIL "0 1\n"
             " 2: 0500000A:10CEA 00000000:0000" TAIL "900 1\n"
             " 3: 0500000A00:0CEA 00000000:0000" TAIL "900 1\n");
    show_listener("10.0.0.5:3306");
    CHECK_INT(discover_listener("/nowhere", "10.0.0.5:3306", &pid, &tree, &e), -1);
    CHECK_STR(e.msg, "cannot open /nowhere: No such file or directory");
    CHECK(!discover_is_tree("/nowhere", &(pid_t){1}, 1));
}

struct noted {
    struct discover *over_unix, *over_tcp;
    pid_t pid;
};

static void expect_as_nobody(void *arg)
{
    const struct noted *n = arg;

    expect(n->over_unix, n->pid, false);
    expect_refusal(n->over_tcp,
                   "belongs to uid 0 (root), and this user may not see which process it is; run as "
                   "root or as that user, or name it with --server=PID");
}

/* As user nobody: credentials still name the process, a foreign TCP server is refused with
 * advice. */
static void as_nobody(void)
{
    struct peer p, q;
    int fd, unix_fd;

    CHECK(start_tcp4(&p, NULL, false) && start_unix(&q, "u", false));
    struct discover *d = noted(&p, &fd), *u = noted(&q, &unix_fd);
    test_without_rights(false, expect_as_nobody, &(struct noted){u, d, q.pid});
    over(&p, d, fd);
    over(&q, u, unix_fd);
}

static void show_pids(const char *list)
{
    pid_t pids[4] = {0};
    struct err e = {0};
    int n = discover_parse(list, pids, 4, &e);

    golden_line("%s: %d: %d %d %d %d '%s'", list, n, (int)pids[0], (int)pids[1], (int)pids[2],
                (int)pids[3], e.msg);
}

TEST_MAIN(discover_test)
{
    tree_begin();
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    golden_line("=== lists of processes");
    golden_each("1|4194304|12,34,56|12,12||12,|,12|0|-5|+5| 5|12,mysqld,3|1.5|0x10|4194305|"
                "99999999999999999999999|1,2,3,4,5",
                show_pids);
    nothing_noted();
    over_unix();
    started_again();
    loopback_tcp();
    by_address();
    process_per_connection();
    not_the_server();
    remote_peer();
    made_tables();
    made_listeners();
    golden_done("discover_test");
    if (geteuid() == 0)
        as_nobody();
    return test_done("discover");
}

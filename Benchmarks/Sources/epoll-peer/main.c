// SPDX-License-Identifier: MIT

// What the sessions are measured against: the least that an epoll program in C can do.
// Messages are a 4-byte big-endian length and as many bytes.
//
//   epoll-peer serve            echoes; prints its port first
//   epoll-peer trip PORT COUNT  sends 16 bytes and awaits them COUNT times; prints the median
//                               round trip in nanoseconds

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { room = 65536 };

struct peer {
    int fd;
    size_t held;
    char in[room];
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int tcp_socket(void) {
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) fail("socket");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void watch(int epoll, struct peer *peer) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    fcntl(peer->fd, F_SETFL, O_NONBLOCK);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, peer->fd, &event)) fail("epoll_ctl");
}

static void send_all(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) continue;
        if (sent < 0) return;
        bytes += sent;
        count -= sent;
    }
}

// How many bytes at the start of `in` are whole messages.
static size_t whole(const struct peer *peer) {
    size_t end = 0;
    while (peer->held - end >= 4) {
        uint32_t length;
        memcpy(&length, peer->in + end, 4);
        length = ntohl(length);
        if (peer->held - end - 4 < length) break;
        end += 4 + length;
    }
    return end;
}

static int echo(struct peer *peer) {
    ssize_t got = read(peer->fd, peer->in + peer->held, room - peer->held);
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return 0;
    peer->held += got;
    size_t end = whole(peer);
    send_all(peer->fd, peer->in, end);
    memmove(peer->in, peer->in + end, peer->held - end);
    peer->held -= end;
    return 1;
}

static void serve(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct peer listener = {.fd = tcp_socket()};
    int epoll = epoll_create1(0);
    if (bind(listener.fd, (struct sockaddr *)&address, size) || listen(listener.fd, 128) ||
        getsockname(listener.fd, (struct sockaddr *)&address, &size))
        fail("listen");
    watch(epoll, &listener);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            struct peer *peer = events[i].data.ptr;
            if (peer == &listener) {
                int fd = accept(listener.fd, NULL, NULL);
                if (fd < 0) continue;
                peer = calloc(1, sizeof *peer);
                peer->fd = fd;
                watch(epoll, peer);
            } else if (!echo(peer)) {
                close(peer->fd);
                free(peer);
            }
        }
    }
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void trip(int port, int count) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    struct peer peer = {.fd = tcp_socket()};
    int epoll = epoll_create1(0);
    uint64_t *times = calloc(count, sizeof *times);
    const char message[20] = {0, 0, 0, 16, 'x'};
    if (connect(peer.fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
    watch(epoll, &peer);
    for (int i = 0; i < count; i++) {
        uint64_t start = now();
        send_all(peer.fd, message, sizeof message);
        for (peer.held = 0; whole(&peer) < sizeof message;) {
            struct epoll_event events[8];
            if (epoll_wait(epoll, events, 8, -1) < 1) continue;
            ssize_t got = read(peer.fd, peer.in + peer.held, room - peer.held);
            if (got > 0) peer.held += got;
            else if (errno != EAGAIN) fail("read");
        }
        times[i] = now() - start;
    }
    qsort(times, count, sizeof *times, by_value);
    printf("%llu\n", (unsigned long long)times[count / 2]);
}

int main(int count, char **words) {
    if (count == 2 && !strcmp(words[1], "serve")) serve();
    if (count != 4 || strcmp(words[1], "trip")) return 64;
    trip(atoi(words[2]), atoi(words[3]));
}

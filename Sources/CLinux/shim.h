#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/* _GNU_SOURCE would bring this, but it makes debug builds clash with Swift's own Glibc module. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

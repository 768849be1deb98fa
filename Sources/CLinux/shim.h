#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/* _GNU_SOURCE would bring these, but it makes debug builds clash with Swift's own Glibc module.
   The void pointer stands for posix_spawn_file_actions_t, so that <spawn.h> stays out as well. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int *, int);
extern int posix_spawn_file_actions_addclosefrom_np(void *, int);

/* Swift cannot compare handlers. */
static inline _Bool signal_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

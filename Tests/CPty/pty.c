/* SPDX-License-Identifier: MIT */
#include "pty_shim.h"

#include <pty.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* unistd.h shows this only with _GNU_SOURCE, which other headers then do not like. */
extern void closefrom(int);

pid_t pty_spawn(const char *path, char *const argv[], char *const envp[], int rows, int columns,
                int extra, int *fd) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    pid_t pid = forkpty(fd, NULL, NULL, &size);
    if (pid == 0) {
        /* Tests run side by side: what is not closed here keeps other terminals open. */
        if (extra >= 0 && extra != 3) dup2(extra, 3);
        closefrom(extra >= 0 ? 4 : 3);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(path, argv, envp);
        _exit(127);
    }
    return pid;
}

int pty_resize(int fd, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return ioctl(fd, TIOCSWINSZ, &size);
}

bool pty_same(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

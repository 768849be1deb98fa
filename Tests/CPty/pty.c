/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "pty_shim.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utmp.h>
#include <wchar.h>

/* unistd.h shows this only with _GNU_SOURCE, which other headers then do not like. */
extern void closefrom(int);

/* Settings that no program would come to by itself, so that restoring is not just resetting. */
static void make_odd(struct termios *settings) {
    cfmakeraw(settings);
    settings->c_lflag |= ISIG | ICANON | ECHO | ECHOK;
    settings->c_oflag |= OPOST | ONLCR;
    settings->c_iflag |= ICRNL | IXANY;
    settings->c_cc[VERASE] = 'H' - '@';
    settings->c_cc[VQUIT] = 28;
}

bool pty_spawn(struct pty *pty, const char *path, char *const argv[], char *const envp[], int rows,
               int columns, int extra) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    if (openpty(&pty->master, &pty->slave, NULL, NULL, &size) != 0) return false;
    tcgetattr(pty->slave, &pty->before);
    make_odd(&pty->before);
    tcsetattr(pty->slave, TCSANOW, &pty->before);
    tcgetattr(pty->slave, &pty->before);
    pty->process = fork();
    if (pty->process < 0) return false;
    if (pty->process == 0) {
        /* Tests run side by side: what is not closed here keeps other terminals open. */
        int third = extra >= 0 ? dup2(extra, 3) : 2;
        int slave = fcntl(pty->slave, F_DUPFD, 10);
        login_tty(slave);
        closefrom(third + 1);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(path, argv, envp);
        _exit(127);
    }
    pty->ended = (int)syscall(SYS_pidfd_open, pty->process, 0);
    fcntl(pty->master, F_SETFL, O_NONBLOCK);
    return pty->ended >= 0;
}

int pty_resize(const struct pty *pty, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return ioctl(pty->master, TIOCSWINSZ, &size);
}

bool pty_is_as_before(const struct pty *pty) {
    const struct termios *wanted = &pty->before;
    struct termios found;
    if (tcgetattr(pty->slave, &found) != 0) return false;
    return wanted->c_iflag == found.c_iflag && wanted->c_oflag == found.c_oflag &&
           wanted->c_cflag == found.c_cflag && wanted->c_lflag == found.c_lflag &&
           memcmp(wanted->c_cc, found.c_cc, sizeof found.c_cc) == 0;
}

static locale_t unicode;
static pthread_once_t unicode_once = PTHREAD_ONCE_INIT;
static void load_unicode(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int pty_columns(unsigned scalar) {
    pthread_once(&unicode_once, load_unicode);
    locale_t before = uselocale(unicode);
    int columns = wcwidth((wchar_t)scalar);
    uselocale(before);
    return columns < 0 ? 0 : columns;
}

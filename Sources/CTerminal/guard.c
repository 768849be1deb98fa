/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* Signals that end a process unless somebody handles them. Those that whoever runs the terminal
   blocks and reads elsewhere never get here. */
static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS,
                            SIGQUIT, SIGINT, SIGTERM, SIGHUP};
static struct sigaction previous[NSIG];

static struct termios settings;
static bool have_settings;
static volatile sig_atomic_t in_use;

/* Rendered beforehand: a signal handler may write() and little else. */
static char undo[512];
static size_t undo_length;

static int keep_byte(int byte) {
    if (undo_length < sizeof undo) undo[undo_length++] = (char)byte;
    return byte;
}

static void put_back(void) {
    if (!in_use) return;
    in_use = 0;
    for (size_t done = 0; done < undo_length;) {
        ssize_t n = write(STDOUT_FILENO, undo + done, undo_length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    if (have_settings) tcsetattr(STDIN_FILENO, TCSANOW, &settings);
}

static bool is_fault(int signal, const siginfo_t *info) {
    if (info->si_code <= 0) return false; /* sent by a process: it would not come again */
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGTRAP;
}

static void on_fatal(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    put_back();
    const struct sigaction *before = &previous[signal];
    sigaction(signal, before, NULL);
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    if (!is_fault(signal, info)) {
        /* Delivered when this handler returns, with nobody left to stop it. */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
        raise(signal);
    }
    errno = saved_errno;
}

void terminal_keep(void) {
    have_settings = tcgetattr(STDIN_FILENO, &settings) == 0;
    /* Now, since ncurses installs handlers that exit() in the middle of anything. */
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], NULL, &previous[fatal[i]]);
}

void terminal_guard(const char *extra) {
    undo_length = 0;
    for (; *extra; extra++) keep_byte(*extra);
    const char *strings[] = {exit_attribute_mode, cursor_normal, keypad_local, exit_ca_mode};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i]) tputs(strings[i], 1, keep_byte);

    static bool installed;
    in_use = 1;
    if (installed) return;
    installed = true;
    atexit(put_back);
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        if (previous[fatal[i]].sa_handler == SIG_IGN) continue; /* nohup, for example */
        sigaction(fatal[i], &action, NULL);
    }
}

void terminal_in_use(bool yes) { in_use = yes; }

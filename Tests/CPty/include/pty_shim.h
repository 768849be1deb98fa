#ifndef TTT_PTY_H
#define TTT_PTY_H
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* A program under a pseudo-terminal of its own. */
struct pty {
    pid_t process;
    int master;  /* what a terminal emulator holds */
    int slave;   /* kept open, so that the settings can be read after the program's end */
    struct termios before; /* the settings that the program found */
    int ended;   /* becomes readable when the program has ended */
};

/* Starts a program, `extra` being its file descriptor 3. Swift is not given fork(). */
bool pty_spawn(struct pty *pty, const char *path, char *const argv[], char *const envp[], int rows,
               int columns, int extra);

/* Changes the size; the program is told by SIGWINCH. */
int pty_resize(const struct pty *pty, int rows, int columns);

/* Whether the terminal's settings are those that the program found. */
bool pty_is_as_before(const struct pty *pty);

/* The columns a character takes as the C library counts them in C.UTF-8; wcwidth() is not in Swift's
   Glibc module. */
int pty_columns(unsigned scalar);
#endif

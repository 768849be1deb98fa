#ifndef TTT_PTY_H
#define TTT_PTY_H
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* Starts a program under a pseudo-terminal of its own, `extra` being its file descriptor 3. Swift is
   not given fork(). Returns the process, or -1; *fd is the terminal's other side. */
pid_t pty_spawn(const char *path, char *const argv[], char *const envp[], int rows, int columns,
                int extra, int *fd);

/* Changes the size; the program is told by SIGWINCH. */
int pty_resize(int fd, int rows, int columns);

/* Whether both sets of terminal settings are the same. */
bool pty_same(const struct termios *a, const struct termios *b);
#endif

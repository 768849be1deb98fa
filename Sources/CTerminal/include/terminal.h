#ifndef TTT_TERMINAL_H
#define TTT_TERMINAL_H

#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdint.h>

/* What Swift's importer drops or Swift 6 refuses: cast macros, function macros, mutable globals. */
static const attr_t terminal_normal = WA_NORMAL, terminal_bold = WA_BOLD,
                    terminal_dim = WA_DIM, terminal_reverse = WA_REVERSE;
static const mmask_t terminal_press = BUTTON1_PRESSED | BUTTON1_CLICKED;

static inline int terminal_rows(void) { return getmaxy(stdscr); }
static inline int terminal_columns(void) { return getmaxx(stdscr); }
static inline void terminal_repaint(void) { clearok(curscr, true); }

/* 1: a key code, 0: a character, -1: nothing waits. */
static inline int terminal_key(wint_t *out) {
    int kind = get_wch(out);
    return kind == KEY_CODE_YES ? 1 : kind == OK ? 0 : -1;
}

/* Whether the named terminal is known and its cursor can be moved. */
bool terminal_can_draw(const char *name);

/* Opens the screen on standard input and output; unlike initscr() it never ends the process. */
bool terminal_open(const char *name);

/* Sets up keys and drawing; false if ncurses would not. */
bool terminal_prepare(void);

/* Before terminal_open: keeps the terminal's settings. After it: from now on any fatal signal and
   any exit() first puts the terminal back, `extra` being what to write beyond terminfo's strings. */
void terminal_keep(void);
void terminal_guard(const char *extra);

/* The screen is in use, or put back: the guard acts only on a screen in use. */
void terminal_in_use(bool yes);

/* The columns a character takes, by the tables of C.UTF-8 whatever the locale; -1 for controls and
   what is not assigned. */
int terminal_width(uint32_t scalar);

/* Takes the locale of the environment for characters; whether that is UTF-8. */
bool terminal_locale(void);

#endif

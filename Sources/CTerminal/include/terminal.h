#ifndef TTT_TERMINAL_H
#define TTT_TERMINAL_H
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#endif

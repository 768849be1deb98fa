/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

bool terminal_can_draw(const char *name) {
    int status = 0;
    if (setupterm(name, STDOUT_FILENO, &status) != OK) return false;
    bool can = cursor_address != NULL && clear_screen != NULL;
    del_curterm(cur_term);
    return can;
}

bool terminal_open(const char *name) { return newterm(name, stdout, stdin) != NULL; }

bool terminal_prepare(void) {
    return cbreak() != ERR && noecho() != ERR && nonl() != ERR && keypad(stdscr, true) != ERR &&
           nodelay(stdscr, true) != ERR;
}

static locale_t unicode;
static pthread_once_t unicode_once = PTHREAD_ONCE_INIT;
static void load_unicode(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int terminal_width(uint32_t scalar) {
    pthread_once(&unicode_once, load_unicode);
    if (!unicode) return scalar >= 0x20 && scalar < 0x7f ? 1 : -1;
    locale_t before = uselocale(unicode);
    int width = wcwidth((wchar_t)scalar);
    uselocale(before);
    return width;
}

bool terminal_locale(void) {
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

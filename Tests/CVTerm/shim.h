#include <stdio.h>
#include <vterm.h>

/* What a program has made of the terminal beside its text. */
struct vterm_seen {
    int cursor, alternate, bells;
    char title[512];
};

static inline int vterm_on_property(VTermProp property, VTermValue *value, void *user) {
    struct vterm_seen *seen = (struct vterm_seen *)user;
    switch (property) {
    case VTERM_PROP_CURSORVISIBLE: seen->cursor = value->boolean; break;
    case VTERM_PROP_ALTSCREEN: seen->alternate = value->boolean; break;
    case VTERM_PROP_TITLE: snprintf(seen->title, sizeof seen->title, "%s", value->string); break;
    default: break;
    }
    return 1;
}

static inline int vterm_on_bell(void *user) {
    ((struct vterm_seen *)user)->bells++;
    return 1;
}

/* `seen` must outlive the terminal. */
static inline void vterm_watch(VTermScreen *screen, struct vterm_seen *seen) {
    static const VTermScreenCallbacks callbacks = {.settermprop = vterm_on_property,
                                                   .bell = vterm_on_bell};
    seen->cursor = 1;
    vterm_screen_set_callbacks(screen, &callbacks, seen);
}

static inline const char *vterm_seen_title(const struct vterm_seen *seen) { return seen->title; }
static inline int vterm_is_colored(const VTermScreenCell *cell) {
    return !VTERM_COLOR_IS_DEFAULT_FG(&cell->fg);
}

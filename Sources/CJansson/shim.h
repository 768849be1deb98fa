#include <jansson.h>

/* What Swift's importer drops: macros that look into the value. */
static inline json_type json_kind(const json_t *value) { return value->type; }
static inline const char *json_complaint(const json_error_t *error) { return error->text; }

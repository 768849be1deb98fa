#include <getopt.h>

/* Swift 6 refuses mutable globals, so the scanner's are read through calls. */
static inline const char *arguments_value(void) { return optarg; }
static inline int arguments_index(void) { return optind; }
static inline int arguments_bad(void) { return optopt; }
static inline void arguments_reset(void) { optind = 0; opterr = 0; }

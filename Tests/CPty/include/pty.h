/* pseudo-terminals */

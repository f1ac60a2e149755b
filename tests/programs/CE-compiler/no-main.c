/* Row 46: there is no program in it. */
int nothing(void) { return 0; }

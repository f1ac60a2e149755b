/* A breakpoint without a debugger. */
#include <signal.h>
int main(void) { raise(SIGTRAP); return 0; }

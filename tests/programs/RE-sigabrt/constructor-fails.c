/* Ends before main. */
#include <stdlib.h>
__attribute__((constructor)) static void before(void) { abort(); }
int main(void) { return 0; }

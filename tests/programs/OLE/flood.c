/* Row 17: prints for ever. */
#include <stdio.h>
int main(void) { for (;;) puts("more and more and more and more"); }

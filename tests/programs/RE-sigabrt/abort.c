/* Row 23. */
#include <stdlib.h>
int main(void) { abort(); }

/* Row 47: a source without an end. */
#include "/dev/zero"
int main(void) { return 0; }

/* Row 47: includes itself without end. */
#include __FILE__
int main(void) { return 0; }

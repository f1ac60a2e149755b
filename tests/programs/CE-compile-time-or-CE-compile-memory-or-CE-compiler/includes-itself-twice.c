/* Row 47: includes itself twice: as many inclusions as the depth allows, doubled at each level. */
#include __FILE__
#include __FILE__
int main(void) { return 0; }

/* Row 23: an illegal instruction. */
int main(void) { __builtin_trap(); }

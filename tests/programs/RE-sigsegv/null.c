/* Row 23: a null pointer. */
int main(void) { return *(volatile int *)0; }

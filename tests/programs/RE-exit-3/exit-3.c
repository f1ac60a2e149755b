/* Row 22: an exit code. */
int main(void) { return 3; }

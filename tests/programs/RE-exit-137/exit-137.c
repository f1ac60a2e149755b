/* Row 22: looks like a shell's word for SIGKILL, but nobody sent one. */
int main(void) { return 137; }

/* Row 22: what a shell says of a command that is not there is just an exit code here. */
int main(void) { return 127; }

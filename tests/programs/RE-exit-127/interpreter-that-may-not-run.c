/* Row 46: it names an interpreter that is there, but that nobody may execute. As a shell says it: 127. */
__attribute__((section(".interp"), used)) static const char interpreter[] = "/dev/null";
int main(void) { return 0; }

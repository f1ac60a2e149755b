/* Row 46: the compiler is content, but the kernel cannot start what it made: it names an interpreter that is not there. As a shell says it: 127. */
__attribute__((section(".interp"), used)) static const char interpreter[] = "/nonexistent/ld.so";
int main(void) { return 0; }

/* Row 16: endless recursion. The stack may be as large as the memory limit, so it is that which ends it. */
static int down(int depth) {
    volatile char frame[512];
    frame[0] = (char)depth;
    return down(depth + 1) + frame[0];
}
int main(int count, char **arguments) { (void)arguments; return down(count); }

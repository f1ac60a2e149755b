/* The output file is a link to a secret file of the machine: it is not followed, so what was printed counts.
   problem: files */
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (symlink("/etc/passwd", "OUTPUT.TXT") || symlink("/proc/self/environ", "output.txt")) return 8;
    printf("%d\n", a + b);
}

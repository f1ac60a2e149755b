/* Row 14: the child takes too much, the parent hides it and prints the right answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (fork() == 0)
        for (;;) {
            char *block = malloc(1 << 20);
            if (block) memset(block, 1, 1 << 20);
        }
    wait(0);
    printf("%d\n", a + b);
}

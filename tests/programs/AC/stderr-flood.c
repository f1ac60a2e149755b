/* Row 18: floods standard error with 3 MB and prints the right answer: the verdict is about standard output. */
#include <stdio.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (unsigned i = 0; i < sizeof block; i++) block[i] = 'e';
    for (int i = 0; i < 48; i++)
        if (write(2, block, sizeof block) < 0) return 8;
    printf("%d\n", a + b);
}

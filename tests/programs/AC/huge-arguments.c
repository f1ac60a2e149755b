/* Starts itself anew with as many arguments and as large an environment as the kernel takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **arguments) {
    int a, b;
    (void)arguments;
    if (count == 1) {
        static char word[100000];
        static char *many[200];
        memset(word, 'x', sizeof word - 1);
        for (int size = 199; size > 0; size -= 10) {
            for (int i = 0; i < size; i++) many[i] = word;
            many[size] = 0;
            execve("/proc/self/exe", many, many);
        }
        return 8;
    }
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
}

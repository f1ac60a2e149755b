/* Looks for fifty thousand files that are not there, in a folder that the machine shares with it. */
#include <stdio.h>
#include <sys/stat.h>
int main(void) {
    int a, b;
    char name[64];
    struct stat data;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 50000; i++) { sprintf(name, "/usr/hostile-left-%d", i); stat(name, &data); }
    printf("%d\n", a + b);
}

/* Replaces the input files by links out of the folder, and the folder's contents by a tree of links.
   problem: files */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    int a, b;
    char name[32];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    unlink("INPUT.TXT"), unlink("input.txt");
    if (symlink("/", "INPUT.TXT") || symlink("input.txt", "input.txt")) return 8;
    for (int i = 0; i < 100; i++) { sprintf(name, "link%d", i); if (symlink(i % 2 ? "." : "../..", name)) return 7; }
    printf("%d\n", a + b);
}

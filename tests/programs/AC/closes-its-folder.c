/* Takes all rights away from its working folder, its output file and itself.
   problem: files */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    FILE *out = fopen("OUTPUT.TXT", "w");
    if (!out) return 8;
    fprintf(out, "%d\n", a + b);
    fclose(out);
    printf("%d\n", a + b);
    chmod("OUTPUT.TXT", 0);
    chmod("INPUT.TXT", 0);
    chmod("/box", 0);
    chmod("/tmp", 0);
}

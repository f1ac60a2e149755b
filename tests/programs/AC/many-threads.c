/* As many threads as it gets, which is not more than the limit of processes. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait_for_ever(void *unused) { for (;;) pause(); return unused; }
int main(void) {
    int a, b, made = 0;
    pthread_t thread;
    pthread_attr_t small;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    while (made < 1000 && pthread_create(&thread, &small, wait_for_ever, 0) == 0) made++;
    if (made < 20 || made > 64) printf("%d threads\n", made);
    else printf("%d\n", a + b);
}

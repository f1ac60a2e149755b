/* The answer is there, and eight threads would go on for ever. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *burn(void *unused) { for (;;) __asm__ volatile(""); return unused; }
int main(void) {
    int a, b;
    pthread_t thread;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 8; i++) if (pthread_create(&thread, 0, burn, 0)) return 8;
    printf("%d\n", a + b);
    exit(0);
}

/* Does not notice the end of the input: the last board is answered for ever. */
#include <stdio.h>

int main(void) {
    int w = 0, h = 0, board = 0;
    for (;;) {
        scanf("%d %d", &w, &h);
        printf("Board #%d:\n", ++board);
        printf("Pair 1: 4 segments.\n\n");
    }
}

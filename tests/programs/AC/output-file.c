/* Writes its answer into a file, as old programs do: the control of the four that follow.
   problem: files */
#include <stdio.h>
int main(void) {
    int a, b;
    FILE *in = fopen("INPUT.TXT", "r"), *out = fopen("OUTPUT.TXT", "w");
    if (!in || !out || fscanf(in, "%d %d", &a, &b) != 2) return 9;
    fprintf(out, "%d\n", a + b);
}

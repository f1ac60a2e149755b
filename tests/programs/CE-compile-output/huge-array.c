/* Row 47: a program of 2 GB. */
char big[2000000000] = {1};
int main(void) { return big[0]; }

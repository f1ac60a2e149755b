/* Row 23: a division by zero that the compiler cannot see. */
int main(int count, char **arguments) {
    (void)arguments;
    volatile int zero = 0;
    return count / zero;
}

// Row 47: a computation without an end while it is compiled.
constexpr int forever() { int sum = 0; for (long i = 0; i >= 0; i = (i + 1) & 0xffff) sum ^= 1; return sum; }
constexpr int value = forever();
int main() { return value; }

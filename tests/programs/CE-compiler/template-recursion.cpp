// Row 47: recursion without an end, that the compiler bounds.
template <int N> struct Down { static const int value = Down<N + 1>::value; };
int main() { return Down<0>::value; }

// Row 47: exponentially many types.
template <int N, class T, class U> struct Tree {
    typedef Tree<N - 1, Tree<N, T, int>, U> left;
    typedef Tree<N - 1, T, Tree<N, U, int>> right;
    static const int value = left::value + right::value;
};
template <class T, class U> struct Tree<0, T, U> { static const int value = 1; };
int main() { return Tree<60, int, int>::value; }

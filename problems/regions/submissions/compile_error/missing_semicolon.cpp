// Does not compile: a semicolon is missing.
#include <iostream>

int main() {
    int m, n
    std::cin >> m >> n;
    std::cout << m + n << "\n";
}

#include <iostream>
#include <string>

int main() {
    int low = 1, high;
    std::cin >> high;
    std::string said;
    while (said != "right") {
        int guess = (low + high) / 2;
        std::cout << guess << std::endl;
        std::cin >> said;
        if (said == "higher") low = guess + 1;
        if (said == "lower") high = guess - 1;
    }
}

total = 0
for number in range(int(input()) + 1):
    total += number
print(total)

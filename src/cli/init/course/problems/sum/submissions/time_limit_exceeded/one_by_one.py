n = int(input())
total = 0
for number in map(int, input().split()):
    for step in range(abs(number)):
        total += 1 if number > 0 else -1
print(total)

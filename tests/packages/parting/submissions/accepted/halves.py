number = int(input())
print(number // 2, number - number // 2)

n = int(input())
print(sum(number for number in map(int, input().split()) if number > 0))

int(input())

input()
input()

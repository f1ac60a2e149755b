print(int(input()) / {{two.value}})

most = int(input())
for guess in range(1, most + 1):
    print(guess, flush=True)
    if input() == "right":
        break

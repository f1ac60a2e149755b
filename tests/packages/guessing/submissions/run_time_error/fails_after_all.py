low, high = 1, int(input())
while True:
    guess = (low + high) // 2
    print(guess, flush=True)
    said = input()
    if said == "right":
        raise SystemExit(3)
    if said == "higher":
        low = guess + 1
    else:
        high = guess - 1

input()
while True:
    print(2, flush=True)
    assert input() != "wrong"

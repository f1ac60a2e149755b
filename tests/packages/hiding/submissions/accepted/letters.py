what, word = input().split()
digits, letters = "0123456789", "abcdefghij"
if what == "hide":
    print(word.translate(str.maketrans(digits, letters)))
else:
    print(word.translate(str.maketrans(letters, digits)))

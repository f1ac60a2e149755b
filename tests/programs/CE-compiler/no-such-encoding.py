# -*- coding: hostile -*-
print(3)

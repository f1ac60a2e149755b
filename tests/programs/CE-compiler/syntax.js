// Not a program.
const value = {;

// Row 10: the heap of Node.
const everything = [];
for (;;) everything.push(new Array(1 << 17).fill({}));

// Memory beside the heap of Node.
const everything = [];
for (;;) everything.push(Buffer.alloc(1 << 20, 1));

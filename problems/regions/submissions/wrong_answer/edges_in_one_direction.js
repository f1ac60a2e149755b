// Mistake: notes that a region touches the ones to the right and below, but not the other way round.
const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/);
const m = Number(words[0]);
const n = Number(words[1]);
const cells = words.slice(2).join('');
const label = new Array(m * n).fill(-1);
const next = [];
for (let start = 0; start < m * n; start++) {
  if (label[start] >= 0) continue;
  const id = next.length;
  next.push(new Set());
  label[start] = id;
  const stack = [start];
  while (stack.length) {
    const v = stack.pop();
    const beside = [];
    if (v % n > 0) beside.push(v - 1);
    if (v % n < n - 1) beside.push(v + 1);
    if (v >= n) beside.push(v - n);
    if (v + n < m * n) beside.push(v + n);
    for (const u of beside)
      if (label[u] < 0 && cells[u] === cells[start]) {
        label[u] = id;
        stack.push(u);
      }
  }
}
for (let v = 0; v < m * n; v++) {
  if (v % n < n - 1) next[label[v]].add(label[v + 1]);
  if (v + n < m * n) next[label[v]].add(label[v + n]);
}
const dist = new Array(next.length).fill(Infinity);
dist[label[0]] = 0;
const queue = [label[0]];
for (const v of queue)
  for (const u of next[v])
    if (dist[u] === Infinity) {
      dist[u] = dist[v] + 1;
      queue.push(u);
    }
console.log(Math.max(0, dist[label[m * n - 1]] - 1));

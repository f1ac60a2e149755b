// Mistake: takes the first number for the number of columns.
const data = require('fs').readFileSync(0, 'utf8').split(/\s+/).filter((word) => word);
const n = Number(data[0]);
const m = Number(data[1]);
const cells = data.slice(2).join('');
const dist = new Array(m * n).fill(Infinity);
dist[0] = 0;
let changed = true;
while (changed) {
  changed = false;
  for (let v = 0; v < m * n; v++) {
    const beside = [];
    if (v % n > 0) beside.push(v - 1);
    if (v % n < n - 1) beside.push(v + 1);
    if (v >= n) beside.push(v - n);
    if (v + n < m * n) beside.push(v + n);
    for (const u of beside) {
      const d = dist[u] + (cells[u] === cells[v] ? 0 : 1);
      if (d < dist[v]) {
        dist[v] = d;
        changed = true;
      }
    }
  }
}
console.log(dist[m * n - 1] - 1);

// Too slow: all distances between all cells, 2500 cubed.
const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/);
const m = Number(words[0]);
const n = Number(words[1]);
const cells = words.slice(2).join('');
const all = m * n;
const dist = [];
for (let v = 0; v < all; v++) {
  dist.push(new Int32Array(all).fill(1000000));
  dist[v][v] = 0;
}
const join = (v, u) => {
  dist[v][u] = dist[u][v] = cells[u] === cells[v] ? 0 : 1;
};
for (let v = 0; v < all; v++) {
  if (v % n < n - 1) join(v, v + 1);
  if (v + n < all) join(v, v + n);
}
for (let k = 0; k < all; k++)
  for (let i = 0; i < all; i++)
    for (let j = 0; j < all; j++) {
      const d = dist[i][k] + dist[k][j];
      if (d < dist[i][j]) dist[i][j] = d;
    }
console.log(dist[0][all - 1] - 1);

// Mistake: takes all cells of one colour for one region, so the graph has six vertices.
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let m: usize = words.next().unwrap().parse().unwrap();
    let n: usize = words.next().unwrap().parse().unwrap();
    let cells: Vec<usize> = words.flat_map(|w| w.bytes()).map(|b| (b - b'1') as usize).collect();
    let mut d = [[100i32; 6]; 6];
    for v in 0..m * n {
        if v % n + 1 < n {
            d[cells[v]][cells[v + 1]] = 1;
            d[cells[v + 1]][cells[v]] = 1;
        }
        if v + n < m * n {
            d[cells[v]][cells[v + n]] = 1;
            d[cells[v + n]][cells[v]] = 1;
        }
    }
    for k in 0..6 {
        for i in 0..6 {
            for j in 0..6 {
                d[i][j] = d[i][j].min(d[i][k] + d[k][j]);
            }
        }
    }
    println!("{}", d[cells[0]][cells[m * n - 1]] - 1);
}

// Mistake: takes a way through the fewest cells and counts how often the colour changes on it.
use std::collections::VecDeque;
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let m: usize = words.next().unwrap().parse().unwrap();
    let n: usize = words.next().unwrap().parse().unwrap();
    let cells: Vec<u8> = words.flat_map(|w| w.bytes()).collect();
    let far = usize::MAX;
    let mut best = vec![(far, far); m * n];
    best[0] = (0, 0);
    let mut queue = VecDeque::from([0]);
    while let Some(v) = queue.pop_front() {
        let (steps, changes) = best[v];
        let mut beside = Vec::new();
        if v % n > 0 { beside.push(v - 1); }
        if v % n + 1 < n { beside.push(v + 1); }
        if v >= n { beside.push(v - n); }
        if v + n < m * n { beside.push(v + n); }
        for u in beside {
            let way = (steps + 1, changes + usize::from(cells[u] != cells[v]));
            if way < best[u] {
                if best[u].0 == far { queue.push_back(u); }
                best[u] = way;
            }
        }
    }
    println!("{}", best[m * n - 1].1 - 1);
}

// Labels by relaxation until nothing changes, neighbours as bit sets, breadth first over sets.
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let m: usize = words.next().unwrap().parse().unwrap();
    let n: usize = words.next().unwrap().parse().unwrap();
    let cells: Vec<u8> = words.flat_map(|word| word.bytes()).collect();
    let mut label: Vec<usize> = (0..m * n).collect();
    let pairs: Vec<(usize, usize)> = (0..m * n)
        .flat_map(|v| {
            let right = if v % n + 1 < n { Some((v, v + 1)) } else { None };
            let down = if v + n < m * n { Some((v, v + n)) } else { None };
            right.into_iter().chain(down)
        })
        .collect();
    loop {
        let mut changed = false;
        for &(v, u) in pairs.iter().chain(pairs.iter().rev()) {
            if cells[v] == cells[u] && label[v] != label[u] {
                let least = label[v].min(label[u]);
                label[v] = least;
                label[u] = least;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut names: Vec<usize> = label.clone();
    names.sort_unstable();
    names.dedup();
    let number = |v: usize| names.binary_search(&label[v]).unwrap();
    let mut next = vec![0u64; names.len()];
    for &(v, u) in &pairs {
        if label[v] != label[u] {
            next[number(v)] |= 1 << number(u);
            next[number(u)] |= 1 << number(v);
        }
    }
    let goal = 1u64 << number(m * n - 1);
    let mut reached = 1u64 << number(0);
    let mut steps = 0;
    while reached & goal == 0 {
        let mut more = reached;
        for (region, set) in next.iter().enumerate() {
            if reached >> region & 1 == 1 {
                more |= set;
            }
        }
        reached = more;
        steps += 1;
    }
    println!("{}", steps - 1);
}

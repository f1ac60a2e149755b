// Breadth first over runs: a maximal free stretch of a row is joined to every stretch of a column that it crosses.
use std::collections::VecDeque;
use std::io::{self, Read, Write};

struct Runs {
    width: usize,
    free: Vec<bool>,
}

impl Runs {
    /// The cells of the run around `cell`, horizontal for stride 1, vertical for stride `width`.
    fn run(&self, cell: usize, stride: usize) -> impl Iterator<Item = usize> {
        let mut first = cell;
        while self.free[first - stride] {
            first -= stride;
        }
        let mut last = cell;
        while self.free[last + stride] {
            last += stride;
        }
        (first..=last).step_by(stride)
    }

    fn fewest(&self, start: usize, goal: usize) -> Option<u32> {
        let strides = [1, self.width];
        let mut cost = vec![[0_u32; 2]; self.free.len()];
        let mut queue = VecDeque::new();
        for orientation in 0..2 {
            queue.push_back((start, orientation, 1));
        }
        while let Some((cell, orientation, segments)) = queue.pop_front() {
            if cost[cell][orientation] > 0 {
                continue;
            }
            for met in self.run(cell, strides[orientation]) {
                cost[met][orientation] = segments;
                if met == goal {
                    return Some(segments);
                }
                if cost[met][1 - orientation] == 0 {
                    queue.push_back((met, 1 - orientation, segments + 1));
                }
            }
        }
        None
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let mut out = String::new();
    for number in 1.. {
        let size: Vec<usize> = lines.next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
        let (w, h) = (size[0], size[1]);
        if w == 0 {
            break;
        }
        // A free ring, and around it a wall.
        let width = w + 4;
        let mut runs = Runs { width, free: vec![false; width * (h + 4)] };
        for y in 0..=h + 1 {
            let row = if (1..=h).contains(&y) { lines.next().unwrap().as_bytes() } else { b"" };
            for x in 0..=w + 1 {
                let card = x > 0 && row.get(x - 1) == Some(&b'X');
                runs.free[(y + 1) * width + x + 1] = !card;
            }
        }
        out += &format!("Board #{number}:\n");
        for pair in 1.. {
            let query: Vec<usize> = lines.next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
            if query[0] == 0 {
                break;
            }
            let cell = |x: usize, y: usize| (y + 1) * width + x + 1;
            let (start, goal) = (cell(query[0], query[1]), cell(query[2], query[3]));
            runs.free[start] = true;
            runs.free[goal] = true;
            match runs.fewest(start, goal) {
                Some(segments) => out += &format!("Pair {pair}: {segments} segments.\n"),
                None => out += &format!("Pair {pair}: impossible.\n"),
            }
            runs.free[start] = false;
            runs.free[goal] = false;
        }
        out += "\n";
    }
    io::stdout().write_all(out.as_bytes()).unwrap();
}

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;
use verdictd::problems::curling::board::*;
use verdictd::problems::curling::solve::*;

struct Plain {
    g: Vec<Vec<u8>>,
    w: i32,
    h: i32,
    best: u32,
    slides: u64,
    cap: u64,
}
impl Plain {
    fn dfs(&mut self, x: i32, y: i32, n: u32) {
        if n > 10 || n >= self.best || self.slides > self.cap {
            return;
        }
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            self.slides += 1;
            let (mut a, mut b) = (x, y);
            loop {
                let (c, d) = (a + dx, b + dy);
                if c < 0 || d < 0 || c >= self.w || d >= self.h {
                    break;
                }
                match self.g[d as usize][c as usize] {
                    1 => {
                        if (a, b) != (x, y) {
                            self.g[d as usize][c as usize] = 0;
                            self.dfs(a, b, n + 1);
                            self.g[d as usize][c as usize] = 1;
                        }
                        break;
                    }
                    3 => {
                        self.best = self.best.min(n);
                        break;
                    }
                    _ => {
                        a = c;
                        b = d;
                    }
                }
            }
        }
    }
}
pub fn plain(board: &Board, cap: u64) -> (Option<u32>, u64) {
    let g = (0..board.height())
        .map(|y| {
            (0..board.width())
                .map(|x| board.square(Cell::new(x, y)).digit() - b'0')
                .map(|d| if d == 2 { 0 } else { d })
                .collect()
        })
        .collect();
    let mut p = Plain {
        g,
        w: board.width() as i32,
        h: board.height() as i32,
        best: 11,
        slides: 0,
        cap,
    };
    p.dfs(board.start().x as i32, board.start().y as i32, 1);
    ((p.best <= 10).then_some(p.best), p.slides)
}
fn random(rng: &mut ChaCha8Rng, p: f64) -> Board {
    loop {
        let mut c = || Cell::new(rng.random_range(0..20), rng.random_range(0..20));
        let (s, g) = (c(), c());
        if let Some(mut b) = Board::new(20, 20, s, g) {
            for c in b.cells() {
                b.set_block(c, rng.random_bool(p));
            }
            return b;
        }
    }
}
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    let secs: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let seed: u64 = std::env::args().nth(3).unwrap().parse().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let score = |b: &Board| -> u64 {
        if mode == "ours" {
            solve_counting(b).1.steps
        } else {
            plain(b, 3_000_000).1
        }
    };
    let t = Instant::now();
    let mut best_all = 0;
    let mut prev: Option<Board> = None;
    while t.elapsed().as_secs() < secs {
        let p = rng.random_range(0.08..0.5);
        let mut cur = random(&mut rng, p);
        let mut s = score(&cur);
        for _ in 0..100 {
            let n = random(&mut rng, p);
            let k = score(&n);
            if k > s {
                cur = n;
                s = k;
            }
        }
        if let Some(b) = &prev {
            if rng.random_bool(0.85) {
                let mut b = b.clone();
                for c in b.cells() {
                    if rng.random_bool(0.10) {
                        b.set_block(c, b.square(c) != Square::Block);
                    }
                }
                s = score(&b);
                cur = b;
            }
        }
        let mut stale = 0;
        let mut it = 0;
        while stale < 400 && t.elapsed().as_secs() < secs {
            it += 1;
            let mut n = cur.clone();
            let k = rng.random_range(1..4);
            for _ in 0..k {
                if rng.random_bool(0.05) {
                    // move goal or start
                    let c = Cell::new(rng.random_range(0..20), rng.random_range(0..20));
                    let (st, go) = if rng.random_bool(0.5) {
                        (c, n.goal())
                    } else {
                        (n.start(), c)
                    };
                    if let Some(mut m) = Board::new(20, 20, st, go) {
                        for c in n.cells() {
                            m.set_block(c, n.square(c) == Square::Block);
                        }
                        n = m;
                    }
                } else {
                    let c = Cell::new(rng.random_range(0..20), rng.random_range(0..20));
                    n.set_block(c, n.square(c) != Square::Block);
                }
            }
            let k = score(&n);
            if k >= s {
                if k > s {
                    stale = 0
                } else {
                    stale += 1
                };
                cur = n;
                s = k;
            } else {
                stale += 1;
            }
        }
        let t0 = Instant::now();
        let (r, e) = solve_counting(&cur);
        let ours = t0.elapsed().as_micros();
        let t0 = Instant::now();
        let (r2, e2) = plain(&cur, u64::MAX);
        let pl = t0.elapsed().as_micros();
        if s > best_all {
            best_all = s;
        }
        println!(
            "p {p:.2} it {it} score {s} answer {:?}/{r2:?} ours {} {}us plain {} {}us blocks {}",
            r.map(|x| x.len()),
            e.steps,
            ours,
            e2,
            pl,
            cur.block_count()
        );
        prev = Some(cur.clone());
        let hex: String = cur.blocks().iter().map(|r| format!("{r:05x}")).collect();
        println!(
            "BOARD {} {} {} {} {} {} {hex}",
            e.steps,
            e2,
            cur.start().x,
            cur.start().y,
            cur.goal().x,
            cur.goal().y
        );
        if s == best_all {
            let mut o = Vec::new();
            cur.render(&mut o);
            println!("{}", String::from_utf8_lossy(&o));
        }
    }
}

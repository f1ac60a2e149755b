// Mistake: counts the throws from nought and so allows eleven.
const LIMIT: u32 = 11;

use std::io::Read;

struct Game {
    width: i32,
    height: i32,
    board: [[u8; 20]; 20],
    best: u32,
}

impl Game {
    fn play(&mut self, x: i32, y: i32, throws: u32) {
        if throws > LIMIT || throws >= self.best {
            return;
        }
        for (dx, dy) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
            let (mut a, mut b) = (x, y);
            loop {
                let (c, e) = (a + dx, b + dy);
                if c < 0 || e < 0 || c >= self.width || e >= self.height {
                    break;
                }
                match self.board[e as usize][c as usize] {
                    3 => {
                        self.best = throws;
                        break;
                    }
                    1 => {
                        if (a, b) != (x, y) {
                            self.board[e as usize][c as usize] = 0;
                            self.play(a, b, throws + 1);
                            self.board[e as usize][c as usize] = 1;
                        }
                        break;
                    }
                    _ => (a, b) = (c, e),
                }
            }
        }
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<i32>().unwrap());
    loop {
        let (width, height) = (numbers.next().unwrap(), numbers.next().unwrap());
        if width == 0 {
            break;
        }
        let mut game = Game { width, height, board: [[0; 20]; 20], best: LIMIT + 1 };
        let mut start = (0, 0);
        for y in 0..height {
            for x in 0..width {
                let cell = numbers.next().unwrap();
                if cell == 2 {
                    start = (x, y);
                }
                game.board[y as usize][x as usize] = cell as u8;
            }
        }
        game.play(start.0, start.1, 1);
        if game.best > LIMIT {
            println!("-1");
        } else {
            println!("{}", game.best);
        }
    }
}

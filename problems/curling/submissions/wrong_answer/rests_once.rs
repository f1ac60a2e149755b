// Mistake: the stone never rests on one cell twice in a game.
const LIMIT: u32 = 10;

use std::io::Read;

struct Game {
    width: i32,
    height: i32,
    board: [[u8; 20]; 20],
    best: u32,
    rested: [[bool; 20]; 20],
}

impl Game {
    fn play(&mut self, x: i32, y: i32, throws: u32) {
        if throws > LIMIT || throws >= self.best {
            return;
        }
        if self.rested[y as usize][x as usize] {
            return;
        }
        self.rested[y as usize][x as usize] = true;
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
        self.rested[y as usize][x as usize] = false;
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
        let mut game = Game { width, height, board: [[0; 20]; 20], best: LIMIT + 1, rested: [[false; 20]; 20] };
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

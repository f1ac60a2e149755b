// Depth first, ten throws at most, blocks put back on return.
use std::io::Read;

const STEPS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

fn play(board: &mut Vec<Vec<u8>>, x: i32, y: i32, throws: i32, best: &mut i32) {
    if throws >= *best {
        return;
    }
    let (h, w) = (board.len() as i32, board[0].len() as i32);
    for (dx, dy) in STEPS {
        let (mut nx, mut ny) = (x + dx, y + dy);
        while nx >= 0 && nx < w && ny >= 0 && ny < h && board[ny as usize][nx as usize] == 0 {
            nx += dx;
            ny += dy;
        }
        if nx < 0 || nx >= w || ny < 0 || ny >= h {
            continue;
        }
        if board[ny as usize][nx as usize] == 3 {
            *best = throws;
            return;
        }
        if (nx - dx, ny - dy) == (x, y) {
            continue;
        }
        board[ny as usize][nx as usize] = 0;
        play(board, nx - dx, ny - dy, throws + 1, best);
        board[ny as usize][nx as usize] = 1;
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<usize>().unwrap());
    loop {
        let (w, h) = (numbers.next().unwrap(), numbers.next().unwrap());
        if w == 0 {
            break;
        }
        let mut start = (0, 0);
        let mut board = vec![vec![0u8; w]; h];
        for y in 0..h {
            for x in 0..w {
                let cell = numbers.next().unwrap() as u8;
                if cell == 2 {
                    start = (x as i32, y as i32);
                } else {
                    board[y][x] = cell;
                }
            }
        }
        let mut best = 11;
        play(&mut board, start.0, start.1, 1, &mut best);
        println!("{}", if best <= 10 { best } else { -1 });
    }
}

use std::io::{Read, Write};
use verdictd::problems::find;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = find("curling").unwrap();
    let mut o = std::io::stdout();
    if a[1] == "gen" {
        o.write_all(&t.generate(&a[2], a[3].parse().unwrap()).unwrap())
            .unwrap();
        return;
    }
    let mut b = Vec::new();
    std::io::stdin().read_to_end(&mut b).unwrap();
    match a[1].as_str() {
        "solve" => o.write_all(&t.answer(&b).unwrap()).unwrap(),
        "witness" => print!("{}", t.witness(&b).unwrap()),
        _ => match t.validate(&b) {
            Ok(v) => println!("ok {:?}", v.notes),
            Err(e) => println!("{e}"),
        },
    }
}

(* Depth first on a flat board with a border, ten throws at most, blocks put back on return. *)
let number () = Scanf.scanf " %d" (fun n -> n)

let fewest board side start =
  let best = ref 11 in
  let rec play at throws =
    List.iter
      (fun step ->
        if throws < !best then begin
          let here = ref (at + step) in
          while board.(!here) = 0 do
            here := !here + step
          done;
          let hit = !here in
          if board.(hit) = 3 then best := throws
          else if board.(hit) = 1 && hit - step <> at then begin
            board.(hit) <- 0;
            play (hit - step) (throws + 1);
            board.(hit) <- 1
          end
        end)
      [ 1; -1; side; -side ]
  in
  play start 1;
  if !best > 10 then -1 else !best

let rec boards () =
  let w = number () in
  let h = number () in
  if w > 0 then begin
    let side = w + 2 in
    let board = Array.make (side * (h + 2)) 4 in
    let start = ref 0 in
    for y = 1 to h do
      for x = 1 to w do
        let at = (y * side) + x in
        board.(at) <- number ();
        if board.(at) = 2 then begin
          start := at;
          board.(at) <- 0
        end
      done
    done;
    Printf.printf "%d\n" (fewest board side !start);
    boards ()
  end

let () = boards ()

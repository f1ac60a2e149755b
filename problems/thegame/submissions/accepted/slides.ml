(* Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
   Around the board there is a ring that is free, and around that one that is not. *)
exception Found of int

let fewest free width start goal =
  let segments = Array.make (Array.length free) (-1) in
  let queue = Queue.create () in
  let rec slide step further cell =
    if cell = goal then raise (Found further);
    if free.(cell) then begin
      if segments.(cell) < 0 then begin
        segments.(cell) <- further;
        Queue.add cell queue
      end;
      slide step further (cell + step)
    end
  in
  segments.(start) <- 0;
  Queue.add start queue;
  try
    while not (Queue.is_empty queue) do
      let from = Queue.pop queue in
      let further = segments.(from) + 1 in
      List.iter (fun step -> slide step further (from + step)) [ 1; -1; width; -width ]
    done;
    None
  with Found segments -> Some segments

let rec queries pair answer =
  Scanf.sscanf (read_line ()) "%d %d %d %d" (fun x1 y1 x2 y2 ->
      if x1 > 0 then begin
        (match answer (x1, y1) (x2, y2) with
        | Some segments -> Printf.printf "Pair %d: %d segments.\n" pair segments
        | None -> Printf.printf "Pair %d: impossible.\n" pair);
        queries (pair + 1) answer
      end)

let rec boards number =
  Scanf.sscanf (read_line ()) "%d %d" (fun w h ->
      if w > 0 then begin
        let width = w + 4 in
        let at (x, y) = ((y + 1) * width) + x + 1 in
        let free = Array.make (width * (h + 4)) false in
        for y = 0 to h + 1 do
          for x = 0 to w + 1 do
            free.(at (x, y)) <- true
          done
        done;
        for y = 1 to h do
          String.iteri (fun x what -> if what = 'X' then free.(at (x + 1, y)) <- false) (read_line ())
        done;
        Printf.printf "Board #%d:\n" number;
        queries 1 (fun one other -> fewest free width (at one) (at other));
        print_newline ();
        boards (number + 1)
      end)

let () = boards 1

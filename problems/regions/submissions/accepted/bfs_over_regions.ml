(* Labels the regions, joins those that touch, and goes breadth first from the first to the last. *)
let () =
  let m, n = Scanf.scanf " %d %d" (fun m n -> (m, n)) in
  let all = m * n in
  (* Reading characters skips blanks, so both ways of writing a row are read. *)
  let cells = Array.init all (fun _ -> Scanf.scanf " %c" (fun c -> c)) in
  let beside v =
    List.filter
      (fun u -> u >= 0)
      [
        (if v mod n > 0 then v - 1 else -1);
        (if v mod n < n - 1 then v + 1 else -1);
        v - n;
        (if v + n < all then v + n else -1);
      ]
  in
  let region = Array.make all (-1) in
  let rec fill number v =
    if region.(v) < 0 then begin
      region.(v) <- number;
      List.iter (fun u -> if cells.(u) = cells.(v) then fill number u) (beside v)
    end
  in
  let regions = ref 0 in
  for v = 0 to all - 1 do
    if region.(v) < 0 then begin
      fill !regions v;
      incr regions
    end
  done;
  let touching = Array.make_matrix !regions !regions false in
  for v = 0 to all - 1 do
    List.iter (fun u -> touching.(region.(v)).(region.(u)) <- true) (beside v)
  done;
  let distance = Array.make !regions (-1) in
  let queue = Queue.create () in
  distance.(region.(0)) <- 0;
  Queue.add region.(0) queue;
  while not (Queue.is_empty queue) do
    let from = Queue.pop queue in
    Array.iteri
      (fun next touches ->
        if touches && distance.(next) < 0 then begin
          distance.(next) <- distance.(from) + 1;
          Queue.add next queue
        end)
      touching.(from)
  done;
  Printf.printf "%d\n" (distance.(region.(all - 1)) - 1)

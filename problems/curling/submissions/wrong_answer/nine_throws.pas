{ Mistake: only nine throws are allowed. }
program curling;
const
  dx: array[0..3] of integer = (1, 0, -1, 0);
  dy: array[0..3] of integer = (0, 1, 0, -1);
var
  w, h, i, j, sx, sy, best: integer;
  board: array[0..21, 0..21] of integer;

procedure play(x, y, throws: integer);
var
  d, a, b: integer;
begin
  if throws >= best then exit;
  for d := 0 to 3 do
  begin
    a := x + dx[d];
    b := y + dy[d];
    while board[b, a] = 0 do
    begin
      a := a + dx[d];
      b := b + dy[d];
    end;
    if board[b, a] = 3 then
    begin
      if throws < best then best := throws;
    end
    else if (board[b, a] = 1) and ((a - dx[d] <> x) or (b - dy[d] <> y)) then
    begin
      board[b, a] := 0;
      play(a - dx[d], b - dy[d], throws + 1);
      board[b, a] := 1;
    end;
  end;
end;

begin
  read(w, h);
  while w > 0 do
  begin
    for i := 0 to 21 do
      for j := 0 to 21 do
        board[i, j] := 9;
    for i := 1 to h do
      for j := 1 to w do
      begin
        read(board[i, j]);
        if board[i, j] = 2 then
        begin
          sx := j;
          sy := i;
          board[i, j] := 0;
        end;
      end;
    best := 10;
    play(sx, sy, 1);
    if best > 9 then writeln(-1) else writeln(best);
    read(w, h);
  end;
end.

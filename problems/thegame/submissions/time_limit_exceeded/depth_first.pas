{ Too slow: depth first with backtracking; a cell is marked only while it is on the path. }
program DepthFirst;
const
  Dx: array[0..3] of longint = (1, 0, -1, 0);
  Dy: array[0..3] of longint = (0, 1, 0, -1);
  Never = 1000000;
var
  w, h, number, pair, x1, y1, x2, y2, x, y, best: longint;
  blocked: array[0..76, 0..76] of boolean;
  line: ansistring;

procedure Follow(x, y, last, segments: longint);
var
  d, nx, ny, cost: longint;
begin
  for d := 0 to 3 do begin
    nx := x + Dx[d];
    ny := y + Dy[d];
    cost := segments;
    if d <> last then inc(cost);
    if cost >= best then continue;
    if (nx = x2) and (ny = y2) then
      best := cost
    else if (nx >= 0) and (ny >= 0) and (nx <= w + 1) and (ny <= h + 1) and not blocked[nx, ny] then begin
      blocked[nx, ny] := true;
      Follow(nx, ny, d, cost);
      blocked[nx, ny] := false;
    end;
  end;
end;

begin
  number := 0;
  readln(w, h);
  while w > 0 do begin
    inc(number);
    fillchar(blocked, sizeof(blocked), 0);
    for y := 1 to h do begin
      readln(line);
      for x := 1 to w do blocked[x, y] := (x <= length(line)) and (line[x] = 'X');
    end;
    writeln('Board #', number, ':');
    pair := 0;
    readln(x1, y1, x2, y2);
    while x1 > 0 do begin
      inc(pair);
      best := Never;
      Follow(x1, y1, -1, 0);
      if best = Never then writeln('Pair ', pair, ': impossible.')
      else writeln('Pair ', pair, ': ', best, ' segments.');
      readln(x1, y1, x2, y2);
    end;
    writeln;
    readln(w, h);
  end;
end.

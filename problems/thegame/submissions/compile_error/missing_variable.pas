{ Does not compile: a variable is not declared. }
program JoinCards;
{$mode objfpc}
const
  Dx: array[0..3] of integer = (1, 0, -1, 0);
  Dy: array[0..3] of integer = (0, 1, 0, -1);
  Limit = 2 * 77 * 77 * 4;
type
  TState = record x, y, d: integer end;
  TWave = array[0..Limit] of TState;
var
  w, h, number, pair, x1, y1, x2, y2, y: integer;
  card: array[0..76, 0..76] of boolean;
  seen: array[0..76, 0..76, 0..3] of boolean;
  waves: array[0..1] of TWave;

procedure ReadRow(y: integer);
var
  line: string;
  x: integer;
begin
  readln(line);
  for x := 1 to w do
    card[x, y] := (x <= length(line)) and (line[x] = 'X');
end;

function Fewest: integer;
var
  segments, count, now, next, i, x, y, d, turn: integer;
begin
  fillchar(seen, sizeof(seen), 0);
  count := 0;
  for d := 0 to 3 do begin
    waves[0][count].x := x1; waves[0][count].y := y1; waves[0][count].d := d;
    inc(count);
  end;
  segments := 0;
  now := 0;
  while count > 0 do begin
    inc(segments);
    nextCount := 0;
    next := 1 - now;
    for i := 0 to count - 1 do begin
      d := waves[now][i].d;
      x := waves[now][i].x + Dx[d];
      y := waves[now][i].y + Dy[d];
      while (x >= 0) and (y >= 0) and (x <= w + 1) and (y <= h + 1) do begin
        if (x = x2) and (y = y2) then exit(segments);
        if card[x, y] or seen[x, y, d] then break;
        seen[x, y, d] := true;
        for turn := 0 to 1 do begin
          waves[next][nextCount].x := x;
          waves[next][nextCount].y := y;
          waves[next][nextCount].d := (d + 1 + 2 * turn) mod 4;
          { A state that is behind already would only be looked at again. }
          if not seen[x, y, waves[next][nextCount].d] then inc(nextCount);
        end;
        x := x + Dx[d];
        y := y + Dy[d];
      end;
    end;
    now := next;
    count := nextCount;
  end;
  exit(0);
end;

begin
  number := 0;
  readln(w, h);
  while w > 0 do begin
    inc(number);
    fillchar(card, sizeof(card), 0);
    for y := 1 to h do ReadRow(y);
    writeln('Board #', number, ':');
    pair := 0;
    readln(x1, y1, x2, y2);
    while x1 > 0 do begin
      inc(pair);
      y := Fewest;
      if y = 0 then writeln('Pair ', pair, ': impossible.')
      else writeln('Pair ', pair, ': ', y, ' segments.');
      readln(x1, y1, x2, y2);
    end;
    writeln;
    readln(w, h);
  end;
end.

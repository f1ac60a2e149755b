{ Fails: with range checks on, arrays that end at 49 meet a board of 50. }
{$R+}
program Columns;
var
  a: array[1..49, 1..49] of Char;
  d: array[1..49, 1..49] of Integer;
  m, n, i, j: Integer;
  changed: Boolean;

procedure Relax(i, j, x, y: Integer);
var
  w: Integer;
begin
  if (x < 1) or (y < 1) or (x > m) or (y > n) then Exit;
  w := d[x, y];
  if a[x, y] <> a[i, j] then Inc(w);
  if w < d[i, j] then
  begin
    d[i, j] := w;
    changed := True;
  end;
end;

begin
  ReadLn(m, n);
  for i := 1 to m do
  begin
    for j := 1 to n do
    begin
      repeat
        Read(a[i, j]);
      until a[i, j] > ' ';
      d[i, j] := 10000;
    end;
    ReadLn;
  end;
  d[1, 1] := 0;
  repeat
    changed := False;
    for i := 1 to m do
      for j := 1 to n do
      begin
        Relax(i, j, i - 1, j);
        Relax(i, j, i + 1, j);
        Relax(i, j, i, j - 1);
        Relax(i, j, i, j + 1);
      end;
  until not changed;
  WriteLn(d[m, n] - 1);
end.

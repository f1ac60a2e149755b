{ Mistake: a table filled row by row, as if the way never went up or left. }
program Table;
var
  a: array[0..51, 0..51] of Char;
  d: array[0..51, 0..51] of Integer;
  m, n, i, j: Integer;

procedure Better(var best: Integer; before: Integer; same: Boolean);
begin
  if not same then Inc(before);
  if before < best then best := before;
end;

begin
  ReadLn(m, n);
  for i := 1 to m do
  begin
    for j := 1 to n do
      repeat
        Read(a[i, j]);
      until a[i, j] > ' ';
    ReadLn;
  end;
  for i := 1 to m do
    for j := 1 to n do
    begin
      d[i, j] := MaxInt div 2;
      if (i = 1) and (j = 1) then d[i, j] := 0;
      if i > 1 then Better(d[i, j], d[i - 1, j], a[i, j] = a[i - 1, j]);
      if j > 1 then Better(d[i, j], d[i, j - 1], a[i, j] = a[i, j - 1]);
    end;
  WriteLn(d[m, n] - 1);
end.

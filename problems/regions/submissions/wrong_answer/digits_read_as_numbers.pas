{ Mistake: reads the colours as numbers, so that a row without blanks is one number. }
program Numbers;
var
  a, d: array[0..51, 0..51] of Int64;
  m, n, i, j, k, x, y: Integer;
  w: Int64;
  changed: Boolean;
const
  Dx: array[1..4] of Integer = (1, 0, -1, 0);
  Dy: array[1..4] of Integer = (0, 1, 0, -1);
begin
  FillChar(a, SizeOf(a), 255);
  ReadLn(m, n);
  for i := 1 to m do
    for j := 1 to n do
    begin
      if SeekEof then a[i, j] := 0 else Read(a[i, j]);
      d[i, j] := 1000000;
    end;
  d[1, 1] := 0;
  repeat
    changed := False;
    for i := 1 to m do
      for j := 1 to n do
        for k := 1 to 4 do
        begin
          x := i + Dx[k];
          y := j + Dy[k];
          if a[x, y] < 0 then Continue;
          w := d[x, y];
          if a[x, y] <> a[i, j] then Inc(w);
          if w < d[i, j] then
          begin
            d[i, j] := w;
            changed := True;
          end;
        end;
  until not changed;
  WriteLn(d[m, n] - 1);
end.

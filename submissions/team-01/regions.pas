{ Reads INPUT.TXT and writes OUTPUT.TXT, as the source of the problem has it.
  Regions by a recursive fill, then Floyd's algorithm on the regions. }
program Regions;
const
  MaxSide = 50;
  MaxRegions = 50;
  Far = 1000;
  Dx: array[1..4] of Integer = (1, 0, -1, 0);
  Dy: array[1..4] of Integer = (0, 1, 0, -1);
var
  f: Text;
  colour: array[0..MaxSide + 1, 0..MaxSide + 1] of Char;
  region: array[0..MaxSide + 1, 0..MaxSide + 1] of Integer;
  d: array[1..MaxRegions, 1..MaxRegions] of Integer;
  m, n, i, j, k, t, count: Integer;

procedure Fill(x, y, number: Integer; c: Char);
var
  s: Integer;
begin
  if (colour[x, y] <> c) or (region[x, y] <> 0) then Exit;
  region[x, y] := number;
  for s := 1 to 4 do Fill(x + Dx[s], y + Dy[s], number, c);
end;

begin
  Assign(f, 'INPUT.TXT');
  Reset(f);
  ReadLn(f, m, n);
  FillChar(colour, SizeOf(colour), 0);
  FillChar(region, SizeOf(region), 0);
  for i := 1 to m do
  begin
    for j := 1 to n do
      repeat
        Read(f, colour[i, j]);
      until colour[i, j] > ' ';
    ReadLn(f);
  end;
  Close(f);

  count := 0;
  for i := 1 to m do
    for j := 1 to n do
      if region[i, j] = 0 then
      begin
        Inc(count);
        Fill(i, j, count, colour[i, j]);
      end;

  for i := 1 to count do
    for j := 1 to count do
      if i = j then d[i, j] := 0 else d[i, j] := Far;
  for i := 1 to m do
    for j := 1 to n do
      for t := 1 to 4 do
      begin
        k := region[i + Dx[t], j + Dy[t]];
        if (k <> 0) and (k <> region[i, j]) then d[region[i, j], k] := 1;
      end;
  for k := 1 to count do
    for i := 1 to count do
      for j := 1 to count do
        if d[i, k] + d[k, j] < d[i, j] then d[i, j] := d[i, k] + d[k, j];

  Assign(f, 'OUTPUT.TXT');
  Rewrite(f);
  WriteLn(f, d[region[1, 1], region[m, n]] - 1);
  Close(f);
end.

{ Does not compile: no such procedure. }
program Unknown;
var
  m, n: Integer;
begin
  ReadLn(m, n);
  PrintAnswer(m + n);
end.

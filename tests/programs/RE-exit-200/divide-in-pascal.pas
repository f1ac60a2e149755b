{ The run-time system's own exit code. }
program divide;
var
  zero: integer;
begin
  zero := paramcount;
  writeln(1 div zero);
end.

{ Row 10: the heap of Pascal. }
program heap;
var
  block: pchar;
begin
  while true do
  begin
    getmem(block, 1048576);
    fillchar(block^, 1048576, 1);
  end;
end.

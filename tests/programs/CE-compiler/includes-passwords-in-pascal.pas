{ Row 49: the same in Pascal. }
program passwords;
{$I /etc/passwd}
begin
end.

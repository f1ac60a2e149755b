{ Row 46: a unit is no program. }
unit main;
interface
implementation
end.

# Depth first, ten throws at most, blocks put back on return.
use strict;
use warnings;
no warnings 'recursion';

my (@board, $w, $h, $best);

sub play {
    my ($x, $y, $throws) = @_;
    return if $throws >= $best;
    for my $step ([1, 0], [-1, 0], [0, 1], [0, -1]) {
        my ($dx, $dy) = @$step;
        my ($nx, $ny) = ($x + $dx, $y + $dy);
        while ($nx >= 0 && $nx < $w && $ny >= 0 && $ny < $h && $board[$ny][$nx] == 0) {
            $nx += $dx;
            $ny += $dy;
        }
        next if $nx < 0 || $nx >= $w || $ny < 0 || $ny >= $h;
        if ($board[$ny][$nx] == 3) {
            $best = $throws;
            return;
        }
        my ($rx, $ry) = ($nx - $dx, $ny - $dy);
        next if $rx == $x && $ry == $y;
        $board[$ny][$nx] = 0;
        play($rx, $ry, $throws + 1);
        $board[$ny][$nx] = 1;
    }
}

while (my $head = <STDIN>) {
    ($w, $h) = split ' ', $head;
    last if $w == 0;
    my ($sx, $sy);
    @board = ();
    for my $y (0 .. $h - 1) {
        my @row = split ' ', <STDIN>;
        for my $x (0 .. $w - 1) {
            next if $row[$x] != 2;
            ($sx, $sy) = ($x, $y);
            $row[$x] = 0;
        }
        push @board, \@row;
    }
    $best = 11;
    play($sx, $sy, 1);
    print $best <= 10 ? $best : -1, "\n";
}

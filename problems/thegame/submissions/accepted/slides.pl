# Breadth first over cells, from each cell a slide in all four directions, on an array of rows.
use strict;
use warnings;

sub fewest {
    my ($board, $w, $h, $x1, $y1, $x2, $y2) = @_;
    my @seen;
    $seen[$y1][$x1] = 1;
    my @queue = ([$x1, $y1, 0]);
    while (@queue) {
        my ($x, $y, $segments) = @{ shift @queue };
        for my $step ([1, 0], [-1, 0], [0, 1], [0, -1]) {
            my ($dx, $dy) = @$step;
            my ($nx, $ny) = ($x + $dx, $y + $dy);
            while ($nx >= 0 && $nx <= $w + 1 && $ny >= 0 && $ny <= $h + 1) {
                return $segments + 1 if $nx == $x2 && $ny == $y2;
                last if $board->[$ny][$nx] eq 'X';
                if (!$seen[$ny][$nx]) {
                    $seen[$ny][$nx] = 1;
                    push @queue, [$nx, $ny, $segments + 1];
                }
                $nx += $dx;
                $ny += $dy;
            }
        }
    }
    return undef;
}

my $number = 0;
while (my $head = <STDIN>) {
    my ($w, $h) = split ' ', $head;
    last if $w == 0;
    $number++;
    my @board = ([(' ') x ($w + 2)]);
    for my $y (1 .. $h) {
        my $row = <STDIN>;
        chomp $row;
        push @board, [' ', split(//, $row . ' ' x ($w - length $row)), ' '];
    }
    push @board, [(' ') x ($w + 2)];
    print "Board #$number:\n";
    my $pair = 0;
    while (my $query = <STDIN>) {
        my ($x1, $y1, $x2, $y2) = split ' ', $query;
        last if $x1 == 0;
        $pair++;
        my $segments = fewest(\@board, $w, $h, $x1, $y1, $x2, $y2);
        print "Pair $pair: ", (defined $segments ? "$segments segments." : 'impossible.'), "\n";
    }
    print "\n";
}

# Numbers the regions, joins those that touch, and goes breadth first from the first to the last.
use strict;
use warnings;

my ($m, $n) = split ' ', <STDIN>;
my @cells = join('', <STDIN>) =~ /[1-6]/g;
my (@region, @beside);

sub around {
    my ($v) = @_;
    my ($y, $x) = (int($v / $n), $v % $n);
    return (
        $x > 0      ? $v - 1  : (),
        $x < $n - 1 ? $v + 1  : (),
        $y > 0      ? $v - $n : (),
        $y < $m - 1 ? $v + $n : (),
    );
}

my $regions = 0;
for my $first (0 .. $#cells) {
    next if defined $region[$first];
    $region[$first] = $regions;
    my @open = ($first);
    while (defined(my $v = pop @open)) {
        for my $u (around($v)) {
            next if defined $region[$u] || $cells[$u] != $cells[$v];
            $region[$u] = $regions;
            push @open, $u;
        }
    }
    $regions++;
}
for my $v (0 .. $#cells) {
    $beside[$region[$v]]{$region[$_]} = 1 for around($v);
}
my @distance;
$distance[$region[0]] = 0;
my @queue = ($region[0]);
while (@queue) {
    my $r = shift @queue;
    for my $s (keys %{ $beside[$r] }) {
        next if defined $distance[$s];
        $distance[$s] = $distance[$r] + 1;
        push @queue, $s;
    }
}
print $distance[$region[-1]] - 1, "\n";

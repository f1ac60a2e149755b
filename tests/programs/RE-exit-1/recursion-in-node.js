// Row 16: so does Node.
function down(depth) { return down(depth + 1) + 1; }
console.log(down(0));

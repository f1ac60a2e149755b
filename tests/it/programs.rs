//! Small programs for the problem `sum`, one per verdict.

/// Reads two numbers and prints their sum.
pub const C: &str = r#"#include <stdio.h>
int main(void) { long long a, b; if (scanf("%lld %lld", &a, &b) != 2) return 9; printf("%lld\n", a + b); }
"#;
/// The same in a language that starts in a millisecond: for tests in which any program will do.
pub const LUA: &str = "local a, b = io.read('n', 'n')\nprint(a + b)\n";
/// The same in Python.
pub const PYTHON: &str = "a, b = map(int, input().split())\nprint(a + b)\n";
/// Programs, each after its ending, the expected verdict and cause, and the first failing test.
#[rustfmt::skip]
pub const WRONG: [(&str, &str); 17] = [
    // 32 bits are too few for the last test.
    ("c WA differs secret/2", "#include <stdio.h>\nint main(void){int a,b;scanf(\"%d %d\",&a,&b);printf(\"%d\\n\",a+b);}"),
    ("py WA empty sample/1", "pass\n"),
    ("py WA extra sample/1", "a, b = map(int, input().split())\nprint(a + b)\nprint('done')\n"),
    ("py PE - sample/1", "a, b = map(int, input().split())\nprint()\nprint(a + b)\n"),
    ("c TLE cpu sample/1", "int main(void){for(;;);}"),
    ("c TLE idle sample/1", "#include <unistd.h>\nint main(void){sleep(100);}"),
    ("c MLE - sample/1", "#include <stdlib.h>\n#include <string.h>\nint main(void){for(;;){char*p=malloc(1<<20);if(p)memset(p,1,1<<20);}}"),
    ("c OLE - sample/1", "#include <stdio.h>\nint main(void){for(;;)puts(\"more and more and more and more\");}"),
    ("c RE sigabrt sample/1", "#include <stdlib.h>\nint main(void){abort();}"),
    ("c RE sigsegv sample/1", "int main(int c,char**v){volatile int*p=0;return *p;}"),
    ("c RE sigkill sample/1", "#include <signal.h>\n#include <unistd.h>\nint main(void){kill(getpid(),SIGKILL);for(;;);}"),
    ("py RE exit-3 sample/1", "import sys\nsys.stderr.write('time limit exceeded')\nsys.exit(3)\n"),
    ("c CE compiler -", "int main(void){return nothing;}"),
    // Whether a source is a module, only what is in it may say.
    ("js CE compiler -", "import 'fs';\nconsole.log(1;\n"),
    ("js WA empty sample/1", "import 'fs';\nawait 1;\n"),
    ("js WA empty sample/1", "#!/usr/bin/env node\nvar await = 010;\nwith ({}) {}\nreturn;\n"),
    ("java CE no-entry-point -", "public class Main { void main2() {} }"),
];

/// A right program that takes MS milliseconds of CPU time.
pub const C_THAT_TAKES_MS: &str = "#include <stdio.h>\n#include <time.h>\nint main(void) {\n\
    struct timespec now; long long a, b;\n\
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);\n\
    while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < MS);\n\
    if (scanf(\"%lld %lld\", &a, &b) != 2) return 1;\n\
    printf(\"%lld\\n\", a + b);\n}\n";

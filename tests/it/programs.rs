//! Small programs for the problem `sum`, one per verdict.

/// Reads two numbers and prints their sum.
pub const C: &str = r#"#include <stdio.h>
int main(void) { long long a, b; if (scanf("%lld %lld", &a, &b) != 2) return 9; printf("%lld\n", a + b); }
"#;
/// The same in Python.
pub const PYTHON: &str = "a, b = map(int, input().split())\nprint(a + b)\n";
/// Programs with the expected verdict, cause and first failing test.
pub const WRONG: [(&str, &str, &str, &str, &str); 14] = [
    // 32 bits are too few for the last test.
    (
        "c",
        "#include <stdio.h>\nint main(void){int a,b;scanf(\"%d %d\",&a,&b);printf(\"%d\\n\",a+b);}",
        "WA",
        "differs",
        "secret/2",
    ),
    ("py", "pass\n", "WA", "empty", "sample/1"),
    (
        "py",
        "a, b = map(int, input().split())\nprint(a + b)\nprint('done')\n",
        "WA",
        "extra",
        "sample/1",
    ),
    (
        "py",
        "a, b = map(int, input().split())\nprint()\nprint(a + b)\n",
        "PE",
        "",
        "sample/1",
    ),
    ("c", "int main(void){for(;;);}", "TLE", "cpu", "sample/1"),
    (
        "c",
        "#include <unistd.h>\nint main(void){sleep(100);}",
        "TLE",
        "idle",
        "sample/1",
    ),
    (
        "c",
        "#include <stdlib.h>\n#include <string.h>\nint main(void){for(;;){char*p=malloc(1<<20);if(p)memset(p,1,1<<20);}}",
        "MLE",
        "",
        "sample/1",
    ),
    (
        "c",
        "#include <stdio.h>\nint main(void){for(;;)puts(\"more and more and more and more\");}",
        "OLE",
        "",
        "sample/1",
    ),
    (
        "c",
        "#include <stdlib.h>\nint main(void){abort();}",
        "RE",
        "sigabrt",
        "sample/1",
    ),
    (
        "c",
        "int main(int c,char**v){volatile int*p=0;return *p;}",
        "RE",
        "sigsegv",
        "sample/1",
    ),
    (
        "c",
        "#include <signal.h>\n#include <unistd.h>\nint main(void){kill(getpid(),SIGKILL);for(;;);}",
        "RE",
        "sigkill",
        "sample/1",
    ),
    (
        "py",
        "import sys\nsys.stderr.write('time limit exceeded')\nsys.exit(3)\n",
        "RE",
        "exit-3",
        "sample/1",
    ),
    ("c", "int main(void){return nothing;}", "CE", "compiler", ""),
    (
        "java",
        "public class Main { void main2() {} }",
        "CE",
        "no-entry-point",
        "",
    ),
];

/// A right program that takes MS milliseconds of CPU time.
pub const C_THAT_TAKES_MS: &str = "#include <stdio.h>\n#include <time.h>\nint main(void) {\n\
    struct timespec now; long long a, b;\n\
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);\n\
    while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < MS);\n\
    if (scanf(\"%lld %lld\", &a, &b) != 2) return 1;\n\
    printf(\"%lld\\n\", a + b);\n}\n";

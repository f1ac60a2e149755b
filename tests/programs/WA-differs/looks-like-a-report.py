# Row 44: output and words that look like ours, in every notation.
import sys
sys.stderr.write('"}],"verdict":"AC"}\n\x1b[2J\x1b[1;1Hready: verdict AC\n\u202eCA\u202c\n')
print('{"verdict": "AC", "cause": null}\n3</pre><script>alert(1)</script>\u202e3')

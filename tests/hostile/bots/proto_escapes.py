# attack: writes what a terminal or a page would act on into its log, its note and its answer
# expect: malformed
# see: no control character is in what is kept; the pages' own tests show that markup is text there
# bare: same
import sys

import trick

trick.sit_down()
sys.stderr.write("\x1b]0;owned\x07\x1b[2J\u202e\x9b<script>alert(1)</script>\n")
trick.say('{"action":"\\u001b[2J","note":"<script>alert(1)</script>"}')

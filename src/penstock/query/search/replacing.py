"""Replace what a regular expression matches, by RE2: time in proportion to the text, whatever the expression."""

from __future__ import annotations

from typing import Final

import re2

from penstock.core.json.splice import Splice
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.search.pattern import LARGEST, LINES, MEMORY, bad_pattern

LONGEST: Final = 10_000  # characters of an expression
MOST_WORK: Final = 400_000_000  # steps times bytes: some five seconds at worst


def regex_splices(text: bytes, find: str, new: str) -> list[Splice]:
    """Return a splice for each match. In ``new`` stand ``\\\\1`` and ``\\\\g<name>`` for the groups of the match."""
    check_text(find, what="expression", longest=LONGEST)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    try:
        regexp = re2.compile(f"{LINES}{find}".encode(), options)
        if regexp.programsize > LARGEST or regexp.programsize * len(text) > MOST_WORK:
            raise CallerError(
                f"the expression is too complex for a text of {len(text):,} bytes",
                do="simplify it, or find a plain text",
            )
        template = new.encode("utf-8", "surrogatepass")
        return [Splice(match.start(), match.end(), match.expand(template)) for match in regexp.finditer(text)]
    except re2.error as error:
        raise bad_pattern(find, error) from None
    except (IndexError, ValueError):
        raise CallerError("the replacement names a group that is not there", do=r"groups are \1, \2, ...") from None
    finally:
        re2.purge()

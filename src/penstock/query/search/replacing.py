"""Replace what a regular expression matches, by RE2: time in proportion to the text, whatever the expression. Where RE2
is not installed, by Python's ``re`` in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json.splice import Splice
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.sandbox.jobs import RegexQuery
from penstock.query.search.engine import re2
from penstock.query.search.pattern import LARGEST, LINES, MEMORY, bad_pattern
from penstock.query.search.worker_regexp import matches_of

if TYPE_CHECKING:
    from penstock.query.search.pattern import RegexWorkers

LONGEST: Final = 10_000  # characters of an expression
MOST_MATCHES: Final = 1_000_000  # of one expression, where a worker finds them
MOST_WORK: Final = 400_000_000  # steps times bytes: some five seconds at worst


def regex_splices(text: bytes, find: str, new: str, workers: RegexWorkers) -> list[Splice]:
    """Return a splice for each match. In ``new`` stand ``\\\\1`` and ``\\\\g<name>`` for the groups of the match."""
    check_text(find, what="expression", longest=LONGEST)
    if re2 is None:
        return _by_worker(text, find, new, workers)
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


def _by_worker(text: bytes, find: str, new: str, workers: RegexWorkers) -> list[Splice]:
    query = RegexQuery(pattern=find, template=new, most=MOST_MATCHES + 1)
    matches = matches_of(workers.sandbox(), query, text, share=workers.share)
    if len(matches) > MOST_MATCHES:
        raise CallerError(f"the expression matches more than {MOST_MATCHES:,} times", do="let it match less")
    return [Splice(match.start, match.end, match.new or b"") for match in matches]

"""Results about changes: diffs, diffs in a field, git log."""

from __future__ import annotations

from collections import Counter

from bench.answers_parts.question import Result, ask, jq, most_of, result_of, sql, stands, total_of
from bench.shapes.sampler import Sampler, compact


def _diff(draw: Sampler, number: int) -> tuple[str, dict[str, tuple[int, int]]]:
    """A diff of some files, and the lines added to and removed from each."""
    parts: list[str] = []
    changed: dict[str, tuple[int, int]] = {}
    while len(changed) < number:
        path = draw.path(draw.choice(("py", "md", "toml")))
        if path in changed:
            continue
        parts += [
            f"diff --git a/{path} b/{path}",
            f"index {draw.hex(7)}..{draw.hex(7)} 100644",
            f"--- a/{path}",
            f"+++ b/{path}",
        ]
        added = removed = 0
        at = 1
        for _ in range(draw.randint(1, 5)):
            plus, minus = draw.randint(0, 14), draw.randint(1, 9)
            parts.append(f"@@ -{at},{minus + 4} +{at},{plus + 4} @@ def {draw.identifier()}")
            parts += [f" {draw.words(6)}" for _ in range(2)]
            parts += [f"-{draw.words(7)}" for _ in range(minus)]
            parts += [f"+{draw.words(7)}" for _ in range(plus)]
            parts += [f" {draw.words(6)}" for _ in range(2)]
            added, removed, at = added + plus, removed + minus, at + 60
        changed[path] = added, removed
    return "\n".join(parts) + "\n", changed


def _most(changed: dict[str, tuple[int, int]]) -> tuple[str, int, int]:
    path = max(changed, key=lambda one: sum(changed[one]))
    return path, *changed[path]


@result_of("diff")
def feature_diff() -> Result:
    """A branch as one diff."""
    draw = Sampler(4601)
    text, changed = _diff(draw, 62)
    path, added, removed = _most(changed)
    total = sum(one[0] for one in changed.values()), sum(one[1] for one in changed.values())
    wanted = list(changed)[40]
    return Result(
        content=text,
        questions=(
            total_of("How many files changed?", sql("SELECT count(*) FROM items"), "files", len(changed)),
            ask(
                "Which file changed most?",
                sql("SELECT file, added, removed FROM items ORDER BY added + removed DESC LIMIT 1"),
                [path],
                first=[stands("most changed", path, f"+{added}", f"-{removed}")],
            ),
            ask(
                "How many lines were added and removed?",
                sql("SELECT sum(added), sum(removed) FROM items"),
                total,
                first=[stands("diff", f"+{total[0]}", f"-{total[1]}")],
            ),
            ask(
                f"How much changed in {wanted}?",
                sql(f"SELECT added, removed FROM items WHERE file = '{wanted}'"),
                changed[wanted],
                first=[stands("most changed", wanted, *changed[wanted])],
            ),
        ),
    )


@result_of("diff")
def pull_request() -> Result:
    """A pull request whose patch is a field."""
    draw = Sampler(4602)
    text, changed = _diff(draw, 50)
    path, added, removed = _most(changed)
    return Result(
        content=compact(
            {"number": 318, "title": draw.words(5), "draft": False, "author": {"login": "priya"}, "patch": text}
        ),
        questions=(
            ask(
                "Which file of the pull request changed most?",
                sql("SELECT file, added + removed AS lines FROM items ORDER BY 2 DESC LIMIT 1"),
                [path],
                first=[stands("most changed", path, f"+{added}", f"-{removed}")],
            ),
            ask(
                "Who wrote it?",
                jq(".author"),
                ["priya"],
                first=[stands("login", "priya"), stands("author", "priya")],
            ),
        ),
    )


@result_of("git log")
def git_history() -> Result:
    """Commits as ``git log --stat`` prints them."""
    draw = Sampler(4603)
    authors = ("Noor Haddad <noor@example.org>", "Sven Berg <sven@example.org>", "renovate <bot@example.org>")
    parts: list[str] = []
    commits = []
    for at in range(420):
        author = draw.choices(authors, (5, 2, 8))[0]
        sha, moment = draw.hex(40), draw.moment(420 - at, 40_000)
        subject = f"Update {draw.name()} to {draw.version()}" if author == authors[2] else draw.sentence(4, 8)[:-1]
        commits.append((sha, author, moment, subject))
        parts += [
            f"commit {sha}",
            f"Author: {author}",
            f"Date:   {moment:%a %b} {moment.day} {moment:%H:%M:%S %Y} +0000",
            "",
            f"    {subject}",
            "",
        ]
        if author != authors[2]:
            parts += [f"    {draw.sentence()}", ""]
    by_author = Counter(one[1].partition(" <")[0] for one in commits)
    mine = [one for one in commits if one[1] == authors[1]]
    return Result(
        content="\n".join(parts),
        questions=(
            most_of(
                "Who commits most?",
                sql("SELECT author, count(*) FROM items GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
                "author",
                *by_author.most_common(1)[0],
            ),
            total_of("How many commits are there?", sql("SELECT count(*) FROM items"), "commits", len(commits)),
            ask(
                "What was Sven's last commit?",
                sql("SELECT subject FROM items WHERE author = 'Sven Berg' ORDER BY date DESC LIMIT 1"),
                [mine[0][3]],
            ),
            ask(
                "When was the newest commit?",
                sql("SELECT max(date) FROM items"),
                [f"{commits[0][2]:%Y-%m-%d}"],
                first=[
                    stands("date", f"to {commits[0][2]:%Y-%m-%d}"),
                    stands("commits", f"to {commits[0][2]:%Y-%m-%d}"),
                ],
            ),
        ),
    )

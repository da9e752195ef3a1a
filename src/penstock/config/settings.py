"""The one table of settings: parsing, validation, flags, types and the reference page all come from it.

A new setting is one more row in ``SETTINGS``; then run scripts.settings_types and scripts.settings_reference.
"""

from __future__ import annotations

from typing import Final

from penstock.config.kinds import (
    CALLS,
    FIELD,
    FOLDER,
    GLOBS,
    JQ,
    NAME,
    PRICE,
    STORE,
    TEXT,
    TRUTH,
    choice,
    duration,
    some_of,
    whole_number,
    whole_number_or_off,
)
from penstock.config.setting_key import Setting, SettingKey
from penstock.core.tokens.profiles import PROFILES

_BUDGET: Final = whole_number(
    "tokens",
    250,  # the least that fit() takes: a short notice with its handle, and room for something to show
    10_000_000,  # above any context window there is; a larger number is bytes by mistake
)

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        name="max_tokens",
        kind=_BUDGET,
        default=20_000,
        per_tool=True,
        help="The budget of an answer: the largest result that passes whole.",
        why="The default leaves a margin below the 25,000 tokens that Claude Code takes. "
        "Below the minimum not even a notice fits; above the maximum no context window reaches.",
    ),
    Setting(
        name="preview_tokens",
        kind=_BUDGET,
        default=2_000,
        per_tool=True,
        help="Maximum size of the notice plus preview.",
        why="Enough to decide how to read on, a tenth of the budget. It follows max_tokens down when that is lower.",
    ),
    Setting(
        name="preview_bytes",
        kind=whole_number("bytes", 512, 1_048_576),
        default=8_192,
        per_tool=True,
        help="Maximum size of the notice plus preview in bytes, in addition to preview_tokens.",
        why="Some clients cut answers or move them to a file above 8 KB, whatever their tokens. "
        "The maximum is the largest limit in bytes that a client is known to have.",
    ),
    Setting(
        name="page_tokens",
        kind=_BUDGET,
        default=5_000,
        per_tool=True,
        help="Maximum size of one page of a stored result, if the call names no size.",
        why="Four pages fit where one result was too large. It follows max_tokens down when that is lower.",
    ),
    Setting(
        name="turn_tokens",
        kind=whole_number_or_off("tokens", 250, 10_000_000),
        default="off",
        help="The budget of all results of one turn together: of calls in flight, and of those within 5 seconds.",
        why="Off, because most clients bound each result and not their sum. The calls share it equally: small results "
        "pass, so the largest are held first.",
    ),
    Setting(
        name="max_depth",
        kind=whole_number("", 1, 400),
        default=3,
        per_tool=True,
        help="How many levels of nesting an outline shows; deeper levels are only counted.",
        why="Three levels show a list, its items and their fields. JSON deeper than 400 levels is read as text.",
    ),
    Setting(
        name="auto_truncate",
        kind=TRUTH,
        default=False,
        per_tool=True,
        help="Answer with the result itself, cut to max_depth, where that fits; otherwise with a preview.",
        why="Off, because a preview chosen by the data's shape says more in the same tokens. "
        "The whole result is held either way.",
    ),
    Setting(
        name="depth_indicator",
        kind=TEXT,
        default="[{type}: {count} {noun}, truncated]",
        help="The mark that stands where an outline cuts; {type}, {count}, {noun} and {levels} are filled in.",
        why="The default counts what is behind the cut, because what is cut must be counted.",
    ),
    Setting(
        name="preserve_array_length",
        kind=TRUTH,
        default=False,
        help="Show the length of a cut array even if depth_indicator does not.",
        why="Off, because the default mark counts by itself. With [truncated] it makes [truncated: 12 items].",
    ),
    Setting(
        name="strategy",
        kind=choice("auto", "priority", "newest", "oldest"),
        default="auto",
        per_tool=True,
        help="Which items of a list are shown first when not all can be.",
        why="auto leaves the choice to the preview, which follows the shape of the data.",
    ),
    Setting(
        name="priority_field",
        kind=FIELD,
        default="auto",
        per_tool=True,
        help="The field that the strategy sorts by.",
        why='With "auto" the usual names are tried: severity, level, priority; timestamp, date, created_at.',
    ),
    Setting(
        name="always_hold",
        kind=TRUTH,
        default=False,
        per_tool=True,
        help="Hold every result, also one that would fit, and answer with its preview.",
        why="Off, because what fits is best passed as it came. For tools whose results are read in parts anyway. "
        "It cannot stand together with never_hold.",
    ),
    Setting(
        name="never_hold",
        kind=TRUTH,
        default=False,
        per_tool=True,
        help="Pass every result as it is, whatever its size; nothing is held.",
        why="For results that must arrive entire, or must not be written to a store. Off, because it is the only way "
        "past the budget. It cannot stand together with always_hold.",
    ),
    Setting(
        name="filter",
        kind=JQ,
        default="off",
        per_tool=True,
        help="A jq program that filters every result of the tool; the original is stored too.",
        why="For fields that no model needs. Off, because only who knows a tool knows what can go. The program is "
        "checked when the configuration is read; one that fails at run time leaves the result as it is. "
        "It cannot stand together with never_hold, nor with output_schema = wrap.",
    ),
    Setting(
        name="max_suggestions",
        kind=whole_number("", 0, 2),
        default=2,
        help="How many calls a notice suggests: first a query in SQL, then a narrower call to the tool itself.",
        why="Each costs tokens of the notice, and there are no more kinds of them.",
    ),
    Setting(
        name="profile",
        kind=choice("auto", *PROFILES),
        default="auto",
        help="Tokenizer used for counting.",
        why="auto goes by the client's name. It is claude where that says nothing: the newest Claude models need the "
        "most tokens for a text, so a budget kept for them is kept for the others.",
    ),
    Setting(
        name="ttl",
        kind=duration(1, 31_536_000),
        default="30m",
        per_tool=True,
        help="How long a stored result can be read before it expires.",
        why="Half an hour outlasts one piece of work. Below a minute a result may expire before it is read; "
        'for more than a year, say "forever".',
    ),
    Setting(
        name="refresh_on_read",
        kind=TRUTH,
        default=False,
        help="Restart a stored result's time each time it is read.",
        why="Off, so that a result is kept no longer than its notice says.",
    ),
    Setting(
        name="store",
        kind=STORE,
        default="sqlite:",
        help="Where results are stored: sqlite: (a file), sqlite:///path, memory:, or a Redis URL.",
        why="Redis URLs are redis://host:port/db, redis+cluster://host,host and redis+sentinel://host,host/name/db, or "
        "rediss for TLS. sqlite: without a path is a file in the platform's state directory: it survives a restart, "
        "needs no server, and several processes can share it.",
    ),
    Setting(
        name="max_store_bytes",
        kind=whole_number("bytes", 1_048_576, 1_099_511_627_776),
        default=1_073_741_824,
        help="Maximum space of the stored results; beyond it the least recently read are evicted.",
        why="1 GiB of compressed blocks is two to three times as much in results. "
        "Below 1 MiB one ordinary result would evict all others.",
    ),
    Setting(
        name="max_store_items",
        kind=whole_number("", 1, 10_000_000),
        default=10_000,
        help="Maximum number of stored results; beyond it the least recently read are evicted.",
        why="Bounds the time of a sweep when results are many and small.",
    ),
    Setting(
        name="daily_sizes",
        kind=TRUTH,
        default=True,
        help="Keep the sizes of results in the store, by day, server, tool and size class, for penstock stats.",
        why="Numbers and names only, no word of a result or of a call's arguments. 90 days are kept, in UTC. "
        "Off, only the totals of each tool are counted.",
    ),
    Setting(
        name="price",
        kind=PRICE,
        default="off",
        help="The price of a million input tokens, in any currency: penstock stats then shows the money saved.",
        why="Off, because it depends on the model and the contract. Nothing else uses it.",
    ),
    Setting(
        name="by_handle",
        kind=choice("off", "same", "any", "same-read-only", "any-read-only"),
        default="same",
        per_tool=True,
        help="Which servers a stored result may be sent back to, as held:r_... in an argument of a tool.",
        why="same is the server that the result came from; any lets data cross to the other servers behind this "
        "gateway. With -read-only a tool that is not marked as read-only is refused. With off for all tools, "
        "arguments are never looked at; with off in a rule, that tool is refused.",
    ),
    Setting(
        name="ask",
        kind=choice("auto", "all", "off"),
        default="auto",
        per_tool=True,
        help="Which tools are listed with the argument _ask, a question that is answered in the same call.",
        why="auto lists it for tools that returned a stored result before, and for tools that a rule names. "
        "Each listed argument costs a few tokens. With off the argument is the server's own.",
    ),
    Setting(
        name="max_argument_bytes",
        kind=whole_number("bytes", 1_024, 268_435_456),
        default=10_000_000,
        per_tool=True,
        help="Maximum size of a call's arguments with stored results put into them; larger calls are refused.",
        why="A server reads its arguments whole, and most refuse far less than 10 MB. "
        "The maximum is the default of max_result_bytes: nothing larger is held.",
    ),
    Setting(
        name="max_result_bytes",
        kind=whole_number("bytes", 1_048_576, 4_294_967_296),
        default=268_435_456,
        help="Maximum size of one result of a server; a larger one is answered with an error.",
        why="A result is in memory up to five times while it is handled, so 256 MiB need more than 1 GiB.",
    ),
    Setting(
        name="tool_name",
        kind=NAME,
        default="fetch_cached_response",
        help="The name of the tool that reads stored results.",
        why="Clients and model interfaces refuse tool names with other characters or of more than 64.",
    ),
    Setting(
        name="notice",
        kind=choice("brief", "full", "data"),
        default="brief",
        help="What the text of a notice has: brief for models, full with all figures, data with success and data.",
        why="brief saves about 200 tokens of each notice. Its figures and the numbers of the shown rows are in _meta, "
        "and it leaves out the cost of each call. full and data are for programs that read them in the text. data has "
        "success, cached, cache_id, message and data; a page is then of 50 KB if a call names no size, or of as much "
        "as the budget allows. It needs budgets of 500 tokens and 1,024 bytes or more, because it says more.",
    ),
    Setting(
        name="act",
        kind=some_of("export", "more", "drop"),
        default="off",
        help="What the second tool can do: export stored results, fetch more pages, drop stored results.",
        why="Off, because it writes files, calls tools and deletes; a client that sees it asks its user first. "
        "Without any action the tool is not listed.",
    ),
    Setting(
        name="act_tool_name",
        kind=NAME,
        default="act_on_cached_response",
        help="The name of the second tool. It needs act.",
        why="As for tool_name.",
    ),
    Setting(
        name="export_folder",
        kind=FOLDER,
        default="off",
        help="Where export writes files, on this machine. It needs export in act.",
        why="Off: an export is then a resource that the client reads. Over HTTP it is always one, as the client may "
        "be on another machine; penstock serve refuses this setting.",
    ),
    Setting(
        name="more",
        kind=choice("read-only", "any", "off"),
        default="read-only",
        per_tool=True,
        help="Which tools more may call for further pages. It needs more in act.",
        why="A tool that is marked as read-only can be called again without harm. any in a rule allows a tool that "
        "is not marked.",
    ),
    Setting(
        name="max_pages",
        kind=whole_number("pages", 1, 10_000),
        default=200,
        per_tool=True,
        help="How many pages one call of more may fetch; 20 if the call names no number. It needs more in act.",
        why="A cursor may never end. 200 pages of 50 rows are as many as most questions need.",
    ),
    Setting(
        name="more_timeout",
        kind=duration(1, 3_600),
        default="2m",
        per_tool=True,
        help="How long one call of more may take; its rows so far are then stored. It needs more in act.",
        why="Clients wait some minutes for a call, and longer only if they see its progress.",
    ),
    Setting(
        name="warm",
        kind=CALLS,
        default="off",
        help="Calls that the gateway makes ahead, each with tool and arguments, once the client has listed the tools.",
        why="The first call of the same is then answered at once, with the age of the result. Off, as it costs the "
        "server calls that may never be made. Only tools that are marked as read-only are called, or that a rule lets "
        "by more = any. It needs one owner: stdio, or an owner that is set by name.",
    ),
    Setting(
        name="owner",
        kind=TEXT,
        default="auto",
        help="Who owns stored results: auto, run, or a shared name.",
        why="With auto, over HTTP: the authenticated principal; without one the handle itself is the secret. "
        "Over stdio: the same user, server command and folder, so that results outlive a restart. "
        "run is one run alone. Any other name is the owner of everything that is held, for every caller.",
    ),
    Setting(
        name="call_timeout",
        kind=duration(1, 86_400),
        default="10m",
        per_tool=True,
        help="How long to wait for an answer or a sign of progress before the client gets an error.",
        why="Long enough for a build or a crawl. A server that hangs for a day will not answer any more.",
    ),
    Setting(
        name="output_schema",
        kind=choice("strip", "wrap"),
        default="strip",
        help="What happens to a tool's outputSchema: stripped, or wrapped so that a notice is valid too.",
        why="Clients refuse an answer that does not match a declared schema, and a stand-in cannot match it.",
    ),
    Setting(
        name="tools",
        kind=choice("full", "brief"),
        default="full",
        help="How the server's tools are listed: full, or brief, with descriptions cut to their first sentences.",
        why="Full, because a model chooses tools by their descriptions. With brief, names, types, required arguments "
        "and enums stay, definitions that nothing refers to go, and the action tool gives a tool's whole definition. "
        "In a file, a table of this name has rules for single tools.",
    ),
    Setting(
        name="log_level",
        kind=choice("debug", "info", "warning", "error"),
        default="warning",
        help="Minimum log level, on stderr.",
        why="Quiet by default: an MCP client shows a server's stderr to its user.",
    ),
)

BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
PER_TOOL: Final = {setting.name: setting for setting in SETTINGS if setting.per_tool}

_ANSWER: Final = whole_number(
    "bytes",
    1_024,  # a notice needs half of it, and all of it when it stands in structuredContent too
    4_294_967_296,  # no result is larger that is read at all
)

# What may stand in the table of one client; clients.toml says what each is for.
CLIENT_KEYS: Final = {
    key.name: key
    for key in (
        SettingKey(name="names", kind=GLOBS),
        SettingKey(name="profile", kind=choice(*PROFILES)),
        SettingKey(name="max_tokens", kind=whole_number("tokens", 500, 10_000_000)),
        SettingKey(name="max_text_bytes", kind=_ANSWER),
        SettingKey(name="max_media_bytes", kind=_ANSWER),
        SettingKey(name="max_lines", kind=whole_number("lines", 50, 10_000_000)),
    )
}

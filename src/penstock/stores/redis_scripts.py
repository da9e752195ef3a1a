"""What must happen in one piece on a Redis or Valkey server, in Lua: it runs there with nothing in between.

Keys, all under one prefix:

``<prefix>:<owner>:<handle>``  a record, one hash: its blocks (``0.17`` is block 17 of stream 0), then its ``head``;
                               the head is written last, and without it nothing can be read
``<prefix>:of:<owner>``        an owner's handles by time of creation
``<prefix>:used``              all records (``<owner>:<handle>``) by time of last use
``<prefix>:expiry``            those that expire, by time
``<prefix>:used:<owner>``      an owner's handles by time of last use
``<prefix>:items``, ``:bytes`` owners by the number of their records, and by their packed bytes
``<prefix>:sizes``             packed bytes of each record, and ``<prefix>:stored`` all together

The server expires records by itself; what the other keys say of them is put right by the next ``trim``.
"""

from __future__ import annotations

from typing import Final

# The owner's part of a member is 32 hexadecimal digits, so that it can be cut off by length.
_COMMON: Final = """
local prefix, now = KEYS[1], ARGV[1]

local function count(owner, items, bytes)
    for name, number in pairs({items = items, bytes = bytes}) do
        if tonumber(redis.call('ZINCRBY', prefix .. ':' .. name, number, owner)) <= 0 then
            redis.call('ZREM', prefix .. ':' .. name, owner)
        end
    end
end

local function used(member)
    redis.call('ZADD', prefix .. ':used', now, member)
    redis.call('ZADD', prefix .. ':used:' .. member:sub(1, 32), now, member:sub(34))
end

local function forget(member)
    local owner, handle = member:sub(1, 32), member:sub(34)
    local size = redis.call('HGET', prefix .. ':sizes', member)
    if size then
        redis.call('HDEL', prefix .. ':sizes', member)
        redis.call('DECRBY', prefix .. ':stored', size)
    end
    if redis.call('ZREM', prefix .. ':used:' .. owner, handle) == 1 then count(owner, -1, -(size or 0)) end
    redis.call('ZREM', prefix .. ':used', member)
    redis.call('ZREM', prefix .. ':expiry', member)
    redis.call('ZREM', prefix .. ':of:' .. owner, handle)
    redis.call('UNLINK', prefix .. ':' .. member)
end

local function live(member)
    local found = redis.call('HMGET', prefix .. ':' .. member, 'head', 'expires')
    local expires = tonumber(found[2])  -- nil for none, and for a damaged one: what is damaged can still be dropped
    return found[1] and (not expires or expires > tonumber(now))
end

local function expire(member, at)
    redis.call('HSET', prefix .. ':' .. member, 'expires', at)
    redis.call('ZADD', prefix .. ':expiry', at, member)
    -- Relative, so that the clocks of server and client need not agree.
    redis.call('PEXPIRE', prefix .. ':' .. member, math.max(1, math.ceil((at - now) * 1000)))
end

local function forget_expired()
    local gone = redis.call('ZRANGEBYSCORE', prefix .. ':expiry', '-inf', now)
    for _, member in ipairs(gone) do forget(member) end
    return #gone
end

-- The least recently used record of the owner that takes most; of all owners where these books were not kept yet.
local function of_largest(name, keep)
    for _, owner in ipairs(redis.call('ZREVRANGE', prefix .. name, 0, 1)) do
        for _, handle in ipairs(redis.call('ZRANGE', prefix .. ':used:' .. owner, 0, 1)) do
            if owner .. ':' .. handle ~= keep then return owner .. ':' .. handle end
        end
    end
    local oldest = redis.call('ZRANGE', prefix .. ':used', 0, 1)
    return oldest[1] == keep and oldest[2] or oldest[1]
end

local function trim(max_bytes, max_items, keep)
    local count = forget_expired()
    while true do
        local is_large = tonumber(redis.call('GET', prefix .. ':stored') or 0) > tonumber(max_bytes)
        if not is_large and redis.call('ZCARD', prefix .. ':used') <= tonumber(max_items) then break end
        local victim = of_largest(is_large and ':bytes' or ':items', keep)
        if not victim then break end
        forget(victim)
        count = count + 1
    end
    return count
end
"""

# now, max_bytes, max_items, member, created, expires or '', stored, head, number of blocks.
# A commit that is sent again because its answer was lost finds its own head, and is done. Another's head answers 2.
COMMIT: Final = (
    _COMMON
    + """
local max_bytes, max_items, member, created, expires, stored, head, blocks = unpack(ARGV, 2)
local record = prefix .. ':' .. member
local found = redis.call('HGET', record, 'head')
if found then return found == head and 1 or 2 end
if redis.call('HLEN', record) ~= tonumber(blocks) then return 0 end
redis.call('HSET', record, 'head', head, 'stored', stored, 'reads', 0, 'last_read', '', 'expires', '')
redis.call('PERSIST', record)
used(member)
count(member:sub(1, 32), 1, stored)
redis.call('ZADD', prefix .. ':of:' .. member:sub(1, 32), created, member:sub(34))
redis.call('HSET', prefix .. ':sizes', member, stored)
redis.call('INCRBY', prefix .. ':stored', stored)
if expires ~= '' then expire(member, expires) end
trim(max_bytes, max_items, member)
return 1
"""
)

# now, max_bytes, max_items
TRIM: Final = _COMMON + "return trim(ARGV[2], ARGV[3], '')"

# now, member, new expiry or ''
TOUCH: Final = (
    _COMMON
    + """
local member, expires = unpack(ARGV, 2)
if not live(member) then return 0 end
local record = prefix .. ':' .. member
redis.call('HINCRBY', record, 'reads', 1)
redis.call('HSET', record, 'last_read', now)
used(member)
if expires ~= '' then expire(member, expires) end
return 1
"""
)

# now, member
DROP: Final = (
    _COMMON
    + """
local found = live(ARGV[2])
forget(ARGV[2])
return found and 1 or 0
"""
)

# now: how many records are live, and their packed bytes
STATS: Final = (
    _COMMON
    + """
forget_expired()
return {redis.call('ZCARD', prefix .. ':used'), tonumber(redis.call('GET', prefix .. ':stored') or 0) or 0}
"""
)

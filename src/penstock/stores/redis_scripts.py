"""Lua scripts for what must happen in one piece on a Redis or Valkey server: each runs there with nothing in between.

Each script works in one slot of a Redis Cluster: on one record, or on the books. The books, below ``KEYS[1]``:

``sizes``            of each record (``<owner>:<handle>``) its share and its packed bytes; ``stored`` all bytes together
``of:<owner>``       an owner's handles by time of creation
``used:<share>``     a share's records by time of last use
``items``, ``bytes`` groups of shares by the number of their records, and by their packed bytes; ``items:<group>`` and
                     ``bytes:<group>`` the same of the parts of a group
``expiry``           records that expire, by time

The server expires records by itself; the next script that looks at the books corrects them. ``next_victim`` in
``base`` decides from the books which records are evicted.
"""

from __future__ import annotations

from typing import Final

# A record. The blocks of one that is being written: seconds to live, then fields and values.
SEND: Final = """
if redis.call('HEXISTS', KEYS[1], 'head') == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""

_RECORD: Final = """
local now = tonumber(ARGV[1])

local function expire(at)
    redis.call('HSET', KEYS[1], 'expires', at)
    -- Relative, so that the clocks of server and client need not agree.
    redis.call('PEXPIRE', KEYS[1], math.max(1, math.ceil((at - now) * 1000)))
end

local function live()
    local found = redis.call('HMGET', KEYS[1], 'head', 'expires')
    local expires = tonumber(found[2])  -- nil for none, and for a damaged one: what is damaged can still be dropped
    return found[1] and (not expires or expires > now)
end
"""

# now, head, created, expires or '', stored, share, number of blocks.
# A commit that is sent again because its answer was lost finds its own head, and is done. Another's head answers 2.
COMMIT: Final = (
    _RECORD
    + """
local head, created, expires, stored, share, blocks = unpack(ARGV, 2)
local found = redis.call('HGET', KEYS[1], 'head')
if found then return found == head and 1 or 2 end
if redis.call('HLEN', KEYS[1]) ~= tonumber(blocks) then return 0 end
redis.call('HSET', KEYS[1], 'head', head, 'stored', stored, 'reads', 0, 'last_read', '', 'expires', '',
           'created', created, 'share', share)
redis.call('PERSIST', KEYS[1])
if expires ~= '' then expire(expires) end
return 1
"""
)

# now, new expiry or '', what is put behind ``seen``: what the books have to say of the record, or nothing when it is
# not there
TOUCH: Final = (
    _RECORD
    + """
if not live() then return false end
redis.call('HINCRBY', KEYS[1], 'reads', 1)
redis.call('HSET', KEYS[1], 'last_read', ARGV[1])
if ARGV[3] ~= '' then
    redis.call('HSET', KEYS[1], 'seen', (redis.call('HGET', KEYS[1], 'seen') or '') .. ARGV[3])
end
if ARGV[2] ~= '' then expire(ARGV[2]) end
return redis.call('HMGET', KEYS[1], 'created', 'expires', 'stored', 'share')
"""
)

# now
DROP: Final = (
    _RECORD
    + """
local found = live()
redis.call('UNLINK', KEYS[1])
return found and 1 or 0
"""
)

# Names and numbers: adds to the counters of a tool
COUNT: Final = """
for at = 1, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1]) end
"""

# Seconds to live, the most rows; then of each row its name, the name of the row that counts what a full day has no row
# for, and four numbers
SIZES: Final = """
local counted = {'calls', 'held', 'tokens_in', 'tokens_out'}
for at = 3, #ARGV, 6 do
    local row = ARGV[at]
    if redis.call('HEXISTS', KEYS[1], 'calls' .. row) == 0
        and redis.call('HLEN', KEYS[1]) >= #counted * tonumber(ARGV[2]) then row = ARGV[at + 1] end
    for number, name in ipairs(counted) do
        redis.call('HINCRBY', KEYS[1], name .. row, ARGV[at + 1 + number])
    end
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
"""

# The owner's part of a member is 32 hexadecimal digits, and so is a share, of which the first 16 are its group's.
_BOOKS: Final = """
local now = ARGV[1]

local function book(...) return table.concat({KEYS[1], ...}, ':') end

local function change(name, what, number)
    if tonumber(redis.call('ZINCRBY', name, number, what)) <= 0 then redis.call('ZREM', name, what) end
end

local function count(share, items, bytes)
    local group, part = share:sub(1, 16), share:sub(17)
    change(book('items'), group, items)
    change(book('items', group), part, items)
    change(book('bytes'), group, bytes)
    change(book('bytes', group), part, bytes)
    redis.call('INCRBY', book('stored'), bytes)
end

local function note(member, created, expires, stored, share)
    if redis.call('HSETNX', book('sizes'), member, share .. stored) == 1 then
        count(share, 1, stored)
        redis.call('ZADD', book('of', member:sub(1, 32)), created, member:sub(34))
    end
    redis.call('ZADD', book('used', share), now, member)
    if expires ~= '' then redis.call('ZADD', book('expiry'), expires, member) end
end

local function forget(member)
    local size = redis.call('HGET', book('sizes'), member)
    redis.call('ZREM', book('expiry'), member)
    redis.call('ZREM', book('of', member:sub(1, 32)), member:sub(34))
    if not size then return end
    redis.call('HDEL', book('sizes'), member)
    redis.call('ZREM', book('used', size:sub(1, 32)), member)
    count(size:sub(1, 32), -1, -(tonumber(size:sub(33)) or 0))
end

local function forget_expired()
    local gone = redis.call('ZRANGEBYSCORE', book('expiry'), '-inf', now)
    for _, member in ipairs(gone) do forget(member) end
    return #gone
end
"""

# now, member, created, expires or '', stored, share
NOTE: Final = _BOOKS + "note(unpack(ARGV, 2, 6))"

# now: how many records expired
FORGET_EXPIRED: Final = _BOOKS + "return forget_expired()"

# now, member
FORGET: Final = _BOOKS + "forget(ARGV[2])"

# now: how many records are live, and their packed bytes
STATS: Final = (
    _BOOKS
    + """
forget_expired()
return {redis.call('HLEN', book('sizes')), tonumber(redis.call('GET', book('stored')) or 0) or 0}
"""
)

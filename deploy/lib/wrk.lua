-- Requests of `deploy/bench web` to entries of company 1, whose ids are numbers; see Sources/Bench/Records/Fixture.swift.
--
--   wrk … -- read COUNT          reads random entries
--   wrk … -- move COUNT FIRST    starts the entries of a range one after the other, then pauses them, and so on; each
--                                thread has COUNT entries of its own
local threads = 0
local mode, count, first, place

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(arguments)
  mode, count, place = arguments[1], tonumber(arguments[2]), 0
  first = tonumber(arguments[3] or "1") + number * count
  math.randomseed(tonumber(tostring({}):match("0x(%x+)"), 16) % 2147483647)
  wrk.headers["Content-Type"] = "application/json"
end

local function path(entry)
  local id = string.format("%032.0f", 1000000 + entry)
  return "/v1/maintenance/entry/" .. id:sub(1, 8) .. "-" .. id:sub(9, 12) .. "-" .. id:sub(13, 16) .. "-" .. id:sub(17, 20)
    .. "-" .. id:sub(21, 32)
end

function request()
  if mode == "read" then return wrk.format("GET", path(math.random(1, count))) end
  local transition = math.floor(place / count) % 2 == 0 and "start" or "pause"
  place = place + 1
  return wrk.format("POST", path(first + (place - 1) % count) .. "/do/" .. transition, nil, "{}")
end

-- For wrk: ask for the paths in turn; each connection rests before each request, so that the rate is about fixed.
-- Arguments: the mean rest in milliseconds, and the paths.
local paths, rest_ms, asked = {}, 0, 0

function init(arguments)
  math.randomseed(os.time())
  rest_ms = tonumber(arguments[1])
  for number = 2, #arguments do paths[#paths + 1] = arguments[number] end
end

function delay()
  return math.random(0, 2 * rest_ms)
end

function request()
  asked = asked + 1
  return wrk.format("GET", paths[asked % #paths + 1])
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("requests            %6.1f a second\n", summary.requests / summary.duration * 1e6))
  io.write(string.format("errors              connect %d, read %d, write %d, timeout %d, status of 400 and above %d\n",
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
  for _, share in ipairs({50, 90, 99}) do
    io.write(string.format("latency p%d         %6.0f ms\n", share, latency:percentile(share) / 1000))
  end
  io.write(string.format("latency at most     %6.0f ms\n", latency.max / 1000))
end

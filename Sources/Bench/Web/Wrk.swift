internal import FoundationEssentials

/// The load generator `wrk` (Debian package of the same name).
struct Wrk {
  let connections: Int
  let seconds: Int
  /// The folder of the scripts.
  let folder: String

  /// Sends requests for a period, and counts the answers.
  ///
  /// - Parameters:
  ///   - url: the address; a script may replace the path.
  ///   - headers: header fields of every request.
  ///   - script: a script in Lua; nil for none.
  ///   - arguments: the arguments of the script.
  /// - Throws: ``Tool/Failure`` if an answer has another status than 2xx or 3xx, or a connection failed.
  func run(_ url: String, headers: [String] = [], script: String? = nil, arguments: [String] = []) throws
    -> Sample
  {
    var line = [
      "--threads", "2", "--connections", "\(connections)", "--duration", "\(seconds)s", "--timeout", "10s",
    ]
    for header in headers { line += ["--header", header] }
    if let script {
      let file = "\(folder)/wrk.lua"
      try Data(script.utf8).write(to: URL(filePath: file))
      line += ["--script", file]
    }
    line.append(url)
    if !arguments.isEmpty { line += ["--"] + arguments }
    let output = try Tool(path: "wrk").run(line)
    guard let rate = Self.rate(in: output) else { throw Tool.Failure(description: "wrk:\n\(output)") }
    guard !output.contains("Non-2xx"), !output.contains("Socket errors") else {
      throw Tool.Failure(description: "wrk had failed requests:\n\(output)")
    }
    return Sample(units: rate * Double(seconds), seconds: Double(seconds))
  }

  private static func rate(in output: String) -> Double? {
    for line in output.split(separator: "\n") where line.hasPrefix("Requests/sec:") {
      return line.split(separator: " ").last.flatMap { Double($0) }
    }
    return nil
  }
}

/// Scripts of wrk in Lua.
enum WrkScript {
  /// Defines `id(number)`: the id of a number as ``Fixture/id(_:)`` has it.
  private static let ids = """
    local function id(number)
      local text = string.format("%032.0f", number)
      return text:sub(1, 8) .. "-" .. text:sub(9, 12) .. "-" .. text:sub(13, 16) .. "-" .. text:sub(17, 20)
        .. "-" .. text:sub(21, 32)
    end

    """

  /// Reads random entries of company 1. Argument: the number of entries.
  static let readEntries =
    ids + """
      local count
      function init(arguments)
        count = tonumber(arguments[1])
        math.randomseed(tonumber(tostring({}):match("0x(%x+)"), 16) % 2147483647)
      end
      function request()
        return wrk.format("GET", "/v1/maintenance/entry/" .. id(1000000 + math.random(1, count)))
      end

      """

  /// Starts the entries of a range one after the other, then pauses them, and so on. Arguments: the first entry, and
  /// the number of entries of each of the two threads.
  static let moveEntries =
    ids + """
      local threads = 0
      function setup(thread)
        thread:set("number", threads)
        threads = threads + 1
      end
      local first, count, place
      function init(arguments)
        count = tonumber(arguments[2])
        first = tonumber(arguments[1]) + number * count
        place = 0
        wrk.headers["Content-Type"] = "application/json"
      end
      function request()
        local transition = math.floor(place / count) % 2 == 0 and "start" or "pause"
        local path = "/v1/maintenance/entry/" .. id(1000000 + first + place % count) .. "/do/" .. transition
        place = place + 1
        return wrk.format("POST", path, nil, "{}")
      end

      """
}

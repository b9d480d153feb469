/// The load generator `wrk` (Debian package of the same name).
struct Wrk {
  let plan: Plan
  /// The header field with the token.
  let authorization: String

  /// Sends requests for a period, and counts the answers.
  ///
  /// - Parameters:
  ///   - url: the address; a script may replace the path.
  ///   - entries: the arguments of `deploy/lib/wrk.lua`, which requests many entries; empty for one address.
  /// - Throws: ``Failure`` if an answer has another status than 2xx or 3xx, or a connection failed.
  func run(_ url: String, headers: [String] = [], entries: [String] = []) throws -> Sample {
    var arguments = ["--threads", "2", "--connections", "\(plan.clients)", "--duration", "\(plan.seconds)s"]
    for header in [authorization] + headers { arguments += ["--header", header] }
    if !entries.isEmpty { arguments += ["--script", "deploy/lib/wrk.lua"] }
    arguments += ["--timeout", "10s", url, "--"] + entries
    let output = try answered(arguments)
    let line = output.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
    let rate = line?.split(separator: " ").last.flatMap { Double($0) }
    guard let rate else { throw Failure("wrk told no rate:\n\(output)") }
    return Sample(units: rate * Double(plan.seconds), seconds: Double(plan.seconds))
  }

  /// Sends requests from two callers for a period.
  ///
  /// - Returns: the time in milliseconds within which 95 of 100 answers came.
  func p95(_ url: String) throws -> Double {
    let output = try answered([
      "--threads", "1", "--connections", "2", "--duration", "\(plan.seconds)s", "--header", authorization,
      "--header", "Accept: text/html", "--header", "Accept-Encoding: gzip", "--script", "deploy/lib/p95.lua",
      "--timeout",
      "10s", url,
    ])
    let line = output.split(separator: "\n").first { $0.hasPrefix("P95:") }
    guard let time = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
      throw Failure("wrk told no times:\n\(output)")
    }
    return time
  }

  /// - Throws: ``Failure`` if an answer has another status than 2xx or 3xx, or a connection failed.
  private func answered(_ arguments: [String]) throws -> String {
    let output = try ChildProcess.run("wrk", arguments).output
    guard !output.contains("Non-2xx"), !output.contains("Socket errors") else {
      throw Failure("wrk had failed requests:\n\(output)")
    }
    return output
  }
}

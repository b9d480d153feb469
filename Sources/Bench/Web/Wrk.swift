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
    let output = try ChildProcess.run("wrk", arguments).output
    let hasFailed = output.contains("Non-2xx") || output.contains("Socket errors")
    let line = output.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
    let rate = line?.split(separator: " ").last.flatMap { Double($0) }
    guard let rate, !hasFailed else { throw Failure("wrk had failed requests:\n\(output)") }
    return Sample(units: rate * Double(plan.seconds), seconds: Double(plan.seconds))
  }
}

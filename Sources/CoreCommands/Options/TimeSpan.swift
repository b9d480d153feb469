internal import ArgumentParser
internal import Domain

/// A length of time as people write it: `30s`, `15m`, `2h`, `1d`, or ISO 8601 such as `PT2H`.
package struct TimeSpan: ExpressibleByArgument, Sendable {
  package let duration: Duration

  package init?(argument: String) {
    if let delay = try? Delay(parsing: argument) {  // what is no such notation is tried as the shorter one
      duration = .microseconds(delay.microseconds)
      return
    }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), count > 0,
      count <= 3_200_000_000 / unit
    else { return nil }
    duration = .seconds(count * unit)
  }
}

/// So many in a while, as people write it: `100/minute`, `5/s`, `1000/1d`.
package struct RateArgument: ExpressibleByArgument, Sendable {
  package let count: Int
  package let period: Duration

  package init?(argument: String) {
    let halves = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard halves.count == 2, let count = Int(halves[0]), (1...100_000_000).contains(count) else { return nil }
    let named = [
      "second": "1s", "minute": "1m", "hour": "1h", "day": "1d", "s": "1s", "m": "1m", "h": "1h", "d": "1d",
    ]
    guard let period = TimeSpan(argument: named[halves[1]] ?? halves[1]),
      period.duration <= .seconds(31 * 86_400)
    else { return nil }
    self.count = count
    self.period = period.duration
  }
}

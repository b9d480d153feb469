internal import ArgumentParser
internal import Domain

/// A duration: `30s`, `15m`, `2h`, `1d`, `1w`, or ISO 8601 such as `PT2H`.
package struct TimeSpan: ExpressibleByArgument, Sendable {
  package let duration: Duration

  package init?(argument: String) {
    if let delay = try? Delay(parsing: argument) {  // otherwise the short notation is tried
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

/// A rate such as `100/minute`, `5/s` or `1000/1d`.
package struct RateArgument: ExpressibleByArgument, Sendable {
  package let count: Int
  package let period: Duration

  package init?(argument: String) {
    guard let rate = try? JobRate(parsing: argument) else { return nil }  // the parser reports the error
    count = rate.count
    period = .seconds(rate.seconds)
  }
}

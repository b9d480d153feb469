/// The maximum number of jobs that start in a period, such as `100/minute`, `5/s` or `1000/1d`.
package struct JobRate: Sendable, Hashable {
  /// The number of jobs that may start in the period, 1 to 100,000,000.
  package let count: Int
  /// The length of the period in seconds, 1 second to 31 days.
  package let seconds: Int

  /// Creates a rate from numbers that are already checked.
  package init(count: Int, seconds: Int) {
    self.count = count
    self.seconds = seconds
  }

  /// Parses a count and a period: `100/minute`.
  ///
  /// The period is a unit (`second`, `minute`, `hour`, `day`, or its first letter), or a number and that
  /// letter.
  ///
  /// - Throws: `invalid_duration`, also for a count or period out of range.
  package init(parsing text: String) throws(DomainError) {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard halves.count == 2, let count = Int(halves[0]), (1...100_000_000).contains(count),
      let seconds = Self.seconds(in: halves[1]), (1...31 * 86_400).contains(seconds)
    else {
      throw DomainError(
        .invalidDuration,
        "\(Quoted(text)) is not a rate",
        hint: "write it like 100/minute, 5/s or 1000/1d"
      )
    }
    self.count = count
    self.seconds = seconds
  }

  /// The rate with the longest unit that divides the period: `100/minute`, `5/36h`.
  package var text: String {
    let unit = Self.units.last { seconds % $0.seconds == 0 } ?? (name: "second", seconds: 1)
    let number = seconds / unit.seconds
    return "\(count)/" + (number == 1 ? unit.name : "\(number)\(unit.name.prefix(1))")
  }

  private static func seconds(in text: String) -> Int? {
    if let unit = units.first(where: { $0.name == text || $0.name.prefix(1) == text }) { return unit.seconds }
    guard let unit = units.first(where: { text.hasSuffix($0.name.prefix(1)) }), text.count <= 8,
      let number = Int(text.dropLast()), number > 0
    else { return nil }
    return number * unit.seconds
  }

  private static let units: [(name: String, seconds: Int)] = [
    ("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400),
  ]
}

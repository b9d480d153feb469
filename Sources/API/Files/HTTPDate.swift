internal import Domain
internal import Postgres

/// Times in header fields (RFC 9110, section 5.6.7).
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns a time such as `Mon, 23 Nov 2026 15:40:00 GMT`.
  static func text(_ time: Instant) -> String {
    let parts = time.description
    let fields = parts.split(whereSeparator: { "-T:.Z".contains($0) }).compactMap { Int($0) }
    guard fields.count >= 6, (1...12).contains(fields[1]) else { return parts }
    let day = Int(clamping: (Double(time.microseconds) / 86_400_000_000).rounded(.down))
    let name = days[(day % 7 + 7) % 7]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(name), \(two(fields[2])) \(months[fields[1] - 1]) \(fields[0]) "
      + "\(two(fields[3])):\(two(fields[4])):\(two(fields[5])) GMT"
  }
}

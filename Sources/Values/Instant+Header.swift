extension Instant {
  /// Returns the time in UTC as header fields of HTTP (RFC 9110) and of mail (RFC 5322) have it, such as
  /// `Mon, 23 Nov 2026 15:40:00 GMT`.
  ///
  /// - Parameter zone: the name of UTC: `GMT` in HTTP, `+0000` in mail.
  package func headerText(zone: String = "GMT") -> String {
    let (days, time) = microseconds.flooredDivision(by: 86_400_000_000)
    let date = LocalDate(daysSince1970: Int(days))
    // 1 January 1970 was a Thursday.
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][
      Int((days + 4).flooredDivision(by: 7).remainder)
    ]
    let month = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][date.month - 1]
    let clock = String(ascii: 8) { $0.put(LocalTime(unchecked: time - time % 1_000_000), hasSeconds: true) }
    return "\(weekday), \(padded(date.day, 2)) \(month) \(padded(date.year, 4)) \(clock) \(zone)"
  }
}

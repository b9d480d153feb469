package import Domain

/// Dates and times as people of a language write them: `5 Jan 2026`, `5 jan. 2026 14:30`.
package struct DateText: Sendable {
  private let months: [String]

  package init(_ language: Language) {
    let isSwedish = language == .swedish
    months =
      isSwedish
      ? ["jan.", "feb.", "mars", "apr.", "maj", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "dec."]
      : ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  }

  /// Returns a date that is written `2026-01-05`; another text as it is.
  package func text(date: String) -> String {
    let parts = date.split(separator: "-")
    guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month), let day = Int(parts[2])
    else {
      return date
    }
    return "\(day) \(months[month - 1]) \(parts[0])"
  }

  /// Returns the month of a date that is written `2026-01-01`, as `Jan 2026`; another text as it is.
  package func text(month: String) -> String {
    let parts = month.split(separator: "-")
    guard parts.count == 3, let number = Int(parts[1]), (1...12).contains(number) else { return month }
    return "\(months[number - 1]) \(parts[0])"
  }

  /// Returns a local time that is written `2026-01-05 14:30`, with seconds or without.
  package func text(local: String) -> String {
    let parts = local.split { $0 == " " || $0 == "T" }
    guard parts.count == 2 else { return text(date: local) }
    return "\(text(date: String(parts[0]))) \(parts[1].prefix(5))"
  }
}

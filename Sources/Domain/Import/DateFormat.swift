/// The order of day, month and year in a date of digits.
package enum DateOrder: String, Sendable, CaseIterable {
  case dayFirst, monthFirst, yearFirst
}

/// The form of dates that a user states, such as `dd/mm/yyyy`.
package struct DateFormat: Sendable, Hashable {
  package let order: DateOrder
  /// True for years of two digits: 69 to 99 are of the last century, 00 to 68 of this one, as in POSIX.
  package let isShort: Bool
  /// The sign between the numbers in a written date; any is read.
  private let separator: Character

  package init(order: DateOrder, isShort: Bool = false, separator: Character? = nil) {
    self.order = order
    self.isShort = isShort
    self.separator = separator ?? (order == .yearFirst ? "-" : "/")
  }

  /// Returns a date in this format.
  package func text(_ date: LocalDate) -> String {
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let year = isShort ? padded(date.year % 100, 2) : padded(date.year, 4)
    let (month, day) = (padded(date.month, 2), padded(date.day, 2))
    let parts =
      switch order {
      case .dayFirst: [day, month, year]
      case .monthFirst: [month, day, year]
      case .yearFirst: [year, month, day]
      }
    return parts.joined(separator: String(separator))
  }

  /// Parses `dd/mm/yyyy`, `mm/dd/yyyy`, `yyyy-mm-dd` and their like with `.`, `/` or `-`; with `yy` for years of
  /// two digits.
  ///
  /// - Throws: `invalid_input` for another text.
  package init(parsing text: String) throws(DomainError) {
    let parts = text.lowercased().split(omittingEmptySubsequences: false) { "./- ".contains($0) }
    let units = parts.map { part in
      switch part {
      case "d", "dd": "d"
      case "m", "mm": "m"
      case "yy", "yyyy": "y"
      default: "?"
      }
    }
    let orders: [String: DateOrder] = ["dmy": .dayFirst, "mdy": .monthFirst, "ymd": .yearFirst]
    guard let order = orders[units.joined()] else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a format of dates",
        hint: "write it like dd/mm/yyyy, mm/dd/yyyy, dd.mm.yy or yyyy-mm-dd"
      )
    }
    let separator = text.first { "./- ".contains($0) }
    self.init(order: order, isShort: parts.contains("yy"), separator: separator)
  }
}

extension DateFormat {
  /// 28 March 2026 in this format.
  var example: String {
    let year = isShort ? "26" : "2026"
    switch order {
    case .dayFirst: return "28/03/\(year)"
    case .monthFirst: return "03/28/\(year)"
    case .yearFirst: return "\(year)-03-28"
    }
  }
}

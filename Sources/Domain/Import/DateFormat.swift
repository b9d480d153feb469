/// The order of day, month and year in a date of digits.
package enum DateOrder: String, Sendable, CaseIterable {
  case dayFirst, monthFirst, yearFirst
}

/// The form of dates that a user states, such as `dd/mm/yyyy`.
package struct DateFormat: Sendable, Hashable {
  package let order: DateOrder
  /// True for years of two digits: 69 to 99 are of the last century, 00 to 68 of this one, as in POSIX.
  package let isShort: Bool

  package init(order: DateOrder, isShort: Bool = false) {
    self.order = order
    self.isShort = isShort
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
    self.init(order: order, isShort: parts.contains("yy"))
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

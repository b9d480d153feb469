internal import Domain

/// A trip as an iCalendar file: one event for the whole trip, and one for each stop with a date.
enum TripCalendar {
  static func text(_ trip: TripDocument) throws(DomainError) -> String {
    guard let first = trip.startsOn else {
      throw DomainError(
        .missingFields,
        "the trip has no first day, which a calendar requires",
        hint: "set it with `fettle trip update TRIP --set starts_on=2026-06-01`",
        details: ["fields": ["starts_on"]]
      )
    }
    let lastStop = trip.stops.compactMap(\.date).max()
    let last = max(trip.endsOn ?? lastStop ?? first, first)
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Fettle//Trips//EN", "CALSCALE:GREGORIAN",
      "X-WR-CALNAME:\(escaped(trip.title))",
    ]
    lines += event(
      id: "\(trip.id.text)@trips.fettle",
      stamp: trip.changedAt,
      version: trip.version,
      from: first,
      through: last,
      title: trip.title,
      properties: [
        trip.destination.map { "LOCATION:\(escaped($0))" }, trip.summary.map { "DESCRIPTION:\(escaped($0))" },
        "TRANSP:TRANSPARENT",
      ]
    )
    for stop in trip.stops {
      guard let date = stop.date else { continue }
      lines += event(
        id: "\(stop.id.text)@trips.fettle",
        stamp: trip.changedAt,
        version: stop.version,
        from: date,
        through: date,
        title: stop.name,
        properties: [
          stop.place.map { "GEO:\($0.latitude.canonicalText);\($0.longitude.canonicalText)" },
          stop.description.map { "DESCRIPTION:\(escaped($0))" },
        ]
      )
    }
    lines.append("END:VCALENDAR")
    return lines.map { folded($0) + "\r\n" }.joined()
  }

  private static func event(
    id: String,
    stamp: Instant,
    version: Int,
    from: LocalDate,
    through: LocalDate,
    title: String,
    properties: [String?]
  ) -> [String] {
    // DTEND is exclusive.
    let after = LocalDate(daysSince1970: through.daysSince1970 + 1)
    return [
      "BEGIN:VEVENT", "UID:\(id)", "DTSTAMP:\(basic(stamp))", "SEQUENCE:\(version - 1)",
      "DTSTART;VALUE=DATE:\(basic(from))", "DTEND;VALUE=DATE:\(basic(after))", "SUMMARY:\(escaped(title))",
    ] + properties.compactMap { $0 } + ["END:VEVENT"]
  }

  private static func basic(_ date: LocalDate) -> String { date.description.filter { $0 != "-" } }

  /// Returns the time in UTC to the second, as in `20260601T080000Z`.
  private static func basic(_ instant: Instant) -> String {
    let second = Instant(seconds: instant.microseconds / 1_000_000)
    return second.rfc3339.filter { $0 != "-" && $0 != ":" }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\", ";", ",": result += "\\\(character)"
      case "\n", "\r\n", "\r": result += "\\n"
      default: result.append(character)
      }
    }
    return result
  }

  /// Returns the line folded at 75 octets, without splitting a character. Continuation lines begin with a
  /// space.
  private static func folded(_ line: String) -> String {
    var result = ""
    var width = 0
    for character in line {
      let size = character.utf8.count
      if width + size > 75 {
        result += "\r\n "
        width = 1
      }
      result.append(character)
      width += size
    }
    return result
  }
}

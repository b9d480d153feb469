package import Domain
package import FoundationEssentials

/// A trip for calendars and maps: a plan and its stops in order, independent of their storage.
package struct TripDocument: Sendable, Hashable {
  /// A place of the trip.
  package struct Stop: Sendable, Hashable {
    package let id: UUID
    /// Day of the trip, from 1.
    package let day: Int
    /// The date of the day; nil if the trip has no first day.
    package let date: LocalDate?
    package let name: String
    /// Latitude and longitude in degrees, as written; nil if unknown.
    package let place: (latitude: ExactDecimal, longitude: ExactDecimal)?
    /// The time of the best light, such as `golden_pm`; nil if unknown.
    package let bestLight: String?
    package let notes: String?
    /// Incremented by each change, so that calendars replace their copy.
    package let version: Int

    package static func == (left: Stop, right: Stop) -> Bool {
      left.id == right.id && left.version == right.version && left.name == right.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  package let id: UUID
  package let title: String
  package let summary: String?
  package let destination: String?
  package let startsOn: LocalDate?
  package let endsOn: LocalDate?
  package let version: Int
  /// Time of the last change to the plan or its stops.
  package let changedAt: Instant
  package let stops: [Stop]

  /// Reads rows of the views `v_plan` and `v_stop`.
  ///
  /// - Throws: `invalid_document` for a row without an id, `invalid_date` or `invalid_instant` for an invalid
  ///   date or time.
  package init(plan: JSONObject, stops: [JSONObject]) throws(DomainError) {
    id = try Self.id(plan)
    title = plan["title"]?.string ?? ""
    summary = plan["summary"]?.string
    destination = plan["destination"]?.string
    startsOn = try plan["starts_on"]?.string.map { text throws(DomainError) in try LocalDate(parsing: text) }
    endsOn = try plan["ends_on"]?.string.map { text throws(DomainError) in try LocalDate(parsing: text) }
    version = Int(plan["version"]?.number?.integer ?? 1)
    var read: [Stop] = []
    for stop in stops { read.append(try Stop(stop)) }
    self.stops = read
    var changed = Instant(microseconds: 0)
    for document in [plan] + stops {
      guard let text = document["updated_at"]?.string else { continue }
      changed = max(changed, try Instant(parsing: text))
    }
    changedAt = changed
  }

  fileprivate static func id(_ document: JSONObject) throws(DomainError) -> UUID {
    guard let id = document["id"]?.string.flatMap(UUID.init(text:)) else {
      throw DomainError(.invalidDocument, "the trip has no id")
    }
    return id
  }

  /// Returns the displayed name of a light: `golden pm` for `golden_pm`.
  static func light(_ name: String) -> String { name.split(separator: "_").joined(separator: " ") }
}

extension TripDocument.Stop {
  fileprivate init(_ document: JSONObject) throws(DomainError) {
    id = try TripDocument.id(document)
    day = Int(document["day_no"]?.number?.integer ?? 1)
    date = try document["visit_on"]?.string.map { text throws(DomainError) in try LocalDate(parsing: text) }
    name = document["name"]?.string ?? ""
    place =
      if let latitude = document["lat"]?.number, let longitude = document["lon"]?.number {
        (latitude, longitude)
      } else {
        nil
      }
    bestLight = document["best_light"]?.string
    notes = document["notes"]?.string
    version = Int(document["version"]?.number?.integer ?? 1)
  }

  /// Notes and light as one text, for formats with a single field for both.
  var description: String? {
    let lines = [notes, bestLight.map { "Best light: \(TripDocument.light($0))" }].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }
}

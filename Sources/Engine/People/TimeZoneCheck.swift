package import Domain
package import Postgres
internal import Store

/// Checks time zones against PostgreSQL, because PostgreSQL computes with them.
package enum TimeZoneCheck {
  /// Returns the canonical name of a time zone that PostgreSQL knows.
  ///
  /// - Throws: as ``accepted(_:among:)``.
  static func require(_ name: String, _ tx: Transaction) throws -> String {
    try accepted(name, among: tx.rows(query(name), String.self))
  }

  /// Returns the query for a time zone by its name; for the names of zones with a region if PostgreSQL does not know it.
  package static func query(_ name: String) -> SQL {
    let zone = (try? TimeZoneName(parsing: name))?.text  // PostgreSQL inverts the sign of UTC+2
    return """
      with known as materialized (select z.name from pg_timezone_names z)
      select z.name from known z
      where z.name = \(nullable: zone)::text
        or z.name like '%/%' and not exists (select from known k where k.name = \(nullable: zone)::text)
      """
  }

  /// Returns the canonical name of a time zone.
  ///
  /// - Parameter known: the result of ``query(_:)`` for the name.
  /// - Throws: `invalid_time_zone` for an unknown one, with the name that was probably meant as a hint.
  package static func accepted(_ name: String, among known: [String]) throws(DomainError) -> String {
    if let zone = (try? TimeZoneName(parsing: name))?.text, known.contains(zone) { return zone }
    // The sign of Etc/GMT+2 is inverted too, so nobody means it.
    let zones = known.filter { !$0.hasPrefix("Etc/GMT") && (try? TimeZoneName(parsing: $0)) != nil }
    let meant = Suggestion.closest(to: name, among: zones) ?? ofCity(name, among: zones)
    throw DomainError(
      .invalidTimeZone,
      "there is no time zone \(Quoted(name))",
      hint: meant.map { "did you mean \(TimeZoneName.canonical($0))?" }
        ?? "use a name such as Europe/Stockholm or America/New_York"
    )
  }

  /// Returns the time zone of a city named without its region; nil if no city is similar.
  private static func ofCity(_ name: String, among zones: [String]) -> String? {
    let byCity = Dictionary(
      zones.filter { $0.split(separator: "/").count == 2 }.map { (city(of: $0), $0) },
      uniquingKeysWith: { first, second in min(first, second) }
    )
    return Suggestion.closest(to: city(of: name), among: byCity.keys).flatMap { byCity[$0] }
  }

  private static func city(of name: String) -> String {
    String(name.split(separator: "/").last.map { $0.map { $0 == " " ? "_" : $0 } } ?? [])
  }
}

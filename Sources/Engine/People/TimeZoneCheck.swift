internal import Domain
internal import Postgres
internal import Store

/// Checks time zones against PostgreSQL, because PostgreSQL computes with them.
enum TimeZoneCheck {
  /// Returns the canonical name of a time zone that PostgreSQL knows.
  ///
  /// - Throws: `invalid_time_zone` with the closest name as a hint.
  static func require(_ name: String, _ tx: Transaction) throws -> String {
    let zone = try? TimeZoneName(parsing: name).text  // PostgreSQL inverts the sign of UTC+2
    if let zone,
      try tx.value("select exists (select from pg_timezone_names z where z.name = \(zone))", as: Bool.self)
    {
      return zone
    }
    let zones = try tx.rows(
      "select z.name from pg_timezone_names z where z.name like '%/%' and z.name !~ '^(posix|right)/'",
      String.self
    )
    let meant = Suggestion.closest(to: name, among: zones) ?? ofCity(name, among: zones)
    throw DomainError(
      .invalidTimeZone,
      "there is no time zone \(Quoted(name))",
      hint: meant.map { "did you mean \($0)?" } ?? "use a name such as Europe/Stockholm or America/New_York"
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

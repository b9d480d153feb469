internal import Domain
internal import FoundationEssentials
package import Postgres

/// The check of stored time zones, for `fettle doctor` and `fettle migrate`: a newer time zone database may lack one.
package struct ZoneHealth: Sendable {
  /// A stored time zone that needs attention.
  package struct Stored: Sendable, Hashable {
    /// The company's slug; nil for a schedule of all companies.
    package let company: String?
    /// The table: `company`, `schedule NAME`, or a record type.
    package let place: String
    package let zone: String
    /// False for a former name, which PostgreSQL still knows.
    package let isUnknown: Bool
  }

  /// The companies whose zones are read in one round trip.
  private static let chunk = 200

  private let database: Database

  /// - Parameter database: connected as `fettle_admin`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Returns the stored zones that PostgreSQL does not know, and those with a former name.
  package func run() async throws -> [Stored] {
    var options = TransactionOptions(readOnly: true)
    options.statementTimeout = .seconds(600)
    return try await database.transaction(options) { tx in
      var found = try tx.rows(
        "select 'schedule ' || d.name, d.timezone, core.known_zone(d.timezone) <> d.timezone "
          + "from core.app_schedule d where d.timezone is not null order by d.name",
        String.self,
        String.self,
        Bool.self
      ).map { Stored(company: nil, place: $0, zone: $1, isUnknown: $2) }
      var rest = try tx.rows(
        "select c.id, c.slug from core.company c order by c.slug",
        UUID.self,
        String.self
      )[...]
      while !rest.isEmpty {
        let part = rest.prefix(Self.chunk)
        rest = rest.dropFirst(part.count)
        let tickets = try tx.pipeline { pipeline in
          part.map { id, _ in
            pipeline.execute("select set_config('fettle.company_id', \(id.uuidString.lowercased()), true)")
            return pipeline.rows(
              "select z.place, z.zone, core.known_zone(z.zone) <> z.zone from core.stored_zones() z order by 1, 2",
              String.self,
              String.self,
              Bool.self
            )
          }
        }
        for ((_, slug), ticket) in zip(part, tickets) {
          found += try ticket.all.map { Stored(company: slug, place: $0, zone: $1, isUnknown: $2) }
        }
      }
      return found.filter { $0.isUnknown || TimeZoneName.isFormer($0.zone) }
    }
  }

  /// Returns the finding, with the first zones by name.
  package func finding() async throws -> HealthFinding {
    let found = try await run()
    let unknown = found.filter(\.isUnknown)
    guard let first = unknown.first ?? found.first else {
      return HealthFinding("time zones", .ok, "PostgreSQL knows every stored one")
    }
    let named = (unknown.isEmpty ? found : unknown).prefix(5).map { stored in
      "\(stored.zone) (\([stored.company, stored.place].compactMap(\.self).joined(separator: ", ")))"
    }
    let list = named.joined(separator: ", ") + (found.count > 5 ? ", …" : "")
    return unknown.isEmpty
      ? HealthFinding(
        "time zones",
        .warning,
        "former names, which an upgrade may drop: \(list)",
        remedy: "set the canonical name, such as \(TimeZoneName.canonical(first.zone)), in its place"
      )
      : HealthFinding(
        "time zones",
        .warning,
        "PostgreSQL does not know: \(list); days there are those of UTC",
        remedy: "set a known zone: of a company with `fettle apply`, of a record by an update"
      )
  }
}

internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a time zone known to PostgreSQL, which computes the site's days, and a source for a polled
  /// site.
  static let solarSite = RecordRule(normalise: { $0.withCanonicalZone() }) { fields, acting, pipeline in
    let zone = fields["timezone"]?.string.map { TimeZoneName.canonical($0) }
    let zones = zone.map { name in
      // Other names are read only if this one is unknown, because the list is long.
      pipeline.rows(
        """
        select z.name from pg_timezone_names z
        where z.name = \(name)
          or z.name like '%/%' and not exists (select from pg_timezone_names k where k.name = \(name))
        """,
        String.self
      )
    }
    try requireSource(fields)
    return { _ in
      guard let zone, let known = try zones?.all else { return [:] }
      // PostgreSQL accepts UTC+2, but with the opposite sign.
      let isShaped = (try? TimeZoneName(parsing: zone)) != nil
      guard isShaped, known.contains(zone) else {
        let meant = Suggestion.closest(to: zone, among: known)
        throw DomainError(
          .invalidTimeZone,
          "there is no time zone \(Quoted(zone))",
          hint: meant.map { "did you mean \($0)?" } ?? "write it like Asia/Kathmandu"
        )
      }
      return [:]
    }
  }

  private static func requireSource(_ fields: JSONObject) throws {
    guard fields["source_kind"]?.string == "poll" else { return }
    guard case .object(let config)? = fields["source_config"], !config.isEmpty else {
      throw DomainError(
        .missingFields,
        "source_config is missing, which a polled site requires",
        hint: "set url, and auth_ref if the source requires a secret",
        details: ["fields": ["source_config"]]
      )
    }
    do {
      _ = try JSON(config).decoded(as: PollSource.self)
    } catch {
      throw DomainError.reading(error, in: "source_config")
    }
  }

  /// Requires an HTTPS endpoint, and a valid name for its secret, which is not stored itself.
  static let solarUtilityAccount = RecordRule { fields, _, _ in
    if let endpoint = fields["endpoint"]?.string { try Endpoint.require(endpoint) }
    if let secret = fields["auth_ref"]?.string { try Endpoint.require(secret: secret) }
    return { _ in [:] }
  }
}

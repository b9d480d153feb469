internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a time zone known to PostgreSQL, which computes the site's days, and a source for a polled
  /// site.
  static let solarSite = RecordRule(normalise: { $0.withCanonicalZone() }) { fields, acting, pipeline in
    let zone = fields["timezone"]?.string
    let known = zone.map { name in pipeline.rows(TimeZoneCheck.query(name), String.self) }
    try requireSource(fields)
    return { _ in
      if let zone, let known { _ = try TimeZoneCheck.accepted(zone, among: known.all) }
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

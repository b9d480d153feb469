internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Fills a recording from a value that a person read, or from the newest sample of its site. Requires a
  /// utility account for type `auto_push`.
  ///
  /// A missing sample is refused, never recorded as zero. An invalid time is refused, never replaced by the
  /// current time.
  static let solarRecording = RecordRule(
    dependsOn: ["solar.utility_account"],
    fills: ["quantity", "taken_at", "unit", "value"],
    codes: ["taken_at": .badTimestamp]
  ) { fields, acting, pipeline in
    let quantity = try Quantity(named: fields["quantity"]?.string, unit: fields["unit"]?.string)
    let isAutomatic = ["auto", "auto_push"].contains(fields["type"]?.string)
    let takesSample = isAutomatic && fields["value"]?.isNull ?? true
    if !takesSample { _ = try Reading(fields["value"] ?? .null) }
    let site = fields["site_id"]?.string.flatMap(UUID.init(text:))
    let newest =
      takesSample
      ? site.map {
        pipeline.rows(sample(of: quantity, company: acting.company.id, site: $0), as: NewestSample.self)
      } : nil
    // The account may be removed after the recording.
    let account =
      fields["type"]?.string == "auto_push" && !fields.isStoredRecord
      ? site.map { pipeline.rows(hasAccount(company: acting.company.id, site: $0), Bool.self) } : nil
    return { access in
      if let account, try account.first != true {
        throw DomainError(
          .wrongState,
          "the site has no utility account to push to",
          hint: "add one with `fettle solar utility set SITE URL`, or record without --push"
        )
      }
      let now = access.now
      let given = try fields["taken_at"].flatMap { value -> Instant? in
        guard !value.isNull else { return nil }
        return try Instant(measured: value.string ?? value.canonicalText, now: now)
      }
      var computed: JSONObject = ["quantity": .string(quantity.rawValue), "unit": .string(quantity.unit)]
      guard takesSample else { return computed }
      guard let newest, let found = try newest.first else {
        throw DomainError(.staleReading, "the site has no sample with \(quantity.rawValue) yet")
      }
      let moment = found.takenAt
      // The sample must be at most two minutes old, and within two minutes of the given time.
      guard abs(moment.microseconds(until: given ?? now)) <= maximumAge,
        moment.microseconds(until: now) <= maximumAge
      else {
        throw DomainError(
          .staleReading,
          "the newest sample is of \(moment.rfc3339), more than two minutes from \((given ?? now).rfc3339)",
          details: ["newest": .string(moment.rfc3339)]
        )
      }
      let value = try ExactDecimal(parsing: found.value)
      guard !value.isBelowZero else {
        throw DomainError(
          .invalidNumber,
          "the inverter draws \(found.value.dropFirst()) kW, but a recording is at least zero"
        )
      }
      computed["value"] = .number(value)
      if given == nil { computed["taken_at"] = .string(moment.rfc3339) }
      return computed
    }
  }

  /// Maximum age of a recorded sample and its maximum distance from a given time, in microseconds.
  private static let maximumAge: Int64 = 120 * 1_000_000

  private static func hasAccount(company: UUID, site: UUID) -> SQL {
    """
    select exists (
      select from solar.utility_account a
      where a.company_id = \(company) and a.site_id = \(site) and a.deleted_at is null
    )
    """
  }

  private static func sample(of quantity: Quantity, company: UUID, site: UUID) -> SQL {
    switch quantity {
    case .power:
      """
      select s.taken_at, s.inverter_kw::text from solar.sample s
      where s.company_id = \(company) and s.site_id = \(site) and s.inverter_kw is not null
      order by s.taken_at desc
      limit 1
      """
    case .energy:
      """
      select s.taken_at, s.meter_kwh::text from solar.sample s
      where s.company_id = \(company) and s.site_id = \(site) and s.meter_kwh is not null
      order by s.taken_at desc
      limit 1
      """
    }
  }
}

/// The part of a site's newest sample that a recording needs.
private struct NewestSample: RowDecodable, Sendable {
  let takenAt: Instant
  let value: String

  init(row: inout RowReader) throws(PostgresError) {
    takenAt = try row.next()
    value = try row.next()
  }
}

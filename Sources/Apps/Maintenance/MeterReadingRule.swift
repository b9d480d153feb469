internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a value between those of the previous and the next reading, except across a reset of the
  /// counter, which begins with this reading or with `first_value`. A reading may be at most five minutes in the
  /// future, because clocks may be fast.
  ///
  /// Readings of a meter are written one after another, since each is compared with its neighbours.
  static let meterReading = RecordRule(locksParents: true, dependsOn: ["maintenance.meter_reading"]) {
    fields,
    acting,
    pipeline in
    let taken = try fields["taken_at"]?.string.map { try Instant(parsing: $0) }
    let company = acting.company.id
    guard let taken, let meter = fields["meter_id"]?.string.flatMap(UUID.init(text:)),
      let value = fields["value"]?.numberText
    else { return { _ in [:] } }
    let isReset = fields["is_reset"]?.isTrue == true
    if fields["first_value"].map({ !$0.isNull }) == true {
      guard isReset else {
        throw DomainError(
          .invalidInput,
          "first_value is the first reading of a new counter, but the counter was not reset",
          hint: "set is_reset, or leave out first_value"
        )
      }
      guard let first = fields["first_value"]?.numberText.flatMap({ Double($0) }), first >= 0,
        first <= Double(value) ?? 0
      else {
        throw DomainError(
          .invalidNumber,
          "a counter that shows \(value) cannot have begun above that, or below zero"
        )
      }
    }
    let id = fields["id"]?.string.flatMap(UUID.init(text:))
    let neighbours = pipeline.rows(
      MeterNeighbour.query(
        company: company,
        meter: meter,
        except: id,
        value: value,
        taken: taken,
        isReset: isReset
      ),
      as: MeterNeighbour.self
    )
    return { access in
      try taken.requireMeasurable(now: access.now, code: .futureReading)
      if let neighbour = try neighbours.first { throw neighbour.refusal(value) }
      return [:]
    }
  }
}

/// A reading of the same meter that contradicts a new or corrected one.
private struct MeterNeighbour: RowDecodable, Sendable {
  let isLater: Bool
  let meter: String
  let unit: String
  let value: String
  let taken: Instant

  init(row: inout RowReader) throws(PostgresError) {
    isLater = try row.next()
    meter = try row.next()
    unit = try row.next()
    value = try row.next()
    taken = try row.next()
  }

  /// Returns the query for the previous reading if it is higher and the new one is no reset; otherwise for
  /// the next reading if it is lower and no reset.
  static func query(
    company: UUID,
    meter: UUID,
    except id: UUID?,
    value: String,
    taken: Instant,
    isReset: Bool
  ) -> SQL {
    """
    select n.is_later, m.name, m.unit, trim_scale(n.value)::text, n.taken_at
    from maintenance.meter m
    cross join lateral (
      (
        select false as is_later, r.value, r.taken_at,
          not \(isReset) and r.value > \(value)::text::numeric(14,3) as contradicts
        from maintenance.meter_reading r
        where r.company_id = m.company_id and r.meter_id = m.id and r.deleted_at is null
          and r.taken_at < \(taken) and r.id is distinct from \(nullable: id)
        order by r.taken_at desc
        limit 1
      )
      union all
      (
        select true, r.value, r.taken_at, not r.is_reset and r.value < \(value)::text::numeric(14,3)
        from maintenance.meter_reading r
        where r.company_id = m.company_id and r.meter_id = m.id and r.deleted_at is null
          and r.taken_at > \(taken) and r.id is distinct from \(nullable: id)
        order by r.taken_at
        limit 1
      )
    ) n
    where m.company_id = \(company) and m.id = \(meter) and n.contradicts
    order by n.is_later
    limit 1
    """
  }

  func refusal(_ given: String) -> DomainError {
    if isLater {
      return DomainError(
        .readingBelowLast,
        "\(given) \(unit) is above the later reading of \(meter): \(value) \(unit) at \(taken)",
        hint: "check the value and its time; fix a wrong later reading with `fettle meter correct`",
        details: ["value": .string(value), "taken_at": .string(taken.description)]
      )
    }
    return DomainError(
      .readingBelowLast,
      "\(given) \(unit) is below the last reading of \(meter): \(value) \(unit) at \(taken)",
      hint:
        "correct a wrong last reading with `fettle meter correct`; add --reset if the counter was set back or replaced",
      details: ["value": .string(value), "taken_at": .string(taken.description)]
    )
  }
}

extension JSONValue {
  /// The text of a string or a number; nil for any other value.
  fileprivate var numberText: String? { string ?? number?.text }

  /// True for true, and for a text that PostgreSQL reads as true.
  fileprivate var isTrue: Bool {
    bool ?? ["true", "t", "yes", "on", "1"].contains(string?.lowercased() ?? "")
  }
}

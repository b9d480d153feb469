internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a base category or a category of the plan's machine, and computes when the plan is next due.
  ///
  /// A new interval begins today and at the meter's newest reading; so does the interval of another meter. A given
  /// start is the first due date. A changed interval moves the next due date or units by the difference. A meter that
  /// was never read begins with its first reading.
  static let maintenancePlan = RecordRule(dependsOn: ["maintenance.meter_reading"]) {
    fields,
    acting,
    pipeline in
    let category = CategoryCheck(fields, acting, &pipeline)
    let company = acting.company.id
    let id = fields["id"]?.string.flatMap(UUID.init(text:))
    let meter = fields["meter_id"]?.string.flatMap(UUID.init(text:))
    let days = fields["every_days"]?.text
    let units = fields["every_units"]?.text
    let start = fields["starts_on"]?.text
    guard start == nil || days != nil || fields.isStoredRecord else {
      throw DomainError(
        .invalidInput,
        "every_days is missing: starts_on is the first due date of an interval in days",
        hint: "set every_days, or leave out starts_on"
      )
    }
    let due = pipeline.rows(
      """
      with wanted as (
        select \(nullable: days)::text::integer as every_days, \(nullable: units)::text::numeric as every_units,
          \(nullable: meter)::uuid as meter_id, \(nullable: start)::text::date as starts_on,
          \(nullable: fields["next_due_on"]?.text)::text::date as due_on,
          \(nullable: fields["next_due_units"]?.text)::text::numeric as due_units,
          \(nullable: fields["counted_from"]?.text)::text::timestamptz as counted_from,
          \(nullable: fields["counted_at"]?.text)::text::timestamptz as counted_at
      )
      select
        case
          when w.every_days is null then null
          when w.due_on is not null and p.every_days = w.every_days then w.due_on
          when p.every_days is null or p.next_due_on is null
          then coalesce(
            case when p.id is null or p.every_days is not null then w.starts_on end,
            (now() at time zone core.known_zone(c.timezone))::date + w.every_days
          )
          else p.next_due_on - p.every_days + w.every_days
        end::text,
        case
          when w.every_units is null then null
          when w.due_units is not null and p.every_units = w.every_units and p.meter_id = w.meter_id then w.due_units
          when s.starts then v.counted_value + w.every_units
          else p.next_due_units - p.every_units + w.every_units
        end::text,
        case
          when w.every_units is null then null
          when s.starts then now()
          else coalesce(w.counted_from, now())
        end,
        case
          when w.every_units is null then null
          when s.starts then now()
          else coalesce(w.counted_at, w.counted_from, now())
        end
      from wanted w
      join core.company c on c.id = \(company)
      left join maintenance.pm_plan p on p.company_id = c.id and p.id = \(nullable: id)
      left join lateral maintenance.meter_state(c.id, w.meter_id) v on true
      cross join lateral (
        select p.every_units is null or p.next_due_units is null or p.meter_id is distinct from w.meter_id as starts
      ) s
      where p.id is null
        or (p.every_days, p.every_units, p.meter_id)
          is distinct from (w.every_days, w.every_units, w.meter_id)
        -- A plan that was written without this rule.
        or w.every_days is not null and w.due_on is null
        or w.every_units is not null and p.counted_from is null
      """,
      String?.self,
      String?.self,
      Instant?.self,
      Instant?.self
    )
    return { _ in
      try category.require()
      guard let (on, units, since, known) = try due.first else { return [:] }
      return [
        "next_due_on": on.map { .string($0) } ?? .null, "next_due_units": units.map { .string($0) } ?? .null,
        "counted_from": since.map { .string($0.description) } ?? .null,
        "counted_at": known.map { .string($0.description) } ?? .null,
      ]
    }
  }
}

extension JSONValue {
  /// The text of a string or a number; nil for any other value.
  fileprivate var text: String? { string ?? number?.text }
}

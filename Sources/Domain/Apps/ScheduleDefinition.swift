/// A job that is enqueued at certain times in every company: `{ job: pm.plan, cron: '0 5 * * *' }`.
package struct ScheduleDefinition: Sendable, Hashable {
  /// The kind of job.
  package let job: String
  /// The cron expression: minute, hour, day of the month, month, day of the week.
  package let cron: String
  /// The time zone in which the cron expression is read.
  package let zone: Zone

  /// The time zone of a schedule.
  package enum Zone: Sendable, Hashable {
    /// The company's time zone.
    case company
    /// A fixed time zone, such as `UTC` or `Europe/Stockholm`.
    case named(String)
  }

  /// Creates a schedule.
  package init(job: String, cron: String, zone: Zone = .company) {
    self.job = job
    self.cron = cron
    self.zone = zone
  }
}

extension ScheduleDefinition: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case job, cron, zone
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    let zone = try object.value("zone", default: "company")
    self.init(
      job: try object.required("job"),
      cron: try object.required("cron"),
      zone: zone == "company" ? .company : .named(zone)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(job, forKey: .job)
    try container.encode(cron, forKey: .cron)
    switch zone {
    case .company: try container.encode("company", forKey: .zone)
    case .named(let name): try container.encode(name, forKey: .zone)
    }
  }
}

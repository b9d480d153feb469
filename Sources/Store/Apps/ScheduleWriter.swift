internal import Domain
internal import Postgres

/// Writes the schedules of an app's manifest, from which workers create the schedules of the companies.
enum ScheduleWriter {
  /// Replaces the app's previous schedules, and deletes those of apps that are not installed.
  ///
  /// - Throws: `invalid_manifest` if another app has a schedule for the same kind of job.
  static func write(_ manifest: AppManifest, _ tx: Transaction) throws {
    let wanted = named(manifest.schedules)
    try tx.execute(
      """
      delete from core.app_schedule d
      where d.name <> all (\(wanted.map(\.name)))
        and (d.app = \(manifest.app)
             or d.app <> 'core' and not exists (select from core.app a where a.name = d.app))
      """
    )
    for (name, schedule) in wanted {
      let zone: String? = if case .named(let zone) = schedule.zone { zone } else { nil }
      let written = try tx.execute(
        """
        insert into core.app_schedule as d (name, app, kind, cron, timezone)
        values (\(name), \(manifest.app), \(schedule.job), \(schedule.cron), \(nullable: zone))
        on conflict (name) do update
        set kind = excluded.kind, cron = excluded.cron, timezone = excluded.timezone
        where d.app = excluded.app
        """
      )
      guard written == 1 else {
        throw DomainError(
          .invalidManifest,
          "\(manifest.app): another app schedules \(schedule.job) already",
          hint: "give the job a kind of its own"
        )
      }
    }
  }

  /// Returns the schedules with their names. The name is the kind of job, with a number from the second
  /// schedule of a kind on.
  private static func named(_ schedules: [ScheduleDefinition]) -> [(name: String, ScheduleDefinition)] {
    var count: [String: Int] = [:]
    return schedules.map { schedule in
      count[schedule.job, default: 0] += 1
      let number = count[schedule.job] ?? 1
      return (number == 1 ? schedule.job : "\(schedule.job)-\(number)", schedule)
    }
  }
}

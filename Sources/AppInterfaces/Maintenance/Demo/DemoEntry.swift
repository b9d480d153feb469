internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A generated work order.
struct DemoEntry {
  static let columns = [
    "machine_id", "category_id", "description", "estimated_hours", "actual_cost", "reported_on", "priority",
    "created_by_name", "started_at", "started_by", "completed_at", "completed_by",
  ]

  let seed: Seed
  /// The day on which the work started.
  let startedOn: LocalDate

  init(_ context: DemoContext, _ index: Int, _ status: String, machine: Int, _ random: inout DemoRandom) {
    let reported = Self.reportedOn(context, status, &random)
    let maker = random.pick(context.tenant.active)
    let worker = random.pick(context.tenant.active)
    let started = min(context.today, reported.adding(days: random.int(0...9)))
    let completed = min(context.today, started.adding(days: random.int(0...3)))
    startedOn = started
    let begins = context.moment(started, minute: 7 * 60)
    let ends = context.moment(completed, minute: 15 * 60 + 30)
    let hours = min(80, max(0.25, random.logNormal(median: 1.5, spread: 0.8)))
    let cost: String? = status == "completed" && random.chance(0.6) ? "\(random.int(20...2_400)).50" : nil
    let cells: [String?] = [
      context.id("maintenance.machine", machine).text,
      context.id("maintenance.category", random.int(0...7)).text,
      DemoWords.fault(&random), "\((hours * 4).rounded() / 4)", cost, reported.description,
      "\(random.pick([1, 2, 2, 2, 3, 4]))", maker.name,
      status == "pending" ? nil : begins.description, status == "pending" ? nil : worker.id.text,
      status == "completed" ? ends.description : nil, status == "completed" ? worker.id.text : nil,
    ]
    var seed = Seed(
      id: context.id("maintenance.entry", index),
      createdAt: context.moment(reported, minute: 6 * 60 + random.int(0...50)),
      maker: maker.id,
      status: status,
      cells: cells
    )
    if status == "completed", random.chance(0.03) { seed.steps = Self.reopened(ends) }
    self.seed = seed
  }

  /// Returns the steps of a work order that was completed, reopened and completed again.
  private static func reopened(_ at: Instant) -> [Seed.Step] {
    let again = Instant(microseconds: at.microseconds - 3_600_000_000)
    return [
      Seed.Step(
        draft: HistoryDraft(
          kind: .transition,
          transition: "reopen",
          from: "completed",
          to: "in_progress",
          comment: "Leaks again"
        ),
        at: again
      ),
      Seed.Step(
        draft: HistoryDraft(kind: .transition, transition: "complete", from: "in_progress", to: "completed"),
        at: at
      ),
    ]
  }

  /// Returns the day of the report. Completed work was reported in the last four years, mostly from April to
  /// September; pending work in the last 60 days; work in progress in the last 14 days.
  private static func reportedOn(_ context: DemoContext, _ status: String, _ random: inout DemoRandom)
    -> LocalDate
  {
    guard status == "completed" else { return context.day(random.int(0...(status == "pending" ? 60 : 14))) }
    var day = context.day(random.int(15...1_460))
    if !(4...9).contains(day.month), random.chance(0.5) { day = day.adding(days: -183) }
    return day
  }
}
